/* prelude.h - example values of the parameters of scan/, with which a file there compiles alone: a sum of uints. */
#include "element/prelude.h"
#undef GPI_FIELD
