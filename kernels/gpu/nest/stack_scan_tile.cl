/* stack_scan_tile.cl - scans of stacks: a group of items handles a tile.

   An item represents its GPI_PER_ITEM consecutive elements as bits (nest/brackets_tile.cl), and handles its brackets
   one by one. The result of an element between two brackets is the product after the first of the two. An item's stack
   has, from the top down: the item's own openers, openers of an earlier item m, and then the same openers as item m's
   stack has below item m's own openers:

       base[l]    the product of the stack before item l, without the openers that its closers pop
                = base[m] . the openers of item m in this stack

   So base[l] is the product along a chain of items. Every item follows its chain to the end of its block of GPI_STACK_BLOCK
   items, and then from block to block. */
#ifndef GPI_NEST_STACK_SCAN_TILE_CL
#define GPI_NEST_STACK_SCAN_TILE_CL
#include "base/platform.cl"
#include "group/exchange.cl"
#include "group/striped.cl"
#include "group/sync.cl"
#include "element/input.cl"
#include "element/monoid.cl"
#include "scan/items.cl"
#include "nest/brackets_tile.cl"
#include "nest/stack_monoid.cl"
#include "nest/stack_products.cl"
#include "nest/symbols.cl"
#include "nest/tile_summary.cl"

#define GPI_STACK_BLOCK 16
#define GPI_STACK_LOADS (GPI_SIZE > 8 || GPI_PER_ITEM % 4 ? 1 : 4) /* loads of an item in flight */

/* An item has a row of cells: one for the item, and one for each of its elements. The odd length avoids bank conflicts between
   items that read their rows at the same time. */
#define GPI_STACK_ROW (GPI_PER_ITEM + 1)

/* Macros that describe the tile's element k * GPI_WG + l: the item that owns it, its place among that item's elements, and the
   first cell of that item's row. (The first forms keep the terms with k separate, as constants, because compilers do not know
   that l < GPI_WG.) */
#if GPI_WG % GPI_PER_ITEM == 0
#define GPI_STRIPE_ITEM(l, k) ((l) / GPI_PER_ITEM + (k) * (GPI_WG / GPI_PER_ITEM))
#define GPI_STRIPE_PLACE(l, k) ((l) % GPI_PER_ITEM)
#define GPI_STRIPE_ROW(l, k) \
    ((l) / GPI_PER_ITEM * GPI_STACK_ROW + (k) * (GPI_WG / GPI_PER_ITEM * GPI_STACK_ROW))
#else
#define GPI_STRIPE_ITEM(l, k) (((l) + (k)*GPI_WG) / GPI_PER_ITEM)
#define GPI_STRIPE_PLACE(l, k) (((l) + (k)*GPI_WG) % GPI_PER_ITEM)
#define GPI_STRIPE_ROW(l, k) (GPI_STRIPE_ITEM(l, k) * GPI_STACK_ROW)
#endif

typedef struct gpi_slice_memory {
    gpi_group group;
    ushort stage[GPI_TILE] __attribute__((aligned(16))); /* openers that the tile leaves open, lowest first */
    GPI_T value[GPI_PADDED(GPI_TILE)];                   /* these openers' values, and then products */
    GPI_T sums[GPI_ITEMS_CELLS];
} gpi_slice_memory;
typedef __local gpi_slice_memory *gpi_slice_shared;

typedef struct gpi_fold_memory {
    gpi_group group;
    ushort stage[GPI_TABLE ? 8 : GPI_TILE] __attribute__((aligned(16)));
    ushort
        link[GPI_WG]; /* the topmost opener before an item that the item does not pop: q of gpi_fold_below */
    ushort next[GPI_WG]; /* the item of another block at which an item's chain continues, or GPI_NO_ITEM */
    /* Openers' values, then products; at the end, the product before each item and the products after its brackets. */
    GPI_T row[GPI_WG * GPI_STACK_ROW];
} gpi_fold_memory;
typedef __local gpi_fold_memory *gpi_fold_shared;

#define GPI_NO_ITEM 0xffffu

/* ------------------------------------------------------------------ pair: what a tile leaves */

/* Writes a list of the openers that the tile leaves open to memory->stage, and returns their number. */
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

/* Replaces the list's values by the products of the first 1, 2, ... `count` values. */
static void gpi_slice_scan(GPI_COMBINE_PARAMETER uint count, gpi_slice_shared memory)
{
    const uint share = (count + GPI_WG - 1) / GPI_WG, first = min((uint)get_local_id(0) * share, count);
    const uint end = min(first + share, count);
    GPI_T product = gpi_identity(), all;
    for (uint k = first; k < end; k++)
        product = gpi_combine(GPI_COMBINE_PASSED product, memory->value[GPI_PADDED(k)]);
    product = gpi_items_scan_exclusive(GPI_COMBINE_PASSED product, &all, memory->sums);
    for (uint k = first; k < end; k++) {
        product = gpi_combine(GPI_COMBINE_PASSED product, memory->value[GPI_PADDED(k)]);
        memory->value[GPI_PADDED(k)] = product;
    }
    gpi_sync(); /* the products are written */
}

static void gpi_slice_group(gpi_symbol_input in, gpi_input input, gpi_stack stack, gpi_slice_shared memory)
{
    const uint l = (uint)get_local_id(0), tile = (uint)get_group_id(0);
    const ulong begin = gpi_tile_begin(tile);
    __global GPI_T *cell = gpi_stack_cells(stack, tile);
    if (gpi_brackets_tile_length(stack.nest, tile) == 0) return;
    const uint count = gpi_slice_list(in, stack.nest, tile, memory);
    for (uint k = l; k < count; k += GPI_WG)
        memory->value[GPI_PADDED(k)] = gpi_load(input, begin + memory->stage[k]);
    gpi_sync(); /* the values are written */
    gpi_slice_scan(GPI_COMBINE_OF(input) count, memory);
    for (uint k = l; k < count; k += GPI_WG) cell[k + 1] = memory->value[GPI_PADDED(k)];
    if (l != 0) return;
    cell[0] = gpi_identity();
    stack.nest.tree[stack.nest.leaves + tile] = gpi_unpack_node(memory->group.tree[1]);
}

/* ------------------------------------------------------------------ fold: products of all elements */

/* A tile. Its closers pop the `pops` highest openers of the stack before it. */
typedef struct gpi_fold {
    gpi_stack stack;
    uint tile, length;
    gpi_index pops;
    gpi_fold_shared memory;
} gpi_fold;

/* Writes the products of the stack before the tile without its m highest openers, for m = 0 ... pops - 1, to the tile's last
   cells. The last cell has the product for m = 0. */
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

/* Returns the value of the tile's opener q, or, if q >= GPI_TILE, the product of the stack before the tile without its
   q - GPI_TILE highest openers. */
static GPI_T gpi_fold_below(gpi_fold f, uint q)
{
    return q < GPI_TILE ? f.memory->row[q + q / GPI_PER_ITEM + 1] : gpi_fold_outer(f, q - GPI_TILE);
}

/* Returns the opener that is `need` below the top of the stack before the item, in the form of gpi_fold_below. */
static uint gpi_fold_search(gpi_shared shared, uint need)
{
    const gpi_place place = gpi_items_search(shared->tree, GPI_WG, (uint)get_local_id(0), need);
    if (place.leaf == GPI_NOWHERE) return GPI_TILE + (uint)place.need;
    uint open = shared->open[place.leaf];
    return place.leaf * GPI_PER_ITEM + gpi_take_bit(&open, (uint)place.need);
}

/* Returns whether the tile's element k * GPI_WG + l is an opener. */
static bool gpi_fold_opens(gpi_fold f, uint l, uint k)
{
    return f.memory->group.opens[GPI_STRIPE_ITEM(l, k)] >> GPI_STRIPE_PLACE(l, k) & 1;
}

/* Loads the values of the tile's openers to their cells. Several loads come before the first store, so that they are in flight
   together. */
static void gpi_fold_load(gpi_input input, gpi_fold f)
{
    const uint l = (uint)get_local_id(0);
    const ulong first = gpi_tile_begin(f.tile) + l;
    GPI_EACH_CHUNK(j, GPI_TURNS(GPI_PER_ITEM), GPI_STACK_LOADS) {
        GPI_T x[GPI_STACK_LOADS];
        GPI_EACH(k, GPI_STACK_LOADS)
            if (gpi_fold_opens(f, l, j + k)) x[k] = gpi_load(input, first + (j + k) * GPI_WG);
        GPI_EACH(k, GPI_STACK_LOADS)
            if (gpi_fold_opens(f, l, j + k))
                f.memory->row[GPI_STRIPE_ROW(l, j + k) + GPI_STRIPE_PLACE(l, j + k) + 1] = x[k];
    }
}

/* Returns the cell of the item's first element. */
static __local GPI_T *gpi_fold_own(gpi_fold_shared memory)
{
    return memory->row + (uint)get_local_id(0) * GPI_STACK_ROW + 1;
}

/* Replaces the value of each opener in `open` by the product of the openers in `open` up to this one. `open` has the openers that
   the item leaves open. */
static void gpi_fold_item(GPI_COMBINE_PARAMETER uint open, gpi_fold_shared memory)
{
    __local GPI_T *own = gpi_fold_own(memory);
    GPI_T x = gpi_identity();
    for (; open; open &= open - 1) {
        __local GPI_T *value = own + gpi_lowest(open);
        x = gpi_combine(GPI_COMBINE_PASSED x, *value);
        *value = x;
    }
}

/* Multiplies the products of the openers in `open` with `base`, the product of the stack below them. */
static void gpi_fold_on(GPI_COMBINE_PARAMETER GPI_T base, uint open, gpi_fold_shared memory)
{
    __local GPI_T *own = gpi_fold_own(memory);
    for (; open; open &= open - 1) {
        __local GPI_T *value = own + gpi_lowest(open);
        *value = gpi_combine(GPI_COMBINE_PASSED base, *value);
    }
}

/* Returns the item's base. The links, and the products of each item's openers, must be written. */
static GPI_T gpi_fold_base(gpi_fold f)
{
    const gpi_fold_shared memory = f.memory;
    const uint l = (uint)get_local_id(0), block = l / GPI_STACK_BLOCK;
    uint q = memory->link[l];
    GPI_T x = gpi_fold_below(f, q);
    while (q < GPI_TILE && q / (GPI_STACK_BLOCK * GPI_PER_ITEM) == block) {
        q = memory->link[q / GPI_PER_ITEM];
        x = gpi_combine(GPI_COMBINE_OF(f.stack) gpi_fold_below(f, q), x);
    }
    memory->row[l * GPI_STACK_ROW] = x;
    memory->next[l] = (ushort)(q < GPI_TILE ? q / GPI_PER_ITEM : GPI_NO_ITEM);
    gpi_sync(); /* all items have followed their chains to the ends of their blocks */
    for (uint next = memory->next[l]; next != GPI_NO_ITEM; next = memory->next[next])
        x = gpi_combine(GPI_COMBINE_OF(f.stack) memory->row[next * GPI_STACK_ROW], x);
    return x;
}

/* Moves the cursor down by one opener. Returns the product of the stack up to that opener. */
static GPI_T gpi_fold_down(gpi_fold f, gpi_cursor *cursor)
{
    gpi_index need;
    const uint q = gpi_cursor_down(cursor, &need);
    return gpi_fold_below(f, q == GPI_ALONE ? GPI_TILE + (uint)need : q);
}

/* Writes the product before the item, and the products after each of its brackets, to the item's row. Replaces the item's word of
   `opens` by its brackets. `left` has the brackets that are not paired in the item. The products of all openers that items leave
   open must be written. */
static void gpi_fold_brackets(gpi_fold f, gpi_brackets_of item, gpi_brackets_of left, GPI_T base)
{
    const uint l = (uint)get_local_id(0);
    __local GPI_T *own = gpi_fold_own(f.memory);
    gpi_cursor cursor = gpi_cursor_make(&f.memory->group, l);
    uint close = left.closes, open = 0;
    GPI_T outer = close ? gpi_fold_down(f, &cursor) : base, x = outer;
    own[-1] = outer;
    for (uint brackets = item.opens | item.closes; brackets; brackets &= brackets - 1) {
        const uint j = gpi_lowest(brackets), bit = 1u << j;
        __local GPI_T *value = own + j;
        if (left.opens & bit) {
            x = *value;
            open |= bit;
            continue;
        }
        if (item.opens & bit) {
            x = gpi_combine(GPI_COMBINE_OF(f.stack) x, *value);
            open |= bit;
        } else if (left.closes & bit) {
            close ^= bit;
            outer = close ? gpi_fold_down(f, &cursor) : base;
            x = outer;
        } else {
            open ^= 1u << gpi_highest(open);
            x = open ? own[gpi_highest(open)] : outer;
        }
        *value = x;
    }
    f.memory->group.opens[l] = item.opens | item.closes;
}

/* Returns the result of the tile's element k * GPI_WG + l: the product after the last bracket up to the element, or, if
   `exclusive`, before it. */
static GPI_T gpi_fold_result(gpi_fold_shared memory, uint l, uint k, bool exclusive)
{
    const uint before = ((exclusive ? 1u : 2u) << GPI_STRIPE_PLACE(l, k)) - 1;
    const uint brackets = memory->group.opens[GPI_STRIPE_ITEM(l, k)] & before;
    return memory->row[GPI_STRIPE_ROW(l, k) + 32 - clz(brackets)];
}

static void gpi_fold_write(__global GPI_OUT *out, gpi_fold f, bool exclusive)
{
    const uint l = (uint)get_local_id(0);
    const ulong first = gpi_tile_begin(f.tile) + l;
    if (f.length == GPI_TILE) {
        GPI_EACH_OWN(k) gpi_stack_put(out, first + k * GPI_WG, gpi_fold_result(f.memory, l, k, exclusive));
    } else {
        GPI_ROLLED
        for (uint k = 0; l + k * GPI_WG < f.length; k++)
            gpi_stack_put(out, first + k * GPI_WG, gpi_fold_result(f.memory, l, k, exclusive));
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
    gpi_sync(); /* values and links are written */
    gpi_fold_item(GPI_COMBINE_OF(input) left.opens, memory);
    gpi_sync_all(); /* the items' own products, and those before the tile, are written */
    const GPI_T base = gpi_fold_base(f);
    gpi_fold_on(GPI_COMBINE_OF(input) base, left.opens, memory);
    gpi_sync(); /* the products of all openers that items leave open are written */
    gpi_fold_brackets(f, item, left, base);
    gpi_sync(); /* the products after all brackets are written */
    gpi_fold_write(out, f, exclusive);
}
#endif
