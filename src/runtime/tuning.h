/* tuning.h - plans: how a device runs a primitive. */
#pragma once
#include "api/gpuprim.h"
#include "group/constants.cl"
#include "runtime/primitives.h"

#define GPI_TILES_MAX 0x7fffffffu /* most tiles of one call */

typedef enum gpi_primitive {
#define GPI_PRIMITIVE_VALUE(primitive, file, rows, memory, least, warm_ups) GPI_##primitive,
    GPI_PRIMITIVE_ROWS(GPI_PRIMITIVE_VALUE, GPI_LEFT_OUT)
#undef GPI_PRIMITIVE_VALUE
        GPI_PRIMITIVES
} gpi_primitive;

/* Limits of the kernels, and the defaults of tuning (sort_plan.c, sort/lookback.cl). */
enum {
    GPI_TILE_SERIAL_MAX = 1 << 20, /* most elements of a tile; each has a bit (select/masks.cl) */
    GPI_TILE_ITEM_MAX = 128,       /* local: most elements of an item, in registers */
    GPI_TILE_LOCAL_MAX = 32768,    /* local: most elements of a tile, for 16-bit positions */
    GPI_RING_ROWS = 1024,
    GPI_RING_ROWS_MAX = 1 << 30,
    GPI_RING_REACH = 64,
    GPI_RING_BLOCK = 32
};

/* How a class of device runs a primitive: a row of the tuning table. */
typedef struct gpi_tuning_row {
    gpi_primitive primitive;
    gp_device_class device_class;
    gp_shape shape;
    uint32_t group, item_bytes;
    gp_words words;
    gp_strategy strategy;
    uint32_t polls;
} gpi_tuning_row;

/* The plan of a call: a row of the tuning table, fitted to the element. */
typedef struct gpi_plan {
    gp_shape shape; /* serial or local; a row's GP_SHAPE_SUB_GROUP becomes local with sub_group > 0 */
    gp_words words;
    gp_strategy strategy;
    uint32_t sub_group; /* local: work-items of a sub-group; 0: no sub-groups */
    uint32_t group;     /* work-items of a group */
    uint32_t per_item;  /* elements of a work-item */
    uint32_t polls;     /* reads of a late tile's state, never 0 (scan/lookback.cl) */
} gpi_plan;

/* tuning.c */
static bool gpi_has_fences(const gp_device_info *info);
static const gpi_tuning_row *gpi_tuning_find(gp_device_class device_class, gpi_primitive primitive);
static bool gpi_takes_sub_groups(const gp_tuning *t, const gp_device_info *info);
static gp_result gpi_check_tuning(const gp_tuning *t, const gp_device_info *info);
static gp_result gpi_plan_make_sized(gp_context *gp, gpi_primitive primitive, size_t size,
                                     gp_strategy strategy, gpi_plan *plan);
static gp_result gpi_plan_make_select(gp_context *gp, size_t size, gp_strategy strategy, gpi_plan *plan);
static gp_result gpi_plan_make_sort(gp_context *gp, gpi_primitive primitive, size_t key_size,
                                    size_t value_size, gp_strategy strategy, gpi_plan *plan);
static gp_result gpi_plan_check_group(gp_context *gp, gpi_primitive primitive, const gpi_plan *plan);
static gp_result gpi_plan_make_keys(gp_context *gp, gpi_primitive primitive, size_t key_size, gpi_plan *plan);
static gp_result gpi_plan_make_brackets(gp_context *gp, gpi_primitive primitive, size_t size,
                                        gp_strategy strategy, gpi_plan *plan);
static gp_result gpi_plan_make_hash(gp_context *gp, gp_strategy strategy, gpi_plan *plan);
static gp_result gpi_plan_make_map(gp_context *gp, size_t size, gpi_plan *plan);
static size_t gpi_plan_tile(const gpi_plan *plan);
static gp_result gpi_plan_tiles(gp_context *gp, const gpi_plan *plan, size_t count, cl_uint *tiles);
static size_t gpi_serial_span(const gp_context *gp, const gpi_plan *plan, size_t n, size_t least);
