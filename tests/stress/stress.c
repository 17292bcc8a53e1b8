/* stress.c - see stress.h. The program: contexts, arrays, and calls until the time is over.

   usage: stress [SECONDS [SEED [CALLS]]]      CALLS: how many at most; 0: as many as there is time for

   The seed decides everything but when it ends; the digest is of all that was compared. The time counts from
   when each operation has been called a few times. */
#include "stress.h"

#include <time.h>

/* ------------------------------------------------------------------ choices */

/* splitmix64 */
uint32_t stress_random(stress *s)
{
    uint64_t z = (s->random += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)(z ^ (z >> 31));
}

size_t stress_below(stress *s, size_t n) { return n ? stress_random(s) % n : 0; }
bool stress_chance(stress *s, size_t one_in) { return stress_below(s, one_in) == 0; }

size_t stress_count(stress *s)
{
    static const size_t tiles[] = {256, 1024, 2048, 4096, 8192, 16384, 32768};
    const size_t around = tiles[stress_below(s, sizeof tiles / sizeof *tiles)] + stress_below(s, 3) - 1;
    const size_t most = (size_t)2 << stress_below(s, 16), any = stress_below(s, most);
    if (stress_chance(s, 8)) return around;
    return any < STRESS_MOST ? any : STRESS_MOST;
}

/* ------------------------------------------------------------------ pieces */

static void use(stress *s, unsigned thing, bool writes)
{
    s->used |= 1u << thing;
    if (writes) s->written |= 1u << thing;
}

/* Room for these elements somewhere in the array. */
static piece place(stress *s, unsigned k, size_t count, size_t size, size_t grain)
{
    const stress_array *a = &s->array[k];
    piece p;
    p.buffer = a->buffer;
    p.offset = grain * stress_below(s, (a->bytes / size - count) / grain + 1);
    p.mirror = a->mirror + p.offset * size;
    return p;
}

/* An array that is not in `taken`. */
static unsigned pick(stress *s, unsigned taken)
{
    unsigned k = (unsigned)stress_below(s, STRESS_ARRAYS);
    while (taken >> k & 1) k = (k + 1) % STRESS_ARRAYS;
    return k;
}

piece stress_in(stress *s, size_t count, size_t size)
{
    const unsigned k = pick(s, s->written);
    use(s, k, false);
    return place(s, k, count, size, 1);
}

piece stress_out(stress *s, size_t count, size_t size)
{
    const unsigned k = pick(s, s->used);
    use(s, k, true);
    return place(s, k, count, size, 1);
}

static unsigned array_of(const stress *s, const piece *p)
{
    unsigned k = 0;
    while (s->array[k].buffer != p->buffer) k++;
    return k;
}

bool stress_in_place(stress *s, const piece *in)
{
    const unsigned k = array_of(s, in);
    if (s->used != 1u << k) return false;
    use(s, k, true);
    return true;
}

piece stress_number(stress *s, size_t room)
{
    unsigned k = STRESS_ARRAYS + (unsigned)stress_below(s, STRESS_NUMBERS);
    if (s->used >> k & 1) k = 2 * STRESS_ARRAYS + STRESS_NUMBERS - 1 - k;
    use(s, k, true);
    return place(s, k, room, 4, 1);
}

stress_wanted stress_want(stress *s, size_t most)
{
    const unsigned k = STRESS_ARRAYS + (unsigned)stress_below(s, STRESS_NUMBERS);
    stress_wanted w = {most, most, NULL, 0, GP_TYPE_NONE};
    piece p;
    if (!stress_chance(s, 3)) return w;
    use(s, k, false);
    p = place(s, k, 1, 4, 1);
    w.buffer = p.buffer;
    w.offset = p.offset;
    w.type = GP_U32;
    if (stress_u32(&p, 0) < most) w.count = stress_u32(&p, 0);
    return w;
}

void stress_use_table(stress *s) { use(s, STRESS_TABLE, true); }

uint32_t stress_u32(const piece *p, size_t i)
{
    uint32_t x;
    memcpy(&x, p->mirror + 4 * i, 4);
    return x;
}

void stress_set_u32(const piece *p, size_t i, uint32_t x) { memcpy(p->mirror + 4 * i, &x, 4); }

/* ------------------------------------------------------------------ calls */

void stress_next(stress *s)
{
    s->used = s->written = 0;
    s->which = (int)stress_below(s, 2);
    s->gp = s->context[s->which];
}

/* What the call at hand comes after. */
const cl_event *stress_wait_list(stress *s, cl_uint *count)
{
    unsigned k, i;
    *count = 0;
    for (k = 0; k < STRESS_THINGS; k++) {
        if (!(s->used >> k & 1) || !s->last[k]) continue;
        for (i = 0; i < *count && s->wait[i] != s->last[k]; i++) {
        }
        if (i == *count) s->wait[(*count)++] = s->last[k];
    }
    s->done = NULL;
    return *count ? s->wait : NULL;
}

static void tell(stress *s, const char *what)
{
    printf("stress: call %llu, %s (%s), context %d: %s\n", s->calls, s->name, gp_context_info(s->gp)->name,
           s->which, what);
    s->failed++;
}

void stress_called(stress *s, const char *name, gp_result result)
{
    unsigned k;
    s->name = name;
    s->calls++;
    if (result != GP_OK) tell(s, gp_last_error(s->gp));
    for (k = 0; k < STRESS_THINGS && s->done; k++) {
        if (!(s->used >> k & 1)) continue;
        if (s->last[k]) clReleaseEvent(s->last[k]);
        clRetainEvent(s->done);
        s->last[k] = s->done;
    }
    if (s->done) clReleaseEvent(s->done);
    s->done = NULL;
    (void)clFlush(gp_cl_queue(s->gp)); /* the other queue waits for it */
}

void stress_expect(stress *s, const char *what, uint64_t got, uint64_t expected)
{
    char text[160];
    if (got == expected) return;
    (void)snprintf(text, sizeof text, "%s is %llu, not %llu", what, (unsigned long long)got,
                   (unsigned long long)expected);
    tell(s, text);
}

void stress_send(stress *s, const piece *p, size_t count, size_t size)
{
    cl_uint n;
    const cl_event *wait;
    const unsigned used = s->used;
    if (count == 0) return;
    s->used = 1u << array_of(s, p);
    wait = stress_wait_list(s, &n);
    if (clEnqueueWriteBuffer(gp_cl_queue(s->gp), p->buffer, CL_TRUE, p->offset * size, count * size,
                             p->mirror, n, wait, NULL) != CL_SUCCESS)
        tell(s, "clEnqueueWriteBuffer");
    s->used = used;
}

/* ------------------------------------------------------------------ comparing */

static uint64_t digest = 0xcbf29ce484222325u;

/* The array is what its mirror is; if not, the mirror follows, so that one fault is told once. */
static void compare(stress *s, unsigned k)
{
    const stress_array *a = &s->array[k];
    unsigned char *got = malloc(a->bytes);
    cl_uint n;
    const cl_event *wait;
    size_t i;
    if (!got) abort();
    s->used = 1u << k;
    wait = stress_wait_list(s, &n);
    if (clEnqueueReadBuffer(gp_cl_queue(s->gp), a->buffer, CL_TRUE, 0, a->bytes, got, n, wait, NULL) !=
        CL_SUCCESS)
        tell(s, "clEnqueueReadBuffer");
    if (memcmp(got, a->mirror, a->bytes) != 0) {
        char text[160];
        for (i = 0; got[i] == a->mirror[i]; i++) {
        }
        (void)snprintf(text, sizeof text, "this call or one before: byte %zu of array %u is %02x, not %02x",
                       i, k, got[i], a->mirror[i]);
        tell(s, text);
        memcpy(a->mirror, got, a->bytes);
    }
    for (i = 0; i < a->bytes; i += 64) digest = (digest ^ got[i]) * 0x100000001b3u;
    free(got);
}

static void compare_some(stress *s)
{
    unsigned k;
    const unsigned written = s->written;
    const bool all = stress_chance(s, 32), some = stress_chance(s, 3);
    for (k = 0; k < STRESS_ALL; k++) {
        if (all || (some && written >> k & 1)) compare(s, k);
    }
}

/* ------------------------------------------------------------------ new input */

/* Elements of an array, by some pattern. */
static void refresh(stress *s)
{
    const size_t count = STRESS_BYTES / 4;
    const piece p = stress_out(s, count, 4);
    const unsigned how = (unsigned)stress_below(s, 5);
    const uint32_t few = (uint32_t)2 << stress_below(s, 16);
    size_t i;
    for (i = 0; i < count; i++) {
        const uint32_t r = stress_random(s);
        stress_set_u32(&p, i,
                       how == 0   ? r
                       : how == 1 ? r % few
                       : how == 2 ? (uint32_t)i
                       : how == 3 ? r & 0x01010101u
                                  : r % 100);
    }
    stress_send(s, &p, count, 4);
    stress_called(s, "refresh", GP_OK);
}

static void refresh_numbers(stress *s)
{
    const piece p = stress_number(s, STRESS_ROOM);
    size_t i;
    for (i = 0; i < STRESS_ROOM; i++) stress_set_u32(&p, i, (uint32_t)stress_count(s));
    stress_send(s, &p, STRESS_ROOM, 4);
    stress_called(s, "refresh_numbers", GP_OK);
}

static const stress_entry refreshes[] = {
    {"refresh", refresh}, {"refresh_numbers", refresh_numbers}, {NULL, NULL}};

/* ------------------------------------------------------------------ the program */

static const stress_entry *const families[] = {stress_sums,  stress_keys,   stress_packs, stress_maps,
                                               stress_nests, stress_hashes, refreshes};
enum { FAMILIES = sizeof families / sizeof *families };

static void call(stress *s, const stress_entry *entry)
{
    stress_next(s);
    entry->run(s);
    compare_some(s);
}

static void call_one(stress *s)
{
    const stress_entry *family = families[stress_below(s, FAMILIES)];
    size_t n = 0;
    while (family[n].name) n++;
    call(s, &family[stress_below(s, n)]);
}

/* Everything a few times, so that most programs are there before the time begins to count. */
static void call_all(stress *s)
{
    size_t f, n, k;
    for (f = 0; f < FAMILIES; f++) {
        for (n = 0; families[f][n].name; n++) {
            for (k = 0; k < 4; k++) call(s, &families[f][n]);
        }
    }
}

static void open_arrays(stress *s)
{
    unsigned k;
    for (k = 0; k < STRESS_ALL; k++) {
        stress_array *a = &s->array[k];
        a->bytes = k < STRESS_ARRAYS ? STRESS_BYTES : STRESS_ROOM * 4;
        a->mirror = calloc(a->bytes, 1);
        assert_non_null(a->mirror);
        assert_gp(s->context[0], gp_buffer_create(s->context[0], a->bytes, a->mirror, &a->buffer));
    }
}

/* A context with a queue of each kind, and a hash table in both. */
static void open_contexts(stress *s)
{
    gp_context_desc desc = {0}, other = {0};
    gp_hash_desc table = {0};
    cl_int error;
    s->context[0] = test_open_with(&desc);
    other.share = s->context[0];
    other.queue = clCreateCommandQueue(gp_cl_context(s->context[0]), gp_cl_device(s->context[0]),
                                       CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
    if (error != CL_SUCCESS) { /* the device has none */
        other.queue =
            clCreateCommandQueue(gp_cl_context(s->context[0]), gp_cl_device(s->context[0]), 0, &error);
    }
    assert_int_equal(error, CL_SUCCESS);
    s->context[1] = test_open_with(&other);
    clReleaseCommandQueue(other.queue);
    table.key_size = table.value_size = 4;
    table.capacity = 16384;
    assert_gp(s->context[0], gp_hash_create(s->context[0], &table, &s->table[0]));
    assert_gp(s->context[1], gp_hash_share(s->context[1], s->context[0], s->table[0], &s->table[1]));
    s->live = calloc(STRESS_KEYS, sizeof *s->live);
    s->is_live = calloc(STRESS_KEYS, sizeof *s->is_live);
    assert_true(s->live && s->is_live);
}

static void close_all(stress *s)
{
    unsigned k;
    assert_gp(s->context[0], gp_finish(s->context[0]));
    assert_gp(s->context[1], gp_finish(s->context[1]));
    for (k = 0; k < STRESS_THINGS; k++) {
        if (s->last[k]) clReleaseEvent(s->last[k]);
    }
    for (k = 0; k < STRESS_ALL; k++) {
        clReleaseMemObject(s->array[k].buffer);
        free(s->array[k].mirror);
    }
    gp_context_destroy(s->context[1]);
    gp_context_destroy(s->context[0]);
    free(s->live);
    free(s->is_live);
}

int main(int argc, char **argv)
{
    const double seconds = argc > 1 ? atof(argv[1]) : 10;
    const unsigned long long seed =
        argc > 2 && *argv[2] ? strtoull(argv[2], NULL, 0) : (unsigned long long)time(NULL);
    const unsigned long long most = argc > 3 ? strtoull(argv[3], NULL, 0) : 0;
    time_t begin;
    unsigned long long k;
    stress s;
    unsigned a;
    memset(&s, 0, sizeof s);
    s.random = seed;
    printf("stress: SEED=%llu\n", seed);
    fflush(stdout);
    for (k = 0; k < seed % 4096; k++) (void)test_random(); /* what the tests' patterns are made of */
    open_contexts(&s);
    open_arrays(&s);
    printf("stress: on %s, %s\n", gp_context_info(s.context[0])->name,
           gp_context_info(s.context[0])->platform_name);
    call_all(&s);
    begin = time(NULL);
    while (most ? s.calls < most : difftime(time(NULL), begin) < seconds) call_one(&s);
    s.name = "the end";
    for (a = 0; a < STRESS_ALL; a++) compare(&s, a);
    printf("stress: SEED=%llu: %llu calls, %llu failed, digest %016llx, %.0f s\n", seed, s.calls, s.failed,
           (unsigned long long)digest, difftime(time(NULL), begin));
    close_all(&s);
    return s.failed ? 1 : 0;
}
