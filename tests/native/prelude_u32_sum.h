/* Sums of 32-bit integers, in vectors. */
#include "element.h"
