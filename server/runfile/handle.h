/* SPDX-License-Identifier: MIT */
/*
 * handle.h: the members of a database handle, for modules that open databases, register functions
 * and tables with SQLite, or read columns of untrusted files. The query layer uses only db.h.
 */
#ifndef PS_RUNFILE_HANDLE_H
#define PS_RUNFILE_HANDLE_H

#define SQLITE_ENABLE_SESSION /* as in Debian's build of the library */
#define SQLITE_ENABLE_PREUPDATE_HOOK
#include <sqlite3.h>

#include "base/context.h"
#include "server/runfile/db.h"
#include "slices/packed.h"

struct ps_call;
struct ps_memory_limit;
struct ps_store;
struct ps_temp_rows;
struct ps_step_times;

struct ps_stmt {
    sqlite3_stmt *handle;
    struct ps_db *db;
    char *sql;
    bool is_busy, is_cached;
};

struct ps_memory_limit;

struct ps_db {
    sqlite3 *handle;
    struct ps_store *store; /* store whose pool the handle belongs to; NULL: none */
    char id[PS_ID_SIZE];
    uint64_t mark; /* ps_run_mark of the run when the file was opened */
    struct ps_stmt **stmts;
    size_t n_stmts, cap_stmts;
    struct ps_memory_limit *memory_limit; /* memory limit of a user's statement; NULL: none */
    bool owns_memory;                     /* ps_db_close frees `memory_limit` */
    /* tables of a trace (trace_reader.h); NULL: not loaded yet */
    struct ps_trace_cache *trace_cache;
    const struct ps_temp_rows *temp_rows;       /* set by ps_db_set_temp_rows; borrowed */
    const struct ps_step_times *step_times;     /* set by ps_db_set_step_times; borrowed */
    const struct ps_wanted_paths *wanted_paths; /* set by ps_db_set_wanted_paths; borrowed */
    bool is_immutable;                          /* opened with immutable=1 */
    int64_t layout;                             /* of the run file; 0: not a file of a shelf */
    struct ps_db *next;                         /* next idle handle of the pool */
};

/* Opens a database and registers perfshelf's functions and tables. uri: as for sqlite3_open_v2 with
 * SQLITE_OPEN_URI. */
enum ps_status ps_db_open(const char *uri, bool write, struct ps_db **out, struct ps_err *err);
/* Prepares a handle of a run file for reading: as if the file had the current layout. */
enum ps_status ps_db_begin_run(struct ps_db *db, int64_t layout, struct ps_err *err);
enum ps_status ps_db_fail(struct ps_db *db, struct ps_err *err, const char *what);

/* Returns the text of schema/<name>.sql; "" if there is none. */
const char *ps_schema_sql(const char *name);

/* --- User queries (user_query.c) --- */

/* Restricts the handle to statements that a user may run. `memory` is borrowed. */
void ps_db_restrict_to_user_sql(struct ps_db *db, struct ps_memory_limit *memory);

/* --- SQLite memory limit (sqlite_memory.c) --- */

/* Fails if SQLite does not use the allocator of sqlite_memory.c, which enforces memory limits. */
enum ps_status ps_memory_limit_check(struct ps_err *err);
/* Limits the memory that SQLite allocates on this thread to `most` more bytes (0: no limit), until
 * ps_memory_limit_end. Until then, allocations also fail when the context of the thread has ended:
 * SQLite cannot be stopped otherwise while it prepares a statement. All statements with a limit
 * have 512 MiB together. */
struct ps_memory_limit *ps_memory_limit_begin(size_t most);
void ps_memory_limit_end(struct ps_memory_limit *memory);
bool ps_memory_limit_is_exceeded(const struct ps_memory_limit *memory); /* NULL: false */
/* Says which limit was exceeded: PS_LIMIT, or PS_UNAVAILABLE for that of all statements together.
 */
enum ps_status ps_memory_limit_fail(const struct ps_memory_limit *memory, struct ps_err *err);

/* Appends a URI of the form "file:<path>". */
void ps_uri_append_path(struct ps_buf *out, const char *path);

/* Copies a column as a C string, up to its first NUL and truncated to size - 1 bytes. Accepts any
 * type and length, since other programs may have written the catalog. */
void ps_col_copy(struct ps_stmt *stmt, int column, char *out, size_t size);
/* Appends a column, up to its first NUL, and a NUL. */
void ps_col_append(struct ps_stmt *stmt, int column, struct ps_buf *list);
/* Copies the id in the first column of a row. */
void ps_col_id(struct ps_stmt *stmt, char id_out[PS_ID_SIZE]);

/* --- Virtual tables (sql_table.c) --- */

/* Description of a virtual table. It must stay valid as long as the handle. */
struct ps_table_kind {
    const char *name, *schema; /* schema: "CREATE TABLE x(...)" */
    /* bytes of the cursor, whose first member is a sqlite3_vtab_cursor; allocated zeroed */
    size_t cursor_size;
    /* Frees the members of a cursor, not the cursor itself; NULL: nothing to free. */
    void (*release)(sqlite3_vtab_cursor *cursor);
    const sqlite3_module *module; /* has PS_TABLE_METHODS and the table's own methods */
};

/* A virtual table of a handle. sqlite3_vtab_cursor.pVtab points to its first member. */
struct ps_table {
    sqlite3_vtab base;
    struct ps_db *db;
    const struct ps_table_kind *kind;
};

#define PS_TABLE_METHODS                                                                           \
    .xConnect = ps_table_connect, .xDisconnect = ps_table_disconnect, .xOpen = ps_table_open,      \
    .xClose = ps_table_close
int ps_table_connect(sqlite3 *handle, void *user, int argc, const char *const *argv,
                     sqlite3_vtab **out, char **error);
int ps_table_disconnect(sqlite3_vtab *table);
int ps_table_open(sqlite3_vtab *table, sqlite3_vtab_cursor **out);
int ps_table_close(sqlite3_vtab_cursor *cursor);

void ps_table_register(struct ps_db *db, const struct ps_table_kind *kind);
/* Sets the error message of a table and returns the SQLite code. */
int ps_table_fail(sqlite3_vtab *table, const struct ps_err *err);

/* Implements xBestIndex of a table-valued function whose n arguments are the hidden columns from
 * `first` on. Bit i of idxNum: argument i is given; argv has the given arguments in this order. */
int ps_table_plan_arguments(sqlite3_index_info *info, int first, int n);
/* Returns argument `which` (0-based); NULL: it was not given, or is SQL NULL. */
sqlite3_value *ps_table_argument(int plan, sqlite3_value **argv, int which);

void ps_result_num(sqlite3_context *context, struct ps_num n);
void ps_register_functions(sqlite3 *db);      /* ps_words, regexp */
void ps_register_text_functions(sqlite3 *db); /* instr, like ... replace SQLite's functions */
void ps_register_calls(struct ps_db *db);     /* ps_calls, ps_ids */
void ps_register_paths(struct ps_db *db);     /* ps_paths */
void ps_register_temp_rows(struct ps_db *db); /* ps_temp_summary ... */
void ps_register_traces(struct ps_db *db); /* ps_slices, ps_operators, ps_kernels, ps_flows ... */

struct ps_operator;
/* Adds a memory event outside of all operators to `sum`, the operator that torch lists as [memory].
 */
void ps_memory_operator_add(struct ps_operator *sum, int64_t t_ns, int64_t device_type,
                            int64_t bytes);

void ps_trace_cache_free(struct ps_trace_cache *cache);

/* Primary keys of the tables packed_column and pyramid; trace.h has that of chunk_column. */
static inline int64_t ps_packed_key(int64_t packed, unsigned column)
{
    return packed * 16 + column;
}
static inline int64_t ps_pyramid_key(uint32_t track, unsigned level)
{
    return (int64_t)track * 64 + level;
}

/* Append the blobs of function.callers and function.callees (calls.c). */
void ps_calls_pack(struct ps_buf *out, const struct ps_call *calls, uint32_t n);
void ps_ids_pack(struct ps_buf *out, const uint32_t *ids, uint32_t n); /* `ids` must be ascending */
/* Read the next entry of a blob and advance *blob. False: the blob has ended or is damaged. *last:
 * the previous id, 0 at first; set to the next id. */
bool ps_calls_next(struct ps_str *blob, struct ps_call *out);
bool ps_ids_next(struct ps_str *blob, uint32_t *last);

#endif
