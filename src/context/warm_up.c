/* warm_up.c - gp_warmup: warms up every primitive that the desc names. */
#include "base/context.h"
#include "base/error.h"
#include "base/use.h"
#include "runtime/primitives.h"

#define GPI_WARM_UP_ROW(primitive, file, rows, memory, least, warm_ups) warm_ups

/* Makes the compiler check that each field of gp_warmup_desc is in a row of GPI_PRIMITIVE_ROWS. */
#define GPI_FIELD_OF_ROW(field, DESC) +1
typedef char gpi_a_field_is_in_no_row[0 GPI_PRIMITIVE_ROWS(GPI_WARM_UP_ROW, GPI_FIELD_OF_ROW) ==
                                              sizeof(gp_warmup_desc) / sizeof(void *)
                                          ? 1
                                          : -1];
#undef GPI_FIELD_OF_ROW

static gp_result gpi_warm_up(gp_context *gp, const gp_warmup_desc *desc)
{
    gp_result result = GP_OK;
#define GPI_WARM_UP(field, DESC) \
    if (desc->field && result == GP_OK) result = gpi_##field##_warm_up(gp, desc->field);
    GPI_PRIMITIVE_ROWS(GPI_WARM_UP_ROW, GPI_WARM_UP)
#undef GPI_WARM_UP
#undef GPI_WARM_UP_ROW
    return result;
}

/* Warms up the primitives that the desc names. Kernels run with a count of 0, because an expression that gets made-up
   elements might read beyond the caller's buffers. */
GP_API gp_result gp_warmup(gp_context *gp, const gp_warmup_desc *desc)
{
    gp_result result;
    gpi_enter(gp, __func__);
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp or desc is NULL");
    result = gpi_check_use(gp);
    if (result != GP_OK) return result;
    gp->warming_up = true;
    result = gpi_warm_up(gp, desc);
    gp->warming_up = false;
    return result == GP_OK ? gp_finish(gp) : result;
}
