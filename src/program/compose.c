/* compose.c - what each program is made of: its prelude, then the kernel files. */
#include "base/context.h"
#include "base/math.h"
#include "program/program.h"
#include "kernels.h" /* made from kernels/ by tools/amalgamate.sh */

#include <stdlib.h>
#include <string.h>

/* The file of kernels/ that makes a program, and its kernels, by gpi_primitive. */
typedef struct gpi_program_text {
    const char *file;
    const char *kernels[GPI_KERNELS_MAX];
} gpi_program_text;

/* clang-format off */
static const gpi_program_text gpi_program_texts[GPI_PRIMITIVES] = {
    {"scan/reduce.cl",
     {"gp_reduce_tiles", "gp_reduce_partials"}},
    {"scan/scan.cl",
     {"gp_scan_look_back", "gp_scan_upsweep", "gp_scan_spine", "gp_scan_downsweep"}},
    {"select/select.cl",
     {"gp_select_look_back", "gp_select_upsweep", "gp_select_spine", "gp_select_downsweep"}},
    {"sort/sort.cl",
     {"gp_sort_small", "gp_sort_begin", "gp_sort_copy", "gp_sort_count", "gp_sort_spine",
      "gp_sort_scatter", "gp_sort_histogram", "gp_sort_bases", "gp_sort_onesweep"}},
    {"sort/buckets.cl",
     {"gp_buckets_sample", "gp_buckets_spine", "gp_buckets_sort"}},
    {"sort/merge.cl",
     {"gp_merge_tiles"}},
    {"sort/search.cl",
     {"gp_search_needles"}},
    {"sort/topk.cl",
     {"gp_topk_sample", "gp_topk_filter", "gp_topk_histogram", "gp_topk_gather", "gp_topk_take"}},
    {"sort/segmented_sort.cl",
     {"gp_segments_bounds", "gp_segments_list", "gp_segments_small", "gp_segments_count",
      "gp_segments_spine", "gp_segments_scatter", "gp_segments_copy"}},
    {"sort/sort_strings.cl",
     {"gp_strings_keys_first", "gp_strings_ties", "gp_strings_compact",
      "gp_strings_skip", "gp_strings_keys"}},
    {"nest/brackets.cl",
     {"gp_brackets_pair", "gp_brackets_tree", "gp_brackets_join",
      "gp_brackets_enclose", "gp_brackets_measure", "gp_brackets_report"}},
    {"nest/brackets_single_pass.cl",
     {"gp_brackets_look_back", "gp_brackets_rest", "gp_brackets_report"}},
    {"nest/stack_scan.cl",
     {"gp_stack_pair", "gp_stack_tree", "gp_stack_base", "gp_stack_fold"}},
    {"nest/tree.cl",
     {"gp_tree_runs", "gp_tree_grow", "gp_tree_join"}},
    {"hash/hash.cl",
     {"gp_hash_clear_slots", "gp_hash_put_keys", "gp_hash_find_keys", "gp_hash_erase_keys",
      "gp_hash_move_slots", "gp_hash_collect_slots", "gp_hash_measure_slots", "gp_hash_combine_keys"}},
    {"hash/each.cl",
     {"gp_hash_each_slot"}},
    {"histogram/histogram.cl",
     {"gp_histogram_near", "gp_histogram_far", "gp_histogram_join"}},
    {"scan/segmented_reduce.cl",
     {"gp_segments_reduce", "gp_segments_rows", "gp_segments_join"}},
    {"scan/monoid_check.cl",
     {"gp_laws_try"}},
    {"map/map.cl",
     {"gp_map_tiles"}},
    {"map/random.cl",
     {"gp_random_tiles"}},
    {"map/gather.cl",
     {"gp_gather_tiles"}},
    {"map/stencil.cl",
     {"gp_stencil_tiles"}},
};
/* clang-format on */

/* NULL behind the last one. */
static const char *gpi_kernel_name(gpi_primitive primitive, size_t k)
{
    return k < GPI_KERNELS_MAX ? gpi_program_texts[primitive].kernels[k] : NULL;
}

static const gpi_kernel_text *gpi_kernel_text_of(const char *path, size_t length)
{
    size_t k = 0;
    while (strncmp(gpi_kernel_texts[k].path, path, length) != 0 || gpi_kernel_texts[k].path[length]) k++;
    return &gpi_kernel_texts[k];
}

/* A file of kernels/, with what it includes in the places where it does. `seen`: which of gpi_kernel_texts
   are there already. */
static void gpi_text_include(gpi_text *text, const char *path, size_t length, bool *seen)
{
    static const char include[] = "#include \"";
    const gpi_kernel_text *file = gpi_kernel_text_of(path, length);
    bool *mark = &seen[file - gpi_kernel_texts];
    size_t i;
    if (*mark && file->once) return;
    *mark = true;
    for (i = 0; i < file->count; i++) {
        const char *line = file->lines[i], *name = line + sizeof include - 1;
        if (strncmp(line, include, sizeof include - 1) == 0)
            gpi_text_include(text, name, strcspn(name, "\""), seen);
        else gpi_text_add_lines(text, &file->lines[i], 1);
    }
}

/* The file, which is the first one of a text or has no guard. */
static void gpi_text_add_kernels(gpi_text *text, const char *path)
{
    bool seen[GPI_COUNT_OF(gpi_kernel_texts)] = {false};
    gpi_text_include(text, path, strlen(path), seen);
}

/* How the plan has a program's groups work. */
static void gpi_text_plan(const gp_context *gp, const gpi_plan *plan, gpi_text *text)
{
    gpi_text_add(text, "#define GPI_SHAPE_SERIAL %d\n#define GPI_SHAPE_LOCAL %d\n",
                 plan->shape == GP_SHAPE_SERIAL, plan->shape == GP_SHAPE_LOCAL);
    gpi_text_add(text, "#define GPI_WG %u\n#define GPI_WIDE %d\n#define GPI_INT64_EXTENDED %d\n", plan->group,
                 plan->words == GP_WORDS_WIDE, gp->info.int64_extended_atomics);
}

/* The same, and what programs on tiles of elements want to know. */
static void gpi_prelude_plan(const gp_context *gp, const gpi_plan *plan, gpi_text *text)
{
    gpi_text_plan(gp, plan, text);
    gpi_text_add(text, "#define GPI_ITEMS %u\n#define GPI_TILE %u\n", plan->items, plan->group * plan->items);
    gpi_text_add(text, "#define GPI_TILES_ABREAST %u\n#define GPI_FP64 %d\n", gp->info.compute_units,
                 gp->info.fp64);
}

/* Shape and sizes, of a program in which groups exchange no words. Serial spans are arguments. */
static void gpi_prelude_apart(const gp_context *gp, const gpi_plan *plan, gpi_text *text)
{
    const bool local = plan->shape == GP_SHAPE_LOCAL;
    gpi_text_add(text, "#define GPI_SHAPE_SERIAL %d\n#define GPI_SHAPE_LOCAL %d\n", !local, local);
    gpi_text_add(text, "#define GPI_WG %u\n#define GPI_ITEMS %u\n", plan->group, local ? plan->items : 1);
    gpi_text_add(text, "#define GPI_WIDE 0\n#define GPI_INT64_EXTENDED 0\n#define GPI_FP64 %d\n",
                 gp->info.fp64);
}

/* The whole source: prelude, layers from the device up, the primitive. */
static char *gpi_source_compose(gpi_primitive primitive, const char *prelude, size_t fields)
{
    gpi_text text;
    (void)fields;
    memset(&text, 0, sizeof text);
    gpi_text_add(&text, "%s", prelude);
    gpi_text_add_kernels(&text, gpi_program_texts[primitive].file);
    if (!text.failed) return text.data;
    free(text.data);
    return NULL;
}

static void gpi_key_add(gpi_key *key, const char *text, size_t length)
{
    size_t k;
    for (k = 0; k < 2; k++) key->word[k] = gpi_hash(key->word[k], text, length);
}

/* Two hashes of everything that the binary depends on. `prelude`: how much of the source it is; behind it,
   blank lines and #line stand for comments, and do not count. */
static gpi_key gpi_key_make(const gp_context *gp, const char *source, size_t prelude)
{
    const char *parts[6], *line;
    gpi_key key = {{GPI_HASH_SEED, ~(uint64_t)GPI_HASH_SEED}};
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
