/* tile_merge_sort.cl - a tile of entries sorted by one group: each item's in its registers, by a network; then runs of items
   merged in local memory, two and two.

   An entry is what a key is sorted by, as one number: no two are equal, so that nothing need be stable.

       | segment: 16 bits | the key's window | place in the tile: 16 bits |

   The second run of a pair is stored backwards. Whichever run has no more, its index then comes upon the other's greatest
   entry, which is no less than what is left: indices need no check.

       runs     1 4 6 7 | 2 3 5 8
       stored   1 4 6 7   8 5 3 2
                a ->         <- b

   (Batcher 1968; Knuth, The Art of Computer Programming, volume 3, 5.2.2, algorithm M; Green, McColl & Bader 2012.)

   Parameters
       GPI_WG, GPI_PER_ITEM, GPI_TILE   items of a group, entries of an item, entries of a tile           */
#ifndef GPI_SORT_TILE_MERGE_SORT_CL
#define GPI_SORT_TILE_MERGE_SORT_CL
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/key.cl"

#if !GPI_SHAPE_LOCAL || GPI_TILE != GPI_WG * GPI_PER_ITEM || GPI_TILE > 32768
#error "GPI_TILE must be GPI_WG * GPI_PER_ITEM, and at most 32768"
#endif

/* The cell of element i: one unused after every 16, or after every item's, keeps items off one another's banks; where
   items have an odd number, nothing has to. An item's cells are neighbours. */
#define GPI_ENTRY_RUN (16 % GPI_PER_ITEM ? GPI_PER_ITEM : 16)
#define GPI_ENTRY_CELL(i) ((i) + (GPI_PER_ITEM % 2 ? 0 : (i) / GPI_ENTRY_RUN))
#define GPI_ENTRY_CELLS GPI_ENTRY_CELL(GPI_TILE)

#if GPI_KEY_SIZE < 8 /* a window of a hash of them is of at most 32 bits, too */
#define GPI_ENTRY_KEY_MOST 0xffffffffu
typedef ulong gpi_entry;
typedef gpi_entry gpi_entry_memory[GPI_ENTRY_CELLS];

static gpi_entry gpi_entry_make(gpi_key_bits key, uint place) { return (ulong)key << 16 | place; }
static void gpi_entry_enter(gpi_entry *e, uint segment) { *e = (*e << 16 >> 16) | (ulong)segment << 48; }
static uint gpi_entry_place(gpi_entry e) { return (uint)e & 0xffffu; }
static bool gpi_entry_is_less(gpi_entry e, gpi_entry f) { return e < f; }
static gpi_entry gpi_entry_load(__local const gpi_entry_memory *memory, uint c) { return (*memory)[c]; }
static void gpi_entry_store(__local gpi_entry_memory *memory, uint c, gpi_entry e) { (*memory)[c] = e; }
#else
#define GPI_ENTRY_KEY_MOST (~0ul)
typedef uint4 gpi_entry; /* the key's halves; segment and place. Of a struct, Mesa lost members */
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
static bool gpi_entry_is_less(gpi_entry e, gpi_entry f)
{
    const ulong a = as_ulong(e.xy), b = as_ulong(f.xy);
    if (e.z >> 16 != f.z >> 16) return e.z < f.z;
    return a < b || (a == b && e.z < f.z);
}
static gpi_entry gpi_entry_load(__local const gpi_entry_memory *memory, uint c)
{
    return (uint4)(memory->key[c], memory->place[c], 0);
}
static void gpi_entry_store(__local gpi_entry_memory *memory, uint c, gpi_entry e)
{
    memory->key[c] = e.xy;
    memory->place[c] = e.z;
}
#endif

#if GPI_PER_ITEM <= 32
#define GPI_UNROLL_NETWORK GPI_UNROLL
#else
#define GPI_UNROLL_NETWORK
#endif

/* Half of the least power of two that is no less than GPI_PER_ITEM. */
#define GPI_NETWORK_HALF      \
    (GPI_PER_ITEM > 64   ? 64 \
     : GPI_PER_ITEM > 32 ? 32 \
     : GPI_PER_ITEM > 16 ? 16 \
     : GPI_PER_ITEM > 8  ? 8  \
     : GPI_PER_ITEM > 4  ? 4  \
     : GPI_PER_ITEM > 2  ? 2  \
                         : GPI_PER_ITEM / 2)

/* Sorts the item's entries: Batcher's odd-even merges. */
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
                if (i + d < GPI_PER_ITEM && (i & p) == r && gpi_entry_is_less(entry[i + d], entry[i])) {
                    const gpi_entry e = entry[i];
                    entry[i] = entry[i + d];
                    entry[i + d] = e;
                }
            }
        }
    }
}

/* Merges runs of so many items' entries, a power of two, two and two; this item has the l-th GPI_PER_ITEM before and
   after. */
GPI_INLINE_GPU void gpi_entries_merge(gpi_entry *entry, uint items, __local gpi_entry_memory *memory)
{
    const uint l = (uint)get_local_id(0), at = l * GPI_PER_ITEM, width = items * GPI_PER_ITEM,
               pair = (l & ~(2 * items - 1)) * GPI_PER_ITEM, end = pair + 2 * width;
    const uint before = at - pair; /* so many come out before this item's */
    const bool second = before >= width;
    uint cell =
        GPI_ENTRY_CELL(second ? end - GPI_PER_ITEM - (before - width) : at) + (second ? GPI_PER_ITEM - 1 : 0);
    GPI_UNROLL
    for (uint j = 0; j < GPI_TURNS(GPI_PER_ITEM); j++, cell += second ? ~0u : 1u)
        gpi_entry_store(memory, cell, entry[j]);
    gpi_sync(); /* the runs are there */
    const gpi_entry greatest = gpi_entry_load(memory, GPI_ENTRY_CELL(pair + width - 1)),
                    least = gpi_entry_load(memory, GPI_ENTRY_CELL(end - 1));
    if (second ? gpi_entry_is_less(entry[0], greatest) : gpi_entry_is_less(least, entry[GPI_PER_ITEM - 1])) {
        uint low = second ? before - width : 0, high = second ? width : before;
        while (low < high) { /* how many of them are the first run's */
            const uint middle = (low + high) / 2;
            const gpi_entry a = gpi_entry_load(memory, GPI_ENTRY_CELL(pair + middle)),
                            b = gpi_entry_load(memory, GPI_ENTRY_CELL(end - before + middle));
            if (gpi_entry_is_less(a, b)) low = middle + 1;
            else high = middle;
        }
        uint i = pair + low, k = end - 1 - (before - low);
        gpi_entry a = gpi_entry_load(memory, GPI_ENTRY_CELL(i)),
                  b = gpi_entry_load(memory, GPI_ENTRY_CELL(k));
        GPI_UNROLL
        for (uint j = 0; j < GPI_TURNS(GPI_PER_ITEM); j++) {
            const bool is_b = gpi_entry_is_less(b, a);
            entry[j] = is_b ? b : a;
            if (j + 1 == GPI_PER_ITEM) break; /* at the pair's end nothing is left */
            if (is_b) {
                k--;
                b = gpi_entry_load(memory, GPI_ENTRY_CELL(k));
            } else {
                i++;
                a = gpi_entry_load(memory, GPI_ENTRY_CELL(i));
            }
        }
    }
    gpi_sync(); /* the runs are read: the next ones may overwrite them */
}

/* Sorts the group's first n entries; those after them are greater, or in order. Ends with a barrier. */
GPI_INLINE_GPU void gpi_entries_sort(gpi_entry *entry, uint n, __local gpi_entry_memory *memory)
{
    gpi_entries_sort_own(entry);
    for (uint items = 1; items * GPI_PER_ITEM < n; items *= 2) gpi_entries_merge(entry, items, memory);
}
#endif
