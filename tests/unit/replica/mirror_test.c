/* SPDX-License-Identifier: MIT */
/* mirror_test.c: a catalog that several servers share: what one says all see, in one order; mirrors
 * that do not fit; a database that is away. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "server/catalog/tokens.h"
#include "server/replica/mirror.h"
#include "server/replica/replica.h"
#include "server/replica/state.h"
#include "tests/unit/postgres.h"
#include "tests/unit/servers.h"

static void what_one_says_all_see(void **state)
{
    struct ps_store *a = open_server(*state, "a"), *b = open_server(*state, "b");
    char token[PS_TOKEN_SIZE], session[PS_TOKEN_SIZE], id[PS_ID_SIZE];
    const struct ps_saved_query saved = {"", "all", "SELECT 1", "mei"};
    struct ps_token_holder holder;
    int64_t version = ps_store_version(b);

    assert_int_equal(put_run(a, 1, "one", PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_store_resolve(b, "one", id, PS_ERR_IGNORED),
                     PS_OK); /* before it is said not to be */
    assert_int_not_equal(ps_store_version(b), version);
    assert_int_equal(tag_run(b, 1, "uno", PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_store_set_baseline(b, id, PS_ERR_IGNORED), PS_OK);
    wait_until(a, "SELECT count(*) FROM baseline JOIN run ON run.id = run WHERE name = 'uno'", 1);
    assert_int_equal(ps_token_add(a, "mei", PS_ACCESS_ADMIN, token, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_token_check(b, token, &holder, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_login_session_open(b, token, session, &holder, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_login_session_check(a, session, &holder, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_saved_query_put(a, &saved, false, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(log_one(b, "x.prof"), PS_OK);
    assert_int_equal(ps_token_revoke(b, "mei", PS_ERR_IGNORED), PS_OK);
    expect_same(a, b);
    assert_int_equal(ps_token_check(a, token, &holder, PS_ERR_IGNORED), PS_NOT_FOUND);
    assert_int_equal(ps_store_remove_run(a, id, "mei", PS_ERR_IGNORED), PS_OK);
    wait_until(b, "SELECT count(*) FROM run", 0);
    wait_until(b, "SELECT count(*) FROM removal_log", 1);
    expect_same(a, b);
    ps_store_close(a);
    ps_store_close(b);
}

static void a_failure_undoes_both_sides(void **state)
{
    struct ps_store *a = open_server(*state, "a"), *b = open_server(*state, "b");
    struct ps_err err = PS_ERR_INIT;

    assert_int_equal(put_run(a, 1, "one", PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_catalog_begin(a, PS_DURABLE, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_db_exec(a->catalog, "UPDATE run SET name = 'two'", PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_catalog_end(a, PS_CONFLICT, &err), PS_CONFLICT);
    assert_int_equal(count(a, "SELECT count(*) FROM run WHERE name = 'one'"), 1);
    expect_same(a, b);
    ps_store_close(a);
    ps_store_close(b);
}

/* A key that is free again, rows that exclude each other, a change that is none. */
static void rows_come_and_go_within_one_look(void **state)
{
    struct ps_store *a = open_server(*state, "a"), *b = open_server(*state, "b");
    char token[PS_TOKEN_SIZE], id[PS_ID_SIZE];

    id_of(1, id);
    assert_int_equal(put_run(a, 1, "one", PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_token_add(a, "mei", PS_ACCESS_ADMIN, token, PS_ERR_IGNORED), PS_OK);
    expect_same(a, b);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(ps_store_remove_run(a, id, "", PS_ERR_IGNORED), PS_OK);
        assert_int_equal(put_run(a, 1, "again", PS_ERR_IGNORED), PS_OK);
        assert_int_equal(ps_token_revoke(a, "mei", PS_ERR_IGNORED), PS_OK);
        assert_int_equal(ps_token_add(a, "mei", PS_ACCESS_ADMIN, token, PS_ERR_IGNORED), PS_OK);
        assert_int_equal(tag_run(a, 1, i == 1 ? "x" : "y", PS_ERR_IGNORED), PS_OK);
    }
    expect_same(a, b);
    ps_store_close(a);
    ps_store_close(b);
}

static void text_that_is_none_is_mended_everywhere(void **state)
{
    struct ps_store *a = open_server(*state, "a"), *b = open_server(*state, "b");

    assert_int_equal(log_one(a, "bro\xffken"), PS_OK);
    expect_same(a, b);
    assert_int_equal(count(a, "SELECT count(*) FROM import_log WHERE name = 'bro\xef\xbf\xbdken'"),
                     1);
    ps_store_close(a);
    ps_store_close(b);
}

/* --- Outdated mirrors --- */

static void sql_there(struct fixture *f, const char *sql)
{
    struct ps_pg *pg = ps_pg_new(f->url);

    assert_int_equal(ps_pg_connect(pg, 5000, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_pg_script(pg, sql, PS_ERR_IGNORED), PS_OK);
    ps_pg_free(pg);
}

static void a_mirror_may_be_thrown_away(void **state)
{
    struct fixture *f = *state;
    struct ps_store *a = open_server(f, "a"), *b = open_server(f, "b");
    char command[128];

    for (unsigned n = 1; n <= 20; n++)
        assert_int_equal(put_run(a, n, "run", PS_ERR_IGNORED), PS_OK);
    expect_same(a, b);
    ps_store_close(b);
    (void)snprintf(command, sizeof command, "rm -rf %s/b", f->dir);
    assert_int_equal(system(command), 0);
    b = open_server(f, "b");
    assert_int_equal(count(b, "SELECT count(*) FROM run"), 20);
    expect_same(a, b);
    ps_store_close(a);
    ps_store_close(b);
}

/* Removals are forgotten after some weeks: who slept that long begins anew. Likewise after a store
 * was set back, or is another one. */
static void a_mirror_that_does_not_fit_is_made_anew(void **state)
{
    static const char *const changes[] = {
        "UPDATE clock SET pruned = n; DELETE FROM gone",
        "UPDATE clock SET n = 1, pruned = 0; DELETE FROM gone; DELETE FROM run WHERE tx > 1",
        "UPDATE clock SET store = 'another'; DELETE FROM gone; UPDATE run SET name = 'theirs'",
    };

    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct fixture f = {postgres_database(), ""};
        struct ps_store *a, *b;

        (void)snprintf(f.dir, sizeof f.dir, "%.40s/%zu", ((struct fixture *)*state)->dir, i);
        a = open_server(&f, "a");
        b = open_server(&f, "b");
        for (unsigned n = 1; n <= 3; n++)
            assert_int_equal(put_run(a, n, "run", PS_ERR_IGNORED), PS_OK);
        expect_same(a, b);
        ps_store_close(b);
        assert_int_equal(ps_store_remove_run(a, "0000000000000002", "", PS_ERR_IGNORED), PS_OK);
        ps_store_close(a);
        sql_there(&f, changes[i]);
        b = open_server(&f, "b");
        a = open_server(&f, "c");
        expect_same(a, b);
        ps_store_close(a);
        ps_store_close(b);
        free(f.url);
    }
}

/* Of a perfshelf from before there were notes; and then somebody wrote one, which a mirror of that
 * perfshelf caught up with. */
static void what_an_older_one_lacks_is_laid_out_and_fetched(void **state)
{
    static const char there[] = "ALTER TABLE run DROP COLUMN note; ALTER TABLE upload DROP COLUMN "
                                "note; ALTER TABLE deleted_run DROP COLUMN note; "
                                "DELETE FROM migration WHERE version >= 5";
    static const char here[] = "DROP VIEW run_words; CREATE VIEW run_words AS SELECT id, seq, name "
                               "AS text FROM run; ALTER TABLE run DROP COLUMN note; "
                               "ALTER TABLE upload DROP COLUMN note; "
                               "ALTER TABLE deleted_run DROP COLUMN note; PRAGMA user_version = 0";
    struct fixture *f = *state;
    struct ps_store *a = open_server(f, "a"), *b = open_server(f, "b");
    char path[128];
    struct ps_db *db = NULL;

    assert_int_equal(put_run(a, 1, "one", PS_ERR_IGNORED), PS_OK);
    expect_same(a, b);
    ps_store_close(b);
    ps_store_close(a);
    sql_there(f, there);
    (void)snprintf(path, sizeof path, "file:%s/b/catalog.db", f->dir);
    assert_int_equal(ps_db_open(path, true, &db, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_db_exec(db, here, PS_ERR_IGNORED), PS_OK);
    ps_db_close(db);
    a = open_server(f, "a");
    sql_there(f, "UPDATE run SET note = 'written meanwhile'");
    b = open_server(f, "b");
    assert_int_equal(count(b, "SELECT count(*) FROM run WHERE note = 'written meanwhile'"), 1);
    assert_int_equal(put_run(b, 2, "two", PS_ERR_IGNORED), PS_OK);
    wait_until(a, "SELECT count(*) FROM run WHERE name = 'two' AND note = ''", 1);
    ps_store_close(a);
    ps_store_close(b);
}

static void a_shelf_is_no_mirror(void **state)
{
    struct fixture *f = *state;
    struct ps_store *store = NULL;
    struct ps_err err = PS_ERR_INIT;
    char dir[80];

    (void)snprintf(dir, sizeof dir, "%s/own", f->dir);
    assert_int_equal(ps_store_open(dir, &store, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(put_run(store, 1, "mine", PS_ERR_IGNORED), PS_OK);
    ps_store_close(store);
    assert_int_equal(ps_store_open_shared(f->url, dir, 0, &store, &err), PS_CONFLICT);
    assert_non_null(strstr(err.text, "is itself a shelf"));
    err = (struct ps_err)PS_ERR_INIT;
    ps_store_close(open_server(f, "a"));
    (void)snprintf(dir, sizeof dir, "%s/a", f->dir);
    assert_int_equal(ps_store_open(dir, &store, &err), PS_CONFLICT);
    assert_non_null(strstr(err.text, "is the cache of a store"));
}

/* --- Lost connections --- */

static void *start_it(void *user)
{
    (void)user;
    (void)usleep(200000); /* inside the wait of a write; how long does not matter */
    postgres_command("start");
    return NULL;
}

static void reads_go_on_while_it_is_away(void **state)
{
    struct ps_store *a = open_server(*state, "a"), *b = open_server(*state, "b");
    struct ps_err err = PS_ERR_INIT;
    char id[PS_ID_SIZE];
    pthread_t starter;

    assert_int_equal(put_run(a, 1, "one", PS_ERR_IGNORED), PS_OK);
    expect_same(a, b);
    postgres_command("kill");
    assert_int_equal(ps_store_resolve(a, "one", id, PS_ERR_IGNORED), PS_OK);
    postgres_hasten(true);
    assert_int_equal(ps_store_resolve(a, "none", id, PS_ERR_IGNORED), PS_UNAVAILABLE);
    assert_int_equal(tag_run(a, 1, "lost", &err), PS_UNAVAILABLE);
    postgres_hasten(false);
    assert_string_not_equal(err.hint, "");
    assert_int_equal(count(a, "SELECT count(*) FROM tag"), 0);
    (void)pthread_create(&starter, NULL, start_it, NULL);
    assert_int_equal(tag_run(a, 1, "kept", PS_ERR_IGNORED), PS_OK); /* it waits */
    (void)pthread_join(starter, NULL);
    wait_until(b, "SELECT count(*) FROM tag WHERE v = 'kept'", 1);
    expect_same(a, b);
    ps_store_close(a);
    ps_store_close(b);
}

static void it_dies_under_a_transaction(void **state)
{
    struct ps_store *a = open_server(*state, "a");
    struct ps_err err = PS_ERR_INIT;

    assert_int_equal(put_run(a, 1, "one", PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_catalog_begin(a, PS_DURABLE, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_db_exec(a->catalog, "UPDATE run SET name = 'two'", PS_ERR_IGNORED), PS_OK);
    postgres_command("kill");
    assert_int_equal(ps_catalog_end(a, PS_OK, &err), PS_UNAVAILABLE);
    assert_int_equal(count(a, "SELECT count(*) FROM run WHERE name = 'one'"), 1);
    postgres_command("start");
    assert_int_equal(put_run(a, 2, "two", PS_ERR_IGNORED), PS_OK);
    assert_int_equal(count(a, "SELECT count(*) FROM run WHERE name = 'one'"), 1);
    ps_store_close(a);
}

static void count_file(void *user, const char *folder, const char *name)
{
    (void)folder, (void)name;
    ++*(int *)user;
}

/* else verify would find no stray file, and say that all is well */
static void files_that_cannot_be_listed_are_an_error(void **state)
{
    struct ps_store *a = open_server(*state, "a");
    struct ps_err err = PS_ERR_INIT;
    int files = 0;

    assert_int_equal(put_run(a, 1, "one", PS_ERR_IGNORED), PS_OK);
    (void)ps_catalog_lock(a);
    assert_int_equal(ps_db_exec(a->catalog, "ALTER TABLE kept RENAME TO other", PS_ERR_IGNORED),
                     PS_OK);
    ps_catalog_unlock(a);
    assert_int_not_equal(a->backend->list_files(a, count_file, &files, &err), PS_OK);
    assert_int_equal(files, 0);
    ps_store_close(a);
}

/* Runs out of memory between the change set and its first change: a change that cannot be read is
 * not the end of the change set. */
static void changes_that_cannot_be_read_are_an_error(void **state)
{
    struct ps_store *a = open_server(*state, "a");
    struct ps_mirror *m = a->replica->mirror;
    struct ps_err err = PS_ERR_INIT;
    sqlite3_int64 used;
    void *changes = NULL;
    size_t rows = 0;
    int size = 0;
    bool is_repaired;

    assert_int_equal(put_run(a, 1, "one", PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_catalog_begin(a, PS_DURABLE, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_db_exec(a->catalog, "UPDATE run SET note = hex(zeroblob(500000))", &err),
                     PS_OK);
    assert_int_equal(ps_catalog_end(a, PS_OK, &err), PS_OK);
    assert_int_equal(ps_catalog_begin(a, PS_DURABLE, &err), PS_OK);
    assert_int_equal(ps_db_exec(a->catalog, "DELETE FROM run", &err), PS_OK);
    assert_int_equal(sqlite3session_changeset(m->session, &size, &changes), SQLITE_OK);
    assert_true(size > 1000000);
    used = sqlite3_memory_used();
    sqlite3_free(changes);
    (void)sqlite3_hard_heap_limit64(used + (64 << 10));
    (void)ps_mirror_queue_rows(a->catalog, m->session, m->writer, &m->tables, &m->clock, &rows,
                               &is_repaired, &err);
    (void)sqlite3_hard_heap_limit64(0);
    assert_int_equal(err.code, PS_INTERNAL);
    assert_string_equal(err.text, "SQLite's changes cannot be read");
    assert_int_equal(ps_catalog_end(a, err.code, &err), PS_INTERNAL);
    assert_int_equal(count(a, "SELECT count(*) FROM run"), 1);
    ps_store_close(a);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, make, drop)

int mirror_test(void)
{
    const struct CMUnitTest tests[] = {
        WITH(what_one_says_all_see),
        WITH(a_failure_undoes_both_sides),
        WITH(rows_come_and_go_within_one_look),
        WITH(text_that_is_none_is_mended_everywhere),
        WITH(a_mirror_may_be_thrown_away),
        WITH(a_mirror_that_does_not_fit_is_made_anew),
        WITH(what_an_older_one_lacks_is_laid_out_and_fetched),
        WITH(a_shelf_is_no_mirror),
        WITH(reads_go_on_while_it_is_away),
        WITH(it_dies_under_a_transaction),
        WITH(files_that_cannot_be_listed_are_an_error),
        WITH(changes_that_cannot_be_read_are_an_error),
    };

    return postgres_start() ? cmocka_run_group_tests_name("mirror", tests, NULL, NULL) : 0;
}
