/* symbols.cl - an input element's code, and the code's sign.

   Bytes find both in a table that comes with the call, so that one program serves every table. Codes of one
   byte are bytes whose table is the identity. For other types an expression gives the code.

   Parameters
       GPI_SYMBOL       type of an input element
       GPI_TABLE        1: uchar, with a table; 0: the code of element i, which is x, is
       gpi_symbol_map(x, i)                                                                              */
#ifndef GPI_NEST_SYMBOLS_CL
#define GPI_NEST_SYMBOLS_CL
#include "base/args.cl"
#include "base/count.cl"
#include "base/platform.cl"
#include "nest/stack_monoid.cl"

#if !defined(GPI_SYMBOL) || !defined(GPI_TABLE)
#error "GPI_SYMBOL and GPI_TABLE must be defined"
#endif

#define GPI_LISTED_MAX 12

/* What a table says of each symbol, as the host lays it out. The list is for comparing many symbols at once. */
typedef struct gpi_classes {
    char code[256], sign[256];
    uchar listed[GPI_LISTED_MAX];
    uchar openers;  /* of the list, which come first */
    uchar count;    /* of the list, with the closers */
    uchar codes;    /* 1: no list; symbols are codes */
    uchar compares; /* 1: a list, or codes; 0: the list would be too long */
} gpi_classes;

typedef struct gpi_symbol_input {
    __global const GPI_SYMBOL *symbols;
    __global const gpi_classes *classes; /* GPI_TABLE */
    GPI_ARGS_MEMBER
} gpi_symbol_input;

#define GPI_SYMBOL_INPUT_PARAMETERS                                 \
    GPI_ARGS_PARAMETERS __global const GPI_SYMBOL *in, ulong in_at, \
        __global const gpi_classes *restrict classes, GPI_COUNT_PARAMETERS
#define GPI_SYMBOL_INPUT gpi_input_make(GPI_ARGS_HERE in + in_at, classes)

static gpi_symbol_input gpi_input_make(GPI_ARGS_PARAMETER __global const GPI_SYMBOL *symbols,
                                       __global const gpi_classes *classes)
{
    gpi_symbol_input in;
    in.symbols = symbols;
    in.classes = classes;
#if GPI_ARGS
    in.args = args;
#endif
    return in;
}

#if GPI_TABLE
GPI_INLINE int gpi_code(gpi_symbol_input in, gpi_index i) { return in.classes->code[in.symbols[i]]; }
GPI_INLINE int gpi_sign(gpi_symbol_input in, gpi_index i) { return in.classes->sign[in.symbols[i]]; }
#else
GPI_INLINE int gpi_code(gpi_symbol_input in, gpi_index i)
{
    return gpi_symbol_map(GPI_ARGS_OF(in) in.symbols[i], i);
}
GPI_INLINE int gpi_sign(gpi_symbol_input in, gpi_index i) { return clamp(gpi_code(in, i), -1, 1); }
#endif
#endif
