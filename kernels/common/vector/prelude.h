/* prelude.h - lets a file of vector/ compile alone. It needs only the example values of base/prelude.h. */
#include "base/prelude.h"
