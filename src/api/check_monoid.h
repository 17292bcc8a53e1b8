#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ check_monoid */

/* Looks for elements that violate the monoid laws: e a = a = a e, (a b) c = a (b c), and a b = b a where
   it is said to be commutative, with the device's arithmetic: on 4096 triples of the samples, and then on as
   many of samples and products of three, so that what combine makes obeys too. The first counter-example is
   GP_ERROR_LAW, and gp_last_error tells the elements. GP_OK means that none was found, not that there is
   none. A monoid of floats that is `exact` (a minimum, say) wants samples: what is made up without are small
   integers, as floats all but zero. Blocks. Builds a program. */
GP_API gp_result gp_check_monoid(gp_context *gp, const gp_check_monoid_desc *desc);
