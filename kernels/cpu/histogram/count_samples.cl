/* count_samples.cl - one item counts a span of samples in tables.

       8 bits      tables in private memory: byte k of each aligned word is counted in table k, so that each table has
                   samples of one channel. With weights, there is a table for each channel. Mapped samples are
                   counted in GPI_COPIES tables in turn
       few bins    GPI_COPIES tables in private memory, in turn. Samples are counted in batches, unless every
                   number has a bin
       many bins   `out`, or the group's slice of it */
#ifndef GPI_HISTOGRAM_COUNT_SAMPLES_CL
#define GPI_HISTOGRAM_COUNT_SAMPLES_CL
#include "base/platform.cl"
#include "histogram/bins.cl"
#include "histogram/samples.cl"

#define GPI_COPIES 4

typedef uint gpi_near_shared; /* one item shares nothing */
#define GPI_NEAR_SHARED(name) const gpi_near_shared name = 0

#if GPI_BYTES
/* Number of tables. Without a map and weights: one for each byte of a word of 8 bytes, or, with 3 channels, of three such
   words, after which the order of channels repeats. */
#define GPI_SLOTS (GPI_MAPPED ? GPI_COPIES : GPI_WEIGHTS ? GPI_CHANNELS : GPI_CHANNELS == 3 ? 24 : 8)

#if GPI_MAPPED
typedef gpi_histogram_cell gpi_near;

static void gpi_count_bytes(gpi_near *table, gpi_samples s)
{
    for (ulong i = s.begin; i < s.end; i++)
        table[(uint)(i % GPI_SLOTS) * 256 + (uchar)gpi_sample_read(s, i)] += GPI_WEIGHT_OF(s, i);
}
#define GPI_SLOT_CHANNEL(slot, s) 0

#elif GPI_WEIGHTS
typedef gpi_histogram_cell gpi_near;

static void gpi_count_bytes(gpi_near *table, gpi_samples s)
{
    for (ulong i = s.begin; i < s.end; i++) {
        const gpi_weight w = GPI_WEIGHT_OF(s, i);
#pragma unroll
        for (uint c = 0; c < GPI_CHANNELS; c++) table[c * 256 + (uchar)s.in[i * GPI_CHANNELS + c]] += w;
    }
}
#define GPI_SLOT_CHANNEL(slot, s) (slot)
#else
typedef uint gpi_near;

/* Counts bytes [p, end) one by one, each in the table of its address modulo GPI_SLOTS. Returns the first byte not counted. */
static __global const uchar *gpi_count_single(gpi_near *table, __global const uchar *p,
                                              __global const uchar *end)
{
    for (; p < end; p++) table[(uint)((size_t)p % GPI_SLOTS) * 256 + *p]++;
    return p;
}

GPI_INLINE void gpi_count_words(gpi_near *table, ulong word, uint times)
{
#pragma unroll
    for (uint k = 0; k < 8; k++) table[k * 256 + (uint)(word >> 8 * k & 255)] += times;
}

static void gpi_count_bytes(gpi_near *table, gpi_samples s)
{
    __global const uchar *p = (__global const uchar *)s.in + s.begin * GPI_CHANNELS;
    __global const uchar *end = (__global const uchar *)s.in + s.end * GPI_CHANNELS;
    const size_t off = (size_t)p % GPI_SLOTS;
    __global const uchar *aligned = p + (off ? GPI_SLOTS - off : 0);
    p = gpi_count_single(table, p, aligned < end ? aligned : end);
#if GPI_SLOTS == 8
    for (; p + 64 <= end; p += 64) {
        __global const ulong *word = (__global const ulong *)p;
        ulong differ = 0;
        GPI_PREFETCH_READ(p + 1024);
#pragma unroll
        for (uint w = 1; w < 8; w++) differ |= word[w] ^ word[0];
        if (differ == 0) {
            gpi_count_words(table, word[0], 8);
            continue;
        }
#pragma unroll
        for (uint w = 0; w < 8; w++) gpi_count_words(table, word[w], 1);
    }
#endif
    for (; p + GPI_SLOTS <= end; p += GPI_SLOTS) {
        GPI_PREFETCH_READ(p + 1024);
#pragma unroll
        for (uint w = 0; w < GPI_SLOTS / 8; w++)
            gpi_count_words(table + w * 8 * 256, ((__global const ulong *)p)[w], 1);
    }
    (void)gpi_count_single(table, p, end);
}
/* The channel that table `slot` counts. Table k counts the bytes at addresses that are k modulo GPI_SLOTS. */
#define GPI_SLOT_CHANNEL(slot, s) (((slot) + GPI_SLOTS - (uint)((size_t)(s).in % GPI_SLOTS)) % GPI_CHANNELS)
#endif

GPI_NOINLINE void gpi_count_near(gpi_samples s, gpi_bins bins, uint copies, uint channels,
                                 volatile __global uint *out, gpi_near_shared near)
{
    gpi_near table[GPI_SLOTS * 256];
    (void)copies;
    (void)near;
    for (uint k = 0; k < GPI_SLOTS * 256; k++) table[k] = 0;
    gpi_count_bytes(table, s);
    for (uint value = 0; value < 256; value++) {
        gpi_histogram_cell sum[4] = {0, 0, 0, 0};
        const uint b = gpi_bin_of_byte(value, bins);
        for (uint k = 0; k < GPI_SLOTS; k++) sum[GPI_SLOT_CHANNEL(k, s)] += table[k * 256 + value];
        for (uint c = 0; c < channels && b != GPI_HISTOGRAM_NOWHERE; c++)
            if (sum[c]) gpi_out_add(out, (ulong)c * bins.count + b, sum[c]);
    }
}

#else
typedef gpi_histogram_cell gpi_near;

/* Writes to b the bins of samples i .. i + GPI_HISTOGRAM_BATCH - 1. Samples after the end get no bin. */
static void gpi_bins_load(gpi_samples s, ulong i, gpi_bins bins, uint *b)
{
    GPI_OPERAND x[GPI_HISTOGRAM_BATCH];
    for (uint k = 0; k < GPI_HISTOGRAM_BATCH; k++) x[k] = gpi_sample_read(s, min(i + k, s.end - 1));
    gpi_bins_find(x, bins, b);
    for (uint k = 0; k < GPI_HISTOGRAM_BATCH; k++) b[k] = i + k < s.end ? b[k] : GPI_HISTOGRAM_NOWHERE;
}

GPI_INLINE void gpi_bins_load_all(gpi_samples s, ulong i, gpi_bins bins, uint *b)
{
    GPI_OPERAND x[GPI_HISTOGRAM_BATCH];
#if GPI_INPUTS > 0
    for (uint k = 0; k < GPI_HISTOGRAM_BATCH * sizeof(GPI_IN); k += 64) /* prefetches a line, 2 KiB ahead */
        GPI_PREFETCH_READ((__global const char *)(s.in + i) + 2048 + k);
#endif
    GPI_FOR_BATCH(k) x[k] = gpi_sample_read(s, i + k);
    gpi_bins_find(x, bins, b);
}

/* Returns whether all samples of a batch are in one bin, and have no weights. In this case one addition can count the batch,
   instead of many additions that wait for each other. */
static bool gpi_is_one_bin(const uint *b)
{
    uint differ = b[GPI_HISTOGRAM_BATCH - 1] ^ b[0];
    if (GPI_WEIGHTS || differ) return false;
    GPI_FOR_BATCH(k) differ |= b[k] ^ b[0];
    return differ == 0;
}

#if !GPI_EDGES && !GPI_SAMPLE_FLOAT
/* True if bins have 2^shift numbers, and every number is in a bin. */
#define GPI_EVERY_BIN(bins) \
    ((bins).shift != GPI_HISTOGRAM_NOWHERE && (gpi_distance)(bins).limit == (gpi_distance)GPI_DISTANCE_MOST)
#define GPI_DISTANCE_MOST (~0ul >> (64 - 8 * GPI_SAMPLE_SIZE))

static uint gpi_every_bin(gpi_samples s, ulong i, gpi_bins bins)
{
    return (uint)(((gpi_distance)gpi_sample_read(s, i) - (gpi_distance)bins.lower) >> bins.shift);
}

/* Counts samples from i on, GPI_EVERY_STEP at a time. Returns the first sample that is not counted. */
#define GPI_EVERY_STEP 16
static ulong gpi_count_every(gpi_near *table, uint row, gpi_samples s, ulong i, gpi_bins bins)
{
    for (; i + GPI_EVERY_STEP <= s.end; i += GPI_EVERY_STEP) {
        uint b[GPI_EVERY_STEP], differ = 0;
#if GPI_INPUTS > 0
        GPI_PREFETCH_READ((__global const char *)(s.in + i) + 2048);
#endif
        GPI_AT_ONCE
        for (uint k = 0; k < GPI_EVERY_STEP; k++) b[k] = gpi_every_bin(s, i + k, bins);
        if (!GPI_WEIGHTS && b[0] == b[GPI_EVERY_STEP - 1]) {
            GPI_AT_ONCE
            for (uint k = 0; k < GPI_EVERY_STEP; k++) differ |= b[k] ^ b[0];
            if (differ == 0) {
                table[b[0]] += GPI_EVERY_STEP;
                continue;
            }
        }
#pragma unroll
        for (uint k = 0; k < GPI_EVERY_STEP; k++)
            table[k % GPI_COPIES * row + b[k]] += GPI_WEIGHT_OF(s, i + k);
    }
    return i;
}
#else
#define GPI_EVERY_BIN(bins) false
#define gpi_count_every(table, row, s, i, bins) (i)
#endif

/* Counts the samples in GPI_COPIES tables, and adds these to `out`. An extra cell at the end of each table counts
   samples outside all bins. */
GPI_NOINLINE void gpi_count_near(gpi_samples s, gpi_bins bins, uint copies, uint channels,
                                 volatile __global uint *out, gpi_near_shared near)
{
    gpi_near table[GPI_NEAR_CELLS];
    uint b[GPI_HISTOGRAM_BATCH];
    const uint row = bins.count + 1;
    ulong i = s.begin;
    (void)copies;
    (void)near;
    (void)channels;
    for (uint k = 0; k < GPI_COPIES * row; k++) table[k] = 0;
    if (GPI_EVERY_BIN(bins)) i = gpi_count_every(table, row, s, i, bins);
    for (; i + GPI_HISTOGRAM_BATCH <= s.end; i += GPI_HISTOGRAM_BATCH) {
        gpi_bins_load_all(s, i, bins, b);
        GPI_FOR_BATCH(k) b[k] = min(b[k], bins.count);
        if (gpi_is_one_bin(b)) {
            table[b[0]] += GPI_HISTOGRAM_BATCH;
            continue;
        }
        for (uint k = 0; k < GPI_HISTOGRAM_BATCH; k += GPI_COPIES) {
#pragma unroll
            for (uint c = 0; c < GPI_COPIES; c++) table[c * row + b[k + c]] += GPI_WEIGHT_OF(s, i + k + c);
        }
    }
    if (i < s.end) gpi_bins_load(s, i, bins, b);
    for (uint k = 0; i + k < s.end; k++) table[min(b[k], bins.count)] += GPI_WEIGHT_OF(s, i + k);
    for (uint k = 0; k < bins.count; k++) {
        const gpi_histogram_cell sum = table[k] + table[row + k] + table[2 * row + k] + table[3 * row + k];
        if (sum) gpi_out_add(out, k, sum);
    }
}

/* Counts the samples directly in global memory: group 0 in `out`, each other group in its own slice, which it clears first. Clears
   `out`, too, if `clears`. The counts of a batch are prefetched while the batch before it is counted. */
static void gpi_count_far(gpi_samples s, gpi_bins bins, __global gpi_histogram_cell *out,
                          __global gpi_histogram_cell *slices, uint clears)
{
    const uint group = (uint)get_group_id(0);
    __global gpi_histogram_cell *table = group ? slices + (ulong)(group - 1) * bins.count : out;
    uint b[2][GPI_HISTOGRAM_BATCH];
    uint now = 0;
    ulong i = s.begin;
    for (uint k = 0; k < bins.count && (group || clears); k++) table[k] = 0;
    if (i + GPI_HISTOGRAM_BATCH <= s.end) gpi_bins_load_all(s, i, bins, b[0]);
    for (; i + 2 * GPI_HISTOGRAM_BATCH <= s.end; i += GPI_HISTOGRAM_BATCH) {
        gpi_bins_load_all(s, i + GPI_HISTOGRAM_BATCH, bins, b[1 - now]);
        if (gpi_is_one_bin(b[now]) && b[now][0] != GPI_HISTOGRAM_NOWHERE) {
            table[b[now][0]] += GPI_HISTOGRAM_BATCH;
            now = 1 - now;
            continue;
        }
        for (uint k = 0; k < GPI_HISTOGRAM_BATCH; k++) {
            GPI_PREFETCH_WRITE(table + b[1 - now][k]);
            if (b[now][k] != GPI_HISTOGRAM_NOWHERE) table[b[now][k]] += GPI_WEIGHT_OF(s, i + k);
        }
        now = 1 - now;
    }
    for (; i < s.end; i += GPI_HISTOGRAM_BATCH) {
        gpi_bins_load(s, i, bins, b[0]);
        for (uint k = 0; k < GPI_HISTOGRAM_BATCH; k++)
            if (b[0][k] != GPI_HISTOGRAM_NOWHERE) table[b[0][k]] += GPI_WEIGHT_OF(s, i + k);
    }
}
#endif
#endif
