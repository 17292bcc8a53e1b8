/* tile_keyed.cl - the tile of a scan in which a segment begins wherever the key changes (GPI_KEYED of element/input.cl). Values
   and keys have a stage each. Keys are compared on the stage, so that each is read from global memory only once. Only the key
   before a team's piece is read again.

       stage    | values ... |       an item's own values stay there while the group looks back
       key      | keys ...   |
       heads    a bit for each of an item's own elements

   This file replaces gpi_tile and gpi_tile_open of scan/tile_elements.cl. */
#ifndef GPI_SCAN_TILE_KEYED_CL
#define GPI_SCAN_TILE_KEYED_CL
#include "base/paste.cl"
#include "base/platform.cl"
#include "group/striped.cl"
#include "element/monoid.cl"
#include "scan/tile_input.cl"
#include "scan/tile_elements.cl"

#if GPI_KEYED
#if GPI_PER_ITEM > 32
#error "GPI_KEYED takes at most 32 elements an item"
#endif

typedef struct gpi_tile {
    uint heads;      /* bit j: this item's own element j begins a segment */
    GPI_T before;    /* product of the items before this one */
    GPI_T aggregate; /* product of the whole tile */
} gpi_tile;

/* Loads the tile's keys to their stage, as gpi_stage_load loads values. */
GPI_INLINE_GPU void gpi_keys_load(gpi_input input, ulong base, gpi_tile_shared shared)
{
    const uint length = gpi_tile_length(input, base), first = gpi_tile_first(1);
    __local GPI_HEADS_TYPE *at = shared->key + GPI_KEY_PAD(first);
    if (length < GPI_TILE) {
        GPI_ROLLED
        for (uint j = 0; j < GPI_TURNS(GPI_PER_ITEM); j++) {
            const uint i = first + j * GPI_TEAM;
            GPI_HEADS_TYPE key = 0;
            if (i < length) key = input.heads[gpi_position(input, base + i)];
            at[GPI_KEY_PAD(j * GPI_TEAM)] = key;
        }
#if GPI_KEY_QUADS && !GPI_REVERSE
    } else if (GPI_IS_QUAD(GPI_HEADS_TYPE, input.heads)) {
        const uint quad = gpi_tile_first(4);
        __global const GPI_HEADS_TYPE *from = input.heads + base + quad;
        __local GPI_HEADS_TYPE *to = shared->key + GPI_KEY_PAD(quad);
        gpi_key_quad key[GPI_PER_ITEM / 4];
        GPI_EACH_CHUNK(j, GPI_PER_ITEM, 4) key[j / 4] = *(__global const gpi_key_quad *)(from + j * GPI_TEAM);
        GPI_EACH_CHUNK(j, GPI_PER_ITEM, 4)
            *(__local gpi_key_quad *)(to + GPI_KEY_PAD(j * GPI_TEAM)) = key[j / 4];
#endif
    } else {
        GPI_HEADS_TYPE key[GPI_PER_ITEM];
        GPI_EACH_OWN(j) key[j] = input.heads[gpi_position(input, base + first + j * GPI_TEAM)];
        GPI_EACH_OWN(j) at[GPI_KEY_PAD(j * GPI_TEAM)] = key[j];
    }
}

/* Reads a chunk of this item's own keys, from its element j on, from the stage into `key`. */
GPI_INLINE_GPU void gpi_keys_get(gpi_tile_shared shared, uint j, GPI_HEADS_TYPE *key)
{
    __local const GPI_HEADS_TYPE *at =
        shared->key + GPI_KEY_PAD((uint)GPI_LOCAL_ID * GPI_PER_ITEM) + GPI_KEY_PAD(j);
#if GPI_KEY_QUADS
    const gpi_key_quad quad = *(__local const gpi_key_quad *)at;
    key[0] = quad.s0;
    key[1] = quad.s1;
    key[2] = quad.s2;
    key[3] = quad.s3;
#else
    GPI_EACH(k, GPI_CELL_CHUNK) key[k] = at[k];
#endif
}

/* Reads a chunk of this item's own values, from its element j on, into `value`. The item has `own` elements. Values of a map
   without inputs are computed here; they are not staged. */
GPI_INLINE_GPU void gpi_values_get(gpi_input input, ulong base, gpi_tile_shared shared, uint j, uint own,
                                   GPI_CELL *value)
{
#if GPI_INPUTS == 0
    const ulong first = base + (uint)GPI_LOCAL_ID * GPI_PER_ITEM;
    (void)shared;
    GPI_EACH(k, GPI_CELL_CHUNK)
        value[k] = j + k < own ? gpi_value_load(input, first + j + k) : gpi_identity().value;
#else
    (void)input;
    (void)base;
    (void)own;
    gpi_chunk_get(gpi_own_cells(shared) + GPI_TILE_PAD(j), value);
#endif
}

/* Loads the tile's values and keys to their stages, each once; the first lane of a team also reads the key before its piece. Sets
   tile->heads, writes this item's GPI_PER_ITEM keys to `key`, and returns the product of this item's elements. */
GPI_INLINE_GPU GPI_T gpi_keyed_read(gpi_tile *tile, gpi_input input, ulong base, gpi_tile_shared shared,
                                    GPI_HEADS_TYPE *key)
{
    const uint lane = gpi_team_lane(), first = (uint)GPI_LOCAL_ID * GPI_PER_ITEM;
    const uint length = gpi_tile_length(input, base), own = length - min(first, length);
    const bool begins = base + first == 0;
    GPI_T sum = gpi_identity();
    GPI_HEADS_TYPE last;
#if GPI_INPUTS > 0
    gpi_stage_load(input, base, shared);
#endif
    gpi_keys_load(input, base, shared);
    gpi_team_sync(); /* the stages are filled */
    last = shared->key[GPI_KEY_PAD(first - min(lane, 1u))];
    if (lane == 0 && !begins && own > 0) last = input.heads[gpi_position(input, base + first - 1)];
    tile->heads = 0;
    GPI_EACH_CHUNK(j, GPI_TURNS(GPI_PER_ITEM), GPI_CELL_CHUNK) {
        GPI_CELL value[GPI_CELL_CHUNK];
        gpi_values_get(input, base, shared, j, own, value);
        gpi_keys_get(shared, j, key + j);
        GPI_EACH(k, GPI_CELL_CHUNK) {
            const bool head = j + k < own && GPI_KEYS_DIFFER(input, key[j + k], last);
            tile->heads |= (head ? 1u : 0u) << (j + k);
            sum.value = gpi_base_append(GPI_COMBINE_OF(input) sum.value, value[k], head);
            last = key[j + k];
        }
    }
    /* Makes the input's first element a head. `sum` is correct without it, because only the identity is before that
       element. (Inside the loop, this makes PoCL 6 abort: docs/drivers.md.) */
    if (begins && own > 0) tile->heads |= 1;
    sum.head = GPI_HEADS == 3 ? popcount(tile->heads) : tile->heads != 0;
    return sum;
}

/* Reads the tile to the stages, and sets *tile. */
GPI_INLINE_GPU void gpi_tile_open(gpi_tile *tile, gpi_input input, ulong base, gpi_tile_shared shared)
{
    GPI_HEADS_TYPE key[GPI_PER_ITEM];
    const GPI_T own = gpi_keyed_read(tile, input, base, shared, key);
    tile->before = gpi_group_scan(GPI_COMBINE_OF(input) own, &tile->aggregate,
                                  shared); /* its barriers follow all writes to the stages */
}

static GPI_T gpi_tile_aggregate(const gpi_tile *tile) { return tile->aggregate; }

/* Returns this item's own element j, whose cell on the stage is x. */
static GPI_T gpi_keyed_item(const gpi_tile *tile, GPI_CELL x, uint j)
{
    GPI_T item;
    item.value = x;
    item.head = tile->heads >> j & 1;
    return item;
}
#endif
#endif
