/* save.c - saves built programs, and shares them between contexts. */
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "runtime/device.h"
#include "runtime/events.h"
#include "program/program.h"

#include <string.h>

/* ------------------------------------------------------------------ binaries */

/* Returns the index of the context's device among the program's devices, and sets *count to their number. Returns *count if the
   device is not among them. The caller's cl_context may have several devices. */
static size_t gpi_program_device(const gp_context *gp, const gpi_program *program, cl_uint *count)
{
    cl_device_id devices[GPI_DEVICES_MAX];
    size_t i = 0;
    *count = 0;
    (void)clGetProgramInfo(program->program, CL_PROGRAM_NUM_DEVICES, sizeof *count, count, NULL);
    if (*count > GPI_DEVICES_MAX ||
        clGetProgramInfo(program->program, CL_PROGRAM_DEVICES, *count * sizeof *devices, devices, NULL)) {
        *count = 0;
    }
    while (i < *count && devices[i] != gp->info.device) i++;
    return i;
}

/* Returns the binary of a built program for the context's device, which the caller frees; NULL: there is none. */
static unsigned char *gpi_program_binary(const gp_context *gp, const gpi_program *program, size_t *size)
{
    size_t sizes[GPI_DEVICES_MAX];
    unsigned char *binaries[GPI_DEVICES_MAX];
    cl_uint count, i;
    const size_t own = gpi_program_device(gp, program, &count);
    if (own >= count ||
        clGetProgramInfo(program->program, CL_PROGRAM_BINARY_SIZES, count * sizeof *sizes, sizes, NULL) ||
        sizes[own] == 0) {
        return NULL;
    }
    for (i = 0; i < count; i++) binaries[i] = NULL; /* binaries for other devices are not wanted */
    binaries[own] = (unsigned char *)GP_MALLOC(sizes[own]);
    *size = sizes[own];
    if (binaries[own] &&
        clGetProgramInfo(program->program, CL_PROGRAM_BINARIES, count * sizeof *binaries, binaries, NULL)) {
        GP_FREE(binaries[own]);
        return NULL;
    }
    return binaries[own];
}

/* Builds the same program again from its source. Returns NULL on failure. */
static cl_program gpi_program_twin(const gp_context *gp, const gpi_program *program)
{
    char *source = gpi_source_compose(program->primitive, program->prelude);
    const char *text = source;
    cl_int error = CL_SUCCESS;
    cl_program twin = source ? gpi_build_quickly(gp, source, program) : NULL;
    const bool quick = twin != NULL;
    if (source && !quick) twin = clCreateProgramWithSource(gp->context, 1, &text, NULL, &error);
    GP_FREE(source);
    if (quick) return twin;
    if (!twin || error != CL_SUCCESS) return NULL;
    error = clBuildProgram(twin, 1, &gp->info.device, gpi_program_options(gp, program), NULL, NULL);
    if (error == CL_SUCCESS) return twin;
    (void)clReleaseProgram(twin);
    return NULL;
}

/* Returns the binary with all machine code made so far, which the caller frees; NULL: there is none. PoCL (3.1 to 7.0)
   freezes a program's binary when the binary is first read or loaded. For a frozen program, returns the binary of a
   twin, a program built from the same source, for which PoCL finds all machine code in its own cache without compiling.
   If that cache is switched off, the twin may have less code; in that case returns the larger binary. On PoCL the
   binary of a borrowed program is never read, because the first reading would freeze it for its owner. */
static unsigned char *gpi_program_binary_now(gp_context *gp, gpi_program *program, size_t *size)
{
    const bool keeps = gpi_is_pocl(&gp->info);
    const bool frozen = keeps && (program->frozen || program->borrowed);
    unsigned char *binary = keeps && program->borrowed ? NULL : gpi_program_binary(gp, program, size), *grown;
    gpi_program twin = *program;
    size_t grown_size = 0;
    program->frozen = true;
    if (!frozen) return binary;
    twin.program = gpi_program_twin(gp, program);
    grown = twin.program ? gpi_program_binary(gp, &twin, &grown_size) : NULL;
    if (twin.program) (void)clReleaseProgram(twin.program);
    if (grown && binary && grown_size < *size) {
        GP_FREE(grown);
        return binary;
    }
    GP_FREE(binary);
    *size = grown_size;
    return grown;
}

/* ------------------------------------------------------------------ save */

static bool gpi_caches(const gp_context *gp) { return gp->cache_dir && !gp->cache_closed; }
static bool gpi_saves(const gp_context *gp) { return gpi_caches(gp) || gp->dump_dir; }

/* Returns true if kernels have been launched whose machine code is not in the program's file. */
static bool gpi_program_is_new(const gpi_program *program)
{
    return (program->launched & ~program->saved) != 0;
}

/* Saves kernels that have been launched since the last save. Some implementations (PoCL) make machine code when a kernel is
   launched for the first time, and a binary read before that launch has ended would lack it. */
static void gpi_program_save(gp_context *gp, gpi_program *program)
{
    unsigned char *binary;
    size_t size;
    if (!gpi_saves(gp) || !gpi_program_is_new(program)) return;
    program->launched |= program->saved;
    binary = gpi_program_binary_now(gp, program, &size);
    if (!binary) gpi_log(gp, GP_LOG_WARNING, "cache: the driver gives no binary");
    else gpi_dump(gp, program, ".bin", binary, size);
    if (binary && gpi_caches(gp) && gpi_cache_save(gp, program, binary, size)) gp->stats.programs_saved++;
    if (binary) program->saved = program->launched;
    GP_FREE(binary);
}

/* Saves all programs. The queue must be idle. */
static void gpi_programs_save(gp_context *gp)
{
    gpi_program *p;
    for (p = gp->programs; p; p = p->next) gpi_program_save(gp, p);
    gp->save_in = 0;
}

/* Returns true if every launched kernel has run once. In an out-of-order queue only gp_finish shows that. */
static bool gpi_program_has_run(const gp_context *gp, const gpi_program *program)
{
    return !gp->out_of_order && (!program->fresh || gpi_event_status(program->fresh) <= CL_COMPLETE);
}

/* Saves new programs at the beginning of a call, for callers who never call gp_finish. A save takes time, so it is
   delayed until a call launches no new kernel. */
static void gpi_programs_save_run(gp_context *gp)
{
    gpi_program *p;
    if (gp->save_in == 0 || --gp->save_in > 0) return;
    for (p = gp->programs; p; p = p->next) {
        if (!gpi_program_is_new(p)) continue;
        if (gpi_program_has_run(gp, p)) gpi_program_save(gp, p);
        else gp->save_in = 1;
    }
}

/* Records the launch of kernel `kernel`, whose event is `event`. */
static void gpi_program_launched(gp_context *gp, gpi_program *program, size_t kernel, cl_event event)
{
    const uint32_t bit = (uint32_t)1 << kernel, before = program->launched | program->saved;
    program->launched |= bit;
    if ((before & bit) || gp->out_of_order || !gpi_saves(gp)) return;
    if (program->fresh) (void)clReleaseEvent(program->fresh);
    (void)clRetainEvent(event);
    program->fresh = event;
    gp->save_in = 2;
}

/* ------------------------------------------------------------------ share */

/* Copies a program of another context. The owner of `from` saves machine code that is not saved yet. Several threads may copy the
   same program. */
static gp_result gpi_program_copy(gp_context *gp, const gpi_program *from)
{
    gpi_program *program = (gpi_program *)GP_CALLOC(1, sizeof *program);
    gp_result result;
    if (program) program->prelude = (char *)GP_MALLOC(strlen(from->prelude) + 1);
    if (!program || !program->prelude) {
        GP_FREE(program);
        return gpi_fail(gp, GP_ERROR_OUT_OF_HOST_MEMORY, "no memory to share programs");
    }
    memcpy(program->prelude, from->prelude, strlen(from->prelude) + 1);
    program->primitive = from->primitive;
    program->key = from->key;
    program->names = from->names;
    program->launched = program->saved = from->saved;
    program->borrowed = true;
    program->program = from->program;
    (void)clRetainProgram(program->program);
    program->next = gp->programs;
    gp->programs = program;
    result = gpi_kernels_create(gp, program);
    if (result == GP_OK) gp->stats.programs_shared++;
    return result;
}

/* Copies the programs of context `from` to `gp`, and creates new kernels for them, since arguments are set on kernels.
   Does nothing if the contexts' build options differ, because programs depend on them. */
static gp_result gpi_programs_share(gp_context *gp, const gp_context *from)
{
    const gpi_program *p;
    gp_result result = GP_OK;
    if (strcmp(gp->options, from->options) != 0) return GP_OK;
    for (p = from->programs; p && result == GP_OK; p = p->next) result = gpi_program_copy(gp, p);
    return result;
}
