/* SPDX-License-Identifier: MIT */
/* transfer.c: copies a shelf, `source`, to another shelf, `target`, and reports differences. */
#include "server/maintenance/transfer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/utf8.h"
#include "server/catalog/backend.h"
#include "server/catalog/catalog_tables.h"
#include "server/catalog/copy_file.h"
#include "server/catalog/files.h"
#include "server/catalog/state.h"
#include "server/maintenance/snapshot.h"
#include "server/replica/replica.h"
#include "server/replica/url.h"
#include "server/runwrite/checks.h"

#define RUNS_AT_ONCE 64 /* maximum runs per transaction */

/* A file to copy. */
struct transfer_file {
    const char *folder;
    char key[PS_SHA256_SIZE];
    char sha256[PS_SHA256_SIZE]; /* hash of the original of the run; for a source, of its text */
    struct transfer_run *run;    /* the first run that needs the file */
    bool exists;                 /* `target` has the file already */
    struct ps_err source_err;    /* why the file of `source` cannot be copied: missing or damaged */
    char *path;                  /* path of the copy, a .part file of `target`; NULL: not copied */
    struct ps_sent_file sent;
};

struct transfer_run {
    int64_t seq;
    char id[PS_ID_SIZE], sha256[PS_SHA256_SIZE];
    uint64_t bytes;   /* bytes of run file and original, from the row of the run */
    bool has_row;     /* `target` has the row of the run already */
    bool is_complete; /* `target` has the row, all files and all sources already */
    bool is_left_out; /* the run cannot be copied, or was removed from `source` meanwhile */
};

struct transfer {
    const struct ps_transfer_options *options;
    struct ps_transfer_result *out;
    struct ps_store *source, *target;
    char *dir; /* temporary folder in the spool of `target`; a later session deletes it after a
                  crash */
    char *snapshot_path; /* path of the snapshot of `source` in `dir` */
    /* connection to the snapshot, which is also attached to the catalog of `target` as `old` */
    struct ps_db *snapshot;
    /* assign new sequence numbers, because a run of `target` has the number of another run of
     * `source` */
    bool renumber;
    struct transfer_run runs[RUNS_AT_ONCE];
    size_t n;
    struct transfer_file *pieces; /* files of the runs of the current batch */
    size_t n_pieces, cap_pieces;
    uint64_t done, total;
};

/* Rules for copying the rows of a table with PS_COPY_ROWS. In SQL, m is a row of `target` and o a
 * row of the snapshot. */
struct transfer_table {
    const char *name;
    const char *object_type;  /* ps_finding.object_type */
    const char *key;          /* primary key, one column */
    const char *label;        /* column that identifies a row in findings */
    const char *numbered_key; /* key column that gets a new value if `target` has it; or "" */
    /* SQL condition: m and o are the same item; NULL: they are if all columns except `numbered_key`
     * are equal (the table has a column `at`) */
    const char *equal_condition;
    const char *differing_columns; /* columns that may differ, each with a space before and after */
    const char *row_condition;     /* SQL condition: o is copied; NULL: every o is */
    const char *labels; /* name of the file in labels/ that contains these rows, or NULL */
};

/* --- Tables other than runs --- */

#define ROWS_AT_ONCE 1000 /* maximum rows per transaction */

static const struct transfer_table copied_tables[] = {
    {"token", "token", "id", "name", "", "m.id = o.id OR m.name = o.name", " used_at ", NULL, NULL},
    {"baseline", "baseline", "series", "series", "", "m.series = o.series", " ",
     "EXISTS (SELECT 1 FROM main.run WHERE id = o.run)", "baselines"},
    {"saved_query", "query", "id", "name", "id", "m.kind = o.kind AND m.name = o.name", " id ",
     NULL, "queries"},
    {"import_log", "log", "id", "name", "id", NULL, " id ", NULL, NULL},
    {"removal_log", "log", "id", "name", "id", NULL, " id ", NULL, NULL},
};

static bool is_among(const char *words, struct ps_str word)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    ps_buf_puts(&text, " ");
    ps_buf_add_str(&text, word);
    ps_buf_puts(&text, " ");
    return strstr(words, text.ptr) != NULL;
}

/* Appends "<before>column" for each column of a table, separated by commas. Skips the columns in
 * `but`, each of which has a space before and after. */
static enum ps_status transfer_columns(struct ps_db *db, const char *table, const char *before,
                                       const char *but, struct ps_buf *out, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql("mirror_columns"), &stmt, err);
    ps_bind_text(stmt, ":tbl", ps_str_from_c(table));
    while (ps_stmt_step(stmt, err)) {
        const struct ps_str name = ps_col_text(stmt, 0);

        if (!is_among(but, name))
            ps_buf_printf(out, "%s%s\"%.*s\"", out->len ? ", " : "", before, (int)name.len,
                          name.ptr);
    }
    return err->code;
}

/* Appends the SQL condition that m and o are the same item. */
static enum ps_status transfer_same(struct ps_db *db, const struct transfer_table *table,
                                    struct ps_buf *out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf ours = {0};
    PS_AUTO(ps_buf_free) struct ps_buf theirs = {0};
    PS_AUTO(ps_buf_free) struct ps_buf but = {0};

    if (table->equal_condition) {
        ps_buf_puts(out, table->equal_condition);
        return err->code;
    }
    ps_buf_printf(&but, " at %s ", table->numbered_key);
    transfer_columns(db, table->name, "m.", but.ptr, &ours, err);
    /* `at` is compared with =, so that SQLite creates an automatic index */
    if (transfer_columns(db, table->name, "o.", but.ptr, &theirs, err) == PS_OK)
        ps_buf_printf(out, "m.at = o.at AND (%s) IS (%s)", ours.ptr, theirs.ptr);
    return err->code;
}

struct id_text {
    const char *id, *text;
};

/* Runs a query on the catalog of `target` whose rows have a run id and a text. Appends both, each
 * followed by a NUL. */
static enum ps_status append_rows(struct transfer *t, const char *query, struct ps_buf *out,
                                  struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;
    struct ps_db *db = ps_catalog_lock(t->target);

    ps_db_prepare(db, ps_query_sql(query), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        ps_col_append(stmt, 0, out);
        ps_col_append(stmt, 1, out);
    }
    ps_stmt_release(stmt);
    ps_catalog_unlock(t->target);
    return err->code;
}

/* Reads the next pair of a list that append_rows made, from offset *at on. False: end of the list.
 */
static bool next_runs(const struct ps_buf *list, size_t *at, struct id_text *out)
{
    if (*at >= list->len)
        return false;
    out->id = list->ptr + *at;
    out->text = out->id + strlen(out->id) + 1;
    *at = (size_t)(out->text - list->ptr) + strlen(out->text) + 1;
    return true;
}

/* Appends an SQL expression whose value is the names of the columns in which m differs from o, each
 * with a leading space. Ignores the columns in `but`. */
static enum ps_status transfer_differing(struct ps_db *db, const char *table, const char *but,
                                         struct ps_buf *out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf columns = {0};

    transfer_columns(db, table, "", but, &columns, err);
    for (char *at = columns.ptr, *next; err->code == PS_OK && at && *at; at = next) {
        const size_t len = strcspn(at, ",");

        next = at + len + strspn(at + len, ", ");
        ps_buf_printf(out, "%siif(m.%.*s IS o.%.*s, '', ' %.*s')", out->len ? " || " : "", (int)len,
                      at, (int)len, at, (int)len - 2, at + 1);
    }
    return err->code;
}

/* Runs a query. *out: the integer in its first row and column; 0: no row. */
static enum ps_status transfer_ask(struct ps_db *db, const char *sql, int64_t *out,
                                   struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, sql, &stmt, err);
    *out = ps_stmt_step(stmt, err) ? ps_col_int(stmt, 0) : 0;
    return err->code;
}

/* Lists the rows of a table that `target` lacks in the temporary table todo. With `update`, also
 * lists the rows that differ, with the names of the differing columns in column `told`. *n: number
 * of listed rows. */
static enum ps_status list_rows(struct transfer *t, const struct transfer_table *table, int64_t *n,
                                bool *renumber, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf same = {0};
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};
    PS_AUTO(ps_buf_free) struct ps_buf taken = {0};
    PS_AUTO(ps_buf_free) struct ps_buf id_text = {0};
    struct ps_db *db = t->target->catalog;
    int64_t found = 0;

    transfer_same(t->snapshot, table, &same, err);
    if (t->options->overwrites && table->equal_condition)
        transfer_differing(t->snapshot, table->name, table->differing_columns, &id_text, err);
    if (err->code != PS_OK)
        return err->code;
    ps_buf_printf(&sql,
                  "DROP TABLE IF EXISTS temp.todo; CREATE TEMP TABLE todo(n INTEGER PRIMARY KEY, "
                  "k, label, told); INSERT INTO temp.todo(k, label, told) SELECT * FROM (SELECT "
                  "o.\"%s\" AS k, o.\"%s\", iif(m.\"%s\" IS NULL, NULL, %s) AS told FROM "
                  "old.\"%s\" o LEFT JOIN main.\"%s\" m ON %s WHERE %s) "
                  "WHERE told IS NULL OR told <> '' ORDER BY k",
                  table->key, table->label, table->key, id_text.len ? id_text.ptr : "''",
                  table->name, table->name, same.ptr,
                  table->row_condition ? table->row_condition : "1");
    ps_db_exec(db, sql.ptr, err);
    transfer_ask(db, "SELECT count(*) FROM temp.todo", n, err);
    ps_buf_printf(&taken, "SELECT 1 FROM temp.todo t JOIN main.\"%s\" m ON m.\"%s\" = t.k LIMIT 1",
                  table->name, table->key);
    if (table->numbered_key[0])
        transfer_ask(db, taken.ptr, &found, err);
    *renumber = found != 0;
    return err->code;
}

/* Deletes the rows of `target` that differ from the next ROWS_AT_ONCE rows of todo, after number
 * `after`. For tokens, also deletes their browser sessions. */
static enum ps_status drop_some(struct transfer *t, const struct transfer_table *table,
                                int64_t after, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};
    struct ps_stmt *stmt = NULL;

    ps_buf_printf(&sql,
                  "DELETE FROM main.\"%s\" AS m WHERE EXISTS (SELECT 1 FROM temp.todo t JOIN "
                  "old.\"%s\" o ON o.\"%s\" = t.k WHERE t.told IS NOT NULL AND t.n > :after AND "
                  "t.n <= :upto AND (%s))",
                  table->name, table->name, table->key, table->equal_condition);
    ps_db_prepare(t->target->catalog, sql.ptr, &stmt, err);
    ps_bind_int(stmt, ":after", after);
    ps_bind_int(stmt, ":upto", after + ROWS_AT_ONCE);
    ps_stmt_execute(stmt, err);
    if (strcmp(table->name, "token") == 0)
        ps_db_exec(t->target->catalog,
                   "DELETE FROM main.session WHERE token NOT IN (SELECT id FROM old.token "
                   "UNION ALL SELECT id FROM main.token)",
                   err);
    return err->code;
}

/* Counts and reports an overwritten item, with the text "the <what> <text>". */
static void transfer_updated(struct transfer *t, const char *what, const char *name,
                             const char *text)
{
    PS_AUTO(ps_buf_free) struct ps_buf id_text = {0};

    ps_buf_printf(&id_text, "the %s %s", what, text);
    t->out->updated_items++;
    t->options->on_finding(t->options->user,
                           &(struct ps_finding){"updated", name, id_text.ptr, ""});
}

static enum ps_status report_some(struct transfer *t, const struct transfer_table *table,
                                  int64_t after, struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;
    struct ps_db *db = ps_catalog_lock(t->target);

    ps_db_prepare(db,
                  "SELECT label, 'was overwritten; it differed in:' || told FROM temp.todo"
                  " WHERE told IS NOT NULL AND n > :after AND n <= :upto ORDER BY n",
                  &stmt, err);
    ps_bind_int(stmt, ":after", after);
    ps_bind_int(stmt, ":upto", after + ROWS_AT_ONCE);
    while (ps_stmt_step(stmt, err)) {
        PS_AUTO(ps_free_ptr) char *label = ps_strdup(ps_col_text(stmt, 0));
        PS_AUTO(ps_free_ptr) char *text = ps_strdup(ps_col_text(stmt, 1));

        transfer_updated(t, table->object_type, label, text);
    }
    ps_stmt_release(stmt);
    ps_catalog_unlock(t->target);
    return err->code;
}

static enum ps_status put_some(struct transfer *t, const struct transfer_table *table,
                               int64_t after, bool renumber, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf columns = {0};
    PS_AUTO(ps_buf_free) struct ps_buf but = {0};
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};
    struct ps_stmt *stmt = NULL;
    const char *number = table->numbered_key;

    ps_buf_printf(&but, " %s ", number);
    transfer_columns(t->snapshot, table->name, "", but.ptr, &columns, err);
    ps_buf_printf(&sql, "INSERT INTO main.\"%s\"(%s%s%s) SELECT ", table->name, number,
                  number[0] ? ", " : "", columns.ptr);
    if (number[0])
        ps_buf_printf(&sql,
                      "CASE WHEN NOT :renumber AND NOT EXISTS (SELECT 1 FROM main.\"%s\" WHERE "
                      "\"%s\" = o.\"%s\") THEN \"%s\" END, ",
                      table->name, number, number, number);
    ps_buf_printf(&sql,
                  "%s FROM temp.todo t CROSS JOIN old.\"%s\" o ON o.\"%s\" = t.k"
                  " WHERE t.n > :after AND t.n <= :upto ORDER BY t.n ON CONFLICT DO NOTHING",
                  columns.ptr, table->name, table->key);
    ps_db_prepare(t->target->catalog, sql.ptr, &stmt, err);
    ps_bind_int(stmt, ":renumber", renumber);
    ps_bind_int(stmt, ":after", after);
    ps_bind_int(stmt, ":upto", after + ROWS_AT_ONCE);
    ps_stmt_execute(stmt, err);
    return table->labels ? ps_list_label_save(t->target, table->labels, err) : err->code;
}

static enum ps_status put_table(struct transfer *t, const struct transfer_table *table,
                                struct ps_err *err)
{
    bool renumber = false;
    int64_t n = 0;

    (void)ps_catalog_lock(t->target);
    list_rows(t, table, &n, &renumber, err);
    ps_catalog_unlock(t->target);
    for (int64_t at = 0; err->code == PS_OK && at < n; at += ROWS_AT_ONCE) {
        ps_catalog_begin(t->target, PS_DURABLE, err);
        if (t->options->overwrites && table->equal_condition)
            drop_some(t, table, at, err);
        put_some(t, table, at, renumber, err);
        ps_catalog_end(t->target, err->code, err);
        if (report_some(t, table, at, err) == PS_OK &&
            !t->options->progress(t->options->user, t->done, t->total, t->out->runs))
            (void)ps_fail(err, PS_CANCELLED, "stopped; the next copy continues from here");
    }
    t->out->rows += err->code == PS_OK ? (uint64_t)n : 0;
    return err->code;
}

/* Copies tokens, baselines, saved queries and logs, in transactions of up to ROWS_AT_ONCE rows.
 * With `update`, also overwrites differing rows. */
static enum ps_status transfer_tables(struct transfer *t, struct ps_err *err)
{
    const size_t n = sizeof copied_tables / sizeof *copied_tables;

    for (const struct ps_catalog_table *table = ps_catalog_tables; table->name; table++) {
        size_t i = 0;

        if (table->copy != PS_COPY_ROWS)
            continue;
        while (i < n && strcmp(copied_tables[i].name, table->name) != 0)
            i++;
        if (i < n)
            put_table(t, &copied_tables[i], err);
        else
            (void)ps_fail(err, PS_INTERNAL, "internal error: no rule copies table %s", table->name);
    }
    return err->code;
}

/*
 * The snapshot of the catalog of `source`, and copying the rows of runs to `target`.
 *
 * The snapshot is attached to the catalog of `target` as `old`, so that SQLite copies the rows. If
 * `target` is a shared store, the mirror records the changes of its tables and sends them
 * (mirror.h). The names of the columns are read from the snapshot, so every column is copied.
 */

/* --- Snapshot --- */

/* Implements the SQL function ps_fit(value, type): converts a value to the declared type of its
 * column, and repairs invalid UTF-8. */
static void sql_fit(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    const char *type = (const char *)sqlite3_value_text(argv[1]);
    const int held = sqlite3_value_type(argv[0]);

    (void)argc;
    if (held == SQLITE_NULL) {
        sqlite3_result_null(context);
    } else if (strcmp(type, "INTEGER") == 0) {
        sqlite3_result_int64(context, sqlite3_value_int64(argv[0]));
    } else if (strcmp(type, "REAL") == 0) {
        sqlite3_result_double(context, sqlite3_value_double(argv[0]));
    } else {
        PS_AUTO(ps_buf_free) struct ps_buf text = {0};
        const char *at = (const char *)sqlite3_value_text(argv[0]);
        const size_t len = (size_t)sqlite3_value_bytes(argv[0]);

        ps_buf_puts(&text, "");
        if (at)
            (void)ps_utf8_repair(&text, (struct ps_str){at, strnlen(at, len)});
        sqlite3_result_text64(context, text.ptr ? text.ptr : "", text.len, SQLITE_TRANSIENT,
                              SQLITE_UTF8);
    }
}

/* Converts the rows of a table for a shared database, which accepts only values of the declared
 * types and UTF-8 without NUL. Adds the number of changed rows to *changed. */
static enum ps_status fit_table(struct transfer *t, const char *table, uint64_t *changed,
                                struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};
    PS_AUTO(ps_buf_free) struct ps_buf where = {0};
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(t->snapshot, "SELECT name, type FROM pragma_table_info(:tbl) ORDER BY cid", &stmt,
                  err);
    ps_bind_text(stmt, ":tbl", ps_str_from_c(table));
    while (ps_stmt_step(stmt, err)) {
        PS_AUTO(ps_free_ptr) char *name = ps_strdup(ps_col_text(stmt, 0));
        PS_AUTO(ps_free_ptr) char *type = ps_strdup(ps_col_text(stmt, 1));

        ps_buf_printf(&sql, "%s\"%s\" = ps_fit(\"%s\", '%s')", sql.len ? ", " : "", name, name,
                      type);
        ps_buf_printf(&where,
                      "%sCAST(\"%s\" AS BLOB) IS NOT CAST(ps_fit(\"%s\", '%s') AS BLOB)"
                      " OR typeof(\"%s\") IS NOT typeof(ps_fit(\"%s\", '%s'))",
                      where.len ? " OR " : "", name, name, type, name, name, type);
    }
    if (err->code == PS_OK) {
        PS_AUTO(ps_buf_free) struct ps_buf all = {0};

        ps_buf_printf(&all, "UPDATE OR REPLACE \"%s\" SET %s WHERE %s", table, sql.ptr, where.ptr);
        (void)ps_db_exec(t->snapshot, all.ptr, err);
        *changed += err->code == PS_OK ? (uint64_t)sqlite3_changes64(t->snapshot->handle) : 0;
    }
    return err->code;
}

/* Counts and reports a finding with a printf-style message; hint may be "". */
static void transfer_found(struct transfer *t, const char *what, const char *name, const char *hint,
                           const char *fmt, ...) __attribute__((format(printf, 5, 6)));

static void transfer_found(struct transfer *t, const char *what, const char *name, const char *hint,
                           const char *fmt, ...)
{
    char text[sizeof((struct ps_err *)0)->text];
    const struct ps_finding finding = {what, name, text, hint};
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    t->out->findings++;
    t->options->on_finding(t->options->user, &finding);
}

static enum ps_status fit_all(struct transfer *t, struct ps_err *err)
{
    uint64_t changed = 0;

    if (sqlite3_create_function_v2(t->snapshot->handle, "ps_fit", 2,
                                   SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, sql_fit, NULL, NULL,
                                   NULL) != SQLITE_OK)
        return ps_db_fail(t->snapshot, err, "database");
    for (const struct ps_catalog_table *table = ps_catalog_tables; table->name; table++)
        if (table->copy != PS_COPY_NONE)
            fit_table(t, table->name, &changed, err);
    if (err->code == PS_OK && changed)
        transfer_found(t, "text", "catalog.db", "",
                       "%llu rows had invalid UTF-8 or a value of the wrong type; they were "
                       "copied with the valid part",
                       (unsigned long long)changed);
    return err->code;
}

/* Prepares the snapshot, which is a temporary file: disables syncing, and drops the triggers, since
 * the tables that triggers maintain are not read. */
static enum ps_status prepare_snapshot(struct transfer *t, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_exec(t->snapshot, "PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF", err);
    ps_db_prepare(t->snapshot, "SELECT name FROM sqlite_schema WHERE type = 'trigger'", &stmt, err);
    while (ps_stmt_step(stmt, err))
        ps_buf_printf(&sql, "DROP TRIGGER \"%.*s\";", (int)ps_col_text(stmt, 0).len,
                      ps_col_text(stmt, 0).ptr);
    ps_stmt_auto(&stmt);
    /* files that were reported as missing, so that each file is reported once */
    ps_buf_puts(&sql, "CREATE TABLE told(folder TEXT, key TEXT, PRIMARY KEY(folder, key))");
    return ps_db_exec(t->snapshot, sql.ptr, err);
}

/* Attach the snapshot to the catalog of `target`, and detach it. */
static enum ps_status transfer_attach(struct ps_db *db, const char *taken, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, "ATTACH :path AS old", &stmt, err);
    ps_bind_text(stmt, ":path", ps_str_from_c(taken));
    (void)ps_stmt_step(stmt, err);
    return err->code;
}

static void transfer_detach(struct ps_db *db)
{
    (void)ps_db_exec(db, "DETACH old", PS_ERR_IGNORED); /* closing db detaches it too */
}

/* Counts the bytes to copy (t->total), and the waiting uploads, which are not copied
 * (out->waiting). */
static enum ps_status count_rows(struct transfer *t, struct ps_err *err)
{
    int64_t n = 0;

    transfer_ask(t->snapshot, "SELECT sum(bytes + db_bytes) FROM run", &n, err);
    t->total = (uint64_t)n;
    transfer_ask(t->snapshot,
                 "SELECT (SELECT count(*) FROM upload) + (SELECT count(*) FROM partial)", &n, err);
    t->out->waiting_uploads = (uint64_t)n;
    return err->code;
}

/* Creates a folder in the spool for the snapshot and the temporary files of SQLite. If they were
 * files in the spool, other processes would take them for files of crashed sessions and delete
 * them. */
static enum ps_status make_place(struct transfer *t, struct ps_err *err)
{
    PS_AUTO(ps_free_ptr) char *dir = ps_store_new_path(t->target, "spool", PS_TEMP_SHELF_SUFFIX);
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};

    if (mkdir(dir, 0700) != 0)
        return ps_fail_errno(err, "cannot create folder", dir);
    ps_buf_printf(&path, "%s/taken.db", dir);
    t->dir = dir;
    dir = NULL;
    t->snapshot_path = ps_strdup(ps_buf_slice(&path));
    return PS_OK;
}

/* Deletes from the snapshot the runs that were removed from `target`, and reports them. */
static enum ps_status transfer_set_unreachable(struct transfer *t, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf away = {0};
    struct id_text run;

    append_rows(t, "copy_away", &away, err);
    for (size_t at = 0; err->code == PS_OK && next_runs(&away, &at, &run);) {
        transfer_found(t, "run", run.id, "--update copies it again", "%s", run.text);
        ps_snapshot_remove_run(t->snapshot, run.id, err);
    }
    return err->code;
}

/* Takes the snapshot, converts its values for `target` if necessary, and attaches it. */
static enum ps_status transfer_snapshot(struct transfer *t, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf uri = {0};
    int64_t taken = 0;

    if (make_place(t, err) != PS_OK)
        return err->code;
    ps_uri_append_path(&uri, t->snapshot_path);
    ps_snapshot_write(t->source, t->snapshot_path, err);
    ps_db_open(uri.ptr, true, &t->snapshot, err);
    prepare_snapshot(t, err);
    if (err->code == PS_OK && t->target->backend->requires_utf8)
        fit_all(t, err);
    transfer_attach(ps_catalog_lock(t->target), t->snapshot_path, err);
    transfer_ask(t->target->catalog,
                 "SELECT 1 FROM main.run m JOIN old.run o ON o.seq = m.seq"
                 " WHERE m.id <> o.id LIMIT 1",
                 &taken, err);
    ps_catalog_unlock(t->target);
    t->renumber = taken != 0;
    if (!t->options->overwrites)
        transfer_set_unreachable(t, err);
    return count_rows(t, err);
}

/* Closes and deletes the snapshot, which must be detached. */
static void transfer_forget(struct transfer *t)
{
    ps_db_close(t->snapshot);
    t->snapshot = NULL;
    if (t->dir)
        ps_remove_tree(t->dir);
    free(t->dir);
    free(t->snapshot_path);
}

/* --- Runs --- */

static enum ps_status execute_for_run(struct ps_db *db, const char *sql,
                                      const struct transfer_run *run, bool renumber,
                                      struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, sql, &stmt, err);
    ps_bind_text(stmt, ":id", ps_str_from_c(run->id));
    ps_bind_int(stmt, ":renumber", renumber);
    return ps_stmt_execute(stmt, err);
}

/* Copies the rows of a table that belong to this run. */
static enum ps_status insert_rows(struct transfer *t, const char *table,
                                  const struct transfer_run *run, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf columns = {0};
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};

    transfer_columns(t->snapshot, table, "", " ", &columns, err);
    ps_buf_printf(&sql,
                  "INSERT INTO main.%s(%s) SELECT %s FROM old.%s WHERE run = :id"
                  " ON CONFLICT DO NOTHING",
                  table, columns.ptr, columns.ptr, table);
    return execute_for_run(t->target->catalog, sql.ptr, run, false, err);
}

/* Inserts the row of a run unless another process has inserted it. Assigns a new sequence number if
 * another run has its number. */
static enum ps_status put_run(struct transfer *t, const struct transfer_run *run,
                              struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf columns = {0};
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};

    transfer_columns(t->snapshot, "run", "", " seq ", &columns, err);
    ps_buf_printf(&sql,
                  "INSERT INTO main.run(seq, %s) SELECT CASE WHEN NOT :renumber AND NOT EXISTS"
                  " (SELECT 1 FROM main.run WHERE seq = o.seq) THEN seq END, %s"
                  " FROM old.run o WHERE id = :id AND NOT EXISTS"
                  " (SELECT 1 FROM main.run m WHERE m.id = o.id AND m.sha256 = o.sha256)",
                  columns.ptr, columns.ptr);
    return execute_for_run(t->target->catalog, sql.ptr, run, t->renumber, err);
}

/* Writes the label file of a copied run if its label may differ from the label in the run file: if
 * the run was deleted in `target`, or if `source` has a label file for it or does not keep label
 * files. */
static enum ps_status put_label(struct transfer *t, const struct transfer_run *run, bool replaced,
                                struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf label = {0};

    if (replaced || !t->source->backend->keeps_labels || ps_label_read(t->source, run->id, &label))
        return ps_label_save(t->target, run->id, err);
    return err->code;
}

/* Inserts the rows of a run, inside the transaction that moves its files to their final paths.
 * Replaces a deleted run of the same id, whose sources are added to the pending deletes. */
static enum ps_status transfer_put_run(struct transfer *t, const struct transfer_run *run,
                                       struct ps_pending_delete *pending, struct ps_err *err)
{
    bool replaced = false;

    if (!run->has_row) {
        ps_deleted_replace(t->target, run->id, pending, &replaced, err);
        put_run(t, run, err);
        if (sqlite3_changes(t->target->catalog->handle)) {
            insert_rows(t, "tag", run, err);
            insert_rows(t, "timeline_note", run, err);
        }
    }
    insert_rows(t, "source", run, err);
    if (put_label(t, run, replaced, err) == PS_NOT_FOUND)
        (void)ps_fail(err, PS_UNAVAILABLE, "run %s was deleted during the copy", run->id);
    return err->code;
}

#define FETCHERS 4 /* number of threads that copy files */

/* --- Fetching a file --- */

/* State shared by the threads that fetch the files of a batch. `next` is the index of the next
 * piece to fetch. */
struct fetch_queue {
    struct transfer *transfer;
    pthread_t leader; /* the thread that calls progress */
    atomic_size_t next;
    atomic_bool stopped;
    pthread_mutex_t lock; /* protects err */
    struct ps_err err;
};

static bool go_on(void *user, uint64_t bytes)
{
    struct fetch_queue *f = user;
    struct transfer *t = f->transfer;

    (void)bytes;
    if (pthread_equal(f->leader, pthread_self()) &&
        !t->options->progress(t->options->user, t->done, t->total, t->out->runs))
        atomic_store(&f->stopped, true);
    return !atomic_load(&f->stopped);
}

static enum ps_status check_piece(struct fetch_queue *f, const struct transfer_file *piece,
                                  struct ps_err *err)
{
    const struct ps_check_watch watch = {go_on, f};

    return strcmp(piece->folder, "runs") == 0
               ? ps_check_run(piece->path, piece->sha256, true, err)
               : ps_check_stored_file(piece->path, piece->sha256, true, &watch, err);
}

/* Whether `source` still has the run. If it was removed meanwhile, the run is not copied, even if
 * its files exist. If a file of an existing run is missing, the shelf is damaged. */
static bool is_there_still(struct transfer *t, const struct transfer_run *run)
{
    char id[PS_ID_SIZE];

    return ps_store_find_by_hash(t->source, run->sha256, id, PS_ERR_IGNORED) != PS_NOT_FOUND;
}

/* Copies one file. Sets piece->source_err and returns PS_OK if the file of `source` is unusable;
 * fails if the copy fails for another reason. */
static enum ps_status fetch_piece(struct fetch_queue *f, struct transfer_file *piece,
                                  struct ps_err *err)
{
    struct transfer *t = f->transfer;
    PS_AUTO(ps_close_fd) int from = -1;
    PS_AUTO(ps_close_fd) int to = -1;
    struct ps_err *wrong = &piece->source_err;
    enum ps_status status;

    if (strcmp(piece->folder, "sources") != 0 && !is_there_still(t, piece->run)) {
        (void)ps_fail(wrong, PS_NOT_FOUND, "its run was deleted");
        return PS_OK;
    }
    status = ps_file_open(t->source, piece->folder, piece->key, &from, wrong);
    if (status == PS_UNAVAILABLE)
        return ps_fail_copy(err, wrong);
    if (status != PS_OK)
        return PS_OK;
    status = ps_new_part(t->target, piece->folder, &piece->path, &to, err);
    if (status == PS_OK)
        status = ps_copy_and_verify(from, to, piece->path, err);
    if (status != PS_OK)
        return status;
    status = check_piece(f, piece, wrong);
    if (status == PS_CANCELLED)
        return ps_fail(err, status, "stopped; the next copy continues from here");
    return status == PS_OK ? ps_file_send(t->target, piece->folder, piece->path, &piece->sent, err)
                           : PS_OK;
}

static void *fetch_thread(void *user)
{
    struct fetch_queue *f = user;

    while (!atomic_load(&f->stopped)) {
        const size_t i = atomic_fetch_add(&f->next, 1);
        struct ps_err err = PS_ERR_INIT;

        if (i >= f->transfer->n_pieces)
            break;
        if (f->transfer->pieces[i].exists || f->transfer->pieces[i].source_err.code != PS_OK ||
            fetch_piece(f, &f->transfer->pieces[i], &err) == PS_OK)
            continue;
        (void)pthread_mutex_lock(&f->lock);
        (void)ps_fail_copy(&f->err, &err);
        (void)pthread_mutex_unlock(&f->lock);
        atomic_store(&f->stopped, true);
    }
    return NULL;
}

/* Fetches the files in t->pieces with FETCHERS threads, which spend most of their time waiting for
 * disks and the database. */
static enum ps_status transfer_fetch(struct transfer *t, struct ps_err *err)
{
    struct fetch_queue f = {
        .transfer = t, .leader = pthread_self(), .lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t others[FETCHERS - 1];
    size_t n = 0;

    while (n < FETCHERS - 1 && n + 1 < t->n_pieces &&
           pthread_create(&others[n], NULL, fetch_thread, &f) == 0)
        n++;
    (void)fetch_thread(&f);
    while (n)
        (void)pthread_join(others[--n], NULL);
    (void)pthread_mutex_destroy(&f.lock);
    return f.err.code == PS_OK ? PS_OK : ps_fail_copy(err, &f.err);
}

static void piece_free(struct transfer_file *piece)
{
    if (piece->path)
        (void)unlink(piece->path);
    free(piece->path);
    piece->path = NULL;
}

static bool is_planned(const struct transfer *t, const char *folder, const char *key)
{
    for (size_t i = 0; i < t->n_pieces; i++)
        if (strcmp(t->pieces[i].folder, folder) == 0 && strcmp(t->pieces[i].key, key) == 0)
            return true;
    return false;
}

/* Adds a file to t->pieces unless it is in there. `bad`: why the file cannot be copied, or NULL. */
static void plan_file(struct transfer *t, struct transfer_run *run, const char *folder,
                      const char *key, const char *sha256, const char *bad)
{
    struct transfer_file piece = {.folder = folder, .run = run};

    if (is_planned(t, folder, key))
        return;
    (void)snprintf(piece.key, sizeof piece.key, "%s", key);
    (void)snprintf(piece.sha256, sizeof piece.sha256, "%s", sha256);
    if (bad)
        (void)ps_fail(&piece.source_err, PS_IO, "%s", bad);
    else
        piece.exists = ps_file_has(t->target, NULL, folder, key);
    PS_RESERVE_ONE(t->pieces, t->n_pieces, t->cap_pieces);
    t->pieces[t->n_pieces++] = piece;
}

/* --- Files of a run --- */

static enum ps_status leave_out(struct transfer *t, struct transfer_run *run,
                                const struct ps_err *wrong, struct ps_err *err)
{
    run->is_left_out = true;
    if (is_there_still(t, run))
        transfer_found(t, "run", run->id,
                       "the run was not copied; `perfshelf verify` of --from has details", "%s",
                       wrong->text);
    else
        t->out->removed_runs++;
    return ps_snapshot_remove_run(t->snapshot, run->id, err);
}

/* Reports a missing file, only once even if its batch is processed again. */
static enum ps_status report_once(struct transfer *t, const char *what, const char *folder,
                                  const char *key, const char *hint, const struct ps_err *wrong,
                                  struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;

    ps_db_prepare(t->snapshot, "INSERT OR IGNORE INTO told VALUES (:folder, :key)", &stmt, err);
    ps_bind_text(stmt, ":folder", ps_str_from_c(folder));
    ps_bind_text(stmt, ":key", ps_str_from_c(key));
    if (ps_stmt_execute(stmt, err) == PS_OK && sqlite3_changes(t->snapshot->handle))
        transfer_found(t, what, key, hint, "%s", wrong->text);
    return err->code;
}

/* Appends the hashes of the sources of a run, except those for which `target` has another file with
 * the same path. *missing: `target` lacks the row of a source. */
static enum ps_status list_sources(struct transfer *t, const struct transfer_run *run,
                                   struct ps_buf *out, bool *missing, struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;
    struct ps_db *db = ps_catalog_lock(t->target);

    *missing = false;
    ps_db_prepare(db, ps_query_sql("copy_sources"), &stmt, err);
    ps_bind_text(stmt, ":id", ps_str_from_c(run->id));
    while (ps_stmt_step(stmt, err)) {
        ps_col_append(stmt, 0, out);
        *missing = *missing || ps_col_int(stmt, 1);
    }
    ps_stmt_release(stmt);
    ps_catalog_unlock(t->target);
    return err->code;
}

static enum ps_status plan_sources(struct transfer *t, struct transfer_run *run, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf list = {0};
    bool missing = false;

    list_sources(t, run, &list, &missing, err);
    run->is_complete = run->has_row && !missing;
    for (size_t at = 0; err->code == PS_OK && at < list.len; at += strlen(list.ptr + at) + 1)
        plan_file(t, run, "sources", list.ptr + at, list.ptr + at,
                  ps_file_name_is_valid("sources", list.ptr + at)
                      ? NULL
                      : "the catalog of --from has no valid hash for this file");
    return err->code;
}

/* Adds the run file, the original and the sources of a run to t->pieces. */
static enum ps_status transfer_plan(struct transfer *t, struct transfer_run *run,
                                    struct ps_err *err)
{
    if (!ps_file_name_is_valid("originals", run->sha256) ||
        !ps_file_name_is_valid("runs", run->id) || strncmp(run->id, run->sha256, 16) != 0) {
        plan_file(t, run, "runs", run->id, run->sha256,
                  "the catalog of --from has no valid hash for this file");
        return PS_OK;
    }
    plan_file(t, run, "runs", run->id, run->sha256, NULL);
    plan_file(t, run, "originals", run->sha256, run->sha256, NULL);
    return plan_sources(t, run, err);
}

/* Reports a missing original or source, without which the run is copied. If the run was removed
 * meanwhile, it is not copied. */
static enum ps_status skip_missing(struct transfer *t, struct transfer_file *piece,
                                   struct ps_err *err)
{
    const bool source = strcmp(piece->folder, "sources") == 0;

    if (!source && piece->run->is_left_out)
        return PS_OK;
    if (is_there_still(t, piece->run))
        report_once(t, source ? "source" : "original", piece->folder, piece->key,
                    source ? "the runs were copied without it" : "the run was copied without it",
                    &piece->source_err, err);
    else if (!source)
        leave_out(t, piece->run, &piece->source_err, err);
    return source ? ps_snapshot_remove_source(t->snapshot, piece->key, err) : err->code;
}

/* Handles missing or damaged files of the batch: reports them, and does not copy their runs or
 * sources. */
static enum ps_status transfer_look(struct transfer *t, struct ps_err *err)
{
    for (size_t i = 0; err->code == PS_OK && i < t->n_pieces; i++) {
        struct transfer_file *piece = &t->pieces[i];

        if (piece->source_err.code == PS_OK) {
            piece->run->is_complete = piece->run->is_complete && piece->exists;
            continue;
        }
        if (strcmp(piece->folder, "runs") != 0)
            skip_missing(t, piece, err);
        else
            leave_out(t, piece->run, &piece->source_err, err);
        piece_free(piece);
    }
    return err->code;
}

/* --- Publishing --- */

/* Writes intent log entries for the copied files: ps_pending_delete_end deletes files to which no
 * row refers. */
static enum ps_status write_down(struct transfer *t, const struct ps_pending_delete *pending,
                                 struct ps_err *err)
{
    struct ps_db *db = t->target->catalog;

    for (size_t i = 0; err->code == PS_OK && i < t->n_pieces; i++) {
        const struct transfer_file *piece = &t->pieces[i];

        if (!piece->path)
            continue;
        ps_pending_delete_add(db, pending, piece->folder, piece->key, err);
        if (!t->target->backend->files_follow_rows && strcmp(piece->folder, "runs") != 0)
            ps_file_size_put(db, piece->folder, piece->key, piece->sent.bytes, err);
    }
    return err->code;
}

/* If `target` is a folder, writes the intent log in a transaction of its own, because files are
 * moved before the rows are committed (pending_delete.c). */
static enum ps_status transfer_mark_deleted(struct transfer *t, struct ps_pending_delete *pending,
                                            struct ps_err *err)
{
    ps_pending_delete_set_owner(t->target, pending);
    if (t->target->backend->files_follow_rows)
        return PS_OK;
    ps_catalog_begin(t->target, PS_NOT_DURABLE, err);
    write_down(t, pending, err);
    return ps_catalog_end(t->target, err->code, err);
}

/* Inside the transaction that inserts the rows: moves the files to their final paths. */
static enum ps_status transfer_place(struct transfer *t, const struct ps_pending_delete *pending,
                                     struct ps_err *err)
{
    static const char *const folders[] = {"runs", "originals", "sources"};

    if (t->target->backend->files_follow_rows)
        write_down(t, pending, err);
    for (size_t i = 0; err->code == PS_OK && i < t->n_pieces; i++) {
        struct transfer_file *piece = &t->pieces[i];

        if (piece->path)
            ps_file_put(t->target, &piece->sent, piece->folder, piece->key, piece->path, err);
        else if (piece->exists &&
                 !ps_file_has(t->target, t->target->catalog, piece->folder, piece->key))
            (void)ps_fail(err, PS_UNAVAILABLE, "%s/%s was deleted during the copy", piece->folder,
                          piece->key);
    }
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        ps_file_finish_puts(t->target, folders[i], err);
    return err->code;
}

static void transfer_drop_pieces(struct transfer *t)
{
    for (size_t i = 0; i < t->n_pieces; i++)
        piece_free(&t->pieces[i]);
    t->n_pieces = 0;
}

/*
 * Updates of `target`: changes and removals in `source` since an earlier copy.
 *
 * It is unknown which of two different labels of a run is newer. The label in `target` is kept, or
 * overwritten if options->update is set; both cases are reported.
 */

#define UPDATES_AT_ONCE 500 /* maximum runs per transaction */

static enum ps_status remove_gone(struct transfer *t, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf gone = {0};
    struct id_text run;

    append_rows(t, "copy_gone", &gone, err);
    for (size_t at = 0; err->code == PS_OK && next_runs(&gone, &at, &run);) {
        struct ps_err own = PS_ERR_INIT;

        if (ps_store_remove_run(t->target, run.id, "copy --update", &own) == PS_OK)
            transfer_updated(t, "run", run.id, run.text);
        else if (own.code != PS_NOT_FOUND) /* otherwise another process has removed it */
            (void)ps_fail_copy(err, &own);
    }
    return err->code;
}

static enum ps_status run_for(struct ps_db *db, const char *query, const char *id,
                              struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, ps_query_sql(query), &stmt, err);
    ps_bind_text(stmt, ":id", ps_str_from_c(id));
    return ps_stmt_execute(stmt, err);
}

/* Inside a transaction: overwrites the label of a run in `target`. Ignores a run that was removed
 * meanwhile. */
static enum ps_status update_label(struct transfer *t, const char *id, struct ps_err *err)
{
    static const char *const queries[] = {"copy_label_run", "tag_delete", "copy_label_tags",
                                          "timeline_notes_forget", "copy_label_timeline_notes"};

    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        run_for(t->target->catalog, queries[i], id, err);
    ps_label_save(t->target, id, err); /* PS_NOT_FOUND does not set err */
    return err->code;
}

/* Overwrites the labels of the next UPDATES_AT_ONCE runs of the list in one transaction, and
 * reports them. */
static enum ps_status put_labels(struct transfer *t, const struct ps_buf *labels, size_t *at,
                                 struct ps_err *err)
{
    size_t from = *at, n = 0;
    struct id_text run;

    ps_catalog_begin(t->target, PS_DURABLE, err);
    while (err->code == PS_OK && n < UPDATES_AT_ONCE && next_runs(labels, at, &run)) {
        update_label(t, run.id, err);
        n++;
    }
    ps_catalog_end(t->target, err->code, err);
    while (err->code == PS_OK && n-- && next_runs(labels, &from, &run))
        transfer_updated(t, "run", run.id, run.text);
    if (err->code == PS_OK &&
        !t->options->progress(t->options->user, t->done, t->total, t->out->runs))
        (void)ps_fail(err, PS_CANCELLED, "stopped; the next copy continues from here");
    return err->code;
}

/* Removes the runs that were removed from `source`, and copies name, series, user, note, tags
 * and notes on the timeline of runs that both shelves have. */
static enum ps_status transfer_update(struct transfer *t, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf labels = {0};

    remove_gone(t, err);
    append_rows(t, "copy_labels", &labels, err);
    for (size_t at = 0; err->code == PS_OK && at < labels.len;)
        put_labels(t, &labels, &at, err);
    return err->code;
}

/* --- Comparison --- */

/* Reports the rows of a query as findings of the type `what`. Columns: name, problem, hint (may be
 * NULL). */
static enum ps_status report_rows(struct transfer *t, struct ps_db *db, const char *sql,
                                  const char *what, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(db, sql, &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        PS_AUTO(ps_free_ptr) char *name = ps_strdup(ps_col_text(stmt, 0));
        PS_AUTO(ps_free_ptr) char *wrong = ps_strdup(ps_col_text(stmt, 1));
        PS_AUTO(ps_free_ptr) char *hint = ps_strdup(ps_col_text(stmt, 2));

        transfer_found(t, what, name, hint, "%s", wrong);
    }
    return err->code;
}

/* Reports rows that are missing or different in `target`. `same`: SQL condition that m and o are
 * the same item; `apart`: columns that may differ; `mend`: SQL condition that --update would make m
 * equal to o. */
static enum ps_status compare_rows(struct transfer *t, struct ps_db *db, const char *table,
                                   const char *same, const char *key, const char *label,
                                   const char *apart, const char *mend, const char *what,
                                   struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf differing = {0};
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};

    transfer_differing(t->snapshot, table, apart, &differing, err);
    ps_buf_printf(
        &sql,
        "SELECT label, iif(gone, 'missing in --to', 'kept in --to, but differs from --from in:' || "
        "differs), iif(mends AND NOT gone, '--update overwrites it', '') FROM (SELECT o.\"%s\" AS "
        "label, m.\"%s\" IS NULL AS gone, %s AS mends, %s AS differs FROM old.\"%s\" o LEFT JOIN "
        "main.\"%s\" m ON %s) WHERE gone OR differs <> ''",
        label, key, mend, differing.ptr, table, table, same);
    return report_rows(t, db, sql.ptr, what, err);
}

/* Reports how many rows of a log are missing in `target`. */
static enum ps_status compare_log(struct transfer *t, struct ps_db *db,
                                  const struct transfer_table *table, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf same = {0};
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};

    transfer_same(t->snapshot, table, &same, err);
    ps_buf_printf(
        &sql,
        "SELECT '%s', count(*) || ' of its rows are missing in --to', '' FROM (SELECT 1 FROM "
        "old.\"%s\" o LEFT JOIN main.\"%s\" m ON %s WHERE m.\"%s\" IS NULL) HAVING "
        "count(*) > 0",
        table->name, table->name, table->name, same.ptr, table->key);
    return report_rows(t, db, sql.ptr, table->object_type, err);
}

/* With `update`, reports the tokens that only `target` has: it is unknown whether they were revoked
 * in `source` or created in `target`. */
static enum ps_status compare_tokens(struct transfer *t, struct ps_db *db, struct ps_err *err)
{
    return t->options->overwrites
               ? report_rows(t, db, ps_query_sql("copy_tokens_more"), "token", err)
               : err->code;
}

static enum ps_status compare_tables(struct transfer *t, struct ps_db *db, struct ps_err *err)
{
    compare_rows(t, db, "run", "m.id = o.id", "id", "id", t->renumber ? " seq " : " ",
                 "(m.name, m.series, m.who, m.note) IS NOT (o.name, o.series, o.who, o.note)",
                 "run", err);
    report_rows(t, db, ps_query_sql("copy_tags_differ"), "run", err);
    report_rows(t, db, ps_query_sql("copy_timeline_notes_differ"), "run", err);
    report_rows(t, db, ps_query_sql("copy_sources_differ"), "run", err);
    for (size_t i = 0; i < sizeof copied_tables / sizeof *copied_tables; i++) {
        const struct transfer_table *table = &copied_tables[i];

        if (table->equal_condition)
            compare_rows(t, db, table->name, table->equal_condition, table->key, table->label,
                         table->differing_columns, "1", table->object_type, err);
        else
            compare_log(t, db, table, err);
    }
    return compare_tokens(t, db, err);
}

/* Checks that `to` has each file to which the snapshot refers. */
static enum ps_status compare_files(struct transfer *t, struct ps_store *to, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(t->snapshot, ps_query_sql("copy_files"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        PS_AUTO(ps_free_ptr) char *folder = ps_strdup(ps_col_text(stmt, 0));
        PS_AUTO(ps_free_ptr) char *key = ps_strdup(ps_col_text(stmt, 1));

        if (!ps_file_has(to, NULL, folder, key))
            transfer_found(t, strcmp(folder, "runs") == 0 ? "run" : "file", key, "",
                           "%s/%s is missing in --to", folder, key);
    }
    return err->code;
}

/* Reports the differences between the snapshot and the target, which was opened again as `to`. */
static enum ps_status transfer_compare(struct transfer *t, struct ps_store *to, struct ps_err *err)
{
    struct ps_db *db = ps_catalog_lock(to);

    transfer_attach(db, t->snapshot_path, err);
    compare_tables(t, db, err);
    transfer_detach(db);
    ps_catalog_unlock(to);
    return compare_files(t, to, err);
}

/* maximum cache of a shared store; small, since a copy reads no file twice */
#define CACHE_BYTES ((uint64_t)256 << 20)
#define BATCH_BYTES ((uint64_t)64 << 20) /* maximum bytes of runs per transaction */

/* --- Shelves --- */

struct shelf_at {
    const char *url; /* URL of a shared store; NULL: the folder is the shelf */
    char *dir;       /* folder of the shelf, or a temporary folder */
};

static void shelf_at_free(struct shelf_at *at)
{
    if (at->url && at->dir)
        ps_remove_tree(at->dir);
    free(at->dir);
}

static enum ps_status find_place(const char *said, struct shelf_at *out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    const char *folder = getenv("TMPDIR");

    if (!ps_pg_is_url(said)) {
        out->dir = ps_strdup(ps_str_from_c(said));
        return PS_OK;
    }
    out->url = said;
    ps_buf_printf(&path, "%s/perfshelf-XXXXXX", folder && folder[0] ? folder : P_tmpdir);
    if (!mkdtemp(path.ptr))
        return ps_fail_errno(err, "cannot create folder", path.ptr);
    out->dir = ps_strdup(ps_buf_slice(&path));
    return PS_OK;
}

static enum ps_status open_from(const struct shelf_at *at, struct ps_store **out,
                                struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf catalog = {0};

    ps_buf_printf(&catalog, "%s/catalog.db", at->dir);
    if (!at->url && access(catalog.ptr, F_OK) != 0)
        return ps_fail(err, PS_NOT_FOUND, "%s is not a shelf", at->dir);
    return ps_store_open_shared(at->url, at->dir, CACHE_BYTES, out, err);
}

static enum ps_status check_target(const char *dir, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf catalog = {0};

    ps_buf_printf(&catalog, "%s/catalog.db", dir);
    if (access(dir, F_OK) != 0 || access(catalog.ptr, F_OK) == 0 || ps_dir_is_empty(dir))
        return PS_OK;
    return ps_fail(err, PS_CONFLICT, "%s is not a shelf" PS_HINT "use an empty folder, or a shelf",
                   dir);
}

static enum ps_status open_to(const struct shelf_at *from, const struct shelf_at *to,
                              struct ps_store **out, struct ps_err *err)
{
    const bool made = access(to->dir, F_OK) != 0;

    if ((to->url || check_target(to->dir, err) == PS_OK) && ps_make_dir(to->dir, err) == PS_OK &&
        !from->url && !to->url)
        ps_check_folders_disjoint(from->dir, to->dir, err);
    if (err->code != PS_OK && made)
        (void)rmdir(to->dir);
    return err->code == PS_OK ? ps_store_open_shared(to->url, to->dir, CACHE_BYTES, out, err)
                              : err->code;
}

/* Reads the unique id of a shared store; "" for a folder. */
static enum ps_status name_of(struct ps_store *store, char out[64], struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;

    out[0] = '\0';
    ps_db_prepare(ps_catalog_lock(store), ps_query_sql("mirror_get"), &stmt, err);
    if (ps_stmt_step(stmt, err))
        ps_col_copy(stmt, 1, out, 64);
    ps_stmt_release(stmt);
    ps_catalog_unlock(store);
    return err->code;
}

static enum ps_status check_others(struct ps_store *from, struct ps_store *to, struct ps_err *err)
{
    char a[64], b[64];

    name_of(from, a, err);
    name_of(to, b, err);
    return a[0] && strcmp(a, b) == 0
               ? ps_fail(err, PS_CONFLICT, "--from and --to are the same store")
               : err->code;
}

/* --- Copying runs --- */

static enum ps_status list_runs(struct transfer *t, int64_t after, struct ps_err *err)
{
    struct ps_stmt *stmt = NULL;
    struct ps_db *db = ps_catalog_lock(t->target);

    t->n = 0;
    ps_db_prepare(db, ps_query_sql("copy_runs"), &stmt, err);
    ps_bind_int(stmt, ":after", after);
    ps_bind_int(stmt, ":n", RUNS_AT_ONCE);
    while (ps_stmt_step(stmt, err)) {
        struct transfer_run *run = &t->runs[t->n++];

        *run = (struct transfer_run){.seq = ps_col_int(stmt, 0),
                                     .bytes = (uint64_t)ps_col_int(stmt, 3),
                                     .has_row = ps_col_int(stmt, 4) != 0};
        ps_col_copy(stmt, 1, run->id, sizeof run->id);
        ps_col_copy(stmt, 2, run->sha256, sizeof run->sha256);
    }
    ps_stmt_release(stmt);
    ps_catalog_unlock(t->target);
    return err->code;
}

static enum ps_status put_rows(struct transfer *t, const struct transfer_run *runs, size_t n,
                               struct ps_pending_delete *pending, struct ps_err *err)
{
    transfer_place(t, pending, err);
    for (size_t i = 0; err->code == PS_OK && i < n; i++)
        if (!runs[i].is_left_out && !runs[i].is_complete)
            transfer_put_run(t, &runs[i], pending, err);
    return err->code;
}

/* Publishes the runs of a batch in one transaction. */
static enum ps_status publish_runs(struct transfer *t, const struct transfer_run *runs, size_t n,
                                   struct ps_err *err)
{
    struct ps_pending_delete pending = {""};

    if (transfer_mark_deleted(t, &pending, err) != PS_OK)
        return err->code;
    ps_catalog_begin(t->target, PS_DURABLE, err);
    put_rows(t, runs, n, &pending, err);
    ps_catalog_end(t->target, err->code, err);
    ps_pending_delete_end(t->target, &pending);
    return err->code;
}

static void count_results(struct transfer *t, const struct transfer_run *runs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        t->out->existing_runs += runs[i].has_row && !runs[i].is_left_out;
        t->out->runs += !runs[i].has_row && !runs[i].is_left_out;
    }
    for (size_t i = 0; i < t->n_pieces; i++)
        if (t->pieces[i].path && !t->pieces[i].run->is_left_out) {
            t->out->files++;
            t->out->bytes += t->pieces[i].sent.bytes;
        }
}

/* Whether a failure may be caused by single rows, so that copying other rows may succeed. */
static bool is_of_rows(enum ps_status status)
{
    return status == PS_BAD_REQUEST || status == PS_INTERNAL || status == PS_CONFLICT ||
           status == PS_LIMIT;
}

/* Fetches the files of these runs that `target` lacks into t->pieces. *whole: `target` lacks
 * neither files nor rows. */
static enum ps_status fetch_missing(struct transfer *t, struct transfer_run *runs, size_t n,
                                    bool *whole, struct ps_err *err)
{
    for (size_t i = 0; err->code == PS_OK && i < n; i++)
        if (!runs[i].is_left_out)
            transfer_plan(t, &runs[i], err);
    if (err->code == PS_OK && transfer_fetch(t, err) == PS_OK)
        transfer_look(t, err);
    *whole = true;
    for (size_t i = 0; i < n; i++)
        *whole = *whole && (runs[i].is_left_out || runs[i].is_complete);
    return err->code;
}

static enum ps_status copy_runs(struct transfer *t, struct transfer_run *runs, size_t n,
                                struct ps_err *err)
{
    struct ps_err own = PS_ERR_INIT;
    bool whole;

    if (fetch_missing(t, runs, n, &whole, &own) == PS_OK && !whole)
        publish_runs(t, runs, n, &own);
    if (own.code == PS_OK)
        count_results(t, runs, n);
    transfer_drop_pieces(t);
    if (!is_of_rows(own.code))
        return ps_fail_copy(err, &own);
    if (n == 1) {
        transfer_found(t, "run", runs->id, "the run was not copied", "%s", own.text);
        return ps_snapshot_remove_run(t->snapshot, runs->id, err);
    }
    for (size_t i = 0; err->code == PS_OK && i < n; i++) /* each alone, to find the cause */
        copy_runs(t, &runs[i], 1, err);
    return err->code;
}

/* Returns how many runs of t->runs, from index `first` on, are published in one transaction. */
static size_t batch_from(const struct transfer *t, size_t first)
{
    uint64_t bytes = 0;
    size_t n = 0;

    while (first + n < t->n && (n == 0 || bytes + t->runs[first + n].bytes <= BATCH_BYTES))
        bytes += t->runs[first + n++].bytes;
    return n;
}

static enum ps_status copy_listed(struct transfer *t, struct ps_err *err)
{
    for (size_t at = 0, n; err->code == PS_OK && at < t->n; at += n) {
        n = batch_from(t, at);
        copy_runs(t, &t->runs[at], n, err);
        for (size_t i = at; i < at + n; i++)
            t->done += t->runs[i].bytes;
        if (err->code == PS_OK &&
            !t->options->progress(t->options->user, t->done, t->total, t->out->runs))
            (void)ps_fail(err, PS_CANCELLED, "stopped; the next copy continues from here");
    }
    return err->code;
}

static enum ps_status copy_all(struct transfer *t, struct ps_err *err)
{
    int64_t after = INT64_MIN;

    do {
        list_runs(t, after, err);
        if (t->n)
            after = t->runs[t->n - 1].seq;
        copy_listed(t, err);
    } while (err->code == PS_OK && t->n);
    if (t->options->overwrites)
        transfer_update(t, err);
    return transfer_tables(t, err);
}

/* --- Transfer --- */

/* Compares the shelves after opening the target again. For a shared store this creates a new
 * mirror, which shows what the database has; the existing mirror shows what this process wrote. */
static enum ps_status compare_shelves(struct transfer *t, const struct shelf_at *to,
                                      struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf dir = {0};
    struct ps_store *anew = NULL;

    ps_buf_printf(&dir, "%s/again", t->dir);
    if (ps_store_open_shared(to->url, to->url ? dir.ptr : to->dir, CACHE_BYTES, &anew, err) ==
        PS_OK)
        transfer_compare(t, anew, err);
    ps_store_close(anew);
    return err->code;
}

static enum ps_status transfer_shelf(struct transfer *t, const struct shelf_at *to,
                                     struct ps_err *err)
{
    if (transfer_snapshot(t, err) == PS_OK)
        copy_all(t, err);
    if (t->snapshot) {
        transfer_detach(ps_catalog_lock(t->target));
        ps_catalog_unlock(t->target);
    }
    if (err->code == PS_OK)
        compare_shelves(t, to, err);
    transfer_forget(t);
    return err->code;
}

enum ps_status ps_store_transfer(const char *from, const char *to,
                                 const struct ps_transfer_options *how,
                                 struct ps_transfer_result *out, struct ps_err *err)
{
    struct transfer t = {.options = how, .out = out};
    PS_AUTO(shelf_at_free) struct shelf_at a = {NULL, NULL};
    PS_AUTO(shelf_at_free) struct shelf_at b = {NULL, NULL};

    *out = (struct ps_transfer_result){0};
    if (find_place(from, &a, err) == PS_OK && find_place(to, &b, err) == PS_OK &&
        open_from(&a, &t.source, err) == PS_OK && open_to(&a, &b, &t.target, err) == PS_OK &&
        check_others(t.source, t.target, err) == PS_OK)
        transfer_shelf(&t, &b, err);
    free(t.pieces);
    ps_store_close(t.target);
    ps_store_close(t.source);
    return err->code;
}
