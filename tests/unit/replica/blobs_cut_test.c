/* SPDX-License-Identifier: MIT */
/* blobs_cut_test.c: on a real PostgreSQL: bytes on their way when somebody stops, is cut off, or
 * does the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/blob_files.h"
#include "tests/unit/postgres.h"

/* --- Interrupted transfers --- */

static void wait_for_chunks(struct ps_pg *pg, int64_t n)
{
    for (int i = 0; CHUNKS(pg) < n; i++) {
        assert_true(i < 30000);
        (void)usleep(1000);
    }
}

/* Also one that was done before it could be killed leaves something loose, and no more. */
static void a_sender_that_dies_leaves_nothing(void **state)
{
    static const int64_t at[] = {0, 1, 10, 20, 32};
    struct ps_pg *pg = connect_to(*state);
    struct file file = new_file(16 * MIB, 1);

    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        char place[16];
        pid_t child;

        (void)snprintf(place, sizeof place, "s-%zu", i);
        child = fork();
        if (child == 0)
            _exit(send_file(ps_pg_new(*state), "s", place, &file, PS_ERR_IGNORED) != PS_OK);
        wait_for_chunks(pg, at[i]);
        (void)kill(child, SIGKILL);
        assert_int_equal(waitpid(child, NULL, 0), child);
        assert_int_equal(sweep(pg, all_are_needed), 0);
        (void)sweep(pg, none_are_needed);
        expect_no_blobs(pg);
    }
    (void)close(file.fd);
    ps_pg_free(pg);
}

struct sender {
    const char *url, *session;
    const struct file *file;
    enum ps_status status;
    atomic_bool done;
};

static void *send_it(void *user)
{
    struct sender *s = user;
    struct ps_pg *pg = ps_pg_new(s->url);
    char place[24];

    (void)snprintf(place, sizeof place, "%s-1", s->session);
    s->status = send_file(pg, s->session, place, s->file, PS_ERR_IGNORED);
    s->done = true;
    ps_pg_free(pg);
    return NULL;
}

static void a_lost_connection_is_made_again(void **state)
{
    struct ps_pg *pg = connect_to(*state);
    struct file file = new_file(48 * MIB, 1);
    struct sender sender = {*state, "s", &file, PS_INTERNAL, false};
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, send_it, &sender), 0);
    wait_for_chunks(pg, 16);
    (void)ask(pg, "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
                  "WHERE datname = current_database() AND pid <> pg_backend_pid()");
    (void)pthread_join(thread, NULL);
    assert_int_equal(sender.status, PS_OK);
    assert_int_equal(BLOBS(pg), 1);
    expect_bytes(pg, &file);
    (void)sweep(pg, all_are_needed); /* what the first try sent */
    assert_int_equal(CHUNKS(pg), 96);
    assert_int_equal(refer(pg, "a", &file, true), PS_OK);
    assert_int_equal(LOOSE(pg), 0);
    expect_bytes(pg, &file);
    (void)close(file.fd);
    ps_pg_free(pg);
}

static void *restart(void *user)
{
    (void)user;
    postgres_command("stop");
    postgres_command("start");
    return NULL;
}

struct cut {
    struct ps_content_hash content;
    pthread_t thread;
    int chunks;
};

static enum ps_status add_and_cut(void *user, struct ps_str bytes, struct ps_err *err)
{
    struct cut *cut = user;

    (void)err;
    if (++cut->chunks == 10)
        assert_int_equal(pthread_create(&cut->thread, NULL, restart, NULL), 0);
    ps_content_hash_add(&cut->content, bytes);
    return PS_OK;
}

static void a_fetch_goes_on_after_a_restart(void **state)
{
    struct ps_pg *pg = connect_to(*state);
    struct file file = new_file(64 * MIB, 1);
    struct ps_err err = PS_ERR_INIT;
    char hash[PS_CONTENT_HASH_SIZE];
    struct cut cut = {.chunks = 0};

    assert_int_equal(send_file(pg, "s", "s-1", &file, PS_ERR_IGNORED), PS_OK);
    ps_content_hash_begin(&cut.content);
    (void)ps_blob_fetch(pg, file.hash, add_and_cut, &cut, &err);
    (void)pthread_join(cut.thread, NULL);
    ps_content_hash_end(&cut.content, hash);
    assert_string_equal(err.text, "");
    assert_int_equal(cut.chunks, 128);
    assert_string_equal(hash, file.hash);
    (void)close(file.fd);
    ps_pg_free(pg);
}

static void after_a_failure_it_is_nobodys(void **state)
{
    struct ps_pg *pg = connect_to(*state);
    struct file file = new_file(3 * MIB, 1);

    assert_int_equal(ps_pg_script(pg, "ALTER TABLE blob RENAME TO blob_gone", PS_ERR_IGNORED),
                     PS_OK);
    assert_int_equal(
        ps_pg_script(pg, "CREATE VIEW blob AS SELECT DISTINCT * FROM blob_gone", PS_ERR_IGNORED),
        PS_OK); /* which takes no rows */
    assert_int_equal(send_file(pg, "s", "s-1", &file, PS_ERR_IGNORED), PS_INTERNAL);
    assert_int_equal(CHUNKS(pg), 6);
    assert_int_equal(ask(pg, "SELECT count(*) FROM loose WHERE owner = ''"), 1);
    (void)close(file.fd);
    ps_pg_free(pg);
}

/* Neither waits for ever. */
static void nobody_answers(void **state)
{
    struct ps_pg *pg = connect_to(*state);
    struct file file = new_file(MIB, 1);
    struct ps_err err = PS_ERR_INIT;
    struct ps_content_hash content;

    postgres_command("stop");
    postgres_hasten(true);
    ps_content_hash_begin(&content);
    assert_int_equal(ps_blob_fetch(pg, file.hash, add_bytes, &content, &err), PS_UNAVAILABLE);
    assert_string_not_equal(err.hint, "");
    assert_int_equal(send_file(pg, "s", "s-1", &file, PS_ERR_IGNORED), PS_UNAVAILABLE);
    postgres_hasten(false);
    ps_content_hash_end(&content, NULL);
    postgres_command("start");
    assert_int_equal(send_file(pg, "s", "s-1", &file, PS_ERR_IGNORED), PS_OK);
    expect_bytes(pg, &file);
    (void)close(file.fd);
    ps_pg_free(pg);
}

/* --- Concurrent transfers --- */

static void of_many_that_send_one_is_kept(void **state)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    struct ps_pg *pg = connect_to(*state);
    struct file file = new_file(8 * MIB, 1);
    struct sender senders[4];
    pthread_t threads[4];

    for (size_t i = 0; i < 4; i++) {
        senders[i] = (struct sender){*state, names[i], &file, PS_INTERNAL, false};
        assert_int_equal(pthread_create(&threads[i], NULL, send_it, &senders[i]), 0);
    }
    for (size_t i = 0; i < 4; i++) {
        (void)pthread_join(threads[i], NULL);
        assert_int_equal(senders[i].status, PS_OK);
    }
    assert_int_equal(BLOBS(pg), 1);
    assert_int_equal(CHUNKS(pg), 16);
    assert_int_equal(LOOSE(pg), 1);
    expect_bytes(pg, &file);
    assert_int_equal(sweep(pg, none_are_needed), 1);
    expect_no_blobs(pg);
    (void)close(file.fd);
    ps_pg_free(pg);
}

/* Whatever the sweep takes from it meanwhile: what it says is there is there or is told to be gone
 * by the tie, and nothing else is left. */
static void a_sender_that_is_taken_for_dead(void **state)
{
    struct ps_pg *pg = connect_to(*state);
    struct file file = new_file(8 * MIB, 1);

    for (int i = 0; i < 6; i++) {
        struct sender sender = {*state, i % 2 ? "s" : "t", &file, PS_INTERNAL, false};
        enum ps_status tied;
        pthread_t thread;

        assert_int_equal(pthread_create(&thread, NULL, send_it, &sender), 0);
        for (int n = 0; n <= i && !sender.done;)
            n += sweep(pg, none_are_needed) > 0;
        (void)pthread_join(thread, NULL);
        assert_true(sender.status == PS_OK || sender.status == PS_UNAVAILABLE);
        tied = refer(pg, "a", &file, true);
        if (tied == PS_OK)
            expect_bytes(pg, &file);
        (void)sweep(pg, none_are_needed);
        assert_int_equal(CHUNKS(pg), tied == PS_OK ? 16 : 0);
        assert_int_equal(LOOSE(pg), 0);
        if (tied == PS_OK)
            assert_int_equal(refer(pg, "a", &file, false), PS_OK);
        (void)sweep(pg, none_are_needed);
        expect_no_blobs(pg);
    }
    (void)close(file.fd);
    ps_pg_free(pg);
}

struct pair {
    const char *url;
    atomic_int failed;
    atomic_bool done;
};

static void *keep_sweeping(void *user)
{
    struct pair *pair = user;
    struct ps_pg *pg = ps_pg_new(pair->url);
    bool more;

    while (!pair->done)
        pair->failed +=
            ps_blob_sweep(pg, all_are_needed, NULL, 60000, &more, NULL, PS_ERR_IGNORED) != PS_OK;
    ps_pg_free(pg);
    return NULL;
}

/* Two sweep while it is sent, tied and untied: what is tied is there. */
static void nothing_that_is_tied_is_swept(void **state)
{
    struct ps_pg *pg = connect_to(*state);
    struct file file = new_file(MIB, 1);
    struct pair pair = {*state, 0, false};
    pthread_t threads[2];
    int tied = 0;

    for (size_t i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, keep_sweeping, &pair), 0);
    for (int i = 0; i < 60; i++) {
        char place[16];
        enum ps_status status;

        (void)snprintf(place, sizeof place, "s-%d", i);
        assert_int_equal(send_file(pg, "s", place, &file, PS_ERR_IGNORED), PS_OK);
        status = refer(pg, "a", &file, true);
        assert_true(status == PS_OK || status == PS_NOT_FOUND);
        if (status != PS_OK)
            continue;
        tied++;
        expect_bytes(pg, &file);
        assert_int_equal(refer(pg, "a", &file, false), PS_OK);
    }
    pair.done = true;
    for (size_t i = 0; i < 2; i++)
        (void)pthread_join(threads[i], NULL);
    assert_int_equal(pair.failed, 0);
    assert_true(tied > 10);
    (void)sweep(pg, none_are_needed);
    expect_no_blobs(pg);
    (void)close(file.fd);
    ps_pg_free(pg);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, make_store, drop_store)

int blobs_cut_test(void)
{
    const struct CMUnitTest tests[] = {
        WITH(a_sender_that_dies_leaves_nothing),
        WITH(a_lost_connection_is_made_again),
        WITH(a_fetch_goes_on_after_a_restart),
        WITH(after_a_failure_it_is_nobodys),
        WITH(nobody_answers),
        WITH(of_many_that_send_one_is_kept),
        WITH(a_sender_that_is_taken_for_dead),
        WITH(nothing_that_is_tied_is_swept),
    };

    return postgres_start() ? cmocka_run_group_tests_name("blobs_cut", tests, NULL, NULL) : 0;
}
