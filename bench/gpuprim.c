/* gpuprim.c - the library's implementation for gpbench, compiled apart so that it is built once. */
#define GP_IMPLEMENTATION
#include "../gpuprim.h"
