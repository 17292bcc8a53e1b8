/* gpuprim.h - GPU parallel primitives for any OpenCL device, in one C99 header.

   Put these two lines in exactly one C or C++ file, and only include the header in all others:

       #define GP_IMPLEMENTATION
       #include "gpuprim.h"

   Link with the OpenCL ICD loader (-lOpenCL). Host memory comes from malloc, unless GP_MALLOC(bytes),
   GP_CALLOC(count, bytes), GP_REALLOC(memory, bytes) and GP_FREE(memory) are defined before that include. A call
   looks like this:

       gp_context *gp;
       gp_context_desc device = {0};
       if (gp_context_create(&device, &gp) != GP_OK) puts(gp_last_error(NULL));
       gp_scan_desc scan = { .in = a, .out = b, .count = n, .type = GP_U32, .op = GP_SUM };
       if (gp_scan(gp, &scan) != GP_OK) puts(gp_last_error(gp));

   RULES THAT HOLD FOR EVERY CALL
     - Every desc starts as all zeros. Zero is each field's documented default; a field that has no sensible
       default (a buffer, an element type) is an error when it is zero.
     - Buffers are cl_mem plus an offset in elements; offsets need no alignment beyond the element's. "In
       place" means the same elements of one buffer, or of its sub-buffers. Two buffers on the same host
       memory (CL_MEM_USE_HOST_PTR) count as overlapping.
     - Calls are asynchronous: they check their arguments, enqueue on the context's queue and return. Only a
       call that is named ..._read, or is documented to block, blocks.
     - `wait` points to wait_count events; the call's first command waits for them. An event that is NULL, has
       failed already or belongs to another cl_context is refused. `done`, when not NULL, receives an event
       that the caller releases; the event completes when the call's results are ready. If the call fails,
       *done is NULL. As in OpenCL, `done` must not point to an element of `wait`; such a call is refused.
     - Calls do not flush: call clFlush or gp_finish before you poll `done` or wait for it on another queue.
     - With 1024 commands of a context in flight, a call flushes and waits until half of them have ended. It
       does not wait for commands that do not begin to run, for example because of a user event of yours.
     - On an out-of-order queue a call's own commands run in order, and calls use the context's scratch one
       after the other. For any other order of calls use `wait` and `done`.
     - The number of elements may be on the device: with `count_buffer`, the call's commands read it from
       element count_offset of that buffer, as a number of count_type: GP_U32 (also 0) or GP_U64. `count` is
       then its upper bound, for which buffers are checked and work is launched. A larger number is clamped to
       the bound and counted in gp_stats.clamped. The number must not lie in memory that the call writes.
       Without count_buffer, count_type stays 0.
     - A field that has no meaning together with the others is an error. Only this is ignored: offsets into
       buffers that are NULL; types of outputs that are not wanted (index_type, count_out_type), which must be
       valid all the same; offsets_type with row_length; a scratch buffer for a call that needs 0 bytes.
     - Expressions, and a monoid's source, are code that runs in your process: never accept one from somebody
       you do not trust. Each has up to 16384 characters. An unknown name (such as y without a second input),
       or an assignment to x and the like, does not compile: GP_ERROR_BUILD. gp_last_error then has the
       compiler's messages, those about your own lines first, by field and line: "map:1:5".
     - The first use of a primitive with new types builds a program, also for a count of 0 and for a
       ..._scratch_size. gp_warmup builds programs in advance; its comment lists the fields that make a new
       program.
     - A context belongs to one host thread at a time. Different contexts run in parallel, and may be created
       in parallel: this library looks for devices in one thread of a process at a time, because PoCL fails
       otherwise. If threads of your program also call OpenCL themselves, call gp_devices once before they
       start.
     - A process that was forked after this library's first use cannot use it: calls are refused with
       GP_ERROR_INVALID_ARGUMENT, gp_context_destroy does nothing, gp_cl_context, gp_cl_device and gp_cl_queue
       return NULL. Fork before the first use, or exec (docs/RELIABILITY.md).
     - Functions of yours that a call runs must not call the library with that call's context, unless their
       comment allows it: such a call is refused with GP_ERROR_INVALID_ARGUMENT and a text, and
       gp_context_destroy does nothing. They must return: an exception or longjmp out of them leaves the
       context in an undefined state (calls of gpuprim.hpp say which exceptions they pass on).
     - The library itself prints nothing, never aborts, and leaves no partially made object. Failures return a negative
       gp_result; the text of gp_last_error names the function, the condition with its values, and the OpenCL error.
       The OpenCL implementation runs in the same process, and PoCL prints, and in some cases aborts
       (manual/debugging.md).
     - If a call fails after it has begun to enqueue, its outputs are undefined, and so are arrays that it
       sorts or scans in place; a hash table's batch may have been done in part. Other inputs are unchanged,
       and the context remains usable.

   LINES IN THE COMMENTS OF CALLS
     Always in this order; a line that would say nothing is left out. The comment begins with what the call
     computes, where a . b is the call's operation applied to a and b.
       Result     what is written, and of which type
       Order      order, stability, and whether results repeat. "Stable": equal elements keep their input order;
                  "the same result every time": the same input gives the same bits on the same device
       Aliasing   what may overlap; anything else is GP_ERROR_OVERLAP
       Count 0    what the call does for a count of 0
       Scratch    device memory that the call needs while it runs
       Cost       how often each element is read and written, how many launches there are
       Limits     the largest sizes; "memory": any count whose buffers fit
       Errors     only those that are special to the call
       Source     the paper
       Example    files in examples/

   OPTIONS (define before including)
     GP_IMPLEMENTATION   emit the implementation here
     GP_STATIC           make every function static to this file; requires GP_IMPLEMENTATION
     GP_SHARED           the file with GP_IMPLEMENTATION is part of a shared library, and exports the functions;
                         all other files import them

   Licence: MIT, see the end of this file's implementation part or LICENSE.                           */
#ifndef GPUPRIM_H
#define GPUPRIM_H

#define GP_VERSION_MAJOR 0
#define GP_VERSION_MINOR 2
#define GP_VERSION_PATCH 0
#define GP_VERSION (GP_VERSION_MAJOR * 10000 + GP_VERSION_MINOR * 100 + GP_VERSION_PATCH)

#include "api/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#include "api/results.h"

#include "api/types.h"

#include "api/context.h"

#include "api/reduce.h"

#include "api/segmented_reduce.h"
#include "api/segmented_scan.h"

#include "api/check_monoid.h"

#include "api/scan.h"

#include "api/select.h"

#include "api/unique.h"
#include "api/run_length_decode.h"

#include "api/reduce_by_key.h"

#include "api/sort.h"

#include "api/merge.h"

#include "api/search.h"

#include "api/histogram.h"

#include "api/topk.h"
#include "api/segmented_topk.h"
#include "api/nth_element.h"
#include "api/segmented_sort.h"

#include "api/sort_strings.h"

#include "api/sort_records.h"
#include "api/brackets.h"

#include "api/stack_scan.h"

#include "api/tree.h"

#include "api/hash.h"

#include "api/device_source.h"

#include "api/map.h"

#include "api/gather.h"
#include "api/transpose.h"

#include "api/stencil.h"

#include "api/random.h"

#include "api/group_by.h"
#include "api/join.h"
#include "api/bloom.h"
#include "api/hyperloglog.h"

#include "api/warm_up.h"

#include "api/programs.h"

#include "api/self_test.h"

#ifdef __cplusplus
}
#endif
#endif /* GPUPRIM_H */
