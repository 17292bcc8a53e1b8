/* The translation unit that holds the implementation; c_two.c uses it. */
#define GP_IMPLEMENTATION
#include "gpuprim.h"
