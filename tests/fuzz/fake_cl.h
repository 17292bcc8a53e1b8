/* fake_cl.h - an OpenCL that checks what it is asked to do, and computes nothing: for fuzzing the host code.

   Buffers are memory; fills, copies, reads and writes are done, within bounds or not at all. Programs always
   build, a kernel's launch does nothing. Whatever the standard forbids is an error, counted in
   `fake_errors`; objects are freed when their last reference goes. */
#ifndef GPUPRIM_TESTS_FAKE_CL_H
#define GPUPRIM_TESTS_FAKE_CL_H

#include <stdbool.h>
#include <stddef.h>

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>

enum { FAKE_MAX_ALLOC = 8 << 20, FAKE_ALIGNMENT = 128 /* of sub-buffers, bytes */ };

/* Kinds of devices; each is a device of its own. */
enum { FAKE_CPU, FAKE_GPU, FAKE_GPU_32, FAKE_LLVMPIPE, FAKE_DEVICES };
cl_device_id fake_device(int which);

/* Objects that live; requests that the standard forbids. */
extern size_t fake_live, fake_errors;

/* The text of the last error. */
extern const char *fake_error;

/* An event that has failed, one that has ended; an image. */
cl_event fake_event(cl_context context, cl_int status);
cl_mem fake_image(cl_context context);

/* The binary that was last offered to clCreateProgramWithBinary, and how often one was. */
extern unsigned char *fake_offered;
extern size_t fake_offered_size, fake_offers;
void fake_forget_offers(void);

#endif
