/* exchange.cl - cells of local memory through which a group's items exchange elements (CUB: BlockExchange). After every 32
   cells, one cell is unused, so that strided, blocked and scattered accesses meet fewer bank conflicts.

       GPI_PADDED(i)                      the cell of element i
       GPI_PADDED_BACK(c)                 the element whose cell is c
       GPI_PADDED_AT(array, i, step, j)   the cell of element i + j * step in an array of cells. The addresses for all j differ
                                          by constants if `step` is a multiple of 32                          */
#ifndef GPI_GROUP_EXCHANGE_CL
#define GPI_GROUP_EXCHANGE_CL
#define GPI_PADDED(i) ((i) + (i) / 32)
#define GPI_PADDED_BACK(c) ((c) - (c) / 33)
#define GPI_PADDED_AT(array, i, step, j) \
    ((array) + GPI_PADDED((step) % 32 ? (i) + (j) * (step) : (i)))[(step) % 32 ? 0 : (j)*GPI_PADDED(step)]
#endif
