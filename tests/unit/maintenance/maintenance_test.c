/* SPDX-License-Identifier: MIT */
/* maintenance_test.c: the progress of a copy, and a rebuild that is stopped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "server/catalog/state.h"
#include "server/maintenance/maintenance.h"
#include "server/maintenance/transfer.h"
#include "tests/unit/demo_shelf.h"

/* --- Copying a shelf --- */

static void expect_no_finding(void *user, const struct ps_finding *finding)
{
    (void)user;
    fail_msg("%s %s: %s", finding->object_type, finding->file, finding->text);
}

static bool record_runs(void *user, uint64_t done, uint64_t total, uint64_t runs)
{
    (void)done;
    (void)total;
    *(uint64_t *)user = runs;
    return true;
}

static void copy_progress_counts_runs(void **state)
{
    char id[PS_ID_SIZE], target[] = "/tmp/ps-copy-XXXXXX";
    uint64_t runs = 0;
    const struct ps_transfer_options options = {
        .on_finding = expect_no_finding, .progress = record_runs, .user = &runs};
    struct ps_transfer_result result;
    struct ps_err err = PS_ERR_INIT;

    add_demo(*state, "awscli.log", id);
    add_demo(*state, "stdlib.log", id);
    assert_non_null(mkdtemp(target));
    (void)ps_store_transfer(demo_shelf, target, &options, &result, &err);
    ps_remove_tree(target);
    assert_string_equal(err.text, "");
    assert_int_equal(result.runs, 2);
    assert_int_equal(result.files, 4);
    assert_true(result.rows > 0); /* rows of the import log: copied last */
    assert_int_equal(runs, 2);
}

/* --- Rebuilding a catalog --- */

#define RUNS 2

static void count_report(void *user, const char *file, const char *text)
{
    (void)file;
    (void)text;
    ++*(uint64_t *)user;
}

static bool stop_after_last_run(void *user, uint64_t done, uint64_t total, uint64_t files)
{
    (void)user;
    (void)total;
    (void)files;
    return done < RUNS;
}

static bool exists(const char *path)
{
    char full[256];

    (void)snprintf(full, sizeof full, "%s/%s", demo_shelf, path);
    return access(full, F_OK) == 0;
}

/* A stopped rebuild moves no invalid run file and writes no label; the next one does both. */
static void stopped_rebuild_changes_nothing(void **state)
{
    char id[PS_ID_SIZE], file[64], label[64], path[256];
    uint64_t reports = 0;
    struct ps_rebuild_options options = {count_report, stop_after_last_run, &reports};
    struct ps_rebuild_result result;
    struct ps_err err = PS_ERR_INIT;

    add_demo(*state, "awscli.log", id);
    add_demo(*state, "stdlib.log", id);
    ps_store_close(*state);
    *state = NULL;
    (void)snprintf(file, sizeof file, "runs/%s.db", id);
    (void)snprintf(label, sizeof label, "labels/%s.json", id);
    (void)snprintf(path, sizeof path, "%s/%s", demo_shelf, file);
    assert_int_equal(truncate(path, 4096), 0);

    (void)ps_store_rebuild(demo_shelf, &options, &result, &err);
    assert_string_equal(err.text, "stopped; the shelf is unchanged");
    assert_true(exists(file));
    assert_false(exists(label));
    assert_false(exists("lost"));
    assert_int_equal(reports, 0);

    err = (struct ps_err)PS_ERR_INIT;
    options.progress = record_runs;
    (void)ps_store_rebuild(demo_shelf, &options, &result, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(result.runs, 1);
    assert_int_equal(result.moved_to_lost, 1);
    assert_false(exists(file));
    assert_true(exists(label));
    ps_buf_free(&result.originals);
}

int maintenance_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(copy_progress_counts_runs, make_demo_shelf,
                                        remove_demo_shelf),
        cmocka_unit_test_setup_teardown(stopped_rebuild_changes_nothing, make_demo_shelf,
                                        remove_demo_shelf),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
