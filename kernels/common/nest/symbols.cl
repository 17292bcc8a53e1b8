/* symbols.cl - computes the code of an input element, and the code's sign.

   For bytes both are in a table that is passed with the call, so that one program serves every table. If the bytes are
   codes themselves, the table is the identity. For other types an expression computes the code.

   Compilers for CPUs turn an expression with comparisons into jumps, which are mispredicted, and do not vectorize it. So on CPUs
   each item computes a byte's code when the byte first occurs, and keeps it. For a byte that does not occur the expression is not
   evaluated.

   Parameters
       GPI_SYMBOL       type of an input element
       GPI_TABLE        1: elements are uchar, and a table has their codes; 0: gpi_symbol_map(x, i) is the code
       GPI_MAP_BY_BYTE  used if GPI_TABLE is 0. 1: each byte's code is computed once, and kept (on CPUs, if it does not
                        depend on i) */
#ifndef GPI_NEST_SYMBOLS_CL
#define GPI_NEST_SYMBOLS_CL
#include "base/args.cl"
#include "base/count.cl"
#include "base/platform.cl"
#include "nest/constants.cl"
#include "nest/stack_monoid.cl"

#if !defined(GPI_SYMBOL) || !defined(GPI_TABLE)
#error "GPI_SYMBOL and GPI_TABLE must be defined"
#endif

/* The code and the sign of each symbol, as the host lays them out. The list is for comparing many symbols at once. */
typedef struct gpi_classes {
    char code[256], sign[256];
    uchar listed[GPI_LISTED_MAX];
    uchar openers;  /* number of openers in the list; they precede the closers */
    uchar count;    /* number of openers and closers in the list */
    uchar codes;    /* 1: there is no list, and symbols are codes */
    uchar compares; /* 1: there is a list, or symbols are codes; 0: the list would be too long */
} gpi_classes;

#define GPI_KNOWS_CODES (!GPI_TABLE && GPI_MAP_BY_BYTE)
#if GPI_KNOWS_CODES
/* The code of each byte that has occurred, and its sign as a GPI_KNOWN_... bit, or GPI_KNOWN_NOT for other bytes. The bit is at
   the position of the last of 16 elements, and gpi_block_known shifts it down for earlier elements. */
typedef struct gpi_known_codes {
    uint bits[256];
    int code[256];
} gpi_known_codes;

#define GPI_KNOWN_OPENS (1u << 15)
#define GPI_KNOWN_CLOSES (1u << 31)
#define GPI_KNOWN_NOT (GPI_KNOWN_OPENS | GPI_KNOWN_CLOSES)

#define GPI_KNOWN_SET(input)                                              \
    gpi_known_codes input##_codes;                                        \
    for (uint x = 0; x < 256; x++) input##_codes.bits[x] = GPI_KNOWN_NOT; \
    (input).known = &input##_codes;
#else
#define GPI_KNOWN_SET(input)
#endif

typedef struct gpi_symbol_input {
    __global const GPI_SYMBOL *symbols;
    __global const gpi_classes *classes; /* used if GPI_TABLE is 1 */
#if GPI_KNOWS_CODES
    gpi_known_codes *known;
#endif
    GPI_ARGS_MEMBER
} gpi_symbol_input;

#define GPI_SYMBOL_INPUT_PARAMETERS                                 \
    GPI_ARGS_PARAMETERS __global const GPI_SYMBOL *in, ulong in_at, \
        __global const gpi_classes *restrict classes, GPI_COUNT_PARAMETERS
#define GPI_SYMBOL_INPUT_SET(input) \
    gpi_symbol_input input;         \
    GPI_KNOWN_SET(input)            \
    GPI_ARGS_SET(input)             \
    (input).symbols = in + in_at;   \
    (input).classes = classes

#if GPI_TABLE
GPI_INLINE int gpi_code(gpi_symbol_input in, gpi_index i) { return in.classes->code[in.symbols[i]]; }
GPI_INLINE int gpi_sign(gpi_symbol_input in, gpi_index i) { return in.classes->sign[in.symbols[i]]; }
#elif GPI_KNOWS_CODES
/* Computes a symbol's code and keeps it. */
GPI_NOINLINE void gpi_symbol_learn(gpi_symbol_input in, GPI_SYMBOL x)
{
    const int code = gpi_symbol_map(GPI_ARGS_OF(in) x, 0);
    in.known->code[(uchar)x] = code;
    in.known->bits[(uchar)x] = code > 0 ? GPI_KNOWN_OPENS : code < 0 ? GPI_KNOWN_CLOSES : 0;
}

GPI_INLINE int gpi_code(gpi_symbol_input in, gpi_index i)
{
    const GPI_SYMBOL x = in.symbols[i];
    if (GPI_RARELY(in.known->bits[(uchar)x] == GPI_KNOWN_NOT)) gpi_symbol_learn(in, x);
    return in.known->code[(uchar)x];
}
GPI_INLINE int gpi_sign(gpi_symbol_input in, gpi_index i) { return clamp(gpi_code(in, i), -1, 1); }
#else
GPI_INLINE int gpi_code(gpi_symbol_input in, gpi_index i)
{
    return gpi_symbol_map(GPI_ARGS_OF(in) in.symbols[i], i);
}
GPI_INLINE int gpi_sign(gpi_symbol_input in, gpi_index i) { return clamp(gpi_code(in, i), -1, 1); }
#endif
#endif
