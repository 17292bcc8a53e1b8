/* pool.h - threads kept alive, one a core, for what plain C can do. */
#ifndef BENCH_POOL_H
#define BENCH_POOL_H

#include <stdbool.h>

typedef struct pool pool;

/* The share of one thread, 0 ... threads - 1. Thread 0 is the caller. */
typedef void (*pool_task)(void *user, unsigned thread, unsigned threads);

/* NULL when threads cannot be had. */
pool *pool_open(unsigned threads);
void pool_close(pool *p);
unsigned pool_threads(const pool *p);

/* Wakes the threads and returns when all of them wait busily for work: to be called before the clock
   starts, so that the time of waking up is not counted. They sleep again after the next run. */
void pool_arm(pool *p);

/* Runs the task on all threads and returns when all are done. */
void pool_run(pool *p, pool_task task, void *user);

/* Inside a task: returns when every thread of the pool has called it as often. */
void pool_barrier(pool *p);

#endif
