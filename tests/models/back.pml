/* back.pml - look-back over a tree of tiles that grows meanwhile, as kernels/common/nest/lookback.cl does it, for spin.

   WORKERS groups take GROUP of TILES tiles by ticket. They publish their leaves, climb to the root, and then each tile
   searches any tile before it and reads its cells. Node x is the product of the tiles SET(x); a value is such a
   set. A node's words are two here, with every other tile each.

   Checked in every reachable state:
     whole   a node that is believed has all its words          (gpi_lookback_look)
     right   what is written as a node is the product of its tiles, in order; what comes before a tile is the product
             of all tiles before it                               (gpi_lookback_compute, gpi_lookback_climb)
     cells   serial shape: who reads a tile's cells is behind their being written
                                                                (GPI_RELEASE, GPI_ACQUIRE; gpi_opener_of)
     alive   no state is stuck, and all tiles end                 (gpi_lookback_wait)
     grown   in the end each node is there, unless tiles are silent

   Order of memory. A load gives what its word holds, or what it held before: nothing. What a group may know of is
   told as C11 does it: a word that is written carries `told`, all that its writer knew at its last release; who loads
   the word has `heard` that, and knows it from the next acquire on. Where a node is written more than once, the reader
   has heard only what each of its writers told. Waits are ended by what a word holds, as every store is seen some time.

     LOCAL      the local shape: at any look a late tile may be computed from the input instead; no fences; what is
                to the left of a path is looked at in any order, by items side by side. (Cells are there or found in
                the input, and are not modelled.)
     SILENT     any word of what a tile is to publish may be left out (goes with LOCAL)

   Mutations that must be caught: BUG_AGREE (the first word is believed), BUG_LEAF (no release before a leaf is
   published), BUG_NODE (no acquire behind a look), BUG_OURS (nodes are published by tiles that are not their last
   leaf), BUG_LAST (the last tile does not publish nodes that reach beyond it), BUG_TICKET (tiles in any order, not by
   ticket), and SILENT without LOCAL. */
#ifndef TILES
#define TILES 4
#endif
#ifndef LEAVES
#define LEAVES 4 /* or 8 */
#endif
#ifndef WORKERS
#define WORKERS 3
#endif
#ifndef GROUP
#define GROUP 1
#endif

#define ALL_TILES ((1 << TILES) - 1)
#define LEVEL(x) ((x) >= 8 -> 3 : ((x) >= 4 -> 2 : ((x) >= 2 -> 1 : 0)))
#define WIDTH(x) (LEAVES >> LEVEL(x))
#define SET(x) ((((1 << WIDTH(x)) - 1) << (WIDTH(x) * ((x) - (1 << LEVEL(x))))) & ALL_TILES)
#define PIECES(words) (((words) & 1 -> 85 : 0) | ((words) & 2 -> 170 : 0))

byte words[2 * LEAVES]; /* which words of a node are there: bits 1 and 2 */
byte told[2 * LEAVES];  /* tiles whose cells are written before any of them, for whoever acquires */
byte ticket = 0, ended = 0;

#ifdef LOCAL
#define RELEASE skip
#define ACQUIRE skip
#define TELL(n) skip
#define HEAR(n) skip
#define WRITE_CELLS(t) skip
#define READ_CELLS(u) skip
#define IS_LOCAL true
#else
#define RELEASE released = known
#define ACQUIRE known = known | heard
#define TELL(n) told[n] = (words[n] == 0 -> released : told[n] & released)
#define HEAR(n) heard = heard | told[n]
#define WRITE_CELLS(t) known = known | 1 << (t)
#define READ_CELLS(u) assert(known & (1 << (u))) /* cells */
#define IS_LOCAL false
#endif
#ifdef BUG_LEAF
#define RELEASE_TO_PUBLISH(n) if :: (n) >= LEAVES -> skip :: else -> RELEASE fi
#else
#define RELEASE_TO_PUBLISH(n) RELEASE
#endif
#ifdef BUG_NODE
#define ACQUIRE_NODE skip
#else
#define ACQUIRE_NODE ACQUIRE
#endif

#if defined(BUG_OURS)
#define OURS true
#elif defined(BUG_LAST)
#define OURS ((x & 1) != 0)
#else
#define OURS ((x & 1) != 0 || t + 1 == TILES)
#endif

/* a . b */
#define PRODUCT(to, a, b)                                                                 \
    assert((a) == 0 || (b) == 0 || (a) < ((b) & (0 - (b)))); /* right: in order */        \
    to = (a) | (b)

inline write(n, what, which)
{
    assert((what) == SET(n)); /* right */
    TELL(n);
    words[n] = words[n] | (which)
}

/* Node n, by the tile that its last leaf is. */
inline publish(n, what)
{
    RELEASE_TO_PUBLISH(n);
    if
    :: write(n, what, 3)
#ifdef SILENT
    :: write(n, what, 2)
    :: write(n, what, 1)
    :: skip
#endif
    fi
}

/* One look at node n: `value`, if it is `there`. */
inline look(n)
{
    if
    :: SET(n) == 0 -> value = 0; there = true
    :: SET(n) != 0 && words[n] == 3 -> value = SET(n); there = true; HEAR(n)
    :: SET(n) != 0 -> value = 0; there = false
#ifdef BUG_AGREE
    :: words[n] & 1 -> value = SET(n) & PIECES(words[n]); there = true; HEAR(n)
#endif
    fi
}

/* Leaf n, which was not there. */
inline wait(n)
{
#ifndef LOCAL
    words[n] == 3;
    HEAR(n);
#endif
    value = SET(n)
}

/* Node n from what is below it. */
inline compute(n)
{
    atomic { y = n; all = 0 };
    do
    :: atomic {
           look(y);
           if
           :: !there && y < LEAVES -> y = 2 * y
           :: else ->
               if
               :: !there -> wait(y)
               :: else
               fi;
               PRODUCT(all, all, value);
               do
               :: y != (n) && (y & 1) -> y = y >> 1
               :: else -> break
               od;
               if
               :: y == (n) -> break
               :: else -> y++
               fi
           fi
       }
    od;
    atomic {
        if
        :: (n) < LEAVES || IS_LOCAL -> write(n, all, 3)
        :: else
        fi;
        value = all; all = 0; y = 0
    }
}

/* Node n, all of whose leaves are tiles before the group's own, or its own. */
inline get(n)
{
    atomic { look(n) };
    if
    :: atomic { there -> skip }
    :: atomic { !there -> skip }; compute(n)
    fi;
    atomic { there = false; ACQUIRE_NODE }
}

#ifdef LOCAL
/* All nodes to the left of the path, in any order: items look at them side by side. Then item 0 climbs. */
inline climb()
{
    atomic {
        x = LEAVES + t; u = 0;
        do
        :: x <= 1 -> break
        :: else -> wanted = wanted | (x & 1) << u; x = x >> 1; u++
        od;
        u = 0
    };
    do
    :: atomic { wanted == 0 -> break }
    :: atomic {
           wanted != 0 ->
           do
           :: wanted & 1 << u -> break
           :: wanted >> (u + 1) -> u++
           od;
           wanted = wanted ^ 1 << u;
           x = (LEAVES + t) >> u
       };
       get(x - 1);
       atomic { beside[u] = value; u = 0 }
    od;
    atomic { x = LEAVES + t; before = 0; node = 1 << t; ours = true };
    do
    :: atomic { x <= 1 -> break }
    :: atomic { x > 1 -> value = beside[u]; beside[u] = 0; u++ }; step()
    od;
    climbed()
}
#else
inline climb()
{
    atomic { x = LEAVES + t; before = 0; node = 1 << t; ours = true };
    do
    :: atomic { x <= 1 -> break }
    :: atomic { x > 1 && !(x & 1) -> value = 0 }; step()
    :: atomic { x > 1 && (x & 1) -> skip }; get(x - 1); step()
    od;
    climbed()
}
#endif

inline climbed()
{
    atomic {
        assert(before == (1 << t) - 1); /* right: all tiles before */
        before = 0; node = 0; ours = false; value = 0; u = 0
    }
}

/* A level up, past a node to the left, which is `value`. */
inline step()
{
    atomic {
        PRODUCT(before, value, before);
        PRODUCT(node, value, node);
        ours = ours && OURS;
        x = x >> 1;
        if
        :: ours -> publish(x, node)
        :: else
        fi
    }
}

/* Any tile before this one is searched for, and its cells are read. */
inline search()
{
    atomic {
        x = LEAVES + t;
        u = 0;
        do
        :: u + 1 < t -> u++
        :: true -> break
        od
    };
    do
    :: atomic { !(x & 1) -> x = x >> 1 }
    :: atomic { x & 1 -> skip };
       get(x - 1);
       atomic {
           x--;
           if
           :: SET(x) & (1 << u) -> break
           :: else -> x = x >> 1
           fi
       }
    od;
    do
    :: atomic { x >= LEAVES -> break }
    :: atomic { x < LEAVES -> skip };
       get(2 * x + 1);
       atomic {
           x = 2 * x;
           if
           :: SET(x + 1) & (1 << u) -> x++
           :: else
           fi
       }
    od;
    get(x);
    atomic { READ_CELLS(u); u = 0; x = 0; value = 0 }
}

#ifdef BUG_TICKET
byte taken = 0;
#endif

proctype group()
{
    byte t, end, x, y, u, value, all, before, node;
    byte known, heard, released; /* tiles whose cells are written, for this group */
    bool there, ours;
#ifdef LOCAL
    byte beside[3], wanted; /* left of the path; levels that nobody has looked at yet */
#endif

    do
#ifdef BUG_TICKET
    :: atomic { taken == ALL_TILES -> break }
    :: atomic { taken != ALL_TILES ->
           t = 0;
           do
           :: !(taken & 1 << t) -> break
           :: t + 1 < TILES && (taken >> (t + 1)) != ALL_TILES >> (t + 1) -> t++
           od;
           taken = taken | 1 << t };
#else
    :: atomic { ticket == TILES -> break }
    :: atomic { ticket < TILES -> t = ticket; ticket = ticket + GROUP };
#endif
       end = t + GROUP;
       do /* a group has told of all its tiles before it waits for anybody */
       :: atomic { t == end -> break }
       :: atomic { t < end -> WRITE_CELLS(t); x = LEAVES + t; publish(x, 1 << t); t++ }
       od;
       t = end - GROUP;
       do
       :: atomic { t == end -> break }
       :: atomic { t < end -> skip }; climb(); t++
       od;
       t = end - GROUP;
       do
       :: atomic { t == end -> break }
       :: atomic { t < end && t == 0 -> t++ }
       :: atomic { t < end && t > 0 -> skip }; search(); t++
       od;
       atomic { t = 0; end = 0; x = 0; known = 0; heard = 0; released = 0; ended = ended + GROUP }
    od
}

init
{
    byte i = 0;
    atomic {
        do
        :: i < WORKERS -> run group(); i++
        :: else -> i = 1; break
        od
    };
    _nr_pr == 1;
    assert(ended == TILES);
#ifndef SILENT
    do
    :: i < 2 * LEAVES -> assert(SET(i) == 0 || words[i] == 3); i++ /* grown */
    :: else -> break
    od
#endif
}
