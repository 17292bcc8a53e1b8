/* histogram.cl - out[c * bins + b] += weight of each sample of channel c in bin b; without weights, 1

       even     b = floor((x - lower) * bins / (upper - lower))       lower <= x < upper
       edges    b: edges[b] <= x < edges[b+1]                         by binary search

   Samples of no bin, NaN among them, are not counted.

       in       |  span 0  |  span 1  | ... |        a group a span
       near     |  table   |  table   |              few bins: tables of the group's own, added to `out` in the end
       far      |  `out`, or slices of it            many: atomics (local); a slice per group, then joined (serial)

   Near tables are several, side by side, so that equal samples in a row do not wait for each other's
   addition. Samples of 8 bits are counted by value, 256 a table; which bin a value belongs to is asked once,
   at the end. In the serial shape byte k of each aligned word has a table of its own, and with it its
   channel; in the local shape a run of equal samples of one item is one addition.

   Even bins of integers are exact without a division. With d = x - lower < range <= 2^w,

       f = floor(2^2w * (bins % range) / range) + 1
       floor(d * bins / range) = d * (bins / range) + floor(d * f / 2^2w)

   since f is too large by so little that it adds less than 1 / range. Where a bin is 2^s numbers, d >> s will do.

   Parameters
       GPI_SHAPE_SERIAL or GPI_SHAPE_LOCAL   1
       GPI_SAMPLE, GPI_OPERAND               type of a sample in memory, in an expression
       GPI_SAMPLE_SIZE, _FLOAT, _HALF        its bytes; 1: float or double; 1: half
       GPI_CHANNELS                          samples of an element, 1..4; more than one of 8 bits only
       GPI_EDGES                             1: bins by edges
       GPI_WEIGHTS, GPI_WEIGHT               1: with weights, of this type
       GPI_COUNT_WIDE                        1: counts of 64 bits
       GPI_NEAR_CELLS                        local: counts that the near tables have room for               */
#ifndef GPI_HISTOGRAM_HISTOGRAM_CL
#define GPI_HISTOGRAM_HISTOGRAM_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "group/sync.cl"

#if GPI_SHAPE_SERIAL + GPI_SHAPE_LOCAL != 1
#error "exactly one of GPI_SHAPE_SERIAL and GPI_SHAPE_LOCAL must be 1"
#endif
#if GPI_SHAPE_SERIAL && GPI_WG != 1
#error "the serial shape has one item a group"
#endif
#if GPI_CHANNELS < 1 || GPI_CHANNELS > 4 || (GPI_CHANNELS > 1 && GPI_SAMPLE_SIZE > 1)
#error "GPI_CHANNELS must be 1, or up to 4 with samples of 8 bits"
#endif
#if GPI_NEAR_CELLS < GPI_CHANNELS * 256
#error "GPI_NEAR_CELLS must hold 256 counts a channel"
#endif

#define GPI_HISTOGRAM_NOWHERE (~0u) /* a sample's bin that has none */
#define GPI_BYTES (GPI_SAMPLE_SIZE == 1)

#if GPI_COUNT_WIDE
typedef ulong gpi_histogram_cell;
#else
typedef uint gpi_histogram_cell;
#endif
#if GPI_WEIGHTS
typedef gpi_histogram_cell gpi_weight; /* modulo 2^32 or 2^64, negative ones too */
#else
typedef uint gpi_weight;
#endif

/* ------------------------------------------------------------------ samples, bins */

/* lower, limit and scale are numbers, or bits of GPI_OPERAND: src/histogram/histogram.c. */
typedef struct gpi_bins {
    uint count;
    ulong lower, limit; /* integers: upper - lower - 1; floats: upper */
    ulong scale[3];     /* integers: bins / range, and the fraction's words; floats: bins / (upper - lower) */
    uint shift;         /* integers: a bin is 2^shift numbers; GPI_HISTOGRAM_NOWHERE: it is no such number */
    __global const GPI_SAMPLE *edges;
} gpi_bins;

#define GPI_BINS_PARAMETERS                                                                             \
    uint bins_count, ulong lower, ulong limit, ulong scale_0, ulong scale_1, ulong scale_2, uint shift, \
        __global const GPI_SAMPLE *edges, ulong edges_at
#define GPI_BINS_SET(bins)     \
    (bins).count = bins_count; \
    (bins).lower = lower;      \
    (bins).limit = limit;      \
    (bins).scale[0] = scale_0; \
    (bins).scale[1] = scale_1; \
    (bins).scale[2] = scale_2; \
    (bins).shift = shift;      \
    (bins).edges = edges + edges_at

#if GPI_SAMPLE_HALF
#define GPI_READ_SAMPLE(p, i) vload_half(i, p)
#else
#define GPI_READ_SAMPLE(p, i) (p)[i]
#endif

/* Samples whose bins are looked for side by side: so that reads of edges do not wait for each other, and as
   many as compilers make vectors of where there is something to compute. */
#if GPI_SHAPE_LOCAL
#define GPI_HISTOGRAM_BATCH 4
#elif GPI_EDGES || GPI_BYTES
#define GPI_HISTOGRAM_BATCH 16
#else
#define GPI_HISTOGRAM_BATCH 256
#endif
#if GPI_HISTOGRAM_BATCH > 16
#define GPI_FOR_BATCH(k) for (uint k = 0; k < GPI_HISTOGRAM_BATCH; k++)
#else
#define GPI_FOR_BATCH(k) _Pragma("unroll") for (uint k = 0; k < GPI_HISTOGRAM_BATCH; k++)
#endif

#if GPI_EDGES
/* How many edges are not above x, less one; all of them take the same steps. */
static void gpi_bins_find(const GPI_OPERAND *x, gpi_bins bins, uint *b)
{
    uint n = bins.count + 1;
    for (uint k = 0; k < GPI_HISTOGRAM_BATCH; k++) b[k] = 0;
    for (; n > 1; n -= n / 2) {
#pragma unroll
        for (uint k = 0; k < GPI_HISTOGRAM_BATCH; k++)
            b[k] += GPI_READ_SAMPLE(bins.edges, b[k] + n / 2 - 1) <= x[k] ? n / 2 : 0;
    }
    for (uint k = 0; k < GPI_HISTOGRAM_BATCH; k++) {
        b[k] += GPI_READ_SAMPLE(bins.edges, b[k]) <= x[k];
        b[k] = b[k] - 1 < bins.count ? b[k] - 1 : GPI_HISTOGRAM_NOWHERE;
    }
}
#else
/* How far a sample is above the lowest one. Signed ones are extended. */
#if GPI_SAMPLE_SIZE == 8
typedef ulong gpi_distance;
#else
typedef uint gpi_distance;
#endif

static uint gpi_bin(GPI_OPERAND x, gpi_bins bins)
{
#if GPI_SAMPLE_FLOAT
#if GPI_SAMPLE_SIZE == 8
    const double lower = as_double(bins.lower), upper = as_double(bins.limit),
                 scale = as_double(bins.scale[0]);
#else
    const float lower = as_float((uint)bins.lower), upper = as_float((uint)bins.limit),
                scale = as_float((uint)bins.scale[0]);
#endif
    const bool inside = x >= lower && x < upper; /* NaN is not */
    const uint b = (uint)((inside ? x - lower : 0) * scale);
    return inside ? min(b, bins.count - 1) : GPI_HISTOGRAM_NOWHERE; /* rounding may reach the end */
#else
    const gpi_distance d = (gpi_distance)x - (gpi_distance)bins.lower;
#if GPI_SAMPLE_SIZE == 8
    const ulong low = d * bins.scale[1];
    const ulong b = d * bins.scale[0] + mul_hi(d, bins.scale[1]) + (low + mul_hi(d, bins.scale[2]) < low);
#else
    /* All in 32 bits; the product's third word by two multiplications. */
    const uint f0 = (uint)bins.scale[1], f1 = (uint)(bins.scale[1] >> 32);
    const ulong above = (ulong)d * f1 + ((ulong)d * f0 >> 32);
    const uint b = d * (uint)bins.scale[0] + (uint)(above >> 32);
#endif
    return d <= (gpi_distance)bins.limit ? (uint)b : GPI_HISTOGRAM_NOWHERE;
#endif
}

static void gpi_bins_find(const GPI_OPERAND *x, gpi_bins bins, uint *b)
{
#if !GPI_SAMPLE_FLOAT
    if (bins.shift != GPI_HISTOGRAM_NOWHERE) {
        GPI_FOR_BATCH(k)
        {
            const gpi_distance d = (gpi_distance)x[k] - (gpi_distance)bins.lower;
            b[k] = d <= (gpi_distance)bins.limit ? (uint)(d >> bins.shift) : GPI_HISTOGRAM_NOWHERE;
        }
        return;
    }
#endif
    GPI_FOR_BATCH(k) b[k] = gpi_bin(x[k], bins);
}
#endif

/* What is counted: elements [begin, end) of this group, and their weights. */
typedef struct gpi_samples {
    __global const GPI_SAMPLE *in;
    ulong begin, end;
#if GPI_WEIGHTS
    __global const GPI_WEIGHT *weights;
#endif
} gpi_samples;

#if GPI_WEIGHTS
#define GPI_WEIGHTS_PARAMETERS __global const GPI_WEIGHT *weights, ulong weights_at,
#define GPI_WEIGHTS_SET(samples) (samples).weights = weights + weights_at;
#define GPI_WEIGHT_OF(samples, i) ((gpi_weight)(samples).weights[i])
#else
#define GPI_WEIGHTS_PARAMETERS
#define GPI_WEIGHTS_SET(samples)
#define GPI_WEIGHT_OF(samples, i) ((gpi_weight)1)
#endif
#define GPI_SAMPLES_PARAMETERS \
    __global const GPI_SAMPLE *in, ulong in_at, GPI_WEIGHTS_PARAMETERS GPI_COUNT_PARAMETERS, ulong span
#define GPI_SAMPLES_SET(samples)                                           \
    const ulong n = gpi_count(bound, wanted, wanted_offset, wanted_words); \
    (samples).in = in + in_at * GPI_CHANNELS;                              \
    GPI_WEIGHTS_SET(samples)                                               \
    (samples).begin = min(n, span * get_group_id(0));                      \
    (samples).end = min(n, (samples).begin + span)

/* ------------------------------------------------------------------ counts that groups share */

/* Adds to a count of `out`. */
static void gpi_out_add(volatile __global uint *out, ulong cell, gpi_histogram_cell x)
{
#if GPI_COUNT_WIDE
    const uint high = (uint)(x >> 32);
    gpi_add_wide(out + 2 * cell, (uint)x);
    if (high) (void)atomic_add(out + 2 * cell + 1, high);
#else
    (void)atomic_add(out + cell, x);
#endif
}

/* A table of values becomes counts of bins: what item l has of channel c's values l, l + GPI_WG ... */
#if GPI_BYTES
static uint gpi_bin_of_byte(uint value, gpi_bins bins)
{
    GPI_OPERAND x[GPI_HISTOGRAM_BATCH];
    uint b[GPI_HISTOGRAM_BATCH];
    for (uint k = 0; k < GPI_HISTOGRAM_BATCH; k++) x[k] = (GPI_OPERAND)value;
    gpi_bins_find(x, bins, b);
    return b[0];
}
#endif

#if GPI_SHAPE_SERIAL
/* ------------------------------------------------------------------ serial */

#if GPI_BYTES
/* Tables: one for each byte of a word of 8, or of three words, after which 3 channels come round again. */
#define GPI_SLOTS (GPI_WEIGHTS ? GPI_CHANNELS : GPI_CHANNELS == 3 ? 24 : 8)

#if GPI_WEIGHTS
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

/* Bytes [p, end) one by one; a byte's slot is its address modulo GPI_SLOTS. */
static __global const uchar *gpi_count_single(gpi_near *table, __global const uchar *p,
                                              __global const uchar *end)
{
    for (; p < end; p++) table[(uint)((size_t)p % GPI_SLOTS) * 256 + *p]++;
    return p;
}

GPI_INLINE void gpi_count_word(gpi_near *table, ulong word)
{
#pragma unroll
    for (uint k = 0; k < 8; k++) table[k * 256 + (uint)(word >> 8 * k & 255)]++;
}

static void gpi_count_bytes(gpi_near *table, gpi_samples s)
{
    __global const uchar *p = (__global const uchar *)s.in + s.begin * GPI_CHANNELS;
    __global const uchar *end = (__global const uchar *)s.in + s.end * GPI_CHANNELS;
    const size_t off = (size_t)p % GPI_SLOTS;
    __global const uchar *aligned = p + (off ? GPI_SLOTS - off : 0);
    p = gpi_count_single(table, p, aligned < end ? aligned : end);
    for (; p + GPI_SLOTS <= end; p += GPI_SLOTS) {
        GPI_PREFETCH_READ(p + 1024);
#pragma unroll
        for (uint w = 0; w < GPI_SLOTS / 8; w++)
            gpi_count_word(table + w * 8 * 256, ((__global const ulong *)p)[w]);
    }
    (void)gpi_count_single(table, p, end);
}
/* Slot 0's channel is the one at addresses that are multiples of GPI_SLOTS. */
#define GPI_SLOT_CHANNEL(slot, s) (((slot) + GPI_SLOTS - (uint)((size_t)(s).in % GPI_SLOTS)) % GPI_CHANNELS)
#endif

static void gpi_count_near(gpi_samples s, gpi_bins bins, uint copies, uint channels,
                           volatile __global uint *out)
{
    gpi_near table[GPI_SLOTS * 256];
    (void)copies;
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

/* Samples i .. i + GPI_HISTOGRAM_BATCH - 1, as far as they are before the end; the rest have no bin. */
static void gpi_bins_load(gpi_samples s, ulong i, gpi_bins bins, uint *b)
{
    GPI_OPERAND x[GPI_HISTOGRAM_BATCH];
    for (uint k = 0; k < GPI_HISTOGRAM_BATCH; k++) x[k] = GPI_READ_SAMPLE(s.in, min(i + k, s.end - 1));
    gpi_bins_find(x, bins, b);
    for (uint k = 0; k < GPI_HISTOGRAM_BATCH; k++) b[k] = i + k < s.end ? b[k] : GPI_HISTOGRAM_NOWHERE;
}

GPI_INLINE void gpi_bins_load_all(gpi_samples s, ulong i, gpi_bins bins, uint *b)
{
    GPI_OPERAND x[GPI_HISTOGRAM_BATCH];
    for (uint k = 0; k < GPI_HISTOGRAM_BATCH * sizeof(GPI_SAMPLE); k += 64) /* a line each, 2 KiB ahead */
        GPI_PREFETCH_READ((__global const char *)(s.in + i) + 2048 + k);
    GPI_FOR_BATCH(k) x[k] = GPI_READ_SAMPLE(s.in, i + k);
    gpi_bins_find(x, bins, b);
}

/* Four tables, each with a last cell for what has no bin. */
#define GPI_COPIES 4
static void gpi_count_near(gpi_samples s, gpi_bins bins, uint copies, uint channels,
                           volatile __global uint *out)
{
    gpi_near table[GPI_NEAR_CELLS];
    uint b[GPI_HISTOGRAM_BATCH];
    const uint row = bins.count + 1;
    ulong i = s.begin;
    (void)copies;
    (void)channels;
    for (uint k = 0; k < GPI_COPIES * row; k++) table[k] = 0;
    for (; i + GPI_HISTOGRAM_BATCH <= s.end; i += GPI_HISTOGRAM_BATCH) {
        gpi_bins_load_all(s, i, bins, b);
        GPI_FOR_BATCH(k) b[k] = min(b[k], bins.count);
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

/* Group 0 counts in `out` itself, each other one in a slice, cleared first. No group has another's. The
   counts of a batch are asked for while those of the batch before it are raised. */
static void gpi_count_far(gpi_samples s, gpi_bins bins, __global gpi_histogram_cell *out,
                          __global gpi_histogram_cell *slices)
{
    const uint group = (uint)get_group_id(0);
    __global gpi_histogram_cell *table = group ? slices + (ulong)(group - 1) * bins.count : out;
    uint b[2][GPI_HISTOGRAM_BATCH];
    uint now = 0;
    ulong i = s.begin;
    for (uint k = 0; k < bins.count && group; k++) table[k] = 0;
    if (i + GPI_HISTOGRAM_BATCH <= s.end) gpi_bins_load_all(s, i, bins, b[0]);
    for (; i + 2 * GPI_HISTOGRAM_BATCH <= s.end; i += GPI_HISTOGRAM_BATCH) {
        gpi_bins_load_all(s, i + GPI_HISTOGRAM_BATCH, bins, b[1 - now]);
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

#else
/* ------------------------------------------------------------------ local */

/* A run of equal samples that is still to be added. */
typedef struct gpi_histogram_run {
    uint cell; /* GPI_HISTOGRAM_NOWHERE: none */
    gpi_weight weight;
} gpi_histogram_run;

/* Near counts have 32 bits: what they overflow by, and a weight's high half, go straight to `out`. */
typedef struct gpi_tables {
    volatile __local uint *near; /* this item's table; NULL: counts are far */
    volatile __global uint *out;
    gpi_bins bins;
} gpi_tables;

static void gpi_near_add(gpi_tables t, gpi_histogram_run run)
{
#if GPI_WEIGHTS && GPI_COUNT_WIDE
    const uint low = (uint)run.weight, old = atomic_add(t.near + run.cell, low);
    const uint high = (uint)(run.weight >> 32) + (old + low < old);
#if GPI_BYTES
    const uint b = high ? gpi_bin_of_byte(run.cell % 256, t.bins) : GPI_HISTOGRAM_NOWHERE;
    if (b != GPI_HISTOGRAM_NOWHERE)
        gpi_out_add(t.out, (ulong)(run.cell / 256) * t.bins.count + b, (ulong)high << 32);
#else
    if (high) gpi_out_add(t.out, run.cell, (ulong)high << 32);
#endif
#else
    (void)atomic_add(t.near + run.cell, run.weight);
#endif
}

static void gpi_run_end(gpi_tables t, gpi_histogram_run run, const bool near)
{
    if (run.cell == GPI_HISTOGRAM_NOWHERE) return;
    if (near) gpi_near_add(t, run);
    else gpi_out_add(t.out, run.cell, run.weight);
}

/* One more sample: of the run, or the first one of another. */
static gpi_histogram_run gpi_run_go_on(gpi_tables t, gpi_histogram_run run, uint cell, gpi_weight weight,
                                       const bool near)
{
    gpi_histogram_run next = run;
    if (cell != run.cell) {
        gpi_run_end(t, run, near);
        next.cell = cell;
        next.weight = 0;
    }
    next.weight += weight;
    return next;
}

#if GPI_BYTES
/* Byte `at` of the group's, as a cell: its channel's table, its value. */
static uint gpi_byte_cell(ulong at, uint value) { return (uint)(at % GPI_CHANNELS) * 256 + value; }

/* Words of four bytes, at aligned addresses; at either end some of their bytes may be others'. */
static void gpi_count_span(gpi_tables t, gpi_samples s, const bool near)
{
    __global const uchar *in = (__global const uchar *)s.in;
    const long first = (long)(s.begin * GPI_CHANNELS), last = (long)(s.end * GPI_CHANNELS);
    const long from = first - (long)((size_t)(in + first) % 4);
    gpi_histogram_run run[4];
    for (uint k = 0; k < 4; k++) run[k].cell = GPI_HISTOGRAM_NOWHERE, run[k].weight = 0;
    for (long at = from + 4 * (long)get_local_id(0); at < last; at += 4 * GPI_WG) {
        const bool whole = at >= first && at + 4 <= last;
        const uint word = whole ? *(__global const uint *)(in + at) : 0;
#pragma unroll
        for (uint k = 0; k < 4; k++) {
            const long i = at + k;
            if (i < first || i >= last) continue;
            const uint value = whole ? word >> 8 * k & 255u : in[i];
            run[k] = gpi_run_go_on(t, run[k], gpi_byte_cell((ulong)i, value),
                                   GPI_WEIGHT_OF(s, (ulong)i / GPI_CHANNELS), near);
        }
    }
    for (uint k = 0; k < 4; k++) gpi_run_end(t, run[k], near);
}
#else
static void gpi_count_span(gpi_tables t, gpi_samples s, const bool near)
{
    gpi_histogram_run run;
    run.cell = GPI_HISTOGRAM_NOWHERE;
    run.weight = 0;
    for (ulong i = s.begin + get_local_id(0); i < s.end; i += GPI_HISTOGRAM_BATCH * GPI_WG) {
        GPI_OPERAND x[GPI_HISTOGRAM_BATCH];
        uint b[GPI_HISTOGRAM_BATCH];
        for (uint k = 0; k < GPI_HISTOGRAM_BATCH; k++)
            x[k] = GPI_READ_SAMPLE(s.in, min(i + k * GPI_WG, s.end - 1));
        gpi_bins_find(x, t.bins, b);
        for (uint k = 0; k < GPI_HISTOGRAM_BATCH; k++) {
            if (i + k * GPI_WG < s.end)
                run = gpi_run_go_on(t, run, b[k], GPI_WEIGHT_OF(s, i + k * GPI_WG), near);
        }
    }
    gpi_run_end(t, run, near);
}
#endif

/* The group's tables, `copies` of them, added to `out`. */
static void gpi_near_join(gpi_tables t, volatile __local uint *near, uint cells, uint copies, uint channels)
{
    for (uint cell = (uint)get_local_id(0); cell < cells; cell += GPI_WG) {
        gpi_histogram_cell sum = 0;
        for (uint k = 0; k < copies; k++) sum += near[k * cells + cell];
#if GPI_BYTES
        const uint b = gpi_bin_of_byte(cell % 256, t.bins);
        if (sum && b != GPI_HISTOGRAM_NOWHERE && cell / 256 < channels)
            gpi_out_add(t.out, (ulong)(cell / 256) * t.bins.count + b, sum);
#else
        if (sum) gpi_out_add(t.out, cell, sum);
#endif
    }
}

static void gpi_count_near(gpi_samples s, gpi_bins bins, uint copies, uint channels,
                           volatile __global uint *out, volatile __local uint *near)
{
    const uint l = (uint)get_local_id(0), cells = GPI_BYTES ? GPI_CHANNELS * 256 : bins.count;
    gpi_tables t;
    t.near = near + l % copies * cells;
    t.out = out;
    t.bins = bins;
    for (uint k = l; k < copies * cells; k += GPI_WG) near[k] = 0;
    gpi_sync(); /* all tables are empty */
    gpi_count_span(t, s, true);
    gpi_sync(); /* all samples are counted */
    gpi_near_join(t, near, cells, copies, channels);
}
#endif

/* ------------------------------------------------------------------ kernels */

/* `channels`: the first ones, which are wanted. */
GPI_KERNEL void gp_histogram_near(GPI_SAMPLES_PARAMETERS, GPI_BINS_PARAMETERS, volatile __global uint *out,
                                  ulong out_at, uint copies, uint channels, volatile __global uint *counters)
{
#if GPI_SHAPE_LOCAL
    volatile __local uint near[GPI_NEAR_CELLS];
#endif
    gpi_samples samples;
    gpi_bins bins;
    GPI_SAMPLES_SET(samples);
    GPI_BINS_SET(bins);
    GPI_COUNT_CHECK(get_group_id(0) == 0, counters);
    out += out_at * (GPI_COUNT_WIDE + 1);
#if GPI_SHAPE_LOCAL
    gpi_count_near(samples, bins, copies, channels, out, near);
#else
    gpi_count_near(samples, bins, copies, channels, out);
#endif
}

/* More bins than near tables hold; never samples of 8 bits. */
GPI_KERNEL void gp_histogram_far(GPI_SAMPLES_PARAMETERS, GPI_BINS_PARAMETERS,
                                 __global gpi_histogram_cell *out, ulong out_at,
                                 __global gpi_histogram_cell *slices, volatile __global uint *counters)
{
    gpi_samples samples;
    gpi_bins bins;
    GPI_SAMPLES_SET(samples);
    GPI_BINS_SET(bins);
    GPI_COUNT_CHECK(get_group_id(0) == 0, counters);
#if !GPI_BYTES && GPI_SHAPE_SERIAL
    gpi_count_far(samples, bins, out + out_at, slices);
#elif !GPI_BYTES
    gpi_tables t;
    t.near = 0;
    t.out = (volatile __global uint *)(out + out_at);
    t.bins = bins;
    gpi_count_span(t, samples, false);
#endif
}

/* Adds `count` slices to `out`, a range of `span` bins a group. */
GPI_KERNEL void gp_histogram_join(__global gpi_histogram_cell *out, ulong out_at,
                                  __global const gpi_histogram_cell *slices, uint count, ulong bins,
                                  ulong span)
{
    const ulong begin = span * get_group_id(0), end = min(bins, begin + span);
    out += out_at;
    for (uint k = 0; k < count; k++) {
        for (ulong b = begin + get_local_id(0); b < end; b += GPI_WG) out[b] += slices[k * bins + b];
    }
}
#endif
