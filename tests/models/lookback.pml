/* lookback.pml - decoupled look-back with its fallback, as kernels/common/scan/lookback.cl does it, for spin.

   WORKERS groups take TILES tiles by ticket. A tile's state is WORDS words, of which each has the flag and a
   piece of the value: 1 is a value of 32 bits in a wide word, 2 the same in narrow words, or 64 bits in wide
   ones. A value is the set of tiles that it is the product of. Each word of a state carries the whole value here,
   and two pieces that a reader puts together must be of one value.

   Checked in every reachable state:
     whole   a value that is believed is one that was published: its words are of one publication, and no flag
             ever falls                                       (gpi_publish, gpi_observe, gpi_post)
     right   a look-back's product has each tile before it, once      (gpi_walk_back)
     alive   no state is stuck, and all tiles end: a wait is answered by a lower tile, or ended by the fallback
             (gpi_walk_back, gpi_look_back)
     kept    the fallback reads input that is still there     (in place: strategies of src/scan/scan.c)

   Stores. There is no fence anywhere in scan/lookback.cl, so that here a store is handed to `memory`, which lets it
   land at any later time, after or before any other, but for those of one item on the same word. A group's own stores
   need not be exchanges; the fallback's is, and does nothing where the word is not empty. Words are read one by one in
   any order. A load gives what its word holds or has held, whatever another item of the group has seen there. A look
   that tells nothing is repeated only after its nearest tile has changed: till then it would find the same.

     POLLS      waits are bounded: at any look, a late tile may be computed from the input instead
     SILENT     any tile may never publish (goes with POLLS)
     INEXACT    what the fallback computes has other bits than what the tile publishes: nothing is posted
     IN_PLACE   a group that has its prefix overwrites its input
     LATER      tile 0 has ended before: a state less, for what takes three tiles behind it
     LANES      tiles that one look reads, each by another item: all their words in any order
     ORDERED    with LANES: products are grouped alike whatever is seen. Tiles of the set HEADS have a head. A value
                is grouped otherwise (OTHER_BITS) where a look counts tiles before one that anchors it: that has a
                head, or is inclusive. No look-back's product may be         (GPI_ORDERED)

   Few lanes and tiles are enough. With two lanes one counts, and the other is late, or beyond an inclusive one, or
   before tile 0; with three an inclusive and a late one follow a lane that counts, in either order. With three tiles
   there is a second look, at a tile that another lane has read before.

   Mutations that must be caught: BUG_AGREE (the first word's flag is believed), BUG_POST (the fallback posts by a
   plain store), BUG_EXACT (it posts what is inexact), BUG_ORDER (a group's two stores to a word are of two items, and
   land in any order), BUG_TICKET (tiles in any order, not by ticket), SILENT without POLLS, IN_PLACE with POLLS; of
   LANES, BUG_LATE (lanes beyond a late one count), BUG_INCLUSIVE (lanes beyond an inclusive one count), BUG_STEP (the
   next look is LANES further, however many counted), BUG_REREAD (a lane has its flag of one read, its value of
   another); of ORDERED, BUG_ANCHOR (a look counts without an anchor). */
#ifndef TILES
#define TILES 4
#endif
#ifndef WORKERS
#define WORKERS 3
#endif
#ifndef WORDS
#define WORDS 1
#endif
#ifndef LANES
#define LANES 1
#endif

#ifndef HEADS
#define HEADS 0
#endif
#if defined(ORDERED) && (LANES == 1 || WORDS == 2)
#error "ORDERED takes LANES, and one word"
#endif

#define EMPTY 0
#define AGGREGATE 1
#define INCLUSIVE 2
#define OTHER_BITS 128 /* in a value: computed in another grouping */

#if defined(POLLS) && !defined(INEXACT)
#define EXACT
#endif
#ifdef BUG_EXACT
#define INEXACT
#define EXACT
#endif
#ifdef INEXACT
#define RECOMPUTED(t) (1 << (t) | OTHER_BITS)
#else
#define RECOMPUTED(t) (1 << (t))
#endif

#define AT(t, k) ((t) * WORDS + (k))
#define TILE_OF(w) ((w) / WORDS)
#define BIT(w) (1 << (w))
#define ALL_WORDS(t) (((1 << WORDS) - 1) << AT(t, 0))

byte flag[TILES * WORDS], value[TILES * WORDS]; /* of one word: written together */
byte aggregate[TILES * WORDS];                  /* the AGGREGATE that a word has or had */
byte ticket = 0, ended = 0;
byte concluded[TILES]; /* the value of a tile's inclusive state, once it is handed to memory */
bool written[TILES];   /* IN_PLACE: the tile's input is gone */

/* Handed to memory and not landed: a bit a word. */
short first = 0, second = 0, posted = 0;

/* Stores land. */
#ifdef BUG_ORDER
#define IN_ORDER(w) true
#else
#define IN_ORDER(w) !(first & BIT(w))
#endif
#define LAND(w)                                                                           \
    ::atomic { first & BIT(w) ->                                                          \
        first = first & ~BIT(w);                                                          \
        land(w, AGGREGATE, 1 << TILE_OF(w)) }                                             \
    ::atomic { (second & BIT(w)) && IN_ORDER(w) ->                                        \
        second = second & ~BIT(w);                                                        \
        land(w, INCLUSIVE, concluded[TILE_OF(w)]) }                                       \
    LAND_POSTED(w)
#ifdef BUG_POST
#define FORGET_POSTED(w) skip
#define LAND_POSTED(w)                                                                    \
    ::atomic { posted & BIT(w) ->                                                         \
        posted = posted & ~BIT(w);                                                        \
        land(w, AGGREGATE, RECOMPUTED(TILE_OF(w))) }
#elif defined(EXACT)
/* An exchange that can no longer succeed is none. */
#define FORGET_POSTED(w) posted = posted & ~BIT(w)
#define LAND_POSTED(w)                                                                    \
    ::atomic { posted & BIT(w) -> land(w, AGGREGATE, RECOMPUTED(TILE_OF(w))) }
#else
#define FORGET_POSTED(w) skip
#define LAND_POSTED(w)
#endif

inline land(w, f, v)
{
    assert(f >= flag[w]); /* whole: flags only rise */
    flag[w] = f;
    value[w] = v;
    if
    :: f == AGGREGATE -> aggregate[w] = v
    :: else
    fi;
    FORGET_POSTED(w)
}

active proctype memory()
{
end:
    do
    LAND(0)
    LAND(1)
    LAND(2)
#if TILES * WORDS > 3
    LAND(3)
#endif
#if TILES * WORDS > 4
    LAND(4)
    LAND(5)
#endif
#if TILES * WORDS > 6
    LAND(6)
    LAND(7)
#endif
    od
}

#ifdef SILENT
#define OR_SILENT :: true -> skip
#else
#define OR_SILENT
#endif

#ifdef POLLS
#define OR_FALL_BACK                                                                      \
    ::true ->                                                                             \
        next--;                                                                           \
        KEPT(next);                                                                       \
        prefix = prefix | RECOMPUTED(next);                                               \
        POST(next)
#else
#define OR_FALL_BACK
#endif
#ifdef IN_PLACE
#define KEPT(t) assert(!written[t])
#define WRITTEN(t) written[t] = true
#else
#define KEPT(t) skip
#define WRITTEN(t) skip
#endif
#ifdef BUG_POST
#define POST(t) posted = posted | ALL_WORDS(t)
#elif defined(EXACT)
#if WORDS == 1
#define FREE_WORDS(t) ((flag[t] == EMPTY -> BIT(t) : 0))
#else
#define FREE_WORDS(t) \
    ((flag[AT(t, 0)] == EMPTY -> BIT(AT(t, 0)) : 0) | (flag[AT(t, 1)] == EMPTY -> BIT(AT(t, 1)) : 0))
#endif
#define POST(t) posted = posted | FREE_WORDS(t)
#else
#define POST(t) skip
#endif

/* Of a lane that has read all its words. */
#if WORDS == 1
#define AGREE(l) (f[l] != EMPTY)
#ifndef ORDERED
#define CHANGED (flag[next - 1] != f[0])
#else /* of any lane */
#define LANE_CHANGED(l) (next > l && flag[(next > l -> next - 1 - l : 0)] != f[l])
#if LANES == 2
#define CHANGED (LANE_CHANGED(0) || LANE_CHANGED(1))
#else
#define CHANGED (LANE_CHANGED(0) || LANE_CHANGED(1) || LANE_CHANGED(2))
#endif
#endif
#else
#ifdef BUG_AGREE
#define AGREE(l) (f[AT(l, 0)] != EMPTY)
#else
#define AGREE(l) (f[AT(l, 0)] != EMPTY && f[AT(l, 0)] == f[AT(l, 1)])
#endif
#define CHANGED (flag[AT(next - 1, 0)] != f[0] || flag[AT(next - 1, 1)] != f[1])
#endif
#ifdef BUG_REREAD
#define PIECE(l, k) ((l) < next -> value[AT(next - 1 - (l), k)] : 0)
#else
#define PIECE(l, k) seen[AT(l, k)]
#endif

#ifdef BUG_LATE
#define TOLD (late == 0 -> 0 : (inclusive < LANES -> inclusive + 1 : LANES))
#elif defined(BUG_INCLUSIVE)
#define TOLD late
#else
#define TOLD (inclusive < late -> inclusive + 1 : late)
#endif
/* Lane l, which has a value, begins a product that is grouped alike. */
#define ANCHORS(l) (f[l] == INCLUSIVE || (HEADS >> (l < next -> next - 1 - l : 0) & 1))
#ifndef ORDERED
#define FIND_ANCHOR(l) skip
#define NEED_ANCHOR skip
#elif defined(BUG_ANCHOR)
#define FIND_ANCHOR(l) anchor = (ANCHORS(l) -> l : anchor)
#define NEED_ANCHOR                                                                       \
    prefix = prefix | (told > 0 && !anchored && anchor >= told -> OTHER_BITS : 0);        \
    anchored = anchored || told > 0
#else
#define FIND_ANCHOR(l) anchor = (ANCHORS(l) -> l : anchor)
#define NEED_ANCHOR                                                                       \
    told = (anchored || anchor < told -> told : 0);                                       \
    anchored = anchored || told > 0
#endif
#ifdef BUG_STEP
#define NEXT (inclusive < late || next < LANES -> 0 : next - LANES)
#else
#define NEXT (inclusive < late -> 0 : next - told)
#endif

/* Lane l looks at tile next - 1 - l; before tile 0 there is nothing to read or to add. */
inline begin_look()
{
    k = 0;
    do
    :: k < LANES * WORDS ->
        seen[k] = 0;
        if
        :: TILE_OF(k) < next -> f[k] = EMPTY; unread = unread | BIT(k)
        :: else -> f[k] = (next > 0 -> INCLUSIVE : EMPTY)
        fi;
        k++
    :: else -> k = 0; break
    od
}

/* Word k of the look, which is w in memory: the newest, or an older one. */
inline read(w)
{
    if
    :: f[k] = flag[w]; seen[k] = value[w]
    :: flag[w] > EMPTY -> f[k] = EMPTY; seen[k] = 0
    :: flag[w] > AGGREGATE && aggregate[w] != 0 -> f[k] = AGGREGATE; seen[k] = aggregate[w]
    fi
}

#ifdef BUG_TICKET
byte taken = 0;
#endif

proctype group()
{
    byte t, next, prefix, k, l, inclusive, late, told;
#ifdef ORDERED
    byte anchor;
    bool anchored;
#endif
    byte unread, f[LANES * WORDS], seen[LANES * WORDS]; /* words of a look: a bit each; what was read */

    do
#ifdef BUG_TICKET
    :: atomic { taken == (1 << TILES) - 1 -> goto finish }
    :: atomic { taken != (1 << TILES) - 1 ->
           t = 0;
           do
           :: !(taken & BIT(t)) -> break
           :: t + 1 < TILES && (taken >> (t + 1)) != (1 << (TILES - t - 1)) - 1 -> t++
           od;
           taken = taken | BIT(t) };
#else
    :: atomic { ticket == TILES -> goto finish }
    :: atomic { ticket < TILES -> t = ticket; ticket++ };
#endif
       atomic {
           next = t;
           prefix = 0;
#ifdef ORDERED
           anchored = false;
#endif
           if
           :: t > 0 -> first = first | ALL_WORDS(t)
           :: t == 0 -> skip
           OR_SILENT
           fi;
           begin_look()
       };

       do
       :: atomic { next == 0 -> break }
       :: atomic { unread != 0 -> /* any word of any lane */
              do
              :: unread & BIT(k) -> break
              :: unread >> (k + 1) != 0 -> k++
              od;
              unread = unread & ~BIT(k);
              read(AT(next - 1, 0) - AT(TILE_OF(k), 0) + k % WORDS);
              k = 0 }
       :: atomic { next > 0 && unread == 0 ->
              l = LANES;
              inclusive = LANES;
              late = LANES;
#ifdef ORDERED
              anchor = LANES;
#endif
              do
              :: l > 0 ->
                  l--;
                  if
                  :: !AGREE(l) -> late = l
                  :: AGREE(l) && f[AT(l, 0)] == INCLUSIVE -> inclusive = l
                  :: else
                  fi;
                  if
                  :: AGREE(l) -> FIND_ANCHOR(l)
                  :: else
                  fi
              :: else -> break
              od;
              told = TOLD;
              NEED_ANCHOR;
              do
              :: l < told ->
                  assert(PIECE(l, 0) == PIECE(l, WORDS - 1));                 /* whole */
                  assert((PIECE(l, 0) & prefix & ~OTHER_BITS) == 0);          /* right: no tile twice */
                  prefix = prefix | PIECE(l, 0);
                  l++
              :: else -> break
              od;
              if
              :: told > 0 -> next = NEXT
              :: told == 0 ->
                  if /* nothing: again when there may be something */
                  :: CHANGED -> skip
                  OR_FALL_BACK
                  fi
              fi;
              l = 0; inclusive = 0; late = 0; told = 0;
              begin_look() }
       od;

       atomic {
           assert((prefix & ~OTHER_BITS) == (1 << t) - 1); /* right: all tiles */
#ifdef ORDERED
           assert(!(prefix & OTHER_BITS)); /* right: grouped alike */
#endif
           if
           :: concluded[t] = prefix | (1 << t);
              second = second | ALL_WORDS(t)
           OR_SILENT
           fi;
           prefix = 0
       };
       atomic {
           WRITTEN(t);
           t = 0;
           ended++
       }
    od;
finish:
    skip
}

init
{
    byte i = 0;
    atomic {
#ifdef LATER
        do
        :: i < WORDS -> flag[i] = INCLUSIVE; value[i] = 1; i++
        :: else -> i = 0; break
        od;
        ticket = 1;
        ended = 1;
#endif
        do
        :: i < WORKERS -> run group(); i++
        :: else -> break
        od
    };
    _nr_pr == 2; /* memory does not end */
    assert(ended == TILES)
}
