/* A program that has already included OpenCL's headers, of another version. */
#define CL_TARGET_OPENCL_VERSION 300
#ifdef __APPLE__
#include <OpenCL/opencl.h>
#else
#include <CL/cl.h>
#endif

#define GP_IMPLEMENTATION
#include "gpuprim.h"

int main(void) { return gp_error_string(GP_ERROR_OPENCL) != NULL ? 0 : 1; }
