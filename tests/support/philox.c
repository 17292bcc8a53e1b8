/* philox.c - see philox.h. */
#include "philox.h"

#include <string.h>

void philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    uint32_t c[4], k[2] = {key[0], key[1]};
    int round;
    memcpy(c, counter, sizeof c);
    for (round = 0; round < 10; round++) {
        const uint64_t p = (uint64_t)c[0] * 0xd2511f53u, q = (uint64_t)c[2] * 0xcd9e8d57u;
        c[0] = (uint32_t)(q >> 32) ^ c[1] ^ k[0];
        c[1] = (uint32_t)q;
        c[2] = (uint32_t)(p >> 32) ^ c[3] ^ k[1];
        c[3] = (uint32_t)p;
        k[0] += 0x9e3779b9u;
        k[1] += 0xbb67ae85u;
    }
    memcpy(out, c, sizeof c);
}

uint32_t philox_word(uint64_t seed, uint64_t stream, uint64_t block, unsigned word)
{
    const uint32_t counter[4] = {(uint32_t)block, (uint32_t)(block >> 32), (uint32_t)stream,
                                 (uint32_t)(stream >> 32)};
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t out[4];
    philox(counter, key, out);
    return out[word];
}
