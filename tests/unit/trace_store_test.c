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

#include "server/store/db_impl.h"
#include "server/store/trace.h"
#include "slices/args.h"

#define HOST_ROWS   150000u /* three chunks */
#define STREAM_ROWS 2000u
#define EVENTS      70000u /* more than a lot */

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
    struct ps_published run;
    struct ps_db *db;
    int64_t *host[PS_N_SLICE_COLUMNS], *stream[PS_N_SLICE_COLUMNS];
};

/* --- a trace */

static const char kernel_template[] = "{\"grid\":[\1,\1,\1],\"block\":[\1,\1,\1],"
                                      "\"registers per thread\":\1,\"blocks per SM\":\2,"
                                      "\"name \\\"x\\\"\":\1}";

static void say_names(struct ps_sink *sink)
{
    const struct ps_trace_text texts[] = {
        {1, PS_STR("cpu_op"), 0},         {2, PS_STR("aten::mm"), 0},
        {3, PS_STR("ProfilerStep#1"), 4}, {4, PS_STR("ProfilerStep*"), 0},
        {5, PS_STR("[[2, 3]]"), 0},       {6, PS_STR("sgemm"), 0},
        {7, PS_STR("aten::add"), 0}};
    const struct ps_args_template templates[] = {{2, PS_STR("{\"Input Dims\":[[2,3]]}"), 5},
                                                 {3, ps_str_of(kernel_template), 0}};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        sink->ops->text(sink, &texts[i]);
    for (size_t i = 0; i < sizeof templates / sizeof *templates; i++)
        sink->ops->args_template(sink, &templates[i]);
    sink->ops->process(
        sink, &(struct ps_process){
                  .id = 1, .pid = PS_STR("77"), .name = PS_STR("python"), .sort = 2, .device = -1});
    sink->ops->process(sink, &(struct ps_process){
                                 .id = 2, .pid = PS_STR("0"), .name = PS_STR("GPU 0"), .sort = 1});
}

/* Steps of 1000 rows: the step, then pairs of an operator and its only child. */
static void make_host(int64_t **column)
{
    int64_t t = 0;

    for (uint32_t i = 0; i < HOST_ROWS; i++) {
        uint32_t k = i % 1000;
        bool step = k == 0, child = !step && k % 2 == 0;

        column[PS_COL_START][i] = t;
        column[PS_COL_DURATION][i] = step ? 299900 : child ? 100 : 300 + (int64_t)(dice() % 100);
        column[PS_COL_SELF][i] = column[PS_COL_OP_SELF][i] = child ? 100 : 200;
        column[PS_COL_PARENT][i] = step ? 0 : child ? 1 : k;
        column[PS_COL_DEPTH][i] = step ? 0 : child ? 2 : 1;
        column[PS_COL_NAME][i] = step ? 3 : child ? 7 : 2;
        column[PS_COL_CATEGORY][i] = 1;
        column[PS_COL_KIND][i] = step ? PS_SLICE_ANNOTATION : PS_SLICE_OP;
        column[PS_COL_TEMPLATE][i] = child ? 2 : 0;
        column[PS_COL_CPU_BYTES][i] = i == 1 ? -12 : 0;
        t += child || step ? 500 : 100;
    }
}

static void make_stream(int64_t **column)
{
    for (uint32_t i = 0; i < STREAM_ROWS; i++) {
        column[PS_COL_START][i] = 50 + (int64_t)i * 1000;
        column[PS_COL_DURATION][i] = 10 + i % 3;
        column[PS_COL_NAME][i] = 6;
        column[PS_COL_KIND][i] = i % 10 ? PS_SLICE_KERNEL : PS_SLICE_MEMCPY;
        column[PS_COL_FLAGS][i] = i % 4 ? 0 : PS_SLICE_TENSOR_CORE;
        column[PS_COL_TEMPLATE][i] = i % 10 ? 3 : 0;
        column[PS_COL_LAUNCH][i] = column[PS_COL_OP][i] = ps_slice_id(1, 1 + 2 * (i % 100));
    }
}

static void say_track(struct ps_sink *sink, const struct ps_track *track, int64_t **column,
                      struct ps_str args)
{
    sink->ops->track(sink, track);
    for (uint32_t first = 0; first < track->slices; first += PS_CHUNK_ROWS) {
        struct ps_chunk chunk = {.track = track->id, .track_kind = track->kind, .first = first};

        chunk.n = track->slices - first < PS_CHUNK_ROWS ? track->slices - first : PS_CHUNK_ROWS;
        chunk.start_ns = column[PS_COL_START][first];
        for (int c = 0; c < PS_N_SLICE_COLUMNS; c++)
            chunk.column[c] = column[c] + first;
        for (uint32_t i = first; i < first + chunk.n; i++)
            if (column[PS_COL_START][i] + column[PS_COL_DURATION][i] > chunk.end_ns)
                chunk.end_ns = column[PS_COL_START][i] + column[PS_COL_DURATION][i];
        chunk.args = args;
        sink->ops->slices(sink, &chunk);
    }
}

static int64_t end_of(int64_t *const *column, uint32_t n)
{
    int64_t end = 0;

    for (uint32_t i = 0; i < n; i++)
        if (column[PS_COL_START][i] + column[PS_COL_DURATION][i] > end)
            end = column[PS_COL_START][i] + column[PS_COL_DURATION][i];
    return end;
}

static void say_tracks(struct shelf *shelf, struct ps_sink *sink)
{
    PS_AUTO(ps_buf_free) struct ps_buf args = {0};

    make_host(shelf->host);
    make_stream(shelf->stream);
    for (uint32_t i = 0; i < STREAM_ROWS; i++) {
        shelf->stream[PS_COL_ARGS_AT][i] = (int64_t)args.len;
        for (int k = 0; i % 10 && k < 7; k++)
            ps_args_put_int(&args, k < 6 ? k + 1 : 32 + (int)(i % 2));
        if (i % 10) {
            ps_args_put_decimal(&args, 25, 1);
            ps_args_put_int(&args, -9);
        }
    }
    say_track(sink,
              &(struct ps_track){.id = 1,
                                 .process = 1,
                                 .name = PS_STR("main"),
                                 .tid = PS_STR("78"),
                                 .device = -1,
                                 .stream = -1,
                                 .slices = HOST_ROWS,
                                 .depth = 3,
                                 .end_ns = end_of(shelf->host, HOST_ROWS)},
              shelf->host, PS_STR(""));
    say_track(sink,
              &(struct ps_track){.id = 2,
                                 .process = 2,
                                 .kind = PS_TRACK_STREAM,
                                 .name = PS_STR("stream 7"),
                                 .device = 0,
                                 .stream = 7,
                                 .slices = STREAM_ROWS,
                                 .depth = 1,
                                 .start_ns = 50,
                                 .end_ns = end_of(shelf->stream, STREAM_ROWS)},
              shelf->stream, ps_buf_slice(&args));
}

static void say_events(struct ps_sink *sink)
{
    for (int64_t i = 0; i < EVENTS; i++) {
        sink->ops->flow(sink, &(struct ps_flow){.kind = 1,
                                                .from_slice = ps_slice_id(1, (uint32_t)i),
                                                .to_slice = ps_slice_id(2, 1),
                                                .from_ns = i,
                                                .to_ns = i + 5});
        sink->ops->memory_event(sink, &(struct ps_memory_event){.t_ns = i,
                                                                .device_type = i % 2,
                                                                .device = i % 2 ? 0 : -1,
                                                                .bytes = i % 3 ? 100 : -100,
                                                                .address = 1000 + i,
                                                                .allocated = 4096,
                                                                .reserved = -1,
                                                                .slice = i,
                                                                .outside = i < 6});
    }
    for (uint32_t c = 1; c <= 2; c++)
        sink->ops->counter(
            sink, &(struct ps_counter){
                      .id = c, .process = 1, .name = PS_STR("load"), .unit = PS_STR("percent")});
    for (int64_t i = 0; i < 20000; i++)
        sink->ops->count(sink, 1 + (uint32_t)(i % 2), i, (double)i / 8);
}

static void say_rest(struct ps_sink *sink)
{
    const struct ps_ledger ledger = {"events", 10, 10, 0, 0, 0};
    const struct ps_headline headline = {1, "s", "span"};

    sink->ops->step(sink,
                    &(struct ps_step){.id = 1, .name = PS_STR("ProfilerStep#1"), .end_ns = 9});
    sink->ops->step_part(sink, &(struct ps_step_part){1, 0, "kernel", 9});
    sink->ops->device(sink, &(struct ps_device_summary){.name = PS_STR("T4"),
                                                        .json = PS_STR("{}"),
                                                        .sm_efficiency = NAN,
                                                        .occupancy = 12.5});
    sink->ops->gap(sink, &(struct ps_gap){.stream_track = 2, .end_ns = 3, .cause = 1});
    sink->ops->module(sink, &(struct ps_module){.id = 1, .name = PS_STR("Net"), .calls = 2});
    sink->ops->ledger(sink, &ledger);
    sink->ops->headline(sink, &headline);
}

/* --- a shelf with it */

static struct ps_writer *begin(struct ps_store *store, const char *bytes)
{
    PS_AUTO(ps_close_fd) int fd = -1;
    struct ps_original original;
    const struct ps_new_run run = {&original, "t", "", "", "", NULL, 0, NULL, NULL};
    struct ps_writer *writer = NULL;
    FILE *file = tmpfile();

    assert_non_null(file);
    (void)fputs(bytes, file);
    (void)fflush(file);
    fd = dup(fileno(file));
    (void)fclose(file);
    assert_int_equal(ps_store_hash(fd, &original, NULL), PS_OK);
    assert_int_equal(ps_writer_create(store, &run, &writer, NULL), PS_OK);
    return writer;
}

static int open_shelf(void **state)
{
    struct shelf *shelf = ps_alloc(sizeof *shelf);
    struct ps_err err = PS_ERR_INIT;
    struct ps_writer *writer;

    (void)snprintf(shelf->dir, sizeof shelf->dir, "/tmp/ps-trace-test-XXXXXX");
    assert_non_null(mkdtemp(shelf->dir));
    assert_int_equal(ps_store_open(shelf->dir, &shelf->store, NULL), PS_OK);
    for (int c = 0; c < PS_N_SLICE_COLUMNS; c++) {
        shelf->host[c] = ps_alloc(HOST_ROWS * sizeof(int64_t));
        shelf->stream[c] = ps_alloc(STREAM_ROWS * sizeof(int64_t));
    }
    writer = begin(shelf->store, "a trace");
    say_names(ps_writer_sink(writer));
    say_tracks(shelf, ps_writer_sink(writer));
    say_events(ps_writer_sink(writer));
    say_rest(ps_writer_sink(writer));
    assert_int_equal(ps_writer_publish(writer, "torch-trace", &shelf->run, &err), PS_OK);
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
    for (int c = 0; c < PS_N_SLICE_COLUMNS; c++) {
        free(shelf->host[c]);
        free(shelf->stream[c]);
    }
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
    assert_true(ps_stmt_row(stmt, &err));
    value = ps_col_real(stmt, 0);
    ps_stmt_done(stmt);
    return value;
}

static void is_text(struct ps_db *db, const char *sql, const char *expected)
{
    struct ps_stmt *stmt = NULL;
    struct ps_err err = PS_ERR_INIT;

    assert_int_equal(ps_db_prepare(db, sql, &stmt, &err), PS_OK);
    assert_true(ps_stmt_row(stmt, &err));
    assert_string_equal(ps_col_text(stmt, 0).at, expected);
    ps_stmt_done(stmt);
}

/* --- slices */

struct comparison {
    struct shelf *shelf;
    uint64_t rows;
};

static bool compare_chunk(void *user, const struct ps_chunk *chunk)
{
    struct comparison *comparison = user;
    int64_t **column = chunk->track == 1 ? comparison->shelf->host : comparison->shelf->stream;

    for (uint32_t i = 0; i < chunk->n; i++)
        for (int c = 0; c < PS_N_SLICE_COLUMNS; c++)
            assert_int_equal(ps_chunk_at(chunk, (enum ps_slice_column)c, i),
                             column[c][chunk->first + i]);
    comparison->rows += chunk->n;
    return true;
}

static void slices_come_back(void **state)
{
    struct comparison comparison = {*state, 0};
    struct ps_chunk_query query = {.range = PS_RANGE_ALL, .columns = UINT32_MAX, .args = true};
    struct ps_db *db = comparison.shelf->db;
    const struct ps_track_row *tracks;
    size_t n;

    assert_int_equal(ps_trace_tracks(db, &tracks, &n, NULL), PS_OK);
    assert_int_equal(n, 2);
    assert_int_equal(tracks[0].id, 2); /* its process comes first */
    assert_int_equal(tracks[0].stream, 7);
    assert_int_equal(tracks[1].slices, HOST_ROWS);
    assert_int_equal(ps_trace_chunks(db, &query, compare_chunk, &comparison, NULL), PS_OK);
    assert_int_equal(comparison.rows, HOST_ROWS + STREAM_ROWS);
    comparison.rows = 0;
    query.slice_kinds = 1u << PS_SLICE_KERNEL;
    assert_int_equal(ps_trace_chunks(db, &query, compare_chunk, &comparison, NULL), PS_OK);
    assert_int_equal(comparison.rows, STREAM_ROWS);
    comparison.rows = 0;
    query = (struct ps_chunk_query){
        .track = 1, .range = {0, 1}, .starting = true, .columns = UINT32_MAX};
    assert_int_equal(ps_trace_chunks(db, &query, compare_chunk, &comparison, NULL), PS_OK);
    assert_int_equal(comparison.rows, PS_CHUNK_ROWS);
}

static void one_slice(void **state)
{
    struct shelf *shelf = *state;
    PS_AUTO(ps_buf_free) struct ps_buf args = {0};
    int64_t values[PS_N_SLICE_COLUMNS];

    for (uint32_t row = 0; row < HOST_ROWS; row += 7919) {
        assert_int_equal(ps_trace_slice(shelf->db, ps_slice_id(1, row), UINT32_MAX, values, NULL),
                         PS_OK);
        for (int c = 0; c < PS_N_SLICE_COLUMNS; c++)
            assert_int_equal(values[c], shelf->host[c][row]);
    }
    assert_int_equal(ps_trace_slice(shelf->db, ps_slice_id(1, HOST_ROWS), 1, values, NULL),
                     PS_NOT_FOUND);
    assert_int_equal(ps_trace_slice(shelf->db, -1, 1, values, NULL), PS_NOT_FOUND);
    assert_int_equal(ps_trace_args(shelf->db, ps_slice_id(2, 11), &args, NULL), PS_OK);
    assert_string_equal(args.at, "{\"grid\":[1,2,3],\"block\":[4,5,6],\"registers per thread\":33,"
                                 "\"blocks per SM\":2.5,\"name \\\"x\\\"\":-9}");
    assert_string_equal(ps_trace_text(shelf->db, 2).at, "aten::mm");
    assert_null(ps_trace_text(shelf->db, 99).at);
}

static void windows_at_every_width(void **state)
{
    struct shelf *shelf = *state;
    PS_AUTO(ps_window_free) struct ps_window window = {0};
    int64_t end = end_of(shelf->host, HOST_ROWS);

    for (int round = 0; round < 100; round++) {
        int64_t width = (end >> dice() % 22) + 1, from = (int64_t)(dice() % (uint64_t)end);
        uint64_t slices = 0, starting = 0;

        assert_int_equal(ps_trace_window(shelf->db, 1, from, from + width, 1000, &window, NULL),
                         PS_OK);
        for (uint32_t i = 0; i < HOST_ROWS; i++) {
            int64_t start = shelf->host[PS_COL_START][i], ns = shelf->host[PS_COL_DURATION][i];

            if (ns >= window.two_px_ns)
                slices += start < from + width && start + ns > from;
            else
                starting += start >= from && start < from + width;
        }
        assert_int_equal(window.n_slices, slices);
        assert_in_range(window.counted, starting, starting + starting / 10 + 1000);
    }
    assert_int_equal(ps_trace_window(shelf->db, 3, 0, 10, 1000, &window, NULL), PS_NOT_FOUND);
}

/* --- tables */

static void slices_as_a_table(void **state)
{
    struct ps_db *db = ((struct shelf *)*state)->db;

    assert_int_equal(ask(db, "SELECT count(*) FROM slices"), HOST_ROWS + STREAM_ROWS);
    assert_int_equal(ask(db, "SELECT count(*) FROM slices WHERE track = 2"), STREAM_ROWS);
    assert_int_equal(ask(db, "SELECT count(*) FROM ps_slices WHERE kind = 7"), STREAM_ROWS / 10);
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
    assert_int_equal(ask(db, "SELECT calls FROM kernels WHERE kind = 6"), STREAM_ROWS * 9 / 10);
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

    assert_int_equal(ask(db, "SELECT count(*) FROM flows"), EVENTS);
    assert_int_equal(ask(db, "SELECT from_ns FROM flows WHERE from_slice = 4294967296 + 66000"),
                     66000);
    assert_int_equal(ask(db, "SELECT count(DISTINCT id) FROM flows"), EVENTS);
    assert_int_equal(ask(db, "SELECT sum(bytes) FROM memory_events WHERE t_ns < 6"), 200);
    assert_int_equal(ask(db, "SELECT count(*) FROM memory_events WHERE address = 1001"), 1);
    assert_int_equal(ask(db, "SELECT count(*) FROM memory WHERE device = 'cpu'"), EVENTS / 2);
    assert_int_equal(ask(db, "SELECT count(*) FROM counters"), 20000);
    assert_true(ask(db, "SELECT sum(value) FROM counters WHERE t_ns BETWEEN 3 AND 4") == 7.0 / 8);
    assert_true(ask(db, "SELECT greatest FROM series WHERE id = 2") == 19999.0 / 8);
    assert_int_equal(ask(db, "SELECT sm_efficiency IS NULL AND occupancy = 12.5 FROM device"), 1);
    assert_int_equal(ask(db, "SELECT count(*) FROM steps JOIN step_parts USING (step)"), 1);
    assert_int_equal(ask(db, "SELECT calls FROM modules"), 2);
    assert_int_equal(ask(db, "SELECT count(*) FROM gap"), 1);
}

/* --- other runs, other files */

static void other_kinds_have_none(void **state)
{
    struct shelf *shelf = *state;
    struct ps_published run;
    struct ps_writer *writer = begin(shelf->store, "no trace");
    static const char *const views[] = {"slices",        "operators", "operators_by_shape",
                                        "kernels",       "steps",     "step_parts",
                                        "flows",         "counters",  "memory",
                                        "memory_events", "modules",   "ps_operators(1, 2, 1)"};
    struct ps_db *db = NULL;

    ps_writer_sink(writer)->ops->ledger(ps_writer_sink(writer),
                                        &(struct ps_ledger){.unit = "lines"});
    ps_writer_sink(writer)->ops->headline(ps_writer_sink(writer),
                                          &(struct ps_headline){0, "s", "x"});
    assert_int_equal(ps_writer_publish(writer, "mprof", &run, NULL), PS_OK);
    assert_int_equal(ps_run_open_guarded(shelf->store, run.id, &db, NULL), PS_OK);
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
        .range = PS_RANGE_ALL, .columns = UINT32_MAX, .args = true};
    PS_AUTO(ps_window_free) struct ps_window window = {0};
    PS_AUTO(ps_buf_free) struct ps_buf args = {0};
    int64_t values[PS_N_SLICE_COLUMNS], rows = 0;

    (void)ps_trace_chunks(db, &query, see_chunk, &rows, NULL);
    for (int64_t width = 1000; width < 1000000000; width *= 7)
        (void)ps_trace_window(db, 1, 1000, 1000 + width, 500, &window, NULL);
    (void)ps_trace_slice(db, ps_slice_id(1, 5), UINT32_MAX, values, NULL);
    (void)ps_trace_args(db, ps_slice_id(2, 5), &args, NULL);
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        struct ps_stmt *stmt = NULL;

        if (ps_db_prepare(db, questions[i], &stmt, NULL) == PS_OK)
            (void)ps_stmt_row(stmt, NULL);
        ps_stmt_done(stmt);
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
        if (ps_db_open(uri, false, &db, NULL) == PS_OK) {
            (void)ps_db_exec(db, "PRAGMA mmap_size=2000000000", NULL);
            read_all(db);
        }
        ps_db_close(db);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_come_back),       cmocka_unit_test(one_slice),
        cmocka_unit_test(windows_at_every_width), cmocka_unit_test(slices_as_a_table),
        cmocka_unit_test(sums_of_operators),      cmocka_unit_test(sums_of_kernels),
        cmocka_unit_test(events_come_back),       cmocka_unit_test(other_kinds_have_none),
        cmocka_unit_test(damage_stops_nothing),
    };

    return cmocka_run_group_tests(tests, open_shelf, close_shelf);
}
