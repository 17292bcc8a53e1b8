/* lookback.cl - decoupled look-back for 256 digits at once, in a table that does not grow with n.

       exclusive(t, d) = how many keys of digit d are in the tiles 0 ... t-1

   Each tile has a row of 256 words. A word carries its count, its state and, where rows are used again,
   its tile's number, so that it proves itself: every access is a relaxed atomic, in any order.

       wide word     flag 2 | tile 30 | count 32      a ring of GPI_RING_ROWS rows, tile t in row t mod rows
       narrow word   flag 2 | count 30                a row for every tile, zeroed before each launch

   (Merrill & Garland 2016; Adinets & Merrill 2022; the ring: GPUOpen, Onesweep with circular buffers.)

   Three rules keep a row from being overwritten while anybody may still read it:
     - reach   A look-back goes at most GPI_RING_REACH tiles back; at that distance it takes only an
               inclusive word, and waits for one.
     - tail    A tile that needs the table no longer counts itself in `tail`, in order between blocks of
               GPI_RING_BLOCK tiles and in any order inside one: all tiles below tail & ~(BLOCK - 1) are done.
     - gate    Tile t writes its row only when all tiles up to t - ROWS + REACH are done: these are the ones
               that could read tile t - ROWS, whose row it is.

   Why a wait ends: tiles are handed out by ticket, so that all tiles below one's own have started; gate,
   look-back and tail all wait for lower tiles only (the gate because ROWS >= REACH + BLOCK: with fewer a tile
   could wait for one of its own block). And whether or not the device lets those go on: each wait is bounded
   by `polls`. When it runs out, `abandoned` is set, which ends all other waits too, no group writes any
   longer, later passes do nothing, and launches enqueued for that do the pass in another way, from its
   unharmed source.
   tests/models/ring.pml checks these rules.

   Clearing. Words of an earlier launch would be taken for this one's where their tiles' numbers agree. The
   rows are zeroed before a launch, unless the launch before was of the same call and had at least 2 * ROWS
   tiles, as this one has: then every row's last tile was at least ROWS, and a tile looks for that number only
   after it has gone through the gate, when this launch has already written the row once.

   Parameters
       GPI_RING_ROWS    wide words: rows, a power of two
       GPI_RING_REACH   how far back a look-back goes
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
/* The word's state, if it is that tile's. */
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

/* gpi_tells, for one pass only where GPI_FAULT_PASS says which. */
static bool gpi_ring_tells(gpi_ring ring, volatile __global gpi_word *word, uint tile, uint k)
{
#ifdef GPI_FAULT_PASS
    if (ring.pass != GPI_FAULT_PASS) return true;
#endif
    (void)ring;
    return gpi_tells(word, tile, k);
}

/* Publishes the tile's own count of digit d, as its first word. Tile 0's is inclusive, and marked so. */
static void gpi_ring_publish(gpi_ring ring, uint tile, uint d, uint count)
{
    const uint flag = tile == 0 ? GPI_RING_INCLUSIVE : GPI_RING_AGGREGATE;
    volatile __global gpi_word *word = gpi_ring_word(ring, tile, d);
    if (gpi_ring_tells(ring, word, tile, d)) gpi_word_write(word, gpi_ring_pack(tile, flag, count));
}

/* The second word, with everything before the tile. What it replaces is looked at, so that the write has
   happened before the tile leaves: false when the first word is not there, which must not be. (ring.pml:
   BUG_STORE is what a plain store would do.) */
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

/* One turn of a wait that has not been answered: true to go on. Whether the launch is abandoned is asked only
   every so often: it is one word for all items of all groups that wait, and they would queue for it. */
#define GPI_RING_ASKS 64

static bool gpi_ring_patience(gpi_ring ring, uint *polls)
{
    if (*polls == 0) return false;
    *polls -= 1;
    GPI_PAUSE();
    return *polls % GPI_RING_ASKS != 0 || !gpi_is_abandoned(ring.state);
}

/* Waits until the tile may write its row. One item calls; false: abandoned.
   Ends because the tiles waited for are lower, and after `polls` turns. (ring.pml: `alive`, gate; what it
   keeps from happening: `safe`, and the mutation BUG_GATE.) */
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
    GPI_ACQUIRE(); /* the words that those tiles have left are there, for loads also */
    return open;   /* as it stands, also when a device dropped out of the loop */
#else
    (void)ring;
    (void)tile;
    return true;
#endif
}

/* How many keys of digit d come before the tile, to *exclusive. One item a digit; false: abandoned.
   Ends because each turn goes one tile back, to REACH at most, or uses up one of the polls; the tile waited
   for is a lower one. (ring.pml: `alive`, look back; `right`, and the mutations BUG_REACH and BUG_TAG.) */
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
    return found; /* false also when a device dropped out of the loop: never taken for an answer */
}

/* The tile needs the table no longer. One item calls, after a barrier that all reads and writes of the
   group have passed; false: abandoned.
   Ends because the tiles of earlier blocks are lower, and after `polls` turns. (ring.pml: `alive`, leave;
   `safe`, and the mutation BUG_TAIL.) */
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
