/* move_records.cl - a group computes the keys of records, and moves records. */
#ifndef GPI_SORT_MOVE_RECORDS_CL
#define GPI_SORT_MOVE_RECORDS_CL
#include "base/platform.cl"
#include "group/range.cl"
#include "element/key.cl"
#include "sort/records.cl"

#define GPI_RECORDS_STEP (GPI_PER_ITEM < 4 ? GPI_PER_ITEM : 4)

/* Writes the keys of records i, i + GPI_WG, ... (GPI_RECORDS_STEP of them). All records are read before the first key is
   written. */
GPI_INLINE void gpi_record_keys_step(gpi_records r, __global gpi_key *key, ulong i)
{
    ulong at[GPI_RECORDS_STEP];
    gpi_key k[GPI_RECORDS_STEP];
    GPI_EACH(s, GPI_RECORDS_STEP) at[s] = r.through ? r.index[i + s * GPI_WG] : i + s * GPI_WG;
    GPI_EACH(s, GPI_RECORDS_STEP) k[s] = gpi_record_key_at(r, at[s]);
    GPI_EACH(s, GPI_RECORDS_STEP) key[i + s * GPI_WG] = k[s];
}

static void gpi_record_keys(gpi_records r, __global gpi_key *key, ulong first, ulong end)
{
    ulong i = first + GPI_LOCAL_ID;
    GPI_EACH_BATCH(i, GPI_RECORDS_STEP, end) gpi_record_keys_step(r, key, i);
    GPI_EACH_LEFT(i, end) key[i] = gpi_record_key_at(r, r.through ? r.index[i] : i);
}

#define GPI_MOVE_STEP (GPI_PER_ITEM * GPI_WORDS < 8 ? GPI_PER_ITEM * GPI_WORDS : 8)

static void gpi_records_move(__global const GPI_WORD *in, __global GPI_WORD *out,
                             __global const gpi_value *index, ulong first, ulong end)
{
    const uint words = (uint)(end - first) * GPI_WORDS;
    uint w = (uint)GPI_LOCAL_ID;
    index += first;
    out += first * GPI_WORDS;
    GPI_EACH_BATCH(w, GPI_MOVE_STEP, words) {
        GPI_WORD moved[GPI_MOVE_STEP];
        GPI_EACH(s, GPI_MOVE_STEP) {
            const uint at = w + s * GPI_WG;
            moved[s] = in[(ulong)index[at / GPI_WORDS] * GPI_WORDS + at % GPI_WORDS];
        }
        GPI_EACH(s, GPI_MOVE_STEP) out[w + s * GPI_WG] = moved[s];
    }
    GPI_EACH_LEFT(w, words) out[w] = in[(ulong)index[w / GPI_WORDS] * GPI_WORDS + w % GPI_WORDS];
}
#endif
