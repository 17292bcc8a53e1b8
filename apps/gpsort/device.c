/* device.c - records sorted on the device, in one buffer that has all that is needed:

       | bytes of records | offsets of lines | order | scratch |

   Where host and device share their memory, the host sees the buffer itself; elsewhere its front is copied. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GP_IMPLEMENTATION
#include "gpsort.h"

enum {
    ALIGNMENT = 4096 /* of a part; no device asks for more */
};

static void device_fail(const device *d) { die("%s", gp_last_error(d->gp)); }

static void device_try(const device *d, gp_result result)
{
    if (result != GP_OK) device_fail(d);
}

static void device_try_cl(const char *call, cl_int error)
{
    if (error != CL_SUCCESS) die("%s: %s", call, gp_cl_error_string(error));
}

/* ------------------------------------------------------------------ what is sorted */

static void device_value(device *d, size_t k, const char *name, const uint64_t *value)
{
    gp_arg *arg = &d->args[k];
    arg->name = name;
    arg->type = GP_U64;
    arg->value = value;
}

/* Column k: the number at a record's byte offset_k, of any alignment. Sizes and offsets are arguments, so that the program is
   the same for all of them. */
static void device_column(device *d, size_t k)
{
    static const char *const types[] = {"",
#define NAME(name, value, cl, bytes) cl,
                                        GP_TYPES(NAME)
#undef NAME
    };
    static const char *const offsets[] = {"offset_0", "offset_1", "offset_2", "offset_3",
                                          "offset_4", "offset_5", "offset_6", "offset_7"};
    const column *c = &d->o->columns[k];
    char *map = d->maps[k];
    if (c->size == 1) (void)snprintf(map, MAP_BYTES, "(%s)bytes[i * size + %s]", types[c->type], offsets[k]);
    else
        (void)snprintf(map, MAP_BYTES, "as_%s(vload%zu(0, bytes + (i * size + %s)))", types[c->type], c->size,
                       offsets[k]);
    d->columns[k].map = map;
    d->columns[k].type = c->type;
    d->columns[k].descending = c->descending;
    d->offsets[k] = c->offset;
    device_value(d, 2 + k, offsets[k], &d->offsets[k]);
}

static void device_columns(device *d)
{
    size_t k;
    d->args[0].name = "bytes";
    d->args[0].type = GP_U8;
    d->record_size = d->o->record_size;
    device_value(d, 1, "size", &d->record_size);
    for (k = 0; k < d->o->column_count; k++) device_column(d, k);
}

static gp_sort_records_desc device_records(device *d, const layout *l)
{
    gp_sort_records_desc sort;
    d->args[0].buffer = d->arena;
    d->args[0].count = l->bytes;
    memset(&sort, 0, sizeof sort);
    sort.indices_out = d->arena;
    sort.indices_out_offset = l->order_at / sizeof(uint32_t);
    sort.columns = d->columns;
    sort.column_count = d->o->column_count;
    sort.args = d->args;
    sort.arg_count = 2 + d->o->column_count;
    sort.count = l->count;
    return sort;
}

static gp_sort_strings_desc device_lines(const device *d, const layout *l)
{
    gp_sort_strings_desc sort;
    memset(&sort, 0, sizeof sort);
    sort.bytes = sort.offsets = sort.out = d->arena;
    sort.byte_count = l->bytes;
    sort.offsets_offset = l->offsets_at / sizeof(uint32_t);
    sort.offsets_type = GP_U32;
    sort.out_offset = l->order_at / sizeof(uint32_t);
    sort.count = l->count;
    sort.descending = d->o->reverse;
    return sort;
}

/* ------------------------------------------------------------------ life */

static void device_log(gp_log_level level, const char *text, void *user)
{
    (void)user;
    if (level == GP_LOG_WARNING) say("%s", text);
}

/* Programs are loaded or built, so that it is known how much memory they leave. The arena is a small one for now. */
static void device_warm_up(device *d)
{
    gp_sort_strings_desc lines;
    gp_sort_records_desc records;
    gp_warmup_desc warmup;
    layout l;
    memset(&l, 0, sizeof l);
    memset(&warmup, 0, sizeof warmup);
    memset(&lines, 0, sizeof lines);
    device_try(d, gp_buffer_create(d->gp, ALIGNMENT, NULL, &d->arena));
    records = device_records(d, &l);
    if (d->o->record_size) warmup.sort_records = &records;
    else warmup.sort_strings = &lines;
    device_try(d, gp_warmup(d->gp, &warmup));
}

void device_open(device *d, const options *o)
{
    gp_context_desc desc;
    cl_bool unified = CL_FALSE;
    memset(d, 0, sizeof *d);
    memset(&desc, 0, sizeof desc);
    d->o = o;
    desc.device_filter = o->device;
    if (o->verbose) desc.log = device_log;
    if (gp_context_create(&desc, &d->gp) != GP_OK) device_fail(d);
    device_columns(d);
    (void)clGetDeviceInfo(gp_cl_device(d->gp), CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof unified, &unified, NULL);
    d->unified = unified == CL_TRUE;
    device_warm_up(d);
}

void device_close(device *d)
{
    if (!d->unified) free(d->memory);
    else (void)clEnqueueUnmapMemObject(gp_cl_queue(d->gp), d->arena, d->memory, 0, NULL, NULL);
    (void)gp_finish(d->gp); /* what is mapped is not released */
    (void)clReleaseMemObject(d->arena);
    gp_context_destroy(d->gp);
    memset(d, 0, sizeof *d);
}

/* ------------------------------------------------------------------ arena */

static size_t round_up(size_t bytes) { return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

layout device_layout(device *d, size_t bytes, size_t count)
{
    layout l;
    memset(&l, 0, sizeof l);
    l.bytes = bytes;
    l.count = count;
    l.offsets_at = round_up(bytes);
    l.order_at = l.offsets_at + (d->o->record_size ? 0 : round_up((count + 1) * sizeof(uint32_t)));
    l.scratch_at = l.order_at + round_up(count * sizeof(uint32_t));
    if (d->o->record_size) {
        const gp_sort_records_desc sort = device_records(d, &l);
        device_try(d, gp_sort_records_scratch_size(d->gp, &sort, &l.scratch_bytes));
    } else {
        const gp_sort_strings_desc sort = device_lines(d, &l);
        device_try(d, gp_sort_strings_scratch_size(d->gp, &sort, &l.scratch_bytes));
    }
    l.end = l.scratch_at + l.scratch_bytes;
    return l;
}

/* For the host to read and write. What it has not written since is lost where that is copied. */
static void device_map_arena(device *d)
{
    cl_int error;
    if (!d->unified) return;
    d->memory = (char *)clEnqueueMapBuffer(gp_cl_queue(d->gp), d->arena, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE,
                                           0, d->size, 0, NULL, NULL, &error);
    device_try_cl("clEnqueueMapBuffer", error);
}

void device_allocate(device *d, size_t bytes)
{
    const gp_device_info *info = gp_context_info(d->gp);
    const size_t record_size = d->o->record_size ? d->o->record_size : 1;
    const size_t least = 2 * device_layout(d, 2 * record_size, RECORDS_LEAST).end;
    cl_int error;
    if (bytes < least) bytes = least;
    if (bytes > info->max_alloc_size) bytes = (size_t)info->max_alloc_size;
    if (bytes > UINT32_MAX / ALIGNMENT * ALIGNMENT) bytes = UINT32_MAX / ALIGNMENT * ALIGNMENT;
    d->size = bytes / ALIGNMENT * ALIGNMENT;
    device_try_cl("clReleaseMemObject", clReleaseMemObject(d->arena));
    d->arena =
        clCreateBuffer(gp_cl_context(d->gp), CL_MEM_READ_WRITE | (d->unified ? CL_MEM_ALLOC_HOST_PTR : 0),
                       d->size, NULL, &error);
    if (error != CL_SUCCESS)
        die("the device has no buffer of %zu bytes (%s): a smaller -S may do", d->size,
            gp_cl_error_string(error));
    if (d->unified) device_map_arena(d);
    else d->memory = (char *)allocate(d->size);
}

/* ------------------------------------------------------------------ sort */

static void device_give(device *d, const layout *l)
{
    const cl_int error = d->unified
                             ? clEnqueueUnmapMemObject(gp_cl_queue(d->gp), d->arena, d->memory, 0, NULL, NULL)
                             : clEnqueueWriteBuffer(gp_cl_queue(d->gp), d->arena, CL_TRUE, 0, l->order_at,
                                                    d->memory, 0, NULL, NULL);
    device_try_cl("records to the device", error);
}

static void device_take(device *d, const layout *l)
{
    device_try(d, gp_finish(d->gp));
    device_map_arena(d);
    if (d->unified) return;
    device_try_cl("order from the device",
                  clEnqueueReadBuffer(gp_cl_queue(d->gp), d->arena, CL_TRUE, l->order_at,
                                      l->count * sizeof(uint32_t), d->memory + l->order_at, 0, NULL, NULL));
}

static cl_mem device_scratch(const device *d, const layout *l)
{
    cl_buffer_region region;
    cl_mem scratch;
    cl_int error;
    if (!l->scratch_bytes) return NULL;
    region.origin = l->scratch_at;
    region.size = l->scratch_bytes;
    scratch = clCreateSubBuffer(d->arena, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    device_try_cl("clCreateSubBuffer", error);
    return scratch;
}

void device_sort(device *d, const layout *l)
{
    const cl_mem scratch = device_scratch(d, l);
    device_give(d, l);
    if (d->o->record_size) {
        gp_sort_records_desc sort = device_records(d, l);
        sort.scratch = scratch;
        device_try(d, gp_sort_records(d->gp, &sort));
    } else {
        gp_sort_strings_desc sort = device_lines(d, l);
        sort.scratch = scratch;
        device_try(d, gp_sort_strings(d->gp, &sort));
    }
    device_take(d, l);
    if (scratch) (void)clReleaseMemObject(scratch);
}
