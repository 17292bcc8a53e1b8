/* brackets_tile.cl - brackets: a group of items handles a tile.

   An item represents its GPI_PER_ITEM consecutive elements by two words: one has a bit for each opener, the other one a bit
   for each closer. The bits of a third word are the item's stack. The items' nodes are a tree in local memory
   (nest/stack_monoid.cl), in which closers search for openers in other items.

   Parameters
       GPI_WG, GPI_PER_ITEM   items of a group, elements of an item (at most 32)
       GPI_SUB_GROUP          items of a sub-group; 0: none (group/sub_group.cl)                                       */
#ifndef GPI_NEST_BRACKETS_TILE_CL
#define GPI_NEST_BRACKETS_TILE_CL
#include "base/fault_injection.cl"
#include "base/platform.cl"
#include "group/sub_group.cl"
#include "group/sync.cl"
#include "nest/places.cl"
#include "nest/stack_monoid.cl"
#include "nest/symbols.cl"
#include "nest/tile_summary.cl"
#include "nest/lookback.cl"
#include "nest/lookback_nodes.cl"

#if GPI_TILE != GPI_WG * GPI_PER_ITEM || GPI_PER_ITEM > 32 || GPI_TILE > 16384
#error "GPI_TILE must be GPI_WG * GPI_PER_ITEM, at most 16384, and GPI_PER_ITEM at most 32"
#endif

#define GPI_GROUP_TILES 1
#define gpi_join_left(match, nest, tile) /* gpi_pair_group has written "none" */
#define GPI_LONE_NOTED GPI_LOOKBACK      /* 1: gpi_note.lone is set */

/* A node of the items' tree is a word: pops in the lower half, pushes in the upper one. */
static uint gpi_pack_node(uint pops, uint pushes) { return pops | pushes << 16; }
static gpi_node gpi_unpack_node(uint x) { return gpi_node_make(x & 0xffff, x >> 16); }

/* Returns the product of two packed nodes: pushes of a and pops of b cancel. */
static uint gpi_packed_product(uint a, uint b) { return a + b - min(a >> 16, b & 0xffff) * 0x10001u; }

#define GPI_PACKED_NODE_AT(tree, x) gpi_unpack_node((tree)[x])
GPI_DEFINE_TREE(items, __local const uint *, GPI_PACKED_NODE_AT)

#define GPI_ALONE 0xffffu /* an element without a partner in the tile */
#define GPI_LEFT 0xfffeu  /* an opener without a partner in the tile (only if GPI_LOOKBACK is 1) */
#define GPI_PENDING \
    0x8000u /* a closer without a partner in the tile (only if GPI_LOOKBACK is 1): GPI_PENDING + the number of openers \
               above its partner on the stack before the tile */

/* The memory through which the items of a group exchange their brackets. */
typedef struct gpi_group {
    uint tree[2 * GPI_WG];
    gpi_index height[GPI_WG]; /* height of the stack before an item */
    uint open[GPI_WG];        /* a bit for each opener that an item leaves open */
    uint opens[GPI_WG];       /* a bit for each opener of an item */
    uint closes[GPI_WG];      /* a bit for each closer of an item; later only for those that pop an opener */
    gpi_node before;          /* the product of all tiles before this one */
#if GPI_LOOKBACK
    gpi_node beside[32]; /* nodes of the tree of tiles left of the tile's path, from its leaf up */
#endif
    gpi_note note;
#if GPI_SUB_GROUP
    gpi_sg_memory sub_group;
#endif
#if GPI_TABLE
    uchar table[256]; /* gpi_bracket_of(sign) of each symbol */
#endif
} gpi_group;
typedef __local gpi_group *gpi_shared;

typedef struct gpi_pair_memory {
    gpi_group group;
    ushort stage[GPI_TILE] __attribute__((aligned(16))); /* partners or parents, before they are written */
} gpi_pair_memory;

typedef gpi_note gpi_join_memory;
typedef __local gpi_pair_memory *gpi_pair_shared;
typedef __local gpi_join_memory *gpi_join_shared;

/* ------------------------------------------------------------------ brackets of an item */

/* An item's brackets: a bit for each opener, and for each closer. */
typedef struct gpi_brackets_of {
    uint opens, closes;
} gpi_brackets_of;

#define GPI_OPENS 1u
#define GPI_CLOSES 16u

static uint gpi_bracket_of(int sign) { return sign > 0 ? GPI_OPENS : sign < 0 ? GPI_CLOSES : 0; }

/* Adds the brackets of four consecutive elements, from the item's j-th on. Bit k of `four` is set if the k-th of these elements
   opens, and bit 4 + k if it closes. */
static void gpi_brackets_add(gpi_brackets_of *item, uint four, uint j)
{
    item->opens |= (four & 15) << j;
    item->closes |= (four >> 4) << j;
}

#if GPI_TABLE
static void gpi_load_table(gpi_symbol_input in, gpi_shared shared)
{
    for (uint x = (uint)get_local_id(0); x < 256; x += GPI_WG)
        shared->table[x] = (uchar)gpi_bracket_of(in.classes->sign[x]);
}

/* Returns the brackets of four adjacent symbols, in the form of `four` in gpi_brackets_add. */
GPI_INLINE_GPU uint gpi_look_up_four(uint symbols, __local const uchar *table)
{
    uint four = 0;
    GPI_EACH(k, 4) four |= (uint)table[symbols >> 8 * k & 255] << k;
    return four;
}

/* Returns the item's brackets. The table must be loaded. A full tile that is aligned for vectors is read in rows of 16
   symbols. */
GPI_INLINE_GPU gpi_brackets_of gpi_load_item(gpi_symbol_input in, ulong begin, uint length, gpi_shared shared)
{
    const uint first = (uint)get_local_id(0) * GPI_PER_ITEM;
    gpi_brackets_of item = {0, 0};
#if GPI_PER_ITEM % 16 == 0
    __global const uchar *symbols = in.symbols + begin;
    if (length == GPI_TILE && (size_t)symbols % 16 == 0) {
        GPI_EACH_CHUNK(j, GPI_PER_ITEM, 16) {
            const uint4 row = *(__global const uint4 *)(symbols + first + j);
            gpi_brackets_add(&item, gpi_look_up_four(row.x, shared->table), j);
            gpi_brackets_add(&item, gpi_look_up_four(row.y, shared->table), j + 4);
            gpi_brackets_add(&item, gpi_look_up_four(row.z, shared->table), j + 8);
            gpi_brackets_add(&item, gpi_look_up_four(row.w, shared->table), j + 12);
        }
        return item;
    }
#endif
    GPI_ROLLED
    for (uint j = 0; j < GPI_TURNS(GPI_PER_ITEM) && first + j < length; j++)
        gpi_brackets_add(&item, shared->table[in.symbols[begin + first + j]], j);
    return item;
}
#else
/* Loads the tile's brackets to `stage`, in local memory. Neighbouring items read neighbouring elements. */
static void gpi_load_stage(gpi_symbol_input in, ulong begin, uint length, __local ushort *stage)
{
    for (uint i = (uint)get_local_id(0); i < GPI_TILE; i += GPI_WG)
        stage[i] = (ushort)(i < length ? gpi_bracket_of(gpi_sign(in, begin + i)) : 0);
}

/* Returns the item's brackets, from the stage. */
static gpi_brackets_of gpi_load_item(__local const ushort *stage)
{
    const uint first = (uint)get_local_id(0) * GPI_PER_ITEM;
    gpi_brackets_of item = {0, 0};
    for (uint j = 0; j < GPI_TURNS(GPI_PER_ITEM); j++) gpi_brackets_add(&item, stage[first + j], j);
    return item;
}
#endif

/* Returns the item's brackets, and writes them to shared->opens and shared->closes, where other items may read them after the
   next barrier. After the call, the item may overwrite its own elements of the stage. */
static gpi_brackets_of gpi_open_item(gpi_symbol_input in, ulong begin, uint length, __local ushort *stage,
                                     gpi_shared shared)
{
#if GPI_TABLE
    gpi_load_table(in, shared);
    gpi_sync(); /* the table is written */
    const gpi_brackets_of item = gpi_load_item(in, begin, length, shared);
    (void)stage;
#else
    gpi_load_stage(in, begin, length, stage);
    gpi_sync(); /* the tile's brackets are written */
    const gpi_brackets_of item = gpi_load_item(stage);
#endif
    shared->opens[get_local_id(0)] = item.opens;
    shared->closes[get_local_id(0)] = item.closes;
    return item;
}

/* gpi_lowest returns the number of the lowest bit that is set, gpi_highest that of the highest. */
static uint gpi_lowest(uint bits) { return (uint)popcount(~bits & (bits - 1)); }
static uint gpi_highest(uint bits) { return 31 - clz(bits); }

/* Returns the item's brackets that have no partner in the item. Writes the pairs within the item to `partner`, unless that is
   NULL. */
GPI_INLINE_GPU gpi_brackets_of gpi_reduce_item(gpi_brackets_of item, __local ushort *partner)
{
    const uint first = (uint)get_local_id(0) * GPI_PER_ITEM;
    gpi_brackets_of left = {item.opens, 0};
    for (uint closes = item.closes; closes; closes &= closes - 1) {
        const uint j = gpi_lowest(closes), below = left.opens & ((1u << j) - 1);
        if (below) {
            const uint k = gpi_highest(below);
            left.opens ^= 1u << k;
            if (!partner) continue;
            partner[first + j] = (ushort)(first + k);
            partner[first + k] = (ushort)(first + j);
        } else {
            left.closes |= 1u << j;
        }
    }
    return left;
}

static uint gpi_item_node(gpi_brackets_of left)
{
    return gpi_pack_node((uint)popcount(left.closes), (uint)popcount(left.opens));
}

/* ------------------------------------------------------------------ tree of items */

/* Makes the group's tree from the items' nodes, and writes the item's openers to shared->open. On return all items may search
   the tree. */
#if GPI_SUB_GROUP
static void gpi_grow_tree(uint node, uint open, gpi_shared shared)
{
    const uint l = (uint)get_local_id(0);
    shared->tree[GPI_WG + l] = node;
    shared->open[l] = open;
    /* Each iteration makes as many levels of the tree as a sub-group can make by itself. */
    GPI_UNROLL
    for (uint width = GPI_WG; width > 1; width = width > GPI_SUB_GROUP ? width / GPI_SUB_GROUP : 1) {
        if (width < GPI_WG && l < width) node = shared->tree[width + l];
        if (GPI_SG_ALL || l < max(width, (uint)GPI_SUB_GROUP)) {
            GPI_UNROLL
            for (uint d = 1; d < min(width, (uint)GPI_SUB_GROUP); d *= 2) {
                node = gpi_packed_product(node, gpi_sg_down(node, d, &shared->sub_group));
                if (l < width && l % (2 * d) == 0) shared->tree[(width + l) / (2 * d)] = node;
            }
        }
        gpi_sync(); /* the nodes of these levels are written */
    }
}
#else
static void gpi_grow_tree(uint node, uint open, gpi_shared shared)
{
    const uint l = (uint)get_local_id(0);
    shared->tree[GPI_WG + l] = node;
    shared->open[l] = open;
    gpi_sync(); /* the items' nodes and openers are written */
    for (uint width = GPI_WG / 2; width > 0; width /= 2) {
        if (l < width)
            shared->tree[width + l] =
                gpi_packed_product(shared->tree[2 * (width + l)], shared->tree[2 * (width + l) + 1]);
        gpi_sync(); /* the nodes of this level are written */
    }
}
#endif

/* Returns the number of the set bit in *open that has `need` set bits above it. Each set bit is an opener. Clears this bit and
   those above it. */
static uint gpi_take_bit(uint *open, uint need)
{
    uint left = *open;
    GPI_ROLLED
    for (uint k = 0; k < need; k++) left ^= 1u << gpi_highest(left);
    const uint bit = gpi_highest(left);
    *open = left ^ 1u << bit;
    return bit;
}

/* A cursor descends the stack before an item, opener by opener: first the openers of other items of the tile, then those of
   earlier tiles. */
typedef struct gpi_cursor {
    gpi_shared shared; /* not a parameter: if all calls of a function pass the same local memory, clang puts
                          this memory in the parameter's place, and PoCL 3.1 then gives a function that is not
                          inlined a separate memory, filled with zeros */
    uint self;         /* the item whose stack this is */
    uint item, open;   /* an item, and its openers that have not been seen yet */
    gpi_index before;  /* how many openers of earlier tiles have been seen */
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

/* Returns the index of the next opener in the tile. If the opener is in an earlier tile, returns GPI_ALONE, and sets *need to
   the opener's distance below the top of the stack before the tile. */
static uint gpi_cursor_down(gpi_cursor *c, gpi_index *need)
{
    const gpi_shared shared = c->shared;
    uint skip = 0;
    if (c->item != GPI_NOWHERE && c->open == 0) {
        const uint pops = c->item == c->self ? 0 : shared->tree[GPI_WG + c->item] & 0xffff;
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

/* Marks the tile's i-th element as a closer to be paired later. Its partner is `need` below the top of the stack before the
   tile. */
static void gpi_pend(gpi_nest nest, uint tile, uint i, gpi_index need, __local ushort *partner)
{
#if GPI_LOOKBACK
    partner[i] = (ushort)(GPI_PENDING + need);
#else
    const ulong begin = gpi_tile_begin(tile);
    nest.cells[begin + gpi_brackets_tile_length(nest, tile) - 1 - need] = (uint)(begin + i);
#endif
}

/* Pairs the item's closers `close`, which have no opener in the item. Closers whose openers are in earlier tiles are paired
   later. */
static void gpi_pair_items(uint close, gpi_nest nest, uint tile, __local ushort *partner, gpi_shared shared)
{
    const uint first = (uint)get_local_id(0) * GPI_PER_ITEM;
    gpi_cursor cursor = gpi_cursor_make(shared, (uint)get_local_id(0));
    for (; close; close &= close - 1) {
        const uint i = first + gpi_lowest(close);
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

/* Returns how many of the item's openers the tile leaves open. They are the item's lowest openers. If there are any, sets *at to
   the number of openers of earlier items that the tile leaves open. */
static uint gpi_kept(uint node, gpi_shared shared, uint *at)
{
    uint after = 0;
    GPI_UNROLL
    for (uint width = GPI_WG; width > 1; width /= 2) {
        const uint x = (GPI_WG + (uint)get_local_id(0)) / (GPI_WG / width);
        if (!(x & 1)) after = gpi_packed_product(after, shared->tree[x + 1]);
    }
    const uint pushes = node >> 16, pops = after & 0xffff, left = pushes - min(pushes, pops);
    *at = left > 0 ? (shared->tree[1] >> 16) - (after >> 16) - left : 0;
    return left;
}

/* Writes the cell of the k-th of the openers that the tile leaves open. This opener is the tile's i-th element. */
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

/* Writes the openers that the tile leaves open to its cells. */
static void gpi_keep_openers(uint node, uint open, gpi_nest nest, uint tile, gpi_shared shared)
{
    const uint first = (uint)get_local_id(0) * GPI_PER_ITEM;
    uint at;
    const uint left = gpi_kept(node, shared, &at);
    for (uint k = 0; k < left; k++, open &= open - 1) gpi_keep(nest, tile, at + k, first + gpi_lowest(open));
}

#if GPI_MATCH
/* Returns whether `match` of an element whose partner is k may be written now. With GPI_LOOKBACK, a pending closer is written
   later. An opener that the tile leaves open is written by the group that closes it, or after the launch: two groups must not
   write it. */
static bool gpi_is_settled(uint k) { return !GPI_LOOKBACK || k < GPI_PENDING || k == GPI_ALONE; }

static gpi_index gpi_match_of(uint k, ulong begin)
{
    return k == GPI_ALONE ? GPI_NONE : (gpi_index)begin + k;
}

static void gpi_match_write(__global gpi_index *match, ulong begin, uint i, __local const ushort *partner)
{
    if (gpi_is_settled(partner[i])) match[begin + i] = gpi_match_of(partner[i], begin);
}

#if GPI_PER_ITEM % 4 == 0
/* Writes the partners of a whole tile that is aligned for vectors. */
static void gpi_match_write_quads(__global gpi_index *match, ulong begin, __local const ushort *partner)
{
    GPI_UNROLL
    for (uint first = 0; first < GPI_TILE; first += 4 * GPI_WG) {
        const uint i = first + 4 * (uint)get_local_id(0);
        const ushort4 k = *(__local const ushort4 *)(partner + i);
        if (gpi_is_settled(k.x) && gpi_is_settled(k.y) && gpi_is_settled(k.z) && gpi_is_settled(k.w))
            *(__global gpi_index_quad *)(match + begin + i) =
                (gpi_index_quad)(gpi_match_of(k.x, begin), gpi_match_of(k.y, begin), gpi_match_of(k.z, begin),
                                 gpi_match_of(k.w, begin));
        else
            for (uint j = i; j < i + 4; j++) gpi_match_write(match, begin, j, partner);
    }
}
#endif

static void gpi_pair_write(__global gpi_index *match, ulong begin, uint length, __local const ushort *partner)
{
#if GPI_PER_ITEM % 4 == 0
    if (length == GPI_TILE && (size_t)(match + begin) % sizeof(gpi_index_quad) == 0) {
        gpi_match_write_quads(match, begin, partner);
        return;
    }
#endif
    GPI_ROLLED
    for (uint i = (uint)get_local_id(0); i < length; i += GPI_WG) gpi_match_write(match, begin, i, partner);
}
#endif

#if GPI_KINDS
/* Counts the pairs in the tile whose brackets are of different kinds. */
static void gpi_pair_compare(gpi_symbol_input in, ulong begin, uint length, __local const ushort *partner,
                             gpi_shared shared)
{
    for (uint i = (uint)get_local_id(0); i < length; i += GPI_WG) {
        const uint k = partner[i];
        if (k >= i || gpi_code(in, begin + i) + gpi_code(in, begin + k) == 0) continue;
        (void)atomic_inc(&shared->note.mismatches);
        (void)atomic_min(&shared->note.first, i);
    }
}
#endif

static void gpi_note_clear(gpi_shared shared)
{
    if (get_local_id(0) == 0) shared->note = gpi_note_make();
}

/* Sets `partner` of each of the item's elements to GPI_ALONE. */
static void gpi_partner_none(__local ushort *partner)
{
    const uint first = (uint)get_local_id(0) * GPI_PER_ITEM;
#if GPI_PER_ITEM % 8 == 0
    const uint turn = (uint)get_local_id(0) * GPI_PER_ITEM / 64; /* items begin in different banks */
    GPI_EACH(j, GPI_PER_ITEM / 8)
        *(__local uint4 *)(partner + first + (j + turn) % (GPI_PER_ITEM / 8) * 8) = (uint4)(~0u);
#else
    for (uint j = 0; j < GPI_PER_ITEM; j++) partner[first + j] = GPI_ALONE;
#endif
}

/* Pairs the brackets of `tile`, and makes its node and its cells. Without GPI_LOOKBACK, the tile must exist. (Kernels check that,
   because PoCL 3.1 fails after functions that return early and have barriers.) */
static void gpi_pair_group(gpi_symbol_input in, __global gpi_index *match, gpi_nest nest, uint tile,
                           bool cells, gpi_pair_shared memory)
{
    (void)cells; /* cells are always made, because that costs no time */
    const gpi_shared shared = &memory->group;
    __local ushort *partner = memory->stage;
    const ulong begin = gpi_tile_begin(tile);
    const uint length = gpi_brackets_tile_length(nest, tile);
    gpi_note_clear(shared);
    const gpi_brackets_of item = gpi_open_item(in, begin, length, partner, shared);
    gpi_partner_none(partner);
    const gpi_brackets_of left = gpi_reduce_item(item, partner);
    const uint node = gpi_item_node(left);
#if GPI_LOOKBACK
    for (uint open = left.opens; open; open &= open - 1)
        partner[get_local_id(0) * GPI_PER_ITEM + gpi_lowest(open)] = GPI_LEFT;
#endif
    gpi_grow_tree(node, left.opens, shared);
    if (get_local_id(0) == 0) gpi_leaf_set(nest, tile, gpi_unpack_node(shared->tree[1]));
    gpi_pair_items(left.closes, nest, tile, partner, shared);
    gpi_keep_openers(node, left.opens, nest, tile, shared);
    gpi_sync(); /* all partners are written */
#if GPI_MATCH
    gpi_pair_write(match, begin, length, partner);
#endif
#if GPI_KINDS
    gpi_pair_compare(in, begin, length, partner, shared);
    gpi_sync(); /* all mismatches are counted */
#endif
}

/* Writes the tile's note to global memory, for later launches. */
static void gpi_pair_note(gpi_nest nest, uint tile, gpi_pair_shared memory)
{
    if (get_local_id(0) == 0) nest.notes[tile] = memory->group.note;
}

/* Adds an item's note to the note of the whole tile. */
static void gpi_note_sum(gpi_note note, gpi_join_shared sum)
{
    if (note.mismatches) (void)atomic_add(&sum->mismatches, note.mismatches);
    if (note.mismatches) (void)atomic_min(&sum->first, note.first);
    if (note.joined) (void)atomic_add(&sum->joined, note.joined);
    if (note.joined) (void)atomic_add(&sum->searches, note.searches);
    if (note.lone != ~0u) (void)atomic_min(&sum->lone, note.lone);
}

/* Adds the items' notes to the tile's note. */
static void gpi_note_add(gpi_nest nest, uint tile, gpi_note note, gpi_join_shared sum)
{
    __global gpi_note *total = nest.notes + tile;
    if (get_local_id(0) == 0) *sum = *total;
    gpi_sync(); /* the tile's note so far is copied */
    gpi_note_sum(note, sum);
    gpi_sync(); /* all items have added */
    if (get_local_id(0) == 0) *total = *sum;
}

/* Returns the next opener in the form in which the stage stores it. This is its index in the tile, or, for an opener of an
   earlier tile, GPI_TILE + how far the opener is below the top of the stack before the tile. */
static uint gpi_cursor_stage(gpi_cursor *c)
{
    gpi_index need;
    const uint opener = gpi_cursor_down(c, &need);
    return opener == GPI_ALONE ? GPI_TILE + (uint)need : opener;
}

/* Writes the parents of the item's elements to the stage, and the height of the stack before the item to shared->height. Removes
   from shared->closes the item's closers that pop no opener. `below` is the height of the stack before the tile. The stack's top
   is in the bits `open` as long as it is one of the item's own openers. */
static void gpi_enclose_item(gpi_index below, __local ushort *stage, gpi_shared shared)
{
    const uint l = (uint)get_local_id(0), first = l * GPI_PER_ITEM;
    const uint opens = shared->opens[l], closes = shared->closes[l];
    const gpi_node before =
        gpi_node_product(gpi_node_make(0, below), gpi_items_before(shared->tree, GPI_WG, l));
    gpi_cursor cursor = gpi_cursor_make(shared, l);
    gpi_index height = before.pushes;
    uint open = 0, close = 0, outer = height ? gpi_cursor_stage(&cursor) : GPI_ALONE;
    shared->height[l] = height;
    for (uint j = 0; j < GPI_PER_ITEM; j++) {
        const uint bit = 1u << j;
        stage[first + j] = (ushort)(open ? first + gpi_highest(open) : outer);
        if (opens & bit) {
            open |= bit;
            height++;
        } else if (closes & bit && height > 0) {
            height--;
            close |= bit;
            if (open) open ^= 1u << gpi_highest(open);
            else outer = height ? gpi_cursor_stage(&cursor) : GPI_ALONE;
        }
    }
    shared->closes[l] = close;
}

/* Returns the height of the stack before the tile's i-th element. */
static gpi_index gpi_depth_of(uint i, gpi_shared shared)
{
    const uint l = i / GPI_PER_ITEM, before = (1u << i % GPI_PER_ITEM) - 1;
    return shared->height[l] + popcount(shared->opens[l] & before) - popcount(shared->closes[l] & before);
}

static gpi_index gpi_parent_of(gpi_nest nest, uint tile, uint staged)
{
    if (staged == GPI_ALONE) return GPI_NONE;
    if (staged < GPI_TILE) return (gpi_index)gpi_tile_begin(tile) + staged;
    return gpi_opener_at(nest, gpi_tiles_search(nest.tree, nest.leaves, tile, staged - GPI_TILE));
}

/* Writes parents and depths of the tile, whose items' tree must be complete. */
static void gpi_enclose_tile(gpi_nest nest, uint tile, __global gpi_index *parent, bool parents,
                             __global gpi_index *depth, bool depths, gpi_pair_shared memory)
{
    const gpi_shared shared = &memory->group;
    const ulong begin = gpi_tile_begin(tile);
    const uint length = gpi_brackets_tile_length(nest, tile);
    gpi_enclose_item(shared->before.pushes, memory->stage, shared);
    gpi_sync();                                                       /* parents and depths are written */
    for (uint i = (uint)get_local_id(0); i < GPI_TILE; i += GPI_WG) { /* run by all items: PoCL 3.1 */
        if (i >= length) continue;
        if (parents) parent[begin + i] = gpi_parent_of(nest, tile, memory->stage[i]);
        if (depths) depth[begin + i] = gpi_depth_of(i, shared);
    }
}

/* Reads the tile's brackets, clears its note, and makes its items' tree and shared->before. */
static void gpi_open_tile(gpi_symbol_input in, gpi_nest nest, uint tile, gpi_pair_shared memory)
{
    const gpi_shared shared = &memory->group;
    gpi_note_clear(shared);
    if (get_local_id(0) == 0) shared->before = gpi_tiles_before(nest.tree, nest.leaves, tile);
    const gpi_brackets_of item =
        gpi_open_item(in, gpi_tile_begin(tile), gpi_brackets_tile_length(nest, tile), memory->stage, shared);
    const gpi_brackets_of left = gpi_reduce_item(item, 0);
    gpi_grow_tree(gpi_item_node(left), left.opens, shared); /* its barriers make shared->before visible */
}

static void gpi_enclose_group(gpi_symbol_input in, gpi_nest nest, uint tile, __global gpi_index *parent,
                              bool parents, __global gpi_index *depth, bool depths, gpi_pair_shared memory)
{
    gpi_open_tile(in, nest, tile, memory);
    gpi_enclose_tile(nest, tile, parent, parents, depth, depths, memory);
}

/* Writes the stack's height before the tile to shared->note, and how far the stack rises above this height. The items' tree must
   be complete. */
static void gpi_measure_items(gpi_shared shared)
{
    const uint l = (uint)get_local_id(0);
    const uint opens = shared->opens[l], closes = shared->closes[l];
    const gpi_node tiles = shared->before;
    gpi_index height = gpi_node_product(tiles, gpi_items_before(shared->tree, GPI_WG, l)).pushes;
    gpi_index highest = tiles.pushes;
    for (uint j = 0; j < GPI_PER_ITEM; j++) {
        height += opens >> j & 1;
        height -= height > 0 ? closes >> j & 1 : 0;
        highest = max(highest, height);
    }
    (void)atomic_max(&shared->note.rise, (uint)(highest - tiles.pushes));
    if (l == 0) shared->note.base = tiles.pushes;
    gpi_sync(); /* all items have measured */
}

static void gpi_measure_tile(gpi_symbol_input in, gpi_nest nest, uint tile, gpi_pair_shared memory)
{
    gpi_open_tile(in, nest, tile, memory);
    gpi_measure_items(&memory->group);
    if (get_local_id(0) == 0) {
        nest.notes[tile].rise = memory->group.note.rise;
        nest.notes[tile].base = memory->group.note.base;
    }
}
#endif
