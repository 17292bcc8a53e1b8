/* nest.c - what brackets, scans of stacks and trees share: codes of symbols, and what their programs begin
 * with.
 */
#include "internal.h"

enum {
    GPI_BRACKETS_FEW = 12 /* symbols that are told apart by comparing rather than by a table */
};

/* A checked call, ready to run. */
typedef struct gpi_brackets {
    const gp_brackets_desc *desc;
    const char *function;
    int8_t table[256]; /* of GP_U8 without a map */
    bool has_table;
    bool kinds; /* pairs can be of two kinds */
    bool back;  /* by look-back: GPI_BRACKETS_BACK */
    size_t index_size;
    gpi_plan plan;
    gpi_program *program;
    gpi_count count;
    cl_uint tiles, leaves;    /* for the bound; leaves of the tree, a power of two */
    size_t notes_at, tree_at; /* parts of the scratch, in bytes */
    size_t scratch_size;
    cl_mem errors; /* where they go */
    size_t errors_offset;
} gpi_brackets;

/* ------------------------------------------------------------------ codes */

static gp_result gpi_brackets_pairs(gp_context *gp, gpi_brackets *b, const char *pairs)
{
    const size_t length = strlen(pairs);
    char all[GPI_QUOTE_MAX], one[GPI_QUOTE_MAX];
    size_t i;
    if (length == 0 || length % 2 != 0 || length > 254) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                        "%s: pairs = %s: openers and closers in turns, 1 to 127 pairs", b->function,
                        gpi_quote(pairs, length, all));
    }
    for (i = 0; i < length; i++) {
        const int kind = (int)(i / 2) + 1;
        int8_t *code = &b->table[(unsigned char)pairs[i]];
        if (*code != 0) {
            return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: pairs = %s: %s is there twice", b->function,
                            gpi_quote(pairs, length, all), gpi_quote(pairs + i, 1, one));
        }
        *code = (int8_t)(i % 2 == 0 ? kind : -kind);
    }
    return GP_OK;
}

/* Whether codes go beyond one kind. */
static bool gpi_brackets_kinds(const gpi_brackets *b)
{
    int first = 0;
    size_t i;
    if (!b->has_table) return true;
    for (i = 0; i < 256; i++) {
        const int kind = b->table[i] < 0 ? -b->table[i] : b->table[i];
        if (kind != 0 && first == 0) first = kind;
        if (kind != first && kind != 0) return true;
    }
    return false;
}

static gp_result gpi_brackets_codes(gp_context *gp, gpi_brackets *b)
{
    const gp_brackets_desc *d = b->desc;
    const bool codes = d->type == GP_I8 || d->type == GP_I32;
    gp_result result;
    if (!gpi_type_size(d->type) || gpi_is_float(d->type) || (!d->map && !codes && d->type != GP_U8)) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE,
                        "%s: type = %d, must be GP_U8, GP_I8 or GP_I32, or with a map an integer type",
                        b->function, (int)d->type);
    }
    if ((d->pairs != NULL) + (d->table != NULL) + (d->map != NULL) > (codes && !d->map ? 0 : 1)) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                        "%s: pairs, table and map exclude each other, and only a map goes with codes",
                        b->function);
    }
    result = gpi_check_text(gp, b->function, "map", d->map);
    if (result != GP_OK) return result;
    b->has_table = !d->map && !codes;
    if (b->has_table && d->table) memcpy(b->table, d->table, sizeof b->table);
    else if (b->has_table) result = gpi_brackets_pairs(gp, b, d->pairs ? d->pairs : "()[]{}");
    b->kinds = gpi_brackets_kinds(b);
    return result;
}

static size_t gpi_brackets_symbols(const gpi_brackets *b)
{
    size_t i, n = 0;
    for (i = 0; i < 256; i++) n += b->table[i] != 0;
    return n;
}

/* What a table in the program says of a code. */
static int gpi_brackets_code(int code) { return code; }
static int gpi_brackets_sign(int code) { return (code > 0) - (code < 0); }
static int gpi_brackets_opens(int code) { return code > 0 ? -1 : 0; }

static void gpi_brackets_add_table(const gpi_brackets *b, gpi_text *text, const char *name,
                                   int (*entry)(int code))
{
    size_t i;
    gpi_text_add(text, "__constant int %s[256] = {", name);
    for (i = 0; i < 256; i++) gpi_text_add(text, "%s%d", i ? "," : "", entry(b->table[i]));
    gpi_text_add(text, "};\n");
}

/* GPI_CODE and GPI_SIGN of a symbol: by table, or where few symbols are brackets by comparing, which suits
   items that run in step. */
static void gpi_brackets_add_symbols(const gpi_brackets *b, gpi_text *text)
{
    const bool few = gpi_brackets_symbols(b) <= GPI_BRACKETS_FEW;
    size_t i;
    if (few && b->plan.shape == GP_SHAPE_LOCAL) {
        gpi_text_add(text, "#define GPI_CODE(x, i) (");
        for (i = 0; i < 256; i++)
            if (b->table[i]) gpi_text_add(text, "(x) == %u ? %d : ", (unsigned)i, b->table[i]);
        gpi_text_add(text, "0)\n#define GPI_SIGN(x, i) clamp(GPI_CODE(x, i), -1, 1)\n");
        return;
    }
    gpi_brackets_add_table(b, text, "gpi_codes", gpi_brackets_code);
    gpi_brackets_add_table(b, text, "gpi_signs", gpi_brackets_sign);
    gpi_brackets_add_table(b, text, "gpi_open_masks", gpi_brackets_opens);
    gpi_text_add(text, "#define GPI_CODE(x, i) gpi_codes[x]\n"
                       "#define GPI_SIGN(x, i) gpi_signs[x]\n"
                       "#define GPI_OPENS(x, i) gpi_open_masks[x]\n");
    if (!few) return;
    gpi_text_add(text, "#define GPI_IS_BRACKET(v) ((v) != (v)");
    for (i = 0; i < 256; i++)
        if (b->table[i]) gpi_text_add(text, " | (v) == (uchar16)(%u)", (unsigned)i);
    gpi_text_add(text, ")\n");
}

/* The parameters of nest.cl, but for the shape. */
static void gpi_brackets_add_nest(const gpi_brackets *b, gpi_text *text)
{
    gpi_text_add(text, "#define GPI_SYMBOL %s\n", gpi_type_cl(b->desc->type));
    gpi_text_add(text, "#define GPI_INDEX_SIZE %u\n#define GPI_KINDS %d\n#define GPI_MATCH %d\n",
                 (unsigned)b->index_size, b->kinds && b->errors, b->desc->match != NULL);
    gpi_text_add(text, "#define GPI_BACK %d\n#define GPI_MEASURE %d\n#define GPI_ENCLOSE %d\n", b->back,
                 b->back && b->errors, b->back && (b->desc->parent || b->desc->depth));
    if (b->has_table) {
        gpi_brackets_add_symbols(b, text);
    } else if (b->desc->map) {
        gpi_text_add(text,
                     "static int gpi_code(%s x, ulong i)\n{\n#line 1 \"map\"\n    return (int)(\n#line 1 "
                     "\"map\"\n%s\n    "
                     ");\n}\n#define GPI_CODE(x, i) gpi_code(x, i)\n",
                     gpi_type_cl(b->desc->type), b->desc->map);
    } else {
        gpi_text_add(text, "#define GPI_CODE(x, i) ((int)(x))\n");
    }
    if (!b->has_table) {
        gpi_text_add(text, "#define GPI_SIGN(x, i) clamp(GPI_CODE(x, i), -1, 1)\n"
                           "#define GPI_OPENS(x, i) (-(GPI_CODE(x, i) > 0))\n");
    }
}

/* What a program without elements begins with. */
static void gpi_brackets_add_shape(const gpi_plan *plan, gpi_text *text)
{
    const bool local = plan->shape == GP_SHAPE_LOCAL;
    gpi_text_add(text, "#define GPI_SHAPE_SERIAL %d\n#define GPI_SHAPE_LOCAL %d\n", !local, local);
    gpi_text_add(text, "#define GPI_WG %u\n#define GPI_ITEMS %u\n#define GPI_TILE %u\n", plan->group,
                 plan->items, plan->group * plan->items);
    gpi_text_add(text, "#define GPI_WIDE 0\n#define GPI_FP64 0\n");
}

static char *gpi_brackets_prelude(const gpi_brackets *b)
{
    gpi_text text;
    memset(&text, 0, sizeof text);
    gpi_brackets_add_shape(&b->plan, &text);
    gpi_brackets_add_nest(b, &text);
    if (!text.failed) return text.data;
    free(text.data);
    return NULL;
}
