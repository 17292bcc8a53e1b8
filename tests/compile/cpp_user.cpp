// How C++ fills a descriptor: it has no designated initialisers before C++20 and no address of a temporary.
#include "gpuprim.h"

gp_result running_sums(gp_context *gp, cl_mem a, cl_mem b, size_t n)
{
    gp_scan_desc d = {};
    d.in = a;
    d.out = b;
    d.count = n;
    d.type = GP_U32;
    d.op = GP_SUM;
    return gp_scan(gp, &d);
}

int main() { return gp_error_string(GP_OK) != nullptr ? 0 : 1; }
