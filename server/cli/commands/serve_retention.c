/* SPDX-License-Identifier: MIT */
#include "server/cli/commands/serve_retention.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/format.h"
#include "base/log.h"

#define CHECK_MS     1000  /* interval of checks for changes of the shelf */
#define AGE_CHECK_MS 60000 /* interval of checks for the age of runs */
#define PAUSE_MS     10000 /* pause after a failure, or if another server deletes runs */
#define PAUSE_FACTOR 20    /* finding runs to delete uses at most 1/PAUSE_FACTOR of the time */

struct ps_retention_thread {
    struct ps_store *store;
    struct ps_api *api;
    const struct ps_retention *retention;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool stop;
    bool has_failed;        /* the last attempt failed for some runs and is repeated */
    bool is_failure_logged; /* the current failure was logged */
    bool is_jump_logged;    /* a jump of the clock was logged */
    bool is_wait_logged;    /* it was logged that runs wait because of the hourly limit */
    int64_t started_ms;     /* start of the thread, ms since 1970 */
    int64_t next_check_ms;  /* monotonic time of the next check */
};

/* Waits `ms`; false if the thread must stop. */
static bool wait_ms(struct ps_retention_thread *keeper, int64_t ms)
{
    const int64_t until_ms = ps_monotonic_ms() + ms;
    bool continues;

    pthread_mutex_lock(&keeper->lock);
    while (!keeper->stop && ps_cond_wait_until(&keeper->wake, &keeper->lock, until_ms))
        ;
    continues = !keeper->stop;
    pthread_mutex_unlock(&keeper->lock);
    return continues;
}

static void schedule_next(struct ps_retention_thread *keeper, int64_t ms)
{
    keeper->next_check_ms = ps_monotonic_ms() + ms;
}

static void log_failure(struct ps_retention_thread *keeper, const char *subject,
                        const struct ps_err *err)
{
    if (!keeper->is_failure_logged)
        ps_log_err(subject, err);
    keeper->has_failed = keeper->is_failure_logged = true;
    schedule_next(keeper, PAUSE_MS);
}

/* Deletes one run and increments *removed, then sleeps as long as the deletion took, so that other
 * writers get the lock. False: stop this sweep. */
static bool remove_run(struct ps_retention_thread *keeper, const struct ps_prune_candidate *run,
                       size_t *removed)
{
    struct ps_err err = PS_ERR_INIT;
    const int64_t began = ps_monotonic_ms();

    switch (ps_retention_remove(keeper->store, keeper->retention, run, "", &err)) {
    case PS_OK:
        ++*removed;
        ps_api_send_deleted_event(keeper->api, run->id);
        break;
    case PS_NOT_FOUND: /* another process, such as a server with the same rules, deleted the run */
        schedule_next(keeper, PAUSE_MS);
        return false;
    case PS_UNAVAILABLE:
    case PS_FULL:
        log_failure(keeper, run->id, &err);
        return false;
    default:
        log_failure(keeper, run->id, &err);
    }
    return wait_ms(keeper, ps_monotonic_ms() - began);
}

static void due_free(struct ps_retention_due *due)
{
    ps_prune_list_free(&due->runs);
}

/* Logs the limits that delay deletions, each once while it applies. */
static void log_limits(struct ps_retention_thread *keeper, const struct ps_retention_due *due)
{
    const double days = (double)due->jump_ms / 86400000.0;
    const size_t n = due->runs.n, n_delayed = n > due->allowance ? n - due->allowance : 0;
    char count[64];

    if (due->jump_ms && !keeper->is_jump_logged)
        ps_log("warning: the system clock is %.1f days %s: --keep deletes nothing by age until the "
               "clock is right or `perfshelf prune` is run",
               days < 0 ? -days : days, days < 0 ? "behind" : "ahead");
    if (n_delayed && !keeper->is_wait_logged)
        ps_log("--keep: %s to delete, at most a tenth of the shelf within an hour; `perfshelf "
               "prune` deletes them now",
               ps_format_count(n_delayed, "more run", count));
    keeper->is_jump_logged = due->jump_ms != 0;
    keeper->is_wait_logged = n_delayed != 0;
}

static void apply_retention(struct ps_retention_thread *keeper)
{
    PS_AUTO(due_free) struct ps_retention_due due = {.allowance = 0};
    struct ps_err err = PS_ERR_INIT;
    const int64_t began = ps_monotonic_ms();
    size_t removed = 0;

    keeper->has_failed = false;
    if (ps_retention_find_due(keeper->store, keeper->retention, keeper->started_ms, &due, &err) !=
        PS_OK) {
        log_failure(keeper, "--keep", &err);
        return;
    }
    schedule_next(keeper, (ps_monotonic_ms() - began) * PAUSE_FACTOR);
    log_limits(keeper, &due);
    for (size_t i = 0; i < due.runs.n && removed < due.allowance; i++)
        if (!remove_run(keeper, &due.runs.items[i], &removed))
            break;
    keeper->is_failure_logged &= keeper->has_failed;
}

/* Whether to apply the rules again. `known_version`: version of the shelf at the last check;
 * `checked_ms`: monotonic time of the last check, in ms. */
static bool is_due(const struct ps_retention_thread *keeper, int64_t version, int64_t known_version,
                   int64_t checked_ms)
{
    const int64_t now = ps_monotonic_ms();

    return now >= keeper->next_check_ms &&
           (version != known_version || keeper->has_failed || now - checked_ms >= AGE_CHECK_MS);
}

static void *run_thread(void *user)
{
    struct ps_retention_thread *keeper = user;
    int64_t known_version = -1, checked_ms = 0;

    do {
        const int64_t version = ps_store_version(keeper->store);

        if (!is_due(keeper, version, known_version, checked_ms))
            continue;
        known_version = version;
        checked_ms = ps_monotonic_ms();
        apply_retention(keeper);
    } while (wait_ms(keeper, CHECK_MS));
    return NULL;
}

enum ps_status ps_retention_thread_start(struct ps_store *store, struct ps_api *api,
                                         const struct ps_retention *keep,
                                         struct ps_retention_thread **out, struct ps_err *err)
{
    struct ps_retention_thread *keeper;
    int code;

    *out = NULL;
    if (keep->n == 0)
        return PS_OK;
    keeper = ps_alloc(sizeof *keeper);
    *keeper = (struct ps_retention_thread){
        .store = store, .api = api, .retention = keep, .started_ms = ps_wall_clock_ms()};
    pthread_mutex_init(&keeper->lock, NULL);
    pthread_cond_init(&keeper->wake, NULL);
    code = pthread_create(&keeper->thread, NULL, run_thread, keeper);
    if (code != 0) {
        free(keeper);
        return ps_fail(err, PS_IO, "cannot start a thread: %s", strerror(code));
    }
    *out = keeper;
    return PS_OK;
}

void ps_retention_thread_stop(struct ps_retention_thread *keeper)
{
    if (!keeper)
        return;
    pthread_mutex_lock(&keeper->lock);
    keeper->stop = true;
    pthread_cond_signal(&keeper->wake);
    pthread_mutex_unlock(&keeper->lock);
    pthread_join(keeper->thread, NULL);
    pthread_cond_destroy(&keeper->wake);
    pthread_mutex_destroy(&keeper->lock);
    free(keeper);
}
