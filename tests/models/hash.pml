/* hash.pml - the slots of kernels/common/hash/table.cl, with operations that race on them, for spin.

   ITEMS work-items do one operation each (insert, assign, add, erase or find, any of them) with any of KEYS keys,
   on a table of SLOTS slots in which any keys stand already, live or dead, as operations one after another would
   have left them. All keys have one home, the last slot, so that probes go round; with SPREAD, homes differ.

       packed     a slot is one word: key and value change together
       SPLIT      key and value are two words
       LINE       all slots are looked at first, one by one, as kernels/common/hash/line.cl does with vectors

   Key cell 0 stands for all ones, and value 0 says that the key is not there. Split, it is the reserved value.
   Packed, (0, 0) is the word of an empty slot, and (key, 0) the word (one less than all ones, key) of an erased
   key: one word for each, so that no value stands for another, and a live word has any value. With ONES, key 0 is
   among the keys: it lives in a side slot, whose words mean the same. Values are sets of bits: item i's operand is bit i, so that a sum tells what has been
   added, and each key that is there from before has a bit of its own.

   Checked in every reachable state:
     once     no key stands in two slots, and a key cell never changes once it is written     (gpi_hash_put)
     lost     each change takes the key on from the value that it had, as if operations came one after another; in
              the end as many keys are live as were inserted and not erased
                                                      (gpi_hash_put, gpi_hash_change, gpi_hash_remove)
     own      a value that is found was put there for that key                                (gpi_hash_get)
     found    a key that is there all through a find or erase is met, one that never was is not
     full     a key fails only when all slots have keys, other ones than it
     ends     a probe looks at SLOTS slots at most; and no run is endless (spin's search for cycles)

   Order of memory. Every access is relaxed, and no fence stands between two. With STALE a load returns any content
   that its word has had since the launch began, each word for itself, whatever was loaded before; exchanges see the
   newest, as on every device. Then `found` is about keys from before the launch. Key and value of a split slot
   are loaded in either order. A value is exchanged after its key, whose exchange decides whether it is.

   Mutations that must be caught: BUG_CLAIM (a key is stored, not exchanged), BUG_CHECK (after a failed claim
   nobody looks whose key won), BUG_STORE (values are stored, not exchanged), BUG_EMPTY (erasing empties the slot),
   BUG_REUSE (a dead slot is taken for another key), BUG_AGAIN (packed: a key that was erased looks for another slot
   than its own), BUG_ORDER (SPLIT: the value stands there before the key),
   BUG_STEPS (a probe does not count its steps). */
#ifndef ITEMS
#define ITEMS 3
#endif
#ifndef KEYS
#define KEYS 2
#endif
#ifndef SLOTS
#define SLOTS 2
#endif

#ifdef ONES
#define FIRST_KEY 0
#else
#define FIRST_KEY 1
#endif
#ifdef SPREAD
#define HOME(k) ((k) == 0 -> SLOTS : (k) % SLOTS)
#else
#define HOME(k) ((k) == 0 -> SLOTS : SLOTS - 1)
#endif
#define NEXT(s) (((s) + 1) % SLOTS)

#define INSERT 0
#define ASSIGN 1
#define ADD 2
#define ERASE 3
#define FIND 4
#define OPERATIONS 5

#define INSERTED 1
#define EXISTED 2
#define FAILED 3
#define ERASED 4
#define ABSENT 5
#define FOUND 6

#define BIT(i) (1 << (i))
#define OPERAND(i) BIT(i)
#define FIRST_VALUE(k) BIT(ITEMS + (k)-FIRST_KEY)

byte key[SLOTS + 1], value[SLOTS + 1];

/* What the items do: OPERATIONS * key + operation. Never falling: what is left out is the same with other names. */
byte job[ITEMS];
#define KEY_OF(i) (job[i] / OPERATIONS)
#define OP_OF(i) (job[i] % OPERATIONS)

/* ghosts */
byte spec[KEYS + 1];     /* the value that a key should have; 0: absent */
byte given[KEYS + 1];    /* bits that are meant for the key */
byte there = 0;          /* bit i: item i's key was live when it began (STALE: when the launch did) */
byte came = 0, gone = 0; /* bit i: item i's key has been inserted, erased since */
byte live = 0;           /* keys, by what the operations returned */
byte ended = 0;

/* ---------------------------------------------------------------- words */

#ifdef STALE
/* What values have been; `new`: the key was written since the launch. */
#define AGES (ITEMS + 1)
#define WAS(s, a) ((s)*AGES + (a))
byte age[SLOTS + 1], was[(SLOTS + 1) * AGES];
bool new[SLOTS + 1];

inline remember(s_)
{
    age[s_]++;
    was[WAS(s_, age[s_])] = value[s_]
}

/* a: how old it is */
inline load_value(s_, v_)
{
    a = age[s_];
    do
    :: a > 0 -> a--
    :: break
    od;
    v_ = was[WAS(s_, a)]
}

inline load_key(s_, k_)
{
    if
    :: k_ = key[s_]
    :: new[s_] -> k_ = 0
    fi
}
#else
inline remember(s_) { skip }
inline load_value(s_, v_) { v_ = value[s_] }
inline load_key(s_, k_) { k_ = key[s_] }
#endif

/* Packed: one word. */
inline load_pair(s_, k_, v_)
{
    load_value(s_, v_);
#if defined(STALE) && defined(SPLIT)
    load_key(s_, k_);
#elif defined(STALE)
    k_ = (a == 0 && new[s_] -> 0 : key[s_]);
#else
    k_ = key[s_];
#endif
    a = 0
}

/* The key cell gets its key. */
inline write_key(s_, k_)
{
    assert(key[s_] == 0); /* once */
    b = 0;
    do
    :: b < SLOTS -> assert(k_ == 0 || b == s_ || key[b] != k_); b++ /* once */
    :: else -> break
    od;
    b = 0;
#ifdef STALE
    new[s_] = (k_ != 0);
#endif
    key[s_] = k_
}

/* The set gets the items whose key this is. */
inline mark(set_, k_)
{
    b = 0;
    do
    :: b < ITEMS -> set_ = (KEY_OF(b) == k_ -> set_ | BIT(b) : set_); b++
    :: else -> break
    od;
    b = 0
}

/* The slot's value becomes v_, where the key's should become right_. */
inline write_value(s_, k_, v_, right_)
{
    value[s_] = v_;
    if
    :: spec[k_] == 0 && right_ != 0 -> mark(came, k_)
    :: spec[k_] != 0 && right_ == 0 -> mark(gone, k_)
    :: else -> skip
    fi;
    spec[k_] = right_;
    remember(s_);
    assert(key[s_] == k_ && value[s_] == spec[k_]) /* lost */
}

#define CHANGED(x) ((x) == 0 -> v : (op == INSERT -> (x) : (op == ASSIGN -> v : ((x) | v))))

/* ---------------------------------------------------------------- put */

#ifdef BUG_STEPS
#define COUNT_STEP skip
#else
#define COUNT_STEP step++
#endif

/* On to the next slot, or to an end. */
inline advance(end_)
{
    COUNT_STEP;
    looked++;
    if
    :: step == SLOTS -> what = end_
    :: else ->
        assert(looked < SLOTS); /* ends */
        slot = NEXT(slot)
    fi
}

#ifdef BUG_STORE
#define STILL(condition) true
#else
#define STILL(condition) (condition)
#endif

/* An exchange of the key's value, x when last seen, or the end. */
#define EXCHANGE(condition)                                                                  \
    if                                                                                       \
    :: x != 0 && CHANGED(x) == x -> what = EXISTED                                           \
    :: else ->                                                                               \
        if                                                                                   \
        :: STILL(condition) ->                                                               \
            c = CHANGED(x);                                                                  \
            d = CHANGED(spec[k]);                                                            \
            write_value(slot, k, c, d);                                                      \
            c = 0;                                                                           \
            d = 0;                                                                           \
            what = (x == 0 -> INSERTED : EXISTED)                                            \
        :: else -> seen = key[slot]; x = value[slot]                                         \
        fi                                                                                   \
    fi

#ifdef BUG_CLAIM
#define IS_FREE(condition) true
#else
#define IS_FREE(condition) (condition)
#endif

#ifdef SPLIT

/* gpi_hash_change */
inline put_value()
{
    do
    :: atomic { what == 0 -> EXCHANGE(value[slot] == x) }
    :: atomic { what != 0 -> break }
    od
}

inline claim()
{
    if
    :: IS_FREE(key[slot] == 0) -> write_key(slot, k); seen = k; claimed = true
#ifndef BUG_CHECK
    :: else -> seen = key[slot]
#else
    :: else -> seen = 255
#endif
    fi
}

#ifdef BUG_ORDER
#define PUT_EARLY                                                                            \
    atomic {                                                                                 \
        if                                                                                   \
        :: seen == 0 && k != 0 && value[slot] == 0 -> value[slot] = v; early = true          \
        :: else -> skip                                                                      \
        fi                                                                                   \
    };
#else
#define PUT_EARLY
#endif

inline put()
{
    do
    :: atomic { what != 0 -> break }
    :: atomic { what == 0 -> load_key(slot, seen); claimed = false; early = false };
       PUT_EARLY
       atomic {
           if
           :: seen == 0 && k != 0 -> claim()
           :: else -> skip
           fi
       };
       if
       :: atomic { seen == k && early ->
              c = value[slot];
              d = CHANGED(spec[k]);
              write_value(slot, k, c, d);
              c = 0;
              d = 0;
              what = INSERTED }
       :: atomic { seen == k && !early ->
              x = 0;
              if
              :: claimed -> skip
              :: else -> load_value(slot, x); a = 0
              fi };
          put_value()
#ifdef BUG_REUSE
       :: atomic { seen != k && value[slot] == 0 -> key[slot] = 0; write_key(slot, k); x = 0 };
          put_value()
#endif
       :: atomic { seen != k -> advance(FAILED) }
       fi
    od
}

#else /* packed */

inline claim()
{
    if
    :: IS_FREE(key[slot] == 0 && value[slot] == 0) ->
        write_key(slot, k);
        d = CHANGED(spec[k]);
        write_value(slot, k, v, d);
        d = 0;
        what = INSERTED
#ifdef BUG_CHECK
    :: else -> seen = 255; x = 0
#else
    :: else -> seen = key[slot]; x = value[slot]
#endif
    fi
}

#ifdef BUG_AGAIN
#define IS_OWN (seen == k && x != 0)
#else
#define IS_OWN (seen == k && !(seen == 0 && x == 0))
#endif

/* Each turn has one access. */
inline put()
{
    atomic { load_pair(slot, seen, x) };
    do
    :: atomic { what != 0 -> break }
    :: atomic { what == 0 ->
           if
           :: seen == 0 && x == 0 -> claim()
           :: IS_OWN -> EXCHANGE(key[slot] == k && value[slot] == x)
#ifdef BUG_REUSE
           :: seen != k && seen != 0 && x == 0 && key[slot] == seen && value[slot] == 0 ->
               key[slot] = 0;
               claim()
#endif
           :: !IS_OWN && !(seen == 0 && x == 0) ->
               advance(FAILED);
               if
               :: what == 0 -> load_pair(slot, seen, x)
               :: else -> skip
               fi
           fi }
    od
}
#endif

/* ---------------------------------------------------------------- find, erase */

#ifdef SPLIT
#define IS_EMPTY (seen == 0 && k != 0)
#else
#define IS_EMPTY (seen == 0 && x == 0 && k != 0)
#endif

/* To the key's slot; packed, with its value in x. */
inline probe()
{
    do
    :: atomic {
           load_pair(slot, seen, x);
           if
           :: seen == k -> break
           :: seen != k && IS_EMPTY -> what = ABSENT; break
           :: seen != k && !IS_EMPTY ->
               advance(ABSENT);
               if
               :: what != 0 -> break
               :: else -> skip
               fi
           fi }
    od
}

#ifdef SPLIT
/* A slot's value is loaded before its key or after it. */
inline find()
{
    do
    :: atomic { what != 0 -> break }
    :: atomic { what == 0 -> load_value(slot, x); a = 0 };
       atomic { load_key(slot, seen) };
       atomic {
           if
           :: seen == k ->
               if
               :: skip
               :: load_value(slot, x); a = 0
               fi;
               what = (x != 0 -> FOUND : ABSENT)
           :: seen != k && seen == 0 -> what = ABSENT
           :: seen != k && seen != 0 -> advance(ABSENT)
           fi }
    od
}
#else
inline find()
{
    probe();
    atomic { what = (what == 0 && x != 0 -> FOUND : ABSENT) }
}
#endif

#ifdef BUG_EMPTY
#define EMPTIED(s) key[s] = 0
#else
#define EMPTIED(s) skip
#endif

inline take_out()
{
    write_value(slot, k, 0, 0);
    EMPTIED(slot);
    what = ERASED
}

inline erase()
{
    probe();
    do
    :: atomic { what != 0 -> break }
#ifdef SPLIT
    :: atomic { what == 0 -> /* an exchange that cannot fail */
           if
           :: value[slot] == 0 -> what = ABSENT
           :: else -> take_out()
           fi }
#else
    :: atomic { what == 0 ->
           if
           :: x == 0 -> what = ABSENT
           :: x != 0 && STILL(key[slot] == k && value[slot] == x) -> take_out()
           :: x != 0 && !STILL(key[slot] == k && value[slot] == x) -> x = value[slot]
           fi }
#endif
    od
}

/* ---------------------------------------------------------------- lines */

#ifdef LINE
/* A find looks for erased keys only when it has not come to an end otherwise: packed, never here. */
#ifdef SPLIT
#define IS_HIT (seen == k)
#else
#define IS_HIT (seen == k && (x != 0 || op != FIND))
#endif

/* To the key's slot (hit, with its value), or else to the first empty one from home on; an end where there is
   neither. */
inline look(end_)
{
    round = 0;
    do
    :: atomic { hit = false; vacant = SLOTS; slot = SLOTS; lane = 0; value_of = 0 };
       do
       :: atomic { lane < SLOTS ->
              load_pair(lane, seen, x);
              slot = (IS_HIT -> lane : slot);
              value_of = (IS_HIT -> x : value_of);
              vacant = (IS_EMPTY && vacant == SLOTS && (round > 0 || lane >= HOME(k)) -> lane : vacant);
              lane++ }
       :: atomic { lane == SLOTS -> lane = 0; hit = (slot < SLOTS); seen = 0; x = 0; break }
       od;
       atomic {
           if
           :: hit -> vacant = 0; break
           :: !hit && vacant < SLOTS -> slot = vacant; vacant = 0; break
           :: !hit && vacant == SLOTS && round == 1 -> what = end_; break
           :: else -> round = 1
           fi }
    od
}

inline put_by_line()
{
    do
    :: atomic { what != 0 -> break }
    :: atomic { what == 0 -> skip };
       look(FAILED);
       if
       :: what != 0 -> skip
       :: what == 0 && hit -> put()
       :: what == 0 && !hit ->
           atomic { claimed = false; claim(); x = 0; seen = 0 };
#ifdef SPLIT
           if
           :: claimed -> put_value()
           :: else -> skip /* filled meanwhile */
           fi
#endif
       fi
    od
}

inline erase_by_line()
{
    look(ABSENT);
    if
    :: what == 0 && hit -> erase()
    :: else -> what = ABSENT
    fi
}

inline find_by_line()
{
    look(ABSENT);
    atomic { x = value_of; what = (hit && x != 0 -> FOUND : ABSENT) }
}
#endif

/* ---------------------------------------------------------------- items */

proctype item(byte i)
{
    byte op, k, v, slot, seen, x, what, step, looked, a, b, c, d, lane, vacant, round, value_of;
    bool claimed, early, hit;

    d_step {
        op = OP_OF(i);
        k = KEY_OF(i);
        v = OPERAND(i);
        slot = HOME(k);
#ifndef STALE
        there = (spec[k] != 0 -> there | BIT(i) : there & ~BIT(i));
        came = came & ~BIT(i);
        gone = gone & ~BIT(i)
#endif
    };
    if
#ifdef LINE
    :: op <= ADD && k != 0 -> put_by_line()
    :: op == ERASE && k != 0 -> erase_by_line()
    :: op == FIND && k != 0 -> find_by_line()
#else
    :: op <= ADD -> put()
    :: op == ERASE -> erase()
    :: op == FIND -> find()
#endif
    fi;
    atomic {
        if
        :: what == FOUND ->
            assert((x & ~given[k]) == 0);            /* own */
            assert(((there | came) & BIT(i)) != 0)   /* found */
        :: what == ABSENT -> assert(((there & ~gone) & BIT(i)) == 0) /* found */
        :: what == FAILED ->
            b = 0;
            do
            :: b < SLOTS -> assert(key[b] != 0 && key[b] != k); b++ /* full */
            :: else -> break
            od
        :: what == INSERTED -> live++
        :: what == ERASED -> live--
        :: else -> skip
        fi;
        op = 0; k = 0; v = 0; slot = 0; seen = 0; x = 0; what = 0; step = 0; looked = 0; a = 0; b = 0;
        vacant = 0; round = 0; value_of = 0; claimed = false; early = false; hit = false;
        ended++
    }
}

/* One key more, as an insertion alone would put it, then perhaps erased. */
inline furnish(k)
{
    s = HOME(k);
    do
    :: key[s] == 0 || k == 0 -> break
    :: else -> s = NEXT(s)
    od;
    key[s] = k;
    if
    :: value[s] = FIRST_VALUE(k); spec[k] = value[s]; live++
    :: skip
    fi;
#ifdef STALE
    was[WAS(s, 0)] = value[s]
#endif
}

init
{
    byte i, k, s, filled, count, low;
    atomic {
        do /* keys that are there already, in any order */
        :: break
        :: k = FIRST_KEY;
           do
           :: k < KEYS -> k++
           :: break
           od;
           if
           :: !(filled & BIT(k)) && (k == 0 || count < SLOTS) ->
               furnish(k);
               filled = filled | BIT(k);
               count = (k == 0 -> count : count + 1)
           :: else -> break
           fi
        od;
        k = FIRST_KEY;
        do
        :: k <= KEYS -> given[k] = FIRST_VALUE(k); k++
        :: else -> break
        od;
        low = OPERATIONS * FIRST_KEY;
        do /* jobs */
        :: i < ITEMS ->
            job[i] = low;
            do
            :: job[i] < OPERATIONS * (KEYS + 1) - 1 -> job[i]++
            :: break
            od;
            low = job[i];
            given[KEY_OF(i)] = given[KEY_OF(i)] | OPERAND(i);
            there = (spec[KEY_OF(i)] != 0 -> there | BIT(i) : there);
            i++
        :: else -> break
        od;
        i = 0; k = 0; s = 0; filled = 0; count = 0; low = 0;
        do
        :: i < ITEMS -> run item(i); i++
        :: else -> break
        od;
        i = 0
    };
    ended == ITEMS;
    d_step { /* lost: the table is what it should be */
        k = FIRST_KEY;
        do
        :: k <= KEYS ->
            count = count + (spec[k] != 0 -> 1 : 0);
            s = 0;
            do
            :: s < SLOTS && k != 0 && key[s] != k -> s++
            :: else -> break
            od;
            s = (k == 0 -> SLOTS : s);
            assert((s == SLOTS && k != 0 -> spec[k] == 0 : value[s] == spec[k]));
            k++
        :: else -> break
        od;
        assert(count == live)
    }
}
