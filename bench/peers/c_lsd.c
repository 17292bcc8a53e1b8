/* c_lsd.c - radix sort, lowest digit first, on all cores in plain C: the toughest form, and a plain one.

   Each thread owns a part of the keys. A pass: count the part's digits, barrier, offsets from all threads'
   counts, move, barrier. The tough form gathers a cache line for each digit and writes it past the caches;
   the plain one stores key by key. Compiled like host_loops.c. */
#define _POSIX_C_SOURCE 200809L
#include "peer.h"

#include <stdlib.h>
#include <string.h>

#if defined(__AVX512F__) || defined(__AVX__) || defined(__SSE2__)
#include <immintrin.h>
#endif

#include "../harness/pool.h"

enum { BINS = 256, THREADS_MAX = 64, LINE = 64, AHEAD = 2048, STEP = 16 };

typedef struct lsd_job {
    const bench_work *work;
    pool *p;
    bool lines;
    void *tmp, *value_tmp;
    uint32_t counts[THREADS_MAX][BINS];
} lsd_job;

/* A line, both sides aligned. */
static inline void stream_line(void *to, const void *from)
{
#if defined(__AVX512F__)
    _mm512_stream_si512((__m512i *)to, _mm512_load_si512((const __m512i *)from));
#elif defined(__AVX__)
    for (int i = 0; i < 2; i++)
        _mm256_stream_si256((__m256i *)to + i, _mm256_load_si256((const __m256i *)from + i));
#elif defined(__SSE2__)
    for (int i = 0; i < 4; i++)
        _mm_stream_si128((__m128i *)to + i, _mm_load_si128((const __m128i *)from + i));
#else
    memcpy(to, from, LINE);
#endif
}

static inline void stream_end(void)
{
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

#define MAP_NONE(k) (k)
#define MAP_F32(k) ((k) ^ ((uint32_t)((int32_t)(k) >> 31) | 0x80000000u))
#define DIGIT(MAP, k, shift) ((MAP(k) >> (shift)) & 255)

/* Where the thread's first key of each digit goes. */
static void offsets(const lsd_job *job, unsigned thread, unsigned threads, size_t *next)
{
    size_t sum = 0;
    for (unsigned d = 0; d < BINS; d++) {
        for (unsigned t = 0; t < threads; t++) {
            if (t == thread) next[d] = sum;
            sum += job->counts[t][d];
        }
    }
}

/* Counts in four tables, so that equal digits in a row do not wait for each other. */
#define DEFINE_LSD(NAME, KEY, MAP, VALUES)                                                               \
    static void NAME##_count(const KEY *in, size_t n, unsigned shift, uint32_t *count)                   \
    {                                                                                                    \
        uint32_t h[4][BINS];                                                                             \
        size_t i = 0;                                                                                    \
        memset(h, 0, sizeof h);                                                                          \
        for (; i + STEP <= n; i += STEP) {                                                               \
            __builtin_prefetch((const char *)(in + i) + AHEAD, 0, 3);                                    \
            for (unsigned k = 0; k < STEP; k += 4) {                                                     \
                h[0][DIGIT(MAP, in[i + k], shift)]++;                                                    \
                h[1][DIGIT(MAP, in[i + k + 1], shift)]++;                                                \
                h[2][DIGIT(MAP, in[i + k + 2], shift)]++;                                                \
                h[3][DIGIT(MAP, in[i + k + 3], shift)]++;                                                \
            }                                                                                            \
        }                                                                                                \
        for (; i < n; i++) h[0][DIGIT(MAP, in[i], shift)]++;                                             \
        for (unsigned d = 0; d < BINS; d++) count[d] = h[0][d] + h[1][d] + h[2][d] + h[3][d];            \
    }                                                                                                    \
    static void NAME##_plain(const KEY *in, const uint32_t *vin, size_t n, unsigned shift, size_t *next, \
                             KEY *out, uint32_t *vout)                                                   \
    {                                                                                                    \
        for (size_t i = 0; i < n; i++) {                                                                 \
            const KEY k = in[i];                                                                         \
            const size_t j = next[DIGIT(MAP, k, shift)]++;                                               \
            out[j] = k;                                                                                  \
            if (VALUES) vout[j] = vin[i];                                                                \
        }                                                                                                \
    }                                                                                                    \
    static void NAME##_rest(const KEY *line, const uint32_t *vline, size_t first, size_t end, KEY *out,  \
                            uint32_t *vout)                                                              \
    {                                                                                                    \
        enum { PER = LINE / sizeof(KEY) };                                                               \
        size_t j = (end - 1) / PER * PER;                                                                \
        for (j = j < first ? first : j; j < end; j++) {                                                  \
            out[j] = line[j % PER];                                                                      \
            if (VALUES) vout[j] = vline[j % PER];                                                        \
        }                                                                                                \
    }                                                                                                    \
    static void NAME##_lines(const KEY *in, const uint32_t *vin, size_t n, unsigned shift, size_t *next, \
                             KEY *out, uint32_t *vout)                                                   \
    {                                                                                                    \
        enum { PER = LINE / sizeof(KEY) };                                                               \
        __attribute__((aligned(LINE))) KEY line[BINS * PER];                                             \
        __attribute__((aligned(LINE))) uint32_t vline[(VALUES) ? BINS * PER : 1];                        \
        size_t first[BINS];                                                                              \
        memcpy(first, next, sizeof first);                                                               \
        for (size_t i = 0; i < n; i++) {                                                                 \
            const KEY k = in[i];                                                                         \
            const unsigned d = (unsigned)DIGIT(MAP, k, shift);                                           \
            const size_t j = next[d];                                                                    \
            if (i % STEP == 0) __builtin_prefetch((const char *)(in + i) + AHEAD, 0, 3);                 \
            if ((VALUES) && i % STEP == 0) __builtin_prefetch((const char *)(vin + i) + AHEAD, 0, 3);    \
            next[d] = j + 1;                                                                             \
            line[d * PER + j % PER] = k;                                                                 \
            if (VALUES) vline[d * PER + j % PER] = vin[i];                                               \
            if (j % PER != PER - 1) continue;                                                            \
            if (first[d] <= j + 1 - PER) {                                                               \
                stream_line(out + j + 1 - PER, line + d * PER);                                          \
                if (VALUES) stream_line(vout + j + 1 - PER, vline + d * PER);                            \
            } else {                                                                                     \
                NAME##_rest(line + d * PER, vline + d * PER, first[d], j + 1, out, vout);                \
            }                                                                                            \
        }                                                                                                \
        for (unsigned d = 0; d < BINS; d++) {                                                            \
            if (next[d] % PER && next[d] > first[d])                                                     \
                NAME##_rest(line + d * PER, vline + d * PER, first[d], next[d], out, vout);              \
        }                                                                                                \
        stream_end();                                                                                    \
    }                                                                                                    \
    static void NAME(void *user, unsigned thread, unsigned threads)                                      \
    {                                                                                                    \
        lsd_job *job = user;                                                                             \
        const size_t n = job->work->n, part = (n / threads + 15) / 16 * 16;                              \
        const size_t begin = part * thread < n ? part * thread : n;                                      \
        const size_t mine = thread == threads - 1 || begin + part > n ? n - begin : part;                \
        const KEY *from = job->work->host_in;                                                            \
        const uint32_t *vfrom = job->work->host_in2;                                                     \
        KEY *out = job->work->host_out, *to = job->tmp;                                                  \
        uint32_t *vout = (uint32_t *)(out + n), *vto = job->value_tmp;                                   \
        size_t next[BINS];                                                                               \
        for (unsigned shift = 0; shift < 8 * sizeof(KEY); shift += 8) {                                  \
            NAME##_count(from + begin, mine, shift, job->counts[thread]);                                \
            pool_barrier(job->p);                                                                        \
            offsets(job, thread, threads, next);                                                         \
            if (job->lines) NAME##_lines(from + begin, vfrom + begin, mine, shift, next, to, vto);       \
            else NAME##_plain(from + begin, vfrom + begin, mine, shift, next, to, vto);                  \
            pool_barrier(job->p);                                                                        \
            from = to;                                                                                   \
            vfrom = vto;                                                                                 \
            to = to == out ? (KEY *)job->tmp : out;                                                      \
            vto = vto == vout ? (uint32_t *)job->value_tmp : vout;                                       \
        }                                                                                                \
    }

DEFINE_LSD(lsd_u32, uint32_t, MAP_NONE, 0)
DEFINE_LSD(lsd_f32, uint32_t, MAP_F32, 0)
DEFINE_LSD(lsd_u64, uint64_t, MAP_NONE, 0)
DEFINE_LSD(lsd_u32_pairs, uint32_t, MAP_NONE, 1)

static bool supports(const bench_work *work)
{
    const bool pairs = work->value_size > 0;
    const size_t line = LINE;
    if (work->primitive != BENCH_SORT || pool_threads(work->pool) > THREADS_MAX) return false;
    if (pairs && (work->type != GP_U32 || work->value_size != 4 || work->n * 4 % line != 0)) return false;
    return work->type == GP_U32 || work->type == GP_F32 || work->type == GP_U64;
}

/* Kept from call to call: the pages are touched in the first one, which is not timed. */
static void *second_buffer(size_t bytes)
{
    static void *p;
    static size_t size;
    if (bytes > size) {
        free(p);
        size = posix_memalign(&p, 4096, bytes) == 0 ? bytes : 0;
        if (size == 0) p = NULL;
        if (p) memset(p, 0, bytes);
    }
    return p;
}

static bool run_lsd(const bench_work *work, bool lines)
{
    static lsd_job job;
    const size_t bytes = (work->n * (work->type == GP_U64 ? 8 : 4) + LINE - 1) / LINE * LINE;
    job.work = work;
    job.p = work->pool;
    job.lines = lines;
    job.tmp = second_buffer(bytes + work->n * work->value_size);
    job.value_tmp = (char *)job.tmp + bytes;
    if (!job.tmp) return false;
    pool_run(work->pool,
             work->value_size       ? lsd_u32_pairs
             : work->type == GP_U32 ? lsd_u32
             : work->type == GP_F32 ? lsd_f32
                                    : lsd_u64,
             &job);
    return true;
}

static bool run_lines(const bench_work *work) { return run_lsd(work, true); }
static bool run_plain(const bench_work *work) { return run_lsd(work, false); }

const bench_peer bench_peer_c_lsd = {
    .name = "c-lsd", .on_host = true, .pooled = true, .supports = supports, .run = run_lines};
const bench_peer bench_peer_c_lsd_plain = {
    .name = "c-lsd-plain", .on_host = true, .pooled = true, .supports = supports, .run = run_plain};
