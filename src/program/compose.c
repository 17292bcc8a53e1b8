/* compose.c - composes a program's source: its prelude, then the kernel files. */
#include "base/context.h"
#include "base/math.h"
#include "base/memory.h"
#include "runtime/primitives.h"
#include "program/program.h"
#include "kernels.h" /* made from kernels/ by tools/amalgamate.sh */

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Returns the entry file of a program, in kernels/. */
static const char *gpi_program_file(gpi_primitive primitive)
{
    static const char *const files[] = {
#define GPI_PRIMITIVE_FILE(primitive, file, rows, memory, least, warm_ups) file,
        GPI_PRIMITIVE_ROWS(GPI_PRIMITIVE_FILE, GPI_LEFT_OUT)
#undef GPI_PRIMITIVE_FILE
    };
    return files[primitive];
}

/* Returns the names of a program's kernels in a wing; NULL after the last one. */
static const char *const *gpi_kernel_names(gpi_primitive primitive, const char *wing)
{
    const char *file = gpi_program_file(primitive);
    size_t k = 0;
    while (strcmp(gpi_program_texts[k].file, file) != 0 || strcmp(gpi_program_texts[k].wing, wing) != 0) k++;
    return gpi_program_texts[k].kernels;
}

/* Returns the wing whose kernels a prelude is for: "cpu" if groups have one item, else "gpu". */
static const char *gpi_wing_of(const char *prelude)
{
    return strstr(prelude, "#define GPI_SHAPE_SERIAL 1\n") ? "cpu" : "gpu";
}

static const gpi_kernel_text *gpi_kernel_text_in(const char *folder, const char *path, size_t length)
{
    size_t k;
    for (k = 0; k < GPI_COUNT_OF(gpi_kernel_texts); k++) {
        const gpi_kernel_text *text = &gpi_kernel_texts[k];
        if (strcmp(text->folder, folder) == 0 && strlen(text->path) == length &&
            memcmp(text->path, path, length) == 0) {
            return text;
        }
    }
    return NULL;
}

/* Returns the file with this path in the wing's folder, or, if there is none, in the common folder. */
static const gpi_kernel_text *gpi_kernel_text_of(const char *wing, const char *path, size_t length)
{
    const gpi_kernel_text *text = gpi_kernel_text_in(wing, path, length);
    return text ? text : gpi_kernel_text_in("common", path, length);
}

/* The state of composing a program from its files. */
typedef struct gpi_composition {
    gpi_text *text;
    const char *wing;
    unsigned long fields; /* fields of an element; blocks of element/ops.cl for more fields are left out */
} gpi_composition;

/* Returns the number of fields in the element of a prelude; ULONG_MAX if the prelude does not define it. */
static unsigned long gpi_fields_of(const char *prelude)
{
    static const char define[] = "\n#define GPI_FIELD_COUNT ";
    const char *at = strstr(prelude, define);
    return at ? strtoul(at + sizeof define - 1, NULL, 10) : ULONG_MAX;
}

/* Returns true if a line of element/ops.cl begins a block for a field that the element does not have. The block ends at
   the next #endif. */
static bool gpi_is_for_more_fields(const gpi_composition *of, const gpi_kernel_text *file, const char *line)
{
    static const char more[] = "#if GPI_FIELD_COUNT > ";
    return strcmp(file->path, "element/ops.cl") == 0 && strncmp(line, more, sizeof more - 1) == 0 &&
           of->fields <= strtoul(line + sizeof more - 1, NULL, 10);
}

/* Adds a file of a wing, with the files that it includes in place of its #include lines. `seen`: which of gpi_kernel_texts have
   been added. A file included under a condition is not marked as seen, since the compiler may skip it. Guards prevent the
   compiler from reading a file twice. */
static void gpi_text_include(const gpi_composition *of, const char *path, size_t length, bool *seen)
{
    static const char include[] = "#include \"";
    const gpi_kernel_text *file = gpi_kernel_text_of(of->wing, path, length);
    bool within[GPI_COUNT_OF(gpi_kernel_texts)];
    int depth = file->once ? -1 : 0; /* depth of nested conditions, not counting the guard */
    size_t i;
    if (seen[file - gpi_kernel_texts] && file->once) return;
    seen[file - gpi_kernel_texts] = true;
    for (i = 0; i < file->count; i++) {
        const char *line = file->lines[i], *name = line + sizeof include - 1;
        if (gpi_is_for_more_fields(of, file, line)) {
            while (strncmp(file->lines[i], "#endif", 6) != 0) i++;
        } else if (strncmp(line, include, sizeof include - 1) == 0) {
            memcpy(within, seen, sizeof within);
            gpi_text_include(of, name, strcspn(name, "\""), depth > 0 ? within : seen);
        } else {
            depth += (strncmp(line, "#if", 3) == 0) - (strncmp(line, "#endif", 6) == 0);
            gpi_text_add_line(of->text, line);
        }
    }
}

static void gpi_text_compose(gpi_text *text, const char *wing, unsigned long fields, const char *path)
{
    bool seen[GPI_COUNT_OF(gpi_kernel_texts)] = {false};
    gpi_composition of;
    of.text = text;
    of.wing = wing;
    of.fields = fields;
    gpi_text_include(&of, path, strlen(path), seen);
}

/* Adds a common file, with all that it includes, for the caller's own kernels. It must be the first file in `text`, or have no
   guard. */
static void gpi_text_add_kernels(gpi_text *text, const char *path)
{
    gpi_text_compose(text, "common", ULONG_MAX, path);
}

/* Adds the macros of the plan's sub-groups, if it has any. */
static void gpi_text_sub_group(const gp_context *gp, const gpi_plan *plan, gpi_text *text)
{
    if (!plan->sub_group) return;
    gpi_text_add(text, "#define GPI_SUB_GROUP %u\n#define GPI_SUB_GROUP_FORM %d\n", plan->sub_group,
                 (int)(gp->desc.tuning.sub_group_size ? GP_SUB_GROUPS_EMULATED : gp->info.sub_groups));
    gpi_text_add(text, "#define GPI_SUB_GROUP_SLEEP %d\n#define GPI_SUB_GROUP_PINNED %d\n",
                 gp->compute_capability >= 70, gp->sub_group_pinned);
}

/* Adds the macros for the plan's shape, group size, words and sub-groups. */
static void gpi_text_plan(const gp_context *gp, const gpi_plan *plan, gpi_text *text)
{
    gpi_text_add(text, "#define GPI_SHAPE_SERIAL %d\n", plan->shape == GP_SHAPE_SERIAL);
    gpi_text_add(text, "#define GPI_WG %u\n#define GPI_WIDE %d\n#define GPI_INT64_EXTENDED %d\n", plan->group,
                 plan->words == GP_WORDS_WIDE, gp->info.int64_extended_atomics);
    gpi_text_sub_group(gp, plan, text);
}

/* Adds the macros of gpi_text_plan, and those for programs that work on tiles of elements. */
static void gpi_prelude_plan(const gp_context *gp, const gpi_plan *plan, gpi_text *text)
{
    gpi_text_plan(gp, plan, text);
    gpi_text_add(text, "#define GPI_PER_ITEM %u\n#define GPI_TILE %u\n", plan->per_item,
                 plan->group * plan->per_item);
    gpi_text_add(text, "#define GPI_TILES_ABREAST %u\n#define GPI_FP64 %d\n", gp->info.compute_units,
                 gp->info.fp64);
}

/* Adds the macros for shape and sizes of a program in which groups exchange no words. In the serial shape spans are
   kernel arguments. */
static void gpi_prelude_apart(const gp_context *gp, const gpi_plan *plan, gpi_text *text)
{
    const bool local = plan->shape == GP_SHAPE_LOCAL;
    gpi_text_add(text, "#define GPI_SHAPE_SERIAL %d\n", !local);
    gpi_text_add(text, "#define GPI_WG %u\n#define GPI_PER_ITEM %u\n", plan->group,
                 local ? plan->per_item : 1);
    gpi_text_add(text, "#define GPI_WIDE 0\n#define GPI_INT64_EXTENDED 0\n#define GPI_FP64 %d\n",
                 gp->info.fp64);
}

/* Returns the whole source: the prelude, then the entry file with all that it includes. NULL: no memory. */
static char *gpi_source_compose(gpi_primitive primitive, const char *prelude)
{
    gpi_text text;
    memset(&text, 0, sizeof text);
    gpi_text_add(&text, "%s", prelude);
    gpi_text_compose(&text, gpi_wing_of(prelude), gpi_fields_of(prelude), gpi_program_file(primitive));
    return gpi_text_take(&text);
}

static void gpi_key_add(gpi_cache_key *key, const char *text, size_t length)
{
    size_t k;
    for (k = 0; k < 2; k++) key->word[k] = gpi_fnv1a(key->word[k], text, length);
}

/* Returns two hashes of everything that the binary depends on. `prelude` is the length of the prelude, with which `source`
   begins. After the prelude, blank lines and #line are not hashed: they replace comments. */
static gpi_cache_key gpi_key_make(const gp_context *gp, const char *source, size_t prelude)
{
    const char *parts[6], *line;
    gpi_cache_key key = {{GPI_FNV1A_SEED, ~(uint64_t)GPI_FNV1A_SEED}};
    size_t i, length;
    parts[0] = gp->info.platform_name;
    parts[1] = gp->info.vendor;
    parts[2] = gp->info.name;
    parts[3] = gp->info.version;
    parts[4] = gp->info.driver_version;
    parts[5] = gp->options;
    for (i = 0; i < GPI_COUNT_OF(parts); i++) gpi_key_add(&key, parts[i], strlen(parts[i]) + 1);
    gpi_key_add(&key, source, prelude);
    for (line = source + prelude; *line; line += length) {
        length = strcspn(line, "\n");
        if (line[length]) length++;
        if (*line != '\n' && strncmp(line, "#line ", 6) != 0) gpi_key_add(&key, line, length);
    }
    return key;
}
