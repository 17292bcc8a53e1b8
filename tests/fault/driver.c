/* driver.c - runs one scenario again and again, each time with another call failing. See fault.h.

   usage: driver --list | driver SCENARIO [TURNS]

   Passes over a scenario, each with k = 1, 2, 3 ... until a run ends in which nothing was left to fail:

       again      calls fail; the programs are in the context
       loaded     calls fail; the programs are in the disk cache
       built      calls fail; there is no disk cache to load from, but one to save to
       commands   commands fail after they have been enqueued
       host       malloc, files fail; programs as in `built`, and then as in `loaded`

   After each failure: a result and a text that fit, or the exact result where this is a call that the library
   can do without; inputs as they were; the same context then does all of it right; and no object is left.
   TURNS times, so that calls fail with one error after the other. */
#define GP_IMPLEMENTATION
#include "driver.h"

#include <dirent.h>
#include <dlfcn.h>
#include <unistd.h>

fault_state *fault;
uint32_t ramp[N], mod7[N], falling[N], want[N];

typedef struct tally {
    unsigned failed;   /* calls that were made to fail */
    unsigned reported; /* ... told by an error */
    unsigned without;  /* ... done without: exact result */
    unsigned wrong;    /* ... anything else */
    unsigned all_calls;
} tally;

typedef struct pass {
    const char *name;
    fault_kind kind;
    bool fresh; /* a new context for each run */
    bool cold;  /* ... and an empty disk cache */
} pass;

static const pass passes[] = {
    {"again", FAULT_CALL, false, false},     {"loaded", FAULT_CALL, true, false},
    {"built", FAULT_CALL, true, true},       {"commands", FAULT_COMMAND, false, false},
    {"host, built", FAULT_HOST, true, true}, {"host, loaded", FAULT_HOST, true, false},
};

void must(bool good, const char *what)
{
    if (good) return;
    printf("fault: %s, without any fault\n", what);
    exit(2);
}

/* ------------------------------------------------------------------ buffers */

static void put_any(world *w, int k, const void *data, size_t size)
{
    must(gp_buffer_create(w->gp, size, data, &w->buffer[k]) == GP_OK, gp_last_error(w->gp));
    w->size[k] = size;
}

void put(world *w, int k, const void *data, size_t size)
{
    put_any(w, k, data, size);
    w->data[k] = data;
}

void put_inout(world *w, int k, const void *data, size_t size) { put_any(w, k, data, size); }

void put_out(world *w, int k, size_t size)
{
    unsigned char *poison = (unsigned char *)malloc(size);
    must(poison != NULL, "no memory");
    memset(poison, 0xa5, size);
    put_any(w, k, poison, size);
    free(poison);
}

bool holds(world *w, int k, const void *expected, size_t size)
{
    unsigned char *found = (unsigned char *)malloc(size);
    bool same;
    must(found != NULL, "no memory");
    must(clEnqueueReadBuffer(gp_cl_queue(w->gp), w->buffer[k], CL_TRUE, 0, size, found, 0, NULL, NULL) ==
             CL_SUCCESS,
         "clEnqueueReadBuffer");
    same = memcmp(found, expected, size) == 0;
    free(found);
    return same;
}

static bool inputs_kept(world *w)
{
    int k;
    for (k = 0; k < WORLD_BUFFERS; k++) {
        if (w->data[k] && !holds(w, k, w->data[k], w->size[k])) return false;
    }
    return true;
}

/* ------------------------------------------------------------------ contexts */

static void empty_folder(const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    if (!folder) return;
    while ((entry = readdir(folder)) != NULL) {
        char *file = gpi_format("%s/%s", path, entry->d_name);
        if (file && entry->d_name[0] != '.') (void)remove(file);
        free(file);
    }
    (void)closedir(folder);
}

static void open_context(const scenario *s, world *w)
{
    gp_context_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.cache_dir = w->cache_dir;
    if (s->describe) s->describe(w, &desc);
    must(gp_context_create(&desc, &w->gp) == GP_OK, gp_last_error(NULL));
}

/* All that is prepared, or made by the run. */
static void clear_world(world *w)
{
    int k;
    if (w->gp && w->table.id) (void)gp_hash_destroy(w->gp, w->table);
    w->table.id = 0;
    for (k = 0; k < WORLD_BUFFERS; k++) {
        if (w->buffer[k]) (void)clReleaseMemObject(w->buffer[k]);
        w->buffer[k] = NULL;
        w->data[k] = NULL;
    }
}

static void close_context(world *w)
{
    clear_world(w);
    gp_context_destroy(w->other);
    gp_context_destroy(w->gp);
    w->gp = w->other = NULL;
    if (w->queue) (void)clReleaseCommandQueue(w->queue);
    w->queue = NULL;
}

static long live_objects(void)
{
    long all = 0;
    int k;
    for (k = 0; k < FAULT_OBJECT_KINDS; k++) all += fault->live[k];
    return all;
}

static void print_objects(void)
{
    static const char *const names[] = {
#define NAME(name) #name,
        FAULT_OBJECTS(NAME)
#undef NAME
    };
    int k;
    for (k = 0; k < FAULT_OBJECT_KINDS; k++) printf(" %s %ld", names[k], fault->live[k]);
    printf("\n");
}

/* ------------------------------------------------------------------ runs */

/* Runs the scenario, the k-th call failing (0: none), and waits for what it has enqueued. */
static gp_result run_once(const scenario *s, world *w, fault_kind kind, unsigned k, unsigned turn)
{
    gp_result result;
    memset(w->host, 0xa5, sizeof w->host);
    memset(w->number, 0xa5, sizeof w->number);
    if (s->prepare) s->prepare(w);
    if (w->gp) must(gp_finish(w->gp) == GP_OK, "gp_finish");
    fault->kind = kind;
    fault->fail_at = k;
    fault->turn = turn;
    fault->could_fail = 0;
    fault->function = NULL;
    fault->error = 0;
    fault->armed = true;
    result = s->run(w);
    if (w->gp && result == GP_OK) result = gp_finish(w->gp);
    fault->armed = false;
    if (w->gp && result != GP_OK) {
        const gp_result again = gp_finish(w->gp); /* what it had enqueued may fail as well */
        if (again != GP_OK && kind != FAULT_COMMAND) {
            printf("fault: call %u, error %u, %s failed; then gp_finish: %s\n", k, turn,
                   fault->function ? fault->function : "nothing", gp_last_error(w->gp));
            exit(2);
        }
    }
    return result;
}

/* Calls that the library can do without: another way, or less told. */
static bool can_do_without(const char *function)
{
    static const char *const names[] = {
        "clGetDeviceIDs",            /* that platform is left out */
        "clGetPlatformInfo",         /* the same */
        "clGetDeviceInfo",           /* that device is, and those behind it */
        "clCreateProgramWithBinary", /* built from source */
        "clCreateProgramWithSource", /* of a program that is to be saved: not saved */
        "clBuildProgram",            /* the same, of a binary */
        "clGetProgramInfo",          /* not saved */
        "clGetProgramBuildInfo",     /* the compiler's warnings are not read */
        "clGetKernelWorkGroupInfo",  /* the launch will tell */
        "clGetEventInfo",            /* asked again later */
        "clWaitForEvents",           /* where a command has ended: its status stands */
        "clGetEventProfilingInfo",   /* that launch is not in the profile */
        "clFlush",                   /* sooner or later it runs anyway */

        "clGetExtensionFunctionAddressForPlatform", /* a kernel's sub-groups are taken to be the device's */
        "open",
        "read",
        "write",
        "close",
        "rename",
        "opendir",
        "stat", /* built from source, not saved */
        "malloc",
        "calloc",
        "realloc", /* the same; commands unwatched */
    };
    size_t i;
    for (i = 0; i < GPI_COUNT_OF(names); i++) {
        if (strcmp(names[i], function) == 0) return true;
    }
    return false;
}

/* Is it about which devices there are? */
static bool is_probe(const char *function)
{
    return strncmp(function, "clGetDevice", 11) == 0 || strncmp(function, "clGetPlatform", 13) == 0;
}

/* The only file whose caller wants to know that it cannot be opened or read. */
static bool is_tuning_file(void)
{
    return fault->kind == FAULT_HOST &&
           (strcmp(fault->function, "open") == 0 || strcmp(fault->function, "read") == 0);
}

/* What the call's error must come out as. */
static bool fits(gp_result result)
{
    const char *function = fault->function;
    if (is_tuning_file()) return result == GP_ERROR_INVALID_ARGUMENT;
    if (fault->kind == FAULT_HOST) return result == GP_ERROR_OUT_OF_HOST_MEMORY;
    if (fault->kind == FAULT_COMMAND) /* the second: a call that waits for the one that failed */
        return result == GP_ERROR_OPENCL || result == GP_ERROR_INVALID_ARGUMENT;
    if (strcmp(function, "clGetPlatformIDs") == 0) return result == GP_ERROR_NO_PLATFORM;
    if (is_probe(function) && result == GP_ERROR_NO_DEVICE) return true;
    if (fault->error == CL_OUT_OF_HOST_MEMORY) return result == GP_ERROR_OUT_OF_HOST_MEMORY;
    if (strcmp(function, "clBuildProgram") == 0) return result == GP_ERROR_BUILD;
    switch (fault->error) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_RESOURCES:
    case CL_INVALID_BUFFER_SIZE: return result == GP_ERROR_OUT_OF_DEVICE_MEMORY;
    default: return result == GP_ERROR_OPENCL;
    }
}

/* Does the text name the call and its error? */
static bool tells(const char *text)
{
    if (!*text) return false;
    if (is_tuning_file()) return strstr(text, "cannot read") && strstr(text, "tuning_file");
    if (fault->kind == FAULT_HOST) return strstr(text, "memory") || strstr(text, "MEMORY");
    if (fault->kind == FAULT_COMMAND)
        return strstr(text, "CL_OUT_OF_RESOURCES") || strstr(text, "CL_EXEC_STATUS_ERROR");
    if (fault->error == CL_DEVICE_NOT_FOUND) return true; /* none of the other devices matches */
    return strstr(text, fault->function) && strstr(text, gpi_cl_error_name(fault->error));
}

/* What the context has to tell that the call was made with. */
static const char *last_text(const scenario *s, const world *w)
{
    const char *text = gp_last_error(s->no_context ? NULL : w->gp);
    return !*text && w->other ? gp_last_error(w->other) : text;
}

/* NULL when the run is as it must be after the failure. */
static const char *judge(const scenario *s, world *w, gp_result result, tally *t)
{
    const char *text = last_text(s, w);
    if (result == GP_OK) {
        t->without++;
        const bool destroyed = !w->gp && !s->no_context; /* which has no result */
        if (!destroyed && !can_do_without(fault->function)) return "the error was lost";
        return s->check(w) ? NULL : "success, and a wrong result";
    }
    t->reported++;
    if (!fits(result)) return "a result that does not fit";
    if (!tells(text)) return "a text that does not tell";
    if (w->gp && !inputs_kept(w)) return "an input was changed";
    if (s->kept && !s->kept(w)) return "what was there before is not as it was";
    return NULL;
}

/* One failure and all that must be so afterwards; false: nothing was left to fail. */
static bool fail_once(const scenario *s, world *w, const pass *p, unsigned k, unsigned turn, long before,
                      tally *t)
{
    const gp_result result = run_once(s, w, p->kind, k, turn);
    const char *function = fault->function, *wrong;
    const int error = fault->error;
    if (!function) {
        must(result == GP_OK && s->check(w), "a run that nothing failed in is wrong");
        clear_world(w);
        return false;
    }
    t->failed++;
    wrong = judge(s, w, result, t);
    if (wrong) printf("    %s\n", gp_last_error(w->gp));
    clear_world(w);
    if (run_once(s, w, p->kind, 0, 0) != GP_OK) {
        printf("    afterwards: %s\n", gp_last_error(w->gp));
        wrong = "and then the context does not work";
    } else if (!s->check(w)) {
        wrong = "and then the result is wrong";
    }
    clear_world(w);
    if (w->gp) must(gp_finish(w->gp) == GP_OK, "gp_finish");
    if (!p->fresh && live_objects() != before) {
        wrong = "objects are left";
        print_objects();
    }
    if (wrong) {
        printf("  WRONG: %s, %s, call %u, %s returned %s: %s: %s\n", s->name, p->name, k, function,
               error ? gpi_cl_error_name(error) : "an error", gp_error_string(result), wrong);
        t->wrong++;
    }
    return true;
}

/* ------------------------------------------------------------------ passes */

/* All k with one context. */
static void sweep_one_context(const scenario *s, world *w, const pass *p, unsigned turn, tally *t)
{
    unsigned k;
    long before = 0;
    open_context(s, w);
    for (k = 0; k < 3; k++) { /* programs are built and saved, scratch has grown */
        must(run_once(s, w, p->kind, 0, 0) == GP_OK, gp_last_error(w->gp));
        must(s->check(w), "a wrong result");
        clear_world(w);
        must(gp_finish(w->gp) == GP_OK, "gp_finish");
        before = live_objects();
    }
    k = 1;
    while (fail_once(s, w, p, k, turn + k, before, t)) k++;
    close_context(w);
}

static void sweep_fresh_contexts(const scenario *s, world *w, const pass *p, unsigned turn, tally *t)
{
    unsigned k = 0;
    bool more = true;
    while (more) {
        k++;
        if (p->cold) empty_folder(w->cache_dir);
        if (!s->own_context) open_context(s, w);
        more = fail_once(s, w, p, k, turn + k, 0, t);
        close_context(w);
        if (live_objects() == 0) continue;
        printf("  WRONG: %s, %s, call %u: objects are left:", s->name, p->name, k);
        print_objects();
        memset(fault->live, 0, sizeof fault->live);
        t->wrong++;
    }
}

static void sweep(const scenario *s, const pass *p, const char *cache_dir, unsigned turn, tally *t)
{
    world w;
    memset(&w, 0, sizeof w);
    w.cache_dir = cache_dir;
    fault->all_calls = 0;
    if (p->fresh || s->own_context) sweep_fresh_contexts(s, &w, p, turn, t);
    else sweep_one_context(s, &w, p, turn, t);
    t->all_calls += fault->all_calls;
    must(live_objects() == 0, "objects are left");
}

/* Which passes: FAULT_PASSES has their names' first letters in it; all without. */
static bool wanted(const pass *p)
{
    const char *names = getenv("FAULT_PASSES");
    return !names || strchr(names, p->name[0]);
}

static int run_scenario(const scenario *s, unsigned turns)
{
    const char *cache = getenv("XDG_CACHE_HOME");
    char *folder = gpi_format("%s/fault-%s-%u", cache ? cache : "build/cache", s->name, (unsigned)getpid());
    tally t;
    unsigned turn;
    size_t p;
    memset(&t, 0, sizeof t);
    must(folder != NULL, "no memory");
    for (turn = 0; turn < turns; turn++) {
        for (p = 0; p < GPI_COUNT_OF(passes); p++) {
            if (s->own_context && !passes[p].fresh) continue;
            if (wanted(&passes[p])) sweep(s, &passes[p], folder, turn, &t);
        }
    }
    printf("%-24s %5u calls failed, %5u survived: %5u told, %4u done without\n", s->name, t.failed,
           t.failed - t.wrong, t.reported, t.without);
    empty_folder(folder);
    (void)rmdir(folder);
    free(folder);
    return t.wrong > 0;
}

/* ------------------------------------------------------------------ main */

static const scenario *const all[] = {scenarios_context, scenarios_elements, scenarios_maps,
                                      scenarios_keys,    scenarios_hash,     scenarios_host};

static const scenario *find(const char *name)
{
    const scenario *s;
    size_t k;
    for (k = 0; k < GPI_COUNT_OF(all); k++) {
        for (s = all[k]; s->name; s++) {
            if (!name) printf("%s\n", s->name);
            else if (strcmp(s->name, name) == 0) return s;
        }
    }
    return NULL;
}

/* The layer is in the process when the loader has been called for the first time. */
static fault_state *find_layer(void)
{
    const char *path = getenv("OPENCL_LAYERS");
    cl_uint count;
    void *library;
    (void)clGetPlatformIDs(0, NULL, &count);
    library = path ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : NULL;
    return library ? (fault_state *)dlsym(library, FAULT_STATE_SYMBOL) : NULL;
}

int main(int argc, char **argv)
{
    const scenario *s;
    uint32_t i;
    if (argc < 2 || strcmp(argv[1], "--list") == 0) {
        (void)find(NULL);
        return 0;
    }
    for (i = 0; i < N; i++) {
        ramp[i] = i;
        mod7[i] = i % 7;
        falling[i] = N - 1 - i;
    }
    fault = find_layer();
    s = find(argv[1]);
    if (!fault || !s) {
        printf("fault: %s\n",
               s ? "OPENCL_LAYERS names no layer that the loader has loaded" : "no such scenario");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    return run_scenario(s, argc > 2 ? (unsigned)atoi(argv[2]) : 1);
}
