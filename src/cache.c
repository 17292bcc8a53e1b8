/* cache.c - built programs on disk, and the dump folder.

   A file holds one program's binary for one device and driver. Its name is the key; its header repeats
   the key and has a checksum, because a damaged binary can bring a driver down. It is written beside its
   place and renamed, so that a reader sees all of it or nothing. Loading one renews its time; after a save
   the files that were used longest ago go, until the folder keeps its bound. Other processes may do the
   same at any moment: a file that is gone is one to build, or one less to remove. */
#include "internal.h"

#include <time.h>

#if defined(_WIN32)
#include <direct.h>
#include <process.h>
#define GPI_MKDIR(path) _mkdir(path)
#define GPI_PID() ((unsigned)_getpid())
#else /* all of these declare what is used here also in strict C99 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>
#define GPI_MKDIR(path) mkdir(path, 0777)
#define GPI_PID() ((unsigned)getpid())
#endif

#define GPI_CACHE_MAGIC "GPUPRIM2"
#define GPI_CACHE_LIMIT ((size_t)256 << 20) /* bytes, where the desc names none */
#define GPI_CACHE_STALE 3600                /* seconds after which a temporary file is a dead process's */
#define GPI_CACHE_FILE_MAX 0x10000000       /* bytes of a file worth reading */
#define GPI_PATH_MAX 4096                   /* no system opens a longer one */

typedef struct gpi_cache_header {
    char magic[8];
    gpi_key key;
    uint64_t kernels; /* bit k: kernel k's machine code is inside */
    uint64_t size;    /* of the binary that follows */
    uint64_t checksum;
} gpi_cache_header;

static uint64_t gpi_hash(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = (const unsigned char *)data;
    size_t i;
    for (i = 0; i < size; i++) hash = (hash ^ bytes[i]) * 0x100000001b3u; /* FNV-1a */
    return hash;
}

/* A relative one would be another folder wherever the program is called (and the XDG specification has it
   ignored). */
static bool gpi_is_absolute(const char *path)
{
#if defined(_WIN32)
    return path && *path;
#else
    return path && *path == '/';
#endif
}

/* Where programs are kept when the caller names no folder; NULL when there is no such place. */
static char *gpi_cache_dir_default(void)
{
    const char *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    const char *local = getenv("LOCALAPPDATA");
    if (gpi_is_absolute(cache)) return gpi_format("%s/gpuprim", cache);
    if (gpi_is_absolute(local)) return gpi_format("%s/gpuprim", local);
    if (gpi_is_absolute(home)) return gpi_format("%s/.cache/gpuprim", home);
    return NULL;
}

/* Makes a folder and those above it. Whether it can be written shows when a file is. */
static bool gpi_make_dirs(const char *path)
{
    char *partial = strlen(path) < GPI_PATH_MAX ? gpi_format("%s", path) : NULL;
    char *at;
    if (!partial) return false;
    for (at = partial + 1; *partial && *at; at++) {
        if (*at != '/') continue;
        *at = '\0';
        (void)GPI_MKDIR(partial);
        *at = '/';
    }
    (void)GPI_MKDIR(partial);
    free(partial);
    return true;
}

static char *gpi_cache_path(const gp_context *gp, const gpi_program *program)
{
    return gpi_format("%s/%016llx%016llx.bin", gp->cache_dir, (unsigned long long)program->key.word[0],
                      (unsigned long long)program->key.word[1]);
}

/* ------------------------------------------------------------------ files */

#if defined(_WIN32)

/* All of a file, to be freed; NULL when it cannot be read. */
static unsigned char *gpi_file_read(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    unsigned char *data = NULL;
    long length;
    if (!file) return NULL;
    if (fseek(file, 0, SEEK_END) == 0 && (length = ftell(file)) > 0 && length <= GPI_CACHE_FILE_MAX &&
        fseek(file, 0, SEEK_SET) == 0) {
        data = (unsigned char *)malloc((size_t)length);
        *size = (size_t)length;
        if (data && fread(data, 1, *size, file) != *size) {
            free(data);
            data = NULL;
        }
    }
    (void)fclose(file);
    return data;
}

static FILE *gpi_file_create(const char *path) { return fopen(path, "wb"); }

#else

/* Opens a file to be read; -1: it cannot be, or must not. A pipe would be waited for, a device may have no
   end, and a binary of another user's, root's apart, would run as this one. */
static int gpi_file_open(const char *path, struct stat *info)
{
    const int file = open(path, O_RDONLY | O_NONBLOCK);
    if (file < 0) return -1;
    if (fstat(file, info) == 0 && S_ISREG(info->st_mode) &&
        (info->st_uid == geteuid() || info->st_uid == 0) && info->st_size <= GPI_CACHE_FILE_MAX)
        return file;
    (void)close(file);
    return -1;
}

/* False: there are not as many bytes. */
static bool gpi_file_fill(int file, unsigned char *to, size_t size)
{
    while (size > 0) {
        const ssize_t got = read(file, to, size);
        if (got == 0 || (got < 0 && errno != EINTR)) return false;
        if (got < 0) continue;
        to += got;
        size -= (size_t)got;
    }
    return true;
}

/* All of a file, to be freed; NULL when it cannot be read. */
static unsigned char *gpi_file_read(const char *path, size_t *size)
{
    struct stat info;
    const int file = gpi_file_open(path, &info);
    unsigned char *data = NULL;
    if (file < 0) return NULL;
    *size = (size_t)info.st_size;
    if (*size > 0) data = (unsigned char *)malloc(*size);
    if (data && !gpi_file_fill(file, data, *size)) {
        free(data);
        data = NULL;
    }
    (void)close(file);
    return data;
}

/* A new file: it follows no link that somebody may have put there. */
static FILE *gpi_file_create(const char *path)
{
    (void)remove(path); /* a dead process's with this number */
    return fopen(path, "wbx");
}

#endif

/* Writes head and body to a new file beside `path` and renames it: whole, or not at all. */
static bool gpi_file_write(const char *path, const void *head, size_t head_size, const void *body,
                           size_t body_size)
{
    char *temporary = gpi_format("%s.%u.%p.tmp", path, GPI_PID(), (const void *)&path);
    FILE *file = temporary ? gpi_file_create(temporary) : NULL;
    bool good = file != NULL;
    if (file) {
        good = fwrite(head, 1, head_size, file) == head_size && fwrite(body, 1, body_size, file) == body_size;
        good = fclose(file) == 0 && good;
#if defined(_WIN32)
        if (good) (void)remove(path); /* rename does not replace there */
#endif
        good = good && rename(temporary, path) == 0;
        if (!good) (void)remove(temporary);
    }
    free(temporary);
    return good;
}

/* ------------------------------------------------------------------ cache: its bound */

#if defined(_WIN32)

static void gpi_file_touch(const char *path) { (void)path; }
static void gpi_cache_trim(const gp_context *gp) { (void)gp; }

#else

static void gpi_file_touch(const char *path) { (void)utime(path, NULL); }

typedef struct gpi_cache_file {
    char *path;
    uint64_t size;
    time_t used; /* whole seconds */
} gpi_cache_file;

typedef struct gpi_cache_files {
    gpi_cache_file *file;
    size_t count, capacity;
    uint64_t bytes;
} gpi_cache_files;

/* What follows the key in the name of a file of ours; NULL: not ours. */
static const char *gpi_cache_ending(const char *name)
{
    return strspn(name, "0123456789abcdef") == 32 && strncmp(name + 32, ".bin", 4) == 0 ? name + 36 : NULL;
}

/* Whoever named it: is it a file of this cache by its contents? */
static bool gpi_cache_has_magic(const char *path)
{
    unsigned char magic[8];
    struct stat info;
    const int file = gpi_file_open(path, &info);
    const bool good = file >= 0 && gpi_file_fill(file, magic, sizeof magic) &&
                      memcmp(magic, GPI_CACHE_MAGIC, sizeof magic) == 0;
    if (file >= 0) (void)close(file);
    return good;
}

/* Takes `path`. */
static void gpi_cache_files_add(gpi_cache_files *files, char *path, const struct stat *info)
{
    if (files->count == files->capacity) {
        const size_t capacity = files->capacity ? 2 * files->capacity : 64;
        gpi_cache_file *grown = (gpi_cache_file *)realloc(files->file, capacity * sizeof *grown);
        if (!grown) {
            free(path);
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

/* Lists a program's file; removes a temporary one that its process has left behind. */
static void gpi_cache_visit(gpi_cache_files *files, const char *folder, const char *name)
{
    const char *ending = gpi_cache_ending(name);
    const size_t length = ending ? strlen(ending) : 0;
    struct stat info;
    char *path = ending ? gpi_format("%s/%s", folder, name) : NULL;
    if (!path || stat(path, &info) != 0 || !S_ISREG(info.st_mode)) {
        free(path);
    } else if (length == 0) {
        gpi_cache_files_add(files, path, &info);
    } else {
        if (length > 4 && strcmp(ending + length - 4, ".tmp") == 0 &&
            difftime(time(NULL), info.st_mtime) > GPI_CACHE_STALE)
            (void)remove(path);
        free(path);
    }
}

static int gpi_cache_older(const void *pa, const void *pb)
{
    const gpi_cache_file *a = (const gpi_cache_file *)pa, *b = (const gpi_cache_file *)pb;
    return (a->used > b->used) - (a->used < b->used);
}

/* Removes the files that were used longest ago until the rest keeps the bound. */
static void gpi_cache_trim(const gp_context *gp)
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
            if (gpi_cache_has_magic(file->path)) (void)remove(file->path); /* or another process has */
            files.bytes -= file->size;
        }
        free(file->path);
    }
    free(files.file);
}

#endif

/* ------------------------------------------------------------------ cache */

/* Of all that the key and the size do not tell. */
static uint64_t gpi_cache_checksum(const gpi_cache_header *header, const unsigned char *body, size_t size)
{
    return gpi_hash(gpi_hash(GPI_HASH_SEED, &header->kernels, sizeof header->kernels), body, size);
}

static bool gpi_cache_valid(const gpi_cache_header *header, const gpi_program *program,
                            const unsigned char *body, size_t body_size)
{
    return memcmp(header->magic, GPI_CACHE_MAGIC, sizeof header->magic) == 0 &&
           memcmp(&header->key, &program->key, sizeof header->key) == 0 && header->size == body_size &&
           header->checksum == gpi_cache_checksum(header, body, body_size);
}

/* The program's binary, to be freed, or NULL: not there, damaged or not ours (dropped then). */
static unsigned char *gpi_cache_load(gp_context *gp, gpi_program *program, size_t *size)
{
    gpi_cache_header header;
    char *path = gp->cache_dir ? gpi_cache_path(gp, program) : NULL;
    unsigned char *data = path ? gpi_file_read(path, size) : NULL;
    bool valid = false;
    if (data && *size > sizeof header) {
        memcpy(&header, data, sizeof header);
        *size -= sizeof header;
        memmove(data, data + sizeof header, *size);
        valid = gpi_cache_valid(&header, program, data, *size);
        program->saved = valid ? (uint32_t)header.kernels : 0;
        if (valid) gpi_file_touch(path);
    }
    if (data && !valid) {
        gpi_log(gp, GP_LOG_WARNING, "cache: %s is damaged or foreign, dropped", path);
        (void)remove(path);
        free(data);
        data = NULL;
    }
    free(path);
    return data;
}

static void gpi_cache_drop(gp_context *gp, const gpi_program *program)
{
    char *path = gp->cache_dir ? gpi_cache_path(gp, program) : NULL;
    if (path) (void)remove(path);
    free(path);
}

/* Failure to save costs a rebuild in the next process, nothing else. */
static bool gpi_cache_save(gp_context *gp, gpi_program *program, const unsigned char *binary, size_t size)
{
    gpi_cache_header header;
    char *path = gpi_cache_path(gp, program);
    bool good;
    memcpy(header.magic, GPI_CACHE_MAGIC, sizeof header.magic);
    header.key = program->key;
    header.kernels = program->launched;
    header.size = size;
    header.checksum = gpi_cache_checksum(&header, binary, size);
    good = path && gpi_file_write(path, &header, sizeof header, binary, size);
    if (!good) {
        gpi_log(gp, GP_LOG_WARNING, "cache: cannot write %s; nothing more is saved", path ? path : "?");
        free(gp->cache_dir);
        gp->cache_dir = NULL;
    } else {
        gpi_cache_trim(gp);
    }
    free(path);
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
    free(path);
}
