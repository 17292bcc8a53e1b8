/* use.c - refuses calls in a forked process and in callbacks. A forked child lacks the threads of the OpenCL
   implementation, and locks that these threads held stay locked for ever, so a call of OpenCL may hang. Every call of
   the API makes both checks before it uses OpenCL or the context's programs. */
#include "base/context.h"
#include "base/error.h"
#include "base/use.h"

#if !defined(_WIN32)
#include <sys/types.h>
#include <unistd.h>

static pid_t gpi_process; /* the process that used the library first; 0: none yet */
#endif

/* Returns true in a process that was forked after the library's first use. The first use records its process. */
static bool gpi_forked(void)
{
#if defined(_WIN32)
    return false;
#else
    const pid_t own = getpid();
#if defined(__GNUC__)
    pid_t first = __atomic_load_n(&gpi_process, __ATOMIC_RELAXED);
    if (!first)
        __atomic_store_n(&gpi_process, first = own, __ATOMIC_RELAXED); /* all threads store the same value */
#else
    const pid_t first = gpi_process ? gpi_process : (gpi_process = own);
#endif
    return first != own;
#endif
}

/* Refuses a call in a forked process, and a call that a callback makes with the context that runs the callback. gp is
   NULL in a call without a context. */
static gp_result gpi_check_use(gp_context *gp)
{
    if (gpi_forked()) {
        return gpi_fail(
            gp, GP_ERROR_INVALID_ARGUMENT,
            "this process was forked after the first use of OpenCL, which does not work here: fork "
            "before it, or exec");
    }
    if (!gp || !gp->callback) return GP_OK;
    return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                    "%s called it with the context that has called %s and is still at work", gp->callback,
                    gp->callback);
}

GP_API void gp_set_callback(gp_context *gp, const char *callback)
{
    if (gp) gp->callback = callback;
}
