/* scenarios_context.c - contexts, buffers, the profile, warm-up, waiting. See driver.h. */
#include "driver.h"

/* ------------------------------------------------------------------ create, destroy */

static gp_result sum_of(gp_context *gp, cl_mem buffer, size_t count, void *to)
{
    gp_reduce_desc d = {0};
    d.in = buffer;
    d.count = count;
    d.type = GP_U32;
    d.op = GP_SUM;
    return gp_reduce_read(gp, &d, to);
}

static bool is_sum(const world *w, size_t count)
{
    uint64_t sum = 0, found;
    size_t i;
    for (i = 0; i < count; i++) sum += mod7[i];
    memcpy(&found, w->host, sizeof found);
    return found == sum;
}

static void forget_contexts(world *w)
{
    gp_context_destroy(w->other);
    gp_context_destroy(w->gp);
    w->gp = w->other = NULL;
}

static gp_result use_context(world *w)
{
    const gp_result result = gp_buffer_create(w->gp, 4000, mod7, &w->buffer[0]);
    return result == GP_OK ? sum_of(w->gp, w->buffer[0], 1000, w->host) : result;
}

static bool check_use(world *w) { return is_sum(w, 1000); }

static gp_result create_with(world *w, gp_context_desc *desc)
{
    gp_result result;
    desc->cache_dir = w->cache_dir;
    result = gp_context_create(desc, &w->gp);
    return result == GP_OK ? use_context(w) : result;
}

static gp_result run_create(world *w)
{
    gp_context_desc desc = {0};
    desc.profile = true;
    return create_with(w, &desc);
}

/* On the caller's queue. Its objects are those of a context that is there before. */
static void prepare_other(world *w)
{
    gp_context_desc desc = {0};
    forget_contexts(w);
    desc.cache_dir = w->cache_dir;
    must(gp_context_create(&desc, &w->other) == GP_OK, gp_last_error(NULL));
}

static gp_result run_create_on_queue(world *w)
{
    gp_context_desc desc = {0};
    desc.queue = gp_cl_queue(w->other);
    return create_with(w, &desc);
}

static gp_result run_create_in_context(world *w)
{
    gp_context_desc desc = {0};
    desc.context = gp_cl_context(w->other);
    desc.device = gp_cl_device(w->other);
    return create_with(w, &desc);
}

/* Takes over a program. */
static void prepare_share(world *w)
{
    world first = {0};
    prepare_other(w);
    first.gp = w->other;
    must(use_context(&first) == GP_OK, gp_last_error(w->other));
    (void)clReleaseMemObject(first.buffer[0]);
}

static gp_result run_create_share(world *w)
{
    gp_context_desc desc = {0};
    desc.share = w->other;
    return create_with(w, &desc);
}

static const char tuning_path[] = "build/fault-tuning";

static void prepare_tuned(world *w)
{
    FILE *file = fopen(tuning_path, "wb");
    const gp_device_info *info;
    prepare_other(w);
    info = gp_context_info(w->other);
    must(file && fprintf(file, "gpuprim tuning 1\nplatform %s\ndevice %s\nreduce polls=7\n",
                         info->platform_name, info->name) > 0,
         "no file");
    must(fclose(file) == 0, "no file");
}

static gp_result run_create_tuned(world *w)
{
    gp_context_desc desc = {0};
    gp_result result;
    desc.tuning_file = tuning_path;
    result = create_with(w, &desc);
    (void)remove(tuning_path);
    return result;
}

/* What fails in a pool is its own affair. */
static cl_mem pool_alloc(size_t bytes, void *context)
{
    const bool armed = fault->armed;
    cl_mem buffer;
    cl_int error;
    fault->armed = false;
    buffer = clCreateBuffer((cl_context)context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    fault->armed = armed;
    return buffer;
}

static void pool_free(cl_mem buffer, void *context)
{
    (void)context;
    (void)clReleaseMemObject(buffer);
}

/* Scratch from a pool, which has to grow. */
static gp_result run_pool(world *w)
{
    gp_context_desc desc = {.tuning = {.shape = GP_SHAPE_SERIAL, .tile = 16}, .scratch_limit = 60000};
    gp_scan_desc scan = {.type = GP_U32, .op = GP_SUM};
    gp_result result;
    desc.cache_dir = w->cache_dir;
    desc.context = gp_cl_context(w->other);
    desc.device = gp_cl_device(w->other);
    desc.scratch_alloc = pool_alloc;
    desc.scratch_free = pool_free;
    desc.scratch_user = desc.context;
    result = gp_context_create(&desc, &w->gp);
    if (result == GP_OK) result = gp_buffer_create(w->gp, 4000, mod7, &w->buffer[0]);
    if (result == GP_OK) result = gp_buffer_create(w->gp, 4000, NULL, &w->buffer[1]);
    scan.in = w->buffer[0];
    scan.out = w->buffer[1];
    for (scan.count = 500; scan.count <= 1000 && result == GP_OK; scan.count += 500)
        result = gp_scan(w->gp, &scan);
    return result == GP_OK ? gp_finish(w->gp) : result;
}

static bool check_pool(world *w)
{
    uint32_t sum = 0;
    size_t i;
    for (i = 0; i < 1000; i++) want[i] = sum += mod7[i];
    return holds(w, 1, want, 4000);
}

static void prepare_destroy(world *w)
{
    gp_context_desc desc = {0};
    forget_contexts(w);
    desc.cache_dir = w->cache_dir;
    must(gp_context_create(&desc, &w->gp) == GP_OK, gp_last_error(NULL));
    must(use_context(w) == GP_OK, gp_last_error(w->gp));
}

static gp_result run_destroy(world *w)
{
    gp_iota_desc d = {0};
    gp_result result;
    d.out = w->buffer[0];
    d.count = 1000;
    d.type = GP_U32;
    result = gp_iota(w->gp, &d);
    if (result != GP_OK) return result;
    gp_context_destroy(w->gp);
    w->gp = NULL;
    return result;
}

static unsigned char exported[1 << 20];
static size_t exported_size;

static void keep_exported(const void *bytes, size_t size, void *user)
{
    (void)user;
    must(size <= sizeof exported - exported_size, "exports are larger than expected");
    memcpy(exported + exported_size, bytes, size);
    exported_size += size;
}

static gp_result run_export(world *w)
{
    exported_size = 0;
    return gp_programs_export(w->gp, keep_exported, NULL);
}

static bool check_export(world *w) { return gp_programs_import(w->gp, exported, exported_size) == GP_OK; }

static void prepare_import(world *w)
{
    world first = {0};
    prepare_share(w);
    first.gp = w->other;
    must(run_export(&first) == GP_OK, gp_last_error(w->other));
}

static gp_result run_import(world *w)
{
    gp_context_desc desc = {0};
    gp_result result;
    desc.no_disk_cache = true;
    result = gp_context_create(&desc, &w->gp);
    if (result == GP_OK) result = gp_programs_import(w->gp, exported, exported_size);
    return result == GP_OK ? use_context(w) : result;
}

static gp_result run_devices(world *w)
{
    gp_device_info info;
    size_t count = 0;
    const gp_result result = gp_devices(&info, 1, &count);
    memcpy(w->host, &count, sizeof count);
    return result;
}

static bool check_devices(world *w)
{
    size_t count;
    memcpy(&count, w->host, sizeof count);
    return count > 0;
}

/* ------------------------------------------------------------------ buffers, profile */

static gp_result run_buffer(world *w) { return gp_buffer_create(w->gp, sizeof mod7, mod7, &w->buffer[0]); }

static bool check_buffer(world *w) { return holds(w, 0, mod7, sizeof mod7); }

static void with_profile(world *w, gp_context_desc *desc)
{
    (void)w;
    desc->profile = true;
}

static void prepare_one(world *w) { put_out(w, 0, sizeof ramp); }

static gp_result run_profile(world *w)
{
    gp_kernel_times kernels[4];
    gp_stats profile;
    gp_iota_desc d = {0};
    size_t count = 0;
    gp_result result;
    d.out = w->buffer[0];
    d.count = N;
    d.type = GP_U32;
    result = gp_stats_reset(w->gp);
    if (result == GP_OK) result = gp_iota(w->gp, &d);
    if (result == GP_OK) result = gp_stats_read(w->gp, &profile);
    if (result == GP_OK) result = gp_stats_kernels(w->gp, kernels, 4, &count);
    if (result == GP_OK) w->host[0] = profile.launches == 1;
    return result;
}

static bool check_profile(world *w) { return w->host[0] == 1 && holds(w, 0, ramp, sizeof ramp); }

/* ------------------------------------------------------------------ warm-up */

static gp_result run_warmup(world *w)
{
    gp_warmup_desc d = {0};
    gp_reduce_desc reduce = {0};
    gp_scan_desc scan = {0};
    gp_segmented_scan_desc segmented_scan = {0};
    gp_select_desc select = {0};
    gp_hash_desc hash = {0};
    gp_search_desc search = {0};
    const gp_sort_column column = {"-x", GP_F32, false};
    gp_sort_records_desc sort_records = {0};
    gp_gather_desc gather = {0};
    gp_transpose_desc transpose = {0};
    gp_stencil_desc stencil = {0};
    gp_random_desc random = {0};
    const gp_key_column key = {.type = GP_U32};
    const gp_group_result count = {.op = GP_COUNT};
    const gp_group_by_desc group_by = {
        .columns = &key, .column_count = 1, .results = &count, .result_count = 1};
    const gp_bloom_desc bloom = {.columns = &key, .column_count = 1};
    const gp_hyperloglog_desc hyperloglog = {.columns = &key, .column_count = 1};
    const gp_join_desc join = {.left = &key, .right = &key, .column_count = 1};
    reduce.type = scan.type = segmented_scan.type = select.type = search.key_type = GP_U32;
    reduce.op = scan.op = segmented_scan.op = GP_SUM;
    select.predicate = "x > 3";
    select.out = select.count_out = NULL;
    hash.key_size = hash.value_size = 4;
    gather.element_size = transpose.element_size = 4;
    stencil.type = GP_F32;
    stencil.radius_x = 1;
    random.type = GP_U32;
    d.reduce = &reduce;
    d.scan = &scan;
    d.segmented_scan = &segmented_scan;
    d.select = &select;
    d.hash = &hash;
    d.search = &search;
    sort_records.type = GP_F32;
    sort_records.columns = &column;
    sort_records.column_count = 1;
    d.sort_records = &sort_records;
    d.gather = &gather;
    d.transpose = &transpose;
    d.stencil = &stencil;
    d.random = &random;
    d.group_by = &group_by;
    d.join = &join;
    d.bloom = &bloom;
    d.hyperloglog = &hyperloglog;
    return gp_warmup(w->gp, &d);
}

static bool check_nothing(world *w)
{
    (void)w;
    return true;
}

/* The case of most calls. */
static gp_result run_self_test(world *w)
{
    gp_self_test_desc d = {0};
    d.filter = "gp_hash";
    d.count = 5000;
    return gp_self_test(w->gp, &d);
}

/* ------------------------------------------------------------------ events */

static void prepare_two(world *w)
{
    put(w, 0, mod7, sizeof mod7);
    put_out(w, 1, sizeof mod7);
    put_out(w, 2, sizeof mod7);
}

/* A sum of `from` to `to` that waits for one event and makes another. */
static gp_result scan_behind(world *w, int from, int to, const cl_event *wait, cl_event *done)
{
    gp_scan_desc d = {0};
    d.in = w->buffer[from];
    d.out = w->buffer[to];
    d.count = N;
    d.type = GP_U32;
    d.op = GP_SUM;
    d.wait = wait;
    d.wait_count = wait != NULL;
    d.done = done;
    return gp_scan(w->gp, &d);
}

/* A chain of calls, by events; a call's `done` is NULL where it has failed. */
static gp_result run_events(world *w)
{
    cl_event first = NULL, second = NULL;
    gp_result result = scan_behind(w, 0, 1, NULL, &first);
    if (result == GP_OK) result = scan_behind(w, 1, 2, &first, &second);
    w->host[0] = result == GP_OK || !second;
    if (first) (void)clReleaseEvent(first);
    if (second) (void)clReleaseEvent(second);
    return result;
}

static bool check_events(world *w)
{
    uint32_t sum = 0, total = 0;
    size_t i;
    for (i = 0; i < N; i++) {
        sum += mod7[i];
        total += sum;
        want[i] = total;
    }
    return w->host[0] == 1 && holds(w, 2, want, sizeof want);
}

static bool kept_events(world *w) { return w->host[0] == 1; }

/* An out-of-order queue of the caller's. */
static void out_of_order(world *w, gp_context_desc *desc)
{
    cl_int error;
    must(gp_context_create(desc, &w->other) == GP_OK, gp_last_error(NULL));
    w->queue = clCreateCommandQueue(gp_cl_context(w->other), gp_cl_device(w->other),
                                    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
    must(error == CL_SUCCESS, "clCreateCommandQueue");
    desc->queue = w->queue;
}

/* Two scans that nothing but their scratch orders, and one behind both. */
static gp_result run_out_of_order(world *w)
{
    cl_event first = NULL, second = NULL;
    gp_result result = scan_behind(w, 0, 1, NULL, &first);
    if (result == GP_OK) result = scan_behind(w, 0, 2, NULL, NULL);
    if (result == GP_OK) result = scan_behind(w, 1, 3, &first, &second);
    w->host[0] = result == GP_OK || !second;
    if (first) (void)clReleaseEvent(first);
    if (second) (void)clReleaseEvent(second);
    return result;
}

static void prepare_out_of_order(world *w)
{
    prepare_two(w);
    put_out(w, 3, sizeof mod7);
}

static bool check_out_of_order(world *w)
{
    uint32_t sum = 0, total = 0;
    size_t i;
    for (i = 0; i < N; i++) want[i] = sum += mod7[i];
    if (w->host[0] != 1 || !holds(w, 2, want, sizeof want)) return false;
    for (i = 0; i < N; i++) want[i] = total += want[i];
    return holds(w, 3, want, sizeof want);
}

const scenario scenarios_context[] = {
    {"create", NULL, forget_contexts, run_create, check_use, NULL, true, false},
    {"create_on_queue", NULL, prepare_other, run_create_on_queue, check_use, NULL, true, false},
    {"create_in_context", NULL, prepare_other, run_create_in_context, check_use, NULL, true, false},
    {"create_share", NULL, prepare_share, run_create_share, check_use, NULL, true, false},
    {"create_tuned", NULL, prepare_tuned, run_create_tuned, check_use, NULL, true, false},
    {"scratch_pool", NULL, prepare_other, run_pool, check_pool, NULL, true, false},
    {"destroy", NULL, prepare_destroy, run_destroy, check_use, NULL, true, false},
    {"export", NULL, prepare_destroy, run_export, check_export, NULL, true, false},
    {"import", NULL, prepare_import, run_import, check_use, NULL, true, false},
    {"devices", NULL, forget_contexts, run_devices, check_devices, NULL, true, true},
    {"buffer_create", NULL, NULL, run_buffer, check_buffer, NULL, false, false},
    {"profile", with_profile, prepare_one, run_profile, check_profile, NULL, false, false},
    {"warmup", NULL, NULL, run_warmup, check_nothing, NULL, false, false},
    {"self_test", NULL, NULL, run_self_test, check_nothing, NULL, false, false},
    {"events", NULL, prepare_two, run_events, check_events, kept_events, false, false},
    {"out_of_order", out_of_order, prepare_out_of_order, run_out_of_order, check_out_of_order, kept_events,
     false, false},
    {0},
};
