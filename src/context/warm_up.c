/* warm_up.c - gp_warmup: warms up every primitive that the desc names. */
#include "base/context.h"
#include "base/error.h"
#include "base/use.h"
#include "scan/scan.h"
#include "select/select.h"
#include "sort/sort.h"
#include "nest/nest.h"
#include "hash/hash.h"
#include "map/map.h"
#include "histogram/histogram.h"

static gp_result gpi_warm_up(gp_context *gp, const gp_warmup_desc *desc)
{
    gp_result result = GP_OK;
    if (desc->reduce) result = gpi_reduce_warm_up(gp, desc->reduce);
    if (desc->scan && result == GP_OK) result = gpi_scan_warm_up(gp, desc->scan);
    if (desc->sort && result == GP_OK) result = gpi_sort_warm_up(gp, desc->sort);
    if (desc->merge && result == GP_OK) result = gpi_merge_warm_up(gp, desc->merge);
    if (desc->search && result == GP_OK) result = gpi_search_warm_up(gp, desc->search);
    if (desc->topk && result == GP_OK) result = gpi_topk_warm_up(gp, desc->topk);
    if (desc->segmented_reduce && result == GP_OK)
        result = gpi_segmented_reduce_warm_up(gp, desc->segmented_reduce);
    if (desc->histogram && result == GP_OK) result = gpi_histogram_warm_up(gp, desc->histogram);
    if (desc->segmented_sort && result == GP_OK)
        result = gpi_segmented_sort_warm_up(gp, desc->segmented_sort);
    if (desc->sort_strings && result == GP_OK) result = gpi_sort_strings_warm_up(gp, desc->sort_strings);
    if (desc->sort_records && result == GP_OK) result = gpi_sort_records_warm_up(gp, desc->sort_records);
    if (desc->brackets && result == GP_OK) result = gpi_brackets_warm_up(gp, desc->brackets);
    if (desc->select && result == GP_OK) result = gpi_select_warm_up(gp, desc->select);
    if (desc->partition && result == GP_OK) result = gpi_partition_warm_up(gp, desc->partition);
    if (desc->unique && result == GP_OK) result = gpi_unique_warm_up(gp, desc->unique);
    if (desc->reduce_by_key && result == GP_OK) result = gpi_reduce_by_key_warm_up(gp, desc->reduce_by_key);
    if (desc->run_length_encode && result == GP_OK)
        result = gpi_run_length_encode_warm_up(gp, desc->run_length_encode);
    if (desc->stack_scan && result == GP_OK) result = gpi_stack_scan_warm_up(gp, desc->stack_scan);
    if (desc->tree && result == GP_OK) result = gpi_tree_warm_up(gp, desc->tree);
    if (desc->hash && result == GP_OK) result = gpi_hash_warm_up(gp, desc->hash);
    if (result == GP_OK) result = gpi_map_warm_up(gp, desc);
    if (result == GP_OK) result = gpi_gather_warm_up(gp, desc);
    if (desc->stencil && result == GP_OK) result = gpi_stencil_warm_up(gp, desc->stencil);
    if (desc->random && result == GP_OK) result = gpi_random_warm_up(gp, desc->random);
    return result;
}

/* Warms up the primitives that the desc names. Their kernels find a count of 0: made-up elements might lead an expression
   beyond the caller's buffers. */
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
