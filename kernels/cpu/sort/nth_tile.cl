/* nth_tile.cl - one item counts and keeps the keys of a tile by intervals, in vectors: a block of keys is compared with all
   intervals while it is in registers. */
#ifndef GPI_SORT_NTH_TILE_CL
#define GPI_SORT_NTH_TILE_CL
#include "base/paste.cl"
#include "base/platform.cl"
#include "group/sync.cl"
#include "vector/lanes.cl"
#include "element/key.cl"
#include "sort/constants.cl"
#include "sort/key_vectors.cl"

#define GPI_NTH_TILE (GPI_KEY_SIZE == 1 ? 1024u : 4096u) /* a lane of a byte counts up to 127 */

/* Ascending intervals [lo, hi], and how many keys are below each and within it. */
typedef struct gpi_nth_tile_memory {
    gpi_key_bits lo[GPI_NTH_RANKS], hi[GPI_NTH_RANKS];
    uint below[GPI_NTH_RANKS], inside[GPI_NTH_RANKS];
    uint intervals;
    gpi_key kept[GPI_NTH_TILE + 16];
} gpi_nth_tile_memory;
typedef GPI_GROUP_SPACE gpi_nth_tile_memory *gpi_nth_tile_shared;

static void gpi_nth_clear(gpi_nth_tile_shared shared)
{
    for (uint g = 0; g < shared->intervals; g++) shared->below[g] = shared->inside[g] = 0;
}

static void gpi_nth_total(gpi_nth_tile_shared shared) { (void)shared; }

/* Writes to `to`, side by side, those of 16 keys that have their flag set. Returns their number. Overwrites up to 16
   keys at `to`. */
GPI_INLINE uint gpi_nth_pack(__private gpi_key *to, __global const gpi_key *key, gpi_flags flags)
{
#if GPI_PACKS
    const uint mask = gpi_mask_of(as_uint16(GPI_FLAGS_TO_INT(flags)));
    GPI_PASTE(gpi_pack_near_, GPI_KEY_SIZE)((__private uchar *)to, vload16(0, key), mask);
    return popcount(mask);
#else
    int flag[16];
    uint n = 0;
    vstore16(GPI_FLAGS_TO_INT(flags), 0, flag);
    for (uint i = 0; i < 16; i++) {
        to[n] = key[i];
        n += flag[i] != 0;
    }
    return n;
#endif
}

/* Counts the keys of a tile, and copies the keys to keep to shared->kept. Returns the number of keys copied. */
GPI_NOINLINE uint gpi_nth_tile_count(__global const gpi_key *key, uint length, gpi_key_bits flip,
                                     gpi_nth_tile_shared shared)
{
    gpi_flags below[GPI_NTH_RANKS], inside[GPI_NTH_RANKS];
    const uint m = shared->intervals;
    uint n = 0, i = 0;
    for (uint g = 0; g < m; g++) below[g] = inside[g] = 0;
    for (; i + 64 <= length; i += 64) {
        const gpi_keys a = gpi_codes_of(vload16(0, key + i), (gpi_key)flip);
        const gpi_keys b = gpi_codes_of(vload16(1, key + i), (gpi_key)flip);
        const gpi_keys c = gpi_codes_of(vload16(2, key + i), (gpi_key)flip);
        const gpi_keys d = gpi_codes_of(vload16(3, key + i), (gpi_key)flip);
        gpi_flags keep_a = 0, keep_b = 0, keep_c = 0, keep_d = 0;
        for (uint g = 0; g < m; g++) {
            const gpi_keys lo = (gpi_keys)(gpi_key)shared->lo[g],
                           size = (gpi_keys)(gpi_key)(shared->hi[g] - shared->lo[g]);
            const gpi_flags in_a = a - lo <= size, in_b = b - lo <= size, in_c = c - lo <= size,
                            in_d = d - lo <= size;
            below[g] += (a < lo) + (b < lo) + (c < lo) + (d < lo);
            inside[g] += in_a + in_b + in_c + in_d;
            if (shared->lo[g] == shared->hi[g]) continue;
            keep_a |= in_a;
            keep_b |= in_b;
            keep_c |= in_c;
            keep_d |= in_d;
        }
        n += gpi_nth_pack(shared->kept + n, key + i, keep_a);
        n += gpi_nth_pack(shared->kept + n, key + i + 16, keep_b);
        n += gpi_nth_pack(shared->kept + n, key + i + 32, keep_c);
        n += gpi_nth_pack(shared->kept + n, key + i + 48, keep_d);
    }
    for (uint g = 0; g < m; g++) {
        shared->below[g] += gpi_flags_count(below[g]);
        shared->inside[g] += gpi_flags_count(inside[g]);
    }
    for (; i < length; i++) {
        const gpi_key_bits x = gpi_key_order(key[i], flip);
        for (uint g = 0; g < m; g++) {
            const bool hit = x >= shared->lo[g] && x <= shared->hi[g];
            shared->below[g] += x < shared->lo[g];
            shared->inside[g] += hit;
            if (hit && shared->lo[g] != shared->hi[g]) shared->kept[n++] = key[i];
        }
    }
    return n;
}

/* Counts the keys of a tile. Copies those within intervals of more than one value to kept[*cursor ...], if there is room. */
GPI_INLINE void gpi_nth_tile(__global const gpi_key *key, uint length, gpi_key_bits flip,
                             __global gpi_key *kept, volatile __global uint *cursor, ulong room,
                             gpi_nth_tile_shared shared)
{
    const uint n = gpi_nth_tile_count(key, length, flip, shared);
    if (n == 0) return;
    const uint start = atomic_add(cursor, n);
    if ((ulong)start + n > room) return;
    for (uint i = 0; i < n; i++) kept[start + i] = shared->kept[i];
}
#endif
