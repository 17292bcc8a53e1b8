/* brackets_local.cl - brackets in the local shape: what the items of a group do with their tile.

   An item goes over GPI_PER_ITEM neighbours with its stack in the bits of a word. What is left of the items
   is a tree in local memory (nest/tile_summary.cl), in which closers search for their openers.

   Parameters
       GPI_SHAPE_LOCAL     1; otherwise this file is empty
       GPI_WG, GPI_PER_ITEM   items of a group, elements of an item (at most 32) */
#ifndef GPI_NEST_BRACKETS_LOCAL_CL
#define GPI_NEST_BRACKETS_LOCAL_CL
#include "base/fault_injection.cl"
#include "base/platform.cl"
#include "group/sync.cl"
#include "nest/stack_monoid.cl"
#include "nest/symbols.cl"
#include "nest/tile_summary.cl"
#if GPI_LOOKBACK
#include "nest/lookback.cl"
#endif

#if GPI_SHAPE_LOCAL
#if GPI_TILE != GPI_WG * GPI_PER_ITEM || GPI_PER_ITEM > 32 || GPI_TILE > 16384
#error "GPI_TILE must be GPI_WG * GPI_PER_ITEM, at most 16384, and GPI_PER_ITEM at most 32"
#endif

#define GPI_GROUP_TILES 1

GPI_DEFINE_TREE(items, __local const gpi_node *, GPI_NODE_AT)

#define GPI_ALONE 0xffffu /* an element without a partner in the tile */
#define GPI_PENDING \
    0x8000u /* GPI_LOOKBACK: a closer whose partner is in a tile before: that, and how far below the \
               top of the stack */

/* What the items of a group tell each other. */
typedef struct gpi_group {
    gpi_node tree[2 * GPI_WG];
    gpi_index height[GPI_WG]; /* of the stack before an item */
    uint open[GPI_WG];        /* a bit for each opener that an item leaves */
    gpi_node before;          /* of all tiles before this one */
#if GPI_LOOKBACK
    gpi_node beside[32]; /* in the tiles' tree to the left of the tile's path to the root, from its leaf up */
#endif
    gpi_note note;
    char sign[GPI_TILE];
} gpi_group;
typedef __local gpi_group *gpi_shared;

typedef struct gpi_pair_memory {
    gpi_group group;
    ushort stage[GPI_TILE]; /* partners or parents, on the way out */
} gpi_pair_memory;

typedef gpi_note gpi_join_memory;
typedef __local gpi_pair_memory *gpi_pair_shared;
typedef __local gpi_join_memory *gpi_join_shared;

/* Signs of the tile's elements: neighbours read neighbours. */
static void gpi_load_signs(gpi_symbol_input in, ulong begin, uint length, gpi_shared shared)
{
    for (uint i = (uint)get_local_id(0); i < GPI_TILE; i += GPI_WG)
        shared->sign[i] = i < length ? (char)gpi_sign(in, begin + i) : (char)0;
}

/* What one item's elements do to the stack; in *open and *close a bit for each one that is left.
   Pairs among them go to `partner`, unless that is NULL. */
static gpi_node gpi_reduce_item(gpi_shared shared, __local ushort *partner, uint *open, uint *close)
{
    const uint first = (uint)get_local_id(0) * GPI_PER_ITEM;
    gpi_node node = gpi_node_make(0, 0);
    *open = *close = 0;
    for (uint j = 0; j < GPI_PER_ITEM; j++) {
        const int sign = shared->sign[first + j];
        if (sign > 0) {
            *open |= 1u << j;
            node.pushes++;
        } else if (sign < 0 && *open) {
            const uint k = 31 - clz(*open);
            *open ^= 1u << k;
            node.pushes--;
            if (!partner) continue;
            partner[first + j] = (ushort)(first + k);
            partner[first + k] = (ushort)(first + j);
        } else if (sign < 0) {
            *close |= 1u << j;
            node.pops++;
        }
    }
    return node;
}

/* The group's tree from the items' nodes. On return all may search it. */
static void gpi_grow_tree(gpi_node node, uint open, gpi_shared shared)
{
    const uint l = (uint)get_local_id(0);
    shared->tree[GPI_WG + l] = node;
    shared->open[l] = open;
    gpi_sync(); /* the items' nodes and openers are there */
    for (uint width = GPI_WG / 2; width > 0; width /= 2) {
        if (l < width)
            shared->tree[width + l] =
                gpi_node_product(shared->tree[2 * (width + l)], shared->tree[2 * (width + l) + 1]);
        gpi_sync(); /* the nodes of this level are there */
    }
}

/* The opener of an item that is `need` below its top, as a bit of `open`; that bit and those above are taken
   off. */
static uint gpi_take_bit(uint *open, uint need)
{
    uint left = *open;
    for (uint k = 0; k < need; k++) left ^= 1u << (31 - clz(left));
    const uint bit = 31 - clz(left);
    *open = left ^ 1u << bit;
    return bit;
}

/* Openers below one another, from the top of the stack before an item on down: in other items of the tile,
   then in tiles before it. */
typedef struct gpi_cursor {
    gpi_shared shared; /* in here: where all calls of a function pass the same local memory, clang puts its
                          name in place of the parameter, and PoCL 3.1 gives a function that stays one of its
                          own another memory of that name, with zeros in it */
    uint self;         /* the item that looks for them */
    uint item, open;   /* the openers of this item that have not been seen */
    gpi_index before;  /* how many have been seen that are in tiles before this one */
} gpi_cursor;

static gpi_cursor gpi_cursor_make(gpi_shared shared, uint item)
{
    gpi_cursor c;
    c.shared = shared;
    c.self = c.item = item;
    c.open = 0;
    c.before = 0;
    return c;
}

/* The next opener's place in the tile; GPI_ALONE: it is not in the tile, and *need below the top of the stack
   before the tile. */
static uint gpi_cursor_down(gpi_cursor *c, gpi_index *need)
{
    const gpi_shared shared = c->shared;
    uint skip = 0;
    if (c->item != GPI_NOWHERE && c->open == 0) {
        const gpi_index pops = c->item == c->self ? 0 : shared->tree[GPI_WG + c->item].pops;
        const gpi_place found = gpi_items_search(shared->tree, GPI_WG, c->item, pops);
        c->item = found.leaf;
        if (found.leaf == GPI_NOWHERE) c->before = found.need;
        else c->open = shared->open[found.leaf];
        skip = (uint)found.need;
    }
    *need = c->before;
    if (c->item == GPI_NOWHERE) c->before++;
    return c->item == GPI_NOWHERE ? GPI_ALONE : c->item * GPI_PER_ITEM + gpi_take_bit(&c->open, skip);
}

/* The tile's i-th element is a closer whose partner is `need` below the top of the stack before the tile. */
static void gpi_pend(gpi_nest nest, uint tile, uint i, gpi_index need, __local ushort *partner)
{
#if GPI_LOOKBACK
    partner[i] = (ushort)(GPI_PENDING + need);
#else
    const ulong begin = gpi_tile_begin(tile);
    nest.cells[begin + gpi_brackets_tile_length(nest, tile) - 1 - need] = (uint)(begin + i);
#endif
}

/* Closers that the item has left find their openers in other items, or are kept for later. */
static void gpi_pair_items(uint close, gpi_nest nest, uint tile, __local ushort *partner, gpi_shared shared)
{
    const uint first = (uint)get_local_id(0) * GPI_PER_ITEM;
    gpi_cursor cursor = gpi_cursor_make(shared, (uint)get_local_id(0));
    for (; close; close &= close - 1) {
        const uint i = first + popcount(~close & (close - 1));
        gpi_index need;
        const uint opener = gpi_cursor_down(&cursor, &need);
        if (opener == GPI_ALONE) {
            gpi_pend(nest, tile, i, need, partner);
            continue;
        }
        partner[i] = (ushort)opener;
        partner[opener] = (ushort)i;
    }
}

/* How many of the item's openers nothing after them in the tile closes, the lowest ones; *at: how many of
   the tile's are below them. */
static uint gpi_kept(gpi_node node, gpi_shared shared, uint *at)
{
    gpi_node after = gpi_node_make(0, 0);
    for (uint x = GPI_WG + (uint)get_local_id(0); x > 1; x >>= 1) {
        if (!(x & 1)) after = gpi_node_product(after, shared->tree[x + 1]);
    }
    const uint left = (uint)gpi_excess(node.pushes, after.pops);
    *at = left > 0 ? (uint)(shared->tree[1].pushes - after.pushes) - left : 0;
    return left;
}

/* The tile's i-th element is the k-th of the openers that it leaves. */
static void gpi_keep(gpi_nest nest, uint tile, uint k, uint i)
{
    const ulong begin = gpi_tile_begin(tile), at = begin + k;
#if GPI_LOOKBACK
    volatile __global uint *word = nest.cells + at / 2;
    if (gpi_tells(word, tile, k)) (void)atomic_or(word, (GPI_CELL_THERE | i) << (at & 1) * 16);
#else
    nest.cells[at] = (uint)(begin + i);
#endif
}

/* They go to the tile's cells. */
static void gpi_keep_openers(gpi_node node, uint open, gpi_nest nest, uint tile, gpi_shared shared)
{
    const uint first = (uint)get_local_id(0) * GPI_PER_ITEM;
    uint at;
    const uint left = gpi_kept(node, shared, &at);
    for (uint k = 0; k < left; k++, open &= open - 1)
        gpi_keep(nest, tile, at + k, first + popcount(~open & (open - 1)));
}

/* GPI_LOOKBACK: closers that are pending are written later, and openers that the tile leaves by those who close
   them, or after the launch: two groups would write them otherwise, in any order. */
static void gpi_pair_write(gpi_symbol_input in, __global gpi_index *match, ulong begin, uint length,
                           __local const ushort *partner, gpi_shared shared)
{
    for (uint i = (uint)get_local_id(0); i < length; i += GPI_WG) {
        const uint k = partner[i];
        (void)k;
        if (GPI_LOOKBACK && (k != GPI_ALONE ? k >= GPI_PENDING : shared->sign[i] > 0)) continue;
#if GPI_MATCH
        match[begin + i] = k == GPI_ALONE ? GPI_NONE : (gpi_index)begin + k;
#endif
#if GPI_KINDS
        if (k >= i || gpi_code(in, begin + i) + gpi_code(in, begin + k) == 0) continue;
        (void)atomic_inc(&shared->note.mismatches);
        (void)atomic_min(&shared->note.first, i);
#endif
    }
}

static void gpi_note_clear(gpi_shared shared)
{
    if (get_local_id(0) == 0) shared->note = gpi_note_make();
}

/* There is such a tile. (Kernels ask, not functions: PoCL 3.1 goes astray after functions that return early
   and have barriers.) */
static void gpi_pair_group(gpi_symbol_input in, __global gpi_index *match, gpi_nest nest, uint tile,
                           gpi_pair_shared memory)
{
    const gpi_shared shared = &memory->group;
    __local ushort *partner = memory->stage;
    const uint l = (uint)get_local_id(0);
    const ulong begin = gpi_tile_begin(tile);
    const uint length = gpi_brackets_tile_length(nest, tile);
    uint open, close;
    gpi_load_signs(in, begin, length, shared);
    for (uint i = l; i < GPI_TILE; i += GPI_WG) partner[i] = GPI_ALONE;
    gpi_note_clear(shared);
    gpi_sync(); /* signs are there, and nobody has a partner; the note is clear */
    const gpi_node node = gpi_reduce_item(shared, partner, &open, &close);
    gpi_grow_tree(node, open, shared);
    if (l == 0) gpi_leaf_set(nest, tile, shared->tree[1]);
    gpi_pair_items(close, nest, tile, partner, shared);
    gpi_keep_openers(node, open, nest, tile, shared);
    gpi_sync(); /* all partners are there */
    gpi_pair_write(in, match, begin, length, partner, shared);
    gpi_sync(); /* all mismatches are counted */
}

/* What the group has noted of its tile goes to where the others can read it, after the launch. */
static void gpi_pair_note(gpi_nest nest, uint tile, gpi_pair_shared memory)
{
    if (get_local_id(0) == 0) nest.notes[tile] = memory->group.note;
}

/* An item's note into that of the whole tile. */
static void gpi_note_sum(gpi_note note, gpi_join_shared sum)
{
    if (note.mismatches) (void)atomic_add(&sum->mismatches, note.mismatches);
    if (note.mismatches) (void)atomic_min(&sum->first, note.first);
    if (note.joined) (void)atomic_add(&sum->joined, note.joined);
    if (note.joined) (void)atomic_add(&sum->searches, note.searches);
    if (note.lone != ~0u) (void)atomic_min(&sum->lone, note.lone);
}

/* The note of the whole tile from those of its items. */
static void gpi_note_add(gpi_nest nest, uint tile, gpi_note note, gpi_join_shared sum)
{
    __global gpi_note *total = nest.notes + tile;
    if (get_local_id(0) == 0) *sum = *total;
    gpi_sync(); /* what the tile has noted so far is there */
    gpi_note_sum(note, sum);
    gpi_sync(); /* everybody has added */
    if (get_local_id(0) == 0) *total = *sum;
}

/* The next opener as it goes to the stage: its place in the tile, or GPI_TILE and how far below the top of
   the stack before the tile. */
static uint gpi_cursor_stage(gpi_cursor *c)
{
    gpi_index need;
    const uint opener = gpi_cursor_down(c, &need);
    return opener == GPI_ALONE ? GPI_TILE + (uint)need : opener;
}

/* Parents of the item's elements into the stage; `below` is the height of the stack before the tile. Their
   depths take the place of the signs, counted from that of the item's first element. The stack's top is in
   the bits `open` as long as one of the item's own openers is there. */
static void gpi_enclose_item(gpi_index below, __local ushort *stage, gpi_shared shared)
{
    const uint l = (uint)get_local_id(0), first = l * GPI_PER_ITEM;
    const gpi_node before =
        gpi_node_product(gpi_node_make(0, below), gpi_items_before(shared->tree, GPI_WG, l));
    gpi_cursor cursor = gpi_cursor_make(shared, l);
    gpi_index height = before.pushes;
    uint open = 0, outer = height ? gpi_cursor_stage(&cursor) : GPI_ALONE;
    shared->height[l] = height;
    for (uint j = 0; j < GPI_PER_ITEM; j++) {
        const int sign = shared->sign[first + j];
        stage[first + j] = (ushort)(open ? first + (31 - clz(open)) : outer);
        shared->sign[first + j] = (char)(height - before.pushes);
        if (sign > 0) {
            open |= 1u << j;
            height++;
        } else if (sign < 0 && height > 0) {
            height--;
            if (open) open ^= 1u << (31 - clz(open));
            else outer = height ? gpi_cursor_stage(&cursor) : GPI_ALONE;
        }
    }
}

static gpi_index gpi_parent_of(gpi_nest nest, uint tile, uint staged)
{
    if (staged == GPI_ALONE) return GPI_NONE;
    if (staged < GPI_TILE) return (gpi_index)gpi_tile_begin(tile) + staged;
    return gpi_opener_at(nest, gpi_tiles_search(nest.tree, nest.leaves, tile, staged - GPI_TILE));
}

/* Parents and depths of the tile, whose items' tree is grown; takes the signs' place. */
static void gpi_enclose_tile(gpi_nest nest, uint tile, __global gpi_index *parent, bool parents,
                             __global gpi_index *depth, bool depths, gpi_pair_shared memory)
{
    const gpi_shared shared = &memory->group;
    const ulong begin = gpi_tile_begin(tile);
    const uint length = gpi_brackets_tile_length(nest, tile);
    gpi_enclose_item(shared->before.pushes, memory->stage, shared);
    gpi_sync();                                                       /* parents and depths are there */
    for (uint i = (uint)get_local_id(0); i < GPI_TILE; i += GPI_WG) { /* all items alike: PoCL 3.1 */
        if (i >= length) continue;
        if (parents) parent[begin + i] = gpi_parent_of(nest, tile, memory->stage[i]);
        if (depths) depth[begin + i] = shared->height[i / GPI_PER_ITEM] + shared->sign[i];
    }
}

/* The tile's signs and its items' tree. */
static void gpi_open_tile(gpi_symbol_input in, gpi_nest nest, uint tile, gpi_shared shared)
{
    uint open, close;
    gpi_load_signs(in, gpi_tile_begin(tile), gpi_brackets_tile_length(nest, tile), shared);
    gpi_note_clear(shared);
    if (get_local_id(0) == 0) shared->before = gpi_tiles_before(nest.tree, nest.leaves, tile);
    gpi_sync(); /* signs are there, and what comes before the tile */
    const gpi_node node = gpi_reduce_item(shared, 0, &open, &close);
    gpi_grow_tree(node, open, shared);
}

static void gpi_enclose_group(gpi_symbol_input in, gpi_nest nest, uint tile, __global gpi_index *parent,
                              bool parents, __global gpi_index *depth, bool depths, gpi_pair_shared memory)
{
    gpi_open_tile(in, nest, tile, &memory->group);
    gpi_enclose_tile(nest, tile, parent, parents, depth, depths, memory);
}

/* How far the stack gets above its height before the tile, whose items' tree is grown. */
static void gpi_measure_items(gpi_shared shared)
{
    const uint l = (uint)get_local_id(0);
    const gpi_node tiles = shared->before;
    gpi_index height = gpi_node_product(tiles, gpi_items_before(shared->tree, GPI_WG, l)).pushes;
    gpi_index highest = tiles.pushes;
    for (uint j = 0; j < GPI_PER_ITEM; j++) {
        const int sign = shared->sign[l * GPI_PER_ITEM + j];
        if (sign >= 0 || height > 0) height += sign;
        highest = max(highest, height);
    }
    (void)atomic_max(&shared->note.rise, (uint)(highest - tiles.pushes));
    if (l == 0) shared->note.base = tiles.pushes;
    gpi_sync(); /* everybody has measured */
}

static void gpi_measure_tile(gpi_symbol_input in, gpi_nest nest, uint tile, gpi_pair_shared memory)
{
    gpi_open_tile(in, nest, tile, &memory->group);
    gpi_measure_items(&memory->group);
    if (get_local_id(0) == 0) {
        nest.notes[tile].rise = memory->group.note.rise;
        nest.notes[tile].base = memory->group.note.base;
    }
}
#endif
#endif
