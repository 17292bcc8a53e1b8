#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ nth element */

/* keys_out[j] = the key at position ranks[j] of the sorted keys        j < rank_count

   Finds order statistics without sorting: the key that an ascending sort would put at each rank, counted from
   0. Rank 0 is the minimum, and (count - 1) / 2 the lower median. A quantile q between two keys, as NumPy's
   "linear" method computes it, needs the keys of ranks floor(q * (count - 1)) and the next one. Medians of
   rows take gp_segmented_sort and gp_transform: manual/choosing.md.

   Result: rank_count keys, in the order of `ranks`, which may be in any order and may repeat. If the number in
     count_buffer is not above a rank, its key is not changed.
   Order: that of gp_sort. So NaNs whose sign bit is 0 come last, and -0 before +0. The same keys give the same
     result every time, on every device.
   Aliasing: keys_out overlaps nothing. `keys` is not changed.
   Count 0: with rank_count 0 it does nothing.
   Scratch: an eighth of the keys for each rank, at most all of them twice; 1.25 MiB at most besides.
   Cost: for up to 16 ranks, reads all keys once, keeps those within an interval around each rank, which a sample
     yields, and reads these few again. More ranks take as many calls as they are sixteens. If the sample
     misleads, or one value is so frequent that an interval beside it has too many keys, all keys are read once
     more for each byte of a key; gp_stats.fallbacks counts such calls, each sixteen ranks as one. No round trip
     to the host.
   Limits: 2^32 - 1 keys; 64 ranks. Checked. For more ranks, sort.
   Errors: a rank that is not below count is GP_ERROR_INVALID_ARGUMENT.
   Source: Floyd & Rivest 1975 (intervals from a sample); Alabi et al. 2012 (radix selection). */
typedef struct gp_nth_element_desc {
    cl_mem keys;
    size_t keys_offset;  /* in elements, as all offsets */
    size_t count;        /* number of keys; with count_buffer, its upper bound */
    cl_mem count_buffer; /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    const uint64_t *ranks; /* rank_count ranks in host memory, read during the call */
    size_t rank_count;     /* up to 64 */
    cl_mem keys_out;       /* rank_count keys */
    size_t keys_out_offset;
    gp_type key_type; /* type of all keys */
    cl_mem scratch;   /* gp_nth_element_scratch_size bytes that overlap nothing; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_nth_element_desc;

GP_API gp_result gp_nth_element(gp_context *gp, const gp_nth_element_desc *desc);

/* Sets *bytes to the scratch that gp_nth_element needs with this desc. The buffers of the desc may be NULL. */
GP_API gp_result gp_nth_element_scratch_size(gp_context *gp, const gp_nth_element_desc *desc, size_t *bytes);
