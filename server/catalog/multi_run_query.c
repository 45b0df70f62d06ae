/* SPDX-License-Identifier: MIT */
/*
 * multi_run_query.c: SQL statements of users over several runs. Each public view of a run is a
 * virtual table here, with an additional first column `run`. A table reads the view of one run
 * after the other, each through its own handle, which is restricted to user SQL (user_query.c). The
 * public views of the catalog are virtual tables, too. The statement itself runs in an in-memory
 * database that contains only these tables.
 */
#include <stdio.h>
#include <stdlib.h>

#include "server/catalog/state.h"

/* The runs and the catalog that the virtual tables read. SQLite frees it with the module. */
struct multi_run {
    struct ps_store *store;
    struct ps_memory_limit *memory;
    char (*ids)[PS_ID_SIZE];
    struct ps_db **runs; /* by index in `ids`; NULL until the run is first read */
    size_t n;
    struct ps_db *catalog;
};

/* The module ps_multi_run: CREATE VIRTUAL TABLE view USING ps_multi_run(catalog|runs,"column",...).
 * Its user data is a struct multi_run. */
extern const sqlite3_module ps_multi_run_module;

/* columns with a bit of their own in sqlite3_index_info.colUsed; the last bit is for all others */
#define COLUMNS_MAX 63

struct table {
    sqlite3_vtab base;
    struct multi_run *multi_run;
    char *name;
    char **columns; /* columns of the view, without `run` */
    int n_columns;
    bool of_catalog;
};

struct cursor {
    sqlite3_vtab_cursor base;
    struct ps_stmt **stmts; /* one per source, reused when a join restarts the cursor */
    char *plan;             /* plan for which `stmts` were prepared */
    size_t n, index;        /* n: number of sources; index: the current source */
    int64_t row;
    int n_values;
    /* values of the equality constraints of the plan, owned copies */
    sqlite3_value **values;
    bool only_one_run; /* read only the run `run_id`, skip the others */
    char run_id[PS_ID_SIZE];
};

static size_t sources(const struct table *table)
{
    return table->of_catalog ? 1 : table->multi_run->n;
}

/* --- Virtual tables --- */

static void free_table(struct table *table)
{
    for (int c = 0; c < table->n_columns; c++)
        free(table->columns[c]);
    free(table->columns);
    free(table->name);
    free(table);
}

static int disconnect(sqlite3_vtab *base)
{
    free_table((struct table *)base);
    return SQLITE_OK;
}

/* Appends a quoted identifier. */
static void ps_multi_run_name(struct ps_buf *out, const char *name)
{
    ps_buf_puts(out, "\"");
    for (; *name; name++)
        ps_buf_add(out, *name == '"' ? "\"\"" : name, *name == '"' ? 2 : 1);
    ps_buf_puts(out, "\"");
}

/* argv: module, database, table, then "catalog" or "runs", then the columns, each in quotes. */
static int connect_table(sqlite3 *handle, void *multi_run, int argc, const char *const *argv,
                         sqlite3_vtab **out, char **error)
{
    struct table *table = ps_alloc(sizeof *table);
    PS_AUTO(ps_buf_free) struct ps_buf schema = {0};
    int code;

    (void)error;
    table->multi_run = multi_run;
    table->name = ps_strdup(ps_str_from_c(argv[2]));
    table->of_catalog = strcmp(argv[3], "catalog") == 0;
    table->columns = ps_alloc_array((size_t)argc, sizeof *table->columns);
    ps_buf_puts(&schema, table->of_catalog ? "CREATE TABLE x(" : "CREATE TABLE x(run");
    for (int i = 4; i < argc; i++) {
        struct ps_str name = {argv[i] + 1, strlen(argv[i]) - 2};

        table->columns[table->n_columns] = ps_strdup(name);
        ps_buf_puts(&schema, table->of_catalog && i == 4 ? "" : ", ");
        ps_multi_run_name(&schema, table->columns[table->n_columns++]);
    }
    ps_buf_puts(&schema, ")");
    code = sqlite3_declare_vtab(handle, schema.ptr);
    if (code == SQLITE_OK)
        *out = &table->base;
    else
        free_table(table);
    return code;
}

/* Builds the plan "<mask>=<column>=<column>...": the bits of the used columns in hex (colUsed),
 * then the columns with an equality constraint. */
static int best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    PS_AUTO(ps_buf_free) struct ps_buf plan = {0};
    int given = 0;
    double cost = 1e6;

    (void)base;
    ps_buf_printf(&plan, "%llx", (unsigned long long)info->colUsed);
    for (int i = 0; i < info->nConstraint; i++) {
        const struct sqlite3_index_constraint *c = &info->aConstraint[i];

        if (!c->usable || c->op != SQLITE_INDEX_CONSTRAINT_EQ || c->iColumn < 0 ||
            sqlite3_stricmp(sqlite3_vtab_collation(info, i), "BINARY") != 0)
            continue;
        info->aConstraintUsage[i].argvIndex = ++given;
        ps_buf_printf(&plan, "=%d", c->iColumn);
        cost /= 100;
    }
    info->idxStr = sqlite3_mprintf("%s", plan.ptr);
    info->needToFreeIdxStr = 1;
    info->estimatedCost = cost;
    info->estimatedRows = (sqlite3_int64)cost + 1;
    return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

/* --- Cursors --- */

static int open_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
    struct cursor *cursor = ps_alloc(sizeof *cursor);

    cursor->n = sources((struct table *)base);
    cursor->stmts = ps_alloc_array(cursor->n, sizeof(void *));
    *out = &cursor->base;
    return SQLITE_OK;
}

static void forget_values(struct cursor *cursor)
{
    for (int i = 0; i < cursor->n_values; i++)
        sqlite3_value_free(cursor->values[i]);
    free(cursor->values);
    cursor->values = NULL;
    cursor->n_values = 0;
}

static void forget_statements(struct cursor *cursor)
{
    for (size_t i = 0; i < cursor->n; i++) {
        ps_stmt_release(cursor->stmts[i]);
        cursor->stmts[i] = NULL;
    }
    free(cursor->plan);
    cursor->plan = NULL;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
    struct cursor *cursor = (struct cursor *)base;

    forget_statements(cursor);
    forget_values(cursor);
    free(cursor->stmts);
    free(cursor);
    return SQLITE_OK;
}

static enum ps_status source_db(const struct table *table, size_t at, struct ps_db **out,
                                struct ps_err *err)
{
    struct multi_run *multi_run = table->multi_run;

    if (table->of_catalog) {
        *out = multi_run->catalog;
        return PS_OK;
    }
    if (!multi_run->runs[at]) {
        struct ps_db *db = NULL;
        enum ps_status status =
            ps_run_open_limited(multi_run->store, multi_run->ids[at], multi_run->memory, &db, err);

        if (status != PS_OK) {
            ps_db_close(db);
            return status;
        }
        multi_run->runs[at] = db;
    }
    *out = multi_run->runs[at];
    return PS_OK;
}

/* Converts a column index of the virtual table to one of the view; -1: the column `run`. */
static int of_view(const struct table *table, int column)
{
    return table->of_catalog ? column : column - 1;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int col)
{
    const struct cursor *cursor = (struct cursor *)base;
    const struct table *table = (struct table *)base->pVtab;
    int at = of_view(table, col);

    if (at < 0)
        sqlite3_result_text(context, table->multi_run->ids[cursor->index], -1, SQLITE_TRANSIENT);
    else
        sqlite3_result_value(context,
                             sqlite3_column_value(cursor->stmts[cursor->index]->handle, at));
    return SQLITE_OK;
}

/* Whether the view has the column; with `column` NULL, whether the view exists. Files of older
 * versions may lack views or columns. */
static bool has_column(struct ps_db *db, const char *view, const char *column)
{
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};
    struct ps_stmt *stmt = NULL;
    bool has;

    ps_buf_puts(&sql, "SELECT ");
    if (column) {
        ps_buf_puts(&sql, "x.");
        ps_multi_run_name(&sql, column);
    } else {
        ps_buf_puts(&sql, "1");
    }
    ps_buf_puts(&sql, " FROM ");
    ps_multi_run_name(&sql, view);
    ps_buf_puts(&sql, " x");
    has = ps_db_prepare_single(db, sql.ptr, &stmt, PS_ERR_IGNORED) == PS_OK;
    ps_stmt_release(stmt);
    return has;
}

static bool is_used(const struct table *table, const char *plan, int column)
{
    uint64_t used = strtoull(plan, NULL, 16);
    int bit = table->of_catalog ? column : column + 1;

    return used >> (bit < COLUMNS_MAX ? bit : COLUMNS_MAX) & 1;
}

static void statement_text(const struct table *table, struct ps_db *db, const char *plan,
                           struct ps_buf *out)
{
    int value = 0;
    const char *word = " WHERE ";

    ps_buf_puts(out, "SELECT ");
    for (int c = 0; c < table->n_columns; c++) {
        ps_buf_puts(out, c ? ", " : "");
        if (is_used(table, plan, c) && has_column(db, table->name, table->columns[c]))
            ps_multi_run_name(out, table->columns[c]);
        else
            ps_buf_puts(out, "NULL");
    }
    ps_buf_puts(out, " FROM ");
    ps_multi_run_name(out, table->name);
    for (const char *at = strchr(plan, '='); at; at = strchr(at + 1, '=')) {
        int column = of_view(table, (int)strtol(at + 1, NULL, 10));

        value++;
        if (column < 0 || !has_column(db, table->name, table->columns[column]))
            continue;
        ps_buf_puts(out, word);
        ps_multi_run_name(out, table->columns[column]);
        ps_buf_printf(out, " = ?%d", value);
        word = " AND ";
    }
}

/* Prepares the statement of the current source, or rewinds it, and binds its values. The statement
 * stays NULL if the source lacks the view. */
static enum ps_status begin_source(struct cursor *cursor, struct ps_err *err)
{
    const struct table *table = (struct table *)cursor->base.pVtab;
    struct ps_stmt **stmt = &cursor->stmts[cursor->index];
    struct ps_db *db;
    enum ps_status status = source_db(table, cursor->index, &db, err);

    if (status != PS_OK)
        return status;
    if (!*stmt && has_column(db, table->name, NULL)) {
        PS_AUTO(ps_buf_free) struct ps_buf sql = {0};

        statement_text(table, db, cursor->plan, &sql);
        status = ps_db_prepare_single(db, sql.ptr, stmt, err);
    }
    if (status != PS_OK || !*stmt)
        return status;
    ps_stmt_rewind(*stmt);
    for (int i = 0; i < cursor->n_values; i++)
        (void)sqlite3_bind_value((*stmt)->handle, i + 1, cursor->values[i]);
    return PS_OK;
}

static bool is_wanted(const struct cursor *cursor)
{
    const struct table *table = (struct table *)cursor->base.pVtab;

    return !cursor->only_one_run ||
           strcmp(table->multi_run->ids[cursor->index], cursor->run_id) == 0;
}

/* Sets the error message of the table and returns its SQLite code. SQLITE_CORRUPT_VTAB becomes
 * SQLITE_ERROR, since the cause may be a run that was deleted meanwhile. */
static int set_table_error(sqlite3_vtab *table, const struct ps_err *err)
{
    int code = err->code == PS_OK ? SQLITE_OK : ps_table_fail(table, err);

    return code == SQLITE_CORRUPT_VTAB ? SQLITE_ERROR : code;
}

/* Moves to the next row of the current source, or to the first row of a later source. `begun`: the
 * statement of the current source is running already. */
static int go_on(struct cursor *cursor, bool begun)
{
    struct ps_err err = PS_ERR_INIT;

    for (; cursor->index < cursor->n; cursor->index++, begun = false) {
        if (!begun && (!is_wanted(cursor) || begin_source(cursor, &err) != PS_OK)) {
            if (err.code != PS_OK)
                break;
            continue;
        }
        if (cursor->stmts[cursor->index] && ps_stmt_step(cursor->stmts[cursor->index], &err))
            return SQLITE_OK;
        if (err.code != PS_OK)
            break;
    }
    return set_table_error(cursor->base.pVtab, &err);
}

/* Copies the values of the constraints. A value for the column `run` restricts the cursor to one
 * run. SQLITE_NOMEM: a copy failed, as when the statement reaches its limit of memory or time. */
static int keep_values(struct cursor *cursor, const char *plan, int argc, sqlite3_value **argv)
{
    const struct table *table = (struct table *)cursor->base.pVtab;
    const char *at = strchr(plan, '=');

    forget_values(cursor);
    cursor->only_one_run = false;
    cursor->values = ps_alloc_array((size_t)argc, sizeof(void *));
    for (int i = 0; i < argc; i++, at = at ? strchr(at + 1, '=') : NULL) {
        const unsigned char *text = sqlite3_value_text(argv[i]);

        cursor->values[cursor->n_values] = sqlite3_value_dup(argv[i]);
        if (!cursor->values[cursor->n_values])
            return SQLITE_NOMEM;
        cursor->n_values++;
        if (!at || table->of_catalog || strtol(at + 1, NULL, 10) != 0)
            continue;
        cursor->only_one_run = true;
        (void)snprintf(cursor->run_id, sizeof cursor->run_id, "%s",
                       text && sqlite3_value_bytes(argv[i]) == PS_ID_SIZE - 1 ? (const char *)text
                                                                              : "");
    }
    return SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *plan, int argc,
                  sqlite3_value **argv)
{
    struct cursor *cursor = (struct cursor *)base;

    (void)number;
    if (!cursor->plan || strcmp(cursor->plan, plan) != 0) {
        forget_statements(cursor);
        cursor->plan = ps_strdup(ps_str_from_c(plan));
    }
    cursor->index = 0;
    cursor->row = 0;
    return keep_values(cursor, plan, argc, argv) == SQLITE_OK ? go_on(cursor, false) : SQLITE_NOMEM;
}

static int next(sqlite3_vtab_cursor *base)
{
    struct cursor *cursor = (struct cursor *)base;

    cursor->row++;
    return go_on(cursor, true);
}

static int at_end(sqlite3_vtab_cursor *base)
{
    const struct cursor *cursor = (struct cursor *)base;

    return cursor->index >= cursor->n;
}

static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
    *out = ((struct cursor *)base)->row;
    return SQLITE_OK;
}

const sqlite3_module ps_multi_run_module = {
    .xCreate = connect_table,
    .xConnect = connect_table,
    .xBestIndex = best_index,
    .xDisconnect = disconnect,
    .xDestroy = disconnect,
    .xOpen = open_cursor,
    .xClose = close_cursor,
    .xFilter = filter,
    .xNext = next,
    .xEof = at_end,
    .xColumn = column,
    .xRowid = rowid,
};

/* --- Database handle --- */

static void free_query(void *user)
{
    struct multi_run *multi_run = user;

    for (size_t i = 0; i < multi_run->n; i++)
        ps_db_close(multi_run->runs[i]);
    ps_db_close(multi_run->catalog);
    free(multi_run->runs);
    free(multi_run->ids);
    free(multi_run);
}

/* Creates a virtual table in `db` for each view that the query `views` lists in the database
 * `from`. `what`: "runs" or "catalog". */
static enum ps_status add_tables(struct ps_db *db, struct ps_db *from, const char *views,
                                 const char *what, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    char last[64] = "";
    enum ps_status status = ps_db_prepare_single(from, views, &stmt, err);

    if (status != PS_OK)
        return status;
    while (ps_stmt_step(stmt, err)) {
        PS_AUTO(ps_free_ptr) char *view = ps_strdup(ps_col_text(stmt, 0));
        PS_AUTO(ps_free_ptr) char *name = ps_strdup(ps_col_text(stmt, 1));

        if (strcmp(last, view) != 0) {
            ps_buf_puts(&sql, last[0] ? ");" : "");
            ps_buf_puts(&sql, "CREATE VIRTUAL TABLE ");
            ps_multi_run_name(&sql, view);
            ps_buf_printf(&sql, " USING ps_multi_run(%s", what);
            (void)snprintf(last, sizeof last, "%s", view);
        }
        ps_buf_puts(&sql, ",");
        ps_multi_run_name(&sql, name);
    }
    ps_buf_puts(&sql, last[0] ? ");" : "");
    return err->code == PS_OK ? ps_db_exec(db, sql.ptr ? sql.ptr : "", err) : err->code;
}

static const char run_views[] =
    "SELECT s.name, c.name FROM sqlite_schema s, pragma_table_info(s.name) c"
    " WHERE s.type = 'view' ORDER BY s.rowid, c.cid";
/* Lists the views of schema/shelf_views.sql. The other temporary views, of
 * ps_catalog_add_compat_views, contain "AS SELECT *, ". */
static const char shelf_views[] =
    "SELECT s.name, c.name FROM sqlite_temp_schema s, pragma_table_info(s.name, 'temp') c"
    " WHERE s.type = 'view' AND instr(s.sql, 'AS SELECT *, ') = 0"
    " ORDER BY s.rowid, c.cid";

static enum ps_status add_run_tables(struct ps_db *db, struct ps_err *err)
{
    struct ps_db *model = NULL;
    enum ps_status status = ps_db_open(":memory:", true, &model, err);

    if (status == PS_OK)
        status = ps_db_exec(model, ps_schema_sql("run"), err);
    if (status == PS_OK)
        status = add_tables(db, model, run_views, "runs", err);
    ps_db_close(model);
    return status;
}

static enum ps_status add_shelf_tables(struct ps_db *db, struct multi_run *multi_run,
                                       struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf uri = {0};
    enum ps_status status;

    (void)ps_catalog_uri(multi_run->store, &uri);
    status = ps_catalog_open_reader(uri.ptr, &multi_run->catalog, err);
    if (status == PS_OK)
        status = ps_db_exec(multi_run->catalog, ps_schema_sql("shelf_views"), err);
    if (status == PS_OK)
        status = add_tables(db, multi_run->catalog, shelf_views, "catalog", err);
    if (status == PS_OK)
        ps_db_restrict_to_user_sql(multi_run->catalog, multi_run->memory);
    return status;
}

enum ps_status ps_shelf_open_for_user_query(struct ps_store *store, char (*ids)[PS_ID_SIZE],
                                            size_t n, const struct ps_query_limits *by,
                                            struct ps_db **out, struct ps_err *err)
{
    struct multi_run *multi_run;
    enum ps_status status = ps_db_open(":memory:", true, out, err);

    if (status != PS_OK)
        return status;
    multi_run = ps_alloc(sizeof *multi_run);
    *multi_run = (struct multi_run){.store = store, .n = n};
    multi_run->ids = ps_alloc_array(n, PS_ID_SIZE);
    if (n)
        memcpy(multi_run->ids, ids, n * PS_ID_SIZE);
    multi_run->runs = ps_alloc_array(n, sizeof *multi_run->runs);
    (*out)->memory_limit = multi_run->memory = ps_memory_limit_begin(by->memory_bytes);
    (*out)->owns_memory = true;
    sqlite3_create_module_v2((*out)->handle, "ps_multi_run", &ps_multi_run_module, multi_run,
                             free_query);
    status = add_run_tables(*out, err);
    if (status == PS_OK)
        status = add_shelf_tables(*out, multi_run, err);
    if (status == PS_OK)
        status =
            ps_db_exec(*out, "SELECT 1 FROM json_each, json_tree, pragma_table_info LIMIT 0", err);
    if (status == PS_OK)
        ps_db_restrict_to_user_sql(*out, multi_run->memory);
    return status;
}
