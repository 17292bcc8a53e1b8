/* import.c - keeps imported binaries, which gp_programs_export has written, until calls need them. */
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/use.h"
#include "program/program.h"

#include <string.h>

typedef struct gpi_import {
    struct gpi_import *next;
    gpi_cache_header header;
} gpi_import; /* in memory, the binary follows this struct */

/* Returns the imported binary of the program and sets program->saved; NULL: there is none. */
static const unsigned char *gpi_import_find(const gp_context *gp, gpi_program *program, size_t *size)
{
    const gpi_import *p = gp->imports;
    while (p && memcmp(&p->header.key, &program->key, sizeof program->key) != 0) p = p->next;
    if (!p) return NULL;
    *size = (size_t)p->header.size;
    program->saved = (uint32_t)p->header.kernels;
    return (const unsigned char *)(p + 1);
}

/* Drops the import with this key. Returns false if there is none. */
static bool gpi_import_drop(gp_context *gp, const gpi_cache_key *key)
{
    gpi_import **at = &gp->imports, *dropped;
    while (*at && memcmp(&(*at)->header.key, key, sizeof *key) != 0) at = &(*at)->next;
    if (!*at) return false;
    dropped = *at;
    *at = dropped->next;
    GP_FREE(dropped);
    return true;
}

static void gpi_import_list_free(gpi_import *list)
{
    while (list) {
        gpi_import *next = list->next;
        GP_FREE(list);
        list = next;
    }
}

static void gpi_imports_free(gp_context *gp)
{
    gpi_import_list_free(gp->imports);
    gp->imports = NULL;
}

/* Adds the program at the beginning of `bytes` to the front of *list, and returns the length of its header and binary.
   Returns 0 if the program is damaged, or if there was no memory, which also sets *full. */
static size_t gpi_import_one(const unsigned char *bytes, size_t size, gpi_import **list, bool *full)
{
    gpi_cache_header header;
    gpi_import *made;
    if (size < sizeof header) return 0;
    memcpy(&header, bytes, sizeof header);
    if (header.size > size - sizeof header ||
        !gpi_cache_header_fits(&header, bytes + sizeof header, (size_t)header.size)) {
        return 0;
    }
    made = (gpi_import *)GP_MALLOC(sizeof *made + (size_t)header.size);
    *full = !made;
    if (!made) return 0;
    made->header = header;
    memcpy(made + 1, bytes + sizeof header, (size_t)header.size);
    made->next = *list;
    *list = made;
    return sizeof header + (size_t)header.size;
}

/* Moves `list` to the context's imports, and drops earlier ones with the same keys. */
static void gpi_imports_add(gp_context *gp, gpi_import *list)
{
    while (list) {
        gpi_import *next = list->next;
        (void)gpi_import_drop(gp, &list->header.key);
        list->next = gp->imports;
        gp->imports = list;
        list = next;
    }
}

GP_API gp_result gp_programs_import(gp_context *gp, const void *data, size_t size)
{
    const size_t head = sizeof GPI_EXPORT_MAGIC - 1;
    const unsigned char *bytes = (const unsigned char *)data;
    gpi_import *list = NULL;
    size_t at = head, one = 1;
    bool full = false;
    gp_result result;
    gpi_enter(gp, __func__);
    if (!gp || !data) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp or data is NULL");
    }
    result = gpi_check_use(gp);
    if (result != GP_OK) return result;
    if (size < head || memcmp(bytes, GPI_EXPORT_MAGIC, head) != 0) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "not what gp_programs_export of this version writes");
    }
    for (; at < size && one; at += one) one = gpi_import_one(bytes + at, size - at, &list, &full);
    if (one) {
        gpi_imports_add(gp, list);
        return GP_OK;
    }
    gpi_import_list_free(list);
    if (full) return gpi_fail(gp, GP_ERROR_OUT_OF_HOST_MEMORY, "no memory");
    return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "damaged at byte %llu of %llu", (unsigned long long)at,
                    (unsigned long long)size);
}
