/* decoded.cl - the arrays of a run-length decoding.

   Parameters, which the prelude defines
       GPI_WG, GPI_PER_ITEM     items of a group; on GPUs: elements of an item
       GPI_ELEMENT              type of a key: any of 1, 2, 4, 8 or 16 bytes
       GPI_OFFSET, GPI_RUN_INDEX    type of an offset; type of a run's number and of a position: uint or ulong
       GPI_WANTS_KEYS, GPI_WANTS_RUNS, GPI_WANTS_POSITIONS     1: the output is wanted, else 0             */
#ifndef GPI_SELECT_DECODED_CL
#define GPI_SELECT_DECODED_CL
#include "base/platform.cl"

#if !(GPI_WANTS_KEYS + GPI_WANTS_RUNS + GPI_WANTS_POSITIONS)
#error "no output is wanted"
#endif

/* GPI_DECODED(use) is use(type, name, x, more) for each output. Element `first + i` of the output, in run r, is x +
   more. */
#if GPI_WANTS_KEYS
#define GPI_DECODED_KEYS(use) use(GPI_ELEMENT, key, d.in[r], 0)
#else
#define GPI_DECODED_KEYS(use)
#endif
#if GPI_WANTS_RUNS
#define GPI_DECODED_RUNS(use) use(GPI_RUN_INDEX, run, r, 0)
#else
#define GPI_DECODED_RUNS(use)
#endif
#if GPI_WANTS_POSITIONS
#define GPI_DECODED_POSITIONS(use) use(GPI_RUN_INDEX, position, first - d.offsets[r], i)
#else
#define GPI_DECODED_POSITIONS(use)
#endif
#define GPI_DECODED(use) GPI_DECODED_KEYS(use) GPI_DECODED_RUNS(use) GPI_DECODED_POSITIONS(use)

#define GPI_DECODED_MEMBER(type, name, x, more) __global type *name;
typedef struct gpi_decoded {
    __global const GPI_OFFSET *offsets; /* runs + 1 offsets */
    __global const GPI_ELEMENT *in;
    GPI_DECODED(GPI_DECODED_MEMBER)
    ulong runs, count; /* only positions below `count` are written */
} gpi_decoded;

/* Returns the last run in [low, high) that begins at position p or before, or `low` if there is none. */
static ulong gpi_run_find(gpi_decoded d, ulong low, ulong high, ulong p)
{
    while (high - low > 1) {
        const ulong middle = low + (high - low) / 2;
        if (d.offsets[middle] <= p) low = middle;
        else high = middle;
    }
    return low;
}
#endif
