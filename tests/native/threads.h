/* threads.h - plays the device: every thread runs groups until none is left. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#ifndef THREADS
#define THREADS 4
#endif

typedef void (*group_function)(void);

static uint32_t next_group;

/* Groups begin in no particular order. */
static void *run_groups(void *argument)
{
    const group_function function = *(group_function *)argument;
    for (;;) {
        const uint32_t next = __atomic_fetch_add(&next_group, 1, __ATOMIC_RELAXED);
        if (next >= group_count) return NULL;
        group_id = group_count % 2 ? (next ^ 1) < group_count ? next ^ 1 : next : group_count - 1 - next;
        function();
    }
}

static void launch(group_function function, uint32_t groups)
{
    pthread_t threads[THREADS];
    int i;
    next_group = 0;
    group_count = groups;
    for (i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, run_groups, &function) != 0) abort();
    }
    for (i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
}
