/* tree_tile.cl - trees: one item handles a run of elements.

   Children are counted in private memory: an element's index is the number of children that its parent has before it. 16
   consecutive siblings are counted in one step. Ends are computed from the back: an element ends where its last descendant ends.
   Elements whose parents are in other runs are marked, and only their rows are read again. */
#ifndef GPI_NEST_TREE_TILE_CL
#define GPI_NEST_TREE_TILE_CL
#include "base/platform.cl"
#include "nest/stack_monoid.cl"
#include "nest/tree_runs.cl"

#if GPI_RUN > 32768
#error "ends inside a run have 16 bits"
#endif

#define GPI_TREE_AHEAD (2048 / GPI_INDEX_SIZE) /* distance of prefetches, in elements */

typedef uint gpi_tree_memory; /* one item shares nothing */
typedef gpi_tree_memory *gpi_tree_shared;
typedef uint gpi_outside_memory;
typedef gpi_outside_memory *gpi_outside_shared;
#define GPI_KEY(i) gpi_key_of(f, run.begin + (i))

/* ------------------------------------------------------------------ rows */

typedef ushort16 gpi_near_row __attribute__((aligned(2)));
/* Returns whether the run's 16 elements from the i-th on are all counted, and are siblings. Returns false if their parent
   is not before them. */
GPI_INLINE bool gpi_are_siblings(__global const gpi_index *parent, gpi_index begin, uint i)
{
#if GPI_SELECT
    return false;
#else
    const gpi_index_row row = GPI_LOAD_VECTOR(gpi_index_row, parent + i);
    return gpi_rows_agree(row, (gpi_index_row)(row.s0)) && (row.s0 - begin < i || row.s0 + 1 <= begin);
#endif
}

/* Returns whether each of the run's 16 elements from the i-th on has the element before it as its parent. */
GPI_INLINE bool gpi_is_ladder(__global const gpi_index *parent, gpi_index begin, uint i)
{
    const gpi_index_row row = GPI_LOAD_VECTOR(gpi_index_row, parent + i);
    return gpi_rows_agree(row, (gpi_index_row)(begin + i - 1) + GPI_LANE_NUMBERS(gpi_index_row));
}

/* Returns whether the parents of the 16 elements from the i-th on are p, p - 1, ..., p - 15, all in the run and before the 16
   elements. The parents of 16 consecutive closers are like this. */
GPI_INLINE bool gpi_is_descent(__global const gpi_index *parent, gpi_index begin, uint i)
{
    const gpi_index_row row = GPI_LOAD_VECTOR(gpi_index_row, parent + i);
    const gpi_index first = row.s0 - begin;
    return gpi_rows_agree(row, (gpi_index_row)(row.s0) - GPI_LANE_NUMBERS(gpi_index_row)) && first >= 15 &&
           first < i;
}

/* Returns 16 if the 16 elements before the run's i-th one are a ladder (gpi_is_ladder), else 1. */
GPI_INLINE uint gpi_rungs(gpi_family f, gpi_tree_run run, uint i)
{
    return i >= 16 && gpi_is_ladder(f.parent + run.begin, run.begin, i - 16) ? 16 : 1;
}

/* Writes out[i] = base + near[i] for the `length` elements of a run. */
static void gpi_store_near(__global gpi_index *out, gpi_index base, const ushort *near, uint length)
{
    uint i = 0;
    for (; i + 16 <= length; i += 16) {
        const gpi_index_row row =
            gpi_convert_row(GPI_LOAD_PRIVATE(gpi_near_row, near + i)) + (gpi_index_row)(base);
        gpi_row_write(out + i, row);
    }
    for (; i < length; i++) out[i] = base + near[i];
}

/* ------------------------------------------------------------------ inside runs */

/* Updates the lowest key so far, and how many elements have it. Both are separate parameters, so that they can stay in
   registers. */
GPI_INLINE void gpi_lower(gpi_index *lowest, gpi_index *count, gpi_index key, uint counts)
{
    if (key < *lowest) *count = 0;
    *lowest = min(*lowest, key);
    *count += key == *lowest ? counts : 0;
}

/* Counts the run's i-th element as a child of its parent. If the element has no parent in the run, updates *lowest and *count
   instead, and returns true. */
GPI_INLINE bool gpi_count_one(gpi_family f, gpi_index begin, uint i, ushort *own, gpi_index *lowest,
                              gpi_index *count, const bool index)
{
    const gpi_index parent = f.parent[begin + i], k = parent - begin;
    const uint counts = gpi_counts(f, begin + i);
    if (GPI_RARELY(k >= i)) {
        gpi_lower(lowest, count, parent < begin ? parent + 1 : 0, counts);
        return true;
    }
    const ushort before = own[k];
    if (index) f.index[begin + i] = before;
    own[k] = (ushort)(before + counts);
    return false;
}

/* Counts 16 siblings from the run's i-th element on. If they have no parent in the run, updates *lowest and *count instead.
   Returns a mask of the siblings that have no parent in the run: 0xffff or 0. */
GPI_INLINE ushort gpi_count_siblings(gpi_family f, gpi_index begin, uint i, ushort *own, gpi_index *lowest,
                                     gpi_index *count, const bool index)
{
    const gpi_index parent = f.parent[begin + i], k = parent - begin;
    if (k >= i) {
        gpi_lower(lowest, count, parent + 1, 16);
        return 0xffff;
    }
    const ushort before = own[k];
    if (index)
        GPI_STORE_VECTOR(gpi_index_row, (gpi_index_row)(before) + GPI_LANE_NUMBERS(gpi_index_row),
                         f.index + begin + i);
    own[k] = before + 16;
    return 0;
}

/* Counts the 16 elements from the run's i-th on, each of which is the child of the element before it. */
GPI_INLINE void gpi_count_ladder(gpi_family f, gpi_index begin, uint i, ushort *own, const bool index)
{
    const gpi_index first = own[i - 1]++;
    if (index)
        GPI_STORE_VECTOR(gpi_index_row, ((gpi_index_row)(first, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
                         f.index + begin + i);
    for (uint k = i; k < i + 15; k++) own[k] = 1;
}

/* Counts 16 elements for which gpi_is_descent holds: adds a child to each of their 16 adjacent parents. If `index`, writes the
   parents' previous counts as the elements' indices. */
GPI_INLINE void gpi_count_descent(gpi_family f, gpi_index begin, uint i, ushort *own, const bool index)
{
    ushort *lowest = own + (f.parent[begin + i] - begin - 15);
    const gpi_near_row before = GPI_LOAD_PRIVATE(gpi_near_row, lowest);
    if (index) GPI_STORE_VECTOR(gpi_index_row, gpi_convert_row(GPI_TURNED(before)), f.index + begin + i);
    GPI_STORE_PRIVATE(gpi_near_row, before + (gpi_near_row)(1), lowest);
}

GPI_INLINE gpi_low gpi_count_run(gpi_family f, gpi_tree_run run, ushort *own, const bool index)
{
    __global ushort *marks = f.marks + (ulong)run.number * GPI_TREE_ROWS;
    gpi_index lowest = GPI_NONE, count = 0;
    for (uint i = 0; i < run.length; i += 16) {
        const uint length = min(run.length - i, 16u);
        ushort outside = 0;
        GPI_PREFETCH_READ(f.parent + run.begin + i + GPI_TREE_AHEAD);
        if (index) GPI_PREFETCH_WRITE(f.index + run.begin + i + GPI_TREE_AHEAD);
        for (uint k = i; k < i + 16; k++) own[k] = 0;
        if (length < 16) {
            for (uint k = 0; k < length; k++)
                if (gpi_count_one(f, run.begin, i + k, own, &lowest, &count, index)) outside |= 1u << k;
        } else if (gpi_are_siblings(f.parent + run.begin, run.begin, i)) {
            outside = gpi_count_siblings(f, run.begin, i, own, &lowest, &count, index);
        } else if (!GPI_SELECT && i > 0 && gpi_is_ladder(f.parent + run.begin, run.begin, i)) {
            gpi_count_ladder(f, run.begin, i, own, index);
        } else if (!GPI_SELECT && gpi_is_descent(f.parent + run.begin, run.begin, i)) {
            gpi_count_descent(f, run.begin, i, own, index);
        } else {
#pragma unroll
            for (uint k = 0; k < 16; k++)
                if (gpi_count_one(f, run.begin, i + k, own, &lowest, &count, index)) outside |= 1u << k;
        }
        marks[i / 16] = outside;
    }
    return gpi_low_make(lowest, count);
}

/* Raises the end of the parent of the run's i-th element to the element's end, if the parent is in the run. */
GPI_INLINE void gpi_end_one(__global const gpi_index *parent, gpi_index begin, uint i, ushort *end)
{
    const gpi_index k = parent[i] - begin;
    if (k < i) end[k] = max(end[k], end[i]);
}

/* Computes the ends of 16 elements from the i-th on, each of which is the parent of the next element. The last element ends at
   `last`. Returns the first element's end, for its parent. (`last` is not stored before the row is loaded, because loading a row
   stalls if a part of it has just been stored.) */
GPI_INLINE ushort gpi_end_ladder(uint i, ushort last, ushort *end)
{
    gpi_near_row row = GPI_LOAD_PRIVATE(gpi_near_row, end + i);
    row.sf = last;
    row = max(row, row.s123456789abcdeff);
    row = max(row, row.s23456789abcdefff);
    row = max(row, row.s456789abcdefffff);
    row = max(row, row.s89abcdefffffffff);
    GPI_STORE_PRIVATE(gpi_near_row, row, end + i);
    return row.s0;
}

/* Raises the ends of the parents of 16 elements from the i-th on for which gpi_is_descent holds. `first` is the first
   element's parent. Only the last of the 16 may have descendants. */
GPI_INLINE void gpi_end_descent(gpi_index first, uint i, ushort *end)
{
    ushort *lowest = end + (first - 15);
    const ushort last = max(lowest[0], end[i + 15]);
    const gpi_near_row ends = (gpi_near_row)((ushort)(i + 16)) - GPI_LANE_NUMBERS(gpi_near_row);
    GPI_STORE_PRIVATE(gpi_near_row, max(GPI_LOAD_PRIVATE(gpi_near_row, lowest), ends), lowest);
    lowest[0] = max(last, lowest[0]);
}

/* Returns the first element of the ladder at the run's end (whole rows in which each element is the next one's parent),
   or the run's length if there is no ladder. The ladder's elements are open at the run's end: gpi_run_ends writes their
   ends. */
GPI_INLINE uint gpi_open_rows(gpi_tree_run run, __global const gpi_index *parent)
{
    uint i = run.length;
    while (i % 16 == 0 && i > 0 && gpi_is_ladder(parent, run.begin, i - 16)) i -= 16;
    return i;
}

/* Computes and writes the ends in a run, from the back. If siblings are adjacent, only the last one may have descendants. */
static void gpi_end_run(gpi_family f, gpi_tree_run run, ushort *end)
{
    __global const gpi_index *parent = f.parent + run.begin;
    __global const ushort *marks = f.marks + (ulong)run.number * GPI_TREE_ROWS;
    const uint length = gpi_open_rows(run, parent);
    uint i = length;
    ushort up = 0; /* the end of the next row's ladder, whose parent is this row's last element; 0: none */
    for (uint k = 0; k < length; k++) end[k] = (ushort)(k + 1);
    for (; i % 16 != 0; i--) gpi_end_one(parent, run.begin, i - 1, end);
    for (; i > 0; i -= 16) {
        const bool inside = marks[i / 16 - 1] != 0xffff;
        const bool siblings = inside && gpi_are_siblings(parent, run.begin, i - 16);
        if (inside && !siblings && gpi_is_ladder(parent, run.begin, i - 16)) {
            up = gpi_end_ladder(i - 16, max(end[i - 1], up), end);
            continue;
        }
        if (up) end[i - 1] = max(end[i - 1], up);
        up = 0;
        if (!inside) continue;
        if (siblings) {
            gpi_end_one(parent, run.begin, i - 1, end);
        } else if (gpi_is_descent(parent, run.begin, i - 16)) {
            gpi_end_descent(parent[i - 16] - run.begin, i - 16, end);
        } else {
#pragma unroll
            for (uint k = 1; k <= 16; k++) gpi_end_one(parent, run.begin, i - k, end);
        }
    }
    gpi_store_near(f.end + run.begin, run.begin, end, length);
}

/* For each element that is open at the run's end, writes the number of its children in the run, because later runs may need
   it. */
static void gpi_store_open(gpi_family f, gpi_tree_run run, const ushort *own)
{
    gpi_index open = run.begin + run.length; /* the key of an open element */
    while (open > run.begin) {
        const uint i = (uint)(open - run.begin), rungs = gpi_rungs(f, run, i);
        if (rungs == 16)
            GPI_STORE_VECTOR(gpi_near_row, GPI_LOAD_PRIVATE(gpi_near_row, own + i - 16), f.own + open - 16);
        else f.own[open - 1] = own[i - 1];
        open = GPI_KEY(i - rungs);
    }
}

GPI_NOINLINE void gpi_run_inside(gpi_family f, gpi_tree_run run)
{
    ushort near[GPI_TREE_ROWS * 16];
    if (f.outputs & GPI_TREE_INDEX) f.tree[f.leaves + run.number] = gpi_count_run(f, run, near, true);
    else f.tree[f.leaves + run.number] = gpi_count_run(f, run, near, false);
    gpi_store_open(f, run, near);
    if (f.outputs & GPI_TREE_CHILDREN) gpi_store_near(f.children + run.begin, 0, near, run.length);
    if (f.outputs & GPI_TREE_END) gpi_end_run(f, run, near);
}

static void gpi_group_inside(gpi_family f, gpi_tree_shared memory)
{
    const gpi_tree_run run = gpi_run_make(f.n, (uint)get_global_id(0));
    (void)memory;
    if (run.length > 0) gpi_run_inside(f, run);
}

/* ------------------------------------------------------------------ beyond runs */

/* Returns whether the 16 elements from `at` on have the parents `parent`, parent - 1, ... parent - 15. */
GPI_INLINE bool gpi_descend(gpi_family f, gpi_index at, gpi_index parent)
{
    return gpi_rows_agree(GPI_LOAD_VECTOR(gpi_index_row, f.parent + at),
                          (gpi_index_row)(parent)-GPI_LANE_NUMBERS(gpi_index_row));
}

/* Stores a row without its first element, which another run may have to write. */
GPI_INLINE void gpi_store_but_first(gpi_index_row row, __global gpi_index *out)
{
    out[1] = row.s1;
    out[2] = row.s2;
    out[3] = row.s3;
    vstore4(row.s4567, 0, out + 4);
    vstore8(row.hi, 0, out + 8);
}

/* Counts the 16 elements from `at` on if three conditions hold: their parents are p, p - 1, ..., p - 15, as in deep nests; all
   these parents are in the run of the crowd's parent; and none of these parents has children in the runs between. Otherwise
   counts nothing, and returns false. */
GPI_INLINE bool gpi_crowd_descend(gpi_family f, gpi_index at, gpi_crowd *crowd)
{
    const gpi_index parent = f.parent[at], lowest = parent - 15;
    if (GPI_SELECT || !gpi_descend(f, at, parent) || parent + 1 >= crowd->key) return false;
    if (parent < 15 || lowest / GPI_RUN + 1 != crowd->first || parent / GPI_RUN + 1 != crowd->first)
        return false;
    if (crowd->between.key - (lowest + 1) < 16) return false;
    gpi_children_done(f, crowd->key, crowd->count);
    const gpi_index_row own = gpi_convert_row(GPI_LOAD_VECTOR(gpi_near_row, f.own + lowest));
    if (f.outputs & GPI_TREE_INDEX) GPI_STORE_VECTOR(gpi_index_row, GPI_TURNED(own), f.index + at);
    if (f.outputs & GPI_TREE_CHILDREN) gpi_store_but_first(own + (gpi_index_row)(1), f.children + lowest);
    crowd->key = lowest + 1;
    crowd->count = f.own[lowest] + 1;
    return true;
}

/* Writes the ends of a ladder of 16 elements, the last of which has the key `open`, if each element of the ladder ends one
   position after the next element. Otherwise returns false. The element after the 16 ends at *at, in run `next`. */
GPI_INLINE bool gpi_ends_descend(gpi_family f, gpi_index open, uint next, ulong *at)
{
    const ulong last = min(f.n, (*at / GPI_RUN + 1) * GPI_RUN);
    if (next == f.leaves || *at + 16 >= last || *at / GPI_RUN != next) return false;
    if (f.tree[f.leaves + next].key > open - 16 || gpi_key_of(f, *at) < open) return false;
    if (!gpi_descend(f, (gpi_index)*at + 1, open - 2)) return false;
    *at += 16;
    GPI_STORE_VECTOR(gpi_index_row, (gpi_index_row)((gpi_index)*at) - GPI_LANE_NUMBERS(gpi_index_row),
                     f.end + open - 16);
    return true;
}

/* Handles the run's elements whose parents are in other runs. */
GPI_NOINLINE void gpi_run_outside(gpi_family f, gpi_tree_run run)
{
    __global const ushort *marks = f.marks + (ulong)run.number * GPI_TREE_ROWS;
    gpi_crowd crowd = gpi_crowd_make();
    for (uint i = 0; i < run.length; i += 16) {
        const gpi_index at = run.begin + i;
        uint outside = marks[i / 16];
        if (!outside) continue;
        GPI_PREFETCH_READ(f.parent + at + GPI_TREE_AHEAD);
        if (f.outputs & GPI_TREE_INDEX) GPI_PREFETCH_WRITE(f.index + at + GPI_TREE_AHEAD);
        if (outside == 0xffff && gpi_are_siblings(f.parent + run.begin, run.begin, i)) {
            const gpi_index before = gpi_crowd_add(f, run, &crowd, f.parent[at] + 1, 16);
            if (f.outputs & GPI_TREE_INDEX)
                GPI_STORE_VECTOR(gpi_index_row, (gpi_index_row)(before) + GPI_LANE_NUMBERS(gpi_index_row),
                                 f.index + at);
            continue;
        }
        if (outside == 0xffff && gpi_crowd_descend(f, at, &crowd)) continue;
        for (; outside; outside &= outside - 1) {
            const gpi_index e = at + popcount(~outside & (outside - 1));
            const gpi_index before = gpi_crowd_add(f, run, &crowd, gpi_key_of(f, e), gpi_counts(f, e));
            if (f.outputs & GPI_TREE_INDEX) f.index[e] = before;
        }
    }
    gpi_crowd_end(f, run, &crowd);
}

/* Writes the ends of the elements that are open at the run's end. Begins with the innermost element, because no element ends
   before its descendants. */
GPI_NOINLINE void gpi_run_ends(gpi_family f, gpi_tree_run run)
{
    gpi_index open = run.begin + run.length; /* the key of an open element */
    uint next = run.number;
    ulong at = open;
    while (open > run.begin) {
        const uint i = (uint)(open - run.begin), rungs = gpi_rungs(f, run, i);
        const gpi_index up = GPI_KEY(i - rungs);
        if (i >= GPI_TREE_AHEAD) GPI_PREFETCH_READ(f.parent + run.begin + i - GPI_TREE_AHEAD);
        const uint single = rungs == 16 && gpi_ends_descend(f, open, next, &at) ? 0 : rungs;
        for (uint k = 0; k < single; k++, open--) {
            if (next != f.leaves && (next == run.number || f.tree[f.leaves + next].key >= open)) {
                next = gpi_run_lows_first_below(f.tree, f.leaves, f.leaves + next, open - 1);
                at = next == f.leaves ? f.n : (ulong)next * GPI_RUN;
            }
            if (next != f.leaves) at = gpi_first_at(f, at, open - 1);
            f.end[open - 1] = (gpi_index)at;
        }
        open = up;
    }
}

static void gpi_group_outside(gpi_family f, gpi_outside_shared memory)
{
    const gpi_tree_run run = gpi_run_make(f.n, (uint)get_global_id(0));
    (void)memory;
    if (run.length > 0 && f.outputs & (GPI_TREE_INDEX | GPI_TREE_CHILDREN)) gpi_run_outside(f, run);
    if (run.length > 0 && f.outputs & GPI_TREE_END) gpi_run_ends(f, run);
}
#endif
