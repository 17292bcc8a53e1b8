/* export.c - writes a context's programs as bytes: GPI_EXPORT_MAGIC, then each program in the format of a file of the
   disk cache. */
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "program/program.h"

static void gpi_export_write(gp_context *gp, gp_write *write, void *user, const void *bytes, size_t size)
{
    gp->callback = "write";
    write(bytes, size, user);
    gp->callback = NULL;
}

static void gpi_export_one(gp_context *gp, gpi_program *program, gp_write *write, void *user)
{
    size_t size = 0;
    unsigned char *binary = gpi_program_binary_now(gp, program, &size);
    gpi_cache_header header;
    if (!binary) {
        gpi_log(gp, GP_LOG_WARNING, "gp_programs_export: the driver gives no binary of a program, left out");
        return;
    }
    header = gpi_cache_header_make(program, program->launched | program->saved, binary, size);
    gpi_export_write(gp, write, user, &header, sizeof header);
    gpi_export_write(gp, write, user, binary, size);
    GP_FREE(binary);
    gp->stats.programs_saved++;
}

GP_API gp_result gp_programs_export(gp_context *gp, gp_write *write, void *user)
{
    gpi_program *p;
    gp_result result;
    gpi_enter(gp, __func__);
    if (!gp || !write) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp or write is NULL");
    }
    result = gp_finish(gp);
    if (result != GP_OK) return result;
    gpi_export_write(gp, write, user, GPI_EXPORT_MAGIC, sizeof GPI_EXPORT_MAGIC - 1);
    for (p = gp->programs; p; p = p->next)
        if (!p->borrowed) gpi_export_one(gp, p, write, user);
    return GP_OK;
}
