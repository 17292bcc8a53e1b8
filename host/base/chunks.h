/* chunks.h - an array in host memory goes through the device in chunks.

   Three slots, each with a buffer for each array, and two queues. At a time one chunk is copied to the device, one
   computed, one copied back:

       copies     up 0 | up 1    | down 0, up 2 | down 1, up 3 | ...
       computes        | chunk 0 | chunk 1      | chunk 2      | ...

   The host waits for a chunk before the one that takes its slot is begun, so that three are under way at most.

   Several contexts take the chunks in turns, each with slots and queues of its own: base/run.h. */
#pragma once
#include "api/gpuprim_host.h"

enum { GPI_HOST_SLOTS = 3, GPI_HOST_ARRAYS = 6, GPI_HOST_OWNS = 2 };

/* Elements of `size` bytes: where they come from, where they go to, and their buffers. */
typedef struct gpi_host_array {
    const char *in; /* NULL: nothing is copied to the device */
    char *out;      /* NULL: nothing is copied back */
    size_t size;    /* 0: there is no such array */
    cl_mem buffers[GPI_HOST_SLOTS];
    cl_mem from[GPI_HOST_SLOTS], to[GPI_HOST_SLOTS]; /* NULL, or the chunk's part of `in` and `out`: views */
} gpi_host_array;

/* What each context has for all of its chunks. */
typedef struct gpi_host_own {
    size_t bytes;     /* 0: there is no such buffer */
    const void *data; /* what it holds; NULL: undefined */
    cl_mem buffer;
} gpi_host_own;

typedef struct gpi_host_chunk {
    size_t index, first, count; /* its elements */
    int slot;
} gpi_host_chunk;

typedef struct gpi_host_chunks gpi_host_chunks;
typedef gp_result (*gpi_host_step)(gpi_host_chunks *chunks, const gpi_host_chunk *chunk);

struct gpi_host_chunks {
    /* set by the call */
    gp_context *gp;
    const char *function;
    size_t count; /* of all elements */
    size_t budget;
    gp_host_progress progress;
    void *progress_user;
    gpi_host_array arrays[GPI_HOST_ARRAYS];
    gpi_host_own owns[GPI_HOST_OWNS]; /* within `fixed` */
    size_t lead, tail;                /* room in each buffer before and after a chunk's elements */
    bool lead_of_chunk;               /* where there are several chunks, lead is as long as one */
    size_t fixed;                     /* bytes of device memory besides */
    bool reverse;                     /* from the last chunk to the first */
    bool views;                       /* compute takes gpi_host_from and gpi_host_to: see there */
    gpi_host_step upload;             /* NULL: each array's elements of the chunk */
    gpi_host_step
        compute; /* enqueues calls, each with wait and wait_count, and gpi_host_then after it; or nothing */
    gpi_host_step download; /* NULL: each array's elements of the chunk */
    /* Of several contexts: the chunk is in host memory. NULL: nothing to do. */
    void (*ended)(gpi_host_chunks *chunks, const gpi_host_chunk *chunk);
    /* Of several contexts: whether the next chunk may be begun now; it may change number. NULL: it may. */
    bool (*may_begin)(gpi_host_chunks *chunks, const gpi_host_chunk *chunk);
    gpi_host_chunk (*chunk_of)(const gpi_host_chunks *chunks,
                               size_t turn); /* NULL: chunks of one size after the other */
    /* Bytes of scratch for a chunk of `count` elements; NULL: none. */
    gp_result (*scratch_size)(gpi_host_chunks *chunks, size_t count, size_t *bytes);
    void *call;

    /* for compute */
    cl_event wait[2];
    cl_uint wait_count;
    cl_event done;
    unsigned commands;
    uint64_t count_of[GPI_HOST_SLOTS];
    cl_mem scratch;
    size_t scratch_bytes;

    /* Several contexts. What is set by the call is the first one's. */
    gp_context *const *more;
    size_t devices;        /* contexts, 1 and more */
    gpi_host_chunks *rest; /* of the contexts but the first */
    bool large;            /* chunks of chunk_of may be as large as the budget allows, others not */
    size_t depth;          /* chunks under way at most, on each */

    /* the rest is of chunks.c and run.c */
    size_t chunk, piece, number; /* elements that buffers hold, elements of a chunk; how many chunks */
    cl_command_queue copies;
    cl_event last, uploaded[GPI_HOST_SLOTS], computed[GPI_HOST_SLOTS], downloaded[GPI_HOST_SLOTS];
    cl_event counted[GPI_HOST_SLOTS]; /* NULL, or what the download waits for */
    cl_event waited;                  /* has ended, whatever its status says */
    uint64_t progress_done, progress_total;
    bool again;                          /* of elements that have been counted already */
    gpi_host_chunk held[GPI_HOST_SLOTS]; /* by slot */
    size_t taken, sent, finished;        /* chunks that were uploaded, downloaded, waited for */
    size_t next;                         /* chunk, to be dealt: of the first */
    uint64_t left;                       /* elements of chunks that have not finished: of the first */
    uint64_t holds, speed;               /* elements under way, elements that have finished */
};

static void gpi_host_chunks_set(gpi_host_chunks *chunks, gp_context *gp, const char *function, size_t count,
                                size_t budget, gp_host_progress progress, void *progress_user);

/* Further contexts take part. Args must not have buffers then, which belong to one of them. */
static gp_result gpi_host_chunks_share(gpi_host_chunks *chunks, gp_context *const *others, size_t other_count,
                                       const gp_arg *args, size_t arg_count);

/* The k-th context's; 0: chunks itself. */
static gpi_host_chunks *gpi_host_device(gpi_host_chunks *chunks, size_t k);

/* Of one context's result. Of several: its failure is told as the call's, with the device's name. */
static gp_result gpi_host_of(gpi_host_chunks *chunks, const gpi_host_chunks *device, gp_result result);

/* The size of chunks, which the budget allows; the queue for copies, buffers and scratch. */
static gp_result gpi_host_chunks_open(gpi_host_chunks *chunks);

static size_t gpi_host_number(const gpi_host_chunks *chunks, size_t chunk);

/* Waits for everything, frees it, and returns `result`, or the failure of a command that nobody has waited for. */
static gp_result gpi_host_chunks_close(gpi_host_chunks *chunks, gp_result result);

/* Blocks until everything has ended, copies into the caller's memory too. Returns `result`, or a failure. */
static gp_result gpi_host_finish(gpi_host_chunks *chunks, gp_result result);

/* Steps of a chunk on one context. */
static gpi_host_chunk gpi_host_chunk_of(const gpi_host_chunks *chunks, size_t turn);
static gp_result gpi_host_upload(gpi_host_chunks *chunks, const gpi_host_chunk *chunk);
static gp_result gpi_host_compute(gpi_host_chunks *chunks, const gpi_host_chunk *chunk);
static gp_result gpi_host_download(gpi_host_chunks *chunks, const gpi_host_chunk *chunk);
static cl_event gpi_host_end_of(const gpi_host_chunks *chunks, const gpi_host_chunk *chunk);
static gp_result gpi_host_end(gpi_host_chunks *chunks, const gpi_host_chunk *chunk);

/* As calls take it: NULL where there is nothing to wait for. */
static const cl_event *gpi_host_waits(const gpi_host_chunks *chunks);

/* The call that was given `done` is the one to wait for from here on. */
static void gpi_host_then(gpi_host_chunks *chunks);

/* One element, or some bytes, by the queue of the device's calls, after what has been enqueued there. */
static gp_result gpi_host_copy(gpi_host_chunks *chunks, cl_mem from, size_t from_byte, cl_mem to,
                               size_t to_byte, size_t bytes);

/* The same from host memory, which stays as it is until the chunk has ended. */
static gp_result gpi_host_put(gpi_host_chunks *chunks, const void *from, cl_mem to, size_t to_byte,
                              size_t bytes);

/* Counts of 64 bits, one a slot, which a download has to know. After all else of compute, if there are several contexts: then
   the download is asked for when the count is there. */
static gp_result gpi_host_count(gpi_host_chunks *chunks, const gpi_host_chunk *chunk, cl_mem counts);

/* In the download, before all else: the count to count_of. One context waits for it. */
static gp_result gpi_host_counted(gpi_host_chunks *chunks, const gpi_host_chunk *chunk, cl_mem counts);

/* The first `bytes` of a buffer in host memory, to be written; and back to the device. */
static gp_result gpi_host_map(gpi_host_chunks *chunks, cl_mem buffer, size_t bytes, void **memory);
static gp_result gpi_host_unmap(gpi_host_chunks *chunks, const gpi_host_chunk *chunk, cl_mem buffer,
                                void *memory);

/* Copies, by the queue for them, that belong to the chunk's upload or download: `bytes` of a buffer, from byte `at`. */
static gp_result gpi_host_write(gpi_host_chunks *chunks, const gpi_host_chunk *chunk, cl_mem buffer,
                                size_t at, size_t bytes, const void *from);
static gp_result gpi_host_read(gpi_host_chunks *chunks, const gpi_host_chunk *chunk, cl_mem buffer, size_t at,
                               size_t bytes, void *to);

/* Where compute finds a chunk's elements, and where it leaves their results. Both are the slot's buffer, or views: with
   `views` set (and no lead), a device that is known to work in the host's memory takes the caller's arrays as they are. A
   view is a buffer around the caller's memory (CL_MEM_USE_HOST_PTR); it takes no device memory. */
static cl_mem gpi_host_from(const gpi_host_chunks *chunks, const gpi_host_chunk *chunk, int array);
static cl_mem gpi_host_to(const gpi_host_chunks *chunks, const gpi_host_chunk *chunk, int array);

/* Of one context, when commands that use them have ended. */
static void gpi_host_free_views(gpi_host_chunks *chunks, int slot);

static gp_result gpi_host_buffer(gpi_host_chunks *chunks, size_t bytes, cl_mem *out);

/* Calls `progress`, and returns its answer. Calls with the contexts are refused meanwhile. */
static int gpi_host_report(gp_context *gp, gp_context *const *others, size_t other_count,
                           gp_host_progress progress, uint64_t done, uint64_t total, void *user);

/* `more` of the work is done. */
static gp_result gpi_host_tell(gpi_host_chunks *chunks, uint64_t more);
