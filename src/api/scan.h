#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ scan */

/* Where segments of a scan begin. */
typedef enum gp_segments {
    GP_SEGMENTS_NONE = 0, /* one segment */
    GP_SEGMENTS_BY_FLAGS, /* at each element whose flag in `heads` is not 0 */
    GP_SEGMENTS_BY_KEYS,  /* at each element whose key in `heads` differs from the key before it */
    GP_SEGMENTS_COUNT
} gp_segments;

/* inclusive            out[i] = initial . in[0] ... in[i]               . is op or monoid
   exclusive            out[i] = initial . in[0] ... in[i-1]
   reverse              out[i] = in[i] ... in[count-1] . initial
   reverse, exclusive   out[i] = in[i+1] ... in[count-1] . initial

   Combines all elements up to each one (running totals), by any gp_op or a monoid. With `map`, the elements
   are map(in[i]). With `segments`, each segment is scanned by itself, beginning with `initial`; the flags or
   keys in `heads` mark where segments begin. The first segment begins at element 0, whatever its flag; no
   segment is empty. Flags and keys that are floats are compared as numbers (NaN differs from everything),
   halves by their bits.

   Result: elements of out_type. Argmin and argmax (out_type 0: GP_U64) return the lowest index of equal
     elements, also in reverse.
   Order: input order, always. Integer results are exact and repeat. With GP_STRATEGY_SINGLE_PASS the last
     bits of float sums depend on timing, which decides how elements are grouped. With `deterministic` they
     repeat bit for bit: such scans use GP_STRATEGY_MULTI_PASS, whatever `strategy` says.
   Aliasing: in place (`in` and `out` are the same elements, of types of one size), or no overlap. Neither
     `heads` nor count_buffer's number may lie in `out`. Scans in place use GP_STRATEGY_MULTI_PASS, whatever
     `strategy` says, on devices that are not known to keep every started group running (gp_device_info.fair).
   Count 0: does nothing.
   Cost: single pass reads and writes once; multi-pass reads twice and writes once. One launch for up to one
     tile.
   Limits: 2^31 - 1 tiles (manual/waiting.md), checked. Argmin and argmax cannot have segments.
   Source: Merrill & Garland 2016 (look-back); Sengupta et al. 2007 (multi-pass).
   Example: examples/01_scan.c, examples/03_custom_monoid.c, examples/18_json_mask.c */
typedef struct gp_scan_desc {
    cl_mem in;
    size_t in_offset; /* elements */
    cl_mem out;       /* `count` elements of out_type */
    size_t out_offset;
    size_t count;        /* number of elements; with count_buffer, its upper bound */
    cl_mem count_buffer; /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    gp_type type; /* type of the input; 0 with a monoid and no map */
    /* Instead of type. Requires a map, and out_type or a monoid; not with argmin, argmax. */
    const gp_record *record;
    gp_type out_type;        /* type of sums and output; 0: `type` (a scan is often in place) */
    gp_op op;                /* set op or monoid */
    const gp_monoid *monoid; /* instead of out_type and op */
    const char *map;         /* expression in x and i; NULL: the element itself */
    const gp_arg *args;      /* values and buffers that expressions name; NULL: none */
    size_t arg_count;        /* at most GP_ARGS_MAX */
    bool exclusive;
    bool reverse; /* from the last element to the first; combine(a, b) still has a before b in input order */
    gp_segments segments;
    cl_mem heads; /* `count` flags or keys */
    size_t heads_offset;
    gp_type heads_type;  /* type of the flags or keys */
    bool deterministic;  /* the same bits every time, also for floats and monoids that are not exact */
    const void *initial; /* one element of out_type, read during the call; NULL: the identity */
    gp_strategy strategy;
    cl_mem scratch; /* gp_scan_scratch_size bytes that overlap nothing; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_scan_desc;

GP_API gp_result gp_scan(gp_context *gp, const gp_scan_desc *desc);

/* Sets *bytes to the scratch that gp_scan needs with this desc, which can be 0. The buffers of the desc may
   be NULL. */
GP_API gp_result gp_scan_scratch_size(gp_context *gp, const gp_scan_desc *desc, size_t *bytes);
