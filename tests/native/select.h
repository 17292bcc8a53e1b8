/* select.h - uints picked by an expression, with their indices. Each prelude_select_NAME.h defines anew what is
   different there. */
#if GPI_SHAPE_SERIAL
#define GPI_LANES 16
#endif
#include "select/prelude.h"
#pragma clang diagnostic ignored "-Wmacro-redefined"
