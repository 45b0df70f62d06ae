/* SPDX-License-Identifier: MIT */
/* lease_test.c: who lives on a store, as each of its openings sees the others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/replica/heartbeat.h"
#include "server/replica/replica.h"
#include "server/replica/state.h"
#include "tests/unit/postgres.h"
#include "tests/unit/servers.h"

static struct ps_pg *laid_out(const struct fixture *f)
{
    struct ps_pg *pg = connect_to(f->url);

    assert_int_equal(ps_pg_migrate(pg, PS_ERR_IGNORED), PS_OK);
    return pg;
}

static struct ps_lease begin(struct ps_pg *pg, const char *session)
{
    struct ps_lease lease = {.location = "here"};

    (void)snprintf(lease.session, sizeof lease.session, "%s", session);
    assert_int_equal(ps_lease_begin(pg, &lease, PS_ERR_IGNORED), PS_OK);
    return lease;
}

static bool is(struct ps_pg *pg, const char *session)
{
    bool out = false;

    assert_int_equal(ps_lease_exists(pg, session, &out, PS_ERR_IGNORED), PS_OK);
    return out;
}

/* --- Rows --- */

static void numbers_are_given_once(void **state)
{
    struct ps_pg *pg = laid_out(*state), *other = laid_out(*state);
    struct ps_lease a = begin(pg, "a"), b = begin(other, "b"), c;

    assert_int_equal(a.number, 1);
    assert_int_equal(b.number, 2);
    assert_int_equal(ps_lease_end(pg, "b", PS_ERR_IGNORED), PS_OK);
    assert_false(is(other, "b"));
    c = begin(other, "c");
    assert_int_equal(c.number, 3);
    ps_pg_free(pg);
    ps_pg_free(other);
}

static void look(struct ps_pg *pg, struct ps_lease_watch *watch, int64_t now_ms)
{
    assert_int_equal(ps_lease_check_all(pg, watch, now_ms, PS_ERR_IGNORED), PS_OK);
}

static void who_stands_still_is_dead(void **state)
{
    struct ps_pg *pg = laid_out(*state);
    struct ps_lease a = begin(pg, "a"), b = begin(pg, "b");
    struct ps_lease_watch watch = {.n = 0};
    bool broken = true;

    for (int64_t t = 1000; t <= PS_LEASE_DEAD_MS; t += 1000) {
        look(pg, &watch, t);
        assert_int_equal(ps_lease_renew(pg, &b, PS_ERR_IGNORED), PS_OK);
        assert_int_equal(ps_lease_find(&watch, "a")->unchanged_since_ms, t - 1000);
        assert_int_equal(ps_lease_find(&watch, "b")->unchanged_since_ms, 0);
    }
    look(pg, &watch, PS_LEASE_DEAD_MS + 1000);
    assert_int_equal(ps_lease_find(&watch, "a")->unchanged_since_ms, PS_LEASE_DEAD_MS);
    assert_int_equal(ps_lease_renew(pg, &a, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_lease_break(pg, ps_lease_find(&watch, "a"), &broken, PS_ERR_IGNORED),
                     PS_OK);
    assert_false(broken); /* it goes on */
    look(pg, &watch, PS_LEASE_DEAD_MS + 2000);
    assert_int_equal(ps_lease_find(&watch, "a")->unchanged_since_ms, 0);
    assert_int_equal(ps_lease_break(pg, ps_lease_find(&watch, "a"), &broken, PS_ERR_IGNORED),
                     PS_OK);
    assert_true(broken);
    look(pg, &watch, PS_LEASE_DEAD_MS + 3000);
    assert_null(ps_lease_find(&watch, "a"));
    assert_int_equal(ps_lease_renew(pg, &a, PS_ERR_IGNORED), PS_OK); /* it was only stalled */
    look(pg, &watch, PS_LEASE_DEAD_MS + 4000);
    assert_int_equal(ps_lease_find(&watch, "a")->unchanged_since_ms, 0);
    ps_lease_watch_free(&watch);
    ps_pg_free(pg);
}

/* Nobody can beat while the database is away, nor be seen while the watcher is stalled. */
static void time_without_answers_counts_for_nobody(void **state)
{
    struct ps_pg *pg = laid_out(*state);
    struct ps_lease_watch watch = {.n = 0};
    const int64_t later = 10 * PS_LEASE_DEAD_MS;

    (void)begin(pg, "a");
    look(pg, &watch, 1000);
    look(pg, &watch, later);
    assert_in_range(ps_lease_find(&watch, "a")->unchanged_since_ms, 1, PS_LEASE_DEAD_MS / 2);
    look(pg, &watch, later + 1000);
    assert_in_range(ps_lease_find(&watch, "a")->unchanged_since_ms, 1001, PS_LEASE_DEAD_MS / 2);
    postgres_command("stop");
    assert_int_equal(ps_lease_check_all(pg, &watch, later + 2000, PS_ERR_IGNORED), PS_UNAVAILABLE);
    postgres_command("start");
    assert_int_equal(ps_pg_connect(pg, 10000, PS_ERR_IGNORED), PS_OK);
    assert_in_range(ps_lease_find(&watch, "a")->unchanged_since_ms, 1001, PS_LEASE_DEAD_MS / 2);
    look(pg, &watch, later + 3000);
    assert_in_range(ps_lease_find(&watch, "a")->unchanged_since_ms, 1001, PS_LEASE_DEAD_MS / 2);
    ps_lease_watch_free(&watch);
    ps_pg_free(pg);
}

/* --- Sessions --- */

/* Of the row that this opening has there; 0: none yet. */
static int64_t number_of(const struct ps_store *store)
{
    return store->replica->heartbeat->lease.number;
}

static void an_opening_lives_until_it_is_closed(void **state)
{
    struct ps_store *a = open_server(*state, "a"), *b = open_server(*state, "b");
    struct ps_pg *pg = laid_out(*state);
    char session[sizeof a->session];

    memcpy(session, a->session, sizeof session);
    assert_true(number_of(a) != number_of(b));
    assert_true(ps_session_is_alive(b, session));
    assert_true(ps_session_is_alive(a, session));
    assert_false(ps_session_is_alive(b, "1.1.1"));
    ps_store_close(a);
    assert_false(is(pg, session));
    assert_false(ps_session_is_alive(b, session));
    ps_store_close(b);
    ps_pg_free(pg);
}

/* Its own folder knows at once that it died, and tells the others. */
static void a_killed_one_is_buried_where_it_was(void **state)
{
    struct fixture *f = *state;
    struct ps_store *a, *b;
    char session[sizeof b->session] = "";
    int pipes[2];
    pid_t child;

    assert_int_equal(pipe(pipes), 0);
    child = fork(); /* before there are threads: what they hold, a child would wait for */
    if (child == 0) {
        a = open_server(f, "a");
        (void)!write(pipes[1], a->session, sizeof a->session);
        (void)pause();
    }
    assert_int_equal(read(pipes[0], session, sizeof session), (ssize_t)sizeof session);
    b = open_server(f, "b");
    (void)kill(child, SIGKILL);
    (void)waitpid(child, NULL, 0);
    assert_true(ps_session_is_alive(b, session)); /* as far as it can know */
    a = open_server(f, "a");
    assert_false(ps_session_is_alive(b, session));
    assert_false(ps_session_is_alive(a, session));
    ps_store_close(a);
    ps_store_close(b);
    (void)close(pipes[0]);
    (void)close(pipes[1]);
}

/* Whoever was stalled has its row again before the others see what it writes. */
static void a_stalled_one_beats_before_it_writes(void **state)
{
    struct ps_store *a = open_server(*state, "a");
    struct ps_pg *pg = laid_out(*state);
    const int64_t number = number_of(a);

    ps_ticker_stop(&a->replica->heartbeat->ticker);
    assert_int_equal(ps_lease_end(pg, a->session, PS_ERR_IGNORED), PS_OK);
    a->replica->heartbeat->renewed_ms -= PS_LEASE_DEAD_MS;
    assert_int_equal(put_run(a, 1, "one", PS_ERR_IGNORED), PS_OK);
    assert_true(is(pg, a->session));
    assert_int_equal(number_of(a), number);
    ps_store_close(a);
    ps_pg_free(pg);
}

static void it_opens_while_the_database_is_away(void **state)
{
    struct fixture *f = *state;
    struct ps_store *a = open_server(f, "a"), *fresh = NULL;
    char dir[80];

    assert_int_equal(put_run(a, 1, "one", PS_ERR_IGNORED), PS_OK);
    assert_false(ps_store_is_unreachable(a));
    ps_store_close(a);
    postgres_command("stop");
    postgres_hasten(true);
    a = open_server(f, "a");
    assert_true(ps_store_is_unreachable(a));
    assert_int_equal(number_of(a), 0);
    assert_int_equal(count(a, "SELECT count(*) FROM run"), 1);
    assert_int_equal(put_run(a, 2, "two", PS_ERR_IGNORED), PS_UNAVAILABLE);
    (void)snprintf(dir, sizeof dir, "%s/fresh", f->dir);
    assert_int_equal(ps_store_open_shared(f->url, dir, 0, &fresh, PS_ERR_IGNORED), PS_UNAVAILABLE);
    postgres_hasten(false);
    postgres_command("start");
    assert_int_equal(put_run(a, 2, "two", PS_ERR_IGNORED), PS_OK);
    assert_true(number_of(a) > 0);
    assert_true(ps_session_is_alive(a, a->session));
    for (int i = 0; i < 1000 && ps_store_is_unreachable(a); i++)
        (void)usleep(10000);
    assert_false(ps_store_is_unreachable(a));
    fresh = open_server(f, "fresh");
    assert_true(ps_session_is_alive(fresh, a->session));
    expect_same(a, fresh);
    ps_store_close(a);
    ps_store_close(fresh);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, make, drop)

int lease_test(void)
{
    const struct CMUnitTest tests[] = {
        WITH(numbers_are_given_once),
        WITH(who_stands_still_is_dead),
        WITH(time_without_answers_counts_for_nobody),
        WITH(an_opening_lives_until_it_is_closed),
        WITH(a_killed_one_is_buried_where_it_was),
        WITH(a_stalled_one_beats_before_it_writes),
        WITH(it_opens_while_the_database_is_away),
    };

    return postgres_start() ? cmocka_run_group_tests_name("lease", tests, NULL, NULL) : 0;
}
