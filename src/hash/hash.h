/* hash.h - types and functions of hash tables. */
#pragma once
#include "base/text.h"
#include "runtime/tuning.h"
#include "program/program.h"
#include "launch/launch.h"
#include "sort/sort.h"
#include "hash/constants.cl"

/* A hash table. All contexts that share it use the same gpi_table. The buffer begins with a header that repeats its
   properties (hash/table.cl). */
typedef struct gpi_table {
    uint32_t references; /* number of handles */
    size_t key_size, value_size;
    bool packed, wide; /* packed: one word holds key and value; wide: words have 64 bits, else 32 */
    bool limited;      /* probes end early, because the device limits loops */
    uint32_t mask;     /* capacity - 1 */
    uint64_t seed;
    uint64_t reserved; /* the value in the slot of an absent key; unused in the packed form */
    bool loud;         /* refusals are errors: the caller did not choose `reserved` */
    uint64_t absent;   /* the value that gp_hash_find writes for an absent key, by default */
    double max_load;
    bool grow;
    uint64_t taken;  /* upper bound of occupied slots; only maintained if `grow` */
    gpi_range range; /* the range of the buffer */
    cl_mem buffer;
} gpi_table;

/* The table of a gp_hash. The generation distinguishes the handle from earlier handles with the same index. */
typedef struct gpi_handle {
    gpi_table *table; /* NULL: the handle is free */
    uint32_t generation;
} gpi_handle;

enum {
    GPI_HASH_LIMITED_STEPS = 24000, /* if loops are limited: most steps of a probe */
    GPI_HASH_LIMITED_TURNS = 30000  /* if loops are limited: most atomic exchanges and steps of a put */
};

/* The description of a program on a table. `more` is text that is added at the end of the program's prelude. */
typedef struct gpi_hash_of_program {
    const gpi_table *table;
    const char *more;
} gpi_hash_of_program;

/* The plan for partitioning a batch by the highest digit of its keys' home slots. With a partitioned batch, groups
   access one part of a large table after another. */
typedef struct gpi_hash_order {
    bool wanted; /* false: the other members are not set */
    gp_sort_desc desc;
    gpi_sort sort;
    size_t keys_at, values_at; /* where the partitioned keys and values begin in the scratch, in bytes */
    size_t bytes;              /* bytes of scratch */
} gpi_hash_order;

/* A checked call on a batch of keys, ready to run. */
typedef struct gpi_hash_batch {
    gpi_table *table;
    gpi_plan plan;
    gpi_program *program;
    gpi_count count;
    gpi_uses uses; /* the first use is the table's buffer */
} gpi_hash_batch;

/* table.c */
static gp_result gpi_hash_fail_strange(gp_context *gp);
static gp_result gpi_hash_result(gp_context *gp);
static gpi_table *gpi_hash_of(gp_context *gp, gp_hash handle);
static gp_result gpi_hash_handle_make(gp_context *gp, gpi_table *table, gp_hash *out);
static void gpi_hash_free(gpi_table *table);
static void gpi_hash_release(gpi_table *table);
static void gpi_hash_free_all(gp_context *gp);
static void gpi_hash_prelude(const gp_context *gp, const gpi_plan *plan, const void *description,
                             gpi_text *text);
static gp_result gpi_hash_program(gp_context *gp, gpi_primitive primitive, const gpi_table *table,
                                  const char *more, gpi_plan *plan, gpi_program **program);
static void gpi_hash_facts(const gpi_table *table, cl_ulong facts[4]);
static void gpi_hash_arg_table(gpi_call *call, const gpi_table *table);
static void gpi_hash_arg_counters(gpi_call *call);
static uint32_t gpi_hash_side_slots(const gpi_table *table);
static size_t gpi_hash_slots(const gpi_table *table);
static gp_result gpi_hash_launch_slots(gpi_call *call, const gpi_table *table, const gpi_plan *plan,
                                       bool has_counters);
static gp_result gpi_hash_clear_slots(gpi_call *call, const gpi_table *table, const gpi_table *from);

/* create.c */
static gp_result gpi_hash_check_sizes(gp_context *gp, const gp_hash_desc *desc);
static gp_result gpi_hash_capacity(gp_context *gp, uint64_t capacity, uint64_t expected, double max_load,
                                   uint32_t *mask);
static uint64_t gpi_hash_load_value(const void *from, size_t size);
static size_t gpi_hash_bytes(const gpi_table *table);
static gp_result gpi_hash_allocate(gp_context *gp, cl_mem own, gpi_table *table);

/* batch.c */
static void gpi_hash_use(gpi_hash_batch *batch, const char *name, cl_mem buffer, size_t offset, size_t count,
                         size_t size, int access);
static gp_result gpi_hash_uses_end(gpi_hash_batch *batch, cl_mem scratch, size_t bytes);
static gp_result gpi_hash_batch_open(gp_context *gp, gp_hash handle, size_t count, cl_mem count_buffer,
                                     size_t count_offset, gp_type count_type, gpi_hash_batch *batch);
static cl_uint gpi_hash_widths(const gpi_table *table);
static void gpi_hash_arg_array(gpi_call *call, cl_mem buffer, size_t offset);
static gp_result gpi_hash_launch_batch(gpi_call *call, const gpi_hash_batch *batch, const gpi_count *count);
static gp_result gpi_hash_launch_combining(gpi_call *call, const gpi_hash_batch *batch,
                                           const gpi_count *count);
static gp_result gpi_hash_check_strategy(gp_context *gp, gp_strategy strategy);
static bool gpi_hash_order_suits(const gpi_hash_batch *batch, gp_strategy strategy);
static gp_result gpi_hash_order_plan(gp_context *gp, const gpi_hash_batch *batch, gpi_hash_order *order);
static gp_result gpi_hash_order_launch(gpi_call *call, gpi_hash_order *order, cl_mem scratch);

/* rehash.c */
static gp_result gpi_hash_read_counts(gp_context *gp, const gpi_table *table, uint64_t counts[GPI_COUNTS]);
static gp_result gpi_hash_make_room(gp_context *gp, gpi_table *table, size_t count);

/* device_text.c */
static gp_result gpi_hash_device_text(gp_context *gp, gp_hash handle, gpi_text *text);
