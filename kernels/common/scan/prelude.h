/* prelude.h - example of a scan's prelude: the sum of uints. */
#include "element/prelude.h"
#undef GPI_FIELD
