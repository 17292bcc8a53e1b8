/* fuzz_cache.c - the disk cache with any bytes in its files, for libFuzzer.

   An input is how a file of the cache is damaged, and other files beside it. The context then loads the
   program that the file is named after, or builds it, and saves it, which trims the folder. Must hold for any
   input:
     - no crash, no undefined behaviour, no leak
     - the call succeeds, with the program loaded or built
     - the driver sees a binary only when the file had this program's key, its size and its checksum, and then
       all of it and nothing else
     - afterwards the file is a good one
     - files that are none of the cache's stay */
#include "fake_cl.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../gpuprim.h"

enum { FUZZ_EXTRAS = 3, FUZZ_HEADER = 48 };

typedef struct fuzz {
    const unsigned char *data;
    size_t size, at;
} fuzz;

static char folder[64];
static char good_path[256];
static unsigned char *good; /* the file as the library writes it */
static size_t good_size;

static void fuzz_stop(const char *what)
{
    fprintf(stderr, "fuzz: cache: %s\n", what);
    abort();
}

static unsigned fuzz_byte(fuzz *f) { return f->at < f->size ? f->data[f->at++] : 0; }

/* ------------------------------------------------------------------ files */

static unsigned char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    unsigned char *data = malloc(1 << 16);
    if (!data) abort();
    *size = file ? fread(data, 1, 1 << 16, file) : 0;
    if (file) (void)fclose(file);
    if (file) return data;
    free(data);
    return NULL;
}

static void write_file(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0) fuzz_stop("cannot write a file");
}

static bool exists(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0;
}

/* ------------------------------------------------------------------ what a good file is: told anew */

static uint64_t number_at(const unsigned char *data, size_t at)
{
    uint64_t x;
    memcpy(&x, data + at, sizeof x);
    return x;
}

/* Of the key, which kernels are inside, the size, and the binary. */
static uint64_t checksum(const unsigned char *file, size_t size)
{
    uint64_t sum = 0xcbf29ce484222325u;
    size_t i;
    for (i = 8; i < size; i = i == 39 ? FUZZ_HEADER : i + 1) sum = (sum ^ file[i]) * 0x100000001b3u;
    return sum;
}

static bool is_good(const unsigned char *data, size_t size)
{
    return size > FUZZ_HEADER && memcmp(data, good, 24) == 0 && number_at(data, 32) == size - FUZZ_HEADER &&
           number_at(data, 40) == checksum(data, size);
}

/* ------------------------------------------------------------------ an input */

/* A call in a context of its own, as a process would. */
static gp_stats call(size_t limit)
{
    gp_context_desc desc = {0};
    gp_fill_desc fill = {0};
    gp_stats profile;
    gp_context *gp;
    desc.device = fake_device(FAKE_CPU);
    desc.cache_dir = folder;
    desc.cache_limit = limit;
    if (gp_context_create(&desc, &gp) != GP_OK) fuzz_stop("no context");
    if (gp_buffer_create(gp, 64, NULL, &fill.out) != GP_OK) fuzz_stop("no buffer");
    fill.element_size = 4;
    fill.count = 16;
    if (gp_fill(gp, &fill) != GP_OK) fuzz_stop(gp_last_error(gp));
    if (gp_stats_read(gp, &profile) != GP_OK) fuzz_stop(gp_last_error(gp));
    (void)clReleaseMemObject(fill.out);
    gp_context_destroy(gp);
    return profile;
}

/* The file that the library writes, and its name. */
static void open_folder(void)
{
    const char *base = getenv("TMPDIR");
    const struct dirent *entry;
    DIR *listing;
    (void)umask(022); /* files that others may write to are not loaded */
    (void)snprintf(folder, sizeof folder, "%s/gpuprim-fuzz-XXXXXX", base ? base : "/tmp");
    if (!mkdtemp(folder)) fuzz_stop("no folder");
    (void)call(0);
    listing = opendir(folder);
    while (listing && (entry = readdir(listing)) != NULL) {
        if (entry->d_name[0] != '.')
            (void)snprintf(good_path, sizeof good_path, "%s/%s", folder, entry->d_name);
    }
    if (listing) (void)closedir(listing);
    good = read_file(good_path, &good_size);
    if (!good || !is_good(good, good_size)) fuzz_stop("the file that was saved is not a good one");
}

static void close_folder(void)
{
    (void)remove(good_path);
    (void)rmdir(folder);
}

/* The good file changed at some places and cut or grown; or any bytes, with parts of the header put right. */
static unsigned char *damaged(fuzz *f, size_t *size)
{
    const unsigned how = fuzz_byte(f), rest = (unsigned)(f->size - f->at);
    unsigned char *data = malloc(good_size + f->size + FUZZ_HEADER);
    size_t i;
    if (!data) abort();
    if (how & 1) {
        memcpy(data, good, good_size);
        *size = good_size;
        for (i = fuzz_byte(f) % 4; i > 0; i--) data[fuzz_byte(f) % good_size] ^= (unsigned char)fuzz_byte(f);
        if (how & 2) *size = fuzz_byte(f) % (good_size + 1);
    } else {
        memcpy(data, f->data + f->at, rest);
        f->at = f->size;
        *size = rest;
    }
    if (*size < FUZZ_HEADER) return data;
    if (how & 4) memcpy(data, good, 24);
    if (how & 8) {
        const uint64_t body = *size - FUZZ_HEADER;
        memcpy(data + 32, &body, 8);
    }
    if (how & 16) {
        const uint64_t sum = checksum(data, *size);
        memcpy(data + 40, &sum, 8);
    }
    return data;
}

/* Files beside it: named as the cache's are, nearly so, or at all; with its magic or not. */
typedef struct extra {
    char path[256];
    bool ours; /* the cache may remove it */
} extra;

static void add_extra(fuzz *f, unsigned k, extra *e)
{
    static const char digits[] = "0123456789abcdefg";
    const unsigned how = fuzz_byte(f), length = how & 1 ? 32 : fuzz_byte(f) % 40;
    const bool magic = how & 2;
    char name[80];
    unsigned char body[64];
    size_t i, n;
    bool hexadecimal = true;
    memset(body, (int)k, sizeof body);
    for (i = 0; i < length; i++) name[i] = digits[fuzz_byte(f) % (how & 4 ? 17 : 16)];
    name[length] = '\0';
    for (i = 0; i < length; i++) hexadecimal = hexadecimal && name[i] != 'g';
    n = length;
    (void)snprintf(name + n, sizeof name - n, "%s", how & 8 ? ".bin" : how & 16 ? ".bin.1.2.tmp" : ".txt");
    if (magic) memcpy(body, good, 8);
    (void)snprintf(e->path, sizeof e->path, "%s/%s", folder, name);
    e->ours = strcmp(e->path, good_path) == 0 || (length == 32 && hexadecimal && (how & 8) && magic);
    if (exists(e->path)) e->ours = true; /* of this name there is one already, for which others answer */
    else write_file(e->path, body, sizeof body);
}

static void check_file(bool may_be_trimmed)
{
    size_t size;
    unsigned char *data = read_file(good_path, &size);
    if (!data && !may_be_trimmed) fuzz_stop("no file was saved");
    if (data && (!is_good(data, size) || size != good_size ||
                 memcmp(data + FUZZ_HEADER, good + FUZZ_HEADER, size - FUZZ_HEADER) != 0))
        fuzz_stop("the file is no good one afterwards");
    free(data);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t input_size)
{
    fuzz f = {input, input_size, 0};
    extra extras[FUZZ_EXTRAS];
    unsigned char *data;
    unsigned extra_count, k, limit;
    size_t size;
    bool valid;
    gp_stats profile;
    if (!good) {
        open_folder();
        (void)atexit(close_folder);
    }
    extra_count = fuzz_byte(&f) % (FUZZ_EXTRAS + 1);
    limit = fuzz_byte(&f);
    for (k = 0; k < extra_count; k++) add_extra(&f, k, &extras[k]);
    data = damaged(&f, &size);
    write_file(good_path, data, size);
    valid = is_good(data, size);
    fake_forget_offers();
    fake_errors = 0;
    profile = call(limit);
    if (fake_errors) fuzz_stop(fake_error);
    if (fake_offers != valid) fuzz_stop(valid ? "a good file was not used" : "a bad file came to the driver");
    if (valid && (fake_offered_size != size - FUZZ_HEADER ||
                  memcmp(fake_offered, data + FUZZ_HEADER, fake_offered_size) != 0))
        fuzz_stop("the driver got other bytes than the file has");
    if (profile.programs_built + profile.programs_loaded != 1) fuzz_stop("neither built nor loaded");
    check_file(limit > 0);
    for (k = 0; k < extra_count; k++) {
        if (!extras[k].ours && !exists(extras[k].path)) fuzz_stop(extras[k].path);
    }
    for (k = 0; k < extra_count; k++) (void)remove(extras[k].path);
    free(data);
    fake_forget_offers();
    if (fake_live) fuzz_stop("objects are left");
    return 0;
}
