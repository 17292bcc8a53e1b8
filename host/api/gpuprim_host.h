/* gpuprim_host.h - gpuprim's calls on arrays in host memory, of any size, for C99.

   Put this in exactly one C or C++ file, and only include the header everywhere else:

       #define GP_HOST_IMPLEMENTATION
       #include "gpuprim_host.h"

   One file, this one or another, has gpuprim.h's implementation. A call looks like this:

       gp_host_scan_desc scan = { .in = a, .out = b, .count = n, .type = GP_U32, .op = GP_SUM };
       if (gp_host_scan(gp, &scan) != GP_OK) puts(gp_last_error(gp));

   RULES THAT HOLD FOR EVERY CALL
     - Arrays are pointers to host memory, aligned as their elements are. A file that is mapped into memory is such an
       array. They go through the device in chunks: one is copied to it and one from it while one is computed, on the
       context's queue and a second one for copies.
     - A call returns when its result is in host memory.
     - Every desc starts as all zeros. Types, operations and expressions are those of the device's call: gp_host_scan's
       are gp_scan's. A map's i counts from the call's first element, but in a macro of yours from the chunk's. Its `args`
       are on the device, as always. Where a map has i, or a scan a map, the call adds args of its own, whose names begin
       with chunk_.
     - `budget` is the most device memory that the call takes, in bytes. 0: a quarter of the device's, at most its
       largest buffer. GP_ERROR_INVALID_ARGUMENT where not even chunks of one element fit. With PoCL on a CPU a sort
       works on the caller's arrays as they are, which do not count.
     - `others` are further contexts, of devices of any kind, that share the work with `gp`. The one thread that calls
       drives all of them, and no other one may use them meanwhile. The input goes through them in about 32 chunks for
       each; a context that is done sooner gets more of them. The result is the same as with one context, bit for bit,
       but for sums and products of floats, and monoids that are not exact: these repeat only if all devices are alike,
       and calls say how far. `budget` is for each context. Args must be values, because a buffer belongs to one
       context. If one fails, the call does, and the text says which. With other_count 0 `others` is not looked at.
     - `progress` is told from time to time how much of the work is done; `total` is the same each time, and the last
       call has done == total. It runs on the caller's thread. Calls with the contexts are refused there, with
       GP_ERROR_INVALID_ARGUMENT, and gp_context_destroy does nothing. If it returns other than 0, the call ends with
       GP_ERROR_CANCELED.
     - gp_last_error(gp) has the text of a failure. Where the device's call refuses an argument, it names that call.
     - Inputs are never written, unless they are also the output. After a failure an output is undefined. For
       a sort in place gp_host_sort_desc says more.
     - What a call takes is freed when it returns.

   The lines in the comments of calls are gpuprim.h's.

   OPTIONS (define before including)
     GP_HOST_IMPLEMENTATION   emit the implementation here
     GP_STATIC                as in gpuprim.h: both implementations are in this file then, and static

   Licence: MIT, see the end of this file's implementation part or LICENSE. */
#ifndef GPUPRIM_HOST_H
#define GPUPRIM_HOST_H

#include "gpuprim.h"

#ifdef GP_STATIC
#define GP_HOST_API GP_API
#else
#define GP_HOST_API extern
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* 0 to go on, anything else to cancel. */
typedef int (*gp_host_progress)(uint64_t done, uint64_t total, void *user);

#include "api/host_reduce.h"

#include "api/host_scan.h"

#include "api/host_sort.h"

#include "api/host_select.h"

#include "api/host_histogram.h"

#include "api/host_group_by.h"

#include "api/host_brackets.h"

#ifdef __cplusplus
}
#endif
#endif /* GPUPRIM_HOST_H */
