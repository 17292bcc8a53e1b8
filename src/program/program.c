/* program.c - the programs of a context: looks them up in memory, makes missing ones, and drops the oldest. */
#include "base/context.h"
#include "base/error.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/use.h"
#include "program/program.h"
#include "program/user_text.h"

#include <string.h>

#define GPI_PROGRAM_LIMIT 128 /* most programs of a context, if the desc sets no limit */

/* Returns true if all kernels of the program can have groups and sub-groups of the plan's sizes. If the compiler has
   decided otherwise, changes the plan and returns false: the program has to be made again. */
static bool gpi_plan_fits(gpi_plan *plan, const gpi_program *program)
{
    const bool other = plan->sub_group && program->sub_group && plan->sub_group != program->sub_group;
    if (plan->group <= program->group_max && !other) return true;
    if (other) plan->sub_group = 0;
    if (plan->group > program->group_max) plan->group = gpi_power_of_two_below(program->group_max);
    if (plan->group < plan->sub_group) plan->sub_group = 0;
    return false;
}

static void gpi_program_free(gpi_program *program)
{
    size_t k;
    if (!program) return;
    for (k = 0; k < GPI_KERNELS_MAX; k++) {
        if (program->kernel[k]) (void)clReleaseKernel(program->kernel[k]);
    }
    if (program->program) (void)clReleaseProgram(program->program);
    if (program->fresh) (void)clReleaseEvent(program->fresh);
    GP_FREE(program->prelude);
    GP_FREE(program);
}

/* Drops the program at `*at`. The OpenCL implementation keeps the parts that commands in flight need. If these commands
   have not ended, new machine code is not saved: the next use of the program builds it again. */
static void gpi_program_drop(gp_context *gp, gpi_program **at)
{
    gpi_program *program = *at;
    if (gpi_program_has_run(gp, program)) gpi_program_save(gp, program);
    *at = program->next;
    gpi_program_free(program);
    gp->stats.programs_dropped++;
}

/* Returns the least recently used program that no call in progress may still use; NULL: there is none. */
static gpi_program **gpi_programs_oldest(gp_context *gp)
{
    gpi_program **at, **oldest = NULL;
    for (at = &gp->programs; *at; at = &(*at)->next) {
        if ((*at)->fetched > gp->released) continue;
        if (!oldest || (*at)->fetched < (*oldest)->fetched) oldest = at;
    }
    return oldest;
}

/* Drops programs until their number is within the limit. */
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

static gpi_program *gpi_program_find(const gp_context *gp, gpi_primitive primitive, const char *prelude)
{
    gpi_program *p = gp->programs;
    while (p && (p->primitive != primitive || strcmp(p->prelude, prelude) != 0)) p = p->next;
    return p;
}

/* Builds or loads a program that is not in memory yet. Takes ownership of `prelude`. */
static gp_result gpi_program_make(gp_context *gp, gpi_primitive primitive, char *prelude, gpi_program **out)
{
    gpi_program *program = (gpi_program *)GP_CALLOC(1, sizeof *program);
    char *source = gpi_source_compose(primitive, prelude);
    gp_result result;
    if (!program || !source) {
        GP_FREE(source);
        GP_FREE(prelude);
        GP_FREE(program);
        return gpi_fail(gp, GP_ERROR_OUT_OF_HOST_MEMORY, "no memory for a program");
    }
    program->primitive = primitive;
    program->names = gpi_kernel_names(primitive, gpi_wing_of(prelude));
    program->prelude = prelude;
    program->key = gpi_key_make(gp, source, strlen(prelude));
    gpi_dump(gp, program, ".cl", source, strlen(source));
    result = gpi_check_macros(gp, prelude, source + strlen(prelude));
    if (result == GP_OK) result = gpi_program_build(gp, source, program);
    GP_FREE(source);
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

/* Gets the program with this prelude, and takes ownership of `prelude` (NULL: there was no memory for it). */
static gp_result gpi_program_get_text(gp_context *gp, gpi_primitive primitive, char *prelude,
                                      gpi_program **out)
{
    const gp_result result = gpi_check_use(gp);
    if (result != GP_OK) {
        GP_FREE(prelude);
        return result;
    }
    if (!prelude) return gpi_fail(gp, GP_ERROR_OUT_OF_HOST_MEMORY, "no memory for a program");
    *out = gpi_program_find(gp, primitive, prelude);
    if (!*out) return gpi_program_make(gp, primitive, prelude, out);
    (*out)->fetched = ++gp->fetches;
    GP_FREE(prelude);
    return GP_OK;
}

/* Gets the program for a description and a plan. If its kernels need smaller groups or other sub-groups than the plan has,
   changes the plan and makes the program again. */
static gp_result gpi_program_get(gp_context *gp, gpi_primitive primitive, gpi_prelude_function *prelude,
                                 const void *description, gpi_plan *plan, gpi_program **out)
{
    for (;;) {
        gpi_text text;
        gp_result result = gpi_plan_check_group(gp, primitive, plan);
        if (result != GP_OK) return result;
        memset(&text, 0, sizeof text);
        prelude(gp, plan, description, &text);
        result = gpi_program_get_text(gp, primitive, gpi_text_take(&text), out);
        if (result != GP_OK || gpi_plan_fits(plan, *out)) return result;
    }
}
