/* program.c - from a description to a built program: compose, look up in memory, on disk, or build. */
#include "internal.h"

/* ------------------------------------------------------------------ text */

static bool gpi_text_reserve(gpi_text *text, size_t more)
{
    size_t capacity = text->capacity ? text->capacity : 1024;
    char *grown;
    while (capacity < text->length + more + 1) capacity *= 2;
    if (text->failed || capacity == text->capacity) return !text->failed;
    grown = (char *)realloc(text->data, capacity);
    if (!grown) {
        text->failed = true;
        return false;
    }
    text->data = grown;
    text->capacity = capacity;
    return true;
}

static void gpi_text_add(gpi_text *text, const char *format, ...)
{
    va_list args;
    int length;
    va_start(args, format);
    length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0 || !gpi_text_reserve(text, (size_t)length)) return;
    va_start(args, format);
    (void)vsnprintf(text->data + text->length, (size_t)length + 1, format, args);
    va_end(args);
    text->length += (size_t)length;
}

static void gpi_text_add_lines(gpi_text *text, const char *const *lines, size_t count)
{
    size_t i;
    for (i = 0; i < count; i++) {
        const size_t length = strlen(lines[i]);
        if (!gpi_text_reserve(text, length)) return;
        memcpy(text->data + text->length, lines[i], length + 1);
        text->length += length;
    }
}

/* ------------------------------------------------------------------ compose */

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

/* Everything that makes this program differ from others of its primitive. */
static char *gpi_prelude_make(const gp_context *gp, gpi_primitive primitive, const gpi_element *element,
                              const gpi_plan *plan)
{
    gpi_text text;
    memset(&text, 0, sizeof text);
    gpi_prelude_plan(gp, plan, &text);
    gpi_element_prelude(element, primitive, plan, &text);
    if (!text.failed) return text.data;
    free(text.data);
    return NULL;
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

/* ------------------------------------------------------------------ build */

static gp_result gpi_fail_build(gp_context *gp, cl_program program, const char *function, cl_int error)
{
    size_t size = 0;
    char *log = NULL, *arranged, why[80];
    gp_result result;
    (void)clGetProgramBuildInfo(program, gp->info.device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    log = (char *)calloc(size + 1, 1);
    if (log) (void)clGetProgramBuildInfo(program, gp->info.device, CL_PROGRAM_BUILD_LOG, size, log, NULL);
    arranged = log ? gpi_log_arrange(log) : NULL;
    gpi_log_explain(log ? log : "", why, sizeof why);
    result = gpi_fail(gp, error == CL_OUT_OF_HOST_MEMORY ? GP_ERROR_OUT_OF_HOST_MEMORY : GP_ERROR_BUILD,
                      "%s: %sclBuildProgram returned %s (%d), build log:\n%s", function, why,
                      gpi_cl_error_name(error), (int)error, arranged ? arranged : "");
    free(arranged);
    free(log);
    return result;
}

static gp_result gpi_build_source(gp_context *gp, const char *function, const char *source,
                                  gpi_program *program)
{
    cl_int error;
    program->program = clCreateProgramWithSource(gp->context, 1, &source, NULL, &error);
    if (error != CL_SUCCESS) return gpi_fail_cl(gp, error, function, "clCreateProgramWithSource");
    error = clBuildProgram(program->program, 1, &gp->info.device, gp->options, NULL, NULL);
    if (error != CL_SUCCESS) return gpi_fail_build(gp, program->program, function, error);
    gp->profile.programs_built++;
    return GP_OK;
}

/* The file of a program that the driver does not take: it goes. */
static void gpi_binary_refuse(gp_context *gp, gpi_program *program)
{
    size_t k;
    gpi_log(gp, GP_LOG_WARNING, "cache: the driver refuses a saved program, rebuilt");
    for (k = 0; k < GPI_KERNELS_MAX; k++) {
        if (program->kernel[k]) (void)clReleaseKernel(program->kernel[k]);
        program->kernel[k] = NULL;
    }
    if (program->program) (void)clReleaseProgram(program->program);
    program->program = NULL;
    program->saved = 0;
    gpi_cache_drop(gp, program);
}

/* True when the disk cache had it and the driver took it. */
static bool gpi_build_binary(gp_context *gp, gpi_program *program)
{
    size_t size = 0;
    cl_int error = CL_SUCCESS, status = CL_SUCCESS;
    unsigned char *binary = gpi_cache_load(gp, program, &size);
    const unsigned char *const_binary = binary;
    if (!binary) return false;
    program->program =
        clCreateProgramWithBinary(gp->context, 1, &gp->info.device, &size, &const_binary, &status, &error);
    if (error == CL_SUCCESS && status == CL_SUCCESS) {
        error = clBuildProgram(program->program, 1, &gp->info.device, gp->options, NULL, NULL);
    }
    gpi_cache_unmark(gp, program);
    free(binary);
    if (error == CL_SUCCESS && status == CL_SUCCESS) return true;
    gpi_binary_refuse(gp, program);
    return false;
}

/* Mesa 22.3 says 32 for every kernel on llvmpipe, and runs groups of any size up to the device's. */
static size_t gpi_kernel_group_max(const gp_context *gp, cl_kernel kernel)
{
    size_t size = 0;
    if (gpi_is_llvmpipe(&gp->info)) return gp->info.max_work_group_size;
    if (clGetKernelWorkGroupInfo(kernel, gp->info.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size,
                                 NULL) != CL_SUCCESS) {
        return SIZE_MAX;
    }
    return size > 0 ? size : SIZE_MAX;
}

/* The program's kernels, and the largest group with which every one of them can be launched. */
static cl_int gpi_kernels_make(const gp_context *gp, gpi_program *program)
{
    size_t k;
    program->group_max = SIZE_MAX;
    for (k = 0; gpi_kernel_name(program->primitive, k); k++) {
        cl_int error;
        size_t group;
        program->kernel[k] = clCreateKernel(program->program, gpi_kernel_name(program->primitive, k), &error);
        if (error != CL_SUCCESS) return error;
        group = gpi_kernel_group_max(gp, program->kernel[k]);
        if (group < program->group_max) program->group_max = group;
    }
    return CL_SUCCESS;
}

static gp_result gpi_kernels_create(gp_context *gp, const char *function, gpi_program *program)
{
    const cl_int error = gpi_kernels_make(gp, program);
    return error == CL_SUCCESS ? GP_OK : gpi_fail_cl(gp, error, function, "clCreateKernel");
}

/* From its file, or from source. Mesa takes a damaged binary, and then has no kernels of it. */
static gp_result gpi_program_build(gp_context *gp, const char *function, const char *source,
                                   gpi_program *program)
{
    gp_result result;
    if (gpi_build_binary(gp, program)) {
        const cl_int error = gpi_kernels_make(gp, program);
        if (error != CL_INVALID_PROGRAM_EXECUTABLE && error != CL_INVALID_KERNEL_NAME) {
            gp->profile.programs_loaded++;
            program->frozen = true;
            return error == CL_SUCCESS ? GP_OK : gpi_fail_cl(gp, error, function, "clCreateKernel");
        }
        gpi_binary_refuse(gp, program);
    }
    result = gpi_build_source(gp, function, source, program);
    return result == GP_OK ? gpi_kernels_create(gp, function, program) : result;
}

/* ------------------------------------------------------------------ in memory */

static void gpi_program_free(gpi_program *program)
{
    size_t k;
    if (!program) return;
    for (k = 0; k < GPI_KERNELS_MAX; k++) {
        if (program->kernel[k]) (void)clReleaseKernel(program->kernel[k]);
    }
    if (program->program) (void)clReleaseProgram(program->program);
    if (program->fresh) (void)clReleaseEvent(program->fresh);
    free(program->prelude);
    free(program);
}

/* Commands in flight keep what they need of it. Where they have not ended, what is new is not saved: whoever
   needs the program again builds it again. */
static void gpi_program_drop(gp_context *gp, gpi_program **at)
{
    gpi_program *program = *at;
    if (gpi_program_has_run(gp, program)) gpi_program_save(gp, program);
    *at = program->next;
    gpi_program_free(program);
    gp->profile.programs_dropped++;
}

/* The program used longest ago, of those that no call in progress may hold; NULL: there is none. */
static gpi_program **gpi_programs_oldest(gp_context *gp)
{
    gpi_program **at, **oldest = NULL;
    for (at = &gp->programs; *at; at = &(*at)->next) {
        if ((*at)->fetched > gp->released) continue;
        if (!oldest || (*at)->fetched < (*oldest)->fetched) oldest = at;
    }
    return oldest;
}

/* Drops programs until the rest keeps the bound. */
static void gpi_programs_trim(gp_context *gp)
{
    const size_t limit = gp->desc.program_limit ? gp->desc.program_limit : GPI_PROGRAM_LIMIT;
    const gpi_program *p;
    gpi_program **oldest;
    size_t count = 0;
    for (p = gp->programs; p; p = p->next) count++;
    for (; count > limit && (oldest = gpi_programs_oldest(gp)) != NULL; count--) gpi_program_drop(gp, oldest);
}

static void gpi_programs_free(gp_context *gp)
{
    while (gp->programs) {
        gpi_program *next = gp->programs->next;
        gpi_program_free(gp->programs);
        gp->programs = next;
    }
}

static gpi_program *gpi_program_find(const gp_context *gp, gpi_primitive primitive, const char *prelude,
                                     uint64_t hash)
{
    gpi_program *p = gp->programs;
    while (p && (p->hash != hash || p->primitive != primitive || strcmp(p->prelude, prelude) != 0))
        p = p->next;
    return p;
}

/* Builds or loads a program that is not in memory yet. Takes `prelude`. */
static gp_result gpi_program_make(gp_context *gp, const char *function, gpi_primitive primitive,
                                  char *prelude, uint64_t hash, size_t fields, gpi_program **out)
{
    gpi_program *program = (gpi_program *)calloc(1, sizeof *program);
    char *source = gpi_source_compose(primitive, prelude, fields);
    gp_result result;
    if (!program || !source) {
        free(source);
        free(prelude);
        free(program);
        return gpi_fail(gp, GP_ERROR_OUT_OF_HOST_MEMORY, "%s: no memory for a program", function);
    }
    program->primitive = primitive;
    program->prelude = prelude;
    program->hash = hash;
    program->fields = fields;
    program->key = gpi_key_make(gp, source, strlen(prelude));
    gpi_dump(gp, program, ".cl", source, strlen(source));
    result = gpi_check_macros(gp, function, prelude, source + strlen(prelude));
    if (result == GP_OK) result = gpi_program_build(gp, function, source, program);
    free(source);
    if (result != GP_OK) {
        gpi_program_free(program);
        return result;
    }
    program->fetched = ++gp->fetches;
    program->next = gp->programs;
    gp->programs = program;
    *out = program;
    gpi_programs_trim(gp);
    return GP_OK;
}

/* The program with this prelude, which it takes (NULL: there was no memory for it). */
static gp_result gpi_program_get_text(gp_context *gp, const char *function, gpi_primitive primitive,
                                      char *prelude, size_t fields, gpi_program **out)
{
    uint64_t hash;
    if (!prelude) return gpi_fail(gp, GP_ERROR_OUT_OF_HOST_MEMORY, "%s: no memory for a program", function);
    hash = gpi_hash(GPI_HASH_SEED, prelude, strlen(prelude));
    *out = gpi_program_find(gp, primitive, prelude, hash);
    if (!*out) return gpi_program_make(gp, function, primitive, prelude, hash, fields, out);
    (*out)->fetched = ++gp->fetches;
    free(prelude);
    return GP_OK;
}

/* The program for a description and plan; the plan's group may shrink. */
static gp_result gpi_program_get_fit(gp_context *gp, const char *function, gpi_primitive primitive,
                                     gpi_prelude_function *prelude, const void *description, gpi_plan *plan,
                                     gpi_program **out)
{
    for (;;) {
        const gp_result result =
            gpi_program_get_text(gp, function, primitive, prelude(gp, plan, description), 0, out);
        if (result != GP_OK || gpi_plan_fits(plan, *out)) return result;
    }
}

/* The program for this element and plan; as above. */
static gp_result gpi_program_get(gp_context *gp, const char *function, gpi_primitive primitive,
                                 const gpi_element *element, gpi_plan *plan, gpi_program **out)
{
    for (;;) {
        char *prelude = gpi_prelude_make(gp, primitive, element, plan);
        const gp_result result =
            gpi_program_get_text(gp, function, primitive, prelude, element->field_count, out);
        if (result != GP_OK || gpi_plan_fits(plan, *out)) return result;
    }
}
