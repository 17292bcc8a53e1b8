/* tile.cl - what a group does with its tile, in each shape.

   A tile is GPI_TILE consecutive elements, owned by one group. Every function here is collective: all
   items of the group call it, with the same arguments unless said otherwise, and all get the result.

       serial   GPI_WG = 1: a long tile and a vector loop. For CPUs.
       local    GPI_WG items, GPI_ITEMS elements each, exchanged through local memory. For GPUs.

   The local shape's tile of GPI_WG * GPI_ITEMS elements: loads and stores are striped (item l takes
   l, l + GPI_WG, ...: neighbours read neighbours), the scan is blocked (item l owns
   l * GPI_ITEMS ... + GPI_ITEMS - 1: input order); `stage` turns one into the other.

   Parameters
       GPI_SHAPE_SERIAL or GPI_SHAPE_LOCAL   1
       GPI_TILE, GPI_ITEMS                   elements of a tile, of an item
       GPI_TILES_ABREAST                     serial: how many groups run at the same time             */
#if GPI_SHAPE_SERIAL + GPI_SHAPE_LOCAL != 1
#error "exactly one of GPI_SHAPE_SERIAL and GPI_SHAPE_LOCAL must be 1"
#endif
#if GPI_TILE != GPI_WG * GPI_ITEMS
#error "GPI_TILE must be GPI_WG * GPI_ITEMS"
#endif
#if GPI_SHAPE_SERIAL && GPI_WG != 1
#error "the serial shape has one item a group"
#endif
#if GPI_TILE % GPI_LANES
#error "GPI_TILE must be a multiple of GPI_LANES"
#endif

/* Elements of the tile that begins at `base`: GPI_TILE, fewer in the last one, none behind it (where the
   device's own count is below the bound for which groups were launched). */
static uint gpi_tile_length(gpi_source source, ulong base)
{
    return base < source.count ? (uint)min((ulong)GPI_TILE, source.count - base) : 0;
}

#if GPI_SHAPE_SERIAL
/* ------------------------------------------------------------------ serial */

typedef int gpi_shared; /* no memory is shared: there is nobody to share it with */
#define GPI_SHARED(name) const gpi_shared name = 0

typedef int gpi_tile; /* nothing is kept: the second reading finds the tile in the cache */

static uint gpi_broadcast(uint x, gpi_shared shared)
{
    (void)shared;
    return x;
}

static GPI_T gpi_broadcast_element(GPI_T x, gpi_shared shared)
{
    (void)shared;
    return x;
}

static GPI_T gpi_group_reduce(GPI_T x, gpi_shared shared)
{
    (void)shared;
    return x;
}

/* The product of x over the items before this one; *total over all. */
static GPI_T gpi_group_scan(GPI_T x, GPI_T *total, gpi_shared shared)
{
    (void)shared;
    *total = x;
    return gpi_identity();
}

/* Prefetching pays because the hardware's own stops at every page's end. GPI_AHEAD is how far ahead of the
   vector at hand, in bytes; a scan besides calls in what its next tile will need, one tile a running group
   ahead. Addresses behind the buffer's end are harmless to hint at. */
#define GPI_AHEAD 2048
#define GPI_LINE 64

static void gpi_prefetch_read(gpi_source source, ulong i, uint elements)
{
#pragma unroll
    for (uint k = 0; k < elements * sizeof(GPI_IN); k += GPI_LINE) {
        GPI_PREFETCH_READ((__global const char *)(source.in + i) + k);
    }
#if GPI_INPUTS == 2
#pragma unroll
    for (uint k = 0; k < elements * sizeof(GPI_IN2); k += GPI_LINE) {
        GPI_PREFETCH_READ((__global const char *)(source.in2 + i) + k);
    }
#endif
}

static void gpi_prefetch_write(__global GPI_OUT *p, uint elements)
{
#pragma unroll
    for (uint k = 0; k < elements * sizeof(GPI_OUT); k += GPI_LINE) {
        GPI_PREFETCH_WRITE((__global char *)p + k);
    }
}

/* Combines [i, end) to the right of `sum`, in order. */
static GPI_T gpi_reduce_range(gpi_source source, GPI_T sum, ulong i, ulong end)
{
    for (; i < end; i++) sum = GPI_COMBINE(sum, gpi_load(source, i));
    return sum;
}

/* The product of the tile's elements. With vectors: four accumulators hide the operation's latency. */
static GPI_T gpi_tile_reduce(gpi_source source, ulong base, gpi_shared shared)
{
    const ulong end = base + gpi_tile_length(source, base);
    ulong i = base;
    GPI_T sum = gpi_identity();
    (void)shared;
#if GPI_LANES > 1 && GPI_COMMUTATIVE
    GPI_V a = (GPI_V)(sum), b = a, c = a, d = a;
    for (; i + 4 * GPI_LANES <= end; i += 4 * GPI_LANES) {
        gpi_prefetch_read(source, i + GPI_AHEAD / sizeof(GPI_IN), 4 * GPI_LANES);
        a = GPI_COMBINE(a, gpi_load_vector(source, i));
        b = GPI_COMBINE(b, gpi_load_vector(source, i + GPI_LANES));
        c = GPI_COMBINE(c, gpi_load_vector(source, i + 2 * GPI_LANES));
        d = GPI_COMBINE(d, gpi_load_vector(source, i + 3 * GPI_LANES));
    }
    a = GPI_COMBINE(a, b);
    c = GPI_COMBINE(c, d);
    a = gpi_scan_vector(GPI_COMBINE(a, c));
    sum = GPI_LAST(a);
#endif
    return gpi_reduce_range(source, sum, i, end);
}

/* Takes the tile at hand, so that gpi_tile_aggregate and gpi_tile_scan can follow. */
static void gpi_tile_open(gpi_tile *tile, gpi_source source, ulong base, gpi_shared shared)
{
    (void)source;
    (void)base;
    (void)shared;
    *tile = 0;
}

static GPI_T gpi_tile_aggregate(const gpi_tile *tile, gpi_source source, ulong base, gpi_shared shared)
{
    (void)tile;
    return gpi_tile_reduce(source, base, shared);
}

static void gpi_scan_range(gpi_source source, ulong i, ulong end, GPI_T sum, __global GPI_OUT *out,
                           const bool exclusive)
{
    for (; i < end; i++) {
        const GPI_T next = GPI_COMBINE(sum, gpi_load(source, i));
        out[i] = GPI_RESULT(exclusive ? sum : next);
        sum = next;
    }
}

/* Called with a constant `exclusive`, so that the test leaves the loop. */
static void gpi_scan_serial(gpi_source source, ulong base, GPI_T sum, __global GPI_OUT *out,
                            const bool exclusive)
{
    const ulong end = base + gpi_tile_length(source, base);
    ulong i = base;
#if GPI_LANES > 1
    for (; i + GPI_LANES <= end; i += GPI_LANES) {
        gpi_prefetch_read(source, i + (ulong)GPI_TILES_ABREAST * GPI_TILE, GPI_LANES);
        gpi_prefetch_write(out + i + GPI_AHEAD / sizeof(GPI_OUT), GPI_LANES);
        const GPI_V v = gpi_scan_vector(gpi_load_vector(source, i));
        const GPI_V before = exclusive ? gpi_shift_1(v, gpi_identity()) : v;
        vstore16(GPI_COMBINE((GPI_V)(sum), before), 0, out + i);
        sum = GPI_COMBINE(sum, GPI_LAST(v));
    }
#endif
    gpi_scan_range(source, i, end, sum, out, exclusive);
}

/* Scans the tile with everything before it in `prefix`, and writes out[base...]. */
static void gpi_tile_scan(const gpi_tile *tile, GPI_T prefix, gpi_source source, ulong base,
                          __global GPI_OUT *out, uint exclusive, gpi_shared shared)
{
    (void)tile;
    (void)shared;
    if (exclusive) gpi_scan_serial(source, base, prefix, out, true);
    else gpi_scan_serial(source, base, prefix, out, false);
}

#else
/* ------------------------------------------------------------------ local */

/* One unused cell after every 32 keeps items that stride by GPI_ITEMS off one another's banks. */
#define GPI_PAD(i) ((i) + (i) / 32)

typedef struct gpi_local {
    GPI_T stage[GPI_PAD(GPI_TILE)];
    GPI_T value[2][GPI_WG];
    uint word;
} gpi_local;

typedef __local gpi_local *gpi_shared;
#define GPI_SHARED(name)          \
    __local gpi_local name##_mem; \
    const gpi_shared name = &name##_mem

typedef struct gpi_tile {
    GPI_T item[GPI_ITEMS]; /* this item's own elements */
    GPI_T before;          /* product of the items before this one */
    GPI_T aggregate;       /* of the whole tile */
} gpi_tile;

/* Item 0's x. */
static uint gpi_broadcast(uint x, gpi_shared shared)
{
    if (get_local_id(0) == 0) shared->word = x;
    barrier(CLK_LOCAL_MEM_FENCE); /* word is written */
    x = shared->word;
    barrier(CLK_LOCAL_MEM_FENCE); /* word is read: the next broadcast may overwrite it */
    return x;
}

static GPI_T gpi_broadcast_element(GPI_T x, gpi_shared shared)
{
    if (get_local_id(0) == 0) shared->value[0][0] = x;
    barrier(CLK_LOCAL_MEM_FENCE); /* value is written */
    x = shared->value[0][0];
    barrier(CLK_LOCAL_MEM_FENCE); /* value is read: the next collective may overwrite it */
    return x;
}

/* The product of every item's x, in item order: a tree of neighbours. */
static GPI_T gpi_group_reduce(GPI_T x, gpi_shared shared)
{
    const uint l = (uint)get_local_id(0);
    __local GPI_T *value = shared->value[0];
    value[l] = x;
    for (uint d = 1; d < GPI_WG; d *= 2) {
        const uint i = 2 * d * l;
        barrier(CLK_LOCAL_MEM_FENCE); /* the neighbour's product is written */
        if (i + d < GPI_WG) value[i] = GPI_COMBINE(value[i], value[i + d]);
    }
    barrier(CLK_LOCAL_MEM_FENCE); /* the root is written */
    x = value[0];
    barrier(CLK_LOCAL_MEM_FENCE); /* the root is read: the next collective may overwrite it */
    return x;
}

/* The product of x over the items before this one; *total over all. Each step doubles the reach. */
static GPI_T gpi_group_scan(GPI_T x, GPI_T *total, gpi_shared shared)
{
    const uint l = (uint)get_local_id(0);
    uint from = 0;
    shared->value[0][l] = x;
    barrier(CLK_LOCAL_MEM_FENCE); /* row 0 is complete */
    for (uint d = 1; d < GPI_WG; d *= 2) {
        if (l >= d) x = GPI_COMBINE(shared->value[from][l - d], x);
        from = 1 - from;
        shared->value[from][l] = x;
        barrier(CLK_LOCAL_MEM_FENCE); /* this step's row is complete; the other one is no longer read */
    }
    *total = shared->value[from][GPI_WG - 1];
    x = l > 0 ? shared->value[from][l - 1] : gpi_identity();
    barrier(CLK_LOCAL_MEM_FENCE); /* the last row is read: the next collective may overwrite it */
    return x;
}

/* The product of the tile's elements. */
static GPI_T gpi_tile_reduce(gpi_source source, ulong base, gpi_shared shared)
{
    const uint length = gpi_tile_length(source, base);
    const uint l = (uint)get_local_id(0);
    GPI_T sum = gpi_identity();
    for (uint j = 0; j < GPI_ITEMS; j++) {
        const uint i = GPI_COMMUTATIVE ? j * GPI_WG + l : l * GPI_ITEMS + j;
        if (i < length) sum = GPI_COMBINE(sum, gpi_load(source, base + i));
    }
    return gpi_group_reduce(sum, shared);
}

/* Reads the tile, once: every item keeps its own elements and what is before them. */
static void gpi_tile_open(gpi_tile *tile, gpi_source source, ulong base, gpi_shared shared)
{
    const uint length = gpi_tile_length(source, base);
    const uint l = (uint)get_local_id(0);
    for (uint j = 0; j < GPI_ITEMS; j++) {
        const uint i = j * GPI_WG + l;
        shared->stage[GPI_PAD(i)] = i < length ? gpi_load(source, base + i) : gpi_identity();
    }
    barrier(CLK_LOCAL_MEM_FENCE); /* the stage is filled */
    GPI_T sum = gpi_identity();
    for (uint j = 0; j < GPI_ITEMS; j++) {
        tile->item[j] = shared->stage[GPI_PAD(l * GPI_ITEMS + j)];
        sum = GPI_COMBINE(sum, tile->item[j]);
    }
    tile->before = gpi_group_scan(sum, &tile->aggregate, shared); /* its barriers free the stage */
}

static GPI_T gpi_tile_aggregate(const gpi_tile *tile, gpi_source source, ulong base, gpi_shared shared)
{
    (void)source;
    (void)base;
    (void)shared;
    return tile->aggregate;
}

/* Scans the tile with everything before it in `prefix`, and writes out[base...]. */
static void gpi_tile_scan(const gpi_tile *tile, GPI_T prefix, gpi_source source, ulong base,
                          __global GPI_OUT *out, uint exclusive, gpi_shared shared)
{
    const uint length = gpi_tile_length(source, base);
    const uint l = (uint)get_local_id(0);
    GPI_T sum = GPI_COMBINE(prefix, tile->before);
    for (uint j = 0; j < GPI_ITEMS; j++) {
        const GPI_T next = GPI_COMBINE(sum, tile->item[j]);
        shared->stage[GPI_PAD(l * GPI_ITEMS + j)] = exclusive ? sum : next;
        sum = next;
    }
    barrier(CLK_LOCAL_MEM_FENCE); /* the stage is filled */
    for (uint j = 0; j < GPI_ITEMS; j++) {
        const uint i = j * GPI_WG + l;
        if (i < length) out[base + i] = GPI_RESULT(shared->stage[GPI_PAD(i)]);
    }
}
#endif
