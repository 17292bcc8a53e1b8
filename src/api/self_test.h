#pragma once
#include "api/results.h"
#include "api/context.h"

/* ------------------------------------------------------------------ self-test */

/* One run of a primitive in gp_self_test. */
typedef struct gp_self_test_case {
    const char *name;     /* name of the call, and, if the call has several cases, of the case */
    gp_strategy strategy; /* the strategy with which it ran; GP_STRATEGY_AUTO: the call has none */
    gp_tuning tuning;     /* how this device runs it, for elements of 4 bytes: device_class, shape, words,
                             sub_group_size, work_group_size, tile, and polls if groups wait for each other;
                             all else is 0 */
    gp_result result;
    const char *text; /* text of the failure; "" if there is none */
} gp_self_test_case;

/* Tests whether this device, with this driver, computes right results.

   Runs every primitive on generated inputs, and compares the results with those of loops on the host. Each
   primitive runs in the strategy that this device uses and, if that is another one, in the strategy that it
   falls back to. Inputs and results are numbers of 32 bits, except strings and records. Blocks. Calls
   gp_finish first, and returns its error if it fails.

   Result: GP_OK if all results were right; else the result of the first case that fails. A failure does not
     stop the cases after it.
   Scratch: 20 bytes per element on the device, besides the scratch of the calls, and 32 bytes on the host.
     All of it is released at the end, the context's own scratch too.
   Cost: some ten million elements read and written, and two million sorted on the host: a second or two. The
     first time some thirty programs are built, which takes longer. Its launches count in the statistics.
   Limits: 1000 to 2^24 elements.
   Errors: GP_ERROR_WRONG_RESULT if a result is wrong; gp_last_error then names call, strategy, output, index,
     the value found and the value expected. If a call fails, its result is returned, and gp_last_error has its
     text after the names of call and strategy. GP_ERROR_INVALID_ARGUMENT if no case's name contains `filter`.
   Example: examples/gpinfo.c */
typedef struct gp_self_test_desc {
    const char *filter; /* runs only cases whose name contains this, such as "sort"; NULL: all */
    size_t count;       /* elements of each input; 0: 200003 */
    /* Receives each case after it has run; NULL: none. `test` and its texts are valid until it returns. It
       must not call the library with this context. */
    void (*report)(const gp_self_test_case *test, void *user);
    void *report_user;
} gp_self_test_desc;

GP_API gp_result gp_self_test(gp_context *gp, const gp_self_test_desc *desc);
