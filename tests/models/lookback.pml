/* lookback.pml - decoupled look-back with its fallback, as kernels/scan/lookback.cl does it, for spin.

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
   land at any later time, after or before any other, but for those on the same word. Words are read one by one in
   any order. A look that finds nothing is repeated only after a change: till then it would find the same.

     POLLS      waits are bounded: at any look, a late tile may be computed from the input instead
     SILENT     any tile may never publish (goes with POLLS)
     INEXACT    what the fallback computes has other bits than what the tile publishes: nothing is posted
     IN_PLACE   a group that has its prefix overwrites its input
     LATER      tile 0 has ended before: a state less, for what takes three tiles behind it

   Mutations that must be caught: BUG_AGREE (the first word's flag is believed), BUG_POST (the fallback posts by a
   plain store), BUG_EXACT (it posts what is inexact), BUG_TICKET (tiles in any order, not by ticket), BUG_SILENT
   (SILENT without POLLS), and IN_PLACE with POLLS. */
#ifndef TILES
#define TILES 4
#endif
#ifndef WORKERS
#define WORKERS 3
#endif
#ifndef WORDS
#define WORDS 1
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
byte ticket = 0, ended = 0;
byte concluded[TILES]; /* the value of a tile's inclusive state, once it is handed to memory */
bool written[TILES];   /* IN_PLACE: the tile's input is gone */

/* Handed to memory and not landed: a bit a word. */
short first = 0, second = 0, posted = 0;

/* Stores land. */
#define LAND(w)                                                                           \
    ::atomic { first & BIT(w) ->                                                          \
        first = first & ~BIT(w);                                                          \
        land(w, AGGREGATE, 1 << TILE_OF(w)) }                                             \
    ::atomic { (second & BIT(w)) && !(first & BIT(w)) ->                                  \
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
        POST(next);                                                                       \
        f = EMPTY; g = EMPTY; a = 0; seen = 0; piece = 0
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

#ifdef BUG_AGREE
#define AGREE (f != EMPTY)
#else
#define AGREE (f != EMPTY && f == g)
#endif

#ifdef BUG_TICKET
byte taken = 0;
#endif

proctype group()
{
    byte t, next, prefix, a, f, g, seen, piece;

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
           if
           :: t > 0 -> first = first | ALL_WORDS(t)
           :: t == 0 -> skip
           OR_SILENT
           fi
       };

       do
       :: atomic { next == 0 -> break }
       :: next > 0 ->
           /* one look: the words in any order */
           atomic {
#if WORDS > 1
               if :: a = 0 :: a = 1 fi;
#endif
               f = flag[AT(next - 1, a)];
               seen = value[AT(next - 1, a)];
               g = f;
               piece = seen
           };
#if WORDS > 1
           if
           :: atomic { f != EMPTY -> g = flag[AT(next - 1, 1 - a)]; piece = value[AT(next - 1, 1 - a)] }
           :: atomic { f == EMPTY -> g = flag[AT(next - 1, 1 - a)] }
           fi;
#endif
           if
           :: atomic { AGREE ->
                  assert(seen == piece);                             /* whole */
                  assert((seen & prefix & ~OTHER_BITS) == 0);        /* right: no tile twice */
                  prefix = prefix | seen;
                  next = (f == INCLUSIVE -> 0 : next - 1);
                  f = EMPTY; g = EMPTY; a = 0; seen = 0; piece = 0 }
           :: atomic { !(AGREE) ->
                  if /* nothing: again when there may be something */
#if WORDS > 1
                  :: flag[AT(next - 1, a)] != f || flag[AT(next - 1, 1 - a)] != g -> skip
#else
                  :: flag[AT(next - 1, 0)] != f -> skip
#endif
                  OR_FALL_BACK
                  fi;
                  f = EMPTY; g = EMPTY; a = 0; seen = 0; piece = 0 }
           fi
       od;

       atomic {
           assert((prefix & ~OTHER_BITS) == (1 << t) - 1); /* right: all tiles */
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
