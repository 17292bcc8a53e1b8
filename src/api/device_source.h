#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"
#include "api/hash.h"

/* ------------------------------------------------------------------ parts of the library for your kernels */

typedef enum gp_device_part {
    GP_DEVICE_HASH = 1, /* one hash table: gp_hash_open, gp_hash_find, _insert, _assign, _add, _erase ...
                           (kernels/hash/device.cl tells all) */
    GP_DEVICE_GROUP = 2 /* what a work-group does together: reduce, scan, pack, unpack
                          (kernels/group/device.cl) */
} gp_device_part;

/* An operation for the work-groups of your kernels: functions gp_group_NAME_reduce, gp_group_NAME_scan and
   gp_group_NAME_scan_exclusive on values of its type, halves being floats. */
typedef struct gp_group_op {
    const char *name;        /* 1 to 32 letters, digits and underscores */
    gp_type type;            /* with op; */
    gp_op op;                /* all but argmin and argmax; or: */
    const gp_monoid *monoid; /* in item order always */
} gp_group_op;

typedef struct gp_device_source_desc {
    gp_device_part part;
    gp_hash table;          /* GP_DEVICE_HASH: which one */
    const gp_group_op *ops; /* GP_DEVICE_GROUP: op_count of them; NULL: pack and unpack only */
    size_t op_count;        /* at most 64 */
    uint32_t group; /* work-items of the groups that the kernel is launched with, where it is always the
                               same: shorter code, and GP_GROUP_SIZE is defined; 0: any number */
} gp_device_source_desc;

/* OpenCL C to be put in front of a kernel's source, which is built with -cl-std=CL1.2.

   Hash: fit for this table; the kernel takes gp_hash_buffer as a __global uint *. Group: one text a program.

       uint gp_group_size(), gp_group_item()                 items of the group, and which one this is
       T gp_group_NAME_reduce(x, memory)                    x0 . x1 ... xG-1, to every item
       T gp_group_NAME_scan(x, &total, memory)              x0 . x1 ... xl, to item l; total: of all
       T gp_group_NAME_scan_exclusive(x, &total, memory)    x0 . x1 ... xl-1; the identity to item 0
       uint gp_group_pack(n, &total, memory)                where n elements of this item go among the group's
       uint gp_group_pack_at(n, counter, memory)            the same from *counter on (__global uint), in one
                                                           atomic addition
       uint gp_group_unpack(n, memory)                      n pieces of each item: how many there are in all
       uint gp_group_owner(piece, &rank, memory)            whose a piece is; calls may differ from item to item

   `memory` is __local, 2 elements of T (of uint) for each item of the group. All functions but size, item and
   owner have barriers: every item of the group calls, or none. The same input gives the same result for the
   same group; only the order of groups in gp_group_pack_at is any. kernels/group/device.cl, which stands in
   the text, tells the rest. Both parts may stand in front of one kernel.

   Writes up to `capacity` bytes with the final zero; *size is how many there are. `text` may be NULL when
   capacity is 0. */
GP_API gp_result gp_device_source(gp_context *gp, const gp_device_source_desc *desc, char *text,
                                  size_t capacity, size_t *size);
