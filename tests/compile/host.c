/* gpuprim_host.h: with GP_STATIC both implementations in this file; else that of gpuprim.h is in c_one.c. */
#ifdef _WIN32
#include <windows.h>
#endif
#ifdef GP_STATIC
#define GP_IMPLEMENTATION
#endif
#define GP_HOST_IMPLEMENTATION
#include "gpuprim_host.h"
#include "gpuprim_host.h"

int main(void)
{
    static gp_host_scan_desc scan; /* all zeros, in C and in C++ */
    return gp_host_scan(NULL, &scan) == GP_ERROR_INVALID_ARGUMENT ? 0 : 1;
}
