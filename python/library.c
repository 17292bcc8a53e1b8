#define GP_IMPLEMENTATION
#include "gpuprim.h"
