/* SPDX-License-Identifier: MIT */
/* jobs_shared_test.c: queues of two servers on one store. Without workers a job waits for as long
 * as a test wants. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "server/catalog/changes.h"
#include "server/jobs/jobs.h"
#include "tests/unit/postgres.h"
#include "tests/unit/servers.h"

#define KEEP 20

struct server {
    struct ps_store *store;
    struct ps_jobs *jobs;
    pthread_mutex_t lock;
    struct ps_buf said; /* "1 queued, 1 done, " of its own jobs; "1: " and their text of others' */
};

static void add_view(void *user, const struct ps_job_view *job)
{
    struct ps_buf *out = user;

    if (job->text.len)
        ps_buf_printf(out, "%llu: %.*s, ", (unsigned long long)job->id, (int)job->text.len,
                      job->text.ptr);
    else
        ps_buf_printf(out, "%llu %s, ", (unsigned long long)job->id, ps_job_state_word(job->state));
}

static void on_changed(void *user, const struct ps_job_view *job)
{
    struct server *server = user;

    (void)pthread_mutex_lock(&server->lock);
    add_view(&server->said, job);
    (void)pthread_mutex_unlock(&server->lock);
}

static void write_job(struct ps_buf *out, const struct ps_job_view *job)
{
    ps_buf_printf(out, "{\"state\":\"%s\",\"error\":null}", ps_job_state_word(job->state));
}

static void on_heard(void *user, const struct ps_row_change *change)
{
    if (change->kind == PS_CHANGED_JOB)
        ps_jobs_on_change(((struct server *)user)->jobs, change->job_id);
}

static void begin(struct fixture *f, const char *which, unsigned workers, struct server *out)
{
    const struct ps_jobs_config config = {
        .store = open_server(f, which),
        .workers = workers,
        .listed_max = KEEP,
        .kept_max = KEEP,
        .changed = on_changed,
        .write = write_job,
        .user = out,
    };

    *out = (struct server){.store = config.store};
    (void)pthread_mutex_init(&out->lock, NULL);
    assert_int_equal(ps_jobs_start(&config, &out->jobs, PS_ERR_IGNORED), PS_OK);
    ps_store_listen(out->store, on_heard, out);
}

static void end(struct server *server)
{
    ps_store_listen(server->store, NULL, NULL);
    ps_jobs_stop(server->jobs);
    ps_store_close(server->store);
    ps_buf_free(&server->said);
}

static void wait_said(struct server *server, const char *wanted)
{
    bool has = false;

    for (int i = 0; i < 500 && !has; i++) {
        (void)pthread_mutex_lock(&server->lock);
        has = server->said.len && strstr(server->said.ptr, wanted);
        (void)pthread_mutex_unlock(&server->lock);
        (void)usleep(has ? 0 : 10000);
    }
    if (!has)
        fail_msg("\"%s\" was not said, but %s", wanted, server->said.len ? server->said.ptr : "-");
}

/* A profile that is none, in the spool. */
static uint64_t add(struct server *server, bool accepted)
{
    struct ps_job_request request = {
        .is_temporary = true, .is_accepted = accepted, .replies_early = accepted, .filename = "f"};
    uint64_t id = 0;
    int fd;

    assert_int_equal(ps_store_create_spool_file(server->store, &request.path, &fd, PS_ERR_IGNORED),
                     PS_OK);
    assert_int_equal(write(fd, "x", 1), 1);
    assert_int_equal(close(fd), 0);
    assert_int_equal(ps_jobs_add(server->jobs, &request, &id, PS_ERR_IGNORED), PS_OK);
    return id;
}

static void expect_shown(struct server *server, uint64_t id, const char *wanted)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    assert_int_equal(ps_jobs_show(server->jobs, id, add_view, &text, PS_ERR_IGNORED), PS_OK);
    assert_string_equal(text.ptr, wanted);
}

static void expect_each(struct server *server, const char *wanted)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    assert_int_equal(ps_jobs_each(server->jobs, add_view, &text, PS_ERR_IGNORED), PS_OK);
    assert_string_equal(text.ptr, wanted);
}

#define QUEUED    "{\"state\":\"queued\",\"error\":null}"
#define FAILED    "{\"state\":\"failed\",\"error\":null}"
#define CANCELLED "{\"state\":\"cancelled\",\"error\":null}"

static void all_are_numbered_through(void **state)
{
    struct server a, b;
    struct ps_err err = PS_ERR_INIT;

    begin(*state, "a", 0, &a);
    begin(*state, "b", 1, &b);
    assert_int_equal(add(&a, true), 1);
    assert_int_equal(add(&b, false), 2);
    assert_int_equal(add(&a, false), 3);
    wait_said(&b, "2 failed, ");
    wait_said(&a, "2: " FAILED);
    expect_shown(&b, 1, "1: " QUEUED ", ");
    expect_shown(&a, 1, "1 queued, ");
    expect_each(&a, "3 queued, 2: " FAILED ", 1 queued, ");
    wait_said(&b, "3: " QUEUED);
    expect_each(&b, "3: " QUEUED ", 2 failed, 1: " QUEUED ", ");
    assert_int_equal(ps_jobs_show(b.jobs, 4, add_view, NULL, &err), PS_NOT_FOUND);
    assert_non_null(strstr(err.text, "no job j4"));
    ps_jobs_cancel_all(a.jobs);
    end(&a);
    wait_said(&b, "3: " CANCELLED);
    end(&b);
}

static void one_that_waits_elsewhere_is_cancelled(void **state)
{
    struct server a, b;
    struct ps_err err = PS_ERR_INIT;

    begin(*state, "a", 0, &a);
    begin(*state, "b", 0, &b);
    assert_int_equal(add(&a, true), 1);
    assert_int_equal(ps_jobs_cancel(b.jobs, 2, &err), PS_NOT_FOUND);
    assert_int_equal(ps_jobs_cancel(b.jobs, 1, PS_ERR_IGNORED), PS_OK);
    wait_said(&a, "1 cancelled, ");
    wait_said(&b, "1: " CANCELLED);
    assert_int_equal(count(b.store, "SELECT count(*) FROM upload"), 0);
    err = (struct ps_err)PS_ERR_INIT;
    assert_int_equal(ps_jobs_cancel(b.jobs, 1, &err), PS_CONFLICT);
    assert_int_equal(ps_jobs_cancel(a.jobs, 1, PS_ERR_IGNORED), PS_CONFLICT);
    end(&a);
    end(&b);
}

/* What another server does that takes this one for dead. */
static void take_over(struct server *server, const char *dead)
{
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};
    enum ps_status status = ps_catalog_begin(server->store, PS_NOT_DURABLE, PS_ERR_IGNORED);

    ps_buf_printf(&sql, "UPDATE upload SET session = '%s'", server->store->session);
    if (status == PS_OK)
        status = ps_db_exec(server->store->catalog, sql.ptr, PS_ERR_IGNORED);
    if (status == PS_OK)
        status = ps_job_rows_abandon(server->store, dead, PS_ERR_IGNORED);
    assert_int_equal(ps_catalog_end(server->store, status, PS_ERR_IGNORED), PS_OK);
}

/* A server that was stalled says nothing of a job that another one has by now; of one that nobody
 * went on with it knows better. */
static void what_was_taken_over_is_told_by_who_has_it(void **state)
{
    struct server a, b;

    begin(*state, "a", 0, &a);
    begin(*state, "b", 0, &b);
    assert_int_equal(add(&a, true), 1);
    assert_int_equal(add(&a, false), 2);
    wait_said(&b, "2: " QUEUED);
    take_over(&b, a.store->session);
    expect_shown(&b, 2,
                 "2: {\"state\":\"failed\",\"error\":{\"code\":\"interrupted\","
                 "\"text\":\"the server stopped before it reported the result\",\"at\":null,"
                 "\"hint\":\"look for the run on the shelf; if it is missing, send it again\"}}, ");
    wait_said(&a, "1: " QUEUED);
    expect_shown(&a, 1, "1: " QUEUED ", ");
    assert_int_equal(ps_jobs_cancel(a.jobs, 1, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(count(a.store, "SELECT cancel FROM job WHERE id = 1"), 1);
    ps_jobs_cancel_all(a.jobs);
    wait_said(&b, "2: " CANCELLED);
    wait_said(&a, "2 cancelled, ");
    assert_null(strstr(a.said.ptr, "1 cancelled"));
    end(&a);
    assert_int_equal(count(b.store, "SELECT state = 'queued' FROM job WHERE id = 1"), 1);
    end(&b);
}

/* In good order: the upload waits for the next server, and so does its job, under its number. */
static void what_is_left_goes_on_elsewhere(void **state)
{
    struct server a, b;
    int64_t at;

    begin(*state, "a", 0, &a);
    assert_int_equal(add(&a, true), 1);
    at = count(a.store, "SELECT at FROM job");
    assert_int_equal(ps_jobs_hand_over_all(a.jobs), 1);
    end(&a);
    begin(*state, "b", 1, &b);
    assert_int_equal(count(b.store, "SELECT count(*) FROM job WHERE state = 'queued'"), 1);
    assert_int_equal(ps_jobs_resume(b.jobs, PS_ERR_IGNORED), PS_OK);
    wait_said(&b, "1 failed, ");
    assert_int_equal(count(b.store, "SELECT at FROM job"), at);
    wait_until(b.store, "SELECT count(*) FROM job WHERE state = 'failed'", 1);
    assert_int_equal(add(&b, false), 2);
    end(&b);
}

/* What happens to a job while the database is away is told when it is back. */
static void the_last_state_counts(void **state)
{
    struct server a, b;

    begin(*state, "a", 0, &a);
    begin(*state, "b", 0, &b);
    assert_int_equal(add(&a, false), 1);
    wait_said(&b, "1: " QUEUED);
    postgres_command("stop");
    ps_jobs_cancel_all(a.jobs);
    expect_shown(&a, 1, "1 cancelled, ");
    expect_shown(&b, 1, "1: " QUEUED ", ");
    postgres_command("start");
    wait_until(b.store, "SELECT count(*) FROM job WHERE state = 'cancelled'", 1);
    end(&a);
    end(&b);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, make, drop)

int jobs_shared_test(void)
{
    const struct CMUnitTest tests[] = {
        WITH(all_are_numbered_through),
        WITH(one_that_waits_elsewhere_is_cancelled),
        WITH(what_was_taken_over_is_told_by_who_has_it),
        WITH(what_is_left_goes_on_elsewhere),
        WITH(the_last_state_counts),
    };

    return postgres_start() ? cmocka_run_group_tests_name("jobs_shared", tests, NULL, NULL) : 0;
}
