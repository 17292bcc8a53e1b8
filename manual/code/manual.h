/* manual.h - what the manual's programs share. The implementation is in an object of its own. */
#include "gpuprim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* [try] */
#define TRY(call)                                                                   \
    do {                                                                            \
        if ((call) != GP_OK) printf("%s: %s\n", #call, gp_last_error(gp)), exit(1); \
    } while (0)
#define TRY_CL(call) /* of OpenCL's functions, which gp_last_error knows nothing of */          \
    do {                                                                                        \
        const cl_int error_ = (call);                                                           \
        if (error_ != CL_SUCCESS) printf("%s: OpenCL error %d\n", #call, (int)error_), exit(1); \
    } while (0)
/* [/try] */

#define EXPECT(condition)                                                                         \
    do {                                                                                          \
        if (!(condition)) printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition), exit(1); \
    } while (0)

static inline gp_context *open_context(void)
{
    const gp_context_desc device = {0};
    gp_context *gp;
    if (gp_context_create(&device, &gp) != GP_OK) puts(gp_last_error(NULL)), exit(1);
    return gp;
}

static inline cl_mem buffer_of(gp_context *gp, size_t bytes, const void *data)
{
    cl_mem buffer;
    TRY(gp_buffer_create(gp, bytes, data, &buffer));
    return buffer;
}

static inline void read_back(gp_context *gp, cl_mem buffer, size_t bytes, void *data)
{
    TRY_CL(clEnqueueReadBuffer(gp_cl_queue(gp), buffer, CL_TRUE, 0, bytes, data, 0, NULL, NULL));
}
