/* chunks.h - passes arrays in host memory through the device, in chunks.

   There are three slots, each with a buffer for each array, and two queues. At any time, one chunk is copied to the
   device, one is computed, and one is copied back:

       copies     up 0 | up 1    | down 0, up 2 | down 1, up 3 | ...
       computes        | chunk 0 | chunk 1      | chunk 2      | ...

   Before the host begins a chunk, it waits for the earlier chunk of the same slot. So at most three chunks are in
   progress.

   If there are several contexts, each has slots and queues of its own, and base/run.h distributes the chunks. */
#pragma once
#include "api/gpuprim_host.h"

enum { GPI_HOST_SLOTS = 3, GPI_HOST_ARRAYS = 6, GPI_HOST_OWNS = 2 };

/* An array with elements of `size` bytes, in the caller's memory, and its buffers on the device. */
typedef struct gpi_host_array {
    const char *in; /* NULL: nothing is copied to the device */
    char *out;      /* NULL: nothing is copied back */
    size_t size;    /* 0: there is no such array */
    cl_mem buffers[GPI_HOST_SLOTS];
    cl_mem from[GPI_HOST_SLOTS], to[GPI_HOST_SLOTS]; /* views of the chunk's `in` and `out`; NULL: no view */
} gpi_host_array;

/* A buffer that each context has once, for all of its chunks. */
typedef struct gpi_host_own {
    size_t bytes;     /* 0: there is no such buffer */
    const void *data; /* its first contents; NULL: undefined */
    cl_mem buffer;
} gpi_host_own;

typedef struct gpi_host_chunk {
    size_t index, first, count; /* the chunk's number; elements [first, first + count) */
    int slot;
} gpi_host_chunk;

typedef struct gpi_host_chunks gpi_host_chunks;
typedef gp_result (*gpi_host_step)(gpi_host_chunks *chunks, const gpi_host_chunk *chunk);

struct gpi_host_chunks {
    /* members that the call sets */
    gp_context *gp;
    const char *function;
    size_t count; /* number of all elements */
    size_t budget;
    gp_host_progress progress;
    void *progress_user;
    gpi_host_array arrays[GPI_HOST_ARRAYS];
    gpi_host_own owns[GPI_HOST_OWNS]; /* buffers of each context; `fixed` includes their bytes */
    size_t lead, tail;                /* elements of each buffer before and after a chunk's own */
    bool lead_of_chunk;               /* if there are several chunks, `lead` is set to a chunk's length */
    size_t fixed;                     /* bytes of device memory besides arrays and scratch */
    bool reverse;                     /* handles chunks from the last to the first */
    bool views;                       /* compute gets its buffers from gpi_host_from and gpi_host_to */
    gpi_host_step upload;             /* NULL: copies each array's elements */
    gpi_host_step
        compute; /* may enqueue calls, each with wait and wait_count, and each followed by gpi_host_then */
    gpi_host_step download; /* NULL: copies each array's elements */
    /* With several contexts: is called when the chunk's results are in host memory. May be NULL. */
    void (*ended)(gpi_host_chunks *chunks, const gpi_host_chunk *chunk);
    /* With several contexts: returns whether the next chunk may begin now; may change `number`. NULL: true. */
    bool (*may_begin)(gpi_host_chunks *chunks, const gpi_host_chunk *chunk);
    gpi_host_chunk (*chunk_of)(const gpi_host_chunks *chunks,
                               size_t turn); /* NULL: consecutive chunks of one size */
    /* Sets *bytes to the scratch that a chunk of `count` elements needs. NULL: none. */
    gp_result (*scratch_size)(gpi_host_chunks *chunks, size_t count, size_t *bytes);
    void *call;

    /* members that `compute` uses */
    cl_event wait[2];
    cl_uint wait_count;
    cl_event done;
    unsigned commands;
    uint64_t count_of[GPI_HOST_SLOTS];
    cl_mem scratch;
    size_t scratch_bytes;

    /* Members for several contexts. The call sets them in the first context's struct only. */
    gp_context *const *more;
    size_t devices;        /* number of contexts, at least 1 */
    gpi_host_chunks *rest; /* the chunks of all contexts except the first */
    bool large;            /* chunks of chunk_of may be as large as the budget allows */
    size_t depth;          /* most chunks in progress on each context */

    /* members that only chunks.c and run.c use */
    size_t chunk, piece, number; /* elements in a buffer, elements of a chunk, number of chunks */
    cl_command_queue copies;
    cl_event last, uploaded[GPI_HOST_SLOTS], computed[GPI_HOST_SLOTS], downloaded[GPI_HOST_SLOTS];
    cl_event counted[GPI_HOST_SLOTS]; /* NULL, or the event that the download waits for */
    cl_event waited;                  /* an event known to have ended, whatever its status */
    uint64_t progress_done, progress_total;
    bool again;                          /* a previous run has counted these elements in `progress` */
    gpi_host_chunk held[GPI_HOST_SLOTS]; /* the chunk in each slot */
    size_t taken, sent, finished;        /* numbers of chunks that were begun, sent to the host, ended */
    size_t next;                         /* the next chunk to begin; only in the first context's struct */
    uint64_t left;         /* number of unfinished elements; only in the first context's struct */
    uint64_t holds, speed; /* numbers of elements in progress, and finished so far */
};

static void gpi_host_chunks_set(gpi_host_chunks *chunks, gp_context *gp, const char *function, size_t count,
                                size_t budget, gp_host_progress progress, void *progress_user);

/* Adds further contexts. Fails if an arg is a buffer, because a buffer belongs to one context. */
static gp_result gpi_host_chunks_share(gpi_host_chunks *chunks, gp_context *const *others, size_t other_count,
                                       const gp_arg *args, size_t arg_count);

/* Returns the chunks of context number k; for 0 `chunks` itself. */
static gpi_host_chunks *gpi_host_device(gpi_host_chunks *chunks, size_t k);

/* Returns `result`, the result of a step on `device`. If there are several contexts, reports a failure as that of the
   call, with the device's name. */
static gp_result gpi_host_of(gpi_host_chunks *chunks, const gpi_host_chunks *device, gp_result result);

/* Chooses the size of chunks within the budget, and creates the queue for copies, buffers and scratch. */
static gp_result gpi_host_chunks_open(gpi_host_chunks *chunks);

/* Returns the bytes of device memory that a context may use; `budget` is the desc's. */
static size_t gpi_host_budget(const gp_context *gp, size_t budget);

/* Returns the number of chunks of `chunk` elements. */
static size_t gpi_host_number(const gpi_host_chunks *chunks, size_t chunk);

/* Waits for all commands, and frees everything. Returns `result`, or, if it is GP_OK, the failure of a command. */
static gp_result gpi_host_chunks_close(gpi_host_chunks *chunks, gp_result result);

/* Blocks until all commands have ended, including copies to the caller's memory. Returns `result`, or, if it is GP_OK,
   the failure of a command. */
static gp_result gpi_host_finish(gpi_host_chunks *chunks, gp_result result);

/* Steps of a chunk on one context. */
static gpi_host_chunk gpi_host_chunk_of(const gpi_host_chunks *chunks, size_t turn);
static gp_result gpi_host_upload(gpi_host_chunks *chunks, const gpi_host_chunk *chunk);
static gp_result gpi_host_compute(gpi_host_chunks *chunks, const gpi_host_chunk *chunk);
static gp_result gpi_host_download(gpi_host_chunks *chunks, const gpi_host_chunk *chunk);
static cl_event gpi_host_end_of(const gpi_host_chunks *chunks, const gpi_host_chunk *chunk);
static gp_result gpi_host_end(gpi_host_chunks *chunks, const gpi_host_chunk *chunk);

/* Returns the wait list in the form that calls require: NULL if there is nothing to wait for. */
static const cl_event *gpi_host_waits(const gpi_host_chunks *chunks);

/* Makes later commands wait for the call that was given `done`. */
static void gpi_host_then(gpi_host_chunks *chunks);

/* Copies bytes between buffers, on the queue of the device's calls, after the commands that are in this queue. */
static gp_result gpi_host_copy(gpi_host_chunks *chunks, cl_mem from, size_t from_byte, cl_mem to,
                               size_t to_byte, size_t bytes);

/* Copies like gpi_host_copy, but from host memory, which must not change until the chunk has ended. */
static gp_result gpi_host_put(gpi_host_chunks *chunks, const void *from, cl_mem to, size_t to_byte,
                              size_t bytes);

/* Announces that the chunk's download needs the chunk's count, for example of selected elements. `counts` has a
   64-bit count for each slot. Must be the last call of `compute`. If there are several contexts, the download begins
   only when the count has been read. */
static gp_result gpi_host_count(gpi_host_chunks *chunks, const gpi_host_chunk *chunk, cl_mem counts);

/* Waits for the chunk's count, and reads it to count_of. Must be the first call of a download. */
static gp_result gpi_host_counted(gpi_host_chunks *chunks, const gpi_host_chunk *chunk, cl_mem counts);

/* Maps the first `bytes` of a buffer to host memory, for writing. gpi_host_unmap ends the mapping. */
static gp_result gpi_host_map(gpi_host_chunks *chunks, cl_mem buffer, size_t bytes, void **memory);
static gp_result gpi_host_unmap(gpi_host_chunks *chunks, const gpi_host_chunk *chunk, cl_mem buffer,
                                void *memory);

/* Copies `bytes` to a buffer, from the buffer's byte `at` on, as a part of the chunk's upload. gpi_host_read copies
   from a buffer in the same way, as a part of the chunk's download. Both use the queue for copies. */
static gp_result gpi_host_write(gpi_host_chunks *chunks, const gpi_host_chunk *chunk, cl_mem buffer,
                                size_t at, size_t bytes, const void *from);
static gp_result gpi_host_read(gpi_host_chunks *chunks, const gpi_host_chunk *chunk, cl_mem buffer, size_t at,
                               size_t bytes, void *to);

/* gpi_host_from returns the buffer from which `compute` reads a chunk's elements, and gpi_host_to the buffer to which
   it writes their results. Both are the slot's buffer, or views. A view is a buffer that uses the caller's memory
   (CL_MEM_USE_HOST_PTR), and needs no device memory. Views are used if `views` is set (and there is no lead), on
   devices that are known to work in the host's memory. */
static cl_mem gpi_host_from(const gpi_host_chunks *chunks, const gpi_host_chunk *chunk, int array);
static cl_mem gpi_host_to(const gpi_host_chunks *chunks, const gpi_host_chunk *chunk, int array);

/* Frees the slot's views of one context. Commands that use them must have ended. */
static void gpi_host_free_views(gpi_host_chunks *chunks, int slot);

static gp_result gpi_host_buffer(gpi_host_chunks *chunks, size_t bytes, cl_mem *out);

/* Calls `progress`, and returns its result. While `progress` runs, calls with the contexts are refused. */
static int gpi_host_report(gp_context *gp, gp_context *const *others, size_t other_count,
                           gp_host_progress progress, uint64_t done, uint64_t total, void *user);

/* Reports to `progress` that `more` elements are done. Fails if `progress` cancels the call. */
static gp_result gpi_host_tell(gpi_host_chunks *chunks, uint64_t more);
