/* range.cl - loops of a group over a range in global memory. Neighbouring items access neighbouring elements. The variable `i`
   initially has the index of this item's first element.

       GPI_EACH_BATCH(i, n, end) ...    handles n elements in each iteration: i, i + GPI_WG, ..., while all are
                                        before `end`
       GPI_EACH_LEFT(i, end) ...        then handles one element in each iteration: those that fill no batch */
#ifndef GPI_GROUP_RANGE_CL
#define GPI_GROUP_RANGE_CL
#include "base/platform.cl"

#define GPI_EACH_BATCH(i, n, end) for (; (i) + ((n)-1) * GPI_WG < (end); (i) += (n)*GPI_WG)
#define GPI_EACH_LEFT(i, end) for (; (i) < (end); (i) += GPI_WG)
#endif
