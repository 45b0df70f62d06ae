/* SPDX-License-Identifier: MIT */
/* run_tables_test.c: the generated descriptions are those of the tables that SQLite makes of
 * schema/run.sql, and rows are stored by the names of their members. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "server/runfile/handle.h"
#include "server/runwrite/run_tables.h"
#include "server/runwrite/run_writer.h"
#include "slices/packed.h"
#include "slices/slices.h"

static struct ps_db *open_empty(void)
{
    struct ps_err err = PS_ERR_INIT;
    struct ps_db *db = NULL;

    assert_int_equal(ps_db_open("file::memory:", true, &db, &err), PS_OK);
    assert_int_equal(ps_db_exec(db, ps_run_schema(), &err), PS_OK);
    return db;
}

static struct ps_stmt *ask(struct ps_db *db, const char *sql)
{
    struct ps_err err = PS_ERR_INIT;
    struct ps_stmt *stmt = NULL;

    if (ps_db_prepare(db, sql, &stmt, &err) != PS_OK)
        fail_msg("%s", err.text);
    return stmt;
}

static void assert_text(struct ps_str text, const char *expected)
{
    if (!ps_str_eq(text, ps_str_from_c(expected)))
        fail_msg("'%.*s' is not '%s'", (int)text.len, text.ptr, expected);
}

static void test_packed_columns_have_rules(void **state)
{
    static const size_t n[] = {
        PS_N_SLICE_COLUMNS,          PS_N_FLOW_COLUMNS,       PS_N_COUNT_COLUMNS,
        PS_N_MEMORY_COLUMNS,         PS_N_COLLECTIVE_COLUMNS, PS_N_STEP_COLUMNS,
        PS_N_SNAPSHOT_EVENT_COLUMNS, PS_N_ALLOCATION_COLUMNS, PS_N_SNAPSHOT_LEVEL_COLUMNS,
        PS_N_SERVED_COLUMNS,         PS_N_TOKEN_GAP_COLUMNS};
    const struct ps_column *launch =
        &ps_packed_tables[PS_PACKED_TABLE_SLICE].columns[PS_COL_LAUNCH];

    (void)state;
    assert_int_equal(PS_N_PACKED_TABLES, sizeof n / sizeof *n);
    for (size_t t = 0; t < PS_N_PACKED_TABLES; t++)
        assert_int_equal(ps_packed_tables[t].n, n[t]);
    assert_string_equal(launch->referenced_table, "slice");
    assert_int_equal(launch->min, 0);
    assert_int_equal(launch->slice_kinds, 1u << PS_SLICE_RUNTIME);
}

static void test_descriptions_match_the_tables(void **state)
{
    struct ps_db *db = open_empty();
    struct ps_err err = PS_ERR_INIT;
    struct ps_stmt *stmt =
        ask(db, "SELECT t.name, c.name, c.type, c.\"notnull\", c.pk FROM sqlite_schema t, "
                "pragma_table_info(t.name) c WHERE t.type = 'table' AND t.name <> 'origin' "
                "ORDER BY t.rowid, c.cid");

    (void)state;
    for (size_t t = 0; t < PS_N_RUN_TABLES; t++)
        for (size_t c = 0; c < ps_run_tables[t].n; c++) {
            const struct ps_column *column = &ps_run_tables[t].columns[c];
            bool is_key;

            assert_true(ps_stmt_step(stmt, &err));
            is_key = ps_col_int(stmt, 4) != 0;
            assert_text(ps_col_text(stmt, 0), ps_run_tables[t].name);
            assert_text(ps_col_text(stmt, 1), column->name);
            assert_text(ps_col_text(stmt, 2), column->declared_type);
            assert_int_equal(column->is_nullable, !ps_col_int(stmt, 3) && !is_key);
            assert_int_equal(column->is_id,
                             is_key && strcmp(column->declared_type, "INTEGER") == 0);
            assert_true(column->min <= column->max);
        }
    assert_false(ps_stmt_step(stmt, &err));
    assert_int_equal(err.code, PS_OK);
    ps_stmt_release(stmt);
    ps_db_close(db);
}

static void test_a_column_is_found_by_its_name(void **state)
{
    const struct ps_column *parent = ps_run_find_column("import", "parent");

    (void)state;
    assert_string_equal(parent->referenced_table, "import");
    assert_int_equal(parent->min, 0);
    assert_int_equal(ps_run_find_column("import", "package")->min, 1);
    assert_int_equal(ps_run_find_column("track", "id")->max, PS_TRACKS_MAX);
    assert_int_equal(ps_run_find_column("text", "text")->redaction_class, PS_REDACT_SLICE);
    assert_int_equal(ps_run_find_column("import", "line")->redaction_class, PS_REDACT_NONE);
    assert_null(ps_run_find_column("import", "nothing"));
    assert_null(ps_run_find_column("nothing", "id"));
}

/* A member that is NULL after one that was not, and the other way round. */
static void test_null_follows_a_value(void **state)
{
    static const char source[] = "x = 1\0y";
    struct ps_err err = PS_ERR_INIT;
    struct ps_inserter rows = {.db = open_empty(), .err = &err};
    struct ps_stmt *stmt;

    (void)state;
    ps_insert_line(&rows, &(struct ps_row_line){.file = 1, .line = 1, .hits = ps_int(5)});
    ps_insert_line(&rows, &(struct ps_row_line){.file = 1,
                                                .line = 2,
                                                .ticks = ps_real(0.5),
                                                .source = {source, sizeof source - 1}});
    ps_insert_line(&rows, &(struct ps_row_line){.file = 1, .line = 3, .source = PS_STR("")});
    assert_int_equal(err.code, PS_OK);
    stmt = ask(rows.db, "SELECT coalesce(group_concat(line || ' ' || typeof(hits) || ' ' || "
                        "typeof(ticks) || ' ' || typeof(source) || ' ' || "
                        "coalesce(length(CAST(source AS BLOB)), '-'), ', '), '') FROM line");
    assert_true(ps_stmt_step(stmt, &err));
    assert_text(ps_col_text(stmt, 0), "1 integer null null -, 2 null real text 7, "
                                      "3 null null text 0");
    ps_stmt_release(stmt);
    ps_inserter_free(&rows);
    ps_db_close(rows.db);
}

static void test_ids_and_keys(void **state)
{
    struct ps_err err = PS_ERR_INIT;
    struct ps_inserter rows = {.db = open_empty(), .err = &err};
    struct ps_row_meta meta = {.k = PS_STR("k"), .v = {.type = PS_CELL_INT, .i = 1}};
    struct ps_stmt *stmt;

    (void)state;
    ps_insert_span(&rows, &(struct ps_row_span){.name = PS_STR("a")});
    ps_insert_span(&rows, &(struct ps_row_span){.id = 9, .name = PS_STR("b")});
    ps_insert_span(&rows, &(struct ps_row_span){.name = PS_STR("c")});
    ps_insert_meta(&rows, &meta);
    meta.v = (struct ps_cell){.type = PS_CELL_TEXT, .bytes = PS_STR("two")};
    ps_insert_meta(&rows, &meta);
    assert_int_equal(err.code, PS_OK);
    stmt = ask(rows.db, "SELECT (SELECT group_concat(id) FROM span), (SELECT v FROM meta)");
    assert_true(ps_stmt_step(stmt, &err));
    assert_text(ps_col_text(stmt, 0), "1,9,10");
    assert_text(ps_col_text(stmt, 1), "two");
    ps_stmt_release(stmt);
    /* The first error stays, and rows after it are ignored. */
    ps_insert_span(&rows, &(struct ps_row_span){.id = 9, .name = PS_STR("again")});
    assert_int_not_equal(err.code, PS_OK);
    ps_insert_span(&rows, &(struct ps_row_span){.name = PS_STR("late")});
    ps_inserter_free(&rows);
    err = (struct ps_err)PS_ERR_INIT;
    stmt = ask(rows.db, "SELECT count(*) FROM span");
    assert_true(ps_stmt_step(stmt, &err));
    assert_int_equal(ps_col_int(stmt, 0), 3);
    ps_stmt_release(stmt);
    ps_db_close(rows.db);
}

static void test_a_sequence_stops_at_its_first_failure(void **state)
{
    struct ps_db *db = open_empty();
    struct ps_err err = PS_ERR_INIT;
    struct ps_stmt *stmt = NULL;

    (void)state;
    assert_int_equal(ps_db_prepare(db, "SELECT nothing", &stmt, &err), PS_INTERNAL);
    assert_null(stmt);
    ps_bind_int(stmt, ":id", 1);
    assert_false(ps_stmt_step(stmt, &err));
    assert_int_equal(ps_stmt_execute(stmt, &err), PS_INTERNAL);
    assert_int_equal(ps_db_exec(db, "CREATE TABLE later(x)", &err), PS_INTERNAL);
    assert_non_null(strstr(err.text, "nothing"));
    err = (struct ps_err)PS_ERR_INIT;
    assert_int_equal(ps_db_exec(db, "CREATE TABLE later(x)", &err), PS_OK);
    ps_db_close(db);
}

int run_tables_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packed_columns_have_rules),
        cmocka_unit_test(test_descriptions_match_the_tables),
        cmocka_unit_test(test_a_column_is_found_by_its_name),
        cmocka_unit_test(test_null_follows_a_value),
        cmocka_unit_test(test_ids_and_keys),
        cmocka_unit_test(test_a_sequence_stops_at_its_first_failure),
    };

    return cmocka_run_group_tests_name("run_tables", tests, NULL, NULL);
}
