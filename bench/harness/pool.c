/* pool.c - threads that sleep between measurements and spin within them.

   For each job, a worker sleeps until the job is armed, counts itself as ready, spins until the job is
   released, works, and counts itself as done. Only one thread, the caller, arms and releases jobs. */
#define _POSIX_C_SOURCE 200809L
#include "pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

typedef struct pool_worker {
    pool *p;
    unsigned index;
    pthread_t thread;
} pool_worker;

struct pool {
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    unsigned threads; /* including the caller */
    unsigned armed;   /* jobs armed so far; guarded by the mutex */
    bool stop;        /* guarded by the mutex */
    unsigned ready;   /* this and the next four are accessed atomically */
    unsigned going;   /* jobs released so far */
    unsigned done;
    unsigned arrived;
    unsigned passed; /* barriers passed so far */
    pool_task task;  /* published by `going` */
    void *user;
    pool_worker workers[];
};

static unsigned load(const unsigned *x) { return __atomic_load_n(x, __ATOMIC_ACQUIRE); }
static void store(unsigned *x, unsigned value) { __atomic_store_n(x, value, __ATOMIC_RELEASE); }

/* Spins until *x is `wanted`. Yields now and then, because other threads need the core if there are fewer
   free cores than threads. */
static void spin_until(const unsigned *x, unsigned wanted)
{
    for (unsigned i = 1; load(x) != wanted; i++)
        if (i % 1024 == 0) sched_yield();
}

/* Sleeps until `job` is armed. Returns false if the pool is being closed. */
static bool sleep_until_armed(pool *p, unsigned job)
{
    pthread_mutex_lock(&p->mutex);
    while (p->armed < job && !p->stop) pthread_cond_wait(&p->wake, &p->mutex);
    const bool stop = p->stop;
    pthread_mutex_unlock(&p->mutex);
    return !stop;
}

static void *worker_main(void *argument)
{
    const pool_worker *w = argument;
    pool *p = w->p;
    for (unsigned job = 1; sleep_until_armed(p, job); job++) {
        __atomic_fetch_add(&p->ready, 1, __ATOMIC_ACQ_REL);
        spin_until(&p->going, job);
        p->task(p->user, w->index, p->threads);
        __atomic_fetch_add(&p->done, 1, __ATOMIC_ACQ_REL);
    }
    return NULL;
}

pool *pool_open(unsigned threads)
{
    pool *p = calloc(1, sizeof *p + threads * sizeof p->workers[0]);
    if (p == NULL) return NULL;
    pthread_mutex_init(&p->mutex, NULL);
    pthread_cond_init(&p->wake, NULL);
    for (p->threads = 1; p->threads < threads; p->threads++) {
        pool_worker *w = &p->workers[p->threads];
        *w = (pool_worker){.p = p, .index = p->threads};
        if (pthread_create(&w->thread, NULL, worker_main, w) != 0) break;
    }
    if (p->threads == threads) return p;
    pool_close(p);
    return NULL;
}

void pool_close(pool *p)
{
    if (p == NULL) return;
    pthread_mutex_lock(&p->mutex);
    p->stop = true;
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->mutex);
    for (unsigned i = 1; i < p->threads; i++) pthread_join(p->workers[i].thread, NULL);
    pthread_cond_destroy(&p->wake);
    pthread_mutex_destroy(&p->mutex);
    free(p);
}

unsigned pool_threads(const pool *p) { return p->threads; }

void pool_arm(pool *p)
{
    if (p->armed != p->going) return;
    pthread_mutex_lock(&p->mutex);
    p->armed++;
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->mutex);
    spin_until(&p->ready, p->threads - 1);
}

void pool_run(pool *p, pool_task task, void *user)
{
    pool_arm(p);
    p->task = task;
    p->user = user;
    store(&p->ready, 0);
    store(&p->done, 0);
    store(&p->going, p->armed);
    task(user, 0, p->threads);
    spin_until(&p->done, p->threads - 1);
}

void pool_barrier(pool *p)
{
    const unsigned passed = load(&p->passed);
    if (__atomic_add_fetch(&p->arrived, 1, __ATOMIC_ACQ_REL) == p->threads) {
        store(&p->arrived, 0); /* no other thread accesses it before `passed` changes */
        store(&p->passed, passed + 1);
    } else {
        spin_until(&p->passed, passed + 1);
    }
}
