/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "server/jobs/jobs.h"

#define KEEP   5
#define LISTED 3

/* What the callbacks said. */
struct seen {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned states[8], ended, tickets;
    uint64_t last_ended;
};

struct ticket {
    struct ps_job_ticket ticket;
    struct seen *seen;
    enum ps_job_state state;
};

struct fixture {
    char folder[64];
    struct ps_store *store;
    struct ps_jobs *jobs;
    struct seen seen;
};

static void on_changed(void *user, const struct ps_job_view *job)
{
    struct seen *seen = user;

    pthread_mutex_lock(&seen->lock);
    seen->states[job->state]++;
    pthread_mutex_unlock(&seen->lock);
}

static void on_ended(void *user, const struct ps_job_view *job)
{
    struct seen *seen = user;

    pthread_mutex_lock(&seen->lock);
    seen->ended++;
    seen->last_ended = job->id;
    pthread_cond_broadcast(&seen->changed);
    pthread_mutex_unlock(&seen->lock);
}

static void on_ticket(struct ps_job_ticket *ticket, const struct ps_job_view *job)
{
    struct ticket *mine = (struct ticket *)ticket;

    pthread_mutex_lock(&mine->seen->lock);
    mine->state = job->state;
    mine->seen->tickets++;
    pthread_mutex_unlock(&mine->seen->lock);
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    struct ps_err err = PS_ERR_INIT;

    (void)snprintf(f->folder, sizeof f->folder, "/tmp/perfshelf-jobs-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    pthread_mutex_init(&f->seen.lock, NULL);
    pthread_cond_init(&f->seen.changed, NULL);
    assert_int_equal(ps_store_open(f->folder, &f->store, &err), PS_OK);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    char command[128];

    ps_jobs_stop(f->jobs);
    ps_store_close(f->store);
    (void)snprintf(command, sizeof command, "rm -r %s", f->folder);
    assert_int_equal(system(command), 0);
    free(f);
    return 0;
}

static void start(struct fixture *f, unsigned workers)
{
    const struct ps_jobs_config config = {
        .store = f->store,
        .workers = workers,
        .listed_max = LISTED,
        .kept_max = KEEP,
        .changed = on_changed,
        .on_ended = on_ended,
        .user = &f->seen,
    };
    struct ps_err err = PS_ERR_INIT;

    assert_int_equal(ps_jobs_start(&config, &f->jobs, &err), PS_OK);
}

/* A file in the shelf's folder. */
static char *file(const struct fixture *f, const char *name, const char *text)
{
    char *path = calloc(1, 256);
    FILE *out;

    (void)snprintf(path, 256, "%s/%s", f->folder, name);
    out = fopen(path, "w");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
    return path;
}

static uint64_t add(struct fixture *f, char *path, bool temporary, struct ticket *ticket)
{
    const struct ps_tag tag = {"k", "v"};
    const struct ps_job_request request = {.path = path,
                                           .is_temporary = temporary,
                                           .bytes = 1,
                                           .filename = "f",
                                           .tags = &tag,
                                           .n_tags = 1,
                                           .ticket = ticket ? &ticket->ticket : NULL};
    struct ps_err err = PS_ERR_INIT;
    uint64_t id = 0;

    if (ticket)
        *ticket = (struct ticket){{on_ticket}, &f->seen, PS_JOB_QUEUED};
    assert_int_equal(ps_jobs_add(f->jobs, &request, &id, &err), PS_OK);
    return id;
}

static void wait_ended(struct fixture *f, unsigned n)
{
    pthread_mutex_lock(&f->seen.lock);
    while (f->seen.ended < n)
        pthread_cond_wait(&f->seen.changed, &f->seen.lock);
    pthread_mutex_unlock(&f->seen.lock);
}

static const char log_text[] = "import time: self [us] | cumulative | imported package\n"
                               "import time:       100 |        100 | a\n";

static void copy_view(void *user, const struct ps_job_view *job)
{
    *(struct ps_job_view *)user = *job;
}

static struct ps_job_view view_of(struct fixture *f, uint64_t id)
{
    struct ps_job_view view = {0};
    struct ps_err err = PS_ERR_INIT;

    assert_int_equal(ps_jobs_show(f->jobs, id, copy_view, &view, &err), PS_OK);
    return view;
}

static void an_import_from_queue_to_shelf(void **state)
{
    struct fixture *f = *state;
    struct ps_job_view view;
    struct ticket ticket;
    char *path = file(f, "a", log_text), *copy = strdup(path);
    uint64_t id;

    start(f, 1);
    id = add(f, path, true, &ticket);
    wait_ended(f, 1);
    view = view_of(f, id);
    assert_int_equal(view.state, PS_JOB_DONE);
    assert_string_equal(view.kind, "importtime");
    assert_int_equal(view.records, 1);
    assert_non_null(view.run);
    assert_false(view.already_existed);
    assert_int_equal(access(copy, F_OK), -1); /* temporary */
    free(copy);
    ps_jobs_stop(f->jobs);
    f->jobs = NULL;
    assert_int_equal(ticket.state, PS_JOB_DONE);
    assert_int_equal(f->seen.states[PS_JOB_QUEUED], 1);
    assert_true(f->seen.states[PS_JOB_RUNNING] >= 1);
    assert_int_equal(f->seen.states[PS_JOB_DONE], 1);
}

static void failures_are_kept_and_told(void **state)
{
    struct fixture *f = *state;
    struct ps_job_view view;
    uint64_t missing, unknown;

    start(f, 2);
    missing = add(f, strdup("/nonexistent/file"), false, NULL);
    unknown = add(f, file(f, "b", "none of ours"), false, NULL);
    wait_ended(f, 2);
    view = view_of(f, missing);
    assert_int_equal(view.state, PS_JOB_FAILED);
    assert_int_equal(view.err->code, PS_IO);
    view = view_of(f, unknown);
    assert_int_equal(view.err->code, PS_UNKNOWN_KIND);
    assert_null(view.run);
}

static void queued_jobs_are_cancelled_at_once(void **state)
{
    struct fixture *f = *state;
    struct ps_err err = PS_ERR_INIT;
    struct ticket ticket;
    uint64_t id;

    start(f, 0); /* nobody works: everything stays queued */
    id = add(f, file(f, "c", log_text), true, &ticket);
    assert_int_equal(ps_jobs_unfinished(f->jobs), 1);
    assert_int_equal(ps_jobs_cancel(f->jobs, id, &err), PS_OK);
    assert_int_equal(ticket.state, PS_JOB_CANCELLED);
    assert_int_equal(view_of(f, id).err->code, PS_CANCELLED);
    assert_int_equal(ps_jobs_unfinished(f->jobs), 0);
    assert_int_equal(ps_jobs_cancel(f->jobs, id, &err), PS_CONFLICT);
    err = (struct ps_err)PS_ERR_INIT;
    assert_int_equal(ps_jobs_cancel(f->jobs, 99, &err), PS_NOT_FOUND);
    for (int i = 0; i < 3; i++)
        add(f, file(f, "d", log_text), true, NULL);
    ps_jobs_cancel_all(f->jobs);
    assert_int_equal(ps_jobs_unfinished(f->jobs), 0);
    assert_int_equal(f->seen.ended, 4);
}

static void count(void *user, const struct ps_job_view *job)
{
    (void)job;
    ++*(size_t *)user;
}

static void only_the_last_ended_ones_are_kept(void **state)
{
    struct fixture *f = *state;
    struct ps_err err = PS_ERR_INIT;
    size_t n = 0;

    start(f, 2);
    for (unsigned i = 0; i < 3 * KEEP; i++)
        add(f, file(f, "e", "x"), false, NULL);
    wait_ended(f, 3 * KEEP);
    assert_int_equal(ps_jobs_each(f->jobs, count, &n, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(n, LISTED);
    assert_int_equal(ps_jobs_show(f->jobs, 2 * KEEP + 1, count, &n, &err), PS_OK);
    assert_int_equal(ps_jobs_show(f->jobs, 2 * KEEP, count, &n, &err), PS_NOT_FOUND);
}

static void stop_lets_the_queue_end(void **state)
{
    struct fixture *f = *state;
    struct ticket tickets[8];
    char name[] = "g0"; /* a file of its own for each: workers read while the next is written */

    start(f, 2);
    for (size_t i = 0; i < 8; i++, name[1]++)
        add(f, file(f, name, log_text), false, &tickets[i]);
    ps_jobs_stop(f->jobs);
    f->jobs = NULL;
    assert_int_equal(f->seen.tickets, 8);
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(tickets[i].state, PS_JOB_DONE);
}

int jobs_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_import_from_queue_to_shelf, setup, teardown),
        cmocka_unit_test_setup_teardown(failures_are_kept_and_told, setup, teardown),
        cmocka_unit_test_setup_teardown(queued_jobs_are_cancelled_at_once, setup, teardown),
        cmocka_unit_test_setup_teardown(only_the_last_ended_ones_are_kept, setup, teardown),
        cmocka_unit_test_setup_teardown(stop_lets_the_queue_end, setup, teardown),
    };

    return cmocka_run_group_tests_name("jobs", tests, NULL, NULL);
}
