/* SPDX-License-Identifier: MIT */
/* trace_store_test.c: what a trace's sink is told comes back: slices, windows, sums, tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "importers/records/run.h"
#include "server/catalog/state.h"
#include "server/runfile/trace.h"
#include "tests/sample_trace.h"

static uint64_t seed = 7;

static uint64_t dice(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

struct shelf {
    struct ps_store *store;
    char dir[64];
    struct ps_published_run run;
    struct ps_db *db;
    struct sample_trace made;
};

/* --- Test shelf --- */

static struct ps_writer *begin(struct ps_store *store, struct ps_part **part)
{
    const struct ps_writer_options writing = {.input_bytes = 0};
    struct ps_writer *writer = NULL;

    assert_int_equal(ps_part_create(store, part, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_writer_open(ps_part_path(*part), &writing, &writer, PS_ERR_IGNORED), PS_OK);
    return writer;
}

static struct ps_published_run publish(struct ps_store *store, struct ps_part *part,
                                       struct ps_writer *writer, const char *kind,
                                       const char *bytes)
{
    const struct ps_new_run run = {.name = "t", .filename = "", .series = "", .user_name = ""};
    struct ps_published_run out = {.name = NULL};
    struct ps_err err = PS_ERR_INIT;
    struct ps_original original;
    struct ps_ingest *intake;
    FILE *file = tmpfile();

    assert_non_null(file);
    (void)fputs(bytes, file);
    (void)fflush(file);
    assert_int_equal(ps_ingest_begin(store, "originals", fileno(file), &intake, PS_ERR_IGNORED),
                     PS_OK);
    assert_int_equal(ps_ingest_wait(intake, true, &original, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_ingest_keep(intake, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_writer_end(writer, &err), PS_OK);
    ps_writer_free(writer);
    assert_int_equal(ps_part_publish(part, &run, kind, &original, &out, &err), PS_OK);
    ps_ingest_end(intake);
    (void)fclose(file);
    return out;
}

static int open_shelf(void **state)
{
    struct shelf *shelf = ps_alloc(sizeof *shelf);
    struct ps_err err = PS_ERR_INIT;
    struct ps_part *part;
    struct ps_writer *writer;

    (void)snprintf(shelf->dir, sizeof shelf->dir, "/tmp/ps-trace-test-XXXXXX");
    assert_non_null(mkdtemp(shelf->dir));
    assert_int_equal(ps_store_open(shelf->dir, &shelf->store, PS_ERR_IGNORED), PS_OK);
    writer = begin(shelf->store, &part);
    sample_trace_write(&shelf->made, ps_writer_sink(writer));
    shelf->run = publish(shelf->store, part, writer, "torch-trace", "a trace");
    assert_int_equal(ps_run_acquire(shelf->store, shelf->run.id, &shelf->db, &err), PS_OK);
    *state = shelf;
    return 0;
}

static int close_shelf(void **state)
{
    struct shelf *shelf = *state;
    char command[128];

    ps_run_release(shelf->db);
    ps_store_close(shelf->store);
    (void)snprintf(command, sizeof command, "rm -rf %s", shelf->dir);
    assert_int_equal(system(command), 0);
    sample_trace_free(&shelf->made);
    free(shelf->run.name);
    free(shelf);
    return 0;
}

/* The one number that a question has for answer. */
static double ask(struct ps_db *db, const char *sql)
{
    struct ps_stmt *stmt = NULL;
    struct ps_err err = PS_ERR_INIT;
    double value;

    assert_int_equal(ps_db_prepare(db, sql, &stmt, &err), PS_OK);
    assert_true(ps_stmt_step(stmt, &err));
    value = ps_col_real(stmt, 0);
    ps_stmt_release(stmt);
    return value;
}

static void is_text(struct ps_db *db, const char *sql, const char *expected)
{
    struct ps_stmt *stmt = NULL;
    struct ps_err err = PS_ERR_INIT;

    assert_int_equal(ps_db_prepare(db, sql, &stmt, &err), PS_OK);
    assert_true(ps_stmt_step(stmt, &err));
    assert_string_equal(ps_col_text(stmt, 0).ptr, expected);
    ps_stmt_release(stmt);
}

/* --- Slices --- */

struct comparison {
    struct shelf *shelf;
    uint64_t rows;
};

static bool compare_chunk(void *user, const struct ps_chunk *chunk)
{
    struct comparison *comparison = user;
    int64_t **column =
        chunk->track == 1 ? comparison->shelf->made.host : comparison->shelf->made.stream;

    for (uint32_t i = 0; i < chunk->n; i++)
        for (int c = 0; c < PS_N_SLICE_COLUMNS; c++)
            assert_int_equal(ps_chunk_value(chunk, (enum ps_slice_column)c, i),
                             column[c][chunk->first + i]);
    comparison->rows += chunk->n;
    return true;
}

static void slices_come_back(void **state)
{
    struct comparison comparison = {*state, 0};
    struct ps_chunk_query query = {
        .range = PS_RANGE_ALL, .columns = UINT32_MAX, .wants_args = true};
    struct ps_db *db = comparison.shelf->db;
    const struct ps_track_row *tracks;
    size_t n;

    assert_int_equal(ps_trace_get_tracks(db, &tracks, &n, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(n, 2);
    assert_int_equal(tracks[0].id, 2); /* its process comes first */
    assert_int_equal(tracks[0].stream, 7);
    assert_int_equal(tracks[1].n_slices, MADE_HOST_ROWS);
    assert_int_equal(ps_trace_each_chunk(db, &query, compare_chunk, &comparison, PS_ERR_IGNORED),
                     PS_OK);
    assert_int_equal(comparison.rows, MADE_HOST_ROWS + MADE_STREAM_ROWS);
    comparison.rows = 0;
    query.slice_kinds = 1u << PS_SLICE_KERNEL;
    assert_int_equal(ps_trace_each_chunk(db, &query, compare_chunk, &comparison, PS_ERR_IGNORED),
                     PS_OK);
    assert_int_equal(comparison.rows, MADE_STREAM_ROWS);
    comparison.rows = 0;
    query = (struct ps_chunk_query){
        .track = 1, .range = {0, 1}, .must_start_in_range = true, .columns = UINT32_MAX};
    assert_int_equal(ps_trace_each_chunk(db, &query, compare_chunk, &comparison, PS_ERR_IGNORED),
                     PS_OK);
    assert_int_equal(comparison.rows, PS_CHUNK_ROWS);
}

static void one_slice(void **state)
{
    struct shelf *shelf = *state;
    PS_AUTO(ps_buf_free) struct ps_buf args = {0};
    int64_t values[PS_N_SLICE_COLUMNS];

    for (uint32_t row = 0; row < MADE_HOST_ROWS; row += 7919) {
        assert_int_equal(
            ps_trace_read_slice(shelf->db, ps_slice_id(1, row), UINT32_MAX, values, PS_ERR_IGNORED),
            PS_OK);
        for (int c = 0; c < PS_N_SLICE_COLUMNS; c++)
            assert_int_equal(values[c], shelf->made.host[c][row]);
    }
    assert_int_equal(
        ps_trace_read_slice(shelf->db, ps_slice_id(1, MADE_HOST_ROWS), 1, values, PS_ERR_IGNORED),
        PS_NOT_FOUND);
    assert_int_equal(ps_trace_read_slice(shelf->db, -1, 1, values, PS_ERR_IGNORED), PS_NOT_FOUND);
    assert_int_equal(ps_trace_append_args(shelf->db, ps_slice_id(2, 11), &args, PS_ERR_IGNORED),
                     PS_OK);
    assert_string_equal(args.ptr, "{\"grid\":[1,2,3],\"block\":[4,5,6],\"registers per thread\":33,"
                                  "\"blocks per SM\":2.5,\"name \\\"x\\\"\":-9}");
    assert_string_equal(ps_trace_text(shelf->db, 2).ptr, "aten::mm");
    assert_null(ps_trace_text(shelf->db, 99).ptr);
}

static void windows_at_every_width(void **state)
{
    struct shelf *shelf = *state;
    PS_AUTO(ps_window_free) struct ps_window window = {0};
    int64_t end = slices_end(shelf->made.host, MADE_HOST_ROWS);

    for (int round = 0; round < 100; round++) {
        int64_t width = (end >> dice() % 22) + 1, from = (int64_t)(dice() % (uint64_t)end);
        uint64_t slices = 0, starting = 0;

        assert_int_equal(
            ps_trace_read_window(shelf->db, 1, from, from + width, 1000, &window, PS_ERR_IGNORED),
            PS_OK);
        for (uint32_t i = 0; i < MADE_HOST_ROWS; i++) {
            int64_t start = shelf->made.host[PS_COL_START][i],
                    ns = shelf->made.host[PS_COL_DURATION][i];

            if (ns >= window.two_px_ns)
                slices += start < from + width && start + ns > from;
            else
                starting += start >= from && start < from + width;
        }
        assert_int_equal(window.n_slices, slices);
        assert_in_range(window.n_counted, starting, starting + starting / 10 + 1000);
    }
    assert_int_equal(ps_trace_read_window(shelf->db, 3, 0, 10, 1000, &window, PS_ERR_IGNORED),
                     PS_NOT_FOUND);
}

/* --- Tables --- */

static void slices_as_a_table(void **state)
{
    struct ps_db *db = ((struct shelf *)*state)->db;

    assert_int_equal(ask(db, "SELECT count(*) FROM slices"), MADE_HOST_ROWS + MADE_STREAM_ROWS);
    assert_int_equal(ask(db, "SELECT count(*) FROM slices WHERE track = 2"), MADE_STREAM_ROWS);
    assert_int_equal(ask(db, "SELECT count(*) FROM ps_slices WHERE kind = 7"),
                     MADE_STREAM_ROWS / 10);
    assert_int_equal(ask(db, "SELECT count(*) FROM slices WHERE track = 2 AND start_ns > 50 AND"
                             " start_ns <= 10050"),
                     10);
    assert_int_equal(ask(db, "SELECT sum(id = (SELECT max(id) FROM ps_slices)) FROM slices"), 1);
    assert_int_equal(ask(db, "SELECT duration_ns FROM slices WHERE id = 4294967296"), 299900);
    assert_int_equal(ask(db, "SELECT parent_id FROM slices WHERE id = 4294967298"), 4294967297);
    assert_int_equal(ask(db, "SELECT count(*) FROM slices a JOIN slices b ON b.id = a.parent_id"
                             " WHERE a.start_ns < 100000 AND b.name = 'aten::mm'"),
                     ask(db, "SELECT count(*) FROM slices WHERE start_ns < 100000 AND depth = 2"));
    assert_int_equal(ask(db, "SELECT count(*) FROM slices WHERE id = 5"), 0);
    assert_int_equal(ask(db, "SELECT args ->> '$.block[2]' FROM slices WHERE id = 8589934593"), 6);
    is_text(db, "SELECT name FROM slices WHERE id = 4294967296", "ProfilerStep#1");
    is_text(db, "SELECT process FROM slices WHERE track = 2 LIMIT 1", "0");
}

static void sums_of_operators(void **state)
{
    struct ps_db *db = ((struct shelf *)*state)->db;

    assert_int_equal(ask(db, "SELECT calls FROM operators WHERE name = 'ProfilerStep*'"), 150);
    assert_int_equal(ask(db, "SELECT calls FROM operators WHERE name = '[memory]'"), 6);
    assert_int_equal(ask(db, "SELECT self_cpu_bytes FROM operators WHERE name = '[memory]'"), 100);
    assert_int_equal(ask(db, "SELECT device_bytes FROM operators WHERE name = '[memory]'"), 100);
    is_text(db, "SELECT input_shapes FROM operators_by_shape WHERE name = 'aten::add'", "[[2, 3]]");
    assert_int_equal(ask(db, "SELECT count(*) FROM operators_by_shape"),
                     ask(db, "SELECT count(*) FROM operators"));
    assert_int_equal(ask(db, "SELECT count(*) FROM (SELECT * FROM ps_operators EXCEPT"
                             " SELECT * FROM ps_operators(-1, 1000000000000))"),
                     0);
    assert_int_equal(ask(db, "SELECT count(*) FROM (SELECT * FROM ps_operators(NULL, NULL, 1)"
                             " EXCEPT SELECT * FROM ps_operators(-1, NULL, 1))"),
                     0);
    assert_int_equal(ask(db, "SELECT sum(calls) FROM ps_operators(0, 500) WHERE kind < 6"), 1 + 6);
}

static void sums_of_kernels(void **state)
{
    struct ps_db *db = ((struct shelf *)*state)->db;

    assert_int_equal(ask(db, "SELECT count(*) FROM kernels"), 2);
    assert_int_equal(ask(db, "SELECT calls FROM kernels WHERE kind = 6"),
                     MADE_STREAM_ROWS * 9 / 10);
    assert_int_equal(ask(db, "SELECT sum(total_ns) FROM ps_kernels"),
                     ask(db, "SELECT sum(duration_ns) FROM slices WHERE kind IN (6, 7)"));
    assert_true(ask(db, "SELECT blocks_per_sm FROM kernels WHERE kind = 6") == 2.5);
    assert_int_equal(ask(db, "SELECT occupancy_pct IS NULL FROM kernels WHERE kind = 6"), 1);
    assert_int_equal(ask(db, "SELECT sum(calls) FROM ps_kernels(50, 10050)"), 10);
    assert_int_equal(ask(db, "SELECT count(*) FROM ps_kernels(NULL, NULL, 1)"), 3);
    is_text(db, "SELECT grid FROM ps_kernels(NULL, NULL, 1) WHERE registers = 33", "1, 2, 3");
    assert_int_equal(ask(db, "SELECT operator FROM ps_kernels(NULL, NULL, 1) LIMIT 1"), 2);
}

static void events_come_back(void **state)
{
    struct ps_db *db = ((struct shelf *)*state)->db;

    assert_int_equal(ask(db, "SELECT count(*) FROM flows"), MADE_EVENTS);
    assert_int_equal(ask(db, "SELECT from_ns FROM flows WHERE from_slice = 4294967296 + 66000"),
                     66000);
    assert_int_equal(ask(db, "SELECT count(DISTINCT id) FROM flows"), MADE_EVENTS);
    assert_int_equal(ask(db, "SELECT sum(bytes) FROM memory_events WHERE t_ns < 6"), 200);
    assert_int_equal(ask(db, "SELECT count(*) FROM memory_events WHERE address = 1001"), 1);
    assert_int_equal(ask(db, "SELECT count(*) FROM memory WHERE device = 'cpu'"), MADE_EVENTS / 2);
    assert_int_equal(ask(db, "SELECT count(*) FROM counters"), 20000);
    assert_true(ask(db, "SELECT sum(value) FROM counters WHERE t_ns BETWEEN 3 AND 4") == 7.0 / 8);
    assert_true(ask(db, "SELECT greatest FROM series WHERE id = 2") == 19999.0 / 8);
    assert_int_equal(ask(db, "SELECT sm_efficiency IS NULL AND occupancy = 12.5 FROM device"), 1);
    assert_int_equal(ask(db, "SELECT count(*) FROM steps JOIN step_parts USING (step)"), 1);
    assert_int_equal(ask(db, "SELECT calls FROM modules"), 2);
    assert_int_equal(ask(db, "SELECT count(*) FROM gap"), 1);
}

/* --- Other runs and damaged files --- */

static void other_kinds_have_none(void **state)
{
    struct shelf *shelf = *state;
    struct ps_published_run run;
    struct ps_part *part;
    struct ps_writer *writer = begin(shelf->store, &part);
    static const char *const views[] = {"slices",        "operators", "operators_by_shape",
                                        "kernels",       "steps",     "step_parts",
                                        "flows",         "counters",  "memory",
                                        "memory_events", "modules",   "ps_operators(1, 2, 1)"};
    struct ps_db *db = NULL;

    ps_writer_sink(writer)->ops->ledger(ps_writer_sink(writer),
                                        &(struct ps_ledger){.unit = "lines"});
    ps_writer_sink(writer)->ops->headline(ps_writer_sink(writer),
                                          &(struct ps_headline){0, "s", "x"});
    run = publish(shelf->store, part, writer, "mprof", "no trace");
    assert_int_equal(ps_run_open_for_user_query(shelf->store, run.id, &(struct ps_query_limits){0},
                                                &db, PS_ERR_IGNORED),
                     PS_OK);
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        char sql[100];

        (void)snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", views[i]);
        assert_int_equal(ask(db, sql), 0);
    }
    ps_db_close(db);
    free(run.name);
}

static bool see_chunk(void *user, const struct ps_chunk *chunk)
{
    *(int64_t *)user += chunk->n;
    return true;
}

/* Asks everything; what comes is no matter. */
static void read_all(struct ps_db *db)
{
    static const char *const questions[] = {
        "SELECT sum(length(args)), sum(duration_ns) FROM slices WHERE track = 2",
        "SELECT sum(self_ns) FROM slices WHERE start_ns > 30000000",
        "SELECT sum(calls) FROM ps_operators(5, 30000000, 1)",
        "SELECT sum(calls) FROM operators",
        "SELECT sum(calls) FROM ps_kernels(NULL, NULL, 1)",
        "SELECT sum(from_ns) FROM flows",
        "SELECT sum(value) FROM counters",
        "SELECT sum(bytes) FROM memory_events"};
    const struct ps_chunk_query query = {
        .range = PS_RANGE_ALL, .columns = UINT32_MAX, .wants_args = true};
    PS_AUTO(ps_window_free) struct ps_window window = {0};
    PS_AUTO(ps_buf_free) struct ps_buf args = {0};
    int64_t values[PS_N_SLICE_COLUMNS], rows = 0;

    (void)ps_trace_each_chunk(db, &query, see_chunk, &rows, PS_ERR_IGNORED);
    for (int64_t width = 1000; width < 1000000000; width *= 7)
        (void)ps_trace_read_window(db, 1, 1000, 1000 + width, 500, &window, PS_ERR_IGNORED);
    (void)ps_trace_read_slice(db, ps_slice_id(1, 5), UINT32_MAX, values, PS_ERR_IGNORED);
    (void)ps_trace_append_args(db, ps_slice_id(2, 5), &args, PS_ERR_IGNORED);
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        struct ps_stmt *stmt = NULL;

        if (ps_db_prepare(db, questions[i], &stmt, PS_ERR_IGNORED) == PS_OK)
            (void)ps_stmt_step(stmt, PS_ERR_IGNORED);
        ps_stmt_release(stmt);
    }
}

static void damage_stops_nothing(void **state)
{
    struct shelf *shelf = *state;
    char path[160];
    int fd;
    off_t size;

    (void)snprintf(path, sizeof path, "%s/runs/%s.db", shelf->dir, shelf->run.id);
    for (int round = 0; round < 25; round++) {
        char copy[200], command[400], uri[240];
        struct ps_db *db = NULL;

        (void)snprintf(copy, sizeof copy, "%s/damaged.db", shelf->dir);
        (void)snprintf(command, sizeof command, "cp %s %s", path, copy);
        (void)snprintf(uri, sizeof uri, "file:%s?immutable=1", copy);
        assert_int_equal(system(command), 0);
        fd = open(copy, O_RDWR);
        size = lseek(fd, 0, SEEK_END);
        for (int flips = 0; flips < 1 << round % 10; flips++) {
            char byte = (char)dice();

            assert_int_equal(pwrite(fd, &byte, 1, 100 + (off_t)(dice() % (uint64_t)(size - 100))),
                             1);
        }
        (void)close(fd);
        if (ps_db_open(uri, false, &db, PS_ERR_IGNORED) == PS_OK) {
            (void)ps_db_exec(db, "PRAGMA mmap_size=2000000000", PS_ERR_IGNORED);
            read_all(db);
        }
        ps_db_close(db);
    }
}

int trace_store_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_come_back),       cmocka_unit_test(one_slice),
        cmocka_unit_test(windows_at_every_width), cmocka_unit_test(slices_as_a_table),
        cmocka_unit_test(sums_of_operators),      cmocka_unit_test(sums_of_kernels),
        cmocka_unit_test(events_come_back),       cmocka_unit_test(other_kinds_have_none),
        cmocka_unit_test(damage_stops_nothing),
    };

    return cmocka_run_group_tests_name("trace_store", tests, open_shelf, close_shelf);
}
