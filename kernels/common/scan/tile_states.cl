/* tile_states.cl - draws tickets, and publishes and loads the states of tiles, word by word.

   A state is GPI_STATE_WORDS words, each with the flag and a part of the value. It is valid only if all its words have the same
   flag. */
#ifndef GPI_SCAN_TILE_STATES_CL
#define GPI_SCAN_TILE_STATES_CL
#include "base/fault_injection.cl"
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/monoid.cl"
#include "scan/constants.cl"
#include "scan/tile.cl"

#define GPI_EMPTY 0u
#define GPI_AGGREGATE 1u
#define GPI_INCLUSIVE 2u

#if GPI_WIDE
#define GPI_STATE_WORDS GPI_WORDS
#define GPI_FLAG_SHIFT 62
#else
#define GPI_STATE_WORDS (2 * GPI_WORDS)
#define GPI_FLAG_SHIFT 30
#endif

typedef volatile __global gpi_word *gpi_state_words;

/* Takes a ticket, the number of this group's tile, and returns it to all items. Must be called by all items. */
static uint gpi_take_ticket(volatile __global uint *state, gpi_tile_shared shared)
{
    uint ticket = 0;
    if (GPI_LOCAL_ID == 0) ticket = atomic_inc(state);
    return gpi_broadcast_once(ticket, &shared->word); /* barriers follow before the next broadcast */
}

static gpi_state_words gpi_state_of(volatile __global uint *state, uint tile)
{
    return (gpi_state_words)(state + GPI_STATE_HEADER) + (ulong)tile * GPI_STATE_WORDS;
}

/* Returns word k of a state: `flag`, and the k-th part of the payload `bits`. */
static gpi_word gpi_pack(uint flag, const gpi_bits *bits, uint k)
{
#if GPI_WIDE
    return (gpi_word)flag << GPI_FLAG_SHIFT | bits->word[k];
#else
    return flag << GPI_FLAG_SHIFT | (bits->word[k / 2] >> 16 * (k % 2) & 0xffffu);
#endif
}

static void gpi_publish(volatile __global uint *state, uint tile, uint flag, GPI_T value)
{
    const gpi_bits bits = gpi_bits_of(value);
    gpi_state_words words = gpi_state_of(state, tile);
    for (uint k = 0; k < GPI_STATE_WORDS; k++) {
        if (gpi_tells(words + k, tile, k + (flag == GPI_INCLUSIVE)))
            gpi_word_write(words + k, gpi_pack(flag, &bits, k));
    }
}

/* Loads the state of `tile` once. Returns its flag, or GPI_EMPTY if the words' flags differ, and sets *value, which is valid
   unless GPI_EMPTY is returned. (*value is set in any case, because PoCL 6 aborts otherwise: docs/drivers.md.) (lookback.pml:
   `whole`, and the mutation BUG_AGREE.) */
static uint gpi_observe(volatile __global uint *state, uint tile, GPI_T *value)
{
    gpi_state_words words = gpi_state_of(state, tile);
    gpi_bits bits = gpi_bits_of(*value);
    const gpi_word first = gpi_word_load(words);
    const uint flag = (uint)(first >> GPI_FLAG_SHIFT);
    bool agree = true;
    gpi_word w = first;
    for (uint k = 0; k < GPI_STATE_WORDS; k++) {
        if (k > 0) w = gpi_word_load(words + k);
        agree = agree && (uint)(w >> GPI_FLAG_SHIFT) == flag;
#if GPI_WIDE
        bits.word[k] = (uint)w;
#else
        bits.word[k / 2] = k % 2 ? bits.word[k / 2] | w << 16 : w & 0xffffu;
#endif
    }
    *value = gpi_bits_value(bits);
    return agree ? flag : GPI_EMPTY;
}

/* Publishes the aggregate of another group's `tile`, in those words that are still empty. Does nothing unless the monoid is
   exact, because the tile's own group may write the same words at the same time. (lookback.pml: `whole`, and the mutations
   BUG_POST and BUG_EXACT.) */
static void gpi_post(volatile __global uint *state, uint tile, GPI_T aggregate)
{
#if GPI_EXACT
    const gpi_bits bits = gpi_bits_of(aggregate);
    gpi_state_words words = gpi_state_of(state, tile);
    for (uint k = 0; k < GPI_STATE_WORDS; k++) {
        gpi_word_replace(words + k, (gpi_word)0, gpi_pack(GPI_AGGREGATE, &bits, k));
    }
#else
    (void)state;
    (void)tile;
    (void)aggregate;
#endif
}
#endif
