/* stack_scan_local.cl - scans of stacks in the local shape: what the items of a group do with their tile.

   An item has GPI_PER_ITEM neighbours as bits (nest/brackets_local.cl). It goes over its brackets one by one; what
   stands between two of them has the first one's product. What an item finds on the stack is the product of openers in
   other items, each of which goes on below in one more item:

       base[l]    the product of the stack before item l, without what its closers take
                = base[m] . those openers of item m on top of which item l's begin

   Such a chain has a hop for each item that it goes through: every item follows its own to the end of its
   block of GPI_STACK_BLOCK items, and then from block to block. */
#ifndef GPI_NEST_STACK_SCAN_LOCAL_CL
#define GPI_NEST_STACK_SCAN_LOCAL_CL
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/input.cl"
#include "element/monoid.cl"
#include "scan/items_local.cl"
#include "nest/brackets_tile.cl"
#include "nest/stack_monoid.cl"
#include "nest/stack_products.cl"
#include "nest/symbols.cl"
#include "nest/tile_summary.cl"

#define GPI_STACK_BLOCK 16

/* One unused cell after every 32 keeps items that stride by GPI_PER_ITEM off one another's banks. */
#define GPI_STACK_PAD(i) ((i) + (i) / 32)

typedef struct gpi_slice_memory {
    gpi_group group;
    ushort stage[GPI_TILE] __attribute__((aligned(16))); /* openers that the tile leaves, lowest first */
    GPI_T value[GPI_STACK_PAD(GPI_TILE)];                /* their values, and then products */
    GPI_T sums[GPI_ITEMS_CELLS];
} gpi_slice_memory;
typedef __local gpi_slice_memory *gpi_slice_shared;

typedef struct gpi_fold_memory {
    gpi_group group;
    ushort stage[GPI_TABLE ? 8 : GPI_TILE] __attribute__((aligned(16)));
    ushort link[GPI_WG]; /* the opener below what an item leaves, or as gpi_fold_below says */
    ushort next[GPI_WG]; /* the item, of another block, whose base comes before outer; GPI_NO_ITEM: none */
    GPI_T outer[GPI_WG]; /* in the end what is on the stack before an item */
    GPI_T value[GPI_STACK_PAD(GPI_TILE)]; /* of openers; in the end products after brackets */
} gpi_fold_memory;
typedef __local gpi_fold_memory *gpi_fold_shared;

#define GPI_NO_ITEM 0xffffu

/* ------------------------------------------------------------------ pair: what a tile leaves */

/* The tile's openers that it leaves, into a list. Returns how many there are. */
static uint gpi_slice_list(gpi_symbol_input in, gpi_nest nest, uint tile, gpi_slice_shared memory)
{
    const gpi_shared shared = &memory->group;
    const uint first = (uint)get_local_id(0) * GPI_PER_ITEM;
    const gpi_brackets_of item =
        gpi_open_item(in, gpi_tile_begin(tile), gpi_brackets_tile_length(nest, tile), memory->stage, shared);
    const gpi_brackets_of left = gpi_reduce_item(item, 0);
    const uint node = gpi_item_node(left);
    uint open = left.opens, at;
    gpi_grow_tree(node, open, shared);
    const uint kept = gpi_kept(node, shared, &at);
    for (uint k = 0; k < kept; k++, open &= open - 1)
        memory->stage[at + k] = (ushort)(first + gpi_lowest(open));
    gpi_sync(); /* the list is complete */
    return shared->tree[1] >> 16;
}

/* The products of the first 1, 2 ... `count` values. */
static void gpi_slice_scan(uint count, gpi_slice_shared memory)
{
    const uint share = (count + GPI_WG - 1) / GPI_WG, first = min((uint)get_local_id(0) * share, count);
    const uint end = min(first + share, count);
    GPI_T product = gpi_identity(), all;
    for (uint k = first; k < end; k++) product = gpi_combine(product, memory->value[GPI_STACK_PAD(k)]);
    product = gpi_items_scan_exclusive(product, &all, memory->sums);
    for (uint k = first; k < end; k++) {
        product = gpi_combine(product, memory->value[GPI_STACK_PAD(k)]);
        memory->value[GPI_STACK_PAD(k)] = product;
    }
    gpi_sync(); /* the products are there */
}

static void gpi_slice_group(gpi_symbol_input in, gpi_input input, gpi_stack stack, gpi_slice_shared memory)
{
    const uint l = (uint)get_local_id(0), tile = (uint)get_group_id(0);
    const ulong begin = gpi_tile_begin(tile);
    __global GPI_T *cell = gpi_stack_cells(stack, tile);
    if (gpi_brackets_tile_length(stack.nest, tile) == 0) return;
    const uint count = gpi_slice_list(in, stack.nest, tile, memory);
    for (uint k = l; k < count; k += GPI_WG)
        memory->value[GPI_STACK_PAD(k)] = gpi_load(input, begin + memory->stage[k]);
    gpi_sync(); /* the values are there */
    gpi_slice_scan(count, memory);
    for (uint k = l; k < count; k += GPI_WG) cell[k + 1] = memory->value[GPI_STACK_PAD(k)];
    if (l != 0) return;
    cell[0] = gpi_identity();
    stack.nest.tree[stack.nest.leaves + tile] = gpi_unpack_node(memory->group.tree[1]);
}

/* ------------------------------------------------------------------ fold: products of all elements */

/* A tile, of whose stack before it the highest `pops` are taken by its closers. */
typedef struct gpi_fold {
    gpi_stack stack;
    uint tile, length;
    gpi_index pops;
    gpi_fold_shared memory;
} gpi_fold;

/* Of the stack before the tile without its highest m, the products for m = 0 ... pops - 1: they stand in the
   tile's last cells, the first one last. */
static void gpi_fold_before(gpi_fold f, GPI_T initial)
{
    const gpi_nest nest = f.stack.nest;
    for (uint m = (uint)get_local_id(0); m < f.pops; m += GPI_WG)
        gpi_stack_cells(f.stack, f.tile)[f.length - m] =
            gpi_stack_at(f.stack, gpi_tiles_search(nest.tree, nest.leaves, f.tile, m), initial);
}

static GPI_T gpi_fold_outer(gpi_fold f, uint m)
{
    if (m >= f.pops) return f.stack.bases[f.tile];
    return gpi_stack_cells(f.stack, f.tile)[f.length - m];
}

/* The value of the tile's opener q; q from GPI_TILE on: the product of the stack before the tile without its
   highest q - GPI_TILE. */
static GPI_T gpi_fold_below(gpi_fold f, uint q)
{
    return q < GPI_TILE ? f.memory->value[GPI_STACK_PAD(q)] : gpi_fold_outer(f, q - GPI_TILE);
}

/* The opener `need` below the top of the stack before the item, as above. */
static uint gpi_fold_search(gpi_shared shared, uint need)
{
    const gpi_place place = gpi_items_search(shared->tree, GPI_WG, (uint)get_local_id(0), need);
    if (place.leaf == GPI_NOWHERE) return GPI_TILE + (uint)place.need;
    uint open = shared->open[place.leaf];
    return place.leaf * GPI_PER_ITEM + gpi_take_bit(&open, (uint)place.need);
}

/* The openers' values from memory. */
static void gpi_fold_load(gpi_input input, gpi_fold f)
{
    const ulong begin = gpi_tile_begin(f.tile);
    GPI_UNROLL
    for (uint i = (uint)get_local_id(0); i < GPI_TILE; i += GPI_WG)
        if (f.memory->group.opens[i / GPI_PER_ITEM] >> i % GPI_PER_ITEM & 1)
            f.memory->value[GPI_STACK_PAD(i)] = gpi_load(input, begin + i);
}

/* Each opener of `open`, which the item leaves, multiplied with those below it. */
static void gpi_fold_item(uint open, gpi_fold_shared memory)
{
    const uint first = (uint)get_local_id(0) * GPI_PER_ITEM;
    GPI_T x = gpi_identity();
    for (; open; open &= open - 1) {
        __local GPI_T *value = memory->value + GPI_STACK_PAD(first + gpi_lowest(open));
        x = gpi_combine(x, *value);
        *value = x;
    }
}

/* These products multiplied with what is below them. */
static void gpi_fold_on(GPI_T base, uint open, gpi_fold_shared memory)
{
    const uint first = (uint)get_local_id(0) * GPI_PER_ITEM;
    for (; open; open &= open - 1) {
        __local GPI_T *value = memory->value + GPI_STACK_PAD(first + gpi_lowest(open));
        *value = gpi_combine(base, *value);
    }
}

/* The item's base. All links are there, and for each item its openers' products with one another. */
static GPI_T gpi_fold_base(gpi_fold f)
{
    const gpi_fold_shared memory = f.memory;
    const uint l = (uint)get_local_id(0), block = l / GPI_STACK_BLOCK;
    uint q = memory->link[l];
    GPI_T x = gpi_fold_below(f, q);
    while (q < GPI_TILE && q / (GPI_STACK_BLOCK * GPI_PER_ITEM) == block) {
        q = memory->link[q / GPI_PER_ITEM];
        x = gpi_combine(gpi_fold_below(f, q), x);
    }
    memory->outer[l] = x;
    memory->next[l] = (ushort)(q < GPI_TILE ? q / GPI_PER_ITEM : GPI_NO_ITEM);
    gpi_sync(); /* all items are at the end of their blocks */
    for (uint next = memory->next[l]; next != GPI_NO_ITEM; next = memory->next[next])
        x = gpi_combine(memory->outer[next], x);
    return x;
}

/* What is on the stack below, as gpi_cursor_down goes down. */
static GPI_T gpi_fold_down(gpi_fold f, gpi_cursor *cursor)
{
    gpi_index need;
    const uint q = gpi_cursor_down(cursor, &need);
    return gpi_fold_below(f, q == GPI_ALONE ? GPI_TILE + (uint)need : q);
}

/* The products after the item's brackets, of which `left` are not paired in it. Those of the openers that it leaves
   are there, for all items. */
static void gpi_fold_brackets(gpi_fold f, gpi_brackets_of item, gpi_brackets_of left, GPI_T base)
{
    const uint l = (uint)get_local_id(0), first = l * GPI_PER_ITEM;
    gpi_cursor cursor = gpi_cursor_make(&f.memory->group, l);
    uint close = left.closes, open = 0;
    GPI_T outer = close ? gpi_fold_down(f, &cursor) : base, x = outer;
    f.memory->outer[l] = outer;
    for (uint brackets = item.opens | item.closes; brackets; brackets &= brackets - 1) {
        const uint j = gpi_lowest(brackets), bit = 1u << j;
        __local GPI_T *value = f.memory->value + GPI_STACK_PAD(first + j);
        if (left.opens & bit) {
            x = *value;
            open |= bit;
            continue;
        }
        if (item.opens & bit) {
            x = gpi_combine(x, *value);
            open |= bit;
        } else if (left.closes & bit) {
            close ^= bit;
            outer = close ? gpi_fold_down(f, &cursor) : base;
            x = outer;
        } else {
            open ^= 1u << gpi_highest(open);
            x = open ? f.memory->value[GPI_STACK_PAD(first + gpi_highest(open))] : outer;
        }
        *value = x;
    }
    f.memory->group.opens[l] = item.opens | item.closes;
}

/* An element has the product after the last bracket before it, or after itself. */
static void gpi_fold_write(__global GPI_OUT *out, gpi_fold f, bool exclusive)
{
    const ulong begin = gpi_tile_begin(f.tile);
    const gpi_fold_shared memory = f.memory;
    for (uint i = (uint)get_local_id(0); i < f.length; i += GPI_WG) {
        const uint item = i / GPI_PER_ITEM, before = ((exclusive ? 1u : 2u) << i % GPI_PER_ITEM) - 1;
        const uint brackets = memory->group.opens[item] & before;
        gpi_stack_put(out, begin + i,
                      brackets ? memory->value[GPI_STACK_PAD(item * GPI_PER_ITEM + gpi_highest(brackets))]
                               : memory->outer[item]);
    }
}

static void gpi_fold_group(gpi_symbol_input in, gpi_input input, __global GPI_OUT *out, gpi_stack stack,
                           GPI_T initial, bool exclusive, gpi_fold_shared memory)
{
    const gpi_shared shared = &memory->group;
    gpi_fold f;
    f.stack = stack;
    f.tile = (uint)get_group_id(0);
    f.length = gpi_brackets_tile_length(stack.nest, f.tile);
    f.memory = memory;
    if (f.length == 0) return;
    f.pops = gpi_leaf(stack.nest, f.tile).pops;
    gpi_fold_before(f, initial);
    const gpi_brackets_of item = gpi_open_item(in, gpi_tile_begin(f.tile), f.length, memory->stage, shared);
    const gpi_brackets_of left = gpi_reduce_item(item, 0);
    gpi_grow_tree(gpi_item_node(left), left.opens, shared);
    gpi_fold_load(input, f);
    memory->link[get_local_id(0)] = (ushort)gpi_fold_search(shared, (uint)popcount(left.closes));
    gpi_sync(); /* values and links are there */
    gpi_fold_item(left.opens, memory);
    gpi_sync_all(); /* the items' own products, and those before the tile */
    const GPI_T base = gpi_fold_base(f);
    gpi_fold_on(base, left.opens, memory);
    gpi_sync(); /* the products of all openers that items leave */
    gpi_fold_brackets(f, item, left, base);
    gpi_sync(); /* the products after all brackets */
    gpi_fold_write(out, f, exclusive);
}
#endif
