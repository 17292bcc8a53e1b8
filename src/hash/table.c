/* table.c - the parts that all calls on hash tables share: handles, programs, arguments, launches over all slots. */
#include "base/context.h"
#include "base/error.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/use.h"
#include "runtime/events.h"
#include "hash/hash.h"

#include <string.h>
#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif

#define GPI_HASH_SERIAL_SLOTS ((size_t)65536) /* slots that a group handles, in kernels over all slots */

/* ------------------------------------------------------------------ counts of the kernels */

static gp_result gpi_hash_fail_strange(gp_context *gp)
{
    return gpi_fail(
        gp, GP_ERROR_INVALID_BUFFER,
        "the memory of a hash table was overwritten: its header is damaged. The call did nothing; "
        "gp_hash_clear makes the table usable again");
}

/* Enqueues a read of the kernels' counts, after the commands in the queue. If the read fails later, gp_finish reports it. */
static cl_int gpi_hash_read_told(gp_context *gp, cl_bool blocking)
{
    cl_event event;
    cl_int error;
    if (!gp->hash_unread) return CL_SUCCESS;
    error = clEnqueueReadBuffer(gp->queue, gp->counters, blocking, GPI_COUNT_REFUSED * sizeof(cl_uint),
                                sizeof gp->hash_told, gp->hash_told, 0, NULL, blocking ? NULL : &event);
    if (error == CL_SUCCESS && !blocking) {
        gpi_watch(gp, NULL, event);
        (void)clReleaseEvent(event);
    }
    return error;
}

/* Fails if one of the counts that gpi_hash_read_told has read is not 0: keys refused because of a reserved value that
   the caller did not choose, tables with a damaged header, and keys for which there was no room. Reports one counter at
   a time, and clears it. Sets gp->function to the name of the public call that caused the count; the caller restores
   it. */
static gp_result gpi_hash_tell(gp_context *gp)
{
    static const char *const functions[GPI_HASH_TOLD] = {
        "gp_hash_insert",          "gp_hash_insert_or_assign",
        "gp_hash_insert_or_apply", "gp_hash_for_each",
        "a gp_hash call",          "gp_hash_insert, insert_or_assign or insert_or_apply"};
    enum {
        GPI_STRANGE = GPI_COUNT_STRANGE - GPI_COUNT_REFUSED,
        GPI_FULL = GPI_COUNT_FULL - GPI_COUNT_REFUSED
    };
    const cl_uint zero = 0;
    const cl_uint *counts = gp->hash_told;
    cl_uint by = GPI_HASH_TOLD;
    cl_int error;
    if (!gp->hash_unread) return GP_OK;
    while (by > 0 && counts[by - 1] == 0) by--;
    gp->hash_unread = by > 0;
    if (by == 0) return GP_OK;
    by--;
    error = clEnqueueFillBuffer(gp->queue, gp->counters, &zero, sizeof zero,
                                (GPI_COUNT_REFUSED + by) * sizeof zero, sizeof zero, 0, NULL, NULL);
    if (error == CL_SUCCESS) error = clFinish(gp->queue);
    if (error != CL_SUCCESS) return gpi_fail_cl(gp, error, "clEnqueueFillBuffer");
    gp->function = functions[by];
    if (by == GPI_STRANGE) return gpi_hash_fail_strange(gp);
    if (by == GPI_FULL) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT,
                        "keys that found no slot: %u: the "
                        "table is full; set gp_hash_desc.grow or a larger capacity, or ask for failed_keys",
                        counts[by]);
    }
    return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                    "keys refused: %u: their value is, or would have become, the one that marks absent keys; "
                    "set gp_hash_desc.reserved to a value that does not occur",
                    counts[by]);
}

/* Reads the kernels' counts and reports them as gpi_hash_tell does. Blocks. The hash kernels in the queue must have ended. */
static gp_result gpi_hash_result(gp_context *gp)
{
    const char *const outer = gp->function;
    const cl_int error = gpi_hash_read_told(gp, CL_TRUE);
    gp_result result;
    gp->function = "gp_finish";
    result = error == CL_SUCCESS ? gpi_hash_tell(gp) : gpi_fail_cl(gp, error, "clEnqueueReadBuffer");
    gp->function = outer;
    return result;
}

/* ------------------------------------------------------------------ handles */

/* Returns the handle's table, or sets an error and returns NULL. */
static gpi_table *gpi_hash_of(gp_context *gp, gp_hash handle)
{
    const uint32_t place = (uint32_t)handle.id;
    if (!gp) {
        (void)gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT, "gp is NULL");
        return NULL;
    }
    if (gpi_check_use(gp) != GP_OK) return NULL;
    if (place == 0 || place > gp->handle_count || !gp->handles[place - 1].table ||
        gp->handles[place - 1].generation != (uint32_t)(handle.id >> 32)) {
        (void)gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                       "table = %llx is not a table of this context, or was destroyed",
                       (unsigned long long)handle.id);
        return NULL;
    }
    return gp->handles[place - 1].table;
}

/* Fails if a range overlaps the memory of a live table, which only calls on that table may write. */
static gp_result gpi_hash_check_apart_from_tables(gp_context *gp, const char *field, const gpi_range *range)
{
    uint32_t i;
    for (i = 0; i < gp->handle_count; i++) {
        const gpi_table *table = gp->handles[i].table;
        if (!table || !gpi_overlap(range, &table->range)) continue;
        return gpi_fail(gp, GP_ERROR_OVERLAP,
                        "%s is bytes [%zu, %zu) and the table %llx has [%zu, %zu) of one buffer: write "
                        "elsewhere, or destroy the table first",
                        field, range->begin, range->end,
                        (unsigned long long)gp->handles[i].generation << 32 | (i + 1), table->range.begin,
                        table->range.end);
    }
    return GP_OK;
}

static const gpi_hash_hooks gpi_hash_hooks_set = {gpi_hash_check_apart_from_tables, gpi_hash_read_told,
                                                  gpi_hash_tell, gpi_hash_result};

/* Adds `change` to a number that other threads change, too, and returns the sum. */
static uint32_t gpi_add_atomically(uint32_t *number, uint32_t change)
{
#if defined(_MSC_VER) && !defined(__clang__)
    return (uint32_t)_InterlockedExchangeAdd((volatile long *)number, (long)change) + change;
#else
    return __atomic_add_fetch(number, change, __ATOMIC_ACQ_REL);
#endif
}

/* Makes a handle for the table and counts it as a reference. */
static gp_result gpi_hash_handle_make(gp_context *gp, gpi_table *table, gp_hash *out)
{
    uint32_t i = 0;
    while (i < gp->handle_count && gp->handles[i].table) i++;
    if (i == gp->handle_count) {
        gpi_handle *grown = (gpi_handle *)GP_REALLOC(gp->handles, (i + 1) * sizeof *grown);
        if (!grown) return gpi_fail(gp, GP_ERROR_OUT_OF_HOST_MEMORY, "no memory for a handle");
        gp->handles = grown;
        gp->handle_count = i + 1;
    }
    /* Contexts start at different generations, so that a handle of another context is most likely invalid here. */
    if (gp->generation == 0) gp->generation = (uint32_t)gpi_fnv1a(GPI_FNV1A_SEED, &gp, sizeof gp) | 1;
    gp->hash = &gpi_hash_hooks_set;
    gp->handles[i].table = table;
    gp->handles[i].generation = gp->generation++;
    (void)gpi_add_atomically(&table->references, 1);
    out->id = (uint64_t)gp->handles[i].generation << 32 | (i + 1);
    return GP_OK;
}

/* Frees a table without handles. */
static void gpi_hash_free(gpi_table *table)
{
    if (table->buffer) (void)clReleaseMemObject(table->buffer);
    GP_FREE(table);
}

/* Drops a reference to the table, and frees the table with the last one. */
static void gpi_hash_release(gpi_table *table)
{
    if (gpi_add_atomically(&table->references, UINT32_MAX) == 0) gpi_hash_free(table);
}

static void gpi_hash_free_all(gp_context *gp)
{
    uint32_t i;
    for (i = 0; i < gp->handle_count; i++) {
        if (gp->handles[i].table) gpi_hash_release(gp->handles[i].table);
    }
    GP_FREE(gp->handles);
}

/* ------------------------------------------------------------------ programs */

static void gpi_hash_prelude(const gp_context *gp, const gpi_plan *plan, const void *description,
                             gpi_text *text)
{
    const gpi_hash_of_program *of = (const gpi_hash_of_program *)description;
    const gpi_table *table = of->table;
    const bool split_wide = table->wide && !table->packed;
    gpi_text_add(text, "#define GPI_SHAPE_SERIAL %d\n#define GPI_WG %u\n", plan->shape == GP_SHAPE_SERIAL,
                 plan->group);
    gpi_text_add(text, "#define GPI_WIDE %d\n#define GPI_INT64_EXTENDED %d\n#define GPI_FP64 %d\n",
                 table->wide, gp->info.int64_extended_atomics, split_wide && gp->info.fp64);
    gpi_text_add(text, "#define GPI_HASH_PACKED %d\n%s", table->packed, of->more);
}

static gp_result gpi_hash_program(gp_context *gp, gpi_primitive primitive, const gpi_table *table,
                                  const char *more, gpi_plan *plan, gpi_program **program)
{
    const gpi_hash_of_program of = {table, more};
    const gp_result result = gpi_plan_make_hash(gp, GP_STRATEGY_AUTO, plan);
    if (result != GP_OK) return result;
    return gpi_program_get(gp, primitive, gpi_hash_prelude, &of, plan, program);
}

/* ------------------------------------------------------------------ facts */

/* Sets `facts`, four properties of the table. They begin the header of its buffer, and are arguments of its kernels
   (hash/table.cl). */
static void gpi_hash_facts(const gpi_table *table, cl_ulong facts[4])
{
    const cl_ulong capacity = (cl_ulong)table->mask + 1;
    const cl_ulong most = table->limited ? (cl_ulong)GPI_HASH_LIMITED_STEPS : capacity;
    const cl_ulong turns = table->limited ? (cl_ulong)GPI_HASH_LIMITED_TURNS : UINT32_MAX;
    facts[0] = table->mask | (most < capacity ? most : capacity) << 32;
    facts[1] = turns | (cl_ulong)(GPI_MAGIC + table->loud) << 32;
    facts[2] = table->seed;
    facts[3] = table->reserved;
}

/* Passes a table: its buffer, and the four properties that gpi_hash_facts sets. */
static void gpi_hash_arg_table(gpi_call *call, const gpi_table *table)
{
    cl_ulong facts[4];
    size_t i;
    gpi_hash_facts(table, facts);
    GPI_CALL_ARG(call, table->buffer);
    for (i = 0; i < 4; i++) GPI_CALL_ARG(call, facts[i]);
}

/* Passes the counters, the last argument of kernels that check a table's header or refuse keys. */
static void gpi_hash_arg_counters(gpi_call *call)
{
    GPI_CALL_ARG(call, call->gp->counters);
    call->gp->hash_unread = true;
}

/* ------------------------------------------------------------------ launches over all slots */

/* Returns the number of side slots, which follow the table's slots. They are for keys that equal the marks of a slot's
   state. */
static uint32_t gpi_hash_side_slots(const gpi_table *table) { return table->packed ? 2 : 1; }

static size_t gpi_hash_slots(const gpi_table *table)
{
    return (size_t)table->mask + 1 + gpi_hash_side_slots(table);
}

/* Returns the number of slots per group. If loops are limited, an item handles only one slot, because each slot may take a
   probe. */
static size_t gpi_hash_slot_span(const gp_context *gp, const gpi_plan *plan)
{
    if (plan->shape == GP_SHAPE_SERIAL) return GPI_HASH_SERIAL_SLOTS;
    return (size_t)plan->group * (gp->info.loop_limit ? 1 : 16);
}

/* Passes the last arguments, and launches a kernel over all slots. `has_counters`: true for all kernels except the one that
   clears a table. */
static gp_result gpi_hash_launch_slots(gpi_call *call, const gpi_table *table, const gpi_plan *plan,
                                       bool has_counters)
{
    const size_t span = gpi_hash_slot_span(call->gp, plan);
    gpi_call_arg_ulong(call, span);
    if (has_counters) gpi_hash_arg_counters(call);
    return gpi_call_launch(call, plan, gpi_ceil_div(gpi_hash_slots(table), span));
}

/* Enqueues the kernel that writes the header and empties the slots. If `from` is not NULL, copies the counts of
   `from`. */
static gp_result gpi_hash_clear_slots(gpi_call *call, const gpi_table *table, const gpi_table *from)
{
    const cl_mem counted = from ? from->buffer : table->buffer;
    gpi_plan plan;
    gpi_program *program;
    const gp_result result = gpi_hash_program(call->gp, GPI_HASH, table, "", &plan, &program);
    if (result != GP_OK) return result;
    gpi_call_kernel(call, program, "gp_hash_clear_slots");
    gpi_hash_arg_table(call, table);
    GPI_CALL_ARG(call, counted);
    gpi_call_arg_uint(call, from != NULL);
    return gpi_hash_launch_slots(call, table, &plan, false);
}
