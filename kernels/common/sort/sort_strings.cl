/* sort_strings.cl - sorts strings by their first bytes, then tied strings by their next bytes, until no strings are
   tied.

       key(i, d) = | byte d | ... | byte d + 6 | min(bytes from d on, 8) |      of string i, 64 bits

   In a key, bytes after the string's end are zero, and the number in the last byte distinguishes them from zeros in the
   string: so keys are ordered as the strings are. Equal keys mean equal strings, unless the number is 8: such strings
   are tied, and enter the next round. Tied strings with equal keys form a group.

       gp_strings_keys_first   computes key(i, 0) of all strings
                               gp_argsort sorts all keys
       gp_strings_ties         writes the order, and flags tied strings and the first string of each group
                               a scan sums up the flags
       gp_strings_compact      moves the tied strings together
       gp_strings_skip         finds how many further bytes all strings of a group have in common
       gp_strings_keys         computes key(i, d) after these bytes
                               gp_segmented_sort sorts each group; repeat from gp_strings_ties until no string is tied

   gp_strings_skip compares at most `cap` bytes of a group's strings. The cap is 64 bytes at first. It doubles, up to 65536, each
   time that all compared bytes agree, and otherwise falls back to 64. Therefore, long equal strings take one round per doubling
   and then one per 64 KiB, and of strings that differ early only the first bytes are read.

   A set holds a round's tied strings (index, place, owner) and their groups (offsets, and a gpi_strings_group each). Two sets
   alternate. Each part of a set has `room` uints, but the last part has as many uints as the groups need:

       | index: which string | place: where in the order | owner: its group | offsets: where groups begin | groups |

   State, in uints:

       | bad | ~first bad | tied | groups | strings | - - - | */
#ifndef GPI_SORT_SORT_STRINGS_CL
#define GPI_SORT_SORT_STRINGS_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "sort/constants.cl"

#define GPI_PREFIX 7 /* bytes of a string in a key */
#define GPI_MORE 8   /* the last byte of a key if the string has more bytes than the key */
#define GPI_CAP_FIRST 64
#define GPI_CAP_MOST \
    65536 /* at eight bytes per iteration, this is far below llvmpipe's limit of 65,535 iterations */

/* A group of strings that agree in their first `depth` bytes and in the next `skip` bytes. `skip` is at most `cap`. */
typedef struct gpi_strings_group {
    ulong depth;
    uint cap, skip;
} gpi_strings_group;

typedef struct gpi_set {
    __global uint *index, *place, *owner, *offsets;
    __global gpi_strings_group *groups;
} gpi_set;

static gpi_set gpi_set_at(__global uint *set, ulong room)
{
    gpi_set s;
    s.index = set;
    s.place = set + room;
    s.owner = set + 2 * room;
    s.offsets = set + 3 * room;
    s.groups = (__global gpi_strings_group *)(set + 4 * room);
    return s;
}

/* The arrays that the host has laid out after the state. */
typedef struct gpi_round {
    volatile __global uint *state;
    __global ulong *keys, *flags;
    gpi_set from, to;
} gpi_round;

#define GPI_ROUND_PARAMETERS \
    __global uint *state, ulong room, ulong keys_at, ulong flags_at, ulong from_at, ulong to_at
#define GPI_ROUND_SET(round)                              \
    (round).state = state;                                \
    (round).keys = (__global ulong *)(state + keys_at);   \
    (round).flags = (__global ulong *)(state + flags_at); \
    (round).from = gpi_set_at(state + from_at, room);     \
    (round).to = gpi_set_at(state + to_at, room)

/* Loops over the elements i < end of this item; a work-group has `span` elements. */
#define GPI_EACH_IN_SPAN(i, span, end)                    \
    for (ulong i = (span)*get_group_id(0) + GPI_LOCAL_ID; \
         i < min((ulong)(end), (span) * (get_group_id(0) + 1)); i += GPI_WG)

/* ------------------------------------------------------------------ strings */

typedef struct gpi_text {
    __global const uchar *bytes;
    ulong byte_count;
    __global const uint *offsets;
    ulong offsets_at;
    uint offset_words;
} gpi_text;

#define GPI_TEXT_PARAMETERS                                                                      \
    __global const uchar *bytes, ulong bytes_at, ulong byte_count, __global const uint *offsets, \
        ulong offsets_at, uint offset_words
#define GPI_TEXT_SET(text)           \
    (text).bytes = bytes + bytes_at; \
    (text).byte_count = byte_count;  \
    (text).offsets = offsets;        \
    (text).offsets_at = offsets_at;  \
    (text).offset_words = offset_words

typedef struct gpi_string {
    __global const uchar *at;
    ulong length;
    uint bad; /* 1: the string's offsets are bad, and it counts as empty */
} gpi_string;

static gpi_string gpi_string_find(gpi_text text, ulong i)
{
    const ulong begin = gpi_number(text.offsets, text.offsets_at + i, text.offset_words);
    const ulong end = gpi_number(text.offsets, text.offsets_at + i + 1, text.offset_words);
    gpi_string s;
    s.bad = begin > end || end > text.byte_count;
    s.at = text.bytes + (s.bad ? 0 : begin);
    s.length = s.bad ? 0 : end - begin;
    return s;
}

static ulong gpi_string_key(gpi_string s, ulong depth)
{
    const ulong left = s.length - depth;
    ulong key = min(left, (ulong)GPI_MORE);
    for (uint k = 0; k < GPI_PREFIX && k < left; k++) key |= (ulong)s.at[depth + k] << (56 - 8 * k);
    return key;
}

/* Returns the length of the common prefix of strings a and b from byte `depth` on, at most `cap`. */
static uint gpi_strings_common(gpi_string a, gpi_string b, ulong depth, uint cap)
{
    const uint most = (uint)min(min(a.length, b.length) - depth, (ulong)cap);
    uint k = 0;
    while (k + 8 <= most && as_ulong(vload8(0, a.at + depth + k)) == as_ulong(vload8(0, b.at + depth + k)))
        k += 8;
    while (k < most && a.at[depth + k] == b.at[depth + k]) k++;
    return k;
}

/* ------------------------------------------------------------------ rounds */

/* Writes key(i, 0) of all strings i, and counts strings whose offsets are bad. */
GPI_KERNEL void gp_strings_keys_first(GPI_ROUND_PARAMETERS, GPI_TEXT_PARAMETERS, ulong span,
                                      GPI_COUNT_PARAMETERS, volatile __global uint *counters)
{
    const ulong n = gpi_count(bound, wanted, wanted_offset, wanted_words);
    gpi_round round;
    gpi_text text;
    GPI_ROUND_SET(round);
    GPI_TEXT_SET(text);
    GPI_COUNT_CHECK(get_group_id(0) == 0, counters);
    if (get_global_id(0) == 0) state[GPI_STRINGS_COUNT] = (uint)n;
    GPI_EACH_IN_SPAN(i, span, n) {
        const gpi_string s = gpi_string_find(text, i);
        round.keys[i] = gpi_string_key(s, 0);
        if (s.bad && atomic_inc(round.state + GPI_STRINGS_BAD) == 0)
            (void)atomic_inc(counters + GPI_COUNT_BAD);
        if (s.bad) (void)atomic_max(round.state + GPI_STRINGS_FIRST_BAD, ~(uint)i);
    }
}

/* Returns whether sorted elements j and j + 1 are tied: they are in one group, and have equal keys that end in
   GPI_MORE. */
static bool gpi_strings_tied(gpi_round round, ulong j, uint first)
{
    const ulong key = round.keys[j];
    return key == round.keys[j + 1] && (key & 255) == GPI_MORE &&
           (first || round.from.owner[j] == round.from.owner[j + 1]);
}

/* Writes the order of `many` sorted elements (of all strings, if `first`), and their flags: 1 if the element is tied, plus 2^32
   if it is the first of a group. The flag after the last element is 0. The scan replaces it by the totals. */
GPI_KERNEL void gp_strings_ties(GPI_ROUND_PARAMETERS, ulong many, uint first, ulong span, __global uint *out,
                                ulong out_at, uint out_words)
{
    const ulong n = first ? state[GPI_STRINGS_COUNT] : many;
    gpi_round round;
    GPI_ROUND_SET(round);
    GPI_EACH_IN_SPAN(j, span, many + 1) {
        const bool below = j > 0 && j < n && gpi_strings_tied(round, j - 1, first);
        const bool above = j + 1 < n && gpi_strings_tied(round, j, first);
        round.flags[j] = (ulong)(above && !below) << 32 | (ulong)(below || above);
        if (j < n) {
            __global uint *to = out + (out_at + (first ? j : round.from.place[j])) * out_words;
            to[0] = round.from.index[j];
            if (out_words == 2) to[1] = 0;
        }
    }
}

/* Returns the group that strings of group `old` form in the next round. */
static gpi_strings_group gpi_group_after(gpi_strings_group old)
{
    gpi_strings_group g;
    g.depth = old.depth + old.skip + GPI_PREFIX;
    g.cap = old.skip == old.cap ? min(2 * old.cap, (uint)GPI_CAP_MOST) : GPI_CAP_FIRST;
    g.skip = g.cap;
    return g;
}

/* Moves the tied elements to the other set. The scan has replaced each flag by the sum of all flags before it. */
GPI_KERNEL void gp_strings_compact(GPI_ROUND_PARAMETERS, ulong many, uint first, ulong span)
{
    gpi_round round;
    GPI_ROUND_SET(round);
    GPI_EACH_IN_SPAN(j, span, many) {
        const ulong x = round.flags[j], y = round.flags[j + 1];
        const uint k = (uint)x, groups = (uint)(y >> 32);
        if ((uint)y != k) {
            round.to.index[k] = round.from.index[j];
            round.to.place[k] = first ? (uint)j : round.from.place[j];
            round.to.owner[k] = groups - 1;
        }
        if (groups != (uint)(x >> 32)) {
            gpi_strings_group old = {0, 1, 0}; /* all strings, before gp_strings_skip has compared any */
            if (!first) old = round.from.groups[round.from.owner[j]];
            round.to.groups[groups - 1] = gpi_group_after(old);
            round.to.offsets[groups - 1] = k;
        }
        if (j + 1 == many) {
            round.state[GPI_STRINGS_TIED] = (uint)y;
            round.state[GPI_STRINGS_GROUPS] = groups;
            round.to.offsets[groups] = (uint)y;
        }
    }
}

/* Prefetches for later elements: the offsets of the string at j + 2 * GPI_STRINGS_AHEAD, and the bytes of the string at
   j + GPI_STRINGS_AHEAD. */
#define GPI_STRINGS_AHEAD 16
static void gpi_strings_fetch(gpi_round round, gpi_text text, ulong j, ulong many)
{
#if GPI_ON_CPU
    const ulong near = j + GPI_STRINGS_AHEAD, far = near + GPI_STRINGS_AHEAD;
    if (far >= many) return;
    GPI_PREFETCH_READ(text.offsets + (text.offsets_at + round.from.index[far]) * text.offset_words);
    GPI_PREFETCH_READ(gpi_string_find(text, round.from.index[near]).at +
                      round.from.groups[round.from.owner[near]].depth);
#endif
}

/* Finds how many bytes all strings of a group have in common: the minimum over all pairs of neighbours. */
GPI_KERNEL void gp_strings_skip(GPI_ROUND_PARAMETERS, GPI_TEXT_PARAMETERS, ulong many, ulong span)
{
    gpi_round round;
    gpi_text text;
    GPI_ROUND_SET(round);
    GPI_TEXT_SET(text);
    GPI_EACH_IN_SPAN(j, span, many) {
        const uint owner = round.from.owner[j];
        gpi_strings_fetch(round, text, j, many);
        if (j > 0 && round.from.owner[j - 1] == owner) {
            __global gpi_strings_group *g = round.from.groups + owner;
            const uint cap = g->cap;
            const uint common = gpi_strings_common(gpi_string_find(text, round.from.index[j - 1]),
                                                   gpi_string_find(text, round.from.index[j]), g->depth, cap);
            if (common < cap) (void)atomic_min(&g->skip, common);
        }
    }
}

GPI_KERNEL void gp_strings_keys(GPI_ROUND_PARAMETERS, GPI_TEXT_PARAMETERS, ulong many, ulong span)
{
    gpi_round round;
    gpi_text text;
    GPI_ROUND_SET(round);
    GPI_TEXT_SET(text);
    GPI_EACH_IN_SPAN(j, span, many) {
        const gpi_strings_group g = round.from.groups[round.from.owner[j]];
        gpi_strings_fetch(round, text, j, many);
        round.keys[j] = gpi_string_key(gpi_string_find(text, round.from.index[j]), g.depth + g.skip);
    }
}
#endif
