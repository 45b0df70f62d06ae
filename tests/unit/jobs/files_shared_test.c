/* SPDX-License-Identifier: MIT */
/* files_shared_test.c: files of a store that servers share, where the cache or the disk takes them
 * away meanwhile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "server/catalog/files.h"
#include "server/jobs/import.h"
#include "server/replica/file_cache.h"
#include "server/replica/state.h"
#include "tests/unit/postgres.h"
#include "tests/unit/servers.h"

static void import(struct ps_store *store, char id_out[PS_ID_SIZE])
{
    const struct ps_str text = PS_STR("import time: self [us] | cumulative | imported package\n"
                                      "import time:       100 |        100 | one\n");
    PS_AUTO(ps_free_ptr) char *path = NULL;
    PS_AUTO(ps_close_fd) int fd = -1;
    struct ps_import_result result;

    assert_int_equal(ps_store_create_spool_file(store, &path, &fd, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_write_all(fd, text, path, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(
        ps_import_file(store, &(struct ps_import_request){.fd = fd}, &result, PS_ERR_IGNORED),
        PS_OK);
    memcpy(id_out, result.id, PS_ID_SIZE);
    ps_import_result_free(&result);
}

/* --- Cache --- */

struct toggled {
    char *path, *aside;
    atomic_bool stop;
};

static void *toggle(void *user)
{
    struct toggled *toggled = user;

    while (!toggled->stop) {
        (void)rename(toggled->path, toggled->aside);
        (void)rename(toggled->aside, toggled->path);
        (void)usleep(50); /* it is asked for again ten times, not for ever */
    }
    return NULL;
}

/* One thread has it removed and another fetches it, while a third is about to open it. */
static void a_run_that_goes_and_comes_is_there(void **state)
{
    struct ps_store *store = open_server(*state, "a");
    struct toggled toggled = {.path = NULL};
    struct ps_buf aside = {0};
    char id[PS_ID_SIZE];
    pthread_t thread;

    import(store, id);
    assert_int_equal(ps_file_path(store, "runs", id, &toggled.path, PS_ERR_IGNORED), PS_OK);
    ps_buf_printf(&aside, "%s.aside", toggled.path);
    toggled.aside = aside.ptr;
    assert_int_equal(pthread_create(&thread, NULL, toggle, &toggled), 0);
    for (int i = 0; i < 1500; i++) {
        struct ps_err err = PS_ERR_INIT;
        struct ps_db *db = NULL;

        (void)ps_run_open(store, id, &db, &err);
        assert_string_equal(err.text, "");
        ps_db_close(db);
    }
    toggled.stop = true;
    (void)pthread_join(thread, NULL);
    free(toggled.path);
    ps_buf_free(&aside);
    ps_store_close(store);
}

/* A disk that holds so many files of the cache, with the one that comes. */
struct small_disk {
    char *dir;
    int holds, asked;
};

static int count_files(const char *dir)
{
    char command[160];
    FILE *pipe;
    int n = -1;

    (void)snprintf(command, sizeof command, "ls '%s' | wc -l", dir);
    pipe = popen(command, "r");
    assert_int_equal(fscanf(pipe, "%d", &n), 1);
    (void)pclose(pipe);
    return n;
}

static enum ps_status fetch(void *user, const char *hash, ps_blob_receive *take, void *to,
                            struct ps_err *err)
{
    struct small_disk *disk = user;
    static char letters[1000];

    (void)hash;
    disk->asked++;
    if (count_files(disk->dir) > disk->holds)
        return ps_fail(err, PS_FULL, "no space left");
    memset(letters, 'a' + disk->asked % 26, sizeof letters);
    return take(to, (struct ps_str){letters, sizeof letters}, err);
}

/* What is fetched next, so that it has the hash that is asked for. */
static enum ps_status get(struct ps_file_cache *cache, struct small_disk *disk, int letter,
                          struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *path = NULL;
    struct ps_content_hash content;
    char letters[1000], hash[PS_CONTENT_HASH_SIZE];

    memset(letters, 'a' + letter, sizeof letters);
    ps_content_hash_begin(&content);
    ps_content_hash_add(&content, (struct ps_str){letters, sizeof letters});
    ps_content_hash_end(&content, hash);
    return ps_file_cache_get(cache, hash, sizeof letters, fetch, disk, &path, err);
}

static void on_a_full_disk_what_was_fetched_goes(void **state)
{
    const struct fixture *f = *state;
    struct small_disk disk = {.dir = NULL, .holds = 4};
    struct ps_buf dir = {0};
    struct ps_file_cache *cache = NULL;
    struct ps_err err = PS_ERR_INIT;

    ps_buf_printf(&dir, "%s/cache", f->dir);
    disk.dir = dir.ptr;
    assert_int_equal(ps_file_cache_open(dir.ptr, "s", 1 << 20, &cache, PS_ERR_IGNORED), PS_OK);
    for (int i = 1; i <= 4; i++)
        assert_int_equal(get(cache, &disk, i, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(count_files(dir.ptr), 4);
    assert_int_equal(get(cache, &disk, 6, PS_ERR_IGNORED),
                     PS_OK); /* the fifth finds no room, the sixth does */
    assert_int_equal(disk.asked, 6);
    assert_in_range(count_files(dir.ptr), 2, 3);
    disk.holds = 0;
    assert_int_equal(get(cache, &disk, 7, &err), PS_FULL);
    assert_string_equal(err.text, "no space left");
    assert_int_equal(count_files(dir.ptr), 0);
    ps_file_cache_close(cache);
    ps_buf_free(&dir);
}

/* --- Unused uploads --- */

static enum ps_status take_two(void *user, const struct ps_pg_value *values, size_t n,
                               struct ps_err *err)
{
    int64_t *found = user;

    (void)n;
    (void)err;
    found[0] = values[0].i;
    found[1] = values[1].i;
    return PS_OK;
}

static void expect_loose(struct ps_store *store, int64_t reserved_bytes, int64_t blobs)
{
    struct ps_pg *pg = store->replica->mirror->writer;
    int64_t found[2] = {-1, -1};

    assert_int_equal(ps_catalog_begin(store, PS_NOT_DURABLE, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_pg_run(pg,
                               "SELECT (SELECT count(*) FROM loose), "
                               "(SELECT count(*) FROM blob)",
                               NULL, 0, take_two, found, PS_ERR_IGNORED),
                     PS_OK);
    assert_int_equal(ps_catalog_end(store, PS_OK, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(found[0], reserved_bytes);
    assert_int_equal(found[1], blobs);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    (void)fputs(text, file);
    (void)fclose(file);
}

/* A server that lives for months keeps what it sent and placed nowhere for a while, not for good.
 */
static void what_was_sent_in_vain_goes(void **state)
{
    const struct fixture *f = *state;
    struct ps_store *store = open_server(*state, "a");
    struct ps_sent_file vain, placed;
    char path[80];
    bool more;

    (void)snprintf(path, sizeof path, "%s/file", f->dir);
    write_file(path, "in vain");
    assert_int_equal(ps_file_send(store, "spool", path, &vain, PS_ERR_IGNORED), PS_OK);
    write_file(path, "placed");
    assert_int_equal(ps_file_send(store, "spool", path, &placed, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_catalog_begin(store, PS_NOT_DURABLE, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(
        ps_catalog_end(store, ps_file_place(store, &placed, "spool", "a-1", NULL, PS_ERR_IGNORED),
                       PS_ERR_IGNORED),
        PS_OK);
    expect_loose(store, 1, 2);
    assert_int_equal(ps_replica_sweep(store, PS_UNPLACED_KEEP_MS, &more, PS_ERR_IGNORED), PS_OK);
    expect_loose(store, 1, 2);
    assert_int_equal(ps_replica_sweep(store, 0, &more, PS_ERR_IGNORED), PS_OK);
    expect_loose(store, 0, 1);
    assert_int_equal(ps_catalog_begin(store, PS_NOT_DURABLE, PS_ERR_IGNORED),
                     PS_OK); /* late, and told so */
    assert_int_equal(
        ps_catalog_end(store, ps_file_place(store, &vain, "spool", "a-2", NULL, PS_ERR_IGNORED),
                       PS_ERR_IGNORED),
        PS_UNAVAILABLE);
    write_file(path, "in vain");
    assert_int_equal(ps_file_send(store, "spool", path, &vain, PS_ERR_IGNORED), PS_OK);
    expect_loose(store, 1, 2);
    ps_store_close(store);
}

/* An original that no run refers to is forgotten once the database is there again, not when this
 * server ends. */
static void what_was_kept_in_vain_goes(void **state)
{
    const struct fixture *f = *state;
    struct ps_store *store = open_server(*state, "a");
    struct ps_original original;
    struct ps_ingest *intake = NULL;
    char path[80];
    PS_AUTO(ps_close_fd) int fd = -1;

    (void)snprintf(path, sizeof path, "%s/file", f->dir);
    write_file(path, "in vain");
    fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_int_equal(ps_ingest_begin(store, "originals", fd, &intake, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_ingest_wait(intake, true, &original, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_ingest_keep(intake, PS_ERR_IGNORED), PS_OK);
    postgres_command("stop");
    ps_ingest_end(intake);
    postgres_command("start");
    assert_int_equal(count(store, "SELECT count(*) FROM doomed"), 1);
    assert_int_equal(count(store, "SELECT count(*) FROM kept"), 1);
    ps_pending_delete_sweep(store);
    assert_int_equal(count(store, "SELECT count(*) FROM doomed"), 0);
    assert_int_equal(count(store, "SELECT count(*) FROM kept"), 0);
    ps_store_close(store);
}

static bool nobody_lives(void *user, const char *session, const char *hash)
{
    (void)user, (void)session, (void)hash;
    return false;
}

/* Whoever sweeps comes back to its other work, and ends when it is told to. */
static void a_sweep_has_an_end(void **state)
{
    const struct fixture *f = *state;
    struct ps_store *store = open_server(*state, "a");
    struct ps_pg *pg = ps_pg_new(f->url);
    size_t n = 0;
    bool more = false;

    assert_int_equal(ps_pg_connect(pg, 5000, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(
        ps_pg_script(pg, "INSERT INTO loose VALUES ('x-1', 'none', ''), ('x-2', 'none', '')",
                     PS_ERR_IGNORED),
        PS_OK);
    assert_int_equal(ps_blob_sweep(pg, nobody_lives, NULL, 0, &more, &n, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(n, 1);
    assert_true(more);
    assert_int_equal(ps_blob_sweep(pg, nobody_lives, NULL, 0, &more, &n, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(n, 1);
    assert_false(more);
    ps_pg_free(pg);
    ps_store_close(store);
}

/* --- Interrupted copies --- */

static void limit_files(rlim_t bytes)
{
    struct rlimit limit;

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* The cache lies on another disk: its files can only be copied. */
static void half_of_a_copy_is_never_seen(void **state)
{
    const struct fixture *f = *state;
    char shm[] = "/dev/shm/ps-cache-XXXXXX", command[200], path[120], part[130], id[PS_ID_SIZE];
    struct ps_store *store;
    PS_AUTO(ps_free_ptr) char *source = NULL;
    struct stat one, other;

    if (!mkdtemp(shm))
        skip();
    (void)snprintf(command, sizeof command, "mkdir %s/a && ln -s %s %s/a/cache", f->dir, shm,
                   f->dir);
    assert_int_equal(system(command), 0);
    (void)snprintf(path, sizeof path, "%s/name", f->dir);
    (void)snprintf(part, sizeof part, "%s.part", path);
    store = open_server(*state, "a");
    import(store, id);
    assert_int_equal(ps_file_path(store, "runs", id, &source, PS_ERR_IGNORED), PS_OK);
    (void)signal(SIGXFSZ, SIG_IGN);
    limit_files(5000);
    if (link(source, path) != 0) /* else it is one disk */
        assert_int_equal(ps_file_link(store, "runs", id, path, PS_ERR_IGNORED), PS_IO);
    else
        (void)unlink(path);
    limit_files(RLIM_INFINITY);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(access(part, F_OK), -1);
    assert_int_equal(ps_file_link(store, "runs", id, path, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(stat(source, &one), 0);
    assert_int_equal(stat(path, &other), 0);
    assert_int_equal(one.st_size, other.st_size);
    ps_store_close(store);
    (void)snprintf(command, sizeof command, "rm -r %s", shm);
    assert_int_equal(system(command), 0);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, make, drop)

int files_shared_test(void)
{
    const struct CMUnitTest tests[] = {
        WITH(a_run_that_goes_and_comes_is_there),
        WITH(on_a_full_disk_what_was_fetched_goes),
        WITH(what_was_sent_in_vain_goes),
        WITH(what_was_kept_in_vain_goes),
        WITH(a_sweep_has_an_end),
        WITH(half_of_a_copy_is_never_seen),
    };

    return postgres_start() ? cmocka_run_group_tests_name("files_shared", tests, NULL, NULL) : 0;
}
