/* fuzz_calls.c - every call of the API with descs made of random bytes, for libFuzzer.

   An input is a device, a context's desc, and then calls, a few on the same context; tools/fuzz_calls.sh
   writes how each desc is filled (a bit a field, whether it is other than zero, then its value). What the API
   leaves to its caller is kept: pointers point to what is to be there, events and buffers live. All else is
   any number.

   The OpenCL below is fake_cl.c, which checks and computes nothing: so no kernel is built. Must hold for any
   input:
     - no crash, no undefined behaviour, no leak                            (sanitizers; objects by fake_live)
     - a result of gp_result; of a failure a text with the function's name; `done` NULL then, an event
   otherwise
     - OpenCL is never asked for what it forbids: no GP_ERROR_OPENCL, no fake_errors: the call checked too
   little */
#include "fake_cl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../gpuprim.h"

enum { FUZZ_CALLS_MAX = 6, FUZZ_BUFFERS = 10, FUZZ_TABLES = 4, FUZZ_ROOM = 64 };

typedef struct fuzz {
    const unsigned char *data;
    size_t size, at;
    unsigned bits, bit; /* of the desc at hand */
    gp_context *gp, *other;
    cl_mem buffer[FUZZ_BUFFERS];
    cl_event ended, failed, foreign, stale;
    cl_event wait[4], done;
    cl_uint wait_count;
    gp_hash table[FUZZ_TABLES], made;
    bool done_wanted, desc_given;
    void *blocks[256]; /* to be freed */
    size_t block_count;
} fuzz;

static void fuzz_stop(const char *what, const char *function, const char *text)
{
    fprintf(stderr, "fuzz: %s: %s: %s\n", function, what, text);
    abort();
}

/* ------------------------------------------------------------------ bytes */

static unsigned fuzz_byte(fuzz *f) { return f->at < f->size ? f->data[f->at++] : 0; }

static uint64_t fuzz_uint64_t(fuzz *f)
{
    uint64_t x = 0;
    int i;
    for (i = 0; i < 8; i++) x = x << 8 | fuzz_byte(f);
    return x;
}

/* Field by field: is it given? */
static void fuzz_bits_open(fuzz *f) { f->bits = f->bit = 0; }

static bool fuzz_bit(fuzz *f)
{
    if (f->bit % 8 == 0) f->bits = fuzz_byte(f);
    return f->bits >> f->bit++ % 8 & 1;
}

/* Memory of exactly this size, until the input has been done with. */
static void *fuzz_alloc(fuzz *f, size_t size)
{
    void *p = calloc(1, size ? size : 1);
    if (!p || f->block_count == sizeof f->blocks / sizeof *f->blocks) abort();
    f->blocks[f->block_count++] = p;
    return p;
}

static void *fuzz_bytes(fuzz *f, size_t size)
{
    unsigned char *p = fuzz_alloc(f, size);
    size_t i;
    for (i = 0; i < size && f->at < f->size; i++) p[i] = (unsigned char)fuzz_byte(f);
    return p;
}

/* ------------------------------------------------------------------ fields */

/* Small numbers, and those around limits. */
static size_t fuzz_size_t(fuzz *f)
{
    static const uint64_t special[] = {1000,
                                       1024,
                                       4095,
                                       4096,
                                       65535,
                                       65536,
                                       65537,
                                       1 << 20,
                                       INT32_MAX,
                                       1u << 31,
                                       UINT32_MAX,
                                       UINT32_MAX - 1,
                                       (uint64_t)1 << 32,
                                       (uint64_t)1 << 33,
                                       (uint64_t)1 << 60,
                                       (uint64_t)1 << 61,
                                       (uint64_t)1 << 62,
                                       INT64_MAX,
                                       UINT64_MAX / 2 + 1,
                                       UINT64_MAX,
                                       UINT64_MAX - 1,
                                       UINT64_MAX / 4,
                                       UINT64_MAX / 16};
    const unsigned b = fuzz_byte(f), n = sizeof special / sizeof *special;
    if (b < 200) return b;
    if (b < 200 + n) return (size_t)special[b - 200];
    return (size_t)(b == 255 ? fuzz_uint64_t(f) : fuzz_byte(f) << 8 | b);
}

static uint32_t fuzz_uint32_t(fuzz *f) { return (uint32_t)fuzz_size_t(f); }
static bool fuzz_bool(fuzz *f) { return fuzz_byte(f) & 1; }
static double fuzz_double(fuzz *f)
{
    const uint64_t bits = fuzz_uint64_t(f);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static float fuzz_float(fuzz *f)
{
    const uint32_t bits = (uint32_t)fuzz_uint64_t(f);
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static gp_value fuzz_gp_value(fuzz *f)
{
    gp_value value;
    value.u64 = fuzz_uint64_t(f);
    return value;
}

/* A named value, or a number that is none. */
static int fuzz_enum(fuzz *f)
{
    const unsigned b = fuzz_byte(f);
    return b < 128 ? (int)b % 14 : b == 255 ? -1 : b == 254 ? INT32_MAX : (int)b;
}
static gp_type fuzz_gp_type(fuzz *f) { return (gp_type)fuzz_enum(f); }
static gp_op fuzz_gp_op(fuzz *f) { return (gp_op)fuzz_enum(f); }
static gp_join_kind fuzz_gp_join_kind(fuzz *f) { return (gp_join_kind)fuzz_enum(f); }
static gp_border fuzz_gp_border(fuzz *f) { return (gp_border)fuzz_enum(f); }
static gp_segments fuzz_gp_segments(fuzz *f) { return (gp_segments)fuzz_enum(f); }
static gp_strategy fuzz_gp_strategy(fuzz *f) { return (gp_strategy)fuzz_enum(f); }
static gp_device_part fuzz_gp_device_part(fuzz *f) { return (gp_device_part)fuzz_enum(f); }
static gp_random_kind fuzz_gp_random_kind(fuzz *f) { return (gp_random_kind)fuzz_enum(f); }
static gp_hash_duplicates fuzz_gp_hash_duplicates(fuzz *f) { return (gp_hash_duplicates)fuzz_enum(f); }

static cl_mem fuzz_cl_mem(fuzz *f) { return f->buffer[fuzz_byte(f) % FUZZ_BUFFERS]; }

/* Texts: a map, pairs of brackets, names, nothing, or what comes. */
static const char *fuzz_const_char_pointer(fuzz *f)
{
    static const char *const texts[] = {"x",     "x + y", "",       " ",  "()[]{}",          "((",
                                        "x > 3", "}",     "x // y", "(x", "at(1, -1)",       "k",
                                        "v + 1", "%s%n",  "\"",     "\\", "x\n#define x y\n"};
    const unsigned b = fuzz_byte(f), n = sizeof texts / sizeof *texts;
    char *text;
    if (b < 8 * n) return texts[b % n];
    text = fuzz_bytes(f, b % 32 + 1);
    text[b % 32] = '\0';
    return text;
}

/* As many bytes as any element may have. */
static const void *fuzz_const_void_pointer(fuzz *f) { return fuzz_bytes(f, FUZZ_ROOM); }
static const int8_t *fuzz_const_int8_t_pointer(fuzz *f) { return fuzz_bytes(f, 256); }
static const uint64_t *fuzz_const_uint64_t_pointer(fuzz *f) { return fuzz_bytes(f, 64 * sizeof(uint64_t)); }

/* Of FUZZ_ROOM bytes, or more than can be. */
static size_t fuzz_sample_count(fuzz *f)
{
    const unsigned b = fuzz_byte(f);
    return b < 128 ? b % 2 : b < 192 ? ((size_t)1 << 20) + b : SIZE_MAX - b % 4;
}

static const gp_op *fuzz_const_gp_op_pointer(fuzz *f)
{
    gp_op *ops = fuzz_alloc(f, GP_OPS_MAX * sizeof *ops);
    size_t i;
    for (i = 0; i < GP_OPS_MAX; i++) ops[i] = fuzz_gp_op(f);
    return ops;
}

static const gp_type *fuzz_const_gp_type_pointer(fuzz *f)
{
    gp_type *types = fuzz_alloc(f, GP_OPS_MAX * sizeof *types);
    size_t i;
    for (i = 0; i < GP_OPS_MAX; i++) types[i] = fuzz_gp_type(f);
    return types;
}

static const gp_record *fuzz_const_gp_record_pointer(fuzz *f)
{
    gp_record *r = fuzz_alloc(f, sizeof *r);
    const unsigned b = fuzz_byte(f);
    r->cl_type = b & 1 ? fuzz_const_char_pointer(f) : "float4";
    r->size = b & 2 ? fuzz_size_t(f) : 16;
    if (b & 4) r->source = b & 8 ? fuzz_const_char_pointer(f) : "typedef uint pair;";
    return r;
}

static const gp_arg *fuzz_const_gp_arg_pointer(fuzz *f)
{
    static const char *const names[] = {"limit", "scale", "x", "gpi_x", "a b", "limit"};
    gp_arg *args = fuzz_alloc(f, GP_ARGS_MAX * sizeof *args);
    size_t i;
    for (i = 0; i < GP_ARGS_MAX; i++) {
        const unsigned b = fuzz_byte(f);
        gp_arg *a = &args[i];
        size_t size;
        a->name = b < 250 ? names[b % 6] : b < 252 ? NULL : fuzz_const_char_pointer(f);
        if (b & 8) a->type = fuzz_gp_type(f);
        else a->record = fuzz_const_gp_record_pointer(f);
        size = a->record ? a->record->size : 8;
        if (b & 32) a->value = fuzz_bytes(f, size < GP_ARGS_BYTES ? size : (size_t)GP_ARGS_BYTES);
        else a->buffer = fuzz_cl_mem(f);
        if (b & 64) a->offset = fuzz_size_t(f);
        if (b & 128) a->count = fuzz_size_t(f);
        if (b == 0) break;
    }
    return args;
}

static const gp_sort_column *fuzz_const_gp_sort_column_pointer(fuzz *f)
{
    static const char *const maps[] = {NULL, "x", "i", "x.x", "-1.0f", "x + limit", "scale[i % 8]", "x ^"};
    gp_sort_column *columns = fuzz_alloc(f, GP_SORT_COLUMNS_MAX * sizeof *columns);
    size_t i;
    for (i = 0; i < GP_SORT_COLUMNS_MAX; i++) {
        const unsigned b = fuzz_byte(f);
        columns[i].map = b < 250 ? maps[b & 7] : fuzz_const_char_pointer(f);
        columns[i].type = fuzz_gp_type(f);
        columns[i].descending = b >> 3 & 1;
        if (b == 0) break;
    }
    return columns;
}

static const gp_key_column *fuzz_const_gp_key_column_pointer(fuzz *f)
{
    gp_key_column *columns = fuzz_alloc(f, GP_KEY_COLUMNS_MAX * sizeof *columns);
    size_t i;
    for (i = 0; i < GP_KEY_COLUMNS_MAX; i++) {
        const unsigned b = fuzz_byte(f);
        gp_key_column *c = &columns[i];
        c->in = fuzz_cl_mem(f);
        if (b & 1) c->in_offset = fuzz_size_t(f);
        if (b & 2) c->type = fuzz_gp_type(f);
        if (b & 4) c->element_size = b & 8 ? fuzz_size_t(f) : 1 + (b >> 4);
        if (b & 16) {
            c->offsets = fuzz_cl_mem(f);
            c->offsets_type = fuzz_gp_type(f);
            c->byte_count = fuzz_size_t(f);
        }
        if (b & 32) c->offsets_offset = fuzz_size_t(f);
        if (b == 0) break;
    }
    return columns;
}

static const gp_group_result *fuzz_const_gp_group_result_pointer(fuzz *f)
{
    static const char *const maps[] = {NULL,           "i",   "i % 7",   "1.0f", "limit",
                                       "scale[i % 8]", "x ^", "(float)i"};
    gp_group_result *results = fuzz_alloc(f, GP_GROUP_RESULTS_MAX * sizeof *results);
    size_t i;
    for (i = 0; i < GP_GROUP_RESULTS_MAX; i++) {
        const unsigned b = fuzz_byte(f);
        gp_group_result *r = &results[i];
        r->op = (gp_op)(b % 16);
        r->map = maps[b >> 4 & 7];
        if (b & 128) r->map_type = fuzz_gp_type(f);
        else r->map_type = r->map ? GP_F32 : GP_TYPE_NONE;
        r->out = fuzz_cl_mem(f);
        if (b % 5 == 0) r->where = fuzz_const_char_pointer(f);
        if (b % 7 == 0) r->out_offset = fuzz_size_t(f);
        if (b % 11 == 0) r->out_type = fuzz_gp_type(f);
        if (b == 0) break;
    }
    return results;
}

static const gp_monoid *fuzz_const_gp_monoid_pointer(fuzz *f)
{
    gp_monoid *m = fuzz_alloc(f, sizeof *m);
    const unsigned b = fuzz_byte(f);
    m->size = b & 1 ? fuzz_size_t(f) : 4 * (b >> 1 & 15);
    m->type = b & 2 ? fuzz_const_char_pointer(f) : "pair";
    m->source = b & 4 ? fuzz_const_char_pointer(f) : "typedef uint pair;";
    m->combine = b & 8 ? fuzz_const_char_pointer(f) : "join";
    m->identity = b & 16 ? NULL : fuzz_bytes(f, m->size <= FUZZ_ROOM ? m->size : FUZZ_ROOM);
    m->commutative = b >> 5 & 1;
    m->exact = b >> 6 & 1;
    m->takes_args = b >> 7;
    if (b == 255) m->type = NULL;
    if (b == 254) m->source = NULL;
    if (b == 253) m->combine = NULL;
    return m;
}

/* As many as there may be: a few that are something, and the first of these again. */
static const gp_group_op *fuzz_const_gp_group_op_pointer(fuzz *f)
{
    enum { OPS = 64 };
    gp_group_op *ops = fuzz_alloc(f, OPS * sizeof *ops);
    const unsigned b = fuzz_byte(f);
    size_t i;
    for (i = 0; i < b % 4; i++) {
        ops[i].name = fuzz_const_char_pointer(f);
        ops[i].type = fuzz_gp_type(f);
        ops[i].op = fuzz_gp_op(f);
        if (b & 128) ops[i].monoid = fuzz_const_gp_monoid_pointer(f);
    }
    for (; i < OPS; i++) ops[i] = ops[0];
    return ops;
}

/* A list of up to four events, and its length; or a length without a list. */
static const cl_event *fuzz_const_cl_event_pointer(fuzz *f)
{
    const unsigned b = fuzz_byte(f);
    cl_event *list;
    cl_uint i;
    f->wait_count = b % 4 + 1;
    list = fuzz_alloc(f, f->wait_count * sizeof *list);
    for (i = 0; i < f->wait_count; i++) {
        const unsigned kind = fuzz_byte(f);
        list[i] = kind < 200 ? f->ended : kind < 220 ? f->failed : kind < 240 ? f->foreign : NULL;
    }
    return list;
}

static cl_uint fuzz_cl_uint(fuzz *f)
{
    const unsigned b = fuzz_byte(f);
    if (f->wait_count == 0) return b;
    return b < 200 ? f->wait_count : b % (f->wait_count + 1);
}

static cl_event *fuzz_cl_event_pointer(fuzz *f)
{
    f->done_wanted = true;
    return &f->done;
}

/* ------------------------------------------------------------------ arguments */

static void *fuzz_or_null(fuzz *f, void *desc)
{
    f->desc_given = fuzz_byte(f) < 250;
    return f->desc_given ? desc : NULL;
}

/* Reads every byte; `user` may be anything. */
static void fuzz_write(const void *bytes, size_t size, void *user)
{
    volatile unsigned char sum = 0;
    size_t i;
    (void)user;
    for (i = 0; i < size; i++) sum = (unsigned char)(sum + ((const unsigned char *)bytes)[i]);
}

static void *fuzz_out(fuzz *f, size_t size) { return fuzz_byte(f) < 240 ? fuzz_alloc(f, size) : NULL; }
static void *fuzz_room(fuzz *f, size_t size) { return size ? fuzz_alloc(f, size) : NULL; }

static gp_hash fuzz_gp_hash(fuzz *f)
{
    const unsigned b = fuzz_byte(f);
    gp_hash table = f->table[b % FUZZ_TABLES];
    if (b >= 200) table.id ^= (uint64_t)1 << b % 64;
    return table;
}

static gp_hash *fuzz_gp_hash_out(fuzz *f) { return fuzz_byte(f) < 250 ? &f->made : NULL; }

/* ------------------------------------------------------------------ verdict */

static bool fuzz_is_result(gp_result result)
{
    switch (result) {
#define FUZZ_RESULT(name, value, text) case name:
        GP_RESULTS(FUZZ_RESULT)
#undef FUZZ_RESULT
        return true;
    default: return false;
    }
}

static bool fuzz_ends_with(const char *text, const char *end)
{
    return strlen(text) >= strlen(end) && strcmp(text + strlen(text) - strlen(end), end) == 0;
}

static void fuzz_check_done(fuzz *f, const char *function, gp_result result)
{
    if (f->done == f->stale) {
        if (f->done_wanted && f->desc_given && !fuzz_ends_with(function, "_size") &&
            strcmp(function, "gp_warmup"))
            fuzz_stop("done was left as it was", function, gp_error_string(result));
    } else if (result == GP_OK && !f->done) {
        fuzz_stop("no event", function, "done");
    } else if (result != GP_OK && f->done) {
        fuzz_stop("an event of a call that failed", function, "done");
    } else if (f->done) {
        (void)clReleaseEvent(f->done);
    }
}

static void fuzz_verdict(fuzz *f, const char *function, gp_result result)
{
    const char *text = gp_last_error(f->gp);
    if (!fuzz_is_result(result)) fuzz_stop("no result", function, "?");
    if (fake_errors) fuzz_stop("asks OpenCL for what it forbids", function, fake_error);
    if (result == GP_ERROR_OPENCL) fuzz_stop("GP_ERROR_OPENCL", function, text);
    /* A warm-up calls what it warms up. */
    if (result != GP_OK && !strstr(text, strcmp(function, "gp_warmup") ? function : "gp_"))
        fuzz_stop("a text without the function's name", function, text);
    if (result != GP_OK && text[strlen(text) - 1] == '\n')
        fuzz_stop("a text with a line's end", function, text);
    fuzz_check_done(f, function, result);
    if (result == GP_OK && f->made.id) {
        const unsigned place = fuzz_byte(f) % FUZZ_TABLES;
        if (f->table[place].id) (void)gp_hash_destroy(f->gp, f->table[place]);
        f->table[place] = f->made;
    }
}

#include "calls.h"

static void fuzz_call_one(fuzz *f)
{
    const unsigned which = fuzz_byte(f);
    f->done = f->stale;
    f->wait_count = 0;
    f->made.id = 0;
    f->done_wanted = f->desc_given = false;
    fuzz_call(f, which);
}

/* ------------------------------------------------------------------ an input */

static void fuzz_open_buffers(fuzz *f)
{
    const cl_context context = gp_cl_context(f->gp);
    cl_buffer_region part = {1024, 2048};
    cl_int error;
    f->buffer[1] = clCreateBuffer(context, CL_MEM_READ_WRITE, 65536, NULL, &error);
    f->buffer[2] = clCreateBuffer(context, CL_MEM_READ_WRITE, 65536, NULL, &error);
    f->buffer[3] = clCreateBuffer(context, CL_MEM_HOST_NO_ACCESS, 4096, NULL, &error);
    f->buffer[4] = clCreateBuffer(context, CL_MEM_READ_WRITE, FAKE_MAX_ALLOC, NULL, &error);
    f->buffer[5] = clCreateBuffer(context, CL_MEM_READ_ONLY, 4096, NULL, &error);
    f->buffer[6] = clCreateBuffer(context, CL_MEM_WRITE_ONLY, 4096, NULL, &error);
    f->buffer[7] = clCreateSubBuffer(f->buffer[1], 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &error);
    f->buffer[8] = fake_image(context);
    f->buffer[9] = clCreateBuffer(gp_cl_context(f->other), CL_MEM_READ_WRITE, 4096, NULL, &error);
    f->ended = fake_event(context, CL_COMPLETE);
    f->stale = fake_event(context, CL_COMPLETE);
    f->failed = fake_event(context, CL_INVALID_VALUE);
    f->foreign = fake_event(gp_cl_context(f->other), CL_COMPLETE);
}

static void fuzz_close_buffers(fuzz *f)
{
    size_t i;
    for (i = 1; i < FUZZ_BUFFERS; i++) (void)clReleaseMemObject(f->buffer[i]);
    (void)clReleaseEvent(f->ended);
    (void)clReleaseEvent(f->stale);
    (void)clReleaseEvent(f->failed);
    (void)clReleaseEvent(f->foreign);
}

/* A context of any device, queue and tuning. NULL: refused. */
static gp_context *fuzz_open_context(fuzz *f)
{
    const unsigned b = fuzz_byte(f);
    cl_device_id device = fake_device(b % FAKE_DEVICES);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue =
        clCreateCommandQueue(context, device, b & 64 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, NULL);
    gp_context_desc desc = {0};
    gp_context *gp = NULL;
    gp_result result;
    desc.queue = queue;
    desc.no_disk_cache = true;
    if (b & 128) {
        desc.strategy = fuzz_gp_strategy(f);
        desc.check_monoids = fuzz_bool(f);
        desc.tuning.shape = (gp_shape)fuzz_enum(f);
        desc.tuning.words = (gp_words)fuzz_enum(f);
        desc.tuning.work_group_size = fuzz_uint32_t(f);
        desc.tuning.tile = fuzz_uint32_t(f);
        desc.tuning.polls = fuzz_uint32_t(f);
        desc.tuning.ring_rows = fuzz_uint32_t(f);
        desc.tuning.ring_reach = fuzz_uint32_t(f);
        desc.tuning.ring_block = fuzz_uint32_t(f);
        desc.tuning.sort_portion = fuzz_uint32_t(f);
        desc.tuning.sort_bucket = fuzz_uint32_t(f);
        desc.tuning.sort_lines = fuzz_uint32_t(f);
    }
    result = gp_context_create(&desc, &gp);
    if (!fuzz_is_result(result)) fuzz_stop("no result", "gp_context_create", "?");
    if ((result == GP_OK) != (gp != NULL)) fuzz_stop("result and context", "gp_context_create", "");
    if (result != GP_OK && !strstr(gp_last_error(NULL), "gp_context_create"))
        fuzz_stop("a text without the function's name", "gp_context_create", gp_last_error(NULL));
    (void)clReleaseCommandQueue(queue);
    (void)clReleaseContext(context);
    return gp;
}

static gp_context *fuzz_open_other(void)
{
    gp_context_desc desc = {0};
    gp_context *gp = NULL;
    desc.device = fake_device(FAKE_CPU);
    desc.no_disk_cache = true;
    if (gp_context_create(&desc, &gp) != GP_OK)
        fuzz_stop("no context", "gp_context_create", gp_last_error(NULL));
    return gp;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz f;
    size_t i;
    memset(&f, 0, sizeof f);
    f.data = data;
    f.size = size;
    fake_errors = 0;
    f.gp = fuzz_open_context(&f);
    if (f.gp) {
        f.other = fuzz_open_other();
        fuzz_open_buffers(&f);
        for (i = 0; i < FUZZ_CALLS_MAX && f.at < f.size; i++) fuzz_call_one(&f);
        fuzz_close_buffers(&f);
        gp_context_destroy(f.gp);
        gp_context_destroy(f.other);
    }
    for (i = 0; i < f.block_count; i++) free(f.blocks[i]);
    if (fake_live) fuzz_stop("objects are left", "gp_context_destroy", "");
    return 0;
}
