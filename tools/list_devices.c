/* Lists OpenCL devices, one "platform: device" a line. Exit status 0 when there is one. */
#define CL_TARGET_OPENCL_VERSION 120
#include <stdio.h>
#ifdef __APPLE__
#include <OpenCL/opencl.h>
#else
#include <CL/cl.h>
#endif

enum { MAX_PLATFORMS = 32, MAX_DEVICES = 64, MAX_NAME = 256 };

static int list_platform(cl_platform_id platform)
{
    char platform_name[MAX_NAME] = "?";
    cl_device_id devices[MAX_DEVICES];
    cl_uint count = 0;
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof platform_name, platform_name, NULL);
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MAX_DEVICES, devices, &count) != CL_SUCCESS) return 0;
    for (cl_uint d = 0; d < count && d < MAX_DEVICES; d++) {
        char device_name[MAX_NAME] = "?";
        clGetDeviceInfo(devices[d], CL_DEVICE_NAME, sizeof device_name, device_name, NULL);
        printf("%s: %s\n", platform_name, device_name);
    }
    return (int)count;
}

int main(void)
{
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_uint count = 0;
    int devices = 0;
    if (clGetPlatformIDs(MAX_PLATFORMS, platforms, &count) != CL_SUCCESS) return 1;
    for (cl_uint p = 0; p < count && p < MAX_PLATFORMS; p++) devices += list_platform(platforms[p]);
    return devices > 0 ? 0 : 1;
}
