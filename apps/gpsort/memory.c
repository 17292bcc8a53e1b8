/* memory.c - how much memory there is, and how much is taken. */
#define _GNU_SOURCE /* _SC_PHYS_PAGES */
#include "gpsort.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

void *allocate(size_t bytes)
{
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory) die("out of memory: %zu bytes cannot be had", bytes);
    return memory;
}

size_t memory_of_machine(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    const uint64_t bytes = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : (uint64_t)1 << 30;
    return bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX;
}

size_t memory_peak(void)
{
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
#ifdef __APPLE__
    return (size_t)usage.ru_maxrss;
#else
    return (size_t)usage.ru_maxrss << 10;
#endif
}

/* Linux tells what there is now, others what there was at most. */
size_t memory_in_use(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long all, resident;
    const bool found = file && fscanf(file, "%lu %lu", &all, &resident) == 2;
    if (file) fclose(file);
    return found ? (size_t)resident * (size_t)sysconf(_SC_PAGESIZE) : memory_peak();
}

/* What the OpenCL implementation has taken is counted, but buffers get half of -S at least.
   Two writers have buffers of their own, and a little is for what is taken later. */
size_t memory_left(const options *o)
{
    const size_t taken = memory_in_use() + 2 * WRITE_BYTES + o->memory / 64;
    return taken < o->memory / 2 ? o->memory - taken : o->memory / 2;
}
