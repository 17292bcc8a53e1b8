/* element.h - sums of uints, in vectors. Each prelude_NAME.h defines anew what is different there. */
#ifndef GPI_LANES
#define GPI_LANES 16
#endif
#include "scan/prelude.h"
#pragma clang diagnostic ignored "-Wmacro-redefined"
