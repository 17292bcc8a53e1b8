/* nth_element.c - gp_nth_element: reduces the number of keys in a few levels. A level derives an interval for each
   rank from a sample, reads its keys once, and keeps the keys that are in intervals. At the end, finds the ranks
   among the kept keys by counting digits. */
#include "base/context.h"
#include "base/error.h"
#include "base/math.h"
#include "base/type.h"
#include "element/element.h"
#include "sort/sort.h"

#include <string.h>

enum {
    GPI_NTH_MOST = 64,         /* most ranks */
    GPI_NTH_SAMPLES = 32768,   /* most keys of a sample */
    GPI_NTH_FEW = 32768,       /* most keys for which a level does not pay */
    GPI_NTH_SHARE = 45,        /* per rank, a level keeps 1/45 of its keys if no value is frequent */
    GPI_NTH_ROOM = 16,         /* per rank, a level has room for 1/16 of its keys */
    GPI_NTH_GROUPS_SERIAL = 4, /* groups per core */
    GPI_NTH_GROUPS_LOCAL = 8,
    GPI_NTH_DIGIT_SPAN = 16384 /* fewest keys of a group that counts digits */
};

/* A rank, and where its key is written. */
typedef struct gpi_nth_rank {
    cl_ulong rank;
    cl_uint place;
} gpi_nth_rank;

/* A checked call of gp_nth_element, ready to run. */
typedef struct gpi_nth {
    const gp_nth_element_desc *desc;
    size_t key_size;
    gpi_count count;
    gpi_plan plan;
    gpi_program *program;
    gpi_nth_rank rank[GPI_NTH_MOST]; /* ascending */
    cl_uint levels;
    cl_ulong room[4];                         /* most keys that a level keeps */
    size_t state_bytes, kept[2], sample, end; /* where parts of the scratch begin, and its end, in bytes */
} gpi_nth;

/* ------------------------------------------------------------------ checks, plan */

static gp_result gpi_nth_check_desc(gp_context *gp, const gp_nth_element_desc *d)
{
    size_t r;
    const gp_result result = gpi_check_key_type(gp, d->key_type);
    if (result != GP_OK) return result;
    if (d->count > UINT32_MAX) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "count = %zu, at most 2^32 - 1", d->count);
    }
    if (d->rank_count > (size_t)GPI_NTH_MOST) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "rank_count = %zu, at most %d; gp_sort finds all ranks",
                        d->rank_count, (int)GPI_NTH_MOST);
    }
    if (d->rank_count && !d->ranks) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "ranks is NULL, and rank_count is not 0");
    }
    for (r = 0; r < d->rank_count; r++) {
        if (d->ranks[r] >= d->count) {
            return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "ranks[%zu] = %llu is not below count = %zu", r,
                            (unsigned long long)d->ranks[r], d->count);
        }
    }
    return GP_OK;
}

/* Sorts the ranks by insertion. */
static void gpi_nth_sort_ranks(gpi_nth *nth)
{
    size_t r, i;
    for (r = 0; r < nth->desc->rank_count; r++) {
        const cl_ulong rank = nth->desc->ranks[r];
        for (i = r; i > 0 && nth->rank[i - 1].rank > rank; i--) nth->rank[i] = nth->rank[i - 1];
        nth->rank[i].rank = rank;
        nth->rank[i].place = (cl_uint)r;
    }
}

static size_t gpi_nth_part(gpi_nth *nth, size_t bytes)
{
    const size_t begin = nth->end;
    nth->end += gpi_ceil_div(bytes, GPI_SORT_ALIGNMENT) * GPI_SORT_ALIGNMENT;
    return begin;
}

/* Sets the levels, each of which keeps some of the previous level's keys, and lays out the scratch. */
static void gpi_nth_lay_out(gpi_nth *nth)
{
    const size_t count = nth->desc->rank_count;
    const size_t together = count < GPI_NTH_RANKS ? count : GPI_NTH_RANKS;
    size_t keys = nth->desc->count, room = keys / GPI_NTH_ROOM * together + GPI_NTH_FEW;
    if (room > keys) room = keys;
    for (; nth->levels < GPI_NTH_LEVELS && keys > GPI_NTH_FEW; keys = keys / GPI_NTH_SHARE * together)
        nth->room[nth->levels++] = room; /* with few distinct values, later levels may keep all keys */
    nth->state_bytes =
        GPI_NTH_HISTOGRAM * sizeof(cl_ulong) + nth->key_size * together * GPI_SORT_BINS * sizeof(cl_uint);
    (void)gpi_nth_part(nth, nth->state_bytes);
    nth->kept[0] = gpi_nth_part(nth, (size_t)nth->room[0] * nth->key_size);
    nth->kept[1] = gpi_nth_part(nth, (size_t)nth->room[1] * nth->key_size);
    nth->sample = gpi_nth_part(nth, nth->levels ? 2 * GPI_NTH_SAMPLES * nth->key_size : 0);
}

/* Checks and plans a call, except for its buffers. */
static gp_result gpi_nth_plan(gp_context *gp, const gp_nth_element_desc *desc, gpi_nth *nth)
{
    gp_result result;
    memset(nth, 0, sizeof *nth);
    nth->desc = desc;
    result = gpi_nth_check_desc(gp, desc);
    if (result != GP_OK) return result;
    nth->key_size = gpi_type_size(desc->key_type);
    nth->count = gpi_count_make(desc->count, desc->count_buffer, desc->count_offset, desc->count_type);
    gpi_nth_sort_ranks(nth);
    result = gpi_plan_make_keys(gp, GPI_NTH_ELEMENT, nth->key_size, &nth->plan);
    if (result == GP_OK)
        result = gpi_key_program(gp, GPI_NTH_ELEMENT, desc->key_type, 0, "", &nth->plan, &nth->program);
    if (result == GP_OK && desc->rank_count) gpi_nth_lay_out(nth);
    return result;
}

static gp_result gpi_nth_check(gp_context *gp, const gpi_nth *nth)
{
    const gp_nth_element_desc *d = nth->desc;
    gpi_uses uses;
    gpi_uses_begin(&uses, gp, GP_OK);
    gpi_use_buffer(&uses, "keys", d->keys, d->keys_offset, d->count, nth->key_size, GPI_READS);
    gpi_use_count(&uses, "count_buffer", &nth->count);
    gpi_use_buffer(&uses, "keys_out", d->keys_out, d->keys_out_offset, d->rank_count, nth->key_size,
                   GPI_WRITES);
    return gpi_uses_end(&uses, NULL, d->scratch, nth->end);
}

/* ------------------------------------------------------------------ launches */

/* Ranks that are found together: ranks [first, first + count). */
typedef struct gpi_nth_batch {
    const gpi_nth *nth;
    cl_mem scratch;
    size_t first, count;
} gpi_nth_batch;

static void gpi_nth_arg_part(gpi_call *call, const gpi_nth_batch *b, size_t bytes, size_t size)
{
    GPI_CALL_ARG(call, b->scratch);
    gpi_call_arg_ulong(call, bytes / size);
}

/* Prepares a kernel, and passes the arguments for GPI_NTH_PARAMETERS (sort/nth_element.cl). */
static void gpi_nth_kernel(gpi_call *call, const gpi_nth_batch *b, const char *kernel)
{
    const gpi_nth *nth = b->nth;
    const gp_nth_element_desc *d = nth->desc;
    const cl_ulong flip = gpi_key_flip(d->key_type, false);
    cl_ulong rank[GPI_NTH_RANKS];
    size_t r;
    for (r = 0; r < GPI_NTH_RANKS; r++) rank[r] = r < b->count ? nth->rank[b->first + r].rank : 0;
    gpi_call_kernel(call, nth->program, kernel);
    GPI_CALL_ARG(call, d->keys);
    gpi_call_arg_ulong(call, d->keys_offset);
    gpi_nth_arg_part(call, b, nth->kept[0], nth->key_size);
    gpi_nth_arg_part(call, b, nth->kept[1], nth->key_size);
    gpi_nth_arg_part(call, b, 0, sizeof(cl_ulong));
    GPI_CALL_ARG(call, nth->room);
    GPI_CALL_ARG(call, rank);
    gpi_call_arg_uint(call, b->count);
    GPI_CALL_ARG(call, flip);
    gpi_call_arg_count(call, &nth->count);
}

/* Returns the number of groups that share `keys` keys, at least `span` each unless loops are limited. */
static size_t gpi_nth_groups(const gpi_call *call, const gpi_nth *nth, size_t keys, size_t span)
{
    const gp_device_info *info = &call->gp->info;
    const size_t each = nth->plan.shape == GP_SHAPE_SERIAL ? GPI_NTH_GROUPS_SERIAL : GPI_NTH_GROUPS_LOCAL;
    const size_t most = each * (info->compute_units ? info->compute_units : 1);
    const size_t groups = gpi_ceil_div(keys, span);
    return groups > most && !info->loop_limit ? most : groups ? groups : 1;
}

static gp_result gpi_nth_level(gpi_call *call, const gpi_nth_batch *b, cl_uint level)
{
    const gpi_nth *nth = b->nth;
    const size_t keys = level ? (size_t)nth->room[level - 1] : nth->desc->count;
    const size_t tile =
        nth->plan.shape == GP_SHAPE_SERIAL ? (size_t)GPI_NTH_DIGIT_SPAN : gpi_plan_tile(&nth->plan);
    gp_result result;
    gpi_nth_kernel(call, b, "gp_nth_sample");
    GPI_CALL_ARG(call, level);
    gpi_nth_arg_part(call, b, nth->sample, nth->key_size);
    gpi_call_arg_uint(call, GPI_NTH_SAMPLES);
    GPI_CALL_ARG(call, call->gp->counters);
    result = gpi_call_launch(call, &nth->plan,
                             gpi_nth_groups(call, nth, GPI_NTH_SAMPLES, 4 * (size_t)nth->plan.group + 252));
    if (result != GP_OK) return result;
    gpi_nth_kernel(call, b, "gp_nth_split");
    GPI_CALL_ARG(call, level);
    gpi_nth_arg_part(call, b, nth->sample, nth->key_size);
    gpi_call_arg_uint(call, GPI_NTH_SAMPLES);
    result = gpi_call_launch(call, &nth->plan, nth->plan.shape == GP_SHAPE_SERIAL ? 1 : b->count);
    if (result != GP_OK) return result;
    gpi_nth_kernel(call, b, "gp_nth_filter");
    GPI_CALL_ARG(call, level);
    return gpi_call_launch(call, &nth->plan, gpi_nth_groups(call, nth, keys, tile));
}

/* Enqueues the count of digit d, or, after the last digit, the kernel that writes the keys. */
static gp_result gpi_nth_digit(gpi_call *call, const gpi_nth_batch *b, cl_uint d)
{
    const gpi_nth *nth = b->nth;
    cl_uint place[GPI_NTH_RANKS];
    size_t r;
    for (r = 0; r < GPI_NTH_RANKS; r++) place[r] = r < b->count ? nth->rank[b->first + r].place : 0;
    gpi_nth_kernel(call, b, "gp_nth_digits");
    GPI_CALL_ARG(call, nth->levels);
    GPI_CALL_ARG(call, d);
    GPI_CALL_ARG(call, nth->desc->keys_out);
    gpi_call_arg_ulong(call, nth->desc->keys_out_offset);
    GPI_CALL_ARG(call, place);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(
        call, &nth->plan,
        d == nth->key_size ? 1 : gpi_nth_groups(call, nth, nth->desc->count, GPI_NTH_DIGIT_SPAN));
}

static gp_result gpi_nth_launch(gpi_call *call, const gpi_nth *nth)
{
    gpi_nth_batch b = {nth, NULL, 0, 0};
    gp_result result = gpi_call_scratch(call, nth->desc->scratch, nth->end, &b.scratch);
    for (; b.first < nth->desc->rank_count && result == GP_OK; b.first += GPI_NTH_RANKS) {
        cl_uint level, d;
        b.count = nth->desc->rank_count - b.first;
        if (b.count > GPI_NTH_RANKS) b.count = GPI_NTH_RANKS;
        result = gpi_call_fill(call, b.scratch, 0, nth->state_bytes);
        for (level = 0; level < nth->levels && result == GP_OK; level++)
            result = gpi_nth_level(call, &b, level);
        for (d = 0; d <= nth->key_size && result == GP_OK; d++) result = gpi_nth_digit(call, &b, d);
    }
    return result;
}

/* ------------------------------------------------------------------ API */

GP_API gp_result gp_nth_element(gp_context *gp, const gp_nth_element_desc *desc)
{
    gpi_nth nth;
    gpi_call call;
    gp_result result;
    gpi_enter(gp, __func__);
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp or desc is NULL");
    result = gpi_nth_plan(gp, desc, &nth);
    if (result == GP_OK && desc->rank_count) result = gpi_nth_check(gp, &nth);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK && desc->rank_count) result = gpi_nth_launch(&call, &nth);
    return gpi_call_end(&call, result);
}

GP_API gp_result gp_nth_element_scratch_size(gp_context *gp, const gp_nth_element_desc *desc, size_t *bytes)
{
    gpi_nth nth;
    gp_result result;
    gpi_enter(gp, __func__);
    if (!gp || !desc || !bytes) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp, desc or bytes is NULL");
    }
    result = gpi_nth_plan(gp, desc, &nth);
    *bytes = result == GP_OK ? nth.end : 0;
    return result;
}

/* Finds a rank among zeros in temporary buffers. There are enough zeros that one level is used. */
static gp_result gpi_nth_element_warm_up(gp_context *gp, const gp_nth_element_desc *desc)
{
    const uint64_t rank = 0;
    gp_nth_element_desc probe;
    gp_result result;
    memset(&probe, 0, sizeof probe);
    probe.key_type = desc->key_type;
    probe.count = GPI_NTH_FEW + 1;
    probe.ranks = &rank;
    probe.rank_count = 1;
    result = gpi_alloc_zeros(gp, probe.count * gpi_type_size(desc->key_type), &probe.keys);
    if (result == GP_OK) result = gpi_alloc(gp, gpi_type_size(desc->key_type), &probe.keys_out);
    if (result == GP_OK) result = gp_nth_element(gp, &probe);
    if (probe.keys) (void)clReleaseMemObject(probe.keys);
    if (probe.keys_out) (void)clReleaseMemObject(probe.keys_out);
    return result;
}
