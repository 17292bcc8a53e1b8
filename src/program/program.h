/* program.h - composes, builds, caches and saves programs. */
#pragma once
#include "base/text.h"
#include "runtime/tuning.h"

#define GPI_KERNELS_MAX 10 /* most kernels of one program */
#define GPI_EXPORT_MAGIC "GPUPACK2"

typedef struct gpi_cache_key {
    uint64_t word[2];
} gpi_cache_key;

/* The header before a binary, in a file of the cache and in the output of gp_programs_export. */
typedef struct gpi_cache_header {
    char magic[8];
    gpi_cache_key key;
    uint64_t kernels; /* bit k: the binary has kernel k's machine code */
    uint64_t size;    /* bytes of the binary that follows */
    uint64_t checksum;
} gpi_cache_header;

typedef struct gpi_program {
    struct gpi_program *next;
    gpi_primitive primitive;
    char *prelude;     /* prelude and primitive identify a program in a context */
    gpi_cache_key key; /* two hashes of everything that the binary depends on */
    cl_program program;
    cl_kernel kernel[GPI_KERNELS_MAX];
    const char *const *names; /* names of the kernels; NULL after the last one */
    size_t group_max;         /* the largest group that all kernels can be launched with */
    size_t sub_group;         /* work-items of the kernels' sub-groups; 0: not reported; 1: kernels differ */
    uint32_t launched;        /* bit k: kernel k has been launched, so that its machine code exists */
    uint32_t saved;           /* bit k: kernel k's machine code is in the file of the disk cache */
    cl_event fresh;           /* event of the last launch of a new kernel; NULL: there was none */
    uint64_t fetched;         /* gp_context.fetches when the program was last looked up */
    int mark;                 /* the mark of its file while the driver loads the file: cache.c */
    bool frozen;   /* its binary was read or loaded, so that the driver may not extend it any more */
    bool borrowed; /* the cl_program belongs to another context */
} gpi_program;

/* Writes the prelude for a plan and a description: all that distinguishes a program from others of its primitive. */
typedef void gpi_prelude_function(const gp_context *gp, const gpi_plan *plan, const void *description,
                                  gpi_text *text);

/* compose.c */
static const char *gpi_program_file(gpi_primitive primitive);
static const char *const *gpi_kernel_names(gpi_primitive primitive, const char *wing);
static const char *gpi_wing_of(const char *prelude);
static void gpi_text_add_kernels(gpi_text *text, const char *path);
static void gpi_text_sub_group(const gp_context *gp, const gpi_plan *plan, gpi_text *text);
static void gpi_text_plan(const gp_context *gp, const gpi_plan *plan, gpi_text *text);
static void gpi_prelude_plan(const gp_context *gp, const gpi_plan *plan, gpi_text *text);
static void gpi_prelude_apart(const gp_context *gp, const gpi_plan *plan, gpi_text *text);
static char *gpi_source_compose(gpi_primitive primitive, const char *prelude);
static gpi_cache_key gpi_key_make(const gp_context *gp, const char *source, size_t prelude);

/* build.c */
static const char *gpi_program_options(const gp_context *gp, const gpi_program *program);
static cl_program gpi_build_quickly(const gp_context *gp, const char *source, const gpi_program *program);
static gp_result gpi_kernels_create(gp_context *gp, gpi_program *program);
static gp_result gpi_program_build(gp_context *gp, const char *source, gpi_program *program);

/* program.c */
static void gpi_programs_free(gp_context *gp);
static gp_result gpi_program_get_text(gp_context *gp, gpi_primitive primitive, char *prelude,
                                      gpi_program **out);
static gp_result gpi_program_get(gp_context *gp, gpi_primitive primitive, gpi_prelude_function *prelude,
                                 const void *description, gpi_plan *plan, gpi_program **out);

/* save.c */
static unsigned char *gpi_program_binary_now(gp_context *gp, gpi_program *program, size_t *size);
static void gpi_program_save(gp_context *gp, gpi_program *program);
static void gpi_programs_save(gp_context *gp);
static bool gpi_program_has_run(const gp_context *gp, const gpi_program *program);
static void gpi_programs_save_run(gp_context *gp);
static void gpi_program_launched(gp_context *gp, gpi_program *program, size_t kernel, cl_event event);
static gp_result gpi_programs_share(gp_context *gp, const gp_context *from);

/* cache.c */
static char *gpi_cache_dir_default(gp_context *gp);
static void gpi_cache_open(gp_context *gp, char *folder);
static gpi_cache_header gpi_cache_header_make(const gpi_program *program, uint32_t kernels,
                                              const unsigned char *binary, size_t size);
static bool gpi_cache_header_fits(const gpi_cache_header *header, const unsigned char *body, size_t size);
static void gpi_cache_unmark(const gp_context *gp, gpi_program *program);
static unsigned char *gpi_cache_load(gp_context *gp, gpi_program *program, size_t *size);
static void gpi_cache_drop(gp_context *gp, const gpi_program *program);
static bool gpi_cache_save(gp_context *gp, gpi_program *program, const unsigned char *binary, size_t size);
static void gpi_dump(gp_context *gp, const gpi_program *program, const char *ending, const void *data,
                     size_t size);

/* import.c */
static const unsigned char *gpi_import_find(const gp_context *gp, gpi_program *program, size_t *size);
static bool gpi_import_drop(gp_context *gp, const gpi_cache_key *key);
static void gpi_imports_free(gp_context *gp);

/* build_log.c */
static char *gpi_log_arrange(const char *log);
static bool gpi_log_compares_buffer(const char *log);
static void gpi_log_explain(const char *log, char *out, size_t size);
