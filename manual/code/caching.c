/* Chapter "Caching and shipping". */
#include "manual.h"

/* [descs] */
static const gp_scan_desc scan = {.type = GP_U32, .op = GP_SUM}; /* the fields that make the program */
static const gp_sort_desc sort = {.key_type = GP_F32, .value_size = 4};
/* [/descs] */

/* [write] */
static void to_file(const void *bytes, size_t size, void *file) { fwrite(bytes, 1, size, (FILE *)file); }
/* [/write] */

static void ship(gp_context *gp)
{
    static unsigned char data[8 << 20];
    size_t size;
    /* [export] */
    FILE *file = fopen("build/cache/programs.bin", "wb");
    TRY(gp_programs_export(gp, to_file, file));
    fclose(file);
    /* [/export] */
    file = fopen("build/cache/programs.bin", "rb");
    size = fread(data, 1, sizeof data, file);
    fclose(file);
    gp_context_destroy(gp);
    gp = open_context();
    /* [import] */
    TRY(gp_programs_import(gp, data, size)); /* the file's bytes; before the first calls */
    /* [/import] */
    gp_stats stats;
    TRY(gp_warmup(gp, &(gp_warmup_desc){.scan = &scan}));
    TRY(gp_stats_read(gp, &stats));
    EXPECT(stats.programs_built == 0 && stats.programs_loaded > 0);
    gp_context_destroy(gp);
}

int main(void)
{
    gp_context *gp = open_context();
    gp_stats stats;
    /* [warm] */
    gp_warmup_desc warm = {.scan = &scan, .sort = &sort};
    TRY(gp_warmup(gp, &warm)); /* builds or loads, and saves */
    /* [/warm] */
    TRY(gp_stats_reset(gp));
    /* [call] */
    gp_scan_desc call = scan;
    call.in = call.out = buffer_of(gp, 4000, NULL);
    call.count = 1000;
    TRY(gp_scan(gp, &call)); /* builds nothing */
    /* [/call] */
    TRY(gp_stats_read(gp, &stats));
    EXPECT(stats.programs_built == 0 && stats.programs_loaded == 0);
    clReleaseMemObject(call.in);
    ship(gp);

    /* [folder] */
    gp_context_desc device = {.cache_dir = "build/cache/manual", .cache_limit = 32 << 20};
    if (gp_context_create(&device, &gp) != GP_OK) puts(gp_last_error(NULL)), exit(1);
    /* [/folder] */
    TRY(gp_warmup(gp, &(gp_warmup_desc){.scan = &scan}));
    gp_context_destroy(gp);
    if (gp_context_create(&device, &gp) != GP_OK) puts(gp_last_error(NULL)), exit(1);
    TRY(gp_warmup(gp, &(gp_warmup_desc){.scan = &scan}));
    TRY(gp_stats_read(gp, &stats));
    EXPECT(stats.programs_built == 0 && stats.programs_loaded == 1);
    gp_context_destroy(gp);
    return 0;
}
