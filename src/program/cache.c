/* cache.c - saves built programs on disk and loads them, and writes to the dump folder.

   A file holds one program's binary for one device and driver. Its name is the key; its header repeats the key and has
   a checksum, because a damaged binary can crash a driver. It is written under another name and renamed, so that a
   reader sees all of it or nothing. Loading a file renews its time. After a save, the least recently used files are
   removed until the folder is within its limit. Other processes may do the same at any moment: if a file has
   disappeared, its program is built again.
   A driver may crash on a file whose checksum is right. So a process keeps a locked mark beside a file while the driver
   loads that file. A mark that is not locked was left by a process that died. */
#include "base/context.h"
#include "base/error.h"
#include "base/math.h"
#include "base/memory.h"
#include "program/file.h"
#include "runtime/device.h"

#include "program/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if !defined(_WIN32)
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

#define GPI_CACHE_MAGIC "GPUPRIM4"
#define GPI_CACHE_MARK ".loading"           /* the end of a mark's name */
#define GPI_CACHE_LIMIT ((size_t)256 << 20) /* bytes of the cache, if the desc sets no limit */
#define GPI_CACHE_STALE 3600 /* seconds until the process of a temporary file or mark counts as dead */

/* Returns true for an absolute path. A relative path would name a different folder in each working directory, and the
   XDG specification requires it to be ignored. */
static bool gpi_is_absolute(const char *path)
{
#if defined(_WIN32)
    return path && *path;
#else
    return path && *path == '/';
#endif
}

/* Returns the folder of the cache if the caller names none; NULL: no cache. On PoCL there is no cache by default: PoCL
   caches machine code itself, and compiles every kernel again when a program's binary is read (docs/drivers.md). */
static char *gpi_cache_dir_default(gp_context *gp)
{
    const char *named = getenv("GPUPRIM_CACHE");
    const char *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    const char *local = getenv("LOCALAPPDATA");
    if (named && strcmp(named, "off") == 0) return NULL;
    if (gpi_is_absolute(named)) return gpi_format("%s", named);
    if (named && *named) {
        gpi_log(gp, GP_LOG_WARNING,
                "cache: GPUPRIM_CACHE is \"%s\", must be off or an absolute path; ignored", named);
    }
    if (gpi_is_pocl(&gp->info)) return NULL;
    if (gpi_is_absolute(cache)) return gpi_format("%s/gpuprim", cache);
    if (gpi_is_absolute(local)) return gpi_format("%s/gpuprim", local);
    if (gpi_is_absolute(home)) return gpi_format("%s/.cache/gpuprim", home);
    return NULL;
}

static char *gpi_cache_path(const gp_context *gp, const gpi_program *program)
{
    return gpi_format("%s/%016llx%016llx.bin", gp->cache_dir, (unsigned long long)program->key.word[0],
                      (unsigned long long)program->key.word[1]);
}

/* Stops saving to the cache, and logs that once. */
static void gpi_cache_close(gp_context *gp, const char *path)
{
    if (gp->cache_closed) return;
    gpi_log(gp, GP_LOG_WARNING, "cache: cannot write %s; nothing more is saved", path);
    gp->cache_closed = true;
}

/* Takes ownership of the folder's name (NULL: no cache), and makes the folder. If the folder cannot be written, it may
   still be read. */
static void gpi_cache_open(gp_context *gp, char *folder)
{
    gp->cache_dir = folder;
    if (!folder) return;
    (void)gpi_make_dirs(folder);
#if !defined(_WIN32)
    if (access(folder, W_OK | X_OK) != 0) gpi_cache_close(gp, folder);
#endif
}

/* ------------------------------------------------------------------ cache: its bound */

#if defined(_WIN32)

static void gpi_cache_trim(gp_context *gp) { (void)gp; }

#else

typedef struct gpi_cache_file {
    char *path;
    uint64_t size;
    time_t used; /* time of the last use, in whole seconds */
} gpi_cache_file;

typedef struct gpi_cache_files {
    gpi_cache_file *file;
    size_t count, capacity;
    uint64_t bytes;
} gpi_cache_files;

/* Returns the part of a cache file's name after the key and ".bin"; NULL: `name` is not the name of such a
   file. */
static const char *gpi_cache_ending(const char *name)
{
    return strspn(name, "0123456789abcdef") == 32 && strncmp(name + 32, ".bin", 4) == 0 ? name + 36 : NULL;
}

/* Returns true if the file begins like a file of the cache, in any version of the format. The name alone does not prove
   that the file belongs to the cache. */
static bool gpi_cache_has_magic(const char *path) { return gpi_file_begins(path, GPI_CACHE_MAGIC, 7); }

/* Adds a file to the list. Takes ownership of `path`. */
static void gpi_cache_files_add(gpi_cache_files *files, char *path, const struct stat *info)
{
    if (files->count == files->capacity) {
        const size_t capacity = files->capacity ? 2 * files->capacity : 64;
        gpi_cache_file *grown = (gpi_cache_file *)GP_REALLOC(files->file, capacity * sizeof *grown);
        if (!grown) {
            GP_FREE(path);
            return;
        }
        files->file = grown;
        files->capacity = capacity;
    }
    files->file[files->count].path = path;
    files->file[files->count].size = (uint64_t)info->st_size;
    files->file[files->count].used = info->st_mtime;
    files->count++;
    files->bytes += (uint64_t)info->st_size;
}

/* Removes a temporary file, or a mark together with the file that it marks, if it is so old that its process
   counts as dead. */
static void gpi_cache_clean(char *path, const char *ending, const struct stat *info)
{
    const size_t length = strlen(ending), mark = sizeof GPI_CACHE_MARK - 1;
    if (difftime(time(NULL), info->st_mtime) <= GPI_CACHE_STALE) return;
    if (length > 4 && strcmp(ending + length - 4, ".tmp") == 0) (void)remove(path);
    if (strcmp(ending, GPI_CACHE_MARK) != 0) return;
    (void)remove(path);
    path[strlen(path) - mark] = '\0';
    if (gpi_cache_has_magic(path)) (void)remove(path);
}

/* Adds a program's file to the list, or removes a file that a dead process has left behind. */
static void gpi_cache_visit(gpi_cache_files *files, const char *folder, const char *name)
{
    const char *ending = gpi_cache_ending(name);
    struct stat info;
    char *path = ending ? gpi_format("%s/%s", folder, name) : NULL;
    if (!path || stat(path, &info) != 0 || !S_ISREG(info.st_mode)) {
        GP_FREE(path);
    } else if (*ending == '\0') {
        gpi_cache_files_add(files, path, &info);
    } else {
        gpi_cache_clean(path, ending, &info);
        GP_FREE(path);
    }
}

static int gpi_cache_older(const void *pa, const void *pb)
{
    const gpi_cache_file *a = (const gpi_cache_file *)pa, *b = (const gpi_cache_file *)pb;
    return (a->used > b->used) - (a->used < b->used);
}

/* Removes the least recently used files until the rest is within the limit. */
static void gpi_cache_trim(gp_context *gp)
{
    const uint64_t limit = gp->desc.cache_limit ? gp->desc.cache_limit : GPI_CACHE_LIMIT;
    gpi_cache_files files;
    DIR *folder = opendir(gp->cache_dir);
    const struct dirent *entry;
    size_t i;
    if (!folder) return;
    memset(&files, 0, sizeof files);
    while ((entry = readdir(folder)) != NULL) gpi_cache_visit(&files, gp->cache_dir, entry->d_name);
    (void)closedir(folder);
    if (files.bytes > limit) qsort(files.file, files.count, sizeof *files.file, gpi_cache_older);
    for (i = 0; i < files.count; i++) {
        const gpi_cache_file *file = &files.file[i];
        if (files.bytes > limit) {
            if (gpi_cache_has_magic(file->path)) (void)remove(file->path); /* the file may have disappeared */
            files.bytes -= file->size;
        }
        GP_FREE(file->path);
    }
    GP_FREE(files.file);
}

#endif

/* ------------------------------------------------------------------ cache: marks */

static char *gpi_mark_path(const gp_context *gp, const gpi_program *program)
{
    char *file = gp->cache_dir ? gpi_cache_path(gp, program) : NULL;
    char *path = file ? gpi_format("%s" GPI_CACHE_MARK, file) : NULL;
    GP_FREE(file);
    return path;
}

/* Marks the program's file before the driver loads it. Returns false if an earlier process died while loading the file;
   in that case removes the file, which must not be loaded. */
static bool gpi_cache_mark(gp_context *gp, gpi_program *program)
{
    char *path = gpi_mark_path(gp, program);
    bool dead = false;
    program->mark = path ? gpi_mark_set(path, &dead) : -1;
    if (dead) {
        gpi_cache_drop(gp, program);
        (void)remove(path);
        gpi_log(gp, GP_LOG_WARNING,
                "cache: a process ended while it loaded a program, which is built anew: %s", path);
    }
    GP_FREE(path);
    return !dead;
}

static void gpi_cache_unmark(const gp_context *gp, gpi_program *program)
{
    char *path = gpi_mark_path(gp, program);
    gpi_mark_remove(path, program->mark);
    GP_FREE(path);
}

/* ------------------------------------------------------------------ cache */

/* Returns a checksum of the header's numbers, from the key to the size, and the binary. */
static uint64_t gpi_cache_checksum(const gpi_cache_header *header, const unsigned char *body, size_t size)
{
    const size_t begin = offsetof(gpi_cache_header, key), end = offsetof(gpi_cache_header, checksum);
    const unsigned char *numbers = (const unsigned char *)header + begin;
    return gpi_fnv1a(gpi_fnv1a(GPI_FNV1A_SEED, numbers, end - begin), body, size);
}

static gpi_cache_header gpi_cache_header_make(const gpi_program *program, uint32_t kernels,
                                              const unsigned char *binary, size_t size)
{
    gpi_cache_header header;
    memcpy(header.magic, GPI_CACHE_MAGIC, sizeof header.magic);
    header.key = program->key;
    header.kernels = kernels;
    header.size = size;
    header.checksum = gpi_cache_checksum(&header, binary, size);
    return header;
}

/* Returns true if the header is of this version and belongs to the undamaged `body`. */
static bool gpi_cache_header_fits(const gpi_cache_header *header, const unsigned char *body, size_t size)
{
    return memcmp(header->magic, GPI_CACHE_MAGIC, sizeof header->magic) == 0 && header->size == size &&
           header->checksum == gpi_cache_checksum(header, body, size);
}

/* Returns the program's cached binary, which the caller frees, and marks its file: call gpi_cache_unmark when the driver has
   loaded it. NULL: there is none. A damaged or foreign file is removed. */
static unsigned char *gpi_cache_load(gp_context *gp, gpi_program *program, size_t *size)
{
    gpi_cache_header header;
    char *path = gp->cache_dir ? gpi_cache_path(gp, program) : NULL;
    unsigned char *data = path ? gpi_file_read(path, true, size) : NULL;
    bool valid = false;
    if (data && *size > sizeof header) {
        memcpy(&header, data, sizeof header);
        *size -= sizeof header;
        memmove(data, data + sizeof header, *size);
        valid = memcmp(&header.key, &program->key, sizeof header.key) == 0 &&
                gpi_cache_header_fits(&header, data, *size);
        program->saved = valid ? (uint32_t)header.kernels : 0;
        if (valid) gpi_file_touch(path);
    }
    if (data && !valid) {
        gpi_log(gp, GP_LOG_WARNING, "cache: %s is damaged or foreign, dropped", path);
        (void)remove(path);
    }
    if (data && (!valid || !gpi_cache_mark(gp, program))) {
        GP_FREE(data);
        data = NULL;
        program->saved = 0;
    }
    GP_FREE(path);
    return data;
}

static void gpi_cache_drop(gp_context *gp, const gpi_program *program)
{
    char *path = gp->cache_dir ? gpi_cache_path(gp, program) : NULL;
    if (path) (void)remove(path);
    GP_FREE(path);
}

/* Saves the binary. If that fails, returns false and closes the cache: the next process has to build the program again. */
static bool gpi_cache_save(gp_context *gp, gpi_program *program, const unsigned char *binary, size_t size)
{
    const gpi_cache_header header = gpi_cache_header_make(program, program->launched, binary, size);
    char *path = gpi_cache_path(gp, program);
    const bool good = path && gpi_file_write(path, &header, sizeof header, binary, size);
    if (!good) gpi_cache_close(gp, path ? path : "?");
    else gpi_cache_trim(gp);
    GP_FREE(path);
    return good;
}

/* Writes a program's source or binary to the dump folder. */
static void gpi_dump(gp_context *gp, const gpi_program *program, const char *ending, const void *data,
                     size_t size)
{
    char *path;
    if (!gp->dump_dir) return;
    path = gpi_format("%s/%016llx%s", gp->dump_dir, (unsigned long long)program->key.word[0], ending);
    if (!path || !gpi_file_write(path, "", 0, data, size)) {
        gpi_log(gp, GP_LOG_WARNING, "dump: cannot write %s", path ? path : "?");
    }
    GP_FREE(path);
}
