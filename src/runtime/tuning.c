/* tuning.c - how each class of device runs each primitive: looks up a row of the tuning table and fits it to a call. */
#include "base/context.h"
#include "base/error.h"
#include "base/math.h"
#include "runtime/device.h"
#include "runtime/primitives.h"
#include "runtime/tuning.h"
#include "runtime/tuning_table.h"

#include <string.h>

/* clang-format off */
/* The last row ends the table. */
static const gpi_tuning_row gpi_tuning_rows[] = {
#define GPI_TUNING_ROW(primitive, device_class, shape, group, bytes, words, strategy, polls) \
    {GPI_##primitive, GP_DEVICE_CLASS_##device_class, GP_SHAPE_##shape, group, bytes, \
     GP_WORDS_##words, GP_STRATEGY_##strategy, polls},
    GPI_TUNING(GPI_TUNING_ROW)
#undef GPI_TUNING_ROW
    {GPI_PRIMITIVES, GP_DEVICE_CLASS_UNKNOWN, GP_SHAPE_LOCAL, 128, 32, GP_WORDS_AUTO, GP_STRATEGY_AUTO, 1}
};
/* clang-format on */

/* Makes the compiler check that each primitive whose rows are used has a row for unknown devices. */
#define GPI_ROWS_BIT(primitive, file, rows, memory, least, warm_ups) | 1u << GPI_##rows
#define GPI_UNKNOWN_BIT(primitive, device_class, shape, group, bytes, words, strategy, polls) \
    | (GP_DEVICE_CLASS_##device_class == GP_DEVICE_CLASS_UNKNOWN ? 1u << GPI_##primitive : 0u)
typedef char gpi_a_primitive_has_no_row_for_unknown_devices
    [((0u GPI_PRIMITIVE_ROWS(GPI_ROWS_BIT, GPI_LEFT_OUT)) & ~(0u GPI_TUNING(GPI_UNKNOWN_BIT))) == 0u ? 1
                                                                                                     : -1];
#undef GPI_UNKNOWN_BIT
#undef GPI_ROWS_BIT

/* The rows that replace the device's row if tuning forces a shape that this row does not have. */
static const gpi_tuning_row gpi_tuning_forced_serial = {
    GPI_PRIMITIVES, GP_DEVICE_CLASS_UNKNOWN, GP_SHAPE_SERIAL, 1, 65536, GP_WORDS_AUTO, GP_STRATEGY_AUTO, 1};
static const gpi_tuning_row gpi_tuning_forced_local = {
    GPI_PRIMITIVES, GP_DEVICE_CLASS_UNKNOWN, GP_SHAPE_LOCAL, 128, 32, GP_WORDS_AUTO, GP_STRATEGY_AUTO, 1};

/* Returns true if GPI_RELEASE and GPI_ACQUIRE (base/platform.cl) are fences, and groups that have started keep
   running. */
static bool gpi_has_fences(const gp_device_info *info)
{
    return info->device_class == GP_DEVICE_CLASS_POCL && info->fair;
}

/* Returns the class of device whose rows are used. */
static gp_device_class gpi_tuning_class(const gp_tuning *t, const gp_device_info *info)
{
    return t->device_class ? t->device_class : info->device_class;
}

static const gpi_tuning_row *gpi_tuning_find(gp_device_class device_class, gpi_primitive primitive)
{
    const gpi_tuning_row *row = gpi_tuning_rows, *unknown = NULL;
    for (; row->primitive != GPI_PRIMITIVES; row++) {
        if (row->primitive != primitive) continue;
        if (row->device_class == device_class) return row;
        if (row->device_class == GP_DEVICE_CLASS_UNKNOWN) unknown = row;
    }
    return unknown ? unknown : row;
}

/* Returns the local memory of a group that scans or selects (scan/tile_elements.cl): the padded tile, rows for the
   group's scan, and a word for each item, for emulated sub-groups. */
static uint64_t gpi_local_bytes_of_elements(uint64_t group, uint64_t per_item, uint64_t size)
{
    const uint64_t tile = group * per_item;
    return (tile + tile / 8 + group + group / 32) * size + 4 * group + 64;
}

/* Returns the local memory of a group that reduces: rows with a value for each item (scan/reduce_tile.cl). */
static uint64_t gpi_local_bytes_of_values(uint64_t group, uint64_t per_item, uint64_t size)
{
    (void)per_item;
    return (group + group / 32) * size + 4 * group + 64;
}

/* Returns the local memory of a group that sorts without sub-groups: the larger of two amounts. One is for
   sort/rank_tile.cl: the tile and its order, the counters for digits of four bits, rows for the group's scan, and the
   counters of the tile's digits. The other is a tile's entries (sort/tile_merge_sort.cl) and a word for each item
   (sort/sort_segments.cl). A search needs less. */
static uint64_t gpi_local_bytes_of_keys(uint64_t group, uint64_t per_item, uint64_t size)
{
    const uint64_t tile = group * per_item;
    const uint64_t rank = (tile + tile / 32) * (size + 4) + (9 * group + group / 32 * 3) * 4 + 256 * 16 + 64;
    const uint64_t entries = (tile + tile / 16) * (size > 4 ? size + 4 : 8) + 4 * group + 64;
    return rank > entries ? rank : entries;
}

/* Returns the local memory of a group that merges (sort/merge_tile.cl): the keys of a tile and of one more item, each with its
   position in the input, and a word for each item, for emulated sub-groups. */
static uint64_t gpi_local_bytes_of_merge(uint64_t group, uint64_t per_item, uint64_t size)
{
    return (group + 1) * per_item * (size + 2) + group * 4 + 64;
}

/* Returns the local memory of a group that matches brackets (nest/brackets_tile.cl): for each item nodes, heights,
   brackets, and a word for emulated sub-groups; for each element a partner; and the nodes next to the tile's path, a
   table of codes, and a margin. `size`: bytes of an index. */
static uint64_t gpi_local_bytes_of_brackets(uint64_t group, uint64_t per_item, uint64_t size)
{
    return group * (2 * 4 + size + 3 * 4 + 4) + group * per_item * 2 + 33 * 2 * size + 256 + 128;
}

/* Returns the local memory of a group that scans stacks (nest/stack_scan_tile.cl): in addition to the memory for
   brackets, a value for each element, and another value and links for each item. `size`: bytes of a value. */
static uint64_t gpi_local_bytes_of_stack(uint64_t group, uint64_t per_item, uint64_t size)
{
    const uint64_t tile = group * per_item;
    return gpi_local_bytes_of_brackets(group, per_item, 8) + (tile + tile / 32 + group + group / 32) * size +
           4 * group + 64;
}

/* Returns the local memory of a group that builds a tree (nest/tree_tile.cl): for each element an index and eight
   bytes, or two indices and a byte if that is more; for each item its nodes in the tree of runs, a word for emulated
   sub-groups, and the padding of its rows. */
static uint64_t gpi_local_bytes_of_tree(uint64_t group, uint64_t per_item, uint64_t size)
{
    const uint64_t element = size + 8 > 2 * size + 1 ? size + 8 : 2 * size + 1;
    return group * per_item * element + group * (5 * size + 24) + 64;
}

/* Returns the local memory of a group that sorts with sub-groups (sort/multisplit.cl, sort/tile_radix_sort.cl): the
   padded tile with a 16-bit position for each key, two words for each item, and the digits' counters of each
   sub-group. */
static uint64_t gpi_local_bytes_of_split(const gpi_plan *plan, uint64_t size)
{
    const uint64_t group = plan->group, sub_groups = group / plan->sub_group, tile = group * plan->per_item;
    return (tile + tile / 32) * (size + 2) + 8 * group + 256 * (16 + 4 * sub_groups) + 64;
}

/* For each primitive: the primitive whose tuning rows it uses, the local memory that a group needs, and the fewest
   work-items of a local group. */
static const struct gpi_tuned {
    gpi_primitive rows;
    uint64_t (*local_bytes)(uint64_t group, uint64_t per_item, uint64_t size);
    uint32_t group_least;
} gpi_tuned_of[] = {
#define GPI_TUNED_ROW(primitive, file, rows, memory, least, warm_ups) \
    {GPI_##rows, gpi_local_bytes_of_##memory, least},
    GPI_PRIMITIVE_ROWS(GPI_TUNED_ROW, GPI_LEFT_OUT)
#undef GPI_TUNED_ROW
};

/* Removes sub-groups from the plan if they would be larger than the group. */
static void gpi_plan_fit_sub_group(gpi_plan *plan)
{
    if (plan->group < plan->sub_group) plan->sub_group = 0;
}

/* Returns the bytes of local memory that a group of the plan needs in the most demanding kernel of the program. */
static uint64_t gpi_plan_local_bytes(const gpi_plan *plan, const struct gpi_tuned *tuned, size_t size)
{
    const uint64_t bytes = tuned->local_bytes(plan->group, plan->per_item, size);
    const bool splits = plan->sub_group && plan->group >= plan->sub_group;
    const uint64_t split = splits ? gpi_local_bytes_of_split(plan, size) : 0;
    switch (tuned->rows) {
    case GPI_SCAN: /* with four elements per item, all elements and the products are in local memory (scan/tile_chunks.cl) */
        return plan->per_item == 4 ? bytes + (plan->group + plan->group / 8) * (uint64_t)size : bytes;
    case GPI_SORT: return bytes > split ? bytes : split;
    case GPI_SORT_TILE: return splits ? split : bytes;
    default: return bytes;
    }
}

/* Shrinks group and per_item of the local shape until they fit the device. */
static void gpi_plan_fit_local(const gp_device_info *info, gpi_primitive primitive, size_t size,
                               gpi_plan *plan)
{
    const struct gpi_tuned *tuned = &gpi_tuned_of[primitive];
    if (plan->group > info->max_work_group_size) {
        plan->group = gpi_power_of_two_below(info->max_work_group_size);
    }
    while (gpi_plan_local_bytes(plan, tuned, size) > info->local_mem_size ||
           plan->group * plan->per_item > GPI_TILE_LOCAL_MAX) {
        if (plan->per_item > 1) {
            plan->per_item /= 2;
        } else if (plan->group > 1) {
            plan->group /= 2;
        } else {
            break; /* does not fit: the build will report an error */
        }
    }
}

/* Returns the size of sub-groups if the shape asks for them; 0: none. */
static uint32_t gpi_sub_group_of(const gp_context *gp, gp_shape shape)
{
    const uint32_t emulated = gp->desc.tuning.sub_group_size;
    if (shape != GP_SHAPE_SUB_GROUP) return 0;
    return emulated ? emulated : gp->info.sub_group_size;
}

/* Returns true for NVIDIA's multiprocessors with 64 to 100 KB of local memory: those before compute capability 8.0, and later
   ones for graphics. With 32 elements per item only one or two groups would fit. (CUDA C++ Programming Guide, "Technical
   Specifications per Compute Capability".) */
static bool gpi_has_small_memory(const gp_context *gp)
{
    const cl_uint capability = gp->compute_capability;
    return (capability > 0 && capability < 80) || capability == 86 || capability == 89 ||
           capability / 10 == 12;
}

static void gpi_plan_shape(const gp_context *gp, gpi_primitive primitive, const gpi_tuning_row *row,
                           size_t size, gpi_plan *plan)
{
    const gp_tuning *tuning = &gp->desc.tuning;
    const gp_shape shape = tuning->shape ? tuning->shape : row->shape;
    uint32_t most; /* most elements of an item, in registers */
    plan->shape = shape == GP_SHAPE_SUB_GROUP ? GP_SHAPE_LOCAL : shape;
    plan->sub_group = gpi_sub_group_of(gp, shape);
    most = plan->sub_group && !gpi_has_small_memory(gp) ? 32 : 16;
    if (plan->sub_group && primitive == GPI_SCAN) most *= 2; /* half in local memory: scan/tile_chunks.cl */
    if ((plan->shape == GP_SHAPE_SERIAL) != (row->shape == GP_SHAPE_SERIAL)) {
        row = plan->shape == GP_SHAPE_SERIAL ? &gpi_tuning_forced_serial : &gpi_tuning_forced_local;
    }
    plan->group = row->group;
    plan->per_item = row->item_bytes / gpi_power_of_two_below(size);
    if (tuning->tile) plan->per_item = gpi_power_of_two_below(tuning->tile);
    if (plan->shape == GP_SHAPE_SERIAL) {
        if (plan->per_item < 16) plan->per_item = 16; /* at least one vector */
        return;
    }
    if (plan->per_item > most && !tuning->tile) plan->per_item = most;
    if (plan->per_item < 1) plan->per_item = 1;
    if (tuning->work_group_size) plan->group = gpi_power_of_two_below(tuning->work_group_size);
    gpi_plan_fit_local(&gp->info, primitive, size, plan);
    if (plan->group == 2 && gpi_is_pocl_7(&gp->info)) plan->group = 1;
    gpi_plan_fit_sub_group(plan);
}

static void gpi_plan_words(const gp_context *gp, const gpi_tuning_row *row, gpi_plan *plan)
{
    const gp_words widest = gp->info.int64_base_atomics ? GP_WORDS_WIDE : GP_WORDS_NARROW;
    plan->words = gp->desc.tuning.words ? gp->desc.tuning.words : row->words;
    if (plan->words == GP_WORDS_AUTO) plan->words = widest;
}

/* Checks the ring of gp_sort, for the reasons in kernels/common/sort/lookback.cl. */
static gp_result gpi_check_ring(const gp_tuning *t)
{
    const uint32_t rows = gpi_or_default(t->ring_rows, GPI_RING_ROWS);
    const uint32_t reach = gpi_or_default(t->ring_reach, GPI_RING_REACH);
    const uint32_t block = gpi_or_default(t->ring_block, GPI_RING_BLOCK);
    if ((rows & (rows - 1)) || (block & (block - 1))) {
        return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT, "tuning.%s = %u is not a power of two",
                        rows & (rows - 1) ? "ring_rows" : "ring_block", rows & (rows - 1) ? rows : block);
    }
    if (rows > GPI_RING_ROWS_MAX) {
        return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT, "tuning.ring_rows = %u, at most %u", rows,
                        (unsigned)GPI_RING_ROWS_MAX);
    }
    if (rows < (uint64_t)reach + block) {
        return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT,
                        "tuning.ring_rows = %u must be at least ring_reach + ring_block = %u + %u", rows,
                        reach, block);
    }
    return GP_OK;
}

/* Returns true if the device runs in the serial shape. All primitives have the same shape on a device. */
static bool gpi_is_serial(const gp_tuning *t, const gp_device_info *info)
{
    const gp_shape usual = gpi_tuning_find(gpi_tuning_class(t, info), GPI_SCAN)->shape;
    return (t->shape ? t->shape : usual) == GP_SHAPE_SERIAL;
}

/* Returns true if any row of the device's class asks for sub-groups. */
static bool gpi_takes_sub_groups(const gp_tuning *t, const gp_device_info *info)
{
    const gp_device_class device_class = gpi_tuning_class(t, info);
    const gpi_tuning_row *row = gpi_tuning_rows;
    while (row->primitive != GPI_PRIMITIVES &&
           (row->device_class != device_class || row->shape != GP_SHAPE_SUB_GROUP)) {
        row++;
    }
    return row->primitive != GPI_PRIMITIVES;
}

static gp_result gpi_check_tile(const gp_tuning *t, const gp_device_info *info)
{
    const bool serial = gpi_is_serial(t, info);
    const uint32_t most = serial ? GPI_TILE_SERIAL_MAX : GPI_TILE_ITEM_MAX;
    if (t->tile <= most) return GP_OK;
    return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT, "tuning.tile = %u, at most %u in the %s shape", t->tile,
                    most, serial ? "serial" : "local");
}

/* Fails unless 0 <= value < count. `field` names the field of gp_tuning in the message; its type is the enum gp_FIELD. */
static gp_result gpi_check_choice(const char *field, int value, int count)
{
    if (value >= 0 && value < count) return GP_OK;
    return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT, "tuning.%s = %d is not a gp_%s", field, value, field);
}

static gp_result gpi_check_sub_group(const gp_tuning *t, const gp_device_info *info)
{
    const uint32_t size = t->sub_group_size;
    if ((size & (size - 1)) || (size && size < GPI_SUB_GROUP_MIN) || size > GPI_SUB_GROUP_MAX) {
        return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT,
                        "tuning.sub_group_size = %u is not a power of two from %d to %d", size,
                        (int)GPI_SUB_GROUP_MIN, (int)GPI_SUB_GROUP_MAX);
    }
    if (t->shape == GP_SHAPE_SUB_GROUP && !size && info->sub_groups == GP_SUB_GROUPS_NONE) {
        return gpi_fail(NULL, GP_ERROR_UNSUPPORTED,
                        "tuning.shape = GP_SHAPE_SUB_GROUP: no sub-groups that can be used on "
                        "%s: set tuning.sub_group_size, and they are emulated",
                        info->name);
    }
    return GP_OK;
}

static gp_result gpi_check_tuning(const gp_tuning *t, const gp_device_info *info)
{
    gp_result result = gpi_check_choice("device_class", (int)t->device_class, GP_DEVICE_CLASS_COUNT);
    if (result == GP_OK) result = gpi_check_choice("shape", (int)t->shape, GP_SHAPE_COUNT);
    if (result == GP_OK) result = gpi_check_choice("words", (int)t->words, GP_WORDS_COUNT);
    if (result == GP_OK) result = gpi_check_sub_group(t, info);
    if (result == GP_OK) result = gpi_check_tile(t, info);
    if (result == GP_OK) result = gpi_check_ring(t);
    if (result != GP_OK) return result;
    if (gpi_is_serial(t, info) && gpi_is_llvmpipe(info)) {
        return gpi_fail(NULL, GP_ERROR_UNSUPPORTED,
                        "tuning.%s asks for the serial shape on %s, whose groups have vectors "
                        "of work-items: leave it zero",
                        t->shape ? "shape" : "device_class", info->name);
    }
    if (t->words == GP_WORDS_WIDE && !info->int64_base_atomics) {
        return gpi_fail(NULL, GP_ERROR_UNSUPPORTED, "tuning.words = GP_WORDS_WIDE needs 64-bit atomics: %s",
                        info->name);
    }
    return GP_OK;
}

/* Returns the tuning file's row of the primitive if there is one and tuning does not set the class of device. Else
   returns the tuning table's row. */
static const gpi_tuning_row *gpi_tuning_row_of(const gp_context *gp, gpi_primitive primitive)
{
    const gp_tuning *tuning = &gp->desc.tuning;
    if (gp->tuned && gp->tuned[primitive].group && !tuning->device_class) return &gp->tuned[primitive];
    return gpi_tuning_find(gpi_tuning_class(tuning, &gp->info), primitive);
}

/* Makes the plan of a primitive. `size`: bytes of an element in local memory. */
static gp_result gpi_plan_make_sized(gp_context *gp, gpi_primitive primitive, size_t size,
                                     gp_strategy strategy, gpi_plan *plan)
{
    const gpi_tuning_row *row = gpi_tuning_row_of(gp, gpi_tuned_of[primitive].rows);
    if ((unsigned)strategy >= GP_STRATEGY_COUNT) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "strategy = %d is not a gp_strategy", (int)strategy);
    }
    plan->strategy = strategy ? strategy : gp->desc.strategy;
    if (plan->strategy == GP_STRATEGY_AUTO) plan->strategy = row->strategy;
    plan->polls = gp->desc.tuning.polls ? gp->desc.tuning.polls : row->polls;
    if (gp->info.loop_limit && plan->polls > gp->info.loop_limit / 4)
        plan->polls = gp->info.loop_limit / 4; /* the device would leave a longer loop before the wait ends */
    gpi_plan_shape(gp, primitive, row, size, plan);
    gpi_plan_words(gp, row, plan);
    return GP_OK;
}

/* Makes the plan of a selection. `size`: bytes of an element (at most 16) or of a tile's count, whichever is
   larger. */
static gp_result gpi_plan_make_select(gp_context *gp, size_t size, gp_strategy strategy, gpi_plan *plan)
{
    return gpi_plan_make_sized(gp, GPI_SELECT, size, strategy, plan);
}

/* Makes the plan of a sort. In the serial shape per_item is the most keys of a group. With sub-groups values pass through local
   memory, too (sort/multisplit.cl), so the larger of key and value limits the size of a tile. */
static gp_result gpi_plan_make_sort(gp_context *gp, gpi_primitive primitive, size_t key_size,
                                    size_t value_size, gp_strategy strategy, gpi_plan *plan)
{
    const gp_result result = gpi_plan_make_sized(gp, primitive, key_size, strategy, plan);
    if (result != GP_OK || !plan->sub_group || value_size <= key_size) return result;
    return gpi_plan_make_sized(gp, primitive, value_size, strategy, plan);
}

/* Fails if a group of the local shape is smaller than the primitive needs. */
static gp_result gpi_plan_check_group(gp_context *gp, gpi_primitive primitive, const gpi_plan *plan)
{
    const uint32_t least = gpi_tuned_of[primitive].group_least;
    if (plan->shape != GP_SHAPE_LOCAL || plan->group >= least) return GP_OK;
    return gpi_fail(gp, GP_ERROR_UNSUPPORTED, "a group has %u work-item%s, and needs at least %u",
                    plan->group, plan->group == 1 ? "" : "s", least);
}

/* Makes the plan of a merge, a search or a histogram. No group waits for another, and there is one strategy. */
static gp_result gpi_plan_make_keys(gp_context *gp, gpi_primitive primitive, size_t key_size, gpi_plan *plan)
{
    const gp_result result = gpi_plan_make_sized(gp, primitive, key_size, GP_STRATEGY_MULTI_PASS, plan);
    return result == GP_OK ? gpi_plan_check_group(gp, primitive, plan) : result;
}

/* Makes the plan of a primitive on nests. Tiles may have any length up to the kernels' limits; tests force tiny tiles.
   `size`: bytes of an index, or, in a scan of stacks, of a value, because the serial shape has a tile of values in
   private memory. */
static gp_result gpi_plan_make_brackets(gp_context *gp, gpi_primitive primitive, size_t size,
                                        gp_strategy strategy, gpi_plan *plan)
{
    const gp_result result = gpi_plan_make_sized(gp, primitive, size, strategy, plan);
    const uint32_t longest = primitive == GPI_STACK_SCAN ? (uint32_t)(32768 / size)
                             : primitive == GPI_TREE     ? 32768
                                                         : 65536;
    const uint32_t most = plan->shape == GP_SHAPE_SERIAL ? longest : 32, tile = gp->desc.tuning.tile;
    if (result != GP_OK) return result;
    if (tile) plan->per_item = tile;
    if (plan->per_item > most) plan->per_item = most;
    while (plan->shape == GP_SHAPE_LOCAL && plan->group * plan->per_item > 16384) plan->group /= 2;
    if (tile && plan->shape == GP_SHAPE_LOCAL) gpi_plan_fit_local(&gp->info, primitive, size, plan);
    gpi_plan_fit_sub_group(plan);
    return GP_OK;
}

/* Makes the plan of a hash table's call. In the serial shape per_item is the number of keys of a group. */
static gp_result gpi_plan_make_hash(gp_context *gp, gp_strategy strategy, gpi_plan *plan)
{
    return gpi_plan_make_sized(gp, GPI_HASH, 4, strategy, plan);
}

/* Makes the plan of a map whose elements have `size` bytes. No group waits for another, and there is one strategy. */
static gp_result gpi_plan_make_map(gp_context *gp, size_t size, gpi_plan *plan)
{
    return gpi_plan_make_sized(gp, GPI_MAP, size, GP_STRATEGY_MULTI_PASS, plan);
}

static size_t gpi_plan_tile(const gpi_plan *plan) { return (size_t)plan->group * plan->per_item; }

/* Sets *tiles to the number of tiles. Fails if there are too many. On a device that ends long loops too early, the
   limit comes from the group that scans the sums of all tiles: each of its items runs some 32 iterations for each
   tile that it handles. */
static gp_result gpi_plan_tiles(gp_context *gp, const gpi_plan *plan, size_t count, cl_uint *tiles)
{
    const size_t tile = gpi_plan_tile(plan);
    const size_t most =
        gp->info.loop_limit ? (size_t)plan->group * (gp->info.loop_limit / 32) : GPI_TILES_MAX;
    const size_t n = count / tile + (count % tile != 0);
    if (n > most) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "count = %zu is %zu tiles of %zu elements, more than %zu",
                        count, n, tile, most);
    }
    *tiles = (cl_uint)n;
    return GP_OK;
}

/* Returns the number of elements of a group in the serial shape: few enough to keep all cores busy to the end, but at
   least `least`, and at most plan->per_item. If tuning sets the tile, the number is plan->per_item. Rounds the result
   up to a multiple of 16, for whole cache lines. */
static size_t gpi_serial_span(const gp_context *gp, const gpi_plan *plan, size_t n, size_t least)
{
    size_t span = n / (4 * (size_t)(gp->info.compute_units ? gp->info.compute_units : 1));
    if (span < least) span = least;
    if (span > plan->per_item || gp->desc.tuning.tile) span = plan->per_item;
    return gpi_ceil_div(span, 16) * 16;
}
