/* pairing.cl - what a group does with its tile, in each shape: pairs inside it, and all that encloses.

       serial   one item, GPI_STRANDS tiles abreast, so that the chain push, pop, push ... of one does not
                wait for itself. A tile's cells are its stack. Where brackets are symbols and rare, 64
                elements are classified at a time, and only the brackets among them are stepped through.
       local    an item goes over GPI_ITEMS neighbours with its stack in the bits of a word; what is left
                of the items is a tree in local memory (nest.cl), in which closers search their openers.

   Parameters
       GPI_SHAPE_SERIAL or GPI_SHAPE_LOCAL   1
       GPI_WG, GPI_ITEMS                     local: items of a group, elements of an item, at most 32
       GPI_IS_BRACKET(v)                     serial: which of 16 symbols are brackets; may be missing     */
#if GPI_SHAPE_SERIAL + GPI_SHAPE_LOCAL != 1
#error "exactly one of GPI_SHAPE_SERIAL and GPI_SHAPE_LOCAL must be 1"
#endif
#if GPI_SHAPE_SERIAL && GPI_WG != 1
#error "the serial shape has one item a group"
#endif
#if GPI_SHAPE_LOCAL && (GPI_TILE != GPI_WG * GPI_ITEMS || GPI_ITEMS > 32 || GPI_TILE > 16384)
#error "GPI_TILE must be GPI_WG * GPI_ITEMS, at most 16384, and GPI_ITEMS at most 32"
#endif

#if GPI_SHAPE_SERIAL
static void gpi_sync(void) {} /* there is nobody else */
static void gpi_sync_all(void) {}

#define GPI_SHARED(type, name) type *const name = 0 /* one item shares nothing */
typedef uint gpi_pair_memory, gpi_join_memory;
typedef uint *gpi_pair_shared, *gpi_join_shared;
#else
#define GPI_SHARED(type, name) \
    __local type name##_mem;   \
    __local type *const name = &name##_mem
static void gpi_sync(void) { barrier(CLK_LOCAL_MEM_FENCE); }
static void gpi_sync_all(void) { barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); }
#endif

#if GPI_SHAPE_SERIAL
/* ------------------------------------------------------------------ serial */

#define GPI_STRANDS 4
#define GPI_BLOCK 64
#define GPI_FEW 24 /* brackets of a block that are still stepped through one by one */

/* A tile on its way: what hardly ever changes. Its stack grows from `base` up, its closers without an opener
   from the last cell down. What changes with every bracket, the next cell of an opener (`free`), is apart, so
   that it can stay in a register. */
typedef struct gpi_strand {
    __global uint *base, *pending; /* next cell of a closer */
    gpi_node node;
    gpi_note note;
} gpi_strand;

static __global uint *gpi_strand_begin(gpi_strand *s, gpi_nest nest, uint tile)
{
    s->base = nest.cells + gpi_tile_begin(tile);
    s->pending = s->base + gpi_tile_length(nest, tile) - 1;
    s->node = gpi_node_make(0, 0);
    s->note = gpi_note_make();
    return s->base;
}

static void gpi_strand_end(gpi_strand *s, __global uint *free, gpi_nest nest, uint tile)
{
    s->node.pushes = (gpi_index)(free - s->base);
    nest.tree[nest.leaves + tile] = s->node;
    nest.notes[tile] = s->note;
}

GPI_NOINLINE void gpi_strand_pend(gpi_strand *s, gpi_index at)
{
    s->node.pops++;
    *s->pending-- = (uint)at;
}

GPI_NOINLINE void gpi_strand_mismatch(gpi_strand *s, uint i)
{
    s->note.mismatches++;
    s->note.first = min(s->note.first, i);
}

/* Element `at`, which is the tile's i-th. Every element is written to the cell above the stack: an opener
   stays there. The partner of what is no closer is none, which is more than any index: min() then gives the
   element itself, whose own partner is written last. */
GPI_INLINE void gpi_step(gpi_strand *s, __global uint **free, __global const GPI_SYMBOL *in,
                         __global gpi_index *match, gpi_index at, uint i)
{
    const long sign = GPI_SIGN(in[at], at), closes = sign >> 63; /* all bits, or none */
    __global uint *next = *free + sign;
    if (GPI_RARELY(next < s->base)) {
        gpi_strand_pend(s, at);
#if GPI_MATCH
        match[at] = GPI_NONE;
#endif
        return;
    }
    **free = (uint)at;
    const uint cell = (*free)[closes];
    const gpi_index partner = at - (uint)((uint)at - cell) | ~(gpi_index)closes;
    const gpi_index first = min(partner, at);
    (void)first;
#if GPI_MATCH
    match[first] = at;
    match[at] = partner;
#endif
#if GPI_KINDS
    if (GPI_RARELY((GPI_CODE(in[first], first) + GPI_CODE(in[at], at)) & (int)closes))
        gpi_strand_mismatch(s, i);
#endif
    *free = next;
}

#ifdef GPI_IS_BRACKET
typedef uchar16 gpi_symbols __attribute__((aligned(1)));
typedef uint16 gpi_words __attribute__((aligned(4)));

/* A bit for each of 64 symbols: is it a bracket? A byte's bit is kept in its own place, and the product's top
   byte gathers those of eight. */
GPI_INLINE ulong gpi_brackets_of(__global const uchar *in)
{
    ulong mask = 0;
    for (uint q = 0; q < GPI_BLOCK / 16; q++) {
        const uchar16 v = GPI_LOAD_VECTOR(gpi_symbols, in + 16 * q);
        const ulong2 hit = as_ulong2(GPI_IS_BRACKET(v)) & 0x8040201008040201ul;
        const ulong2 bits = hit * 0x0101010101010101ul >> 56;
        mask |= (bits.x | bits.y << 8) << 16 * q;
    }
    return mask;
}

/* The block of 64 elements from `at` on, few of which are brackets; `i`: counted from the tile's begin. */
GPI_INLINE void gpi_step_few(gpi_strand *s, __global uint **free, __global const GPI_SYMBOL *in,
                             __global gpi_index *match, gpi_index at, uint i, ulong brackets)
{
#if GPI_MATCH
    __global uint *words = (__global uint *)(match + at);
    for (uint q = 0; q < GPI_BLOCK * sizeof(gpi_index) / 64; q++)
        GPI_STORE_VECTOR(gpi_words, (uint16)(~0u), words + 16 * q);
#endif
    for (; brackets; brackets &= brackets - 1) {
        const uint j = (uint)popcount(~brackets & (brackets - 1));
        gpi_step(s, free, in, match, at + j, i + j);
    }
}
#endif

/* Blocks of `count` neighbouring tiles in step, from index `begin` on, as far as whole blocks go. */
GPI_INLINE uint gpi_step_blocks(gpi_strand *s, __global uint **free, uint count,
                                __global const GPI_SYMBOL *in, __global gpi_index *match, gpi_index begin,
                                uint length)
{
    uint i = 0;
    for (; i + GPI_BLOCK <= length; i += GPI_BLOCK) {
#ifdef GPI_IS_BRACKET
        ulong brackets[GPI_STRANDS];
        bool few = true;
#pragma unroll
        for (uint k = 0; k < count; k++) {
            brackets[k] = gpi_brackets_of(in + begin + k * GPI_TILE + i);
            few = few && popcount(brackets[k]) <= GPI_FEW;
        }
        if (few) {
#pragma unroll
            for (uint k = 0; k < count; k++)
                gpi_step_few(&s[k], &free[k], in, match, begin + k * GPI_TILE + i, i, brackets[k]);
            continue;
        }
#endif
        for (uint j = i; j < i + GPI_BLOCK; j++) {
#pragma unroll
            for (uint k = 0; k < count; k++)
                gpi_step(&s[k], &free[k], in, match, begin + k * GPI_TILE + j, j);
        }
    }
    return i;
}

static void gpi_pair_tile(__global const GPI_SYMBOL *in, __global gpi_index *match, gpi_nest nest, uint tile)
{
    gpi_strand s[1];
    __global uint *free[1];
    const gpi_index begin = (gpi_index)gpi_tile_begin(tile);
    const uint length = gpi_tile_length(nest, tile);
    free[0] = gpi_strand_begin(s, nest, tile);
    for (uint i = gpi_step_blocks(s, free, 1, in, match, begin, length); i < length; i++)
        gpi_step(s, free, in, match, begin + i, i);
    gpi_strand_end(s, free[0], nest, tile);
}

/* The group's GPI_STRANDS tiles: abreast where all are whole. */
static void gpi_pair_group(__global const GPI_SYMBOL *in, __global gpi_index *match, gpi_nest nest,
                           gpi_pair_shared shared)
{
    const uint tile = (uint)get_group_id(0) * GPI_STRANDS;
    gpi_strand s[GPI_STRANDS];
    __global uint *free[GPI_STRANDS];
    (void)shared;
    if (GPI_TILE % GPI_BLOCK == 0 && gpi_tile_begin(tile + GPI_STRANDS) <= nest.n) {
#pragma unroll
        for (uint k = 0; k < GPI_STRANDS; k++) free[k] = gpi_strand_begin(&s[k], nest, tile + k);
        (void)gpi_step_blocks(s, free, GPI_STRANDS, in, match, (gpi_index)gpi_tile_begin(tile), GPI_TILE);
#pragma unroll
        for (uint k = 0; k < GPI_STRANDS; k++) gpi_strand_end(&s[k], free[k], nest, tile + k);
        return;
    }
    for (uint k = 0; k < GPI_STRANDS && gpi_tile_begin(tile + k) < nest.n; k++)
        gpi_pair_tile(in, match, nest, tile + k);
}

/* The note of the whole tile, whose one item's this is. */
static void gpi_note_add(gpi_nest nest, uint tile, gpi_note note, gpi_join_shared shared)
{
    (void)shared;
    nest.notes[tile].mismatches += note.mismatches;
    nest.notes[tile].first = min(nest.notes[tile].first, note.first);
    nest.notes[tile].joined = note.joined;
    nest.notes[tile].searches = note.searches;
}

/* How far the stack gets above its height before the tile. */
static void gpi_measure_tile(__global const GPI_SYMBOL *in, gpi_nest nest, uint tile, gpi_pair_shared shared)
{
    const gpi_index begin = (gpi_index)gpi_tile_begin(tile);
    const uint length = gpi_tile_length(nest, tile);
    const gpi_index before = gpi_tiles_before(nest.tree, nest.leaves, tile).pushes;
    const int floor = -(int)min(before, (gpi_index)GPI_TILE);
    int height = 0, rise = 0;
    (void)shared;
    for (uint i = 0; i < length; i++) {
        height = max(height + GPI_SIGN(in[begin + i], begin + i), floor);
        rise = max(rise, height);
    }
    nest.notes[tile].rise = (uint)rise;
}

/* A tile gone over for parents, or for depths. */
typedef struct gpi_walk {
    gpi_nest nest;
    gpi_index begin;
    gpi_place place; /* of the highest opener left of those before the tile */
} gpi_walk;

/* Parent (or depth) of the tile's first element. */
static gpi_index gpi_walk_begin(gpi_walk *w, gpi_nest nest, uint tile, bool parents)
{
    const gpi_index height = gpi_tiles_before(nest.tree, nest.leaves, tile).pushes;
    w->nest = nest;
    w->begin = (gpi_index)gpi_tile_begin(tile);
    w->place.leaf = GPI_NOWHERE;
    w->place.need = 0;
    if (!parents) return height;
    if (height == 0) return GPI_NONE;
    w->place = gpi_tiles_search(nest.tree, nest.leaves, tile, 0);
    return gpi_opener_at(nest, w->place);
}

/* Under the highest opener left of those before the tile. */
GPI_NOINLINE gpi_index gpi_walk_below(gpi_walk *w)
{
    w->place = gpi_place_below(w->nest, w->place);
    return w->place.leaf == GPI_NOWHERE ? GPI_NONE : gpi_opener_at(w->nest, w->place);
}

/* What the element behind `at` has, whose own is `now` and has been written. Under an opener of this tile is
   its parent, which is written already; `first` is that opener, or for what is no closer the element itself.
 */
GPI_INLINE gpi_index gpi_walk_on(gpi_walk *w, gpi_index now, __global const GPI_SYMBOL *in,
                                 __global const gpi_index *parent, gpi_index at, bool parents)
{
    const long sign = GPI_SIGN(in[at], at);
    if (!parents) return now + (gpi_index)sign == GPI_NONE ? 0 : now + (gpi_index)sign;
    const gpi_index closes = (gpi_index)(sign >> 63),
                    opens = (gpi_index)(-sign >> 63);   /* all bits, or none */
    const gpi_index first = at ^ ((at ^ now) & closes); /* no selection: those would become branches */
    if (GPI_RARELY(first - w->begin >= GPI_TILE)) return now == GPI_NONE ? now : gpi_walk_below(w);
    const gpi_index under = parent[first];
    return under ^ ((under ^ at) & opens);
}

#ifdef GPI_IS_BRACKET
/* The block of 64 elements from `at` on, few of which are brackets. Writes up to 15 more, which come later.
 */
GPI_INLINE gpi_index gpi_walk_few(gpi_walk *w, gpi_index now, __global const GPI_SYMBOL *in,
                                  __global gpi_index *out, gpi_index at, ulong brackets, bool parents)
{
    uint j = 0;
    for (;;) {
        const uint end = brackets ? (uint)popcount(~brackets & (brackets - 1)) + 1 : GPI_BLOCK;
        for (; j < end; j += 16) GPI_STORE_VECTOR(gpi_row, (gpi_row)(now), out + at + j);
        j = end;
        if (!brackets) return now;
        brackets &= brackets - 1;
        now = gpi_walk_on(w, now, in, out, at + end - 1, parents);
    }
}
#endif

/* Elements of `count` neighbouring tiles of `length` in step. */
GPI_INLINE void gpi_walk_tiles(gpi_walk *w, gpi_index *now, uint count, __global const GPI_SYMBOL *in,
                               __global gpi_index *out, uint length, bool parents)
{
    uint i = 0;
    while (i < length) {
        uint end = min(i + GPI_BLOCK, length);
#ifdef GPI_IS_BRACKET
        ulong brackets[GPI_STRANDS];
        bool few = i + GPI_BLOCK + 16 <= length;
#pragma unroll
        for (uint k = 0; k < count && few; k++) {
            brackets[k] = gpi_brackets_of(in + w[k].begin + i);
            few = popcount(brackets[k]) <= GPI_FEW;
        }
        if (few) {
#pragma unroll
            for (uint k = 0; k < count; k++)
                now[k] = gpi_walk_few(&w[k], now[k], in, out, w[k].begin + i, brackets[k], parents);
            i = end;
        }
#endif
        for (; i < end; i++) {
#pragma unroll
            for (uint k = 0; k < count; k++) {
                const gpi_index at = w[0].begin + k * GPI_TILE + i;
                out[at] = now[k];
                now[k] = gpi_walk_on(&w[k], now[k], in, out, at, parents);
            }
        }
    }
}

GPI_INLINE void gpi_walk_group(__global const GPI_SYMBOL *in, gpi_nest nest, __global gpi_index *out,
                               bool parents)
{
    const uint tile = (uint)get_group_id(0) * GPI_STRANDS;
    gpi_walk w[GPI_STRANDS];
    gpi_index now[GPI_STRANDS];
    if (gpi_tile_begin(tile + GPI_STRANDS) <= nest.n) {
#pragma unroll
        for (uint k = 0; k < GPI_STRANDS; k++) now[k] = gpi_walk_begin(&w[k], nest, tile + k, parents);
        gpi_walk_tiles(w, now, GPI_STRANDS, in, out, GPI_TILE, parents);
        return;
    }
    for (uint k = 0; k < GPI_STRANDS && gpi_tile_begin(tile + k) < nest.n; k++) {
        now[0] = gpi_walk_begin(w, nest, tile + k, parents);
        gpi_walk_tiles(w, now, 1, in, out, gpi_tile_length(nest, tile + k), parents);
    }
}

static void gpi_enclose_group(__global const GPI_SYMBOL *in, gpi_nest nest, __global gpi_index *parent,
                              bool parents, __global gpi_index *depth, bool depths, gpi_pair_shared shared)
{
    (void)shared;
    if (parents) gpi_walk_group(in, nest, parent, true);
    if (depths) gpi_walk_group(in, nest, depth, false);
}

#else
/* ------------------------------------------------------------------ local */

GPI_DEFINE_TREE(items, __local)

#define GPI_ALONE 0xffffu /* an element without a partner in the tile */

/* What the items of a group tell each other. */
typedef struct gpi_group {
    gpi_node tree[2 * GPI_WG];
    gpi_index height[GPI_WG]; /* of the stack before an item */
    uint open[GPI_WG];        /* a bit for each opener that an item leaves */
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
static void gpi_load_signs(__global const GPI_SYMBOL *in, ulong begin, uint length, gpi_shared shared)
{
    for (uint i = (uint)get_local_id(0); i < GPI_TILE; i += GPI_WG)
        shared->sign[i] = i < length ? (char)GPI_SIGN(in[begin + i], begin + i) : (char)0;
}

/* What one item's elements do to the stack; in *open and *close a bit for each one that is left.
   Pairs among them go to `partner`, unless that is NULL. */
static gpi_node gpi_reduce_item(gpi_shared shared, __local ushort *partner, uint *open, uint *close)
{
    const uint first = (uint)get_local_id(0) * GPI_ITEMS;
    gpi_node node = gpi_node_make(0, 0);
    *open = *close = 0;
    for (uint j = 0; j < GPI_ITEMS; j++) {
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
    uint item, open;  /* the openers of this item that have not been seen */
    gpi_index before; /* how many have been seen that are in tiles before this one */
} gpi_cursor;

static gpi_cursor gpi_cursor_make(void)
{
    gpi_cursor c;
    c.item = (uint)get_local_id(0);
    c.open = 0;
    c.before = 0;
    return c;
}

/* The next opener's place in the tile; GPI_ALONE: it is not in the tile, and *need below the top of the stack
   before the tile. */
static uint gpi_cursor_down(gpi_cursor *c, gpi_shared shared, gpi_index *need)
{
    uint skip = 0;
    if (c->item != GPI_NOWHERE && c->open == 0) {
        const bool self = c->item == get_local_id(0);
        const gpi_place found =
            gpi_items_search(shared->tree, GPI_WG, c->item, self ? 0 : shared->tree[GPI_WG + c->item].pops);
        c->item = found.leaf;
        if (found.leaf == GPI_NOWHERE) c->before = found.need;
        else c->open = shared->open[found.leaf];
        skip = (uint)found.need;
    }
    *need = c->before;
    if (c->item == GPI_NOWHERE) c->before++;
    return c->item == GPI_NOWHERE ? GPI_ALONE : c->item * GPI_ITEMS + gpi_take_bit(&c->open, skip);
}

/* Closers that the item has left find their openers in other items, or go to the tile's cells. */
static void gpi_pair_items(uint close, gpi_nest nest, uint tile, __local ushort *partner, gpi_shared shared)
{
    const uint first = (uint)get_local_id(0) * GPI_ITEMS;
    const ulong begin = gpi_tile_begin(tile);
    __global uint *last = nest.cells + begin + gpi_tile_length(nest, tile) - 1;
    gpi_cursor cursor = gpi_cursor_make();
    for (; close; close &= close - 1) {
        const uint i = first + popcount(~close & (close - 1));
        gpi_index need;
        const uint opener = gpi_cursor_down(&cursor, shared, &need);
        if (opener == GPI_ALONE) {
            *(last - need) = (uint)(begin + i);
            continue;
        }
        partner[i] = (ushort)opener;
        partner[opener] = (ushort)i;
    }
}

/* Openers that nothing behind them in the tile closes go to the tile's cells. */
static void gpi_keep_openers(gpi_node node, uint open, gpi_nest nest, uint tile, gpi_shared shared)
{
    const ulong begin = gpi_tile_begin(tile);
    gpi_node after = gpi_node_make(0, 0);
    for (uint x = GPI_WG + (uint)get_local_id(0); x > 1; x >>= 1) {
        if (!(x & 1)) after = gpi_node_product(after, shared->tree[x + 1]);
    }
    if (after.pops >= node.pushes) return;
    const uint left = (uint)(node.pushes - after.pops);
    __global uint *cell = nest.cells + begin + shared->tree[1].pushes - after.pushes - left;
    for (uint k = 0; k < left; k++, open &= open - 1)
        cell[k] = (uint)(begin + get_local_id(0) * GPI_ITEMS + popcount(~open & (open - 1)));
}

static void gpi_pair_write(__global const GPI_SYMBOL *in, __global gpi_index *match, ulong begin, uint length,
                           __local const ushort *partner, gpi_shared shared)
{
    for (uint i = (uint)get_local_id(0); i < length; i += GPI_WG) {
        const uint k = partner[i];
        (void)k;
#if GPI_MATCH
        match[begin + i] = k == GPI_ALONE ? GPI_NONE : (gpi_index)begin + k;
#endif
#if GPI_KINDS
        if (k >= i || GPI_CODE(in[begin + i], begin + i) + GPI_CODE(in[begin + k], begin + k) == 0) continue;
        (void)atomic_inc(&shared->note.mismatches);
        (void)atomic_min(&shared->note.first, i);
#endif
    }
}

static void gpi_note_clear(gpi_shared shared)
{
    if (get_local_id(0) == 0) shared->note = gpi_note_make();
}

static void gpi_pair_group(__global const GPI_SYMBOL *in, __global gpi_index *match, gpi_nest nest,
                           gpi_pair_shared memory)
{
    const gpi_shared shared = &memory->group;
    __local ushort *partner = memory->stage;
    const uint l = (uint)get_local_id(0), tile = (uint)get_group_id(0);
    const ulong begin = gpi_tile_begin(tile);
    const uint length = gpi_tile_length(nest, tile);
    uint open, close;
    if (length == 0) return;
    gpi_load_signs(in, begin, length, shared);
    for (uint i = l; i < GPI_TILE; i += GPI_WG) partner[i] = GPI_ALONE;
    gpi_note_clear(shared);
    gpi_sync(); /* signs are there, and nobody has a partner */
    const gpi_node node = gpi_reduce_item(shared, partner, &open, &close);
    gpi_grow_tree(node, open, shared);
    gpi_pair_items(close, nest, tile, partner, shared);
    gpi_keep_openers(node, open, nest, tile, shared);
    gpi_sync(); /* all partners are there */
    gpi_pair_write(in, match, begin, length, partner, shared);
    gpi_sync(); /* all mismatches are counted */
    if (l != 0) return;
    nest.tree[nest.leaves + tile] = shared->tree[1];
    nest.notes[tile] = shared->note;
}

/* The note of the whole tile from those of its items. */
static void gpi_note_add(gpi_nest nest, uint tile, gpi_note note, gpi_join_shared sum)
{
    __global gpi_note *total = nest.notes + tile;
    if (get_local_id(0) == 0) *sum = *total;
    gpi_sync(); /* what the tile has noted so far is there */
    if (note.mismatches) (void)atomic_add(&sum->mismatches, note.mismatches);
    if (note.mismatches) (void)atomic_min(&sum->first, note.first);
    if (note.joined) (void)atomic_add(&sum->joined, note.joined);
    if (note.joined) (void)atomic_add(&sum->searches, note.searches);
    gpi_sync(); /* everybody has added */
    if (get_local_id(0) == 0) *total = *sum;
}

/* The next opener as it goes to the stage: its place in the tile, or GPI_TILE and how far below the top of
   the stack before the tile. */
static uint gpi_cursor_stage(gpi_cursor *c, gpi_shared shared)
{
    gpi_index need;
    const uint opener = gpi_cursor_down(c, shared, &need);
    return opener == GPI_ALONE ? GPI_TILE + (uint)need : opener;
}

/* Parents of the item's elements into the stage. Their depths take the place of the signs, counted from that
   of the item's first element. The stack's top is in the bits `open` as long as one of the item's own openers
   is there. */
static void gpi_enclose_item(gpi_nest nest, uint tile, __local ushort *stage, gpi_shared shared)
{
    const uint l = (uint)get_local_id(0), first = l * GPI_ITEMS;
    const gpi_node before = gpi_node_product(gpi_tiles_before(nest.tree, nest.leaves, tile),
                                             gpi_items_before(shared->tree, GPI_WG, l));
    gpi_cursor cursor = gpi_cursor_make();
    gpi_index height = before.pushes;
    uint open = 0, outer = height ? gpi_cursor_stage(&cursor, shared) : GPI_ALONE;
    shared->height[l] = height;
    for (uint j = 0; j < GPI_ITEMS; j++) {
        const int sign = shared->sign[first + j];
        stage[first + j] = (ushort)(open ? first + (31 - clz(open)) : outer);
        shared->sign[first + j] = (char)(height - before.pushes);
        if (sign > 0) {
            open |= 1u << j;
            height++;
        } else if (sign < 0 && height > 0) {
            height--;
            if (open) open ^= 1u << (31 - clz(open));
            else outer = height ? gpi_cursor_stage(&cursor, shared) : GPI_ALONE;
        }
    }
}

static gpi_index gpi_parent_of(gpi_nest nest, uint tile, uint staged)
{
    if (staged == GPI_ALONE) return GPI_NONE;
    if (staged < GPI_TILE) return (gpi_index)gpi_tile_begin(tile) + staged;
    return gpi_opener_at(nest, gpi_tiles_search(nest.tree, nest.leaves, tile, staged - GPI_TILE));
}

static void gpi_enclose_group(__global const GPI_SYMBOL *in, gpi_nest nest, __global gpi_index *parent,
                              bool parents, __global gpi_index *depth, bool depths, gpi_pair_shared memory)
{
    const gpi_shared shared = &memory->group;
    const uint tile = (uint)get_group_id(0);
    const ulong begin = gpi_tile_begin(tile);
    const uint length = gpi_tile_length(nest, tile);
    uint open, close;
    if (length == 0) return;
    gpi_load_signs(in, begin, length, shared);
    gpi_sync(); /* signs are there */
    const gpi_node node = gpi_reduce_item(shared, 0, &open, &close);
    gpi_grow_tree(node, open, shared);
    gpi_enclose_item(nest, tile, memory->stage, shared);
    gpi_sync(); /* parents and depths are there */
    for (uint i = (uint)get_local_id(0); i < length; i += GPI_WG) {
        if (parents) parent[begin + i] = gpi_parent_of(nest, tile, memory->stage[i]);
        if (depths) depth[begin + i] = shared->height[i / GPI_ITEMS] + shared->sign[i];
    }
}

/* How far the stack gets above its height before the tile. */
static void gpi_measure_tile(__global const GPI_SYMBOL *in, gpi_nest nest, uint tile, gpi_pair_shared memory)
{
    const gpi_shared shared = &memory->group;
    const uint l = (uint)get_local_id(0);
    const gpi_node tiles = gpi_tiles_before(nest.tree, nest.leaves, tile);
    uint open, close;
    gpi_load_signs(in, gpi_tile_begin(tile), gpi_tile_length(nest, tile), shared);
    gpi_note_clear(shared);
    gpi_sync(); /* signs are there */
    const gpi_node node = gpi_reduce_item(shared, 0, &open, &close);
    gpi_grow_tree(node, open, shared);
    gpi_index height = gpi_node_product(tiles, gpi_items_before(shared->tree, GPI_WG, l)).pushes;
    gpi_index highest = tiles.pushes;
    for (uint j = 0; j < GPI_ITEMS; j++) {
        const int sign = shared->sign[l * GPI_ITEMS + j];
        if (sign >= 0 || height > 0) height += sign;
        highest = max(highest, height);
    }
    (void)atomic_max(&shared->note.rise, (uint)(highest - tiles.pushes));
    gpi_sync(); /* everybody has measured */
    if (l == 0) nest.notes[tile].rise = shared->note.rise;
}
#endif
