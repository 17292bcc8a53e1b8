/* The macros of all of <windows.h> before the implementation. */
#include <windows.h>
#define GP_IMPLEMENTATION
#include "gpuprim.h"

int main(void) { return gp_error_string(GP_ERROR_BUILD) != NULL ? 0 : 1; }
