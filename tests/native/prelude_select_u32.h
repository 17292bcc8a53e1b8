/* Elements of 32 bits picked by an expression, with their indices. */
#include "select.h"
