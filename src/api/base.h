#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The library needs OpenCL 1.2 only. But headers that are included later, such as <CL/opencl.hpp>, may need
   all that the OpenCL headers have. Older OpenCL headers take 300 for their own highest version. */
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#ifndef CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#endif
#if CL_TARGET_OPENCL_VERSION < 120
#error "gpuprim needs CL_TARGET_OPENCL_VERSION 120 or higher"
#endif
#ifdef __APPLE__
#include <OpenCL/opencl.h>
#else
#include <CL/cl.h>
#endif

#ifdef GP_STATIC
#if defined(__GNUC__)
#define GP_API static __attribute__((__unused__))
#else
#define GP_API static
#endif
#elif defined(GP_SHARED) && defined(_WIN32) && defined(GP_IMPLEMENTATION)
#define GP_API extern __declspec(dllexport)
#elif defined(GP_SHARED) && defined(_WIN32)
#define GP_API extern __declspec(dllimport)
#elif defined(GP_SHARED) && defined(__GNUC__)
#define GP_API extern __attribute__((__visibility__("default")))
#else
#define GP_API extern
#endif
