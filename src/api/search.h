#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ search */

/* lower bound: out[i] = how many keys come before needle i
   upper bound: out[i] = how many keys come before needle i or are equal to it

   Searches many needles in one sorted sequence of keys. A key is an element of `keys`, of key_type, or the
   value of `map` converted to key_type: an expression in x, the element, and i (ulong), its index. With
   `map`, elements may be records. Without `keys`, the map is of i alone. needle_map and needle_record define
   needles in the same way. If needles, needle_map and needle_record are NULL, needle i is i. For example,
   this finds the first row of each cell in rows that are sorted by cell:

       gp_search_desc starts = {.keys = rows, .count = n, .record = &row, .map = "x.cell", .key_type = GP_U32,
                                .needle_count = cells + 1, .out = first_row_of_cell};

   Result: positions, of GP_U64 or GP_U32. Both counts may be on the device.
   Order: keys must be in the order of gp_sort, `descending` included (then "before" is "larger"). NaNs and
     zeros are found like any key: -0 comes before +0. Needles may be in any order; they are found faster if
     neighbouring needles have similar values.
   Aliasing: `out` overlaps nothing; needles and keys may be the same.
   Count 0: without keys every position is 0; without needles it does nothing.
   Cost: one launch, no scratch. A needle takes log2(count) steps. Each step reads a key and evaluates `map`;
     about the first half of the steps read samples that each group keeps in fast memory.
   Limits: memory; 2^32 - 1 keys with positions of GP_U32.
   Errors: if the keys are not sorted, positions are arbitrary numbers in [0, count], and nothing outside the
   keys is read.
   Example: examples/15_neighbours.cpp */
typedef struct gp_search_desc {
    cl_mem keys; /* sorted keys; NULL if count is 0, or if `map` is of i alone */
    size_t keys_offset;
    size_t count;        /* number of keys; with count_buffer, its upper bound */
    cl_mem count_buffer; /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    cl_mem needles; /* NULL: needle_map is of i alone, or needle i is i */
    size_t needles_offset;
    size_t needle_count;        /* number of needles; with needle_count_buffer, its upper bound */
    cl_mem needle_count_buffer; /* NULL: needle_count is the number */
    size_t needle_count_offset;
    gp_type needle_count_type;
    cl_mem out; /* needle_count positions */
    size_t out_offset;
    gp_type out_type;        /* 0: GP_U64 */
    gp_type key_type;        /* type of keys and needles */
    const char *map;         /* expression in x and i: the key of element i; NULL: the element itself */
    const gp_record *record; /* with a map, the type of elements of `keys`; NULL: key_type */
    const char *needle_map;  /* expression in x and i: the value of needle i; NULL: the element itself */
    const gp_record *needle_record; /* with needle_map, the type of needles; NULL: key_type */
    const gp_arg *args;             /* values and buffers that expressions name; NULL: none */
    size_t arg_count;               /* at most GP_ARGS_MAX */
    bool upper;                     /* true: upper bound; false: lower bound */
    bool descending;
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_search_desc;

GP_API gp_result gp_search(gp_context *gp, const gp_search_desc *desc);
