/* cpu_mask.c - hides features of the CPU from LLVM, and so from PoCL, which compiles for what is left: preload this library,
   and name features in CPU_MASK, or what their names begin with.

       CPU_MASK=avx2,avx512 LD_PRELOAD=$PWD/build/tools/cpu_mask.so POCL_CACHE_DIR=$PWD/build/cache/pocl-avx build/examples/gpinfo

   It stands in front of llvm::sys::getHostCPUFeatures, of LLVM 14 to 18 and, which has another signature, of 19 to 21. A
   version with a third one does not call it, and nothing is hidden: tools/test_masked.sh asks for that.
   Layout of a StringMap<bool>: llvm/ADT/StringMap.h. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BY_REFERENCE _ZN4llvm3sys18getHostCPUFeaturesERNS_9StringMapIbNS_15MallocAllocatorEEE
#define BY_VALUE _ZN4llvm3sys18getHostCPUFeaturesEv
#define TEXT(name) TEXT_OF(name)
#define TEXT_OF(name) #name

/* An entry of a StringMap<bool>; its name follows at `item_size`. */
typedef struct entry {
    size_t length;
    bool value;
} entry;

/* Returned by a hidden pointer, as the class is, since it is longer than two words. */
typedef struct map {
    entry **table;
    unsigned buckets, items, tombstones, item_size;
} map;

bool BY_REFERENCE(map *features);
map BY_VALUE(void);

static bool is_masked(const char *name)
{
    const char *list = getenv("CPU_MASK");
    while (list && *list) {
        const size_t n = strcspn(list, ",");
        if (n && strncmp(name, list, n) == 0) return true;
        list += n + (list[n] == ',');
    }
    return false;
}

static void mask(map *features)
{
    const uintptr_t tombstone = (uintptr_t)-1 << 12; /* and above; an empty bucket is NULL */
    unsigned i;
    for (i = 0; i < features->buckets; i++) {
        entry *e = features->table[i];
        if (e && (uintptr_t)e < tombstone && is_masked((const char *)e + features->item_size))
            e->value = false;
    }
}

static int find_llvm(struct dl_phdr_info *info, size_t size, void *name)
{
    (void)size;
    if (!strstr(info->dlpi_name, "libLLVM")) return 0;
    *(const char **)name = info->dlpi_name;
    return 1;
}

/* Sets *function to LLVM's own, if it is there. RTLD_NEXT does not look into what was loaded with RTLD_LOCAL, as PoCL is. */
static bool find_function(const char *symbol, void *function)
{
    const char *name = NULL;
    void *library = dl_iterate_phdr(find_llvm, &name) ? dlopen(name, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    void *address = library ? dlsym(library, symbol) : NULL;
    memcpy(function, &address, sizeof address);
    return address != NULL;
}

bool BY_REFERENCE(map *features)
{
    bool (*real)(map *);
    const bool known = find_function(TEXT(BY_REFERENCE), &real) && real(features);
    if (known) mask(features);
    return known;
}

map BY_VALUE(void)
{
    map features = {NULL, 0, 0, 0, sizeof(entry)}, (*real)(void);
    if (find_function(TEXT(BY_VALUE), &real)) features = real();
    mask(&features);
    return features;
}
