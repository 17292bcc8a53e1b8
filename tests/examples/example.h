/* example.h - before an example's source that a test includes: the implementation is in support.c, and `main` is
   example_main. */
#ifndef GPUPRIM_TESTS_EXAMPLE_H
#define GPUPRIM_TESTS_EXAMPLE_H

#include "../support/support.h"

#define GPI_IMPLEMENTATION_ONCE
#define main example_main /* until the test has it again */

/* `check` with the example's `gp` a context of each shape. */
#define FOR_EACH_SHAPE(check)                                                  \
    do {                                                                       \
        for (size_t shape = 0; shape < TEST_SHAPES; shape++) {                 \
            if ((gp = test_open_other(&test_shapes[shape])) == NULL) continue; \
            print_message("    %s\n", test_shapes[shape].name);                \
            check;                                                             \
            gp_context_destroy(gp);                                            \
        }                                                                      \
    } while (0)

#endif
