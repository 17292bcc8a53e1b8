/* by_key_pass.c - gp_reduce_by_key in a single pass, which scans and writes in one launch, with look-back over tiles.
   gp_run_length_encode uses it to add up ones. */
#include "base/context.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/type.h"
#include "element/element.h"
#include "scan/scan.h"
#include "select/select.h"

#include <string.h>

/* ------------------------------------------------------------------ plan */

/* Returns true if a single pass can handle the call's operation and keys. A single pass does not support argmin and
   argmax, nor keys that are not one value of a built-in type. It also excludes half keys, which are loaded as floats
   before they are compared. */
static bool gpi_by_key_passes(const gp_reduce_by_key_desc *d, const gpi_compact *keys)
{
    return !gpi_is_arg(d->op) && d->key_type != GP_F16 && gpi_compact_is_plain(keys->size);
}

/* Returns true if a single pass is planned and the device can run it. Products that are not exact must be combined in
   order, which a fallback would not do. A group then waits without bound, so the device must be fair. Returns false in
   the serial shape for sums of ones and for monoids. Returns false on llvmpipe, which ends long loops too early, and
   crashes when it compiles the kernels for some monoids (docs/drivers.md). */
static bool gpi_by_key_can_wait(const gp_context *gp, const gpi_by_key_pass *p)
{
    if (p->plan.strategy != GP_STRATEGY_SINGLE_PASS) return false;
    if (p->plan.shape == GP_SHAPE_SERIAL && (p->ones || p->element.field_count == 0)) return false;
    if (!p->element.exact && !gp->info.fair) return false;
    return !gp->info.loop_limit && gp->info.device_class != GP_DEVICE_CLASS_LLVMPIPE;
}

static gp_result gpi_by_key_element_make(gp_context *gp, const gpi_compact *keys,
                                         const gp_reduce_by_key_desc *d, bool ones, gpi_element *element)
{
    gpi_operation o;
    memset(&o, 0, sizeof o);
    o.type = d->type;
    o.out_type = d->out_type;
    o.op = d->op;
    o.monoid = d->monoid;
    o.map = ones ? "1" : d->map;
    o.own_map = ones;
    o.record = d->record;
    o.args = keys->args;
    o.indices = ones;
    o.initial = d->initial;
    o.segments = GPI_SEGMENTS_RUNS;
    return gpi_element_make(gp, &o, element);
}

/* Adds the macros that convert a loaded key to the type that expressions see. */
static void gpi_by_key_prelude_key(const gpi_compact *keys, const char *record, gpi_text *text)
{
    const char *key = keys->record ? keys->record->cl_type : keys->type ? gpi_type_cl(keys->type) : record;
    const bool plain = !keys->equal && keys->size <= 8;
    gpi_text_add(text, "#define GPI_X %s\n#define GPI_PLAIN %d\n", key, plain);
    if (plain) gpi_text_add(text, "#define GPI_KEYS_OF(v) as_%s16(v)\n", key);
    if (!keys->record) {
        gpi_text_add(text, "#define GPI_KEY_OF(x) as_%s(x)\n", key);
        return;
    }
    gpi_text_add(text, "typedef union gpi_key_cell {\n    %s moved;\n    GPI_X key;\n} gpi_key_cell;\n",
                 record);
    gpi_text_add(text,
                 "static GPI_X gpi_key_of(%s x)\n{\n    gpi_key_cell cell;\n    cell.moved = x;\n"
                 "    return cell.key;\n}\n#define GPI_KEY_OF(x) gpi_key_of(x)\n",
                 record);
}

/* The description of a program that reduces by key. */
typedef struct gpi_by_key_of {
    const gpi_compact *keys;
    const gpi_by_key_pass *pass;
    bool keys_out;
} gpi_by_key_of;

static void gpi_by_key_prelude(const gp_context *gp, const gpi_plan *plan, const void *description,
                               gpi_text *text)
{
    const gpi_by_key_of *of = (const gpi_by_key_of *)description;
    const gpi_compact *keys = of->keys;
    const char *record = gpi_compact_record(keys->size);
    const char *equal = keys->equal ? keys->equal : keys->size == 16 ? "all(x == y)" : "x == y";
    gpi_prelude_plan(gp, plan, text);
    gpi_element_prelude(&of->pass->element, GPI_BY_KEY, plan, text);
    gpi_prelude_keyed(&of->pass->element, plan, keys->size, text);
    gpi_text_add(text, "#define GPI_HEADS_TYPE %s\n#define GPI_KEYS_OUT %d\n#define GPI_ORDERED %d\n", record,
                 of->keys_out, !of->pass->element.exact);
    gpi_by_key_prelude_key(keys, record, text);
    gpi_compact_prelude_function(keys, "gpi_equal", "const GPI_X x, const GPI_X y", "equal", equal, text);
}

static gp_result gpi_by_key_plan_make(gp_context *gp, const gp_reduce_by_key_desc *d, const gpi_compact *keys,
                                      gpi_by_key_pass *p)
{
    const size_t keyed = p->element.base_size + keys->size;
    const size_t size = keyed > p->element.size ? keyed : p->element.size;
    gp_result r = gpi_plan_make_sized(gp, GPI_BY_KEY, size, d->strategy, &p->plan);
    if (r == GP_OK && p->plan.shape == GP_SHAPE_LOCAL && p->plan.per_item > 32)
        p->plan.per_item = 32; /* a word has a bit for each element */
    return r == GP_OK ? gpi_plan_tiles(gp, &p->plan, d->count, &p->tiles) : r;
}

/* Plans a call, except for its buffers. Leaves p->program NULL if a single pass cannot run the call. `ones`: adds up
   ones instead of elements. */
static gp_result gpi_by_key_pass_plan(gp_context *gp, const gp_reduce_by_key_desc *d, const gpi_compact *keys,
                                      bool ones, gpi_by_key_pass *p)
{
    const gpi_by_key_of of = {keys, p, d->keys_out != NULL};
    gp_result r;
    memset(p, 0, sizeof *p);
    if (!gpi_by_key_passes(d, keys)) return GP_OK;
    p->key_size = keys->size;
    p->count = keys->count;
    p->ones = ones;
    r = gpi_by_key_element_make(gp, keys, d, ones, &p->element);
    /* Positions count from the first element of a run, which a single pass does not know when it loads an element. */
    if (r == GP_OK && d->map && gpi_map_has_positions(gp, d->map, &p->element.operation.args)) return GP_OK;
    if (r == GP_OK) r = gpi_by_key_plan_make(gp, d, keys, p);
    if (r != GP_OK || !gpi_by_key_can_wait(gp, p)) return r;
    r = gpi_program_get(gp, GPI_BY_KEY, gpi_by_key_prelude, &of, &p->plan, &p->program);
    if (r == GP_OK) r = gpi_plan_tiles(gp, &p->plan, d->count, &p->tiles);
    return r;
}

static size_t gpi_by_key_pass_scratch(const gpi_by_key_pass *p)
{
    return p->tiles > 1 ? gpi_look_back_bytes(p->tiles, p->element.size) : 0;
}

/* ------------------------------------------------------------------ launches */

static void gpi_by_key_arg_output(gpi_call *call, const gp_reduce_by_key_desc *d, const gpi_by_key_pass *p,
                                  cl_mem number, cl_ulong number_offset, cl_uint number_words)
{
    const cl_mem keys = d->keys_out ? d->keys_out : call->gp->counters; /* a placeholder, not written */
    const cl_ulong keys_at = d->keys_out ? d->keys_out_offset : 0, out_at = d->out_offset;
    GPI_CALL_ARG(call, keys);
    GPI_CALL_ARG(call, keys_at);
    GPI_CALL_ARG(call, d->out);
    GPI_CALL_ARG(call, out_at);
    gpi_call_arg_initial(call, &p->element);
    GPI_CALL_ARG(call, number);
    GPI_CALL_ARG(call, number_offset);
    GPI_CALL_ARG(call, number_words);
}

/* Enqueues the single pass. It writes the number of runs to `number`, as `number_words` words. */
static gp_result gpi_by_key_pass_launch(gpi_call *call, const gp_reduce_by_key_desc *d,
                                        const gpi_by_key_pass *p, cl_mem state, cl_mem number,
                                        cl_ulong number_offset, cl_uint number_words)
{
    const cl_ulong in_at = d->in_offset, keys_at = d->keys_offset;
    const cl_uint polls = p->element.exact ? p->plan.polls : 0;
    const bool one = p->tiles == 1;
    if (!one) {
        const gp_result r = gpi_call_fill(call, state, 0, gpi_by_key_pass_scratch(p));
        if (r != GP_OK) return r;
    }
    gpi_call_kernel(call, p->program, one ? "gp_by_key_tile" : "gp_by_key_look_back");
    gpi_call_args(call, &p->element.operation.args);
    if (!p->ones) {
        GPI_CALL_ARG(call, d->in);
        GPI_CALL_ARG(call, in_at);
    }
    GPI_CALL_ARG(call, d->keys);
    GPI_CALL_ARG(call, keys_at);
    gpi_call_arg_count(call, &p->count);
    gpi_by_key_arg_output(call, d, p, number, number_offset, number_words);
    if (!one) {
        GPI_CALL_ARG(call, state);
        GPI_CALL_ARG(call, polls);
    }
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &p->plan, p->tiles);
}

/* Reduces neutral elements in temporary buffers, once with one tile and once with two. */
static gp_result gpi_by_key_pass_warm_up(gp_context *gp, const gp_reduce_by_key_desc *desc,
                                         const gpi_by_key_pass *p)
{
    const size_t tile = gpi_plan_tile(&p->plan), n = tile + 1;
    gp_reduce_by_key_desc probe = *desc;
    gp_result r;
    probe.keys = probe.in = probe.out = probe.keys_out = probe.count_out = probe.count_buffer =
        probe.scratch = NULL;
    probe.keys_offset = probe.in_offset = probe.out_offset = probe.keys_out_offset = 0;
    probe.initial = NULL;
    probe.wait = NULL;
    probe.wait_count = 0;
    probe.done = NULL;
    r = gpi_alloc_zeros(gp, n * p->key_size, &probe.keys);
    if (r == GP_OK) r = gpi_alloc_neutral(gp, &p->element, n, &probe.in);
    if (r == GP_OK) r = gpi_alloc(gp, n * p->element.out_size, &probe.out);
    if (r == GP_OK && desc->keys_out) r = gpi_alloc(gp, n * p->key_size, &probe.keys_out);
    for (probe.count = 1; probe.count <= n && r == GP_OK; probe.count += tile)
        r = gp_reduce_by_key(gp, &probe);
    if (probe.keys) (void)clReleaseMemObject(probe.keys);
    if (probe.in) (void)clReleaseMemObject(probe.in);
    if (probe.out) (void)clReleaseMemObject(probe.out);
    if (probe.keys_out) (void)clReleaseMemObject(probe.keys_out);
    return r;
}
