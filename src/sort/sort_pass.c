/* sort_pass.c - sets arguments of the sort kernels, and launches the passes that count and scatter. */
#include "base/context.h"
#include "base/math.h"
#include "sort/sort.h"

#include <string.h>

/* The fewest bytes for which a pass gains from special treatment of cache lines, measured with PoCL. On a Xeon
   (Sapphire Rapids), a pass gains by writing whole lines past the caches. On an EPYC (Zen 5), a pass gains by fetching
   the lines that it writes next, which takes 0.6 to 0.8 times as long as writing past the caches. The cache sizes that
   devices report do not distinguish the two CPUs. */
#define GPI_SORT_LINES_BYTES ((size_t)8 << 20)
#define GPI_SORT_LINES_BYTES_AMD ((size_t)4 << 20)

/* Passes the arguments for GPI_PLACES_PARAMETERS (sort/digit.cl). */
static void gpi_sort_arg_places(gpi_call *call, const gpi_sort *sort)
{
    const cl_uint indices = sort->indices;
    int p;
    for (p = 0; p < 3; p++) {
        GPI_CALL_ARG(call, sort->key[p].buffer);
        GPI_CALL_ARG(call, sort->key[p].offset);
    }
    if (!sort->value_size) return;
    for (p = 0; p < 3; p++) {
        GPI_CALL_ARG(call, sort->value[p].buffer);
        GPI_CALL_ARG(call, sort->value[p].offset);
    }
    GPI_CALL_ARG(call, indices);
}

static cl_uint gpi_sort_shift(const gpi_sort *sort, cl_uint pass)
{
    return sort->begin_bit + GPI_SORT_DIGIT_BITS * pass;
}

/* Passes the arguments for GPI_DIGIT_PARAMETERS (sort/digit.cl). */
static void gpi_sort_arg_digit(gpi_call *call, const gpi_sort *sort, cl_uint shift)
{
    const cl_uint left = sort->end_bit - shift, whole = GPI_SORT_DIGIT_BITS;
    const cl_uint mask = (1u << (left < whole ? left : whole)) - 1;
    GPI_CALL_ARG(call, sort->flip);
    GPI_CALL_ARG(call, shift);
    GPI_CALL_ARG(call, mask);
}

static void gpi_sort_arg_bits(gpi_call *call, const gpi_sort *sort)
{
    GPI_CALL_ARG(call, sort->flip);
    GPI_CALL_ARG(call, sort->begin_bit);
    GPI_CALL_ARG(call, sort->end_bit);
    GPI_CALL_ARG(call, sort->passes);
}

/* Passes a position in the scratch, in words of four bytes. */
static void gpi_sort_arg_at(gpi_call *call, size_t bytes)
{
    const cl_ulong words = bytes / 4;
    GPI_CALL_ARG(call, words);
}

/* Returns the GPI_PLACE_... of the keys before the first pass. */
static cl_uint gpi_sort_from(const gpi_sort *sort)
{
    const bool all = sort->keys_in_place && (sort->values_in_place || !sort->value_size);
    return all ? GPI_PLACE_OUT : GPI_PLACE_IN;
}

/* Returns true for devices of AMD. The answer matters for CPUs only. Intel's runtime reports Intel as the vendor of every
   CPU, so the name is checked, too. */
static bool gpi_sort_is_on_amd(const gp_context *gp)
{
    return strstr(gp->info.vendor, "AMD") != NULL || strstr(gp->info.name, "AMD") != NULL;
}

/* Returns the fewest keys for which a pass writes or fetches whole lines. `element`: bytes of a key and its value. */
static size_t gpi_sort_lines_from(const gp_context *gp, size_t element)
{
    const size_t bytes = gpi_sort_is_on_amd(gp) ? GPI_SORT_LINES_BYTES_AMD : GPI_SORT_LINES_BYTES;
    if (gp->desc.tuning.sort_lines) return gp->desc.tuning.sort_lines;
    return gpi_ceil_div(bytes, element);
}

/* Returns how a pass of at least gpi_sort_lines_from keys treats lines: GPI_LINES_FETCH or GPI_LINES_ALWAYS. */
static cl_uint gpi_sort_lines_which(const gp_context *gp)
{
    return gpi_sort_is_on_amd(gp) && !gp->desc.tuning.sort_lines ? GPI_LINES_FETCH : GPI_LINES_ALWAYS;
}

static cl_uint gpi_sort_lines(const gp_context *gp, const gpi_sort *sort)
{
    const bool many = sort->desc->count >= gpi_sort_lines_from(gp, sort->key_size + sort->value_size);
    return many ? gpi_sort_lines_which(gp) : (cl_uint)GPI_LINES_NEVER;
}

/* Returns true if the pass checks whether keys are in order already. If they are, this pass and all later ones do nothing. */
static bool gpi_sort_asks_order(const gpi_sort *sort, cl_uint pass, cl_uint when)
{
    return (pass == 0 || pass == GPI_PASS_BUCKETS) && when != GPI_WHEN_ABANDONED &&
           sort->plan.shape == GP_SHAPE_SERIAL && !sort->hash;
}

static gp_result gpi_sort_count(gpi_call *call, gpi_sort *sort, cl_mem state, cl_uint pass, cl_uint shift,
                                cl_uint when)
{
    gpi_call_kernel(call, sort->program, "gp_sort_count");
    gpi_sort_arg_places(call, sort);
    gpi_sort_arg_digit(call, sort, shift);
    if (sort->buckets) gpi_sort_arg_at(call, sort->at.map);
    GPI_CALL_ARG(call, state);
    GPI_CALL_ARG(call, pass);
    GPI_CALL_ARG(call, when);
    gpi_call_arg_uint(call, gpi_sort_asks_order(sort, pass, when) ? sort->end_bit : 0);
    gpi_call_arg_ulong(call, sort->block_span);
    gpi_sort_arg_at(call, sort->at.table);
    return gpi_call_launch(call, &sort->plan, sort->blocks);
}

static gp_result gpi_sort_spine(gpi_call *call, gpi_sort *sort, cl_mem state, cl_uint pass, cl_uint when)
{
    const bool out_first = sort->passes % 2 && !gpi_sort_in_place(sort);
    gpi_call_kernel(call, sort->program, "gp_sort_spine");
    GPI_CALL_ARG(call, state);
    GPI_CALL_ARG(call, pass);
    GPI_CALL_ARG(call, when);
    gpi_call_arg_uint(call, out_first ? GPI_PLACE_OUT : GPI_PLACE_TMP);
    GPI_CALL_ARG(call, sort->blocks);
    gpi_sort_arg_at(call, sort->at.table);
    gpi_sort_arg_at(call, sort->at.bases);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &sort->plan, 1);
}

static gp_result gpi_sort_scatter(gpi_call *call, gpi_sort *sort, cl_mem state, cl_uint pass, cl_uint shift,
                                  cl_uint when)
{
    gpi_call_kernel(call, sort->program, "gp_sort_scatter");
    gpi_sort_arg_places(call, sort);
    gpi_sort_arg_digit(call, sort, shift);
    if (sort->buckets) gpi_sort_arg_at(call, sort->at.map);
    GPI_CALL_ARG(call, state);
    GPI_CALL_ARG(call, pass);
    GPI_CALL_ARG(call, when);
    gpi_call_arg_ulong(call, sort->block_span);
    gpi_call_arg_uint(call, gpi_sort_lines(call->gp, sort));
    gpi_sort_arg_at(call, sort->at.table);
    gpi_sort_arg_at(call, sort->at.bases);
    return gpi_call_launch(call, &sort->plan, sort->blocks);
}
