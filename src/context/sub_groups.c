/* sub_groups.c - decides whether a context's kernels may use the device's sub-groups. Tests sub-groups that kernels would use,
   and switches them off unless they behave as kernels/gpu/group/sub_group.cl requires. */
#include "base/context.h"
#include "base/error.h"
#include "base/math.h"
#include "base/text.h"
#include "launch/launch.h"
#include "program/program.h"
#include "runtime/device.h"
#include "runtime/tuning.h"
#include "context/sub_groups.h"

#include <stdlib.h>
#include <string.h>

enum { GPI_SUB_GROUP_CHECK_GROUPS = 4, GPI_SUB_GROUP_CHECK_ITEMS = 256 };

#define GPI_CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV 0x4000
#define GPI_CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV 0x4001

/* Runs the test in which every item examines its sub-group, and fails if any item finds a fault. Skips a program that
   was loaded from disk: only programs that have passed with this driver are saved. */
static gp_result gpi_sub_groups_run(gp_context *gp, const gpi_plan *plan, gpi_program *program)
{
    uint32_t wrong[GPI_SUB_GROUP_CHECK_GROUPS * GPI_SUB_GROUP_CHECK_ITEMS], any = 0;
    const size_t words = (size_t)GPI_SUB_GROUP_CHECK_GROUPS * plan->group;
    cl_mem buffer = NULL;
    gpi_call call;
    gp_result result;
    size_t i;
    if (program->frozen) return GP_OK;
    memset(wrong, 0xff, sizeof wrong);
    result = gp_buffer_create(gp, words * sizeof *wrong, wrong, &buffer);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, NULL, 0, NULL);
    if (result == GP_OK) {
        gpi_call_kernel(&call, program, "gp_sub_group_check");
        GPI_CALL_ARG(&call, buffer);
        result = gpi_call_launch(&call, plan, GPI_SUB_GROUP_CHECK_GROUPS);
        if (result == GP_OK) result = gpi_call_read(&call, buffer, 0, words * sizeof *wrong, wrong);
        result = gpi_call_end(&call, result);
    }
    (void)clReleaseMemObject(buffer);
    for (i = 0; i < words; i++) any |= wrong[i];
    if (result != GP_OK || any == 0) return result;
    program->launched = 0; /* keeps the program from being saved */
    return gpi_fail(gp, GP_ERROR_UNSUPPORTED, "sub-groups of %u work-items fail their check (0x%x)",
                    plan->sub_group, (unsigned)any);
}

/* Returns NVIDIA's compute capability times ten; 0: not known. */
static cl_uint gpi_compute_capability(cl_device_id device)
{
    cl_uint major = 0, minor = 0;
    (void)clGetDeviceInfo(device, GPI_CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV, sizeof major, &major, NULL);
    (void)clGetDeviceInfo(device, GPI_CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV, sizeof minor, &minor, NULL);
    return 10 * major + minor;
}

static gpi_plan gpi_sub_groups_plan(uint32_t size, uint32_t group)
{
    gpi_plan plan;
    memset(&plan, 0, sizeof plan);
    plan.shape = GP_SHAPE_LOCAL;
    plan.words = GP_WORDS_NARROW;
    plan.sub_group = size;
    plan.group = group;
    return plan;
}

/* Returns true if kernels can be compiled for a fixed sub-group size. Mesa's rusticl accepts the attribute, but does
   not list the extension. Without the attribute RDNA's compiler chooses between 32 and 64 lanes for each kernel
   separately. */
static bool gpi_pins_sub_groups(const gp_device_info *info)
{
    return gpi_device_has(info, "cl_intel_required_subgroup_size") || gpi_is_rusticl(info);
}

/* Tests sub-groups of the plan's size. If kernels turn out to have another size, tests that size instead, without
   fixing it in the kernels. */
static gp_result gpi_sub_groups_try(gp_context *gp, gpi_plan *plan)
{
    gpi_program *program = NULL;
    int turn;
    for (turn = 0; turn < 2; turn++) {
        gpi_text text;
        gp_result result;
        memset(&text, 0, sizeof text);
        gpi_text_plan(gp, plan, &text);
        gpi_text_add(&text, "#define GPI_FP64 0\n");
        result = gpi_program_get_text(gp, GPI_SUB_GROUP_CHECK, text.data, &program);
        if (result != GP_OK) return result;
        if (program->sub_group == 0 || program->sub_group == plan->sub_group)
            return gpi_sub_groups_run(gp, plan, program);
        plan->sub_group = (uint32_t)program->sub_group;
        gp->sub_group_pinned = false;
        if (plan->sub_group < GPI_SUB_GROUP_MIN || plan->sub_group > GPI_SUB_GROUP_MAX) break;
    }
    return gpi_fail(gp, GP_ERROR_UNSUPPORTED, "kernels have sub-groups of size %u", plan->sub_group);
}

/* Returns true if sub-groups are switched off, or if no kernel of this context would use the device's own
   sub-groups. */
static bool gpi_sub_groups_are_idle(const gp_context *gp)
{
    const char *wanted = getenv("GPUPRIM_SUB_GROUPS");
    const gp_tuning *t = &gp->desc.tuning;
    if (wanted && strcmp(wanted, "off") == 0) return true;
    if (gp->info.sub_groups == GP_SUB_GROUPS_NONE || t->sub_group_size) return true;
    return t->shape ? t->shape != GP_SHAPE_SUB_GROUP : !gpi_takes_sub_groups(t, &gp->info);
}

static void gpi_sub_groups_close(gp_context *gp)
{
    gp->info.sub_groups = GP_SUB_GROUPS_NONE;
    gp->info.sub_group_size = 0;
}

/* Sets in gp->info which sub-groups kernels may use. Fails if tuning forces sub-groups that do not pass the test. */
static gp_result gpi_sub_groups_open(gp_context *gp)
{
    gpi_plan plan;
    gp_result result;
    if (gpi_sub_groups_are_idle(gp)) {
        gpi_sub_groups_close(gp);
        return GP_OK;
    }
    plan = gpi_sub_groups_plan(gp->info.sub_group_size, GPI_SUB_GROUP_CHECK_ITEMS);
    if (plan.group > gp->info.max_work_group_size)
        plan.group = gpi_power_of_two_below(gp->info.max_work_group_size);
    if (plan.group < plan.sub_group) plan.group = plan.sub_group;
    gp->compute_capability = gpi_compute_capability(gp->info.device);
    gp->sub_group_pinned = gpi_pins_sub_groups(&gp->info);
    result = gpi_sub_groups_try(gp, &plan);
    gp->info.sub_group_size = plan.sub_group;
    if (result == GP_OK) return GP_OK;
    gpi_sub_groups_close(gp);
    gpi_log(gp, GP_LOG_WARNING, "%s", gp_last_error(gp));
    return gp->desc.tuning.shape == GP_SHAPE_SUB_GROUP ? result : GP_OK;
}
