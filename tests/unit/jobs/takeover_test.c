/* SPDX-License-Identifier: MIT */
/* takeover_test.c: servers of one store that die, stall or end with uploads that they accepted, and
 * the other that goes on with them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "server/catalog/uploads.h"
#include "server/jobs/import.h"
#include "server/jobs/jobs.h"
#include "server/replica/heartbeat.h"
#include "server/replica/replica.h"
#include "server/replica/state.h"
#include "tests/unit/postgres.h"
#include "tests/unit/servers.h"

#define UPLOADS "SELECT count(*) FROM upload"
#define SPOOLED "SELECT count(*) FROM kept WHERE folder = 'spool'"
#define RUNS    "SELECT count(*) FROM run"

/* --- Uploads --- */

/* An import log whose one module has this name. */
static char *log_of(const char *module)
{
    struct ps_buf text = {0};

    ps_buf_printf(&text,
                  "import time: self [us] | cumulative | imported package\n"
                  "import time:       100 |        100 | %s\n",
                  module);
    return text.ptr;
}

static char *spool(struct ps_store *store, const char *text)
{
    char *path = NULL;
    PS_AUTO(ps_close_fd) int fd = -1;

    if (ps_store_create_spool_file(store, &path, &fd, PS_ERR_IGNORED) != PS_OK ||
        ps_write_all(fd, ps_str_from_c(text), path, PS_ERR_IGNORED) != PS_OK)
        abort();
    return path;
}

/* With `source`, which is shared with others of these, when it is not NULL. */
static int64_t accept(struct ps_store *store, const char *module, const char *source)
{
    PS_AUTO(ps_free_ptr) char *text = log_of(module);
    PS_AUTO(ps_free_ptr) char *path = spool(store, text);
    const struct ps_tag sources[] = {{source, "app.py"}};
    struct ps_accepted_upload upload = {.path = path,
                                        .filename = "f.log",
                                        .name = module,
                                        .series = "s",
                                        .user_name = "mei",
                                        .sources = sources,
                                        .n_sources = source ? 1 : 0};

    if (ps_upload_accept(store, &upload, true, PS_ERR_IGNORED) != PS_OK)
        abort();
    return upload.id;
}

static enum ps_status import(struct ps_store *store, const char *module, int64_t upload,
                             bool *already, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *text = log_of(module);
    PS_AUTO(ps_free_ptr) char *path = spool(store, text);
    PS_AUTO(ps_close_fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
    const struct ps_import_request request = {.fd = fd, .upload = upload};
    struct ps_import_result result;
    enum ps_status status = ps_import_file(store, &request, &result, err);

    *already = result.already_existed;
    ps_import_result_free(&result);
    return status;
}

/* --- Servers --- */

/* One in a process of its own; both ends of what it is told and says. */
struct child {
    pid_t pid;
    int to, from;
};

static struct child start(struct fixture *f, void (*serve)(struct fixture *f, int from, int to))
{
    struct child child;
    int down[2], up[2];

    assert_int_equal(pipe(down), 0);
    assert_int_equal(pipe(up), 0);
    (void)fflush(NULL);
    child = (struct child){fork(), down[1], up[0]};
    if (child.pid == 0) {
        serve(f, down[0], up[1]);
        _exit(0);
    }
    (void)close(down[0]);
    (void)close(up[1]);
    return child;
}

static void say(int fd)
{
    if (write(fd, "x", 1) != 1)
        abort();
}

static void hear(int fd)
{
    char c;

    if (read(fd, &c, 1) != 1)
        abort();
}

/* Its exit status, or that of the signal. */
static int end(struct child *child)
{
    int how = 0;

    assert_int_equal(waitpid(child->pid, &how, 0), child->pid);
    (void)close(child->to);
    (void)close(child->from);
    return how;
}

/* The server that goes on: imports what it takes. */
struct server {
    struct ps_store *store;
    struct ps_jobs *jobs;
};

static void resume(void *user)
{
    (void)ps_jobs_resume(user, PS_ERR_IGNORED);
}

static struct server serve(struct fixture *f, const char *which)
{
    struct server server = {.store = open_server(f, which)};
    const struct ps_jobs_config config = {
        .store = server.store, .workers = 1, .listed_max = 9, .kept_max = 9};

    assert_int_equal(ps_jobs_start(&config, &server.jobs, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_jobs_resume(server.jobs, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_store_watch_others(server.store, resume, server.jobs, PS_ERR_IGNORED),
                     PS_OK);
    return server;
}

static void stop(struct server *server)
{
    ps_store_unwatch_others(server->store);
    ps_jobs_stop(server->jobs);
    ps_store_close(server->store);
}

/* --- Tests --- */

static void accept_and_wait(struct fixture *f, int from, int to)
{
    struct ps_store *store = open_server(f, "killed");
    char *source = spool(store, "print()\n");

    (void)accept(store, "one", source);
    (void)accept(store, "two", source);
    say(to);
    hear(from);
}

/* It is stalled while another takes its upload for its own, and goes on: what has been imported is
 * there already, and what the other has in hand is left to it. */
static void accept_and_stall(struct fixture *f, int from, int to)
{
    struct ps_store *store = open_server(f, "stalled");
    struct ps_err err = PS_ERR_INIT;
    const int64_t id = accept(store, "three", NULL);
    bool already = false;

    say(to);
    hear(from);
    if (import(store, "three", id, &already, &err) != PS_OK || !already)
        _exit(3);
    ps_upload_end(store, id, NULL);
    if (import(store, "four", id, &already, &err) != PS_INTERRUPTED)
        _exit(4);
    if (put_run(store, 9, "nine", PS_ERR_IGNORED) != PS_OK ||
        !ps_session_is_alive(store, store->session))
        _exit(5);
    ps_store_close(store);
}

static int64_t looked_ms(struct ps_heartbeat *heartbeat)
{
    int64_t ms;

    (void)pthread_mutex_lock(&heartbeat->check_lock);
    ms = heartbeat->watch.checked_ms;
    (void)pthread_mutex_unlock(&heartbeat->check_lock);
    return ms;
}

/* Time passes until the store has seen others stand still for longer than a lease lasts. */
static void let_leases_expire(struct ps_store *store)
{
    for (int64_t ms = 0; ms <= PS_LEASE_DEAD_MS + 2 * PS_LEASE_BEAT_MS; ms += PS_LEASE_BEAT_MS) {
        const int64_t looked = looked_ms(store->replica->heartbeat);

        ps_clock_advance(PS_LEASE_BEAT_MS);
        while (looked_ms(store->replica->heartbeat) == looked)
            (void)usleep(1000);
    }
}

static void another_goes_on(void **state)
{
    struct fixture *f = *state;
    struct child killed = start(f, accept_and_wait), stalled = start(f, accept_and_stall);
    struct server other;
    int64_t began, took;

    hear(killed.from);
    hear(stalled.from);
    other = serve(f, "other");
    wait_until(other.store, UPLOADS, 3);
    began = ps_monotonic_ms();
    (void)kill(killed.pid, SIGKILL);
    (void)kill(stalled.pid, SIGSTOP);
    assert_int_equal(WTERMSIG(end(&killed)), SIGKILL);
    let_leases_expire(other.store);
    wait_until(other.store, RUNS, 3);
    wait_until(other.store, UPLOADS, 0);
    took = ps_monotonic_ms() - began;
    assert_true(took >= PS_LEASE_DEAD_MS - 2 * PS_LEASE_BEAT_MS); /* it may just have beaten */
    print_message("taken over and imported %.1f s after the kill\n", (double)took / 1000);
    assert_int_equal(count(other.store, SPOOLED), 0);
    assert_int_equal(count(other.store, "SELECT count(*) FROM import_log WHERE "
                                        "code = 'interrupted' AND who = 'mei'"),
                     3);
    (void)kill(stalled.pid, SIGCONT);
    say(stalled.to);
    assert_int_equal(end(&stalled), 0);
    wait_until(other.store, RUNS, 4);
    stop(&other);
}

static void accept_and_end(struct fixture *f, int from, int to)
{
    struct ps_store *store;

    hear(from); /* it was made before there were threads */
    store = open_server(f, "ended");
    (void)accept(store, "one", NULL);
    (void)to;
    ps_store_close(store);
}

/* Whoever ends in order is known to have ended at once, before its lease expires. */
static void what_is_left_in_order_is_taken_soon(void **state)
{
    struct child ended = start(*state, accept_and_end);
    struct server other = serve(*state, "other");

    say(ended.to);
    assert_int_equal(end(&ended), 0);
    wait_until(other.store, RUNS, 1);
    wait_until(other.store, UPLOADS, 0);
    stop(&other);
}

static void no_take(void *user, const struct ps_accepted_upload *upload)
{
    (void)upload;
    ++*(unsigned *)user;
}

/* An end that cannot be written down is written down later, and the upload not shown again. */
static void an_end_waits_for_the_database(void **state)
{
    struct server a = serve(*state, "a");
    const int64_t id = accept(a.store, "one", NULL);
    struct ps_err err = PS_ERR_INIT;
    unsigned taken = 0;

    assert_int_equal(count(a.store, UPLOADS), 1);
    assert_int_equal(count(a.store, SPOOLED), 1);
    postgres_command("stop");
    postgres_hasten(true);
    ps_upload_end(a.store, id, NULL);
    postgres_hasten(false);
    assert_int_equal(count(a.store, UPLOADS), 1);
    postgres_command("start");
    assert_int_equal(ps_upload_take_over(a.store, no_take, &taken, &err), PS_OK);
    assert_int_equal(taken, 0);
    wait_until(a.store, UPLOADS, 0);
    assert_int_equal(count(a.store, SPOOLED), 0);
    assert_int_equal(count(a.store, RUNS), 0);
    stop(&a);
}

/* Uploads that came together share their sources, which stay for the last of them. */
static void shared_sources_stay_for_the_last(void **state)
{
    struct ps_store *a = open_server(*state, "a");
    PS_AUTO(ps_free_ptr) char *source = spool(a, "print()\n");
    const int64_t one = accept(a, "one", source), two = accept(a, "two", source);

    assert_int_equal(count(a, SPOOLED), 3);
    assert_true(two > one);
    ps_upload_end(a, one, NULL);
    assert_int_equal(count(a, SPOOLED), 2);
    ps_upload_end(a, two, NULL);
    assert_int_equal(count(a, SPOOLED), 0);
    ps_store_close(a);
}

/* A disk or a database that fails for a while costs no upload. */
static void what_cannot_be_fetched_waits(void **state)
{
    struct fixture *f = *state;
    struct ps_store *a = open_server(f, "a"), *b;
    char spool_of_b[128], aside[128];
    unsigned taken = 0;

    (void)accept(a, "one", NULL);
    ps_store_close(a);
    b = open_server(f, "b");
    (void)snprintf(spool_of_b, sizeof spool_of_b, "%s/b/spool", f->dir);
    (void)snprintf(aside, sizeof aside, "%s/b/aside", f->dir);
    assert_int_equal(rename(spool_of_b, aside), 0);
    assert_int_equal(ps_upload_take_over(b, no_take, &taken, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(taken, 0);
    assert_int_equal(rename(aside, spool_of_b), 0);
    while (!taken) {
        ps_clock_advance(PS_LEASE_BEAT_MS);
        assert_int_equal(ps_upload_take_over(b, no_take, &taken, PS_ERR_IGNORED), PS_OK);
        (void)usleep(10000);
    }
    assert_int_equal(taken, 1);
    ps_store_close(b);
}

static bool is_postponed(struct ps_store *store)
{
    bool is = false;

    (void)ps_catalog_lock(store);
    for (size_t i = 0; i < store->n_owned_uploads; i++)
        is |= store->owned_uploads[i].retry_ms != 0;
    ps_catalog_unlock(store);
    return is;
}

/* There is room to fetch the upload, and none for its run. */
static void what_has_no_room_waits(void **state)
{
    struct ps_store *a = open_server(*state, "a");
    struct server b;

    (void)accept(a, "one", NULL);
    b = serve(*state, "b");
    b.store->quota = 1;
    ps_store_close(a);
    while (!is_postponed(b.store))
        (void)usleep(10000);
    assert_int_equal(count(b.store, UPLOADS), 1);
    assert_int_equal(count(b.store, RUNS), 0);
    b.store->quota = 0;
    ps_clock_advance(5000); /* the time of its next attempt */
    wait_until(b.store, RUNS, 1);
    wait_until(b.store, UPLOADS, 0);
    assert_int_equal(count(b.store, "SELECT count(*) FROM import_log WHERE code = 'full'"), 0);
    assert_int_equal(count(b.store, "SELECT count(*) FROM import_log WHERE code = 'interrupted'"),
                     1);
    stop(&b);
}

/* A row of the database that no server wrote: its import fails, and no file but those of the spool
 * is read or removed. */
static void a_row_that_names_no_file_of_the_spool_fails(void **state)
{
    static const char rows[] =
        "INSERT INTO upload VALUES "
        "(91, '9.9.1', '../../victim', 'f', '', '', 'eve', '', '[]', '[]', 0, 1, 0), "
        "(92, '../../victim', '9.9.1-1', 'f', '', '', 'eve', '', '[]', "
        "'[[\"../../victim\", \"app.py\"]]', 0, 1, 0);"
        "INSERT INTO doomed VALUES ('9.9.1-3', 'runs', '../../victim')";
    struct fixture *f = *state;
    struct server server = serve(f, "a");
    PS_AUTO(ps_free_ptr) char *text = log_of("one");
    char victim[128];
    PS_AUTO(ps_close_fd) int fd = -1;
    enum ps_status status;

    (void)snprintf(victim, sizeof victim, "%s/victim", f->dir);
    fd = open(victim, O_CREAT | O_WRONLY | O_CLOEXEC, 0666);
    assert_int_equal(ps_write_all(fd, ps_str_from_c(text), victim, PS_ERR_IGNORED), PS_OK);
    status = ps_catalog_begin(server.store, PS_NOT_DURABLE, PS_ERR_IGNORED);
    if (status == PS_OK)
        status = ps_db_exec(server.store->catalog, rows, PS_ERR_IGNORED);
    assert_int_equal(ps_catalog_end(server.store, status, PS_ERR_IGNORED), PS_OK);
    wait_until(server.store, UPLOADS, 0);
    wait_until(server.store,
               "SELECT count(*) FROM import_log WHERE who = 'eve' AND code = 'not_found'", 2);
    wait_until(server.store, "SELECT count(*) FROM doomed", 0);
    assert_int_equal(count(server.store, RUNS), 0);
    assert_int_equal(access(victim, F_OK), 0);
    stop(&server);
    assert_int_equal(unlink(victim), 0);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, make, drop)

int takeover_test(void)
{
    const struct CMUnitTest tests[] = {
        WITH(another_goes_on),
        WITH(what_is_left_in_order_is_taken_soon),
        WITH(an_end_waits_for_the_database),
        WITH(shared_sources_stay_for_the_last),
        WITH(what_cannot_be_fetched_waits),
        WITH(what_has_no_room_waits),
        WITH(a_row_that_names_no_file_of_the_spool_fails),
    };

    return postgres_start() ? cmocka_run_group_tests_name("takeover", tests, NULL, NULL) : 0;
}
