/* SPDX-License-Identifier: MIT */
/* servers_test.c: many servers change one catalog at once, and die: what was told is there, once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/catalog/tokens.h"
#include "server/replica/replica.h"
#include "server/replica/state.h"
#include "tests/unit/postgres.h"
#include "tests/unit/servers.h"

/* --- Crashing servers --- */

static int die(void *user)
{
    (void)user;
    return raise(SIGKILL);
}

/* SQLite asks its commit hook when the commit there has been answered. */
static void a_server_dies_between_the_two_commits(void **state)
{
    struct ps_store *a, *b;
    int how = 0;
    pid_t child = fork();

    if (child == 0) {
        struct ps_err err = PS_ERR_INIT;

        a = open_server(*state, "a");
        if (put_run(a, 1, "one", &err) == PS_OK) {
            (void)sqlite3_commit_hook(a->catalog->handle, die, NULL);
            (void)tag_run(a, 1, "told", &err);
        }
        (void)fprintf(stderr, "it lives: %s\n", err.text);
        _exit(2);
    }
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL);
    b = open_server(*state, "b");
    assert_int_equal(count(b, "SELECT count(*) FROM tag WHERE v = 'told'"), 1);
    a = open_server(*state, "a");
    assert_int_equal(count(a, "SELECT count(*) FROM tag WHERE v = 'told'"), 1);
    expect_same(a, b);
    ps_store_close(a);
    ps_store_close(b);
}

#define SERVERS 3
#define STEPS   56

/* What a server was told, where its death does not reach: the last step that was answered. */
struct told {
    unsigned step[SERVERS];
    unsigned refused;
};

/* What a server did that died before it could say so, is done already. */
static enum ps_status once(enum ps_status status)
{
    return status == PS_CONFLICT || status == PS_NOT_FOUND ? PS_OK : status;
}

/* One thing or another, always the same for a step of a server; a run per step stays. */
static enum ps_status one_step(struct ps_store *store, unsigned server, unsigned step)
{
    const unsigned n = server * 1000 + step;
    char text[32], token[PS_TOKEN_SIZE], id[PS_ID_SIZE];
    enum ps_status status = put_run(store, n, "run", PS_ERR_IGNORED);

    (void)snprintf(text, sizeof text, "%u", n);
    id_of(n - 1, id);
    if (status == PS_OK && step % 3 == 0)
        status = tag_run(store, n, text, PS_ERR_IGNORED);
    if (status == PS_OK && step % 5 == 0)
        status = once(ps_store_set_baseline(store, id, PS_ERR_IGNORED));
    if (status == PS_OK && step % 7 == 0)
        status = once(ps_token_add(store, text, PS_ACCESS_VIEWER, token, PS_ERR_IGNORED));
    if (status == PS_OK && step % 14 == 0)
        status = once(ps_token_revoke(store, text, PS_ERR_IGNORED));
    if (status == PS_OK && step % 4 == 0)
        status = once(ps_store_remove_run(store, id, text, PS_ERR_IGNORED));
    return status;
}

static void serve(struct fixture *f, unsigned server, struct told *told)
{
    char dir[80];
    struct ps_store *store = NULL;

    (void)signal(SIGSEGV, SIG_DFL); /* the parent is to see it */
    (void)signal(SIGABRT, SIG_DFL);
    (void)snprintf(dir, sizeof dir, "%s/s%u", f->dir, server);
    while (ps_store_open_shared(f->url, dir, 0, &store, PS_ERR_IGNORED) == PS_UNAVAILABLE)
        __atomic_fetch_add(&told->refused, 1, __ATOMIC_RELAXED);
    if (!store)
        _exit(3);
    while (told->step[server] < STEPS)
        if (one_step(store, server, told->step[server] + 1) == PS_OK)
            told->step[server]++;
        else
            __atomic_fetch_add(&told->refused, 1, __ATOMIC_RELAXED);
    ps_store_close(store);
    _exit(0);
}

static pid_t start_server(struct fixture *f, unsigned server, struct told *told)
{
    pid_t child;

    (void)fflush(NULL);
    child = fork();
    if (child == 0)
        serve(f, server, told);
    return child;
}

/* Each step leaves its run, but for every fourth that takes the one before away. */
static void expect_told(struct ps_store *store)
{
    assert_int_equal(count(store, "SELECT count(*) FROM run"), SERVERS * (STEPS - STEPS / 4));
    assert_int_equal(count(store, "SELECT count(DISTINCT run) FROM removal_log"),
                     SERVERS * (STEPS / 4));
    assert_int_equal(count(store, "SELECT count(*) FROM (SELECT 1 FROM run GROUP BY id "
                                  "HAVING count(*) > 1)"),
                     0);
    assert_int_equal(count(store, "SELECT count(*) FROM token"),
                     SERVERS * (STEPS / 7 - STEPS / 14));
}

static unsigned least_step(const struct told *told)
{
    unsigned least = STEPS;

    for (unsigned i = 0; i < SERVERS; i++)
        least = told->step[i] < least ? told->step[i] : least;
    return least;
}

/* Servers are killed as they work, the database once; what was told is there, once, for all. */
static void nothing_told_is_lost(void **state)
{
    struct fixture *f = *state;
    struct told *told =
        mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t children[SERVERS];
    struct ps_store *a, *b;
    bool restarted = false;

    for (unsigned i = 0; i < SERVERS; i++)
        children[i] = start_server(f, i, told);
    for (unsigned killed = 0; killed < 12 && least_step(told) < STEPS; killed++) {
        const unsigned goal = (killed + 1) * STEPS / 14, victim = killed % SERVERS;

        while (told->step[victim] < goal) {
            assert_int_equal(waitpid(children[victim], NULL, WNOHANG), 0);
            (void)usleep(1000);
        }
        (void)kill(children[victim], SIGKILL);
        (void)waitpid(children[victim], NULL, 0);
        children[victim] = start_server(f, victim, told);
        if (killed == 6 && !restarted) {
            postgres_command("kill");
            postgres_command("start");
            restarted = true;
        }
    }
    for (unsigned i = 0; i < SERVERS; i++) {
        int how = -1;

        assert_int_equal(waitpid(children[i], &how, 0), children[i]);
        assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
    }
    a = open_server(f, "s0");
    b = open_server(f, "fresh");
    expect_same(a, b);
    expect_told(a);
    ps_store_close(a);
    ps_store_close(b);
    (void)munmap(told, sizeof *told);
}

/* --- Threads --- */

struct worker {
    struct ps_store *store;
    unsigned first;
    unsigned failed;
};

static void *work(void *user)
{
    struct worker *w = user;

    for (unsigned step = 1; step <= 40; step++) {
        enum ps_status status;

        do /* a busy machine may keep the database from answering in time */
            status = one_step(w->store, w->first, step);
        while (status == PS_UNAVAILABLE);
        w->failed += status != PS_OK;
    }
    return NULL;
}

static void threads_of_two_servers(void **state)
{
    struct ps_store *stores[] = {open_server(*state, "a"), open_server(*state, "b")};
    struct worker workers[6];
    pthread_t threads[6];

    for (unsigned i = 0; i < 6; i++) {
        workers[i] = (struct worker){stores[i % 2], i, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (unsigned i = 0; i < 6; i++) {
        (void)pthread_join(threads[i], NULL);
        assert_int_equal(workers[i].failed, 0);
    }
    expect_same(stores[0], stores[1]);
    assert_int_equal(count(stores[0], "SELECT count(*) FROM run"), 6 * 30);
    ps_store_close(stores[0]);
    ps_store_close(stores[1]);
}

/* Two processes on one folder have one mirror. */
static void two_openings_of_one_folder(void **state)
{
    struct ps_store *a = open_server(*state, "a"), *b = open_server(*state, "a");
    char id[PS_ID_SIZE];

    assert_int_equal(put_run(a, 1, "one", PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_store_resolve(b, "one", id, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(tag_run(b, 1, "x", PS_ERR_IGNORED), PS_OK);
    assert_int_equal(tag_run(a, 1, "y", PS_ERR_IGNORED), PS_OK);
    expect_same(a, b);
    ps_store_close(a);
    ps_store_close(b);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, make, drop)

int servers_test(void)
{
    const struct CMUnitTest tests[] = {
        WITH(a_server_dies_between_the_two_commits),
        WITH(nothing_told_is_lost),
        WITH(threads_of_two_servers),
        WITH(two_openings_of_one_folder),
    };

    return postgres_start() ? cmocka_run_group_tests_name("servers", tests, NULL, NULL) : 0;
}
