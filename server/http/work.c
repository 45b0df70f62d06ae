/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "server/http/work.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct task {
    struct task *next;
    void (*fn)(void *arg);
    void *arg;
};

struct ps_work {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct task *first, **last;
    bool stopping;
    unsigned n_threads;
    pthread_t threads[];
};

/* The next task, or NULL when there will be none. */
static struct task *take(struct ps_work *work)
{
    struct task *task;

    pthread_mutex_lock(&work->lock);
    while (!work->first && !work->stopping)
        pthread_cond_wait(&work->wake, &work->lock);
    task = work->first;
    if (task)
        work->first = task->next;
    if (!work->first)
        work->last = &work->first;
    pthread_mutex_unlock(&work->lock);
    return task;
}

static void *loop(void *arg)
{
    struct ps_work *work = arg;
    struct task *task;

    while ((task = take(work))) {
        task->fn(task->arg);
        free(task);
    }
    return NULL;
}

enum ps_status ps_work_create(unsigned threads, struct ps_work **out, struct ps_err *err)
{
    struct ps_work *work = ps_alloc(sizeof *work + threads * sizeof *work->threads);

    pthread_mutex_init(&work->lock, NULL);
    pthread_cond_init(&work->wake, NULL);
    work->last = &work->first;
    for (; work->n_threads < threads; work->n_threads++) {
        int code = pthread_create(&work->threads[work->n_threads], NULL, loop, work);

        if (code != 0) {
            ps_work_free(work);
            return ps_fail(err, PS_IO, "cannot start a thread: %s", strerror(code));
        }
    }
    *out = work;
    return PS_OK;
}

void ps_work_add(struct ps_work *work, void (*fn)(void *arg), void *arg)
{
    struct task *task = ps_alloc(sizeof *task);

    *task = (struct task){NULL, fn, arg};
    pthread_mutex_lock(&work->lock);
    *work->last = task;
    work->last = &task->next;
    pthread_cond_signal(&work->wake);
    pthread_mutex_unlock(&work->lock);
}

void ps_work_free(struct ps_work *work)
{
    if (!work)
        return;
    pthread_mutex_lock(&work->lock);
    work->stopping = true;
    pthread_cond_broadcast(&work->wake);
    pthread_mutex_unlock(&work->lock);
    for (unsigned i = 0; i < work->n_threads; i++)
        pthread_join(work->threads[i], NULL);
    pthread_cond_destroy(&work->wake);
    pthread_mutex_destroy(&work->lock);
    free(work);
}
