/* SPDX-License-Identifier: MIT */
/*
 * handle.h: what a database handle consists of, for modules that read columns of untrusted files,
 * register functions and tables with SQLite, or open databases. The query layer needs db.h only.
 */
#ifndef PS_RUNFILE_HANDLE_H
#define PS_RUNFILE_HANDLE_H

#define SQLITE_ENABLE_SESSION /* as Debian's library is built */
#define SQLITE_ENABLE_PREUPDATE_HOOK
#include <sqlite3.h>

#include "base/context.h"
#include "importers/sink.h"
#include "server/runfile/db.h"

struct ps_memory;
struct ps_store;
struct ps_temp_rows;

struct ps_stmt {
    sqlite3_stmt *handle;
    struct ps_db *db;
    char *sql;
    bool busy, cached;
};

struct ps_memory;

struct ps_db {
    sqlite3 *handle;
    struct ps_store *store; /* whose pool it goes back to; NULL: closed on release */
    char id[PS_ID_SIZE];
    uint64_t mark; /* ps_run_mark when it was opened */
    struct ps_stmt **stmts;
    size_t n_stmts, cap_stmts;
    struct ps_memory *memory;             /* the limit of what a user typed; NULL: none */
    bool owns_memory;                     /* freed with the handle */
    struct ps_trace_cache *trace;         /* of a trace: trace_reader.h; NULL: nobody asked yet */
    const struct ps_temp_rows *temp_rows; /* to statements, by the query layer */
    bool immutable;                       /* opened as a file that nobody writes */
    struct ps_db *next;                   /* in the pool */
};

/* uri: as sqlite3_open_v2 takes with SQLITE_OPEN_URI. Registers our functions. */
enum ps_status ps_db_open(const char *uri, bool write, struct ps_db **out, struct ps_err *err);
enum ps_status ps_db_fail(struct ps_db *db, struct ps_err *err, const char *what);

/* The text of schema/<name>.sql. */
const char *ps_schema_of(const char *name);

/* --- User queries (user_query.c) --- */

/* From now on only what it may is prepared on this handle, within this memory. */
void ps_guard(struct ps_db *db, struct ps_memory *memory);

/* --- SQLite memory limit (sqlite_memory.c) --- */

/* Whether allocations of SQLite obey the limits below. */
enum ps_status ps_memory_ready(struct ps_err *err);
/* Limits what SQLite allocates on this thread, to `most` more bytes (0: any number), until
 * ps_memory_end. Meanwhile allocations fail too once the thread's context has ended: the only way
 * to stop a statement while SQLite prepares it. */
struct ps_memory *ps_memory_begin(size_t most);
void ps_memory_end(struct ps_memory *memory);
bool ps_memory_exceeded(const struct ps_memory *memory); /* NULL: false */

/* Appends a file: URI of path. */
void ps_uri_path(struct ps_buf *out, const char *path);

/* A column as a string of C, of at most size - 1 bytes: whatever type and length a catalog that was
 * not written by perfshelf has there. */
void ps_col_copy(struct ps_stmt *stmt, int column, char *out, size_t size);
/* The same at the end of a list of strings, each with its NUL. */
void ps_col_append(struct ps_stmt *stmt, int column, struct ps_buf *list);
/* The id in the first column of a row. */
void ps_col_id(struct ps_stmt *stmt, char id_out[PS_ID_SIZE]);

int64_t ps_layout_of_ours(void); /* user_version of run.sql */

/* --- Virtual tables (sql_table.c) --- */

/* A table as it is written down: static, for as long as the handle. */
struct ps_table_kind {
    const char *name, *schema; /* "CREATE TABLE x(...)" */
    size_t cursor_size;        /* of a struct that begins with sqlite3_vtab_cursor; zeroed */
    /* Frees what a cursor holds, not the cursor; NULL: it holds nothing. */
    void (*release)(sqlite3_vtab_cursor *cursor);
    const sqlite3_module *module; /* PS_TABLE_METHODS and what the table does itself */
};

/* A table of a handle: what sqlite3_vtab_cursor.pVtab points to. */
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
/* The error of a cursor as SQLite wants it. */
int ps_table_fail(sqlite3_vtab *table, const struct ps_err *err);

/* Hidden columns as arguments of a table-valued function: those of [first, first + n) that are
 * given with =, a bit each in idxNum, in argv in this order. */
int ps_table_arguments(sqlite3_index_info *info, int first, int n);
/* The argument of bit `which`; NULL when it is not given. */
sqlite3_value *ps_table_argument(int plan, sqlite3_value **argv, int which);

void ps_result_num(sqlite3_context *context, struct ps_num n);
void ps_register_functions(sqlite3 *db);      /* ps_words, regexp */
void ps_register_text_functions(sqlite3 *db); /* instr, like ... in place of SQLite's own */
void ps_register_calls(struct ps_db *db);     /* ps_calls, ps_ids */
void ps_register_paths(struct ps_db *db);     /* ps_paths */
void ps_register_temp_rows(struct ps_db *db); /* ps_temp_summary ... */
void ps_register_traces(struct ps_db *db); /* ps_slices, ps_operators, ps_kernels, ps_flows ... */

struct ps_operator;
/* Adds a memory event of no operator to what torch lists as the operator [memory]. */
void ps_memory_sum(struct ps_operator *sum, int64_t t_ns, int64_t device_type, int64_t bytes);

void ps_trace_cache_free(struct ps_trace_cache *cache);

/* What table packed holds. Stored: never renumber. */
enum ps_packed_family { PS_PACKED_FLOWS = 1, PS_PACKED_COUNTS = 2, PS_PACKED_MEMORY = 3 };
#define PS_PACKED_COLUMNS_MAX 10

/* Keys of chunk_column, packed_column and pyramid. */
#define PS_CHUNK_ARGS 31 /* the column of the arguments' parameters */
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

/* The blobs of function.callers and function.callees (calls_blob.c). */
void ps_calls_pack(struct ps_buf *out, const struct ps_call *calls, uint32_t n);
void ps_ids_pack(struct ps_buf *out, const uint32_t *ids, uint32_t n); /* ids ascending */
/* Next entry of a blob; false at its end or where it is damaged. */
bool ps_calls_next(struct ps_str *blob, struct ps_call *out);
bool ps_ids_next(struct ps_str *blob, uint32_t *last);

#endif
