/* ring.pml - the circular look-back buffer of kernels/common/sort/lookback.cl, for spin.

   WORKERS groups take TILES tiles by ticket, through a ring of ROWS rows with WORDS words each. Every tile
   counts one key in every word. A wait is a guard: where none can ever pass, spin reports a stuck state.

   Checked in every reachable state:
     safe     no word is overwritten while a look-back that may still read it is under way  (gpi_ring_gate,
              gpi_ring_leave: tail and gate)
     right    every look-back's sum is the number of tiles before                          (tags, reach)
     alive    no state is stuck, and all tiles end: each wait of gpi_ring_gate, gpi_ring_look_back and
              gpi_ring_leave is answered by a lower tile

   Stores. No fence stands between two words. So what gpi_ring_publish stores is handed to `memory`, which lets each
   word land at any later time; gpi_ring_conclude exchanges, and looks at what it got: what was stored to that word
   before has landed by then, and it has itself when the tile counts in the tail.

   With IMPATIENT any wait may run out of polls at any time, which abandons the launch: then all groups must end,
   and those that ended well before must be right.
   Mutations that must be caught: BUG_GATE (no gate), BUG_TAIL (the tail counts in any order), BUG_REACH (an
   aggregate is taken at the reach and the walk goes on), BUG_TAG (tiles' numbers are not looked at), BUG_STORE (the
   inclusive word is stored, not exchanged, and may land when the tile has left), and ROWS < REACH + BLOCK. */
#ifndef TILES
#define TILES 7
#endif
#ifndef WORKERS
#define WORKERS 3
#endif
#ifndef ROWS
#define ROWS 4
#endif
#ifndef REACH
#define REACH 2
#endif
#ifndef BLOCK
#define BLOCK 2
#endif
#ifndef WORDS
#define WORDS 1
#endif

#define EMPTY 0
#define AGGREGATE 1
#define INCLUSIVE 2

#define AT(t, d) (((t) % ROWS) * WORDS + (d))
#define DONE ((tail / BLOCK) * BLOCK)

byte flag[ROWS * WORDS], tag[ROWS * WORDS], count[ROWS * WORDS]; /* of one word: written together */
byte ticket = 0, tail = 0, ended = 0;
bool abandoned = false;
bool reading[TILES]; /* ghost: the tile may still read the table */

/* Handed to memory and not landed: bit WORDS * tile + word. */
short first = 0, second = 0;
#define BIT(t, d) (1 << ((t) * WORDS + (d)))
#define ALL_WORDS(t) (((1 << WORDS) - 1) << ((t) * WORDS))

/* ghost: whoever may read tile t - ROWS is done */
inline check_overwrite(t)
{
    if
    :: t >= ROWS ->
        c = t - ROWS + 1;
        do
        :: c <= t - ROWS + REACH && c < TILES -> assert(!reading[c] || c == t); c++
        :: else -> break
        od;
        c = 0
    :: else -> skip
    fi
}

#ifdef IMPATIENT
#define OR_GIVE_UP :: abandoned -> goto out :: abandoned = true; goto out
#else
#define OR_GIVE_UP
#endif

#ifdef BUG_TAG
#define IS_OF(t, d) true
#else
#define IS_OF(t, d) (tag[AT(t, d)] == (t))
#endif

inline land(t_, d_, flag_, count_)
{
    tag[AT(t_, d_)] = t_;
    count[AT(t_, d_)] = count_;
    flag[AT(t_, d_)] = flag_
}

#ifdef BUG_STORE
#define LAND_SECOND(w)                                                                  \
    :: atomic { (second & (1 << (w))) && !(first & (1 << (w))) ->                       \
           second = second & ~(1 << (w));                                               \
           land((w) / WORDS, (w) % WORDS, INCLUSIVE, (w) / WORDS + 1) }
#else
#define LAND_SECOND(w)
#endif
#define LAND(w)                                                                         \
    :: atomic { first & (1 << (w)) ->                                                   \
           first = first & ~(1 << (w));                                                 \
           check_overwrite((w) / WORDS);                                                \
           land((w) / WORDS, (w) % WORDS, ((w) < WORDS -> INCLUSIVE : AGGREGATE), 1) }  \
    LAND_SECOND(w)

active proctype memory()
{
    byte c;
end:
    do
    LAND(0)
    LAND(1)
    LAND(2)
    LAND(3)
    LAND(4)
    LAND(5)
#if TILES * WORDS > 6
    LAND(6)
#endif
#if TILES * WORDS > 7
    LAND(7)
#endif
#if TILES * WORDS > 8
    LAND(8)
#endif
#if TILES * WORDS > 9
    LAND(9)
#endif
#if TILES * WORDS > 10
    LAND(10)
    LAND(11)
#endif
    od
}

proctype group()
{
    byte t, d, p, sum;

    do
    :: atomic { t = ticket; if :: t < TILES -> ticket++; reading[t] = true :: else -> goto finish fi };

       /* gate */
       if
       :: t < ROWS -> skip
#ifdef BUG_GATE
       :: t >= ROWS -> skip
#else
       :: t >= ROWS && DONE + ROWS > t + REACH -> skip
#endif
       OR_GIVE_UP
       fi;

       atomic { first = first | ALL_WORDS(t) }; /* publish */

       /* look back, word by word */
       d = 0;
       do
       :: d == WORDS -> break
       :: else ->
           sum = 0;
           p = 1; /* distance */
           do
           :: t == 0 -> break
           :: t > 0 ->
               if
               :: atomic { flag[AT(t - p, d)] == INCLUSIVE && IS_OF(t - p, d) ->
                       sum = sum + count[AT(t - p, d)]; p = 255 }
#ifdef BUG_REACH
               :: atomic { flag[AT(t - p, d)] == AGGREGATE && IS_OF(t - p, d) ->
#else
               :: atomic { flag[AT(t - p, d)] == AGGREGATE && IS_OF(t - p, d) && p < REACH ->
#endif
                       sum = sum + count[AT(t - p, d)]; p++ }
               OR_GIVE_UP
               fi;
               if :: p == 255 -> break :: else -> skip fi
           od;
           assert(sum == t);
           /* conclude: the word replaced is our own */
           atomic {
#ifdef BUG_STORE
               second = second | BIT(t, d);
#else
               !(first & BIT(t, d)) -> /* on one word stores keep their order */
               if :: t > 0 -> assert(tag[AT(t, d)] == t && flag[AT(t, d)] == AGGREGATE) :: else -> skip fi;
               land(t, d, INCLUSIVE, sum + 1);
#endif
               sum = 0
           };
           d++
       od;
       d = 0;
       p = 0;

       /* leave */
       atomic {
           if
#ifdef BUG_TAIL
           :: true -> skip
#else
           :: tail / BLOCK == t / BLOCK -> skip
#endif
           OR_GIVE_UP
           fi;
           reading[t] = false;
           tail++;
           ended++
       }
    od;
out:
    assert(abandoned);
finish:
    skip
}

init
{
    byte i = 0;
    atomic {
        do
        :: i < WORKERS -> run group(); i++
        :: else -> break
        od
    };
    _nr_pr == 2; /* memory does not end */
    assert(abandoned || (ended == TILES && tail == TILES))
}
