/* prelude.h - the sum of uints. */
#include "element/prelude.h"
#undef GPI_FIELD
