/* SPDX-License-Identifier: MIT */
#include "server/jobs/job_events.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "server/catalog/job_rows.h"

#define BATCH_MS 30   /* updates within this time form one transaction */
#define RETRY_MS 1000 /* retry interval while the database is unreachable */

struct entry {
    uint64_t id;
    enum ps_job_state state;
    struct ps_buf view;
};

struct entries {
    struct entry *items;
    size_t n, cap;
};

struct ps_job_publisher {
    struct ps_store *store;
    size_t max_ended;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct entries next;
    bool stop;
};

/* Replaces the entry of the same job; with `older`, keeps an existing entry, which is newer. */
static void put_entry(struct entries *entries, struct entry entry, bool older)
{
    for (size_t i = 0; i < entries->n; i++) {
        if (entries->items[i].id != entry.id)
            continue;
        if (!older) {
            ps_buf_free(&entries->items[i].view);
            entries->items[i] = entry;
        } else {
            ps_buf_free(&entry.view);
        }
        return;
    }
    PS_RESERVE_ONE(entries->items, entries->n, entries->cap);
    entries->items[entries->n++] = entry;
}

static void free_entries(struct entries *entries)
{
    for (size_t i = 0; i < entries->n; i++)
        ps_buf_free(&entries->items[i].view);
    free(entries->items);
    *entries = (struct entries){.items = NULL};
}

static enum ps_status write_all(struct ps_job_publisher *publisher, const struct entries *entries)
{
    struct ps_job_row *rows = ps_alloc_array(entries->n, sizeof *rows);
    enum ps_status status;

    for (size_t i = 0; i < entries->n; i++) {
        const struct entry *entry = &entries->items[i];

        rows[i] = (struct ps_job_row){
            .id = entry->id,
            .state = ps_job_state_word(entry->state),
            .has_ended = entry->state != PS_JOB_QUEUED && entry->state != PS_JOB_RUNNING,
            .json = ps_buf_slice(&entry->view),
        };
    }
    /* after a failure the caller writes these rows again */
    status =
        ps_job_rows_put(publisher->store, rows, entries->n, publisher->max_ended, PS_ERR_IGNORED);
    free(rows);
    return status;
}

/* Waits for `ms`, or until the thread is to stop. The caller holds the lock. */
static void wait_or_stop(struct ps_job_publisher *publisher, int64_t ms)
{
    const int64_t until_ms = ps_monotonic_ms() + ms;

    while (!publisher->stop && ps_cond_wait_until(&publisher->wake, &publisher->lock, until_ms))
        ;
}

static void *write_events(void *user)
{
    struct ps_job_publisher *publisher = user;

    (void)pthread_mutex_lock(&publisher->lock);
    for (;;) {
        struct entries now;
        bool last;
        enum ps_status status;

        while (!publisher->next.n && !publisher->stop)
            (void)pthread_cond_wait(&publisher->wake, &publisher->lock);
        if (!publisher->next.n)
            break;
        wait_or_stop(publisher, BATCH_MS);
        last = publisher->stop;
        now = publisher->next;
        publisher->next = (struct entries){.items = NULL};
        (void)pthread_mutex_unlock(&publisher->lock);
        status = write_all(publisher, &now);
        (void)pthread_mutex_lock(&publisher->lock);
        for (; status != PS_OK && !last && now.n; now.n--)
            put_entry(&publisher->next, now.items[now.n - 1], true);
        free_entries(&now);
        if (status != PS_OK)
            wait_or_stop(publisher, RETRY_MS);
    }
    (void)pthread_mutex_unlock(&publisher->lock);
    return NULL;
}

enum ps_status ps_job_publisher_start(struct ps_store *store, size_t max_ended,
                                      struct ps_job_publisher **out, struct ps_err *err)
{
    struct ps_job_publisher *publisher = ps_alloc(sizeof *publisher);
    int code;

    publisher->store = store;
    publisher->max_ended = max_ended;
    (void)pthread_mutex_init(&publisher->lock, NULL);
    (void)pthread_cond_init(&publisher->wake, NULL);
    code = pthread_create(&publisher->thread, NULL, write_events, publisher);
    if (code != 0) {
        (void)pthread_cond_destroy(&publisher->wake);
        (void)pthread_mutex_destroy(&publisher->lock);
        free(publisher);
        return ps_fail(err, PS_IO, "cannot start a thread: %s", strerror(code));
    }
    *out = publisher;
    return PS_OK;
}

void ps_job_publisher_put(struct ps_job_publisher *publisher, uint64_t id, enum ps_job_state state,
                          struct ps_buf *view)
{
    (void)pthread_mutex_lock(&publisher->lock);
    put_entry(&publisher->next, (struct entry){id, state, *view}, false);
    *view = (struct ps_buf){.ptr = NULL};
    (void)pthread_cond_signal(&publisher->wake);
    (void)pthread_mutex_unlock(&publisher->lock);
}

void ps_job_publisher_stop(struct ps_job_publisher *publisher)
{
    if (!publisher)
        return;
    (void)pthread_mutex_lock(&publisher->lock);
    publisher->stop = true;
    (void)pthread_cond_signal(&publisher->wake);
    (void)pthread_mutex_unlock(&publisher->lock);
    (void)pthread_join(publisher->thread, NULL);
    free_entries(&publisher->next);
    (void)pthread_cond_destroy(&publisher->wake);
    (void)pthread_mutex_destroy(&publisher->lock);
    free(publisher);
}
