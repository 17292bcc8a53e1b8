/* map.cl - out[i] = f(x[i], y[i], z[i], i)

   f is gpi_map, the user's expression or one of the library's: a fill is f = a, an iota f = a + i b. With GPI_LAG the
   second input lags by one element, and the first output is x[0]:

       x   | x0 | x1 | x2 | x3 |        out   | x0 | f(x1, x0) | f(x2, x1) | f(x3, x2) |

   If the call is in place, the output is one of the inputs. Each element is read only by the item that writes it, before
   it writes. The input that lags is never the output.

   Parameters: those of map/operands.cl. */
#ifndef GPI_MAP_MAP_CL
#define GPI_MAP_MAP_CL
#include "base/args.cl"
#include "base/arrays.cl"
#include "base/count.cl"
#include "base/platform.cl"
#include "map/map_tile.cl"
#include "map/operands.cl"

GPI_KERNEL void gp_map_tiles(GPI_ARGS_PARAMETERS GPI_OPERAND_ARRAYS(GPI_ARRAY_PARAMETER, _)
                                 __global GPI_OUT *out,
                             ulong out_offset, ulong a, ulong b, ulong span, GPI_COUNT_PARAMETERS,
                             volatile __global uint *counters)
{
    const ulong n = gpi_count(bound, wanted, wanted_offset, wanted_words);
    const ulong first = get_group_id(0) * span;
    gpi_inputs in;
    GPI_ARGS_SET(in)
    GPI_OPERAND_ARRAYS(GPI_ARRAY_SET, in)
    in.a = a;
    in.b = b;
    GPI_COUNT_CHECK(get_group_id(0) == 0, counters);
    if (first < n) gpi_map_tile(in, out + out_offset, first, min(n, first + span));
}
#endif
