/* keys.c - key columns: checks, prelude, arguments of kernels. */
#include "base/context.h"
#include "base/error.h"
#include "base/math.h"
#include "base/type.h"
#include "table/table.h"

#include <stdio.h>
#include <time.h>

enum { GPI_KEY_BYTES_MAX = 64 }; /* of a record */

/* ------------------------------------------------------------------ describe */

static bool gpi_key_is_string(const gp_key_column *c)
{
    return c->offsets || c->offsets_type || c->byte_count;
}

static size_t gpi_key_size(const gp_key_column *c)
{
    return gpi_key_is_string(c) ? 1 : c->type ? gpi_type_size(c->type) : c->element_size;
}

static gp_result gpi_key_check(gp_context *gp, const char *table, const gp_key_column *c, size_t k)
{
    const bool string = gpi_key_is_string(c);
    if (!!c->type + !!c->element_size + string != 1) {
        return gpi_fail(
            gp, GP_ERROR_INVALID_TYPE,
            "%s[%zu]: type = %d, element_size = %zu, and %s%s: exactly one of type, element_size and "
            "strings must be given",
            table, k, (int)c->type, c->element_size, string ? "strings" : "no strings",
            !string           ? ""
            : c->offsets      ? " (offsets)"
            : c->offsets_type ? " (offsets_type)"
                              : " (byte_count)");
    }
    if (string && c->offsets_type != GP_U32 && c->offsets_type != GP_U64) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "%s[%zu]: offsets_type = %d, must be GP_U32 or GP_U64",
                        table, k, (int)c->offsets_type);
    }
    if (c->type && !gpi_type_size(c->type))
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "%s[%zu]: type = %d is not a gp_type", table, k,
                        (int)c->type);
    if (c->element_size > GPI_KEY_BYTES_MAX) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s[%zu]: element_size = %zu, at most %d", table, k,
                        c->element_size, (int)GPI_KEY_BYTES_MAX);
    }
    return GP_OK;
}

/* Returns a seed whose bits all depend on all of z's. Products with small numbers would not mix keys. */
static cl_ulong gpi_keys_mix_seed(uint64_t z)
{
    z += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Returns a number that is hard to guess, so that nobody can choose keys that collide. No result depends on it. Programs that count the cost
   of calls define GPI_SEED, so that it is always the same. */
static cl_ulong gpi_keys_seed(const gp_context *gp)
{
#ifdef GPI_SEED
    (void)gp;
    return GPI_SEED;
#else
    const uint64_t parts[] = {(uint64_t)(uintptr_t)gp, gp->stats.launches, (uint64_t)clock(),
                              (uint64_t)time(NULL)};
    return gpi_keys_mix_seed(gpi_fnv1a(GPI_FNV1A_SEED, parts, sizeof parts));
#endif
}

/* Checks the columns, except for their buffers, and sets *keys. `table`: the name of `columns` in the desc. */
static gp_result gpi_keys_make(gp_context *gp, const char *table, const gp_key_column *columns, size_t count,
                               gpi_keys *keys)
{
    size_t k;
    gp_result result = GP_OK;
    keys->columns = columns;
    keys->count = count;
    keys->seed = gpi_keys_seed(gp);
    if (!columns) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s is NULL", table);
    if (count == 0 || count > GP_KEY_COLUMNS_MAX) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "column_count = %zu, must be 1 to %d", count,
                        (int)GP_KEY_COLUMNS_MAX);
    }
    for (k = 0; k < count && result == GP_OK; k++) {
        (void)snprintf(keys->in_name[k], sizeof keys->in_name[k], "%s[%u].in", table, (unsigned)k);
        (void)snprintf(keys->offsets_name[k], sizeof keys->offsets_name[k], "%s[%u].offsets", table,
                       (unsigned)k);
        result = gpi_key_check(gp, table, &columns[k], k);
    }
    return result;
}

/* ------------------------------------------------------------------ prelude */

/* Adds the parameters of table/keys.cl. Records are compared in the largest words that divide them. */
static void gpi_keys_prelude(const gpi_keys *keys, gpi_text *text)
{
    static const char *const words[] = {"uchar", "ushort", "uint", "ulong"};
    size_t k;
    gpi_text_add(text, "#define GPI_KEY_NUMBERS(use, t)");
    for (k = 0; k < keys->count; k++) {
        const gp_key_column *c = &keys->columns[k];
        const size_t size = gpi_key_size(c);
        const char *kind = c->type == GP_F16   ? "half"
                           : c->type == GP_F32 ? "float"
                           : c->type == GP_F64 ? "double"
                                               : "bits";
        unsigned log = 0;
        if (gpi_key_is_string(c)) continue;
        while (log < 3 && size % ((size_t)2 << log) == 0) log++;
        gpi_text_add(text, " use(t, %u, %s, %u, %s)", (unsigned)k, words[log], (unsigned)(size >> log), kind);
    }
    gpi_text_add(text, "\n#define GPI_KEY_STRINGS(use, t)");
    for (k = 0; k < keys->count; k++)
        if (gpi_key_is_string(&keys->columns[k]))
            gpi_text_add(text, " use(t, %u, %s)", (unsigned)k, gpi_type_cl(keys->columns[k].offsets_type));
    gpi_text_add(text, "\n");
}

/* ------------------------------------------------------------------ buffers */

static void gpi_use_keys(gpi_uses *uses, const gpi_keys *keys, size_t rows)
{
    size_t k;
    for (k = 0; k < keys->count; k++) {
        const gp_key_column *c = &keys->columns[k];
        const bool string = gpi_key_is_string(c);
        if (!string || c->byte_count)
            gpi_use_buffer(uses, keys->in_name[k], c->in, c->in_offset, string ? c->byte_count : rows,
                           gpi_key_size(c), GPI_READS);
        if (string)
            gpi_use_buffer(uses, keys->offsets_name[k], c->offsets, c->offsets_offset, rows + 1,
                           gpi_type_size(c->offsets_type), GPI_READS);
    }
}

/* Passes the columns: numbers first, then strings. In place of buffers that need not exist, because there are no rows or no bytes, the
   context's counters are passed. */
static void gpi_call_arg_keys(gpi_call *call, const gpi_keys *keys)
{
    int strings;
    size_t k;
    for (strings = 0; strings < 2; strings++) {
        for (k = 0; k < keys->count; k++) {
            const gp_key_column *c = &keys->columns[k];
            const cl_mem in = !c->in || (strings && !c->byte_count) ? call->gp->counters : c->in;
            const cl_mem offsets = c->offsets ? c->offsets : call->gp->counters;
            if (gpi_key_is_string(c) != (strings == 1)) continue;
            GPI_CALL_ARG(call, in);
            gpi_call_arg_ulong(call, c->in_offset);
            if (!strings) continue;
            gpi_call_arg_ulong(call, c->byte_count);
            GPI_CALL_ARG(call, offsets);
            gpi_call_arg_ulong(call, c->offsets_offset);
        }
    }
    GPI_CALL_ARG(call, keys->seed);
}

/* Writes to `columns` those of a probe, whose rows, at most two, are in the buffer `in` of zeros. */
static void gpi_keys_warm_up(const gpi_keys *keys, cl_mem in, gp_key_column *columns)
{
    size_t k;
    for (k = 0; k < keys->count; k++) {
        columns[k] = keys->columns[k];
        columns[k].in = in;
        columns[k].in_offset = columns[k].offsets_offset = columns[k].byte_count = 0;
        columns[k].offsets = columns[k].offsets_type ? in : NULL;
    }
}
