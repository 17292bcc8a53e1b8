/* input.cl - loads input elements, maps them, and finds the heads of segments.

   All files that include this one count elements in the order of the call: element i is at position
   gpi_position(i), which differs from i if GPI_REVERSE is 1.

   The prelude defines:
       GPI_IN, GPI_IN2          types of the inputs in memory; GPI_INPUTS: their number, 0 (a map of indices) to 2
       GPI_IN_RECORD            1: GPI_IN is the caller's own type, which has no vectors
       GPI_PARTS_IN, GPI_PART_IN   if defined, GPI_IN is a vector of GPI_PARTS_IN (2 or 4) elements of type GPI_PART_IN
       GPI_IN_HALF, GPI_IN2_HALF   1: GPI_IN, or GPI_IN2, is half, and expressions convert it to float
       GPI_Y                    type of the values that are combined: input elements, or results of the map
       GPI_MAPPED               1: the operand is gpi_map(x, i) or gpi_map(x, y, i), the user's expression
       GPI_OUT                  type of results in memory; GPI_OUT_HALF 1: half
       GPI_HEADS                0: no segments; 1: segments begin where a flag is set; 2: where the key changes; 3: where
                                gpi_equal(GPI_KEY_OF(x), GPI_KEY_OF(y)) is 0 for a key and the key before it
       GPI_HEADS_TYPE           type of flags or keys in memory; GPI_HEADS_SIZE its size in bytes
       GPI_KEYED                1: on GPUs, tiles have keys beside values (scan/tile_keyed.cl)                 */
#ifndef GPI_ELEMENT_INPUT_CL
#define GPI_ELEMENT_INPUT_CL
#include "base/args.cl"
#include "base/arrays.cl"
#include "base/count.cl"
#include "base/parts.cl"
#include "base/paste.cl"
#include "base/platform.cl"
#include "element/monoid.cl"
#include "element/ops.cl"

/* The input's arrays (base/arrays.cl). */
#if GPI_INPUTS == 0
#define GPI_INPUT_ARRAYS_IN(use, to)
#elif GPI_INPUTS == 1
#define GPI_INPUT_ARRAYS_IN(use, to) use(to, GPI_IN, in)
#else
#define GPI_INPUT_ARRAYS_IN(use, to) use(to, GPI_IN, in) use(to, GPI_IN2, in2)
#endif
#if GPI_HEADS
#define GPI_INPUT_ARRAYS(use, to) GPI_INPUT_ARRAYS_IN(use, to) use(to, GPI_HEADS_TYPE, heads)
#else
#define GPI_INPUT_ARRAYS(use, to) GPI_INPUT_ARRAYS_IN(use, to)
#endif

/* An input. It is small enough to be passed by value to every function. */
typedef struct gpi_input {
    GPI_INPUT_ARRAYS(GPI_ARRAY_MEMBER, _)
    GPI_ARGS_MEMBER
    ulong count;
} gpi_input;

/* The parameters of a kernel that reads an input, and a macro that makes a gpi_input of them. */
#define GPI_INPUT_PARAMETERS GPI_ARGS_PARAMETERS GPI_INPUT_ARRAYS(GPI_ARRAY_PARAMETER, _) GPI_COUNT_PARAMETERS
#define GPI_INPUT_SET(input)               \
    GPI_ARGS_SET(input)                    \
    GPI_INPUT_ARRAYS(GPI_ARRAY_SET, input) \
    (input).count = gpi_count(bound, wanted, wanted_offset, wanted_words)

static ulong gpi_position(gpi_input input, ulong i) { return GPI_REVERSE ? input.count - 1 - i : i; }

#if GPI_IN_HALF
#define GPI_READ_IN(p, i) vload_half(i, p)
#elif defined(GPI_PARTS_IN)
#define GPI_READ_IN(p, i) GPI_READ_PARTS(GPI_IN, GPI_PARTS_IN, GPI_PART_IN, p, i)
#else
#define GPI_READ_IN(p, i) (p)[i]
#endif
#if GPI_IN2_HALF
#define GPI_READ_IN2(p, i) vload_half(i, p)
#else
#define GPI_READ_IN2(p, i) (p)[i]
#endif

/* Returns the input element at `position`, mapped. */
static GPI_Y gpi_read(gpi_input input, ulong position)
{
#if GPI_MAPPED && GPI_INPUTS == 2
    return gpi_map(GPI_ARGS_OF(input) GPI_READ_IN(input.in, position), GPI_READ_IN2(input.in2, position),
                   position);
#elif GPI_INPUTS == 0
    return gpi_map(GPI_ARGS_OF(input) position);
#elif GPI_MAPPED
    return gpi_map(GPI_ARGS_OF(input) GPI_READ_IN(input.in, position), position);
#else
    return GPI_READ_IN(input.in, position);
#endif
}

#if GPI_HEADS == 2
#define GPI_KEYS_DIFFER(input, x, before) ((x) != (before))
#elif GPI_HEADS == 3
#define GPI_KEYS_DIFFER(input, x, before) \
    (gpi_equal(GPI_ARGS_OF(input) GPI_KEY_OF(x), GPI_KEY_OF(before)) == 0)
#endif

#if GPI_HEADS
/* Returns whether element i begins a segment. Element 0 always does. */
static GPI_HEAD gpi_is_head(gpi_input input, ulong i)
{
    const ulong position = gpi_position(input, i);
    if (i == 0) return 1;
#if GPI_HEADS == 1
    return input.heads[position + GPI_REVERSE] != 0;
#else
    return GPI_KEYS_DIFFER(input, input.heads[position], input.heads[position + 2 * GPI_REVERSE - 1]);
#endif
}
#endif

/* Returns element i. */
static GPI_T gpi_load(gpi_input input, ulong i)
{
    const ulong position = gpi_position(input, i);
#if GPI_MAPS
    return gpi_row_element(GPI_ARGS_OF(input) gpi_read(input, position));
#elif GPI_HEADS
    GPI_T x;
    x.value = GPI_BASE_MAKE(gpi_read(input, position), position);
    x.head = gpi_is_head(input, i);
    return x;
#else
    return GPI_BASE_MAKE(gpi_read(input, position), position);
#endif
}

/* The type in which elements of tiles are loaded. With GPI_KEYED, values are loaded without heads (scan/tile_keyed.cl). */
#if GPI_KEYED
#define GPI_LOADED GPI_BASE
static GPI_BASE gpi_value_load(gpi_input input, ulong i)
{
    const ulong position = gpi_position(input, i);
    return GPI_BASE_MAKE(gpi_read(input, position), position);
}
#else
#define GPI_LOADED GPI_T
#endif

#if GPI_OUT_HALF
#define GPI_WRITE(out, i, x) vstore_half(x, i, out)
#else
#define GPI_WRITE(out, i, x) (out)[i] = x
#endif
#endif
