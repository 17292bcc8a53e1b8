/* gpuprim_host.h - gpuprim's calls on arrays in host memory, of any size, for C99.

   Put this in exactly one C or C++ file, and only include the header everywhere else:

       #define GP_HOST_IMPLEMENTATION
       #include "gpuprim_host.h"

   The implementation of gpuprim.h must be in exactly one file, too, which may be the same one. A call looks like this:

       gp_host_scan_desc scan = { .in = a, .out = b, .count = n, .type = GP_U32, .op = GP_SUM };
       if (gp_host_scan(gp, &scan) != GP_OK) puts(gp_last_error(gp));

   RULES THAT HOLD FOR EVERY CALL
     - Arrays are pointers to host memory, aligned to their elements. A file that is mapped into memory is such an
       array, too. Arrays pass through the device in chunks: while one chunk is computed, one is copied to the device
       and one is copied back. Calls use the context's queue, and a second queue for copies.
     - A call returns when its result is in host memory.
     - Every desc starts as all zeros. Types, operations and expressions are those of the device's call: those of
       gp_host_scan are those of gp_scan. In a map, i counts from the call's first element; but in a macro of your own,
       it counts from the chunk's first element. Buffers in `args` are on the device, as always. If a map uses i, or a
       scan has a map, the call adds args of its own, whose names begin with chunk_.
     - `budget` is the most device memory that the call uses, in bytes. 0: a quarter of the device's memory, but at most
       the size of its largest buffer. If not even chunks of one element fit, the call fails with
       GP_ERROR_INVALID_ARGUMENT. With PoCL on a CPU, a sort works in the caller's arrays, which do not count.
     - `others` are further contexts, of devices of any kind, that share the work with `gp`. The calling thread drives
       all of them, and no other thread may use them during the call. The input is divided into about 32 chunks per
       context, and a context that finishes sooner gets more of them. The result is the same as with one context, bit
       for bit, except for sums and products of floats and for monoids that are not exact. These repeat only if all
       devices are alike, and each call's comment says under which conditions. `budget` applies to each context. Args
       must be values, because a buffer belongs to one context. If a context fails, the call fails, and the text of the
       failure names the context. If other_count is 0, `others` is ignored.
     - `progress` is called from time to time, with the amount of work that is done. `total` is the same each time, and
       the last time done == total. It runs on the caller's thread. Inside it, calls with the contexts fail with
       GP_ERROR_INVALID_ARGUMENT, and gp_context_destroy does nothing. If it does not return 0, the call ends with
       GP_ERROR_CANCELED.
     - gp_last_error(gp) returns the text of a failure. If the device's call refuses an argument, the text names that
       call.
     - Inputs are never written, unless they are also the output. After a failure, outputs are undefined. (Sorts in
       place: see gp_host_sort_desc.)
     - All memory that a call allocates is freed when it returns.

   The headings in the comments of calls (Result, Order, ...) are those of gpuprim.h.

   OPTIONS (define before including)
     GP_HOST_IMPLEMENTATION   emit the implementation here
     GP_STATIC                as in gpuprim.h; both implementations must then be in the same file, and are static

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

/* Is called with how much of a call's work is done. Must return 0 to continue; any other value cancels the call. */
typedef int (*gp_host_progress)(uint64_t done, uint64_t total, void *user);

#include "api/host_reduce.h"

#include "api/host_scan.h"

#include "api/host_sort.h"

#include "api/host_select.h"

#include "api/host_topk.h"

#include "api/host_nth_element.h"

#include "api/host_histogram.h"

#include "api/host_group_by.h"

#include "api/host_brackets.h"

#ifdef __cplusplus
}
#endif
#endif /* GPUPRIM_HOST_H */
