/* count_samples.cl - a group counts a span of samples in tables in local memory, or in `out`.

       8 bits, no weights, no map   16 bytes at a time, with an addition for each byte
       else                         one addition for each run of equal samples of an item

   Cell k (a bin, or a value of a byte) of each table is beside cell k of the next table, in another bank. With 16
   tables, 32 items need at most two steps to add, whatever their samples are. For bytes, checking whether a run
   continues would cost more than it saves. */
#ifndef GPI_HISTOGRAM_COUNT_SAMPLES_CL
#define GPI_HISTOGRAM_COUNT_SAMPLES_CL
#include "base/platform.cl"
#include "group/sync.cl"
#include "histogram/bins.cl"
#include "histogram/samples.cl"

/* Number of tables for bytes. The host computes the same number, but here it is a constant for the compiler. */
#define GPI_BYTE_TABLES (GPI_NEAR_CELLS / 256 / GPI_CHANNELS)
#define GPI_BYTE_COPIES (GPI_BYTE_TABLES < GPI_WG ? GPI_BYTE_TABLES : GPI_WG)

/* A run of equal samples that is still to be added. */
typedef struct gpi_histogram_run {
    uint cell; /* GPI_HISTOGRAM_NOWHERE: there is no run */
    gpi_weight weight;
} gpi_histogram_run;

/* Near counts have 32 bits. Their overflows, and the high halves of weights, are added to `out` directly. */
typedef struct gpi_tables {
    volatile __local uint *near; /* this item's table: every `copies`-th count; NULL: count in `out` */
    uint copies;
    volatile __global uint *out;
    gpi_bins bins;
} gpi_tables;

static void gpi_near_add(gpi_tables t, gpi_histogram_run run)
{
#if GPI_WEIGHTS && GPI_COUNT_WIDE
    const uint low = (uint)run.weight, old = atomic_add(t.near + run.cell * t.copies, low);
    const uint high = (uint)(run.weight >> 32) + (old + low < old);
#if GPI_BYTES
    const uint b = high ? gpi_bin_of_byte(run.cell % 256, t.bins) : GPI_HISTOGRAM_NOWHERE;
    if (b != GPI_HISTOGRAM_NOWHERE)
        gpi_out_add(t.out, (ulong)(run.cell / 256) * t.bins.count + b, (ulong)high << 32);
#else
    if (high) gpi_out_add(t.out, run.cell, (ulong)high << 32);
#endif
#else
    (void)atomic_add(t.near + run.cell * t.copies, run.weight);
#endif
}

static void gpi_run_end(gpi_tables t, gpi_histogram_run run, const bool near)
{
    if (run.cell == GPI_HISTOGRAM_NOWHERE) return;
    if (near) gpi_near_add(t, run);
    else gpi_out_add(t.out, run.cell, run.weight);
}

/* Adds a sample to the run, or, if the sample has another cell, ends the run and begins the next. Returns the current
   run. */
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

#if GPI_BYTES && !GPI_WEIGHTS && !GPI_MAPPED
static void gpi_count_byte(gpi_tables t, uint cell) { (void)atomic_inc(t.near + cell * GPI_BYTE_COPIES); }

/* Counts 16 bytes. The first byte belongs to `channel`. */
static void gpi_count_vector(gpi_tables t, uint4 x, uint channel)
{
    uint first[GPI_CHANNELS];
#pragma unroll
    for (uint c = 0; c < GPI_CHANNELS; c++) first[c] = (channel + c) % GPI_CHANNELS * 256;
#pragma unroll
    for (uint k = 0; k < GPI_TURNS(16); k++) {
        const uint word = k < 8 ? k < 4 ? x.s0 : x.s1 : k < 12 ? x.s2 : x.s3; /* no array in memory */
        gpi_count_byte(t, first[k % GPI_CHANNELS] + (word >> 8 * (k % 4) & 255u));
    }
}

/* Counts the group's bytes in aligned vectors of 16. Counts the bytes before and after these vectors, up to 15 each, one by
   one. An item loads four vectors before it counts them. (x0 to x3 are no array, because Mesa's driver for Adreno keeps an
   array in memory.) */
static void gpi_count_span(gpi_tables t, gpi_samples s, const bool near)
{
    __global const uchar *in = (__global const uchar *)s.in;
    const uint l = (uint)get_local_id(0);
    const ulong first = s.begin * GPI_CHANNELS, last = s.end * GPI_CHANNELS;
    const ulong body = first + min(last - first, (ulong)(-(size_t)(in + first) % 16));
    const uint vectors = (uint)((last - body) / 16);
    const ulong rest = body + (ulong)16 * vectors;
    __global const uint4 *vector = (__global const uint4 *)(in + body);
    for (uint k = l; k < 16; k += GPI_WG) {
        if (first + k < body) gpi_count_byte(t, (uint)(k % GPI_CHANNELS) * 256 + in[first + k]);
        if (rest + k < last) gpi_count_byte(t, (uint)((rest + k) % GPI_CHANNELS) * 256 + in[rest + k]);
    }
    for (uint i = l; i < vectors; i += 4 * GPI_WG) {
        const uint4 x0 = vector[i], x1 = vector[min(i + GPI_WG, vectors - 1)];
        const uint4 x2 = vector[min(i + 2 * GPI_WG, vectors - 1)],
                    x3 = vector[min(i + 3 * GPI_WG, vectors - 1)];
#pragma unroll
        for (uint k = 0; k < GPI_TURNS(4); k++) {
            const uint at = i + k * GPI_WG;
            const uint4 x = k < 2 ? k < 1 ? x0 : x1 : k < 3 ? x2 : x3;
            if (at < vectors) gpi_count_vector(t, x, (uint)((body + (ulong)16 * at) % GPI_CHANNELS));
        }
    }
}

#elif GPI_BYTES && !GPI_MAPPED
/* Returns the cell of byte `at`: its value, in the 256 cells of its channel. */
static uint gpi_byte_cell(ulong at, uint value) { return (uint)(at % GPI_CHANNELS) * 256 + value; }

/* Counts the group's bytes, in aligned words of four. The first and last word may contain bytes of other groups. */
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
/* Writes to `cell` the cells in which samples are counted: a byte's value, else the bin. */
static void gpi_cells_find(const GPI_OPERAND *x, gpi_bins bins, uint *cell)
{
#if GPI_BYTES
    for (uint k = 0; k < GPI_HISTOGRAM_BATCH; k++) cell[k] = (uchar)x[k];
#else
    gpi_bins_find(x, bins, cell);
#endif
}

static void gpi_count_span(gpi_tables t, gpi_samples s, const bool near)
{
    gpi_histogram_run run;
    run.cell = GPI_HISTOGRAM_NOWHERE;
    run.weight = 0;
    for (ulong i = s.begin + get_local_id(0); i < s.end; i += GPI_HISTOGRAM_BATCH * GPI_WG) {
        GPI_OPERAND x[GPI_HISTOGRAM_BATCH];
        uint b[GPI_HISTOGRAM_BATCH];
        for (uint k = 0; k < GPI_HISTOGRAM_BATCH; k++)
            x[k] = gpi_sample_read(s, min(i + k * GPI_WG, s.end - 1));
        gpi_cells_find(x, t.bins, b);
        for (uint k = 0; k < GPI_HISTOGRAM_BATCH; k++) {
            if (i + k * GPI_WG < s.end)
                run = gpi_run_go_on(t, run, b[k], GPI_WEIGHT_OF(s, i + k * GPI_WG), near);
        }
    }
    gpi_run_end(t, run, near);
}
#endif

/* Adds the group's `copies` tables to `out`. */
static void gpi_near_join(gpi_tables t, volatile __local uint *near, uint cells, uint copies, uint channels)
{
    for (uint first = 0; first < cells; first += GPI_WG) {
        const uint cell = first + (uint)get_local_id(0);
        gpi_histogram_cell sum = 0;
        if (cell >= cells) continue;
        for (uint k = 0, copy = cell % copies; k < copies; k++) { /* items begin in different banks */
            sum += near[cell * copies + copy];
            copy = copy + 1 == copies ? 0 : copy + 1;
        }
#if GPI_BYTES
        const uint b = gpi_bin_of_byte(cell % 256, t.bins);
        if (sum && b != GPI_HISTOGRAM_NOWHERE && cell / 256 < channels)
            gpi_out_add(t.out, (ulong)(cell / 256) * t.bins.count + b, sum);
#else
        if (sum) gpi_out_add(t.out, cell, sum);
#endif
    }
}

/* The near tables. */
typedef volatile __local uint *gpi_near_shared;
#define GPI_NEAR_SHARED(name) volatile __local uint name[GPI_NEAR_CELLS]

static void gpi_count_near(gpi_samples s, gpi_bins bins, uint bins_copies, uint channels,
                           volatile __global uint *out, gpi_near_shared near)
{
    const uint l = (uint)get_local_id(0), cells = GPI_BYTES ? GPI_CHANNELS * 256 : bins.count;
    const uint copies = GPI_BYTES ? GPI_BYTE_COPIES : bins_copies;
    gpi_tables t;
    t.near = near + l % copies;
    t.copies = copies;
    t.out = out;
    t.bins = bins;
    for (uint k = 0; k < copies * cells; k += GPI_WG)
        if (k + l < copies * cells) near[k + l] = 0;
    gpi_sync(); /* all tables are empty */
    gpi_count_span(t, s, true);
    gpi_sync(); /* all samples are counted */
    gpi_near_join(t, near, cells, copies, channels);
}

#if !GPI_BYTES
static void gpi_count_far(gpi_samples s, gpi_bins bins, __global gpi_histogram_cell *out,
                          __global gpi_histogram_cell *slices, uint clears)
{
    (void)clears;
    gpi_tables t;
    (void)slices;
    t.near = 0;
    t.copies = 1;
    t.out = (volatile __global uint *)out;
    t.bins = bins;
    gpi_count_span(t, s, false);
}
#endif
#endif
