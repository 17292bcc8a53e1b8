/* by_key_tile.cl - a tile of gp_reduce_by_key: compacts the keys and products of the tile's runs in local memory. */
#ifndef GPI_SELECT_BY_KEY_TILE_CL
#define GPI_SELECT_BY_KEY_TILE_CL
#include "base/platform.cl"
#include "group/striped.cl"
#include "group/sync.cl"
#include "element/input.cl"
#include "element/monoid.cl"
#include "scan/tile.cl"
#include "select/run_sink.cl"

#if !GPI_KEYED
#error "GPI_KEYED must be 1"
#endif

#if GPI_KEYS_OUT && GPI_INPUTS > 0
/* Moves the keys of the tile's heads to the beginning of the keys' stage, in their order. */
GPI_INLINE_GPU void gpi_keys_pack(const gpi_tile *tile, const GPI_HEADS_TYPE *key, gpi_tile_shared shared)
{
    uint r = (uint)tile->before.head;
    GPI_EACH_OWN(j) {
        const uint head = tile->heads >> j & 1;
        if (head) shared->key[GPI_KEY_PAD(r)] = key[j];
        r += head;
    }
}
#endif

/* Reads the tile. For each head of the tile, writes its key and the product of the elements before it to the stages, at the
   head's rank. This product begins at the previous head, or at the tile's beginning. The stages may be read after the next
   barrier. */
GPI_INLINE_GPU void gpi_runs_open(gpi_tile *tile, gpi_input input, ulong base, gpi_tile_shared shared)
{
    GPI_CELL value[GPI_PER_ITEM];
    GPI_HEADS_TYPE key[GPI_PER_ITEM];
    const GPI_T own = gpi_keyed_read(tile, input, base, shared, key);
    tile->before = gpi_group_scan(GPI_COMBINE_OF(input) own, &tile->aggregate,
                                  shared); /* its barriers free the keys' stage */
    GPI_BASE sum = tile->before.value;
    uint r = (uint)tile->before.head;
#if GPI_KEYS_OUT && GPI_INPUTS > 0
    gpi_keys_pack(tile, key, shared); /* before the values are read, because both need registers */
#endif
    GPI_EACH_CHUNK(j, GPI_TURNS(GPI_PER_ITEM), GPI_CELL_CHUNK)
        gpi_values_get(input, base, shared, j, GPI_PER_ITEM,
                       value + j); /* values past the tile's end are not used */
#if GPI_INPUTS > 0
    gpi_sync(); /* the values are read: their cells may be overwritten */
#endif
    GPI_EACH_OWN(j) {
        const uint head = tile->heads >> j & 1;
        if (head) shared->stage[GPI_TILE_PAD(r)] = sum;
#if GPI_KEYS_OUT && GPI_INPUTS == 0
        if (head) shared->key[GPI_KEY_PAD(r)] = key[j];
#endif
        r += head;
        sum = gpi_base_append(GPI_COMBINE_OF(input) sum, value[j], head != 0);
    }
}

/* Names the stage's cell of element j * GPI_WG + l + 1. (The second form keeps the term with j separate, which is
   correct only if GPI_WG is a multiple of a row's length.) */
#if GPI_WG % GPI_TILE_ROW
#define GPI_STAGE_NEXT(stage, l, j) (stage)[GPI_TILE_PAD((j)*GPI_WG + (l) + 1)]
#else
#define GPI_STAGE_NEXT(stage, l, j) ((stage) + GPI_TILE_PAD((l) + 1))[GPI_TILE_PAD((j)*GPI_WG)]
#endif

/* Writes the keys of the runs that begin in the tile, and the products of the runs that end in it. `prefix` is the product of all
   earlier tiles. Their last run ends where the tile's first run begins. */
GPI_INLINE_GPU void gpi_runs_put(const gpi_tile *tile, GPI_T prefix, gpi_input input, ulong base,
                                 gpi_run_sink runs, gpi_tile_shared shared)
{
    const uint l = (uint)get_local_id(0);
    const int left = (int)tile->aggregate.head - (int)l;
    const ulong first = prefix.head + l;
    (void)input;
    (void)base;
    if (l == 0 && left > 0 && first > 0)
        gpi_run_put(runs, first - 1, gpi_base_combine(GPI_COMBINE_OF(runs) prefix.value, shared->stage[0]));
#if GPI_KEYS_OUT
    GPI_EACH_STRIPED(j, GPI_WG, left)
        (runs.keys + first)[j * GPI_WG] = (shared->key + GPI_KEY_PAD(l))[GPI_KEY_PAD(j * GPI_WG)];
#endif
    GPI_EACH_STRIPED(j, GPI_WG, left - 1)
        gpi_run_put(runs, first + j * GPI_WG, GPI_STAGE_NEXT(shared->stage, l, j));
}
#endif
