/* SPDX-License-Identifier: MIT */
/* job_rows_test.c: what servers of one store know of each other's jobs, and what they hear of each
 * other's changes. */
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
#include "server/catalog/job_rows.h"
#include "tests/unit/postgres.h"
#include "tests/unit/servers.h"

/* --- Rows --- */

static void write_view(void *user, uint64_t id, struct ps_buf *out)
{
    ps_buf_printf(out, "{\"id\":\"j%llu\",\"state\":\"queued\",\"error\":null,\"by\":\"%s\"}",
                  (unsigned long long)id, (const char *)user);
}

static uint64_t add_job(struct ps_store *store, const char *by)
{
    const struct ps_new_job job = {
        .requested_ms = 12345, .write_json = write_view, .user = (void *)(uintptr_t)by};
    uint64_t id = 0;

    assert_int_equal(ps_job_row_add(store, &job, &id, PS_ERR_IGNORED), PS_OK);
    return id;
}

static void put_job(struct ps_store *store, uint64_t id, const char *state, size_t keep)
{
    const struct ps_job_row row = {
        .id = id,
        .state = state,
        .has_ended = strcmp(state, "queued") != 0 && strcmp(state, "running") != 0,
        .json = ps_str_from_c(state),
    };

    assert_int_equal(ps_job_rows_put(store, &row, 1, keep, PS_ERR_IGNORED), PS_OK);
}

static void expect_job(struct ps_store *store, uint64_t id, const char *state, const char *view,
                       bool ours)
{
    struct ps_arena arena = {0};
    struct ps_job_row row;

    assert_int_equal(ps_job_row_find(store, id, true, &arena, &row, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(row.id, id);
    assert_string_equal(row.state, state);
    assert_string_equal(row.json.ptr, view);
    assert_int_equal(row.is_ours, ours);
    assert_int_equal(row.requested_ms, 12345);
    ps_arena_free(&arena);
}

static void all_know_of_a_job(void **state)
{
    struct ps_store *a = open_server(*state, "a"), *b = open_server(*state, "b");
    struct ps_arena arena = {0};
    struct ps_job_row row;

    assert_int_equal(add_job(a, "a"), 1);
    assert_int_equal(add_job(b, "b"), 2);
    expect_job(b, 1, "queued", "{\"id\":\"j1\",\"state\":\"queued\",\"error\":null,\"by\":\"a\"}",
               false);
    expect_job(a, 1, "queued", "{\"id\":\"j1\",\"state\":\"queued\",\"error\":null,\"by\":\"a\"}",
               true);
    put_job(a, 1, "running", 10);
    wait_until(b, "SELECT count(*) FROM job WHERE state = 'running'", 1);
    put_job(b, 1, "failed", 10); /* which is not b's */
    expect_job(b, 1, "running", "running", false);
    assert_int_equal(ps_job_row_find(b, 3, true, &arena, &row, PS_ERR_IGNORED), PS_NOT_FOUND);
    expect_same(a, b);
    ps_arena_free(&arena);
    ps_store_close(a);
    ps_store_close(b);
}

/* The numbers of those that are listed, newest first: "5 4 1". */
static void expect_list(struct ps_store *store, size_t ended, const char *wanted)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    struct ps_arena arena = {0};
    struct ps_job_row *rows;
    size_t n;

    assert_int_equal(ps_job_rows_list(store, ended, &arena, &rows, &n, PS_ERR_IGNORED), PS_OK);
    for (size_t i = 0; i < n; i++)
        ps_buf_printf(&text, "%s%llu", i ? " " : "", (unsigned long long)rows[i].id);
    assert_string_equal(n ? text.ptr : "", wanted);
    ps_arena_free(&arena);
}

static void the_last_ended_ones_are_kept(void **state)
{
    struct ps_store *a = open_server(*state, "a"), *b = open_server(*state, "b");

    expect_list(a, 5, "");
    for (int i = 0; i < 6; i++)
        (void)add_job(a, "a");
    for (uint64_t id = 2; id <= 6; id++)
        put_job(a, id, id % 2 ? "failed" : "done", 3);
    expect_list(a, 5, "6 5 4 1"); /* 1 is unfinished */
    expect_list(a, 2, "6 5 1");
    put_job(a, 1, "cancelled", 3);
    expect_list(a, 5, "6 5 4");
    assert_int_equal(add_job(b, "b"), 7);
    expect_list(b, 0, "7");
    expect_same(a, b);
    ps_store_close(a);
    ps_store_close(b);
}

static void anybody_may_ask_for_the_end(void **state)
{
    struct ps_store *a = open_server(*state, "a"), *b = open_server(*state, "b");
    struct ps_err err = PS_ERR_INIT;
    const uint64_t id = add_job(a, "a");

    assert_int_equal(ps_job_row_cancel(b, id + 1, &err), PS_NOT_FOUND);
    assert_int_equal(ps_job_row_cancel(b, id, &err), PS_OK);
    wait_until(a, "SELECT cancel FROM job", 1);
    put_job(a, id, "running", 10); /* which does not undo it */
    assert_int_equal(count(a, "SELECT cancel FROM job"), 1);
    put_job(a, id, "cancelled", 10);
    assert_int_equal(ps_job_row_cancel(b, id, &err), PS_CONFLICT);
    assert_non_null(strstr(err.text, "has finished"));
    ps_store_close(a);
    ps_store_close(b);
}

/* --- Change notices --- */

struct heard {
    pthread_mutex_t lock;
    struct ps_buf text; /* "run 0000000000000001, job 3, many, " */
};

static void hear(void *user, const struct ps_row_change *change)
{
    struct heard *heard = user;

    (void)pthread_mutex_lock(&heard->lock);
    if (change->kind == PS_CHANGED_RUN)
        ps_buf_printf(&heard->text, "run %s, ", change->run_id + 15);
    else if (change->kind == PS_CHANGED_JOB)
        ps_buf_printf(&heard->text, "job %llu, ", (unsigned long long)change->job_id);
    else
        ps_buf_puts(&heard->text, "many, ");
    (void)pthread_mutex_unlock(&heard->lock);
}

static bool has_heard(struct heard *heard, const char *wanted)
{
    bool has;

    (void)pthread_mutex_lock(&heard->lock);
    has = heard->text.len && strstr(heard->text.ptr, wanted);
    (void)pthread_mutex_unlock(&heard->lock);
    return has;
}

static void wait_heard(struct heard *heard, const char *wanted)
{
    for (int i = 0; i < 3000 && !has_heard(heard, wanted); i++)
        (void)usleep(10000);
    if (!has_heard(heard, wanted))
        fail_msg("%s was not heard, but %s", wanted, heard->text.len ? heard->text.ptr : "nothing");
}

/* Waits for it, and forgets what was heard. */
static void expect_heard(struct heard *heard, const char *wanted)
{
    wait_heard(heard, wanted);
    (void)pthread_mutex_lock(&heard->lock);
    heard->text.len = 0;
    (void)pthread_mutex_unlock(&heard->lock);
}

static void open_both(void **state, struct ps_store **a, struct ps_store **b, struct heard *heard)
{
    *heard = (struct heard){.text = {0}};
    (void)pthread_mutex_init(&heard->lock, NULL);
    *a = open_server(*state, "a");
    *b = open_server(*state, "b");
    ps_store_listen(*b, hear, heard);
}

static void close_both(struct ps_store *a, struct ps_store *b, struct heard *heard)
{
    ps_store_listen(b, NULL, NULL);
    ps_store_close(a);
    ps_store_close(b);
    ps_buf_free(&heard->text);
}

static void one_hears_what_others_change(void **state)
{
    struct ps_store *a, *b;
    struct heard heard;
    char id[PS_ID_SIZE];
    uint64_t job;

    open_both(state, &a, &b, &heard);
    assert_int_equal(put_run(a, 1, "one", PS_ERR_IGNORED), PS_OK);
    expect_heard(&heard, "run 1, ");
    assert_int_equal(put_run(a, 2, "two", PS_ERR_IGNORED), PS_OK);
    expect_heard(&heard, "run 2, ");
    assert_int_equal(tag_run(a, 2, "x", PS_ERR_IGNORED), PS_OK);
    expect_heard(&heard, "run 2, ");
    id_of(1, id);
    assert_int_equal(ps_store_set_baseline(a, id, PS_ERR_IGNORED), PS_OK);
    expect_heard(&heard, "run 1, ");
    id_of(2, id);
    assert_int_equal(ps_store_set_baseline(a, id, PS_ERR_IGNORED), PS_OK);
    expect_heard(&heard, "run 1, run 2, "); /* the one before is none any more */
    assert_int_equal(ps_store_clear_baseline(a, "nightly", PS_ERR_IGNORED), PS_OK);
    expect_heard(&heard, "run 2, ");
    assert_int_equal(ps_store_remove_run(a, id, "mei", PS_ERR_IGNORED), PS_OK);
    expect_heard(&heard, "run 2, ");
    job = add_job(a, "a");
    expect_heard(&heard, "job 1, ");
    put_job(a, job, "running", 10);
    expect_heard(&heard, "job 1, ");
    close_both(a, b, &heard);
}

/* Also where it is caught up with by a transaction of ours, and not by a look. */
static void what_one_does_itself_is_not_told(void **state)
{
    struct ps_store *a, *b;
    struct heard heard;

    open_both(state, &a, &b, &heard);
    for (unsigned n = 1; n <= 8; n++)
        assert_int_equal(put_run(b, n, "b", PS_ERR_IGNORED), PS_OK);
    (void)add_job(b, "b");
    assert_int_equal(put_run(a, 9, "a", PS_ERR_IGNORED), PS_OK);
    assert_int_equal(tag_run(b, 9, "x", PS_ERR_IGNORED), PS_OK);
    assert_int_equal(put_run(a, 10, "a", PS_ERR_IGNORED), PS_OK);
    wait_heard(&heard, "run a, "); /* after all that happened before */
    assert_true(has_heard(&heard, "run 9, "));
    for (unsigned n = 1; n <= 8; n++) {
        char own[16];

        (void)snprintf(own, sizeof own, "run %u, ", n);
        assert_false(has_heard(&heard, own));
    }
    assert_false(has_heard(&heard, "many"));
    assert_false(has_heard(&heard, "job"));
    close_both(a, b, &heard);
}

static void more_than_can_be_told_is_many(void **state)
{
    struct ps_store *a, *b;
    struct heard heard;
    enum ps_status status;
    struct ps_err err = PS_ERR_INIT;

    open_both(state, &a, &b, &heard);
    assert_int_equal(put_run(a, 1, "one", PS_ERR_IGNORED), PS_OK);
    expect_heard(&heard, "run 1, ");
    status = ps_catalog_begin(a, PS_NOT_DURABLE, &err);
    if (status == PS_OK)
        status = ps_db_exec(a->catalog,
                            "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n "
                            "WHERE n <= 1000) "
                            "INSERT INTO tag SELECT printf('%016x', n), 'k', 'v' FROM n",
                            &err);
    assert_int_equal(ps_catalog_end(a, status, &err), PS_OK);
    expect_heard(&heard, "many, ");
    assert_int_equal(put_run(a, 2, "two", PS_ERR_IGNORED), PS_OK);
    expect_heard(&heard, "run 2, ");
    close_both(a, b, &heard);
}

/* Another process with our folder fetched some, and knows which. */
static void what_another_process_fetched_is_many(void **state)
{
    struct ps_store *a, *b, *beside;
    struct heard heard;

    open_both(state, &a, &b, &heard);
    beside = open_server(*state, "b");
    assert_int_equal(put_run(beside, 1, "one", PS_ERR_IGNORED), PS_OK);
    expect_heard(&heard, "many, ");
    assert_int_equal(count(b, "SELECT count(*) FROM run"), 1);
    ps_store_close(beside);
    close_both(a, b, &heard);
}

/* Jobs come and go while a run is imported; pages need not fetch their lists for that. */
static void a_job_is_no_change_of_the_shelf(void **state)
{
    struct ps_store *a, *b;
    struct heard heard;
    int64_t version;

    open_both(state, &a, &b, &heard);
    version = ps_store_version(b);
    (void)add_job(a, "a");
    expect_heard(&heard, "job 1, ");
    assert_int_equal(ps_store_version(b), version);
    assert_int_equal(put_run(a, 1, "one", PS_ERR_IGNORED), PS_OK);
    expect_heard(&heard, "run 1, ");
    assert_int_not_equal(ps_store_version(b), version);
    close_both(a, b, &heard);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, make, drop)

int job_rows_test(void)
{
    const struct CMUnitTest tests[] = {
        WITH(all_know_of_a_job),
        WITH(the_last_ended_ones_are_kept),
        WITH(anybody_may_ask_for_the_end),
        WITH(one_hears_what_others_change),
        WITH(what_one_does_itself_is_not_told),
        WITH(more_than_can_be_told_is_many),
        WITH(what_another_process_fetched_is_many),
        WITH(a_job_is_no_change_of_the_shelf),
    };

    return postgres_start() ? cmocka_run_group_tests_name("job_rows", tests, NULL, NULL) : 0;
}
