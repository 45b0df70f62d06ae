/* SPDX-License-Identifier: MIT */
#include "server/http/work.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"

enum lane { QUICK, LONG, N_LANES };

struct task {
    struct task *next;
    void (*fn)(void *arg);
    void *arg;
};

struct worker {
    pthread_t thread;
    struct ps_work *work;
    bool is_running, is_yielding;
    enum lane lane; /* lane of the running task */
    int64_t began_ms;
};

struct ps_work {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct {
        struct task *first, **last;
        unsigned queued, running, running_max;
    } lanes[N_LANES];
    unsigned yielding; /* quick tasks that were asked to return */
    bool stopping;
    unsigned n_workers;
    struct worker workers[];
};

static _Thread_local struct worker *current_worker;

/* --- Called with the lock held --- */

static bool is_overdue(const struct worker *worker, int64_t now)
{
    return worker->is_running && worker->lane == QUICK &&
           now - worker->began_ms >= PS_WORK_QUANTUM_MS;
}

static bool has_space(const struct ps_work *work, enum lane lane)
{
    return work->lanes[lane].running < work->lanes[lane].running_max;
}

static void move_to_long(struct ps_work *work, struct worker *worker)
{
    worker->lane = LONG;
    work->lanes[QUICK].running--;
    work->lanes[LONG].running++;
}

/* Moves overdue tasks to the long lane if tasks wait for the quick lane. Returns the monotonic time
 * (ms) of the next check; 0: no check is needed before a task is added or ends. */
static int64_t move_overdue(struct ps_work *work)
{
    const int64_t now = ps_monotonic_ms();
    int64_t next = 0;

    if (!work->lanes[QUICK].first)
        return 0;
    for (unsigned i = 0; i < work->n_workers && has_space(work, LONG); i++) {
        struct worker *worker = &work->workers[i];

        if (!has_space(work, QUICK) && is_overdue(worker, now))
            move_to_long(work, worker);
        else if (worker->is_running && worker->lane == QUICK &&
                 (!next || worker->began_ms + PS_WORK_QUANTUM_MS < next))
            next = worker->began_ms + PS_WORK_QUANTUM_MS;
    }
    return next;
}

static struct task *pop_task(struct ps_work *work, enum lane lane)
{
    struct task *task = work->lanes[lane].first;

    if (!task || !has_space(work, lane))
        return NULL;
    work->lanes[lane].first = task->next;
    if (!work->lanes[lane].first)
        work->lanes[lane].last = &work->lanes[lane].first;
    work->lanes[lane].queued--;
    work->lanes[lane].running++;
    current_worker->is_running = true;
    current_worker->lane = lane;
    current_worker->began_ms = ps_monotonic_ms();
    return task;
}

static void wait_until(struct ps_work *work, int64_t until_ms)
{
    if (until_ms)
        (void)ps_cond_wait_until(&work->wake, &work->lock, until_ms);
    else
        (void)pthread_cond_wait(&work->wake, &work->lock);
}

static bool is_done(const struct ps_work *work)
{
    return work->stopping && !work->lanes[QUICK].first && !work->lanes[LONG].first;
}

/* --- Threads and public functions --- */

/* Ends the previous task of this worker and waits for its next task; NULL: the worker must end. */
static struct task *next_task(struct ps_work *work)
{
    struct task *task = NULL;

    pthread_mutex_lock(&work->lock);
    if (current_worker->is_running) {
        work->lanes[current_worker->lane].running--;
        work->yielding -= current_worker->is_yielding;
        current_worker->is_running = current_worker->is_yielding = false;
    }
    while (!task && !is_done(work)) {
        const int64_t again = move_overdue(work);

        task = pop_task(work, QUICK);
        if (!task)
            task = pop_task(work, LONG);
        if (!task && !is_done(work))
            wait_until(work, again);
    }
    if (work->stopping)
        pthread_cond_broadcast(&work->wake); /* workers waiting for space check whether to end */
    else if (work->lanes[QUICK].first || work->lanes[LONG].first)
        pthread_cond_signal(&work->wake); /* tasks remain queued: wake another worker, which runs
                                             one or waits until a lane has space */
    pthread_mutex_unlock(&work->lock);
    return task;
}

static void *run_tasks(void *worker)
{
    struct task *task;

    current_worker = worker;
    while ((task = next_task(current_worker->work))) {
        task->fn(task->arg);
        free(task);
    }
    return NULL;
}

enum ps_status ps_work_create(unsigned quick, unsigned lengthy, struct ps_work **out,
                              struct ps_err *err)
{
    const unsigned most[N_LANES] = {quick, lengthy}, threads = quick + lengthy;
    struct ps_work *work = ps_alloc(sizeof *work + threads * sizeof *work->workers);
    int code = 0;

    pthread_mutex_init(&work->lock, NULL);
    pthread_cond_init(&work->wake, NULL);
    for (int lane = 0; lane < N_LANES; lane++) {
        work->lanes[lane].last = &work->lanes[lane].first;
        work->lanes[lane].running_max = most[lane];
    }
    pthread_mutex_lock(&work->lock); /* new workers read the array when they get the lock */
    for (; work->n_workers < threads && code == 0; work->n_workers += code == 0) {
        struct worker *worker = &work->workers[work->n_workers];

        worker->work = work;
        code = pthread_create(&worker->thread, NULL, run_tasks, worker);
    }
    pthread_mutex_unlock(&work->lock);
    if (code != 0) {
        ps_work_free(work);
        return ps_fail(err, PS_IO, "cannot start a thread: %s", strerror(code));
    }
    *out = work;
    return PS_OK;
}

static void add_task(struct ps_work *work, enum lane lane, void (*fn)(void *arg), void *arg)
{
    struct task *task = ps_alloc(sizeof *task);

    *task = (struct task){NULL, fn, arg};
    pthread_mutex_lock(&work->lock);
    *work->lanes[lane].last = task;
    work->lanes[lane].last = &task->next;
    work->lanes[lane].queued++;
    pthread_cond_signal(&work->wake); /* one is enough: each worker checks both lanes */
    pthread_mutex_unlock(&work->lock);
}

void ps_work_add(struct ps_work *work, void (*fn)(void *arg), void *arg)
{
    add_task(work, QUICK, fn, arg);
}

void ps_work_add_long(struct ps_work *work, void (*fn)(void *arg), void *arg)
{
    add_task(work, LONG, fn, arg);
}

bool ps_work_must_yield(struct ps_work *work)
{
    bool must = false;

    pthread_mutex_lock(&work->lock);
    (void)move_overdue(work);
    if (current_worker && current_worker->work == work && !current_worker->is_yielding &&
        is_overdue(current_worker, ps_monotonic_ms()))
        must = work->lanes[QUICK].queued > work->yielding && !has_space(work, QUICK);
    if (must) {
        current_worker->is_yielding = true;
        work->yielding++;
    } else if (work->lanes[QUICK].first && has_space(work, QUICK)) {
        pthread_cond_signal(&work->wake);
    }
    pthread_mutex_unlock(&work->lock);
    return must;
}

void ps_work_free(struct ps_work *work)
{
    if (!work)
        return;
    pthread_mutex_lock(&work->lock);
    work->stopping = true;
    pthread_cond_broadcast(&work->wake);
    pthread_mutex_unlock(&work->lock);
    for (unsigned i = 0; i < work->n_workers; i++)
        pthread_join(work->workers[i].thread, NULL);
    pthread_cond_destroy(&work->wake);
    pthread_mutex_destroy(&work->lock);
    free(work);
}
