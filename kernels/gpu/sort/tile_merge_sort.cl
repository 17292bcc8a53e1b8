/* tile_merge_sort.cl - one group sorts a tile of entries. Each item sorts its own entries in registers, by a sorting network.
   Then pairs of runs are merged in local memory.

   Each team (group/team.cl) has its own piece of the tile, and its own cells.

   An entry is one number that represents a key in the sort. No two entries are equal, so that no step needs to be stable.

       | segment: 16 bits | the key's window | place in the tile: 16 bits |

   The second run of a pair is stored backwards. When a run is used up, its index points to the other run's greatest
   entry. This entry is no less than any entry that is left, so that indices need no check.

       runs     1 4 6 7 | 2 3 5 8
       stored   1 4 6 7   8 5 3 2
                a ->         <- b

   (Batcher 1968; Knuth, The Art of Computer Programming, volume 3, 5.2.2, algorithm M; Green, McColl & Bader 2012.)

   Parameters: those of group/sub_group.cl, and
       GPI_WG, GPI_PER_ITEM, GPI_TILE   items of a group, entries of an item, entries of a tile           */
#ifndef GPI_SORT_TILE_MERGE_SORT_CL
#define GPI_SORT_TILE_MERGE_SORT_CL
#include "base/platform.cl"
#include "group/striped.cl"
#include "group/sync.cl"
#include "group/team.cl"
#include "element/key.cl"

#if GPI_TILE != GPI_WG * GPI_PER_ITEM || GPI_TILE > 32768
#error "GPI_TILE must be GPI_WG * GPI_PER_ITEM, and at most 32768"
#endif

/* The cell of element i. One cell after every 16, or after each item's cells, is unused, to avoid bank conflicts. If
   GPI_PER_ITEM is odd, no cell is unused. An item's cells are adjacent. */
#define GPI_ENTRY_RUN (16 % GPI_PER_ITEM ? GPI_PER_ITEM : 16)
#define GPI_ENTRY_CELL(i) ((i) + (GPI_PER_ITEM % 2 ? 0 : (i) / GPI_ENTRY_RUN))
#define GPI_ENTRY_CELLS GPI_ENTRY_CELL(GPI_TILE)

#define GPI_TEAM_SPAN (GPI_TEAM * GPI_PER_ITEM)
#define GPI_TEAM_CELLS GPI_ENTRY_CELL(GPI_TEAM_SPAN)
/* Returns this item's index. GPI_SETTLE makes the compiler derive numbers from it anew at each use, because registers are needed
   for entries. */
static uint gpi_entries_item(void)
{
    uint l = (uint)GPI_LOCAL_ID;
    GPI_SETTLE(l);
    return l;
}
static uint gpi_entries_team(void) { return gpi_entries_item() / GPI_TEAM; }
static uint gpi_entries_lane(void) { return gpi_entries_item() % GPI_TEAM; }

#if GPI_KEY_SIZE < 8 /* a window of such a key's hash has at most 32 bits, too */
#define GPI_ENTRY_KEY_MOST 0xffffffffu
typedef ulong gpi_entry;
typedef gpi_entry gpi_entry_memory[GPI_ENTRY_CELLS];

static gpi_entry gpi_entry_make(gpi_key_bits key, uint place) { return (ulong)key << 16 | place; }
static void gpi_entry_enter(gpi_entry *e, uint segment) { *e = (*e << 16 >> 16) | (ulong)segment << 48; }
static uint gpi_entry_place(gpi_entry e) { return (uint)e & 0xffffu; }
static uint gpi_entry_segment(gpi_entry e) { return (uint)(e >> 48); }
static gpi_key_bits gpi_entry_key(gpi_entry e) { return (uint)(e >> 16); }
static bool gpi_entry_is_less(gpi_entry e, gpi_entry f) { return e < f; }
static bool gpi_entry_is_same(gpi_entry e, gpi_entry f) { return (uint)e == (uint)f; } /* all places differ */
static void gpi_entries_order(gpi_entry *e, gpi_entry *f)
{
    const gpi_entry lesser = min(*e, *f);
    *f = GPI_GREATER(*e, *f, lesser);
    *e = lesser;
}
static gpi_entry gpi_entry_load(__local const gpi_entry_memory *memory, uint c) { return (*memory)[c]; }
/* Stores an entry in the cell that is j cells after cell c. */
static void gpi_entry_store(__local gpi_entry_memory *memory, uint c, uint j, gpi_entry e)
{
    (*memory + c)[j] = e;
}
#else
#define GPI_ENTRY_KEY_MOST (~0ul)
typedef uint4 gpi_entry; /* the key's halves; segment and place; unused. (Mesa lost members of a struct.) */
typedef struct gpi_entry_memory {
    uint2 key[GPI_ENTRY_CELLS];
    uint place[GPI_ENTRY_CELLS];
} gpi_entry_memory;

static gpi_entry gpi_entry_make(gpi_key_bits key, uint place)
{
    return (uint4)((uint)key, (uint)(key >> 32), place, 0);
}
static void gpi_entry_enter(gpi_entry *e, uint segment) { e->z = (e->z & 0xffffu) | segment << 16; }
static uint gpi_entry_place(gpi_entry e) { return e.z & 0xffffu; }
static uint gpi_entry_segment(gpi_entry e) { return e.z >> 16; }
static gpi_key_bits gpi_entry_key(gpi_entry e) { return as_ulong(e.xy); }
static bool gpi_entry_is_less(gpi_entry e, gpi_entry f)
{
    const ulong a = as_ulong(e.xy), b = as_ulong(f.xy);
    if (e.z >> 16 != f.z >> 16) return e.z < f.z;
    return a < b || (a == b && e.z < f.z);
}
static bool gpi_entry_is_same(gpi_entry e, gpi_entry f) { return e.z == f.z; } /* all places differ */
static void gpi_entries_order(gpi_entry *e, gpi_entry *f)
{
    if (gpi_entry_is_less(*f, *e)) {
        const gpi_entry lesser = *f;
        *f = *e;
        *e = lesser;
    }
}
static gpi_entry gpi_entry_load(__local const gpi_entry_memory *memory, uint c)
{
    return (uint4)(memory->key[c], memory->place[c], 0);
}
static void gpi_entry_store(__local gpi_entry_memory *memory, uint c, uint j, gpi_entry e)
{
    (memory->key + c)[j] = e.xy;
    (memory->place + c)[j] = e.z;
}
#endif

#if GPI_PER_ITEM <= 32
#define GPI_UNROLL_NETWORK GPI_UNROLL
#else
#define GPI_UNROLL_NETWORK
#endif

/* Half of the least power of two that is at least GPI_PER_ITEM. */
#define GPI_NETWORK_HALF      \
    (GPI_PER_ITEM > 64   ? 64 \
     : GPI_PER_ITEM > 32 ? 32 \
     : GPI_PER_ITEM > 16 ? 16 \
     : GPI_PER_ITEM > 8  ? 8  \
     : GPI_PER_ITEM > 4  ? 4  \
     : GPI_PER_ITEM > 2  ? 2  \
                         : GPI_PER_ITEM / 2)

/* Sorts the item's entries by Batcher's odd-even merges. */
GPI_INLINE_GPU void gpi_entries_sort_own(gpi_entry *entry)
{
    GPI_UNROLL_NETWORK
    for (uint p = GPI_TURNS(GPI_NETWORK_HALF); p > 0; p /= 2) {
        GPI_UNROLL_NETWORK
        for (uint q = GPI_TURNS(GPI_NETWORK_HALF); q >= p; q /= 2) {
            const bool first = q == GPI_NETWORK_HALF;
            const uint d = first ? p : 2 * q - p, r = first ? 0 : p;
            GPI_UNROLL_NETWORK
            for (uint i = 0; i < GPI_TURNS(GPI_PER_ITEM); i++) {
                if (i + d < GPI_PER_ITEM && (i & p) == r) gpi_entries_order(entry + i, entry + i + d);
            }
        }
    }
}

/* Prepares the merge of the runs [begin, middle) and [middle, end): stores the item's entries, those of the second run backwards.
   Each run consists of all entries of some items. Does nothing for an item outside both runs. */
GPI_INLINE_GPU void gpi_entries_put(const gpi_entry *entry, uint begin, uint middle, uint end,
                                    __local gpi_entry_memory *memory)
{
    const uint at = gpi_entries_item() * GPI_PER_ITEM;
    const bool second = at >= middle;
    if (begin <= at && at < end) {
        const uint cell = GPI_ENTRY_CELL(second ? middle + end - GPI_PER_ITEM - at : at);
        GPI_EACH_OWN(j) {
            const gpi_entry up = entry[j], down = entry[GPI_PER_ITEM - 1 - j];
            gpi_entry_store(memory, cell, j, second ? down : up);
        }
    }
}

/* Merges the runs [begin, middle) and [middle, end), which gpi_entries_put has stored, and writes this item's GPI_PER_ITEM
   entries of the result to `entry`. Does nothing for an item outside both runs. */
GPI_INLINE_GPU void gpi_entries_take(gpi_entry *entry, uint begin, uint middle, uint end,
                                     __local const gpi_entry_memory *memory)
{
    const uint at = gpi_entries_item() * GPI_PER_ITEM;
    bool moves = begin <= at && at < end;
    if (moves) {
        const gpi_entry greatest = gpi_entry_load(memory, GPI_ENTRY_CELL(middle - 1)),
                        least = gpi_entry_load(memory, GPI_ENTRY_CELL(end - 1));
        moves = at >= middle ? gpi_entry_is_less(entry[0], greatest)
                             : gpi_entry_is_less(least, entry[GPI_PER_ITEM - 1]);
    }
    if (moves) {
        const uint before = at - begin; /* merged entries of all earlier items */
        uint low = before > end - middle ? before - (end - middle) : 0, high = min(before, middle - begin);
        while (low < high) { /* find how many of these are from the first run */
            const uint probe = (low + high) / 2;
            const gpi_entry a = gpi_entry_load(memory, GPI_ENTRY_CELL(begin + probe)),
                            b = gpi_entry_load(memory, GPI_ENTRY_CELL(end - before + probe));
            if (gpi_entry_is_less(a, b)) low = probe + 1;
            else high = probe;
        }
        uint i = begin + low, k = end - 1 - (before - low);
        gpi_entry other = gpi_entry_load(memory, GPI_ENTRY_CELL(i)),
                  last = gpi_entry_load(memory, GPI_ENTRY_CELL(k));
        bool is_second = true; /* whether `last` is from the second run */
        GPI_EACH_OWN(j) {
            entry[j] = last;
            gpi_entries_order(&entry[j], &other);
            if (j + 1 == GPI_PER_ITEM) break; /* after the last entry, nothing is left to compare */
            is_second = is_second == gpi_entry_is_same(entry[j], last);
            i += is_second ? 0 : 1;
            k -= is_second ? 1 : 0;
            last = gpi_entry_load(memory, GPI_ENTRY_CELL(is_second ? k : i));
        }
    }
}

/* Sorts the group's first n entries. Entries after the n-th must be greater than these. Ends with a barrier. */
GPI_INLINE_GPU void gpi_entries_sort(gpi_entry *entry, uint n, __local gpi_entry_memory *memory)
{
    gpi_entries_sort_own(entry);
    for (uint items = 1; items * GPI_PER_ITEM < n; items *= 2) {
        const uint begin = ((uint)GPI_LOCAL_ID & ~(2 * items - 1)) * GPI_PER_ITEM,
                   middle = begin + items * GPI_PER_ITEM;
        gpi_entries_put(entry, begin, middle, middle + items * GPI_PER_ITEM, memory);
        gpi_sync(); /* the runs are stored */
        gpi_entries_take(entry, begin, middle, middle + items * GPI_PER_ITEM, memory);
        gpi_sync(); /* the runs are read: the next ones may overwrite them */
    }
}
#endif
