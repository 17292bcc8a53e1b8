/* prelude.h - the operations of a CPU's vectors need nothing beside base/prelude.h. */
#include "base/prelude.h"
