/* device.h - finds and chooses devices, and reads their properties. */
#pragma once
#include "api/gpuprim.h"

#define GPI_DEVICES_MAX 64 /* most devices of a platform, or of a context */
#define GPI_PROBE_CALLS "clGetPlatformInfo or clGetDeviceInfo"

/* device.c */
static bool gpi_is_llvmpipe(const gp_device_info *info);
static bool gpi_is_pocl(const gp_device_info *info);
static bool gpi_is_rusticl(const gp_device_info *info);
static bool gpi_is_pocl_7(const gp_device_info *info);
static const char *gpi_device_options(const gp_device_info *info);
static bool gpi_device_has(const gp_device_info *info, const char *extension);
static cl_int gpi_device_probe(cl_platform_id platform, cl_device_id device, gp_device_info *info);
static gp_result gpi_device_choose(const gp_context_desc *desc, gp_device_info *info);
