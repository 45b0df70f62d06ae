/* SPDX-License-Identifier: MIT */
/* layout_test.c: catalogs of all layouts that there have been (tests/layouts/sqlite) are brought to
 * the present one; a newer one is refused. pg_test.c does the same with PostgreSQL. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/catalog/catalog_tables.h"
#include "server/catalog/state.h"

/* What a catalog is made of, without the order of columns, which differs. */
static const char structure[] =
    "SELECT group_concat(line, char(10)) FROM ("
    "SELECT t.name || '.' || c.name || ' ' || c.type || ' ' || c.\"notnull\" || ' ' || c.pk AS line"
    " FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table'"
    " UNION ALL SELECT sql FROM sqlite_schema WHERE type <> 'table' AND sql IS NOT NULL"
    " ORDER BY 1)";

static char *text_of(struct ps_db *db, const char *sql)
{
    struct ps_err err = PS_ERR_INIT;
    struct ps_stmt *stmt = NULL;
    char *text;

    if (ps_db_prepare(db, sql, &stmt, &err) != PS_OK || !ps_stmt_step(stmt, &err))
        fail_msg("%s: %s", sql, err.text);
    text = ps_strdup(ps_col_text(stmt, 0));
    ps_stmt_release(stmt);
    return text;
}

static void assert_answer(struct ps_db *db, const char *sql, const char *expected)
{
    char *text = text_of(db, sql);

    assert_string_equal(text, expected);
    free(text);
}

static struct ps_db *open_catalog(const char *path)
{
    struct ps_err err = PS_ERR_INIT;
    struct ps_db *db = NULL;

    if (ps_catalog_open(path, &db, &err) != PS_OK)
        fail_msg("%s", err.text);
    return db;
}

static char *scratch_file(const char *name)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    const char *folder = getenv("TMPDIR");

    ps_buf_printf(&path, "%s/layout-%ld-%s", folder ? folder : "/tmp", (long)getpid(), name);
    return ps_strdup(ps_buf_slice(&path));
}

static void read_file(const char *path, struct ps_buf *out)
{
    FILE *file = fopen(path, "r");
    char piece[4096];
    size_t n;

    if (!file)
        fail_msg("cannot read %s", path);
    while ((n = fread(piece, 1, sizeof piece, file)) > 0)
        ps_buf_add(out, piece, n);
    (void)fclose(file);
}

static void remove_catalog(const char *path)
{
    static const char *const endings[] = {"", "-wal", "-shm", "-journal"};

    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        PS_AUTO(ps_buf_free) struct ps_buf name = {0};

        ps_buf_printf(&name, "%s%s", path, endings[i]);
        (void)unlink(name.ptr);
    }
}

static void exec(const char *path, const char *sql)
{
    struct ps_err err = PS_ERR_INIT;
    struct ps_db *db = NULL;
    PS_AUTO(ps_buf_free) struct ps_buf uri = {0};

    ps_uri_append_path(&uri, path);
    if (ps_db_open(uri.ptr, true, &db, &err) != PS_OK || ps_db_exec(db, sql, &err) != PS_OK)
        fail_msg("%s", err.text);
    ps_db_close(db);
}

static const char one_run[] =
    "INSERT INTO run(id, sha256, kind, name, series, created_at, headline_value, headline_unit, "
    "headline_label, bytes, db_bytes, rows, ledger_unit, read, stored, repaired, rejected, other, "
    "summary) VALUES ('0123456789abcdef', 'hash', 'pstats', 'nightly', 'api', 7, 1.5, 's', 'total',"
    " 10, 20, 3, 'rows', 3, 3, 0, 0, 0, '{}');"
    "INSERT INTO tag VALUES ('0123456789abcdef', 'host', 'ci');"
    "INSERT INTO import_log(at, name, who, bytes, sha256, seconds) VALUES (7, 'a', '', 1, '', 0)";

static void test_older_layouts_become_the_present_one(void **state)
{
    char *fresh_path = scratch_file("fresh.db"), *path = scratch_file("old.db"), *expected;
    struct ps_db *db = open_catalog(fresh_path);
    glob_t old;

    (void)state;
    expected = text_of(db, structure);
    ps_db_close(db);
    assert_int_equal(glob(PS_TESTS_DIR "/layouts/sqlite/*.sql", 0, NULL, &old), 0);
    assert_true(old.gl_pathc >= 15);
    for (size_t i = 0; i < old.gl_pathc; i++) {
        PS_AUTO(ps_buf_free) struct ps_buf sql = {0};
        char *found;

        read_file(old.gl_pathv[i], &sql);
        remove_catalog(path);
        exec(path, sql.ptr);
        exec(path, one_run);
        db = open_catalog(path);
        found = text_of(db, structure);
        if (strcmp(found, expected) != 0)
            fail_msg("%s became\n%s\nand not\n%s", old.gl_pathv[i], found, expected);
        free(found);
        assert_answer(db, "SELECT name || note FROM run", "nightly");
        assert_answer(db, "SELECT text FROM run_text", "nightly api pstats  host=ci");
        assert_answer(db,
                      "SELECT group_concat(what || ' ' || key || ' ' || runs, ', ') FROM "
                      "(SELECT * FROM tally ORDER BY 1, 2)",
                      "all  1, kind pstats 1, series api 1, tag host=ci 1");
        assert_answer(db, "SELECT k || v || created_at FROM tagged", "hostci7");
        assert_answer(db, "SELECT count(*) FROM import_log", "1");
        ps_db_close(db);
    }
    globfree(&old);
    remove_catalog(path);
    remove_catalog(fresh_path);
    free(expected);
    free(path);
    free(fresh_path);
}

/* Each opening would otherwise write to the file, and wait for others that do. */
static void test_the_present_layout_is_left_alone(void **state)
{
    char *path = scratch_file("same.db");
    struct ps_db *db = open_catalog(path);

    (void)state;
    ps_db_close(db);
    exec(path, "DROP TRIGGER run_added");
    db = open_catalog(path);
    assert_answer(db, "SELECT count(*) FROM sqlite_schema WHERE name = 'run_added'", "0");
    ps_db_close(db);
    remove_catalog(path);
    free(path);
}

static void test_a_newer_layout_is_refused(void **state)
{
    char *path = scratch_file("newer.db");
    PS_AUTO(ps_buf_free) struct ps_buf uri = {0};
    struct ps_err err = PS_ERR_INIT;
    struct ps_db *db = open_catalog(path);

    (void)state;
    ps_db_close(db);
    db = NULL;
    exec(path, "PRAGMA user_version = 900");
    assert_int_equal(ps_catalog_open(path, &db, &err), PS_CONFLICT);
    assert_non_null(strstr(err.text, "newer perfshelf (layout 900)"));
    ps_db_close(db);
    err = (struct ps_err)PS_ERR_INIT;
    ps_uri_append_path(&uri, path);
    assert_int_equal(ps_catalog_open_reader(uri.ptr, &db, &err), PS_CONFLICT);
    assert_null(db);
    remove_catalog(path);
    free(path);
}

static void test_missing_columns_are_shown_to_readers(void **state)
{
    char *path = scratch_file("read.db");
    PS_AUTO(ps_buf_free) struct ps_buf uri = {0};
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};
    struct ps_err err = PS_ERR_INIT;
    struct ps_db *db = NULL;

    (void)state;
    read_file(PS_TESTS_DIR "/layouts/sqlite/014_2026-11-22.sql", &sql);
    exec(path, sql.ptr);
    exec(path, one_run);
    ps_uri_append_path(&uri, path);
    assert_int_equal(ps_catalog_open_reader(uri.ptr, &db, &err), PS_OK);
    assert_answer(db, "SELECT name || note FROM run", "nightly");
    assert_answer(db, "SELECT count(note) FROM deleted_run", "0");
    assert_int_equal(ps_catalog_drop_compat_views(db, &err), PS_OK);
    assert_answer(db, "SELECT count(*) FROM sqlite_temp_schema", "0");
    ps_db_close(db);
    remove_catalog(path);
    free(path);
}

int layout_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_older_layouts_become_the_present_one),
        cmocka_unit_test(test_the_present_layout_is_left_alone),
        cmocka_unit_test(test_a_newer_layout_is_refused),
        cmocka_unit_test(test_missing_columns_are_shown_to_readers),
    };

    return cmocka_run_group_tests_name("layout", tests, NULL, NULL);
}
