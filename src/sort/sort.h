/* sort.h - types and functions that the sorts, merge, search and top-k share. */
#pragma once
#include "runtime/tuning.h"
#include "program/program.h"
#include "launch/launch.h"
#include "sort/constants.cl"

enum { GPI_SORT_BINS = 1 << GPI_SORT_DIGIT_BITS };

/* The positions of the scratch's parts, in bytes (sort/digit.cl). */
typedef struct gpi_sort_layout {
    size_t histogram, bases, table, rows, map;
    size_t key_out, key_tmp, value_tmp;
    size_t end;
} gpi_sort_layout;

/* An array: a buffer, and the position of the first element in it. */
typedef struct gpi_sort_array {
    cl_mem buffer;
    cl_ulong offset;
} gpi_sort_array;

/* A checked call of gp_sort or gp_argsort, ready to run. */
typedef struct gpi_sort {
    const gp_sort_desc *desc;
    cl_uint indices;    /* GPI_INDICES_...: an argsort generates its values */
    bool keys_in_place; /* keys_out is NULL or the same as keys: the output replaces the input */
    bool values_in_place;
    bool keys_unwanted; /* an argsort without keys_out: sorted keys are written to the scratch */
    size_t key_size, value_size;
    cl_uint begin_bit, end_bit;
    cl_uint passes; /* number of passes over all keys */
    cl_ulong flip;
    bool buckets; /* buckets are tried (buckets.c) */
    cl_uint hash; /* 32 or 64: sorts by a hash of (key ^ seed) with this many bits, for a hash table's batch
                     (hash/batch.c) */
    cl_ulong seed;
    gpi_plan plan;
    gpi_program *program;
    gpi_count count;
    bool few, onesweep;
    cl_uint shares;    /* number of shares, each sorted by one group (sort/shares.cl); 0: no shares */
    cl_uint most;      /* if `few`, in the local shape: number of elements written; UINT32_MAX: all */
    size_t block_span; /* keys of a group in the classic kernels */
    cl_uint blocks;
    size_t tile_span; /* keys of a group in the onesweep kernel */
    size_t portion;   /* most keys of one onesweep launch */
    cl_uint portions;
    cl_uint ring_rows;
    gpi_sort_layout at;
    gpi_sort_array key[3], value[3]; /* indexed by GPI_PLACE_... */
    gpi_offsets offsets;             /* offsets.segments 0: no segments */
} gpi_sort;

enum {
    GPI_SORT_BLOCKS_MAX = 1024, /* most rows of the classic table */
    GPI_SORT_BYTES_MAX = 256,   /* most bytes of scratch per key, so that sizes do not overflow */
    GPI_SORT_ALIGNMENT = 256,
    GPI_SORT_SERIAL_SMALL = 16384,    /* most keys that one item sorts faster than several launches */
    GPI_SORT_SHARES_SPAN = 8,         /* shares pay up to this multiple of the keys of one group */
    GPI_SORT_SHARES_MAX = 8,          /* most shares, since every group reads all keys */
    GPI_SORT_SERIAL_SPAN_MIN = 16384, /* fewest keys of a group */
    GPI_SORT_TILES_PER_BLOCK = 200,   /* most tiles if loops are limited: each takes 300 iterations */
    GPI_SORT_RESUME_MOST = 1 << 26    /* keys that one group may move in one launch, all passes together */
};

/* A checked call of gp_segmented_sort, ready to run. */
typedef struct gpi_segments {
    const gp_segmented_sort_desc *desc;
    gp_sort_desc keys; /* the call's desc as that of a gp_sort of all elements */
    gpi_sort sort;
    size_t small_size;      /* most keys of a small segment */
    cl_uint shift, windows; /* one group handles a window of 2^shift positions */
    size_t block;           /* offsets that one group handles */
    cl_uint blocks;
    size_t rows, large; /* most blocks of large segments; most large segments */
    cl_uint groups;     /* number of groups that share the rows */
    size_t maxima_at, bounds_at, first_at, large_at, owner_at;
} gpi_segments;

/* sort_plan.c */
static void gpi_sort_spans_serial(const gp_context *gp, gpi_sort *sort);
static size_t gpi_sort_few(const gpi_sort *sort);
static gp_result gpi_sort_spans_local(gp_context *gp, gpi_sort *sort);
static gp_result gpi_sort_spans(gp_context *gp, gpi_sort *sort);
static size_t gpi_sort_tiles(const gpi_sort *sort, cl_uint portion);
static size_t gpi_sort_rows_bytes(const gpi_sort *sort);
static size_t gpi_sort_part(gpi_sort *sort, size_t bytes);
static bool gpi_sort_in_place(const gpi_sort *sort);
static bool gpi_sort_needs_tmp(const gpi_sort *sort);
static bool gpi_sort_is_nothing(const gpi_sort *sort);
static void gpi_sort_lay_out_arrays(gpi_sort *sort);
static void gpi_sort_lay_out(gpi_sort *sort);
static gp_result gpi_sort_describe(gp_context *gp, gpi_sort *sort);
static gp_result gpi_sort_check(gp_context *gp, gpi_sort *sort);
static void gpi_sort_place(gpi_sort *sort, cl_mem scratch);

/* sort_pass.c */
static void gpi_sort_arg_places(gpi_call *call, const gpi_sort *sort);
static cl_uint gpi_sort_shift(const gpi_sort *sort, cl_uint pass);
static void gpi_sort_arg_digit(gpi_call *call, const gpi_sort *sort, cl_uint shift);
static void gpi_sort_arg_bits(gpi_call *call, const gpi_sort *sort);
static void gpi_sort_arg_at(gpi_call *call, size_t bytes);
static cl_uint gpi_sort_from(const gpi_sort *sort);
static bool gpi_sort_is_on_amd(const gp_context *gp);
static bool gpi_sort_asks_order(const gpi_sort *sort, cl_uint pass, cl_uint when);
static size_t gpi_sort_lines_from(const gp_context *gp, size_t element);
static cl_uint gpi_sort_lines_which(const gp_context *gp);
static cl_uint gpi_sort_lines(const gp_context *gp, const gpi_sort *sort);
static gp_result gpi_sort_count(gpi_call *call, gpi_sort *sort, cl_mem state, cl_uint pass, cl_uint shift,
                                cl_uint when);
static gp_result gpi_sort_spine(gpi_call *call, gpi_sort *sort, cl_mem state, cl_uint pass, cl_uint when);
static gp_result gpi_sort_scatter(gpi_call *call, gpi_sort *sort, cl_mem state, cl_uint pass, cl_uint shift,
                                  cl_uint when);

/* buckets.c */
static size_t gpi_buckets_count_min(const gpi_sort *sort);
static bool gpi_buckets_suit(const gp_context *gp, const gpi_sort *sort);
static gp_result gpi_buckets_launch(gpi_call *call, gpi_sort *sort, cl_mem state);

/* sort.c */
static gp_result gpi_sort_plan(gp_context *gp, gpi_sort *sort);
static gp_result gpi_sort_launch(gpi_call *call, gpi_sort *sort);
static void gpi_sort_init(gpi_sort *sort, const gp_sort_desc *desc, cl_uint indices);
static gp_result gpi_sort_warm_up(gp_context *gp, const gp_sort_desc *desc);

/* segmented_sort.c */
static void gpi_segments_init(gpi_segments *s, const gp_segmented_sort_desc *d, bool argsort);
static size_t gpi_segments_scratch_most(const gpi_segments *s);
static gp_result gpi_segments_plan(gp_context *gp, gpi_segments *s);
static gp_result gpi_segments_launch(gpi_call *call, gpi_segments *s, cl_mem *state);
static gp_result gpi_segmented_sort_warm_up(gp_context *gp, const gp_segmented_sort_desc *desc);
