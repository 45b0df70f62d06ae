/* SPDX-License-Identifier: MIT */
#include "server/jobs/job_events.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "server/catalog/job_rows.h"

#define GATHER_MS 30   /* updates within this time form one transaction */
#define AGAIN_MS  1000 /* retry interval, database unreachable */

struct entry {
    uint64_t id;
    enum ps_job_state state;
    struct ps_buf view;
};

struct entries {
    struct entry *at;
    size_t n, cap;
};

struct ps_told {
    struct ps_store *store;
    size_t keep;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct entries next;
    bool stop;
};

/* Replaces the entry of the same job; with `older`, keeps an existing entry, which is newer. */
static void add(struct entries *entries, struct entry entry, bool older)
{
    for (size_t i = 0; i < entries->n; i++) {
        if (entries->at[i].id != entry.id)
            continue;
        if (!older) {
            ps_buf_free(&entries->at[i].view);
            entries->at[i] = entry;
        } else {
            ps_buf_free(&entry.view);
        }
        return;
    }
    PS_PUSH_ROOM(entries->at, entries->n, entries->cap);
    entries->at[entries->n++] = entry;
}

static void free_entries(struct entries *entries)
{
    for (size_t i = 0; i < entries->n; i++)
        ps_buf_free(&entries->at[i].view);
    free(entries->at);
    *entries = (struct entries){.at = NULL};
}

static enum ps_status write_all(struct ps_told *told, const struct entries *entries)
{
    struct ps_job_row *rows = ps_alloc_array(entries->n, sizeof *rows);
    enum ps_status status;

    for (size_t i = 0; i < entries->n; i++) {
        const struct entry *entry = &entries->at[i];

        rows[i] = (struct ps_job_row){
            .id = entry->id,
            .state = ps_job_state_word(entry->state),
            .ended = entry->state != PS_JOB_QUEUED && entry->state != PS_JOB_RUNNING,
            .view = ps_buf_slice(&entry->view),
        };
    }
    status = ps_job_rows_put(told->store, rows, entries->n, told->keep, NULL);
    free(rows);
    return status;
}

/* Waits, or until the thread is to stop. The caller holds the lock. */
static void wait_ms(struct ps_told *told, int64_t ms)
{
    const int64_t until_ms = ps_monotonic_ms() + ms;

    while (!told->stop && ps_cond_wait_until(&told->wake, &told->lock, until_ms))
        ;
}

static void *keep_telling(void *user)
{
    struct ps_told *told = user;

    (void)pthread_mutex_lock(&told->lock);
    for (;;) {
        struct entries now;
        bool last;
        enum ps_status status;

        while (!told->next.n && !told->stop)
            (void)pthread_cond_wait(&told->wake, &told->lock);
        if (!told->next.n)
            break;
        wait_ms(told, GATHER_MS);
        last = told->stop;
        now = told->next;
        told->next = (struct entries){.at = NULL};
        (void)pthread_mutex_unlock(&told->lock);
        status = write_all(told, &now);
        (void)pthread_mutex_lock(&told->lock);
        for (; status != PS_OK && !last && now.n; now.n--)
            add(&told->next, now.at[now.n - 1], true);
        free_entries(&now);
        if (status != PS_OK)
            wait_ms(told, AGAIN_MS);
    }
    (void)pthread_mutex_unlock(&told->lock);
    return NULL;
}

enum ps_status ps_told_start(struct ps_store *store, size_t keep, struct ps_told **out,
                             struct ps_err *err)
{
    struct ps_told *told = ps_alloc(sizeof *told);
    int code;

    told->store = store;
    told->keep = keep;
    (void)pthread_mutex_init(&told->lock, NULL);
    (void)pthread_cond_init(&told->wake, NULL);
    code = pthread_create(&told->thread, NULL, keep_telling, told);
    if (code != 0) {
        (void)pthread_cond_destroy(&told->wake);
        (void)pthread_mutex_destroy(&told->lock);
        free(told);
        return ps_fail(err, PS_IO, "cannot start a thread: %s", strerror(code));
    }
    *out = told;
    return PS_OK;
}

void ps_told_put(struct ps_told *told, uint64_t id, enum ps_job_state state, struct ps_buf *view)
{
    (void)pthread_mutex_lock(&told->lock);
    add(&told->next, (struct entry){id, state, *view}, false);
    *view = (struct ps_buf){.at = NULL};
    (void)pthread_cond_signal(&told->wake);
    (void)pthread_mutex_unlock(&told->lock);
}

void ps_told_stop(struct ps_told *told)
{
    if (!told)
        return;
    (void)pthread_mutex_lock(&told->lock);
    told->stop = true;
    (void)pthread_cond_signal(&told->wake);
    (void)pthread_mutex_unlock(&told->lock);
    (void)pthread_join(told->thread, NULL);
    free_entries(&told->next);
    (void)pthread_cond_destroy(&told->wake);
    (void)pthread_mutex_destroy(&told->lock);
    free(told);
}
