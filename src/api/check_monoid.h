#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ check_monoid */

/* Searches for elements that violate the monoid laws: e a = a = a e, (a b) c = a (b c), and a b = b a if the
   monoid is `commutative`.

   Tries 4096 triples of the samples, with the device's arithmetic, then as many triples of samples and of
   products of three samples, so that results of combine are tested, too. A monoid of floats that is `exact`
   (a minimum, say) needs samples: without them, elements are small integers, which as floats are almost 0.

   Result: GP_OK if no counter-example was found, which does not mean that there is none.
   Cost: blocks, and builds a program.
   Errors: GP_ERROR_LAW for a counter-example; gp_last_error names the elements. */
typedef struct gp_check_monoid_desc {
    const gp_monoid *monoid;
    const void *samples; /* on the host: sample_count elements as they occur in your data; NULL: made-up
                            elements whose words are small numbers: integers below 1000, or, if the monoid is
                            not `exact`, floats within +-2 */
    size_t sample_count; /* at most 2^20 */
    const char *equal;   /* OpenCL C expression in x and y, two elements, that is true if they are equal;
                            NULL: if the monoid is `exact`, all bits are compared; else elements are equal if
                            their words are close as floats */
    const gp_arg *args;  /* arguments of `equal`, and of combine if it takes them; NULL: none */
    size_t arg_count;    /* at most GP_ARGS_MAX */
    float tolerance;     /* with `equal` NULL, the largest difference of words that are close, as a fraction
                            of the largest word of the compared elements; 0: 1e-4 */
    uint64_t seed;       /* selects the elements; the same seed selects the same ones */
} gp_check_monoid_desc;

GP_API gp_result gp_check_monoid(gp_context *gp, const gp_check_monoid_desc *desc);
