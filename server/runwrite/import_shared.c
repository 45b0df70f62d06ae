/* SPDX-License-Identifier: MIT */
/*
 * import_shared.c: imports a shared run file. Its pages are not trusted: the rows are read by the
 * reader for untrusted databases (ps_sqlite), inserted into a new file, and validated.
 */
#include <stdio.h>
#include <unistd.h>

#include "base/utf8.h"
#include "importers/sink.h"
#include "schema/schema.h"
#include "server/runfile/handle.h"
#include "server/runwrite/import_shared.h"
#include "server/runwrite/run_tables.h"
#include "server/runwrite/validate.h"

#define HEAD       72 /* bytes of the SQLite header up to the end of application_id */
#define AT_VERSION 60
#define AT_ID      68
#define ID         0x70736866

static uint32_t big_endian(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static bool read_head(int fd, unsigned char head[HEAD])
{
    return pread(fd, head, HEAD, 0) == HEAD &&
           memcmp(head, PS_SQLITE_MAGIC.ptr, PS_SQLITE_MAGIC.len) == 0 &&
           big_endian(head + AT_ID) == ID;
}

bool ps_is_run_file(int fd)
{
    unsigned char head[HEAD];

    return read_head(fd, head);
}

/* --- Metadata and tables --- */

/* Reads the value of PS_SHARED_KEY. *text points into `keep`; {NULL, 0}: the key does not exist. */
static enum ps_status read_meta(struct ps_sqlite *from, struct ps_str *text, struct ps_buf *keep,
                                struct ps_err *err)
{
    static const char *const columns[] = {"k", "v"};
    struct ps_rows *rows = NULL;

    *text = (struct ps_str){NULL, 0};
    ps_rows_begin(from, "meta", columns, 2, &rows, err);
    while (rows && ps_rows_next(rows, err))
        if (ps_str_eq_c(ps_rows_text(rows, 0), PS_SHARED_KEY) && !text->ptr) {
            ps_buf_add_str(keep, ps_rows_text(rows, 1));
            *text = ps_buf_slice(keep);
        }
    ps_rows_end(rows);
    return err->code;
}

static enum ps_status read_shared(struct ps_writer *w, struct ps_sqlite *from, char kind[32],
                                  char version[64], struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf keep = {0};
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    struct ps_str text;

    read_meta(from, &text, &keep, err);
    if (ps_db_prepare(ps_writer_db(w), ps_query_sql("shared"), &stmt, err) != PS_OK)
        return err->code;
    ps_bind_text(stmt, ":shared", text);
    if (!text.ptr || !ps_stmt_step(stmt, err) || ps_col_is_null(stmt, 0))
        return ps_fail(err, PS_BAD_INPUT,
                       "this is a run file of a shelf, not an export" PS_HINT
                       "add the original profile, or a bundle that `perfshelf export` wrote");
    ps_col_copy(stmt, 0, kind, 32);
    if (!ps_col_is_null(stmt, 1))
        ps_col_copy(stmt, 1, version, 64);
    return PS_OK;
}

static enum ps_status read_layout(int fd, const char *version, int64_t *layout, struct ps_err *err)
{
    unsigned char head[HEAD] = {0};

    if (!read_head(fd, head))
        return ps_fail(err, PS_BAD_INPUT, "this is not a run file");
    *layout = big_endian(head + AT_VERSION);
    if (*layout >= ps_oldest_layout && *layout <= ps_current_layout)
        return PS_OK;
    return ps_fail(err, PS_BAD_INPUT,
                   "the shared run was written by perfshelf %s with layout %lld; this version "
                   "reads layouts %lld to %lld" PS_HINT "%s",
                   version, (long long)*layout, (long long)ps_oldest_layout,
                   (long long)ps_current_layout,
                   *layout > ps_current_layout ? "add it with that version or a newer one"
                                               : "export it again with a newer perfshelf");
}

static bool is_table(const char *name)
{
    for (size_t i = 0; i < PS_N_RUN_TABLES; i++)
        if (strcmp(ps_run_tables[i].name, name) == 0)
            return true;
    return strcmp(name, "origin") == 0;
}

static enum ps_status check_tables(struct ps_sqlite *from, int64_t layout, struct ps_err *err)
{
    for (size_t i = 0; i < PS_N_RUN_TABLES; i++)
        if (ps_run_tables[i].since_layout <= layout &&
            !ps_sqlite_has_table(from, ps_run_tables[i].name))
            return ps_fail(err, PS_BAD_INPUT, "the shared run has no table %s",
                           ps_run_tables[i].name);
    for (size_t i = 0; i < ps_sqlite_count_tables(from); i++)
        if (!is_table(ps_sqlite_table_name(from, i)))
            return ps_fail(err, PS_BAD_INPUT, "the shared run has an unknown table");
    return PS_OK;
}

/* --- Rows --- */

static bool read_cells(const struct ps_rows *rows, struct ps_cell *cells, size_t n)
{
    bool good = true;

    for (size_t i = 0; i < n; i++) {
        cells[i] = ps_rows_cell(rows, i);
        good = good && (cells[i].type != PS_CELL_TEXT || ps_utf8_is_valid(cells[i].bytes));
    }
    return good;
}

static bool go_on(struct ps_writer *w, struct ps_sqlite *from, uint64_t rows, struct ps_err *err)
{
    struct ps_sink *sink = ps_writer_sink(w);
    uint64_t total, done = ps_sqlite_bytes_read(from, &total);

    if ((rows & 0xfff) == 0 && !sink->ops->progress(sink, done, total, rows))
        (void)ps_fail(err, PS_CANCELLED, "the import was cancelled");
    return err->code == PS_OK;
}

/* Reports a failed insertion. A violated constraint is an error of the shared run; other failures,
 * such as a full disk, are not. */
static enum ps_status fail_row(const char *table, const struct ps_err *why, struct ps_err *err)
{
    if (why->code != PS_INTERNAL && why->code != PS_BAD_REQUEST)
        return ps_fail_copy(err, why);
    return ps_fail(err, PS_BAD_INPUT, "the shared run has an invalid row in %s", table);
}

static enum ps_status copy_table(struct ps_writer *w, struct ps_sqlite *from, int64_t layout,
                                 const struct ps_run_table *table, struct ps_err *err)
{
    struct ps_cell cells[PS_RUN_COLUMNS_MAX];
    const char *columns[PS_RUN_COLUMNS_MAX];
    PS_AUTO(ps_stmt_auto) struct ps_stmt *insert = NULL;
    struct ps_rows *rows = NULL;
    struct ps_err own = PS_ERR_INIT;
    uint64_t n = 0;

    for (size_t i = 0; i < table->n; i++)
        columns[i] = table->columns[i].name;
    if (ps_cells_prepare(ps_writer_db(w), table->name, columns, table->n, &insert, err) == PS_OK)
        ps_rows_begin(from, table->name, columns, table->n, &rows, err);
    while (go_on(w, from, ++n, err) && ps_rows_next(rows, err)) {
        if (!read_cells(rows, cells, table->n))
            (void)ps_fail(err, PS_BAD_INPUT, "the shared run has a text in %s that is not UTF-8",
                          table->name);
        for (size_t i = 0; i < table->n; i++)
            if (table->columns[i].since_layout > layout)
                cells[i] = ps_cell_absent(&table->columns[i]);
        if (err->code == PS_OK && ps_cells_insert(insert, cells, table->n, &own) != PS_OK)
            fail_row(table->name, &own, err);
    }
    ps_rows_end(rows);
    return err->code;
}

static enum ps_status copy_all(struct ps_writer *w, int fd, struct ps_sqlite *from, char kind[32],
                               struct ps_err *err)
{
    char version[64] = "of another version";
    int64_t layout = 0;

    if (read_shared(w, from, kind, version, err) == PS_OK &&
        read_layout(fd, version, &layout, err) == PS_OK && check_tables(from, layout, err) == PS_OK)
        ps_note_first_layout(ps_writer_db(w), layout, err);
    for (size_t i = 0; err->code == PS_OK && i < PS_N_RUN_TABLES; i++)
        if (ps_run_tables[i].since_layout <= layout)
            copy_table(w, from, layout, &ps_run_tables[i], err);
    return err->code == PS_OK ? ps_run_validate(ps_writer_db(w), err) : err->code;
}

enum ps_status ps_writer_import_shared(struct ps_writer *w, int fd, char kind_out[32],
                                       struct ps_err *err)
{
    struct ps_sqlite *from = NULL;

    if (ps_sqlite_open(fd, &from, err) == PS_OK)
        copy_all(w, fd, from, kind_out, err);
    ps_sqlite_close(from);
    return ps_db_exec(ps_writer_db(w), "COMMIT", err);
}
