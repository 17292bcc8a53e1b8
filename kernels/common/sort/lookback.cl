/* lookback.cl - decoupled look-back for all digits at once, in a table that does not grow with n (wide words).

       exclusive(t, d) = how many keys of digit d are in the tiles 0 ... t-1

   Each tile has a row with a word for each digit. A word contains the tile's count, its state and, if rows are reused,
   the tile's number. So a word is valid by itself: every access is a relaxed atomic, in any order.

       wide word     flag 2 | tile 30 | count 32      a ring of GPI_RING_ROWS rows, tile t in row t mod rows
       narrow word   flag 2 | count 30                a row for every tile, zeroed before each launch

   (Merrill & Garland 2016; Adinets & Merrill 2022; the ring: GPUOpen, Onesweep with circular buffers.)

   Three rules keep a row from being overwritten while a group may still read it:
     - reach   A look-back reads at most GPI_RING_REACH tiles back. At that distance it accepts only an
               inclusive word, and waits for one.
     - tail    A tile that no longer needs the table increments `tail`. The tiles of a block of GPI_RING_BLOCK do so in
               any order, but only after all tiles of earlier blocks. So all tiles below tail & ~(BLOCK - 1) are done.
     - gate    Tile t writes its row only when all tiles up to t - ROWS + REACH are done, because only these could read
               the words of tile t - ROWS, which used the same row.

   Why a wait ends: tiles are handed out by ticket, so that all tiles lower than a group's own have started. Gate,
   look-back and tail wait for lower tiles only (the gate because ROWS >= REACH + BLOCK: with fewer rows a tile could
   wait for a tile of its own block). If the device does not let the lower tiles continue, each wait is still bounded by
   `polls`. A group that has used them up sets `abandoned`, which ends all other waits, too. From then on no group
   writes, later passes do nothing, and launches enqueued for this case repeat the pass in another way, from its source,
   which is unchanged.
   tests/models/ring.pml checks these rules.

   Clearing. A word that an earlier launch has left would be mistaken for a word of this launch if both have the same tile number.
   So the rows are zeroed before a launch. This is not needed if the previous launch belonged to the same call and both launches
   have at least 2 * ROWS tiles. Then all old words have tile numbers of at least ROWS. A tile that looks for such a number has
   passed the gate, so this launch has already overwritten the old word.

   Parameters
       GPI_RING_ROWS    wide words: rows, a power of two
       GPI_RING_REACH   how many tiles back a look-back reads
       GPI_RING_BLOCK   tiles of a block of the tail, a power of two                                   */
#ifndef GPI_SORT_LOOKBACK_CL
#define GPI_SORT_LOOKBACK_CL
#include "base/fault_injection.cl"
#include "base/platform.cl"
#include "sort/digit.cl"

#if GPI_RING_ROWS & (GPI_RING_ROWS - 1)
#error "GPI_RING_ROWS must be a power of two"
#endif
#if GPI_RING_BLOCK < 1 || (GPI_RING_BLOCK & (GPI_RING_BLOCK - 1))
#error "GPI_RING_BLOCK must be a power of two"
#endif
#if GPI_RING_REACH < 1
#error "GPI_RING_REACH must be 1 or more"
#endif
#if GPI_RING_ROWS < GPI_RING_REACH + GPI_RING_BLOCK
#error "GPI_RING_ROWS must be at least GPI_RING_REACH + GPI_RING_BLOCK, or a tile waits for itself"
#endif

#define GPI_RING_EMPTY 0u
#define GPI_RING_AGGREGATE 1u
#define GPI_RING_INCLUSIVE 2u

typedef struct gpi_ring {
    gpi_state state;
    gpi_state ticket, tail;
    volatile __global gpi_word *rows;
    uint pass, polls;
} gpi_ring;

static gpi_ring gpi_ring_make(gpi_state state, uint pass, uint launch, ulong rows_at, uint polls)
{
    gpi_ring ring;
    ring.state = state;
    ring.ticket = state + GPI_STATE_LAUNCHES + 2 * launch;
    ring.tail = ring.ticket + 1;
    ring.rows = (volatile __global gpi_word *)(state + rows_at);
    ring.pass = pass;
    ring.polls = polls;
    return ring;
}

#if GPI_WIDE
static volatile __global gpi_word *gpi_ring_word(gpi_ring ring, uint tile, uint d)
{
    return ring.rows + (ulong)(tile & (GPI_RING_ROWS - 1)) * GPI_BINS + d;
}
static gpi_word gpi_ring_pack(uint tile, uint flag, uint count)
{
    return (gpi_word)(flag << 30 | tile) << 32 | count;
}
/* Returns the state in word w if w belongs to `tile`, else GPI_RING_EMPTY. */
static uint gpi_ring_flag(gpi_word w, uint tile)
{
    const uint high = (uint)(w >> 32);
    return (high & 0x3fffffffu) == tile ? high >> 30 : GPI_RING_EMPTY;
}
static uint gpi_ring_count(gpi_word w) { return (uint)w; }
#else
static volatile __global gpi_word *gpi_ring_word(gpi_ring ring, uint tile, uint d)
{
    return ring.rows + (ulong)tile * GPI_BINS + d;
}
static gpi_word gpi_ring_pack(uint tile, uint flag, uint count)
{
    (void)tile;
    return flag << 30 | count;
}
static uint gpi_ring_flag(gpi_word w, uint tile)
{
    (void)tile;
    return w >> 30;
}
static uint gpi_ring_count(gpi_word w) { return w & 0x3fffffffu; }
#endif

/* Returns whether the tile may write the word (gpi_tells). If GPI_FAULT_PASS is defined, faults are injected in that pass
   only. */
static bool gpi_ring_tells(gpi_ring ring, volatile __global gpi_word *word, uint tile, uint k)
{
#ifdef GPI_FAULT_PASS
    if (ring.pass != GPI_FAULT_PASS) return true;
#endif
    (void)ring;
    return gpi_tells(word, tile, k);
}

/* Publishes the tile's own count of digit d. Tile 0 marks its count as inclusive. */
static void gpi_ring_publish(gpi_ring ring, uint tile, uint d, uint count)
{
    const uint flag = tile == 0 ? GPI_RING_INCLUSIVE : GPI_RING_AGGREGATE;
    volatile __global gpi_word *word = gpi_ring_word(ring, tile, d);
    if (gpi_ring_tells(ring, word, tile, d)) gpi_word_write(word, gpi_ring_pack(tile, flag, count));
}

/* Publishes the final value of digit d: `count` keys up to the end of the tile. Uses an exchange, which returns the old word only
   after the write has happened. So the write happens before the tile counts itself in `tail`. (A plain store would not ensure
   this: ring.pml, BUG_STORE.) Returns false if the old word was not the tile's own count, which cannot happen in a correct
   run. */
static bool gpi_ring_conclude(gpi_ring ring, uint tile, uint d, uint count)
{
    volatile __global gpi_word *word = gpi_ring_word(ring, tile, d);
    gpi_word old;
    if (tile == 0 || !gpi_ring_tells(ring, word, tile, d + 1)) return true;
    old = gpi_word_swap(word, gpi_ring_pack(tile, GPI_RING_INCLUSIVE, count));
    return gpi_ring_flag(old, tile) == GPI_RING_AGGREGATE;
}

static void gpi_ring_abandon(gpi_ring ring)
{
    (void)atomic_or(ring.state + GPI_STATE_ABANDONED, ring.pass + 1);
}

/* Uses up one of a wait's polls. Returns whether to continue to wait: false if none is left, or if the pass is
   abandoned. Reads the word `abandoned` only every GPI_RING_ASKS polls, because all waiting items of all groups read
   this one word, and would queue for it. */
#define GPI_RING_ASKS 64

static bool gpi_ring_patience(gpi_ring ring, uint *polls)
{
    if (*polls == 0) return false;
    *polls -= 1;
    GPI_PAUSE();
    return *polls % GPI_RING_ASKS != 0 || !gpi_is_abandoned(ring.state);
}

/* Waits until the tile may write its row. Called by one item only. Returns false if the pass is abandoned, or if the
   polls are used up. The wait ends because it is for lower tiles only, and at the latest when all polls are used up.
   (ring.pml: `alive` at the gate, `safe`, and the mutation BUG_GATE.) */
static bool gpi_ring_gate(gpi_ring ring, uint tile)
{
#if GPI_WIDE
    uint polls = ring.polls;
    bool open = tile < GPI_RING_ROWS;
    while (!open) {
        const uint done = atomic_or(ring.tail, 0u) & ~(uint)(GPI_RING_BLOCK - 1);
        open = done + GPI_RING_ROWS > tile + GPI_RING_REACH;
        if (!open && !gpi_ring_patience(ring, &polls)) break;
    }
    GPI_ACQUIRE(); /* the words of those tiles are visible, also to loads */
    return open;   /* false if a device wrongly left the loop early: then the tile does not write its row */
#else
    (void)ring;
    (void)tile;
    return true;
#endif
}

/* Writes to *exclusive the number of keys of digit d in earlier tiles. Called by one item for each digit. Returns false
   if the pass is abandoned, or if the polls are used up. Ends because each iteration either steps one tile back, to
   REACH at most, or uses up one of the polls. Only lower tiles are waited for. (ring.pml: `alive` in look-backs,
   `right`, and the mutations BUG_REACH and BUG_TAG.) */
static bool gpi_ring_look_back(gpi_ring ring, uint tile, uint d, uint *exclusive)
{
    uint polls = ring.polls, distance = 1, sum = 0;
    bool found = tile == 0;
    while (!found) {
        const gpi_word w = gpi_word_load(gpi_ring_word(ring, tile - distance, d));
        const uint flag = gpi_ring_flag(w, tile - distance);
        if (flag == GPI_RING_INCLUSIVE || (flag == GPI_RING_AGGREGATE && distance < GPI_RING_REACH)) {
            sum += gpi_ring_count(w);
            found = flag == GPI_RING_INCLUSIVE;
            distance += 1;
        } else if (!gpi_ring_patience(ring, &polls)) {
            break;
        }
    }
    *exclusive = sum;
    return found; /* false even if a device left the loop early: an incomplete sum is never used */
}

/* Counts the tile in `tail`, because its group no longer needs the table. Called by one item only, after a barrier that
   orders all of the group's reads and writes of the table before it. Returns false, without counting the tile, if the
   pass is abandoned or if the polls are used up. The wait ends because it is for the tiles of earlier blocks, which are
   lower, and at the latest when all polls are used up. (ring.pml: `alive` when tiles leave, `safe`, and the mutation
   BUG_TAIL.) */
static bool gpi_ring_leave(gpi_ring ring, uint tile)
{
#if GPI_WIDE
    uint polls = ring.polls;
    bool turn = false;
    while (!turn) {
        turn = atomic_or(ring.tail, 0u) / GPI_RING_BLOCK == tile / GPI_RING_BLOCK;
        if (!turn && !gpi_ring_patience(ring, &polls)) break;
    }
    GPI_RELEASE();
    if (turn) (void)atomic_inc(ring.tail);
    return turn;
#else
    (void)ring;
    (void)tile;
    return true;
#endif
}
#endif
