/* A user of gpuprim in another translation unit than the implementation. Includes twice, as headers do. */
#include "gpuprim.h"
#include "gpuprim.h"

/* OpenCL 1.2's way to make a queue is no reason to warn, of whichever version the headers are. */
cl_command_queue queue_of(cl_context context, cl_device_id device)
{
    return clCreateCommandQueue(context, device, 0, NULL);
}

int main(void)
{
    static gp_scan_desc scan; /* all zeros, in C and in C++ */
    scan.type = GP_U32;
    scan.op = GP_SUM;
    return gp_error_string(GP_OK) != NULL && scan.count == 0 ? 0 : 1;
}
