/* tuning.c - how each kind of device runs each primitive: one table, and what fits a row to a call. */
#include "base/context.h"
#include "base/error.h"
#include "base/math.h"
#include "runtime/device.h"
#include "runtime/tuning.h"

#include <string.h>

typedef enum gpi_class {
    GPI_CLASS_UNKNOWN, /* nothing is taken for granted */
    GPI_CLASS_POCL,    /* groups on OS threads, one a core */
    GPI_CLASS_INTEL_CPU,
    GPI_CLASS_LLVMPIPE,
    GPI_CLASS_NVIDIA,
    GPI_CLASS_AMD,
    GPI_CLASS_INTEL_GPU
} gpi_class;

typedef struct gpi_profile_row {
    gpi_class device_class;
    gpi_primitive primitive;
    gp_shape shape;
    uint32_t group;      /* work-items of a group */
    uint32_t item_bytes; /* elements of an item, in bytes */
    gp_words words;      /* AUTO: wide where the device has 64-bit atomics */
    gp_strategy strategy;
    uint32_t polls; /* looks at late tiles before computing them: four tile times and more on a device
                       that schedules fairly, few where waiting is pointless */
} gpi_profile_row;

/* Measured: PoCL (docs/PERFORMANCE.md). By documents and by analogy: the rest. */
static const gpi_profile_row gpi_profile_rows[] = {
    /* class, primitive, shape, group, bytes, words, strategy, polls */
    {GPI_CLASS_POCL, GPI_REDUCE, GP_SHAPE_SERIAL, 1, 262144, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_POCL, GPI_SCAN, GP_SHAPE_SERIAL, 1, 131072, GP_WORDS_AUTO, GP_STRATEGY_SINGLE_PASS, 1 << 20},
    {GPI_CLASS_POCL, GPI_SORT, GP_SHAPE_SERIAL, 1, 1 << 20, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1 << 24},
    {GPI_CLASS_INTEL_CPU, GPI_REDUCE, GP_SHAPE_SERIAL, 1, 262144, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_INTEL_CPU, GPI_SCAN, GP_SHAPE_SERIAL, 1, 65536, GP_WORDS_AUTO, GP_STRATEGY_SINGLE_PASS,
     1 << 20},
    {GPI_CLASS_LLVMPIPE, GPI_REDUCE, GP_SHAPE_LOCAL, 256, 64, GP_WORDS_NARROW, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_LLVMPIPE, GPI_SCAN, GP_SHAPE_LOCAL, 256, 32, GP_WORDS_NARROW, GP_STRATEGY_MULTI_PASS, 200},
    {GPI_CLASS_NVIDIA, GPI_REDUCE, GP_SHAPE_LOCAL, 256, 64, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_NVIDIA, GPI_SCAN, GP_SHAPE_LOCAL, 256, 64, GP_WORDS_AUTO, GP_STRATEGY_SINGLE_PASS, 1 << 14},
    {GPI_CLASS_AMD, GPI_REDUCE, GP_SHAPE_LOCAL, 256, 64, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_AMD, GPI_SCAN, GP_SHAPE_LOCAL, 256, 64, GP_WORDS_AUTO, GP_STRATEGY_SINGLE_PASS, 1 << 14},
    {GPI_CLASS_INTEL_GPU, GPI_REDUCE, GP_SHAPE_LOCAL, 256, 64, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_INTEL_GPU, GPI_SCAN, GP_SHAPE_LOCAL, 256, 32, GP_WORDS_AUTO, GP_STRATEGY_SINGLE_PASS, 1 << 14},
    {GPI_CLASS_INTEL_CPU, GPI_SORT, GP_SHAPE_SERIAL, 1, 1 << 20, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS,
     1 << 24},
    {GPI_CLASS_LLVMPIPE, GPI_SORT, GP_SHAPE_LOCAL, 256, 32, GP_WORDS_NARROW, GP_STRATEGY_MULTI_PASS, 200},
    {GPI_CLASS_NVIDIA, GPI_SORT, GP_SHAPE_LOCAL, 256, 64, GP_WORDS_AUTO, GP_STRATEGY_SINGLE_PASS, 1 << 20},
    {GPI_CLASS_AMD, GPI_SORT, GP_SHAPE_LOCAL, 256, 32, GP_WORDS_AUTO, GP_STRATEGY_SINGLE_PASS, 1 << 20},
    {GPI_CLASS_INTEL_GPU, GPI_SORT, GP_SHAPE_LOCAL, 256, 32, GP_WORDS_AUTO, GP_STRATEGY_SINGLE_PASS, 1 << 20},
    {GPI_CLASS_UNKNOWN, GPI_SORT, GP_SHAPE_LOCAL, 128, 32, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1 << 12},
    {GPI_CLASS_UNKNOWN, GPI_REDUCE, GP_SHAPE_LOCAL, 128, 32, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_UNKNOWN, GPI_SCAN, GP_SHAPE_LOCAL, 128, 32, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1 << 12},
    {GPI_CLASS_POCL, GPI_SELECT, GP_SHAPE_SERIAL, 1, 131072, GP_WORDS_AUTO, GP_STRATEGY_SINGLE_PASS, 1 << 20},
    {GPI_CLASS_INTEL_CPU, GPI_SELECT, GP_SHAPE_SERIAL, 1, 65536, GP_WORDS_AUTO, GP_STRATEGY_SINGLE_PASS,
     1 << 20},
    {GPI_CLASS_LLVMPIPE, GPI_SELECT, GP_SHAPE_LOCAL, 256, 32, GP_WORDS_NARROW, GP_STRATEGY_MULTI_PASS, 200},
    {GPI_CLASS_NVIDIA, GPI_SELECT, GP_SHAPE_LOCAL, 256, 64, GP_WORDS_AUTO, GP_STRATEGY_SINGLE_PASS, 1 << 14},
    {GPI_CLASS_AMD, GPI_SELECT, GP_SHAPE_LOCAL, 256, 64, GP_WORDS_AUTO, GP_STRATEGY_SINGLE_PASS, 1 << 14},
    {GPI_CLASS_INTEL_GPU, GPI_SELECT, GP_SHAPE_LOCAL, 256, 32, GP_WORDS_AUTO, GP_STRATEGY_SINGLE_PASS,
     1 << 14},
    {GPI_CLASS_UNKNOWN, GPI_SELECT, GP_SHAPE_LOCAL, 128, 32, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1 << 12},
    {GPI_CLASS_POCL, GPI_MERGE, GP_SHAPE_SERIAL, 1, 1 << 20, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_INTEL_CPU, GPI_MERGE, GP_SHAPE_SERIAL, 1, 1 << 20, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_LLVMPIPE, GPI_MERGE, GP_SHAPE_LOCAL, 256, 32, GP_WORDS_NARROW, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_NVIDIA, GPI_MERGE, GP_SHAPE_LOCAL, 256, 64, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_AMD, GPI_MERGE, GP_SHAPE_LOCAL, 256, 64, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_INTEL_GPU, GPI_MERGE, GP_SHAPE_LOCAL, 256, 32, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_UNKNOWN, GPI_MERGE, GP_SHAPE_LOCAL, 128, 32, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_POCL, GPI_SEARCH, GP_SHAPE_SERIAL, 1, 1 << 16, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_INTEL_CPU, GPI_SEARCH, GP_SHAPE_SERIAL, 1, 1 << 16, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_LLVMPIPE, GPI_SEARCH, GP_SHAPE_LOCAL, 256, 32, GP_WORDS_NARROW, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_NVIDIA, GPI_SEARCH, GP_SHAPE_LOCAL, 256, 64, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_AMD, GPI_SEARCH, GP_SHAPE_LOCAL, 256, 64, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_INTEL_GPU, GPI_SEARCH, GP_SHAPE_LOCAL, 256, 32, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_UNKNOWN, GPI_SEARCH, GP_SHAPE_LOCAL, 128, 32, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_POCL, GPI_BRACKETS, GP_SHAPE_SERIAL, 1, 131072, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS,
     1 << 20},
    {GPI_CLASS_INTEL_CPU, GPI_BRACKETS, GP_SHAPE_SERIAL, 1, 131072, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_LLVMPIPE, GPI_BRACKETS, GP_SHAPE_LOCAL, 256, 64, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 200},
    {GPI_CLASS_UNKNOWN, GPI_BRACKETS, GP_SHAPE_LOCAL, 256, 64, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS,
     1 << 12},
    {GPI_CLASS_POCL, GPI_STACK_SCAN, GP_SHAPE_SERIAL, 1, 16384, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_INTEL_CPU, GPI_STACK_SCAN, GP_SHAPE_SERIAL, 1, 16384, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS,
     1},
    {GPI_CLASS_UNKNOWN, GPI_STACK_SCAN, GP_SHAPE_LOCAL, 256, 64, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_POCL, GPI_TREE, GP_SHAPE_SERIAL, 1, 65536, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_INTEL_CPU, GPI_TREE, GP_SHAPE_SERIAL, 1, 65536, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_UNKNOWN, GPI_TREE, GP_SHAPE_LOCAL, 128, 64, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_POCL, GPI_HASH, GP_SHAPE_SERIAL, 1, 65536, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_INTEL_CPU, GPI_HASH, GP_SHAPE_SERIAL, 1, 65536, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_LLVMPIPE, GPI_HASH, GP_SHAPE_LOCAL, 256, 4, GP_WORDS_NARROW, GP_STRATEGY_SINGLE_PASS, 1},
    {GPI_CLASS_NVIDIA, GPI_HASH, GP_SHAPE_LOCAL, 256, 16, GP_WORDS_AUTO, GP_STRATEGY_SINGLE_PASS, 1},
    {GPI_CLASS_AMD, GPI_HASH, GP_SHAPE_LOCAL, 256, 16, GP_WORDS_AUTO, GP_STRATEGY_SINGLE_PASS, 1},
    {GPI_CLASS_INTEL_GPU, GPI_HASH, GP_SHAPE_LOCAL, 256, 16, GP_WORDS_AUTO, GP_STRATEGY_SINGLE_PASS, 1},
    {GPI_CLASS_POCL, GPI_HISTOGRAM, GP_SHAPE_SERIAL, 1, 1 << 22, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_INTEL_CPU, GPI_HISTOGRAM, GP_SHAPE_SERIAL, 1, 1 << 22, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS,
     1},
    {GPI_CLASS_UNKNOWN, GPI_HISTOGRAM, GP_SHAPE_LOCAL, 256, 64, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_UNKNOWN, GPI_HASH, GP_SHAPE_LOCAL, 128, 16, GP_WORDS_AUTO, GP_STRATEGY_SINGLE_PASS, 1},
    {GPI_CLASS_POCL, GPI_MAP, GP_SHAPE_SERIAL, 1, 1 << 20, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_INTEL_CPU, GPI_MAP, GP_SHAPE_SERIAL, 1, 1 << 20, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_UNKNOWN, GPI_MAP, GP_SHAPE_LOCAL, 256, 16, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
};

/* Sizes of a shape that the device's row does not have: forced by tuning. */
static const gpi_profile_row gpi_profile_forced_serial = {
    GPI_CLASS_UNKNOWN, GPI_PRIMITIVES, GP_SHAPE_SERIAL, 1, 65536, GP_WORDS_AUTO, GP_STRATEGY_AUTO, 1};
static const gpi_profile_row gpi_profile_forced_local = {
    GPI_CLASS_UNKNOWN, GPI_PRIMITIVES, GP_SHAPE_LOCAL, 128, 32, GP_WORDS_AUTO, GP_STRATEGY_AUTO, 1};

/* By platform and vendor, never by the device type alone: llvmpipe calls itself a CPU. */
static gpi_class gpi_class_of(const gp_device_info *info)
{
    const bool gpu = (info->device_type & CL_DEVICE_TYPE_GPU) != 0;
    const bool cpu = (info->device_type & CL_DEVICE_TYPE_CPU) != 0;
    if (gpi_is_llvmpipe(info)) return GPI_CLASS_LLVMPIPE;
    if (strstr(info->platform_name, "Portable Computing Language") && cpu) return GPI_CLASS_POCL;
    if (strstr(info->platform_name, "Intel") && cpu) return GPI_CLASS_INTEL_CPU;
    if (strstr(info->platform_name, "Apple") && cpu) return GPI_CLASS_INTEL_CPU; /* one item a group */
    if (strstr(info->vendor, "NVIDIA") && gpu) return GPI_CLASS_NVIDIA;
    if (strstr(info->vendor, "Advanced Micro Devices") && gpu) return GPI_CLASS_AMD;
    if (strstr(info->vendor, "Intel") && gpu) return GPI_CLASS_INTEL_GPU;
    return GPI_CLASS_UNKNOWN;
}

/* Whether GPI_RELEASE and GPI_ACQUIRE (base/platform.cl) are fences, and groups that have started run on. */
static bool gpi_has_fences(const gp_device_info *info)
{
    return gpi_class_of(info) == GPI_CLASS_POCL && info->fair;
}

static const gpi_profile_row *gpi_profile_find(gpi_class device_class, gpi_primitive primitive)
{
    const gpi_profile_row *row = gpi_profile_rows;
    while (row->primitive != primitive ||
           (row->device_class != device_class && row->device_class != GPI_CLASS_UNKNOWN)) {
        row++;
    }
    return row; /* every primitive has a row for the unknown device, at the end */
}

/* Local memory of a group: the stage with its padding, two rows for the group's scan (scan/tile.cl), and a
   word an item (scan/segmented_reduce.cl). */
static uint64_t gpi_local_bytes(uint64_t group, uint64_t items, uint64_t size)
{
    const uint64_t tile = group * items;
    return (tile + tile / 32 + 2 * group) * size + 4 * group + 64;
}

/* The same for a sort, and more than a merge or a search takes: stage and order of a tile, four bits'
 * counters, the digits' (sort/rank.cl). */
static uint64_t gpi_local_bytes_of_sort(uint64_t group, uint64_t items, uint64_t size)
{
    return group * items * (size + 4) + group * (16 * 2 + 2 * 4) + 256 * 16 + 64;
}

/* The same for brackets; `size` is that of an index. Items' nodes and openers; a partner and a sign an
   element (nest/brackets_local.cl). */
static uint64_t gpi_local_bytes_of_brackets(uint64_t group, uint64_t items, uint64_t size)
{
    return group * (2 * 2 * size + size + 4) + group * items * 3 + 64;
}

/* The same for a scan of stacks; `size` is that of a value. Besides, an element has a value and two links
   (nest/stack_scan.cl). */
static uint64_t gpi_local_bytes_of_stack(uint64_t group, uint64_t items, uint64_t size)
{
    return gpi_local_bytes_of_brackets(group, items, 8) + group * items * (size + 2) + 64;
}

/* The same for a tree: two indices and four bytes an element, and what keeps them apart (nest/tree.cl). */
static uint64_t gpi_local_bytes_of_tree(uint64_t group, uint64_t items, uint64_t size)
{
    const uint64_t tile = group * items;
    return 2 * size * (tile + tile / 32) + 4 * tile + 64;
}

/* Group and items of the local shape, shrunk until they fit the device. */
static void gpi_plan_fit_local(const gp_device_info *info, gpi_primitive primitive, size_t size,
                               gpi_plan *plan)
{
    uint64_t (*local_bytes)(uint64_t, uint64_t, uint64_t) =
        primitive == GPI_BRACKETS     ? gpi_local_bytes_of_brackets
        : primitive == GPI_STACK_SCAN ? gpi_local_bytes_of_stack
        : primitive == GPI_TREE       ? gpi_local_bytes_of_tree
        : primitive >= GPI_SORT       ? gpi_local_bytes_of_sort
                                      : gpi_local_bytes;
    if (plan->group > info->max_work_group_size) {
        plan->group = gpi_power_of_two_below(info->max_work_group_size);
    }
    while (local_bytes(plan->group, plan->items, size) > info->local_mem_size ||
           plan->group * plan->items > GPI_TILE_LOCAL_MAX) {
        if (plan->items > 1) {
            plan->items /= 2;
        } else if (plan->group > 1) {
            plan->group /= 2;
        } else {
            break; /* the build will say so */
        }
    }
}

static void gpi_plan_shape(const gp_context *gp, const gpi_profile_row *row, size_t size, gpi_plan *plan)
{
    const gp_tuning *tuning = &gp->desc.tuning;
    const gpi_primitive primitive = row->primitive;
    plan->shape = tuning->shape ? tuning->shape : row->shape;
    if (plan->shape != row->shape) {
        row = plan->shape == GP_SHAPE_SERIAL ? &gpi_profile_forced_serial : &gpi_profile_forced_local;
    }
    plan->group = row->group;
    plan->items = row->item_bytes / gpi_power_of_two_below(size);
    if (tuning->tile) plan->items = gpi_power_of_two_below(tuning->tile);
    if (plan->shape == GP_SHAPE_SERIAL) {
        if (plan->items < 16) plan->items = 16; /* a vector */
        return;
    }
    if (plan->items > 16 && !tuning->tile) plan->items = 16; /* registers of an item */
    if (plan->items < 1) plan->items = 1;
    if (tuning->work_group_size) plan->group = gpi_power_of_two_below(tuning->work_group_size);
    gpi_plan_fit_local(&gp->info, primitive, size, plan);
}

static void gpi_plan_words(const gp_context *gp, const gpi_profile_row *row, gpi_plan *plan)
{
    const gp_words widest = gp->info.int64_base_atomics ? GP_WORDS_WIDE : GP_WORDS_NARROW;
    plan->words = gp->desc.tuning.words ? gp->desc.tuning.words : row->words;
    if (plan->words == GP_WORDS_AUTO) plan->words = widest;
}

/* Ring of gp_sort: kernels/sort/lookback.cl says why. */
static gp_result gpi_check_ring(const gp_tuning *t)
{
    const uint32_t rows = gpi_or_default(t->ring_rows, GPI_RING_ROWS);
    const uint32_t reach = gpi_or_default(t->ring_reach, GPI_RING_REACH);
    const uint32_t block = gpi_or_default(t->ring_block, GPI_RING_BLOCK);
    if ((rows & (rows - 1)) || (block & (block - 1))) {
        return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT,
                        "gp_context_create: tuning.%s = %u is not a power of two",
                        rows & (rows - 1) ? "ring_rows" : "ring_block", rows & (rows - 1) ? rows : block);
    }
    if (rows > GPI_RING_ROWS_MAX) {
        return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT,
                        "gp_context_create: tuning.ring_rows = %u, at most %u", rows,
                        (unsigned)GPI_RING_ROWS_MAX);
    }
    if (rows < (uint64_t)reach + block) {
        return gpi_fail(
            NULL, GP_ERROR_INVALID_ARGUMENT,
            "gp_context_create: tuning.ring_rows = %u must be at least ring_reach + ring_block = %u + %u",
            rows, reach, block);
    }
    return GP_OK;
}

/* All primitives have one shape on a device. */
static gp_result gpi_check_tile(const gp_tuning *t, const gp_device_info *info)
{
    const gp_shape usual = gpi_profile_find(gpi_class_of(info), GPI_SCAN)->shape;
    const bool serial = (t->shape ? t->shape : usual) == GP_SHAPE_SERIAL;
    const uint32_t most = serial ? GPI_TILE_SERIAL_MAX : GPI_TILE_ITEM_MAX;
    if (t->tile <= most) return GP_OK;
    return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT,
                    "gp_context_create: tuning.tile = %u, at most %u in the %s shape", t->tile, most,
                    serial ? "serial" : "local");
}

static gp_result gpi_check_tuning(const gp_tuning *t, const gp_device_info *info)
{
    gp_result result;
    if ((unsigned)t->shape >= GP_SHAPE_COUNT || (unsigned)t->words >= GP_WORDS_COUNT) {
        const bool shape = (unsigned)t->shape >= GP_SHAPE_COUNT;
        return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT, "gp_context_create: tuning.%s = %d is not a gp_%s",
                        shape ? "shape" : "words", shape ? (int)t->shape : (int)t->words,
                        shape ? "shape" : "words");
    }
    result = gpi_check_tile(t, info);
    if (result == GP_OK) result = gpi_check_ring(t);
    if (result != GP_OK) return result;
    if (t->shape == GP_SHAPE_SERIAL && gpi_is_llvmpipe(info)) {
        return gpi_fail(
            NULL, GP_ERROR_UNSUPPORTED,
            "gp_context_create: tuning.shape = GP_SHAPE_SERIAL on %s, whose groups have vectors of "
            "work-items: leave it GP_SHAPE_AUTO",
            info->name);
    }
    if (t->words == GP_WORDS_WIDE && !info->int64_base_atomics) {
        return gpi_fail(NULL, GP_ERROR_UNSUPPORTED,
                        "gp_context_create: tuning.words = GP_WORDS_WIDE needs 64-bit atomics: %s",
                        info->name);
    }
    return GP_OK;
}

/* `size`: of what local memory is to hold, in bytes. */
static gp_result gpi_plan_make_sized(gp_context *gp, const char *function, gpi_primitive primitive,
                                     size_t size, gp_strategy strategy, gpi_plan *plan)
{
    const gpi_profile_row *row = gpi_profile_find(gpi_class_of(&gp->info), primitive);
    if ((unsigned)strategy >= GP_STRATEGY_COUNT) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: strategy = %d is not a gp_strategy", function,
                        (int)strategy);
    }
    plan->strategy = strategy ? strategy : gp->desc.strategy;
    if (plan->strategy == GP_STRATEGY_AUTO) plan->strategy = row->strategy;
    plan->polls = gp->desc.tuning.polls ? gp->desc.tuning.polls : row->polls;
    if (gp->info.loop_limit && plan->polls > gp->info.loop_limit / 4)
        plan->polls = gp->info.loop_limit / 4; /* a loop of more turns would end without having waited */
    gpi_plan_shape(gp, row, size, plan);
    gpi_plan_words(gp, row, plan);
    return GP_OK;
}

/* `size`: of an element, or of what a tile counts, whichever is larger. */
static gp_result gpi_plan_make_select(gp_context *gp, const char *function, size_t size, gp_strategy strategy,
                                      gpi_plan *plan)
{
    return gpi_plan_make_sized(gp, function, GPI_SELECT, size, strategy, plan);
}

/* A sort's: in the serial shape, `items` is the most keys a group takes. */
static gp_result gpi_plan_make_sort(gp_context *gp, const char *function, size_t key_size,
                                    gp_strategy strategy, gpi_plan *plan)
{
    return gpi_plan_make_sized(gp, function, GPI_SORT, key_size, strategy, plan);
}

/* A local group that works on keys, or on bins, has four items at least: searches want them, and PoCL 3.1
   compiles onesweep for groups of two so that it writes out of bounds. */
static gp_result gpi_plan_check_group(gp_context *gp, const char *function, gpi_primitive primitive,
                                      const gpi_plan *plan)
{
    const bool bound = (primitive >= GPI_SORT && primitive <= GPI_SORT_STRINGS) || primitive == GPI_HISTOGRAM;
    if (!bound || plan->shape != GP_SHAPE_LOCAL || plan->group >= 4) return GP_OK;
    return gpi_fail(gp, GP_ERROR_UNSUPPORTED, "%s: groups of %u work-items, of which it takes 4", function,
                    plan->group);
}

/* A merge's, a search's or a histogram's: no group waits for another, and there is one strategy. */
static gp_result gpi_plan_make_keys(gp_context *gp, const char *function, gpi_primitive primitive,
                                    size_t key_size, gpi_plan *plan)
{
    const gp_result result =
        gpi_plan_make_sized(gp, function, primitive, key_size, GP_STRATEGY_MULTI_PASS, plan);
    return result == GP_OK ? gpi_plan_check_group(gp, function, primitive, plan) : result;
}

/* Tiles of brackets may have any length up to the kernels' limits: tests force tiny ones. `size`: of an
   index; for a scan of stacks of a value, of which the serial shape has tiles in private memory. */
static gp_result gpi_plan_make_brackets(gp_context *gp, const char *function, gpi_primitive primitive,
                                        size_t size, gp_strategy strategy, gpi_plan *plan)
{
    const gp_result result = gpi_plan_make_sized(gp, function, primitive, size, strategy, plan);
    const uint32_t longest = primitive == GPI_STACK_SCAN ? (uint32_t)(32768 / size)
                             : primitive == GPI_TREE     ? 32768
                                                         : 65536;
    const uint32_t most = plan->shape == GP_SHAPE_SERIAL ? longest : 32, tile = gp->desc.tuning.tile;
    if (result != GP_OK) return result;
    if (tile) plan->items = tile;
    if (plan->items > most) plan->items = most;
    while (plan->shape == GP_SHAPE_LOCAL && plan->group * plan->items > 16384) plan->group /= 2;
    if (tile && plan->shape == GP_SHAPE_LOCAL) gpi_plan_fit_local(&gp->info, primitive, size, plan);
    return GP_OK;
}

/* A hash table's: in the serial shape, `items` is the keys a group takes. */
static gp_result gpi_plan_make_hash(gp_context *gp, const char *function, gp_strategy strategy,
                                    gpi_plan *plan)
{
    return gpi_plan_make_sized(gp, function, GPI_HASH, 4, strategy, plan);
}

/* Where elements are made one by one, of `size` bytes: no group waits for another, and there is one
   strategy. */
static gp_result gpi_plan_make_map(gp_context *gp, const char *function, size_t size, gpi_plan *plan)
{
    return gpi_plan_make_sized(gp, function, GPI_MAP, size, GP_STRATEGY_MULTI_PASS, plan);
}

static size_t gpi_plan_tile(const gpi_plan *plan) { return (size_t)plan->group * plan->items; }

/* On a device that drops out of long loops, the one group that goes over all tiles' sums is the limit: its
   items take some 32 turns a step. */
static gp_result gpi_plan_tiles(gp_context *gp, const char *function, const gpi_plan *plan, size_t count,
                                cl_uint *tiles)
{
    const size_t tile = gpi_plan_tile(plan);
    const size_t most =
        gp->info.loop_limit ? (size_t)plan->group * (gp->info.loop_limit / 32) : GPI_TILES_MAX;
    const size_t n = count / tile + (count % tile != 0);
    if (n > most) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT,
                        "%s: count = %zu is %zu tiles of %zu elements, more than %zu", function, count, n,
                        tile, most);
    }
    *tiles = (cl_uint)n;
    return GP_OK;
}

/* Elements of a group in the serial shape: as many groups as keep all cores busy to the end, of `least`
   elements at least and plan->items at most, and whole cache lines. */
static size_t gpi_serial_span(const gp_context *gp, const gpi_plan *plan, size_t n, size_t least)
{
    size_t span = n / (4 * (size_t)(gp->info.compute_units ? gp->info.compute_units : 1));
    if (span < least) span = least;
    if (span > plan->items || gp->desc.tuning.tile) span = plan->items;
    return gpi_ceil_div(span, 16) * 16;
}
