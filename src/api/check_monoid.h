#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ check_monoid */

/* Looks for elements that violate the monoid laws: e a = a = a e, (a b) c = a (b c), and a b = b a if the
   monoid is `commutative`.

   It tries 4096 triples of the samples, with the device's arithmetic. Then it tries as many triples of
   samples and of products of three, so that what combine makes is tested, too. A monoid of floats that is
   `exact` (a minimum, say) needs samples: without them, elements are small integers, which as floats are
   almost 0.

   Result: GP_OK when no counter-example was found, which does not mean that there is none.
   Cost: blocks, and builds a program.
   Errors: GP_ERROR_LAW for a counter-example; gp_last_error names the elements. */
GP_API gp_result gp_check_monoid(gp_context *gp, const gp_check_monoid_desc *desc);
