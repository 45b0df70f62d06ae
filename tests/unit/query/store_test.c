/* SPDX-License-Identifier: MIT */
/* store_test.c: publishing, finding, removing runs; packed edges; what is left of an interrupted
 * import. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "importers/records/functions.h"
#include "importers/records/run.h"
#include "importers/sink.h"
#include "server/catalog/deleted.h"
#include "server/catalog/partial.h"
#include "server/catalog/state.h"
#include "server/query/query.h"
#include "server/query/run_views.h"
#include "server/query/user_query.h"

struct shelf {
    struct ps_store *store;
    char dir[64];
};

static int open_shelf(void **state)
{
    struct shelf *shelf = ps_alloc(sizeof *shelf);

    (void)snprintf(shelf->dir, sizeof shelf->dir, "/tmp/ps-store-test-XXXXXX");
    assert_non_null(mkdtemp(shelf->dir));
    assert_int_equal(ps_store_open(shelf->dir, &shelf->store, PS_ERR_IGNORED), PS_OK);
    *state = shelf;
    return 0;
}

static int close_shelf(void **state)
{
    struct shelf *shelf = *state;
    char command[128];

    ps_store_close(shelf->store);
    (void)snprintf(command, sizeof command, "rm -rf %s", shelf->dir);
    assert_int_equal(system(command), 0);
    free(shelf);
    return 0;
}

static int file_of(const char *text)
{
    FILE *file = tmpfile();
    int fd;

    assert_non_null(file);
    (void)fputs(text, file);
    (void)fflush(file);
    fd = dup(fileno(file));
    (void)fclose(file);
    return fd;
}

static struct ps_call call(uint32_t caller, int64_t n, double own, double all)
{
    return (struct ps_call){caller, ps_int(n), ps_int(n), ps_real(own), ps_real(all)};
}

/*
 * main (1) calls a (2) and b (3); both call f (4), which calls g (5). a's f takes 11 of f's 102,
 * b's takes 91; g takes 100. r (6) is recursive, called by main.
 */
static void say_functions(struct ps_sink *sink)
{
    const struct ps_call of_a[] = {call(1, 1, 0, 11)}, of_b[] = {call(1, 1, 0, 91)};
    const struct ps_call of_f[] = {call(2, 1, 1, 11), call(3, 1, 1, 91)},
                         of_g[] = {call(4, 2, 100, 100)};
    const struct ps_call of_r[] = {call(6, 3, 3, 3), call(1, 1, 1, 4)};
    const uint32_t main_calls[] = {2, 3, 6}, a_calls[] = {4}, f_calls[] = {5}, r_calls[] = {6};
    const struct ps_function rows[] = {
        {1, PS_STR("m.py"), PS_STR("main"), 3, ps_int(1), ps_int(1), ps_int(1), ps_real(0),
         ps_real(106), PS_ORIGIN_OWN, 0, true, NULL, 0, main_calls, 3},
        {2, PS_STR("m.py"), PS_STR("a"), 3, ps_int(2), ps_int(1), ps_int(1), ps_real(0),
         ps_real(11), PS_ORIGIN_OWN, 0, true, of_a, 1, a_calls, 1},
        {3, PS_STR("m.py"), PS_STR("b"), 3, ps_int(3), ps_int(1), ps_int(1), ps_real(0),
         ps_real(91), PS_ORIGIN_OWN, 0, true, of_b, 1, a_calls, 1},
        {4, PS_STR("n.py"), PS_STR("f"), 7, ps_int(4), ps_int(2), ps_int(2), ps_real(2),
         ps_real(102), PS_ORIGIN_OWN, 0, true, of_f, 2, f_calls, 1},
        {5, PS_STR("n.py"), PS_STR("g"), 7, ps_int(5), ps_int(2), ps_int(2), ps_real(100),
         ps_real(100), PS_ORIGIN_OWN, 0, true, of_g, 1, NULL, 0},
        {6, PS_STR("n.py"), PS_STR("r"), 7, ps_int(6), ps_int(4), ps_int(1), ps_real(4), ps_real(4),
         PS_ORIGIN_OWN, 1, true, of_r, 2, r_calls, 1},
    };
    const struct ps_ledger ledger = {"entries", 6, 6, 0, 0, 0};
    const struct ps_headline headline = {106, "s", "tottime"};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        sink->ops->function(sink, &rows[i]);
    sink->ops->ledger(sink, &ledger);
    sink->ops->headline(sink, &headline);
}

static struct ps_writer *begin(struct shelf *shelf, struct ps_part **part)
{
    const struct ps_writer_options writing = {.input_bytes = 0};
    struct ps_writer *writer = NULL;

    assert_int_equal(ps_part_create(shelf->store, part, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_writer_open(ps_part_path(*part), &writing, &writer, PS_ERR_IGNORED), PS_OK);
    return writer;
}

static struct ps_published_run publish(struct shelf *shelf, const char *bytes, const char *name)
{
    struct ps_published_run out;
    struct ps_err err = PS_ERR_INIT;
    int fd = file_of(bytes);
    struct ps_original original;
    struct ps_ingest *intake;
    const struct ps_tag tags[] = {{"branch", "main"}};
    const struct ps_new_run run = {name, "", "series", "mei", tags, 1, 0, NULL, false, NULL};
    struct ps_part *part;
    struct ps_writer *writer = begin(shelf, &part);

    assert_int_equal(ps_ingest_begin(shelf->store, "originals", fd, &intake, PS_ERR_IGNORED),
                     PS_OK);
    say_functions(ps_writer_sink(writer));
    assert_int_equal(ps_writer_end(writer, &err), PS_OK);
    ps_writer_free(writer);
    assert_int_equal(ps_ingest_wait(intake, true, &original, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_ingest_keep(intake, PS_ERR_IGNORED), PS_OK);
    (void)ps_part_publish(part, &run, "pstats", &original, &out, &err);
    ps_ingest_end(intake);
    assert_string_equal(err.text, "");
    (void)close(fd);
    free(out.name);
    return out;
}

static enum ps_status try_sql(struct shelf *shelf, const char *id, const char *sql,
                              struct ps_buf *out)
{
    const struct ps_sql_request question = {
        .run = id, .sql = sql, .format = PS_SQL_CSV, .rows = 1000000};
    struct ps_answer answer = {.type = NULL};
    struct ps_err err = PS_ERR_INIT;
    enum ps_status status = ps_query_user_sql(shelf->store, &question, &answer, &err);

    *out = answer.body;
    return status;
}

static char *ask(struct shelf *shelf, const char *id, const char *sql)
{
    struct ps_buf out = {0};

    assert_int_equal(try_sql(shelf, id, sql, &out), PS_OK);
    return out.ptr;
}

static void expect_rows(struct shelf *shelf, const char *id, const char *sql, const char *rows)
{
    char *got = ask(shelf, id, sql);

    assert_string_equal(strchr(got, '\n') + 1, rows);
    free(got);
}

static void packed_calls_come_back(void **state)
{
    const struct ps_call calls[] = {
        {1, ps_int(-5), ps_int(INT64_MAX), ps_real(0.1), ps_real(-0.0)},
        {UINT32_MAX, ps_int(INT64_MIN), {0}, {0}, {0}},
        {300, ps_real(2.5), ps_int(0), ps_int(7), ps_real(1e300)},
    };
    struct ps_buf blob = {0};
    struct ps_call out;
    struct ps_str rest;

    (void)state;
    ps_calls_pack(&blob, calls, 3);
    rest = ps_buf_slice(&blob);
    for (size_t i = 0; i < 3; i++) {
        assert_true(ps_calls_next(&rest, &out));
        assert_int_equal(out.caller, calls[i].caller);
        assert_int_equal(out.ncalls.kind, calls[i].ncalls.kind);
        assert_int_equal(out.ncalls.i, calls[i].ncalls.i);
        assert_int_equal(out.primitive_calls.kind, calls[i].primitive_calls.kind);
        assert_memory_equal(&out.cumtime_s.r, &calls[i].cumtime_s.r,
                            calls[i].cumtime_s.kind ? 8 : 0);
    }
    assert_int_equal(rest.len, 0);
    for (size_t cut = 0; cut < blob.len; cut++) { /* a damaged blob ends early, it never reads on */
        struct ps_str part = {blob.ptr, cut};

        while (part.len && ps_calls_next(&part, &out))
            continue;
    }
    ps_buf_free(&blob);
}

static void packed_ids_come_back(void **state)
{
    const uint32_t ids[] = {1, 2, 200, 70000, UINT32_MAX};
    struct ps_buf blob = {0};
    uint32_t id = 0;
    struct ps_str rest;

    (void)state;
    ps_ids_pack(&blob, ids, 5);
    rest = ps_buf_slice(&blob);
    for (size_t i = 0; i < 5; i++) {
        assert_true(ps_ids_next(&rest, &id));
        assert_int_equal(id, ids[i]);
    }
    assert_int_equal(rest.len, 0);
    ps_buf_free(&blob);
}

static enum ps_status cancel(void *user, struct ps_err *err)
{
    (void)user;
    return ps_fail(err, PS_CANCELLED, "cancelled");
}

static void a_search_that_was_cancelled_is_no_missing_run(void **state)
{
    struct shelf *shelf = *state;
    struct ps_err err = PS_ERR_INIT;
    struct ps_context context;
    char id[PS_ID_SIZE];

    ps_context_begin(&context, 0, cancel, NULL);
    while (!ps_context_has_ended())
        ;
    assert_int_equal(ps_catalog_find_by_hash(shelf->store->catalog, "0", id, &err), PS_CANCELLED);
    (void)ps_context_end(&context);
}

static void a_published_run_can_be_found(void **state)
{
    struct shelf *shelf = *state;
    struct ps_published_run run = publish(shelf, "one", "first");
    char id[PS_ID_SIZE];

    assert_false(run.already_existed);
    assert_int_equal(ps_store_resolve(shelf->store, "first", id, PS_ERR_IGNORED), PS_OK);
    assert_string_equal(id, run.id);
    assert_int_equal(ps_store_resolve(shelf->store, "@1", id, PS_ERR_IGNORED), PS_OK);
    run.id[5] = '\0';
    assert_int_equal(ps_store_resolve(shelf->store, run.id, id, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_store_resolve(shelf->store, "@2", id, PS_ERR_IGNORED), PS_NOT_FOUND);
    assert_int_equal(ps_store_resolve(shelf->store, "nobody", id, PS_ERR_IGNORED), PS_NOT_FOUND);
    publish(shelf, "two", "first");
    assert_int_equal(ps_store_resolve(shelf->store, "first", id, PS_ERR_IGNORED), PS_CONFLICT);
}

static void the_same_bytes_are_the_same_run(void **state)
{
    struct shelf *shelf = *state;
    struct ps_published_run first = publish(shelf, "same", "a"),
                            again = publish(shelf, "same", "b");

    assert_false(first.already_existed);
    assert_true(again.already_existed);
    assert_string_equal(first.id, again.id);
}

static void the_original_comes_back(void **state)
{
    struct shelf *shelf = *state;
    struct ps_published_run run = publish(shelf, "these are the bytes", "a");
    struct ps_stream *stream = NULL;
    PS_AUTO(ps_close_fd) int fd = -1;
    uint64_t bytes;

    assert_int_equal(
        ps_store_open_original(shelf->store, run.id, &stream, &fd, &bytes, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(bytes, 19);
    assert_true(ps_str_eq_c(ps_stream_peek(stream, 100), "these are the bytes"));
    ps_stream_free(stream);
}

static void a_removed_run_comes_back_or_leaves_no_file(void **state)
{
    struct shelf *shelf = *state;
    struct ps_published_run run = publish(shelf, "gone", "a");
    char command[256];

    assert_int_equal(ps_store_remove_run(shelf->store, run.id, "mei", PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_store_remove_run(shelf->store, run.id, "mei", PS_ERR_IGNORED),
                     PS_NOT_FOUND);
    assert_int_equal(ps_store_recover_run(shelf->store, run.id, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_store_recover_run(shelf->store, run.id, PS_ERR_IGNORED), PS_NOT_FOUND);
    assert_int_equal(ps_store_remove_run(shelf->store, run.id, "mei", PS_ERR_IGNORED), PS_OK);
    assert_true(ps_deleted_purge_next(shelf->store, INT64_MAX));
    assert_false(ps_deleted_purge_next(shelf->store, INT64_MAX));
    (void)snprintf(command, sizeof command, "test -z \"$(ls %s/runs %s/originals | grep -v :)\"",
                   shelf->dir, shelf->dir);
    assert_int_equal(system(command), 0);
}

static void an_aborted_import_leaves_no_file(void **state)
{
    struct shelf *shelf = *state;
    struct ps_ingest *intake;
    int fd = file_of("half");
    struct ps_part *part;
    struct ps_writer *writer = begin(shelf, &part);
    char command[256];

    assert_int_equal(ps_ingest_begin(shelf->store, "originals", fd, &intake, PS_ERR_IGNORED),
                     PS_OK);
    say_functions(ps_writer_sink(writer));
    ps_writer_free(writer);
    ps_part_abort(part);
    ps_ingest_end(intake);
    (void)close(fd);
    (void)snprintf(command, sizeof command, "test -z \"$(ls %s/runs %s/originals | grep -v :)\"",
                   shelf->dir, shelf->dir);
    assert_int_equal(system(command), 0);
}

static void opening_sweeps_what_nobody_writes(void **state)
{
    struct shelf *shelf = *state;
    struct ps_store *again = NULL;
    char stale[128];
    PS_AUTO(ps_free_ptr) char *busy = NULL;
    PS_AUTO(ps_close_fd) int stale_fd = -1, busy_fd = -1;

    (void)snprintf(stale, sizeof stale, "%s/runs/1-2.part", shelf->dir);
    stale_fd = open(stale, O_CREAT | O_RDWR, 0666);
    assert_int_equal(ps_store_create_spool_file(shelf->store, &busy, &busy_fd, PS_ERR_IGNORED),
                     PS_OK);
    ps_close_fd(&stale_fd);
    assert_int_equal(ps_store_open(shelf->dir, &again, PS_ERR_IGNORED), PS_OK);
    assert_int_not_equal(access(stale, F_OK), 0);
    assert_int_equal(access(busy, F_OK), 0);
    ps_store_close(again);
}

/* Files of a shelf have no other names than these, whoever says so. */
static void only_names_of_the_folder_become_paths(void **state)
{
    static const char sha256[] = "3a6eb0790f39ac87c94f3856b2dd2c5d110e6811602261a9a923d3bb23adc8b7";
    const struct ps_store *store = ((struct shelf *)*state)->store;
    const struct {
        const char *folder, *name;
        bool good;
    } names[] = {
        {"runs", "3a6eb0790f39ac87", true},
        {"labels", "3a6eb0790f39ac87", true},
        {"labels", "baselines", true},
        {"originals", sha256, true},
        {"sources", sha256, true},
        {"spool", "217.18a3f00d.0badcafe-12", true},
        {"open", "217.18a3f00d.0badcafe", true},
        {"runs", "", false},
        {"runs", "3a6eb0790f39ac8", false},
        {"runs", "3a6eb0790f39ac87x", false},
        {"runs", "3A6EB0790F39AC87", false},
        {"runs", "../../etc/shadow", false},
        {"runs", "baselines", false},
        {"originals", "../catalog.db", false},
        {"sources", "3a6eb0790f39ac87", false},
        {"spool", "../../../victim", false},
        {"spool", "1.2.3-4/../../5", false},
        {"spool", "1.2.3-", false},
        {"spool", "1.2.3-4.shelf", false},
        {"spool", ".", false},
        {"open", "..", false},
        {"open", "../catalog.db", false},
        {"..", "217.18a3f00d.0badcafe", false},
        {"spool/..", "1.2.3-4", false},
        {"", "1.2.3-4", false},
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        PS_AUTO(ps_free_ptr) char *path = NULL;
        struct ps_err err = PS_ERR_INIT;

        assert_int_equal(ps_store_path(store, names[i].folder, names[i].name, "", &path, &err),
                         names[i].good ? PS_OK : PS_NOT_FOUND);
        assert_int_equal(path != NULL, names[i].good);
        if (!names[i].good && names[i].name[0])
            assert_non_null(strstr(err.text, names[i].name));
    }
}

static void count_taken(void *user, const struct ps_accepted_upload *upload)
{
    assert_int_equal(upload->err.code, PS_NOT_FOUND);
    assert_string_equal(upload->path, "");
    assert_int_equal(upload->n_sources, 0);
    ++*(unsigned *)user;
}

/* Rows of a catalog that others wrote name files beside the shelf: none is read, linked, locked or
 * removed. */
static void rows_reach_no_file_outside_the_shelf(void **state)
{
    static const char rows[] =
        "INSERT INTO upload VALUES (1, '9.9.9', '../../victim', 'f', '', '', '', '', '[]', '[]', "
        "0, 1, "
        "0),"
        " (2, '9.9.9', '9.9.9-1', 'f', '', '', '', '', '[]', '[[\"../../victim\", \"a.py\"]]', 0, "
        "1, "
        "0);"
        "INSERT INTO doomed VALUES ('../catalog.db-1', 'spool/..', 'catalog'),"
        " ('9.9.9-2', 'runs', '../../victim'), ('9.9.9-2', 'sources', '../../victim');"
        "INSERT INTO partial VALUES ('a', '../../victim', '', 0, 0);"
        "INSERT INTO source VALUES ('r', 'a.py', '../../victim', 1, 0, 0);"
        "INSERT INTO run(id, sha256, kind, name, created_at, headline_value, headline_unit, "
        "headline_label, bytes, db_bytes, rows, ledger_unit, read, stored, repaired, rejected, "
        "other, "
        "summary) VALUES ('../../victim', x'00', 'k', 'n', 0, 0, '', '', 0, 0, 0, '', 0, 0, 0, 0, "
        "0, '')";
    struct shelf *shelf = *state;
    struct ps_source source = {.bytes = 0};
    struct ps_stream *stream = NULL;
    struct ps_db *db = NULL;
    char victims[3][96], id[PS_PARTIAL_UPLOAD_ID_SIZE];
    unsigned taken = 0;
    uint64_t bytes;
    int fd = -1;

    (void)snprintf(victims[0], sizeof victims[0], "%s/../victim", shelf->dir);
    (void)snprintf(victims[1], sizeof victims[1], "%s/../victim.db", shelf->dir);
    (void)snprintf(victims[2], sizeof victims[2], "%s/../victim.gz", shelf->dir);
    for (int i = 0; i < 3; i++)
        assert_int_equal(close(open(victims[i], O_CREAT | O_RDWR, 0666)), 0);
    assert_int_equal(ps_db_exec(shelf->store->catalog, rows, PS_ERR_IGNORED), PS_OK);

    assert_int_equal(ps_upload_take_over(shelf->store, count_taken, &taken, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(taken, 2);
    ps_upload_end(shelf->store, 1, NULL);
    ps_upload_end(shelf->store, 2, NULL);
    ps_pending_delete_sweep(shelf->store);
    assert_int_equal(ps_partial_upload_begin(shelf->store, "", id, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_run_mark(shelf->store, "../../victim"), 0);
    assert_int_equal(ps_run_acquire(shelf->store, "../../victim", &db, PS_ERR_IGNORED),
                     PS_NOT_FOUND);
    assert_int_equal(ps_store_source_get(shelf->store, "r", "a.py", true, &source, PS_ERR_IGNORED),
                     PS_NOT_FOUND);
    assert_int_equal(
        ps_store_open_original(shelf->store, "../../victim", &stream, &fd, &bytes, PS_ERR_IGNORED),
        PS_NOT_FOUND);
    assert_int_equal(ps_store_remove_run(shelf->store, "../../victim", "mei", PS_ERR_IGNORED),
                     PS_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(unlink(victims[i]), 0);
    ps_buf_free(&source.text);
}

static void a_change_is_noticed(void **state)
{
    struct shelf *shelf = *state;
    struct ps_store *other = NULL;
    struct ps_published_run run = publish(shelf, "x", "a");
    const struct ps_run_edit edit = {.name = "renamed"};
    int64_t before, after;
    char id[PS_ID_SIZE];

    assert_int_equal(ps_store_open(shelf->dir, &other, PS_ERR_IGNORED), PS_OK);
    before = ps_store_version(shelf->store);
    assert_int_equal(ps_store_version(shelf->store), before);
    assert_int_equal(ps_store_edit_run(other, run.id, &edit, PS_ERR_IGNORED), PS_OK);
    after = ps_store_version(shelf->store);
    assert_true(after != before);
    assert_int_equal(ps_store_resolve(shelf->store, "renamed", id, PS_ERR_IGNORED), PS_OK);
    ps_store_close(other);
}

static void a_note_is_one_text(void **state)
{
    static const char *const wrong[] = {"a\tb", "\x1b[2J", "\x7f", "\xff", "\xed\xa0\x80"};
    struct ps_arena arena = {0};
    const char *note = NULL;
    char most[PS_NOTE_MAX + 2];
    struct ps_err err = PS_ERR_INIT;

    (void)state;
    assert_int_equal(ps_note_read(&arena, "\r\n\u2603\r<b>\n\r", &note, PS_ERR_IGNORED), PS_OK);
    assert_string_equal(note, "\n\u2603\n<b>\n\n");
    assert_int_equal(ps_note_read(&arena, "", &note, PS_ERR_IGNORED), PS_OK);
    assert_string_equal(note, "");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(ps_note_read(&arena, wrong[i], &note, PS_ERR_IGNORED), PS_BAD_REQUEST);
    memset(most, 'x', sizeof most);
    most[PS_NOTE_MAX + 1] = '\0';
    assert_int_equal(ps_note_read(&arena, most, &note, &err), PS_BAD_REQUEST);
    assert_string_equal(err.text, "the note has 4001 characters, more than 4000");
    most[PS_NOTE_MAX] = '\0';
    assert_int_equal(ps_note_read(&arena, most, &note, PS_ERR_IGNORED), PS_OK);
    ps_arena_free(&arena);
}

/* Also by those who do not want to hear why. */
static void an_edit_is_refused_without_a_word(void **state)
{
    struct shelf *shelf = *state;
    struct ps_published_run run = publish(shelf, "x", "a");
    struct ps_tag tags[PS_TAGS_MAX + 1];
    char keys[PS_TAGS_MAX + 1][8];
    struct ps_run_edit edit = {.note = "lost"};

    assert_int_equal(ps_store_edit_run(shelf->store, "ffffffffffffffff", &edit, PS_ERR_IGNORED),
                     PS_NOT_FOUND);
    for (size_t i = 0; i <= PS_TAGS_MAX; i++) {
        (void)snprintf(keys[i], sizeof keys[i], "%zu", i);
        tags[i] = (struct ps_tag){keys[i], ""};
    }
    edit.tags = tags;
    edit.n_tags = PS_TAGS_MAX + 1;
    edit.merge_tags = true;
    assert_int_equal(ps_store_edit_run(shelf->store, run.id, &edit, PS_ERR_IGNORED),
                     PS_BAD_REQUEST);
    edit = (struct ps_run_edit){.note = "kept"};
    assert_int_equal(ps_store_edit_run(shelf->store, run.id, &edit, PS_ERR_IGNORED), PS_OK);
}

static void callers_are_a_view(void **state)
{
    struct shelf *shelf = *state;
    struct ps_published_run run = publish(shelf, "c", "a");

    expect_rows(shelf, run.id,
                "SELECT callee_id, caller_id, ncalls, cumtime_s FROM callers ORDER BY 1, 2",
                "2,1,1,11.0\r\n3,1,1,91.0\r\n4,2,1,11.0\r\n4,3,1,91.0\r\n5,4,2,100.0\r\n6,1,1,4."
                "0\r\n6,6,3,3.0\r\n");
}

static void call_paths_are_exact_bounded_or_unknown(void **state)
{
    struct shelf *shelf = *state;
    struct ps_published_run run = publish(shelf, "p", "a");

    /* f under a and b is exact: all of a's and b's calls lie on these paths. g below them is not: f
     * has two callers. Under b it has 91 at most, and at least 100 - (102 - 91) = 89; under a 11 at
     * most, and at least 100 - (102 - 11) = 9. */
    expect_rows(shelf, run.id,
                "SELECT n.frame, p.frame, n.certainty, n.total_min, n.total_max FROM nodes n LEFT "
                "JOIN nodes p ON p.id = n.parent_id ORDER BY n.id",
                "main,,exact,106.0,106.0\r\nb,main,exact,91.0,91.0\r\nf,b,exact,91.0,91.0\r\ng,f,"
                "bounded,89.0,91.0\r\n"
                "a,main,exact,11.0,11.0\r\nf,a,exact,11.0,11.0\r\ng,f,bounded,9.0,11.0\r\nr,main,"
                "exact,4.0,4.0\r\nr,r,unknown,0.0,3.0\r\n");
    expect_rows(shelf, run.id,
                "SELECT total IS NULL, self IS NULL, count IS NULL FROM nodes WHERE frame = 'g'",
                "1,1,1\r\n1,1,1\r\n");
}

static void a_tree_can_start_anywhere(void **state)
{
    struct shelf *shelf = *state;
    struct ps_published_run run = publish(shelf, "t", "a");
    const struct ps_param params[] = {{"root", "4"}};
    struct ps_answer answer = {{0}, NULL, false};
    struct ps_err err = PS_ERR_INIT;

    assert_int_equal(ps_query_view(shelf->store, run.id, "calltree", (struct ps_params){params, 1},
                                   &answer, &err),
                     PS_OK);
    assert_non_null(strstr(answer.body.ptr, "\"total\":[102.0,100.0],\"low\":[102.0,100.0]"));
    assert_non_null(strstr(answer.body.ptr, "\"frames\":{\"name\":[\"f\",\"g\"]"));
    ps_buf_free(&answer.body);
}

static void typed_sql_only_reads(void **state)
{
    static const char *const refused[] = {"DELETE FROM function",
                                          "ATTACH 'x.db' AS y",
                                          "PRAGMA journal_mode=WAL",
                                          "SELECT 1; SELECT 2",
                                          "CREATE TABLE t(a)",
                                          "VACUUM INTO 'y.db'",
                                          "",
                                          "SELECT nothing FROM functions"};
    struct shelf *shelf = *state;
    struct ps_published_run run = publish(shelf, "s", "a");

    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct ps_buf out = {0};

        assert_int_not_equal(try_sql(shelf, run.id, refused[i], &out), PS_OK);
        ps_buf_free(&out);
    }
    expect_rows(shelf, run.id, "SELECT count(*) FROM functions", "6\r\n");
}

static void every_named_query_prepares(void **state)
{
    struct shelf *shelf = *state;
    struct ps_published_run run = publish(shelf, "q", "a");
    static const char *const views[] = {"functions", "functions/4", "files",
                                        "calltree",  "graph",       "notes"};

    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        struct ps_answer answer = {{0}, NULL, false};
        struct ps_err err = PS_ERR_INIT;
        enum ps_status status = ps_query_view(shelf->store, run.id, views[i],
                                              (struct ps_params){NULL, 0}, &answer, &err);

        assert_string_equal(err.text, "");
        assert_int_equal(status, PS_OK);
        ps_buf_free(&answer.body);
    }
}

static void a_wrong_parameter_is_named(void **state)
{
    static const struct ps_param wrong[] = {
        {"sort", "beauty"}, {"limit", "-1"}, {"limit", "x"}, {"desc", "2"}, {"format", "xml"}};
    struct shelf *shelf = *state;
    struct ps_published_run run = publish(shelf, "w", "a");

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct ps_answer answer = {{0}, NULL, false};
        struct ps_err err = PS_ERR_INIT;

        assert_int_equal(ps_query_view(shelf->store, run.id, "functions",
                                       (struct ps_params){&wrong[i], 1}, &answer, &err),
                         PS_BAD_REQUEST);
        assert_non_null(strstr(err.text, i == 0 ? "beauty" : wrong[i].key));
        ps_buf_free(&answer.body);
    }
}

static void a_bad_regular_expression_is_told_with_its_place(void **state)
{
    const struct ps_param params[] = {{"q", "ab("}, {"regex", "1"}};
    struct shelf *shelf = *state;
    struct ps_published_run run = publish(shelf, "r", "a");
    struct ps_answer answer = {{0}, NULL, false};
    struct ps_err err = PS_ERR_INIT;

    assert_int_equal(ps_query_view(shelf->store, run.id, "functions", (struct ps_params){params, 2},
                                   &answer, &err),
                     PS_BAD_REQUEST);
    assert_true(err.has_offset);
    assert_int_equal(err.offset, 3);
    ps_buf_free(&answer.body);
}

static void a_question_without_end_is_stopped(void **state)
{
    struct shelf *shelf = *state;
    struct ps_published_run run = publish(shelf, "e", "a");
    struct ps_err err = PS_ERR_INIT;
    struct ps_stmt *stmt = NULL;
    struct ps_db *db = NULL;
    struct ps_context context;

    assert_int_equal(ps_run_acquire(shelf->store, run.id, &db, &err), PS_OK);
    ps_context_begin(&context, 1, NULL, NULL);
    assert_int_equal(
        ps_db_prepare(db,
                      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                      "SELECT max(i) FROM n",
                      &stmt, &err),
        PS_OK);
    assert_false(ps_stmt_step(stmt, &err));
    assert_int_equal(err.code, PS_TOO_SLOW);
    ps_stmt_release(stmt);
    ps_run_release(db);
    (void)ps_context_end(&context);
}

#define WITH_SHELF(test) cmocka_unit_test_setup_teardown(test, open_shelf, close_shelf)

int store_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packed_calls_come_back),
        cmocka_unit_test(packed_ids_come_back),
        WITH_SHELF(a_published_run_can_be_found),
        WITH_SHELF(a_search_that_was_cancelled_is_no_missing_run),
        WITH_SHELF(the_same_bytes_are_the_same_run),
        WITH_SHELF(the_original_comes_back),
        WITH_SHELF(a_removed_run_comes_back_or_leaves_no_file),
        WITH_SHELF(an_aborted_import_leaves_no_file),
        WITH_SHELF(opening_sweeps_what_nobody_writes),
        WITH_SHELF(only_names_of_the_folder_become_paths),
        WITH_SHELF(rows_reach_no_file_outside_the_shelf),
        WITH_SHELF(a_change_is_noticed),
        cmocka_unit_test(a_note_is_one_text),
        WITH_SHELF(an_edit_is_refused_without_a_word),
        WITH_SHELF(callers_are_a_view),
        WITH_SHELF(call_paths_are_exact_bounded_or_unknown),
        WITH_SHELF(a_tree_can_start_anywhere),
        WITH_SHELF(typed_sql_only_reads),
        WITH_SHELF(every_named_query_prepares),
        WITH_SHELF(a_wrong_parameter_is_named),
        WITH_SHELF(a_question_without_end_is_stopped),
        WITH_SHELF(a_bad_regular_expression_is_told_with_its_place),
    };

    return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
