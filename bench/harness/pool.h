/* pool.h - a pool of threads, one for each core, for variants in plain C. */
#ifndef BENCH_POOL_H
#define BENCH_POOL_H

#include <stdbool.h>

typedef struct pool pool;

/* Does the work of thread number `thread`, which is below `threads`. Thread 0 is the caller. */
typedef void (*pool_task)(void *user, unsigned thread, unsigned threads);

/* Creates a pool. Returns NULL if threads cannot be created. */
pool *pool_open(unsigned threads);
void pool_close(pool *p);
unsigned pool_threads(const pool *p);

/* Wakes the threads, and returns when all of them spin. Must be called before the clock starts, so that
   the time to wake up is not counted. The threads sleep again after the next run. */
void pool_arm(pool *p);

/* Runs the task on all threads and returns when all are done. */
void pool_run(pool *p, pool_task task, void *user);

/* Returns, within a task, when every thread of the pool has called this function as often as this
   thread. */
void pool_barrier(pool *p);

#endif
