#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"
#include "api/hash.h"

/* ------------------------------------------------------------------ parts of the library for your kernels */

typedef enum gp_device_part {
    GP_DEVICE_HASH = 1, /* one hash table: gp_hash_open, gp_hash_find, _insert, _assign, _add, _min, _max,
                           _erase; described in kernels/common/hash/device.cl */
    GP_DEVICE_GROUP = 2 /* group collectives: reduce, scan, pack, unpack; described in
                           kernels/common/group/device.cl */
} gp_device_part;

/* An operation for the work-groups of your kernels. The text defines the functions gp_group_NAME_reduce,
   gp_group_NAME_scan and gp_group_NAME_scan_exclusive for it, on values of its type; halves are floats
   there. */
typedef struct gp_group_op {
    const char *name;        /* NAME: 1 to 32 letters, digits and underscores */
    gp_type type;            /* type of the values; only with op */
    gp_op op;                /* all but argmin and argmax; or give monoid */
    const gp_monoid *monoid; /* always combined in item order */
} gp_group_op;

/* OpenCL C for kernels of your own. Put it before a kernel's source, and build with -cl-std=CL1.2.

   GP_DEVICE_HASH: fits this table only; the kernel takes gp_hash_buffer as a __global uint *.

   GP_DEVICE_GROUP: one such text per program, with
     uint gp_group_size()                               items of the group
     uint gp_group_item()                               which one this is
     T gp_group_NAME_reduce(x, memory)                  x0 . x1 ... xG-1, to every item
     T gp_group_NAME_scan(x, &total, memory)            x0 . x1 ... xl, to item l; total: of all items
     T gp_group_NAME_scan_exclusive(x, &total, memory)  x0 . x1 ... xl-1, to item l; the identity to item 0
     uint gp_group_pack(n, &total, memory)              the position of this item's n elements among the
                                                        group's; add an offset of yours, such as from a scan
                                                        of all totals
     uint gp_group_pack_at(n, counter, memory)          the same from *counter on (__global uint), to which
                                                        the group adds its total in one atomic addition
     uint gp_group_unpack(n, memory)                    the number of pieces of all items; n: those of this item
     uint gp_group_owner(piece, &rank, memory)          the item that a piece belongs to; rank: which of its
                                                        pieces it is. Calls may differ from item to item
   One program may contain both parts.

   Result: up to `capacity` bytes of text with the final zero; *size is how many there are. `text` may be
   NULL when capacity is 0.
   Order: the same input gives the same result in the same group. But gp_group_pack_at adds totals in any
   order of groups.
   Scratch: `memory` is __local, 2 elements of T (or uint) for each item of the group. It is free again after
   each call. But gp_group_owner reads what gp_group_unpack leaves in it: after the last gp_group_owner it is
   free after a barrier of yours.
   Cost: log2(items) steps, each with a barrier. A known group size (`group`) makes shorter code, and almost
   none for 1.
   Limits: groups of any size, in up to three dimensions. All functions but gp_group_size, gp_group_item and
   gp_group_owner have barriers: every item of the group calls them, or none. The text contains
   kernels/common/group/device.cl, whose first comment says more.
   Example: examples/08_word_count.c, examples/10_spatial_hash.c, examples/13_mandelbrot.c */
typedef struct gp_device_source_desc {
    gp_device_part part;
    gp_hash table;          /* GP_DEVICE_HASH: the table */
    const gp_group_op *ops; /* GP_DEVICE_GROUP: op_count operations; NULL: the text has pack and unpack
                               only */
    size_t op_count;        /* at most 64 */
    uint32_t group; /* number of work-items of every group, at most 65536, if the kernel is always launched
                       with the same: makes shorter code, and defines GP_GROUP_SIZE; 0: any number */
} gp_device_source_desc;

GP_API gp_result gp_device_source(gp_context *gp, const gp_device_source_desc *desc, char *text,
                                  size_t capacity, size_t *size);
