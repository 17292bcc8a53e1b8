/* gpuprim.h - GPU parallel primitives for any OpenCL device, in one C99 header.

   Put this in exactly one C or C++ file, and include the header plainly everywhere else:

       #define GP_IMPLEMENTATION
       #include "gpuprim.h"

   Link with the OpenCL ICD loader (-lOpenCL). A call looks like this:

       gp_context *gp;
       gp_context_desc device = {0};
       if (gp_context_create(&device, &gp) != GP_OK) puts(gp_last_error(NULL));
       gp_scan_desc scan = { .in = a, .out = b, .count = n, .type = GP_U32, .op = GP_SUM };
       if (gp_scan(gp, &scan) != GP_OK) puts(gp_last_error(gp));

   RULES THAT HOLD FOR EVERY CALL
     - Every descriptor starts as all zeros. Zero is each field's documented default; a field that has
       no sensible default (a buffer, an element type) is an error when it is zero.
     - Buffers are cl_mem plus an offset in elements, of any alignment that the element type has. In place
       means the same elements of one buffer, or of its sub-buffers: two buffers on the same host memory
       (CL_MEM_USE_HOST_PTR) overlap, and are refused.
     - Calls are asynchronous: they check, enqueue on the context's queue and return. Only a call that
       is named ..._read, or is documented to block, blocks.
     - `wait`/`wait_count` are events that the call's first command waits for; one that is NULL or has
       failed already is refused. `done`, when not NULL, receives an event that the caller releases; it
       completes when the call's results are ready. It is set to NULL when the call fails.
     - Calls do not flush: clFlush or gp_finish before polling `done` or waiting for it on another queue.
     - Calls that come faster than the device runs them are held back: with 1024 commands of a context in
       flight, a call flushes and waits until half of them have ended. It does not wait for commands that
       do not begin to run, because a user event of yours, say, holds them up.
     - On an out-of-order queue a call orders its own commands, and the context's scratch; use `wait` and
       `done` to order calls.
     - `count` may live on the device: with `count_buffer`, the number of elements is read from there when
       the call runs (count_type: GP_U32, also 0, or GP_U64; at element count_offset), and `count` is its
       upper bound, for which buffers are checked and work is launched. A larger number is clamped to the
       bound and counted in gp_stats.clamped. Without count_buffer, count_type stays 0.
     - A field that means nothing beside the others is an error, rather than ignored in silence; but offsets
       into buffers that are not there are not looked at, nor is a scratch buffer where 0 bytes are needed.
     - Expressions, and a monoid's source, are code that runs in your process: never take one from an
       untrusted source. They have up to 16384 characters. A name in one that stands for nothing there (y
       without a second input), or an assignment to x and the like, does not compile: GP_ERROR_BUILD, and
       gp_last_error has what the compiler says, your own lines first, by field and line: "map:1:5".
     - The first use of a primitive with new types builds a program, also for a count of 0 and for a
       ..._scratch_size. gp_warmup moves that cost, and tells which fields make a new program.
     - A context belongs to one host thread at a time. Different contexts run freely in parallel, and may
       be created in parallel: this library looks for devices in one thread of a process at a time, because
       PoCL fails otherwise. A program whose threads also call OpenCL themselves calls gp_devices once
       before them.
     - A forked child uses none of its parent's contexts, nor destroys them (docs/RELIABILITY.md).
     - Nothing prints (an OpenCL implementation may, when a text of yours does not compile), aborts or leaves
       a half-made object. Failures return a negative gp_result, and
       gp_last_error tells the function, the condition with its values, and the OpenCL error by name.
     - A call that fails after it has begun to enqueue leaves undefined what it would have written, arrays
       worked on in place among it; a hash table's batch may have been done in part. Inputs are left as they
       are, and the context can be used on.

   OPTIONS (define before including)
     GP_IMPLEMENTATION   emit the implementation here
     GP_STATIC           make every function static to this file; goes with GP_IMPLEMENTATION

   Licence: MIT, see the end of this file's implementation part or LICENSE.                           */
#ifndef GPUPRIM_H
#define GPUPRIM_H

#define GP_VERSION_MAJOR 0
#define GP_VERSION_MINOR 1
#define GP_VERSION_PATCH 0

#include "api/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#include "api/results.h"

#include "api/types.h"

#include "api/context.h"

#include "api/reduce.h"

#include "api/segmented_reduce.h"

#include "api/check_monoid.h"

#include "api/scan.h"

#include "api/select.h"

#include "api/unique.h"

#include "api/reduce_by_key.h"

#include "api/sort.h"

#include "api/merge.h"

#include "api/search.h"

#include "api/histogram.h"

#include "api/topk.h"
#include "api/segmented_sort.h"

#include "api/sort_strings.h"
#include "api/brackets.h"

#include "api/stack_scan.h"

#include "api/tree.h"

#include "api/hash.h"

#include "api/device_source.h"

#include "api/map.h"

#include "api/gather.h"

#include "api/stencil.h"

#include "api/random.h"

#include "api/warm_up.h"

#ifdef __cplusplus
}
#endif
#endif /* GPUPRIM_H */
