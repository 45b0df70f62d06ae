/* SPDX-License-Identifier: MIT */
/* leftovers_test.c: processes that end in the middle, and what the next one finds of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/catalog/deleted.h"
#include "server/catalog/files.h"
#include "server/catalog/state.h"
#include "server/jobs/import.h"

static char dir[64];

static int make_shelf(void **state)
{
    struct ps_store *store = NULL;

    (void)state;
    (void)snprintf(dir, sizeof dir, "/tmp/ps-leftovers-XXXXXX");
    assert_non_null(mkdtemp(dir));
    assert_int_equal(ps_store_open(dir, &store, PS_ERR_IGNORED), PS_OK);
    ps_store_close(store);
    return 0;
}

static int remove_shelf(void **state)
{
    char command[128];

    (void)state;
    (void)snprintf(command, sizeof command, "rm -r %s", dir);
    return system(command);
}

/* What lies in a folder of the shelf, names in a row. */
static char *listed(const char *folder)
{
    static char out[4096];
    char command[160];
    FILE *pipe;

    (void)snprintf(command, sizeof command, "cd %s/%s && ls -A | tr '\\n' ' '", dir, folder);
    pipe = popen(command, "r");
    assert_non_null(pipe);
    out[fread(out, 1, sizeof out - 1, pipe)] = '\0';
    (void)pclose(pipe);
    return out;
}

/* Does it in a process of its own, which then ends without a word. */
static void die_after(void (*act)(struct ps_store *store))
{
    pid_t pid = fork();
    int status;

    assert_true(pid >= 0);
    if (pid == 0) {
        struct ps_store *store = NULL;

        if (ps_store_open(dir, &store, PS_ERR_IGNORED) != PS_OK)
            _exit(1);
        act(store);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void open_and_close(void)
{
    struct ps_store *store = NULL;

    assert_int_equal(ps_store_open(dir, &store, PS_ERR_IGNORED), PS_OK);
    ps_store_close(store);
}

static int bytes_fd(const char *text)
{
    FILE *file = tmpfile();
    int fd = dup(fileno(file));

    (void)fputs(text, file);
    (void)fclose(file);
    return fd;
}

static void keep_an_original(struct ps_store *store)
{
    struct ps_original original;
    struct ps_ingest *intake;

    if (ps_ingest_begin(store, "originals", bytes_fd("kept"), &intake, PS_ERR_IGNORED) != PS_OK ||
        ps_ingest_wait(intake, true, &original, PS_ERR_IGNORED) != PS_OK ||
        ps_ingest_keep(intake, PS_ERR_IGNORED) != PS_OK)
        _exit(2);
}

static void an_original_without_a_run_goes(void **state)
{
    (void)state;
    die_after(keep_an_original);
    assert_string_not_equal(listed("originals"), "");
    open_and_close();
    assert_string_equal(listed("originals"), "");
    assert_string_equal(listed("open"), "");
}

static void spool_a_file(struct ps_store *store)
{
    char *path;
    int fd;

    if (ps_store_create_spool_file(store, &path, &fd, PS_ERR_IGNORED) != PS_OK ||
        write(fd, "x", 1) != 1 || close(fd))
        _exit(2);
}

static void a_spooled_file_goes_with_its_process(void **state)
{
    (void)state;
    die_after(spool_a_file);
    assert_string_not_equal(listed("spool"), "");
    open_and_close();
    assert_string_equal(listed("spool"), "");
}

static const struct ps_tag labels[] = {{"k\"", "v'"}, {"empty", ""}};

static void accept_a_file(struct ps_store *store)
{
    struct ps_accepted_upload upload = {.filename = "f.log",
                                        .name = "n",
                                        .series = "s",
                                        .user_name = "w",
                                        .tags = labels,
                                        .n_tags = 2};
    char *path;
    int fd;

    if (ps_store_create_spool_file(store, &path, &fd, PS_ERR_IGNORED) != PS_OK || close(fd) != 0)
        _exit(2);
    upload.path = path;
    if (ps_upload_accept(store, &upload, true, PS_ERR_IGNORED) != PS_OK)
        _exit(3);
    ps_upload_count_try(store, upload.id, true);
}

struct taken {
    unsigned n, tries;
    int64_t id;
    char path[256];
};

static void take(void *user, const struct ps_accepted_upload *upload)
{
    struct taken *taken = user;

    taken->n++;
    taken->tries = upload->n_tries;
    taken->id = upload->id;
    (void)snprintf(taken->path, sizeof taken->path, "%s", upload->path);
    assert_string_equal(upload->filename, "f.log");
    assert_string_equal(upload->series, "s");
    assert_int_equal(upload->n_tags, 2);
    assert_string_equal(upload->tags[0].key, "k\"");
    assert_string_equal(upload->tags[0].value, "v'");
    assert_string_equal(upload->tags[1].value, "");
    assert_int_equal(upload->n_sources, 0);
}

static void an_accepted_upload_stays_until_it_ended(void **state)
{
    struct ps_store *store = NULL, *other = NULL;
    struct ps_err err = PS_ERR_INIT;
    struct taken taken = {0}, again = {0};

    (void)state;
    die_after(accept_a_file);
    open_and_close();
    assert_string_not_equal(listed("spool"), "");
    assert_int_equal(ps_store_open(dir, &store, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_upload_take_over(store, take, &taken, &err), PS_OK);
    assert_int_equal(taken.n, 1);
    assert_int_equal(taken.tries, 1);
    assert_int_equal(access(taken.path, F_OK), 0);
    assert_int_equal(ps_store_open(dir, &other, PS_ERR_IGNORED), PS_OK); /* it is in living hands */
    assert_int_equal(ps_upload_take_over(other, take, &again, &err), PS_OK);
    assert_int_equal(again.n, 0);
    ps_store_close(other);
    ps_upload_end(store, taken.id, NULL);
    ps_store_close(store);
    open_and_close();
    assert_string_equal(listed("spool"), "");
}

static const char before[] =
    "CREATE TABLE earlier(id INTEGER PRIMARY KEY, session TEXT, file TEXT, filename TEXT, "
    "name TEXT, series TEXT, who TEXT, tags TEXT, sources TEXT, tries INTEGER, at INTEGER);"
    "INSERT INTO earlier SELECT id, session, file, filename, name, series, who, tags, sources, "
    "tries, at FROM upload; DROP TABLE upload; ALTER TABLE earlier RENAME TO upload;"
    "DROP TABLE partial; CREATE TABLE partial(id TEXT PRIMARY KEY, file TEXT, who TEXT, at "
    "INTEGER);"
    "PRAGMA user_version = 0";

/* As a perfshelf did whose catalog knew less. */
static void accept_as_before(struct ps_store *store)
{
    accept_a_file(store);
    if (ps_db_exec(ps_catalog_lock(store), before, PS_ERR_IGNORED) != PS_OK)
        _exit(4);
    ps_catalog_unlock(store);
}

static void an_older_catalog_gets_what_it_lacks(void **state)
{
    struct ps_store *store = NULL;
    struct taken taken = {0};
    struct ps_err err = PS_ERR_INIT;
    struct ps_stmt *stmt = NULL;

    (void)state;
    die_after(accept_as_before);
    open_and_close();
    assert_int_equal(ps_store_open(dir, &store, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_upload_take_over(store, take, &taken, &err), PS_OK);
    assert_int_equal(taken.n, 1);
    assert_int_equal(ps_db_prepare(store->catalog,
                                   "SELECT sum(job) + (SELECT count(bytes) FROM partial) "
                                   "FROM upload",
                                   &stmt, PS_ERR_IGNORED),
                     PS_OK);
    assert_true(ps_stmt_step(stmt, PS_ERR_IGNORED));
    assert_false(ps_col_is_null(stmt, 0));
    assert_int_equal(ps_col_int(stmt, 0), 0);
    ps_stmt_release(stmt);
    ps_upload_end(store, taken.id, NULL);
    ps_store_close(store);
}

static enum ps_status import(struct ps_store *store, int64_t upload, char id_out[PS_ID_SIZE])
{
    PS_AUTO(ps_close_fd)
    int fd = bytes_fd("import time: self [us] | cumulative | imported package\n"
                      "import time:       100 |        100 | a\n");
    const struct ps_import_request request = {.fd = fd, .upload = upload};
    struct ps_import_result result;
    enum ps_status status = ps_import_file(store, &request, &result, PS_ERR_IGNORED);

    memcpy(id_out, result.id, PS_ID_SIZE);
    ps_import_result_free(&result);
    return status;
}

/* A server dies between the publication of an upload's run and the end of the upload; the run is
 * removed; the next server takes the upload up again. */
static void what_was_removed_does_not_come_back(void **state)
{
    struct ps_store *store = NULL;
    struct ps_err err = PS_ERR_INIT;
    struct taken taken = {0};
    char id[PS_ID_SIZE];

    (void)state;
    die_after(accept_a_file);
    assert_int_equal(ps_store_open(dir, &store, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_upload_take_over(store, take, &taken, &err), PS_OK);
    assert_int_equal(import(store, taken.id, id), PS_OK);
    assert_int_equal(ps_store_remove_run(store, id, "", PS_ERR_IGNORED), PS_OK);
    assert_int_equal(import(store, taken.id, id), PS_CANCELLED);
    assert_true(ps_deleted_purge_next(store, INT64_MAX));
    assert_string_equal(listed("runs"), "");
    assert_string_equal(listed("originals"), "");
    ps_upload_end(store, taken.id, NULL);
    assert_int_equal(import(store, taken.id, id), PS_OK);
    ps_store_close(store);
}

static void two_that_doom_one_file_leave_it_to_the_last(void **state)
{
    struct ps_store *store = NULL;
    const struct ps_sent_file sent = {.bytes = 1};
    struct ps_pending_delete one, two;
    char path[160], part[160];
    const char *sha256 = "00000000000000000000000000000000000000000000000000000000000000aa";

    (void)state;
    assert_int_equal(ps_store_open(dir, &store, PS_ERR_IGNORED), PS_OK);
    (void)snprintf(path, sizeof path, "%s/originals/%s.gz", dir, sha256);
    (void)snprintf(part, sizeof part, "%s/originals/new.part", dir);
    assert_int_equal(close(open(part, O_CREAT | O_WRONLY, 0666)), 0);
    assert_int_equal(
        ps_pending_delete_begin(store, &one, "originals", sha256, &sent, part, PS_ERR_IGNORED),
        PS_OK);
    assert_int_equal(close(open(part, O_CREAT | O_WRONLY, 0666)), 0);
    assert_int_equal(
        ps_pending_delete_begin(store, &two, "originals", sha256, &sent, part, PS_ERR_IGNORED),
        PS_OK);
    ps_pending_delete_end(store, &one);
    assert_int_equal(access(path, F_OK), 0);
    ps_pending_delete_end(store, &two);
    assert_int_not_equal(access(path, F_OK), 0);
    ps_store_close(store);
}

int leftovers_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_older_catalog_gets_what_it_lacks, make_shelf,
                                        remove_shelf),
        cmocka_unit_test_setup_teardown(an_original_without_a_run_goes, make_shelf, remove_shelf),
        cmocka_unit_test_setup_teardown(a_spooled_file_goes_with_its_process, make_shelf,
                                        remove_shelf),
        cmocka_unit_test_setup_teardown(an_accepted_upload_stays_until_it_ended, make_shelf,
                                        remove_shelf),
        cmocka_unit_test_setup_teardown(what_was_removed_does_not_come_back, make_shelf,
                                        remove_shelf),
        cmocka_unit_test_setup_teardown(two_that_doom_one_file_leave_it_to_the_last, make_shelf,
                                        remove_shelf),
    };

    return cmocka_run_group_tests_name("leftovers", tests, NULL, NULL);
}
