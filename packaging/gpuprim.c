/* The shared library: all of gpuprim.h, exported. */
#define GP_SHARED
#define GP_IMPLEMENTATION
#include "gpuprim.h"
