/* monoids.h - custom monoids of 4 to 64 bytes for the tests of every primitive, each with a reference on the
   host whose results have the same bits. support.h includes this.

   name          bytes  commutative  exact
   last              4  no           yes    the last element that is not 0
   saturating        4  yes          yes    a sum that stays at its maximum; the function is a built-in
   permutation       4  no           yes    a permutation of eight things, packed
   affine            8  no           yes    maps x -> a x + b
   runs             12  no           yes    the number of runs of equal elements
   sums             12  yes          no     count, sum and sum of squares, as floats; for small integers, so that
                                            the bits are the same for up to about 2^20 elements
   text             16  no           yes    hash of concatenated text, modulo 2^61 - 1
   matrix           16  no           yes    2x2, modulo 2^32
   box              16  yes          yes    bounding box in the plane, idempotent
   moments          24  yes          yes    count, sum and sum of squares in 64 bits
   matrix3          36  no           yes    3x3
   matrix4          64  no           yes    4x4

   One more is not in the list, because it rounds:
   variance         12  yes          no     count, mean, and sum of squared differences from the mean, by Chan's formula

   An element's `from` function copies, because input and sum have the same type. */
#ifndef GPUPRIM_TESTS_MONOIDS_H
#define GPUPRIM_TESTS_MONOIDS_H

#include "support.h"

extern const test_element test_last, test_saturating, test_permutation, test_affine, test_runs, test_sums,
    test_text, test_matrix, test_box, test_moments, test_matrix3, test_matrix4, test_variance;

extern const gp_monoid test_affine_monoid, test_matrix_monoid;

/* All monoids except variance. */
extern const test_element *const test_monoids[];
extern const size_t test_monoid_count;

#endif
