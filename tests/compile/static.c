/* An implementation that stays inside this file. Most of it is not called: that must not warn. */
#define GP_STATIC
#define GP_IMPLEMENTATION
#include "gpuprim.h"
#include "gpuprim.h"

int main(void) { return gp_error_string(GP_ERROR_BUILD) != NULL ? 0 : 1; }
