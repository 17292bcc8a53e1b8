/* strands.cl - brackets in the serial shape: what one item does with its tiles.

   GPI_STRANDS tiles are gone over abreast, so that the chain push, pop, push ... of one does not wait for
   itself. A tile's cells (nest.cl) are its stack. Where brackets are symbols and rare, 64 elements are
   classified at a time, and only the brackets among them are stepped through.

   Parameters
       GPI_SHAPE_SERIAL    1, and GPI_WG 1; otherwise this file is empty
       GPI_IS_BRACKET(v)   which of 16 symbols are brackets; may be missing                               */
#if GPI_SHAPE_SERIAL
#if GPI_WG != 1
#error "the serial shape has one item a group"
#endif

static void gpi_sync(void) {} /* there is nobody else */
static void gpi_sync_all(void) {}

#define GPI_SHARED(type, name) type *const name = 0 /* one item shares nothing */
typedef uint gpi_pair_memory, gpi_join_memory;
typedef uint *gpi_pair_shared, *gpi_join_shared;

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

#define GPI_GROUP_TILES GPI_STRANDS

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
    nest.notes[tile] = s->note;
    gpi_leaf_set(nest, tile, s->node);
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
                           uint group, gpi_pair_shared shared)
{
    const uint tile = group * GPI_STRANDS;
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

static void gpi_pair_note(gpi_nest nest, uint group, gpi_pair_shared shared)
{
    (void)nest; /* gpi_strand_end has done it */
    (void)group;
    (void)shared;
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
    nest.notes[tile].base = before;
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
    const gpi_index opens = (gpi_index)(long)GPI_OPENS(in[at], at); /* all bits, or none */
    const gpi_index first = sign < 0 ? now : at;
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
        for (uint k = 0; k < count; k++) {
            brackets[k] = few ? gpi_brackets_of(in + w[k].begin + i) : 0;
            few = few && popcount(brackets[k]) <= GPI_FEW;
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

GPI_INLINE void gpi_walk_group(__global const GPI_SYMBOL *in, gpi_nest nest, uint group,
                               __global gpi_index *out, bool parents)
{
    const uint tile = group * GPI_STRANDS;
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

static void gpi_enclose_group(__global const GPI_SYMBOL *in, gpi_nest nest, uint group,
                              __global gpi_index *parent, bool parents, __global gpi_index *depth,
                              bool depths, gpi_pair_shared shared)
{
    (void)shared;
    if (parents) gpi_walk_group(in, nest, group, parent, true);
    if (depths) gpi_walk_group(in, nest, group, depth, false);
}
#endif
