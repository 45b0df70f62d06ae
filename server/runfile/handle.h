/* SPDX-License-Identifier: MIT */
/*
 * handle.h: the members of a database handle, for modules that read columns of untrusted files,
 * register functions and tables with SQLite, or open databases. The query layer only needs db.h.
 */
#ifndef PS_RUNFILE_HANDLE_H
#define PS_RUNFILE_HANDLE_H

#define SQLITE_ENABLE_SESSION /* like Debian's build of the library */
#define SQLITE_ENABLE_PREUPDATE_HOOK
#include <sqlite3.h>

#include "base/context.h"
#include "importers/sink.h"
#include "server/runfile/db.h"

struct ps_memory_limit;
struct ps_store;
struct ps_temp_rows;

struct ps_stmt {
    sqlite3_stmt *handle;
    struct ps_db *db;
    char *sql;
    bool busy, cached;
};

struct ps_memory_limit;

struct ps_db {
    sqlite3 *handle;
    struct ps_store *store; /* the pool that it returns to; NULL: closed on release */
    char id[PS_ID_SIZE];
    uint64_t mark; /* ps_run_mark at the time of opening */
    struct ps_stmt **stmts;
    size_t n_stmts, cap_stmts;
    struct ps_memory_limit *memory; /* memory limit of a user's query; NULL: none */
    bool owns_memory;               /* freed with the handle */
    /* tables of a trace (trace_reader.h); NULL: not loaded yet */
    struct ps_trace_cache *trace;
    const struct ps_temp_rows *temp_rows; /* set by the query layer for its statements */
    bool immutable;                       /* opened as a file that is never written */
    struct ps_db *next;                   /* next handle in the pool */
};

/* uri: as for sqlite3_open_v2 with SQLITE_OPEN_URI. Registers perfshelf's functions and tables. */
enum ps_status ps_db_open(const char *uri, bool write, struct ps_db **out, struct ps_err *err);
enum ps_status ps_db_fail(struct ps_db *db, struct ps_err *err, const char *what);

/* Returns the text of schema/<name>.sql; "" if there is none. */
const char *ps_schema_sql(const char *name);

/* --- User queries (user_query.c) --- */

/* From now on this handle only prepares statements that a user may run, within this memory. */
void ps_db_restrict_to_user_sql(struct ps_db *db, struct ps_memory_limit *memory);

/* --- SQLite memory limit (sqlite_memory.c) --- */

/* Fails if SQLite does not use the allocator that enforces the limits below. */
enum ps_status ps_memory_limit_check(struct ps_err *err);
/* Limits what SQLite allocates on this thread to `most` more bytes (0: no limit) until
 * ps_memory_limit_end. Until then allocations also fail once the thread's context has ended: that
 * is the only way to stop SQLite while it prepares a statement. */
struct ps_memory_limit *ps_memory_limit_begin(size_t most);
void ps_memory_limit_end(struct ps_memory_limit *memory);
bool ps_memory_limit_is_exceeded(const struct ps_memory_limit *memory); /* NULL: false */

/* Appends a file: URI of path. */
void ps_uri_path(struct ps_buf *out, const char *path);

/* Copies a column as a C string, truncated to size - 1 bytes. Any type and length is accepted: the
 * catalog may not have been written by perfshelf. */
void ps_col_copy(struct ps_stmt *stmt, int column, char *out, size_t size);
/* Appends a column to a list of strings, each with its NUL. */
void ps_col_append(struct ps_stmt *stmt, int column, struct ps_buf *list);
/* Copies the id in the first column of a row. */
void ps_col_id(struct ps_stmt *stmt, char id_out[PS_ID_SIZE]);

int64_t ps_current_layout(void); /* user_version of run.sql */

/* --- Virtual tables (sql_table.c) --- */

/* Description of a virtual table. Static: must stay valid as long as the handle. */
struct ps_table_kind {
    const char *name, *schema; /* "CREATE TABLE x(...)" */
    /* bytes of a struct that begins with sqlite3_vtab_cursor; allocated zeroed */
    size_t cursor_size;
    /* Frees the members of a cursor, not the cursor; NULL: nothing to free. */
    void (*release)(sqlite3_vtab_cursor *cursor);
    const sqlite3_module *module; /* PS_TABLE_METHODS and the table's own methods */
};

/* A virtual table of a handle: sqlite3_vtab_cursor.pVtab points to it. */
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

/* Plans hidden columns as arguments of a table-valued function: those of [first, first + n) with a
 * constraint =, as bits of idxNum and in argv in this order. */
int ps_table_arguments(sqlite3_index_info *info, int first, int n);
/* Returns the argument of bit `which`; NULL if it was not given. */
sqlite3_value *ps_table_argument(int plan, sqlite3_value **argv, int which);

void ps_result_num(sqlite3_context *context, struct ps_num n);
void ps_register_functions(sqlite3 *db);      /* ps_words, regexp */
void ps_register_text_functions(sqlite3 *db); /* instr, like ... in place of SQLite's own */
void ps_register_calls(struct ps_db *db);     /* ps_calls, ps_ids */
void ps_register_paths(struct ps_db *db);     /* ps_paths */
void ps_register_temp_rows(struct ps_db *db); /* ps_temp_summary ... */
void ps_register_traces(struct ps_db *db); /* ps_slices, ps_operators, ps_kernels, ps_flows ... */

struct ps_operator;
/* Adds a memory event outside of all operators to what torch lists as the operator [memory]. */
void ps_memory_operator_add(struct ps_operator *sum, int64_t t_ns, int64_t device_type,
                            int64_t bytes);

void ps_trace_cache_free(struct ps_trace_cache *cache);

/* Content of a row of table packed. Stored in files: never renumber. */
enum ps_packed_family { PS_PACKED_FLOWS = 1, PS_PACKED_COUNTS = 2, PS_PACKED_MEMORY = 3 };
#define PS_PACKED_COLUMNS_MAX 10

/* Keys of chunk_column, packed_column and pyramid. */
#define PS_CHUNK_ARGS 31 /* the column of the packed parameters */
static inline int64_t ps_chunk_key(int64_t chunk, unsigned column)
{
    return chunk * 32 + column;
}
static inline int64_t ps_packed_key(int64_t packed, unsigned column)
{
    return packed * 16 + column;
}
static inline int64_t ps_pyramid_key(uint32_t track, unsigned level)
{
    return (int64_t)track * 64 + level;
}

/* Pack the blobs of function.callers and function.callees (calls.c). */
void ps_calls_pack(struct ps_buf *out, const struct ps_call *calls, uint32_t n);
void ps_ids_pack(struct ps_buf *out, const uint32_t *ids, uint32_t n); /* ids ascending */
/* Read the next entry of a blob; false at its end or if it is damaged. */
bool ps_calls_next(struct ps_str *blob, struct ps_call *out);
bool ps_ids_next(struct ps_str *blob, uint32_t *last);

#endif
