/* SPDX-License-Identifier: MIT */
/* sqlite.c: opens the file, lists its tables and reads their rows. */
#include "base/sqlite.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/sqlite_immutable.h"

struct ps_sqlite_file {
    sqlite3_file base; /* SQLite's part of the object; must be the first member */
    int fd;
    /* size: bytes of the file; last_offset: offset of the last read; bytes_read: sum over all
     * reads */
    uint64_t size, last_offset, bytes_read;
    uint64_t max_read; /* reading stops when `bytes_read` exceeds this */
};

/*
 * A VFS that reads a descriptor. SQLite's own VFS opens files by name, and an unlinked or anonymous
 * file has none. An operation that is not implemented here, such as a write, cannot happen.
 */

#define NAME "perfshelf"

static struct ps_sqlite_file *file_of(sqlite3_file *file)
{
    return (struct ps_sqlite_file *)(void *)file;
}

static int file_read(sqlite3_file *base, void *to, int amount, sqlite3_int64 at)
{
    struct ps_sqlite_file *file = file_of(base);
    size_t got = 0, want = (size_t)amount;

    if (file->bytes_read > file->max_read)
        return SQLITE_CORRUPT;
    while (got < want) {
        ssize_t n = pread(file->fd, (char *)to + got, want - got, (off_t)at + (off_t)got);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return SQLITE_IOERR_READ;
        if (n == 0)
            break;
        got += (size_t)n;
    }
    file->last_offset = (uint64_t)at;
    file->bytes_read += got;
    memset((char *)to + got, 0, want - got);
    return got == want ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *out)
{
    *out = (sqlite3_int64)file_of(file)->size;
    return SQLITE_OK;
}

static sqlite3_io_methods methods = {.xRead = file_read, .xFileSize = file_size};

/* The file name is the number of a descriptor. Files without a name (journals, temporary files)
 * cannot be opened. */
static int fd_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *out)
{
    struct ps_sqlite_file *file = file_of(base);
    struct stat about;

    (void)vfs;
    base->pMethods = NULL;
    if (!name || !(flags & SQLITE_OPEN_MAIN_DB))
        return SQLITE_CANTOPEN;
    file->fd = atoi(name);
    if (fstat(file->fd, &about) != 0)
        return SQLITE_CANTOPEN;
    file->size = (uint64_t)about.st_size;
    file->last_offset = file->bytes_read = 0;
    file->max_read = UINT64_MAX;
    base->pMethods = &methods;
    if (out)
        *out = SQLITE_OPEN_READONLY;
    return SQLITE_OK;
}

static void add_vfs(void)
{
    static sqlite3_vfs vfs;

    vfs = *sqlite3_vfs_find(NULL); /* copies its clock and random functions */
    vfs.zName = NAME;
    vfs.pNext = NULL;
    vfs.szOsFile = sizeof(struct ps_sqlite_file);
    vfs.xOpen = fd_open;
    ps_sqlite_immutable_vfs(&vfs);
    ps_sqlite_immutable_file(&methods);
    (void)sqlite3_vfs_register(&vfs, 0);
}

/* Registers the VFS once and returns its name for sqlite3_open_v2. */
static const char *ps_sqlite_vfs(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)sqlite3_initialize();
    (void)pthread_once(&once, add_vfs);
    return NAME;
}

#define TEXT_MAX   (16 << 20)
#define CACHE_SIZE "-2048" /* KiB */
#define STEPS_PER_CHECK                                                                            \
    100000 /* virtual machine instructions between two calls of interrupt_long_query */
#define CHECKS_MAX    1000 /* calls of interrupt_long_query without a row in between */
#define ROW_BYTES_MIN 6    /* minimum size of a row in bytes */
/* maximum bytes read from a table: READ_FILE_SIZES_MAX file sizes, since inner pages are read
 * again, and READ_EXTRA_BYTES more */
#define READ_FILE_SIZES_MAX 4
#define READ_EXTRA_BYTES    (16 << 20)

struct ps_sqlite {
    sqlite3 *handle;
    struct ps_sqlite_file *file;
    char **tables;
    size_t n, cap;
    unsigned n_checks; /* calls of interrupt_long_query since the last row */
};

struct ps_rows {
    struct ps_sqlite *db;
    sqlite3_stmt *stmt;
    const char *table;
    uint64_t n, max_rows;
    size_t n_columns;
    int stmt_columns[]; /* by index in `columns`: the column of stmt; -1: the table lacks it */
};

/* --- Checks of the file header --- */

static enum ps_status fail_sqlite(struct ps_sqlite *db, const char *table, struct ps_err *err)
{
    const char *in_table = table ? " in table " : "";

    table = table ? table : "";
    switch (sqlite3_errcode(db->handle)) {
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
        return ps_fail(err, PS_IO, "the database cannot be read%s%s: %s", in_table, table,
                       sqlite3_errmsg(db->handle));
    case SQLITE_INTERRUPT:
        return ps_fail(err, PS_TOO_SLOW, "reading the database takes too long%s%s", in_table,
                       table);
    case SQLITE_TOOBIG:
        return ps_fail(err, PS_LIMIT, "the database has a value larger than %d MiB%s%s",
                       TEXT_MAX >> 20, in_table, table);
    case SQLITE_NOTADB:
        return ps_fail(err, PS_BAD_INPUT, "the file is not an SQLite database, or it is encrypted");
    default:
        return ps_fail_at(err, PS_BAD_INPUT, db->file ? db->file->last_offset : 0,
                          "the database is damaged%s%s (%s)", in_table, table,
                          sqlite3_errmsg(db->handle));
    }
}

static uint64_t big_endian(const unsigned char *at)
{
    return (uint64_t)at[0] << 24 | (uint64_t)at[1] << 16 | (uint64_t)at[2] << 8 | at[3];
}

/* Compares the file size with the size in the header. SQLite itself detects truncation later and
 * reports less. */
static enum ps_status check_size(int fd, struct ps_err *err)
{
    unsigned char head[100];
    struct stat about;
    uint64_t page, whole;
    ssize_t n = pread(fd, head, sizeof head, 0);

    if (n < 0 || fstat(fd, &about) != 0)
        return ps_fail_errno(err, "cannot read", "the file");
    if (n < (ssize_t)sizeof head || memcmp(head, PS_SQLITE_MAGIC.ptr, PS_SQLITE_MAGIC.len) != 0)
        return ps_fail(err, PS_BAD_INPUT, "the file is not an SQLite database");
    page = (uint64_t)head[16] << 8 | head[17];
    whole = (page == 1 ? 65536 : page) * big_endian(head + 28);
    if (big_endian(head + 24) == big_endian(head + 92) && whole > (uint64_t)about.st_size)
        return ps_fail_at(err, PS_BAD_INPUT, (uint64_t)about.st_size,
                          "the database is truncated: the file has %" PRIu64 " of %" PRIu64
                          " bytes",
                          (uint64_t)about.st_size, whole);
    return PS_OK;
}

/* --- Opening and closing --- */

/* Progress handler. Many instructions without a row mean that the file was made to keep the process
 * busy, so the statement is interrupted. */
static int interrupt_long_query(void *user)
{
    struct ps_sqlite *db = user;

    return ++db->n_checks > CHECKS_MAX;
}

static void set_untrusted(struct ps_sqlite *db)
{
    static const int off[] = {SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_ENABLE_TRIGGER,
                              SQLITE_DBCONFIG_ENABLE_VIEW, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION};

    for (size_t i = 0; i < sizeof off / sizeof *off; i++)
        (void)sqlite3_db_config(db->handle, off[i], 0, NULL);
    (void)sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    (void)sqlite3_limit(db->handle, SQLITE_LIMIT_LENGTH, TEXT_MAX);
    (void)sqlite3_limit(db->handle, SQLITE_LIMIT_EXPR_DEPTH, 50);
    (void)sqlite3_limit(db->handle, SQLITE_LIMIT_COMPOUND_SELECT, 2);
    (void)sqlite3_limit(db->handle, SQLITE_LIMIT_VDBE_OP, 25000);
    (void)sqlite3_limit(db->handle, SQLITE_LIMIT_ATTACHED, 0);
    (void)sqlite3_limit(db->handle, SQLITE_LIMIT_WORKER_THREADS, 0);
    sqlite3_progress_handler(db->handle, STEPS_PER_CHECK, interrupt_long_query, db);
}

static enum ps_status list_tables(struct ps_sqlite *db, struct ps_err *err)
{
    sqlite3_stmt *stmt = NULL;
    int code = sqlite3_prepare_v2(db->handle,
                                  "SELECT name FROM sqlite_schema WHERE type = 'table'"
                                  " AND rootpage > 0 AND name NOT LIKE 'sqlite%'",
                                  -1, &stmt, NULL);

    while (code == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(stmt, 0);

        PS_RESERVE_ONE(db->tables, db->n, db->cap);
        db->tables[db->n++] = ps_strdup(ps_str_from_c(name ? name : ""));
    }
    if (code == SQLITE_OK)
        code = sqlite3_finalize(stmt);
    return code == SQLITE_OK ? PS_OK : fail_sqlite(db, NULL, err);
}

void ps_sqlite_close(struct ps_sqlite *db)
{
    if (!db)
        return;
    for (size_t i = 0; i < db->n; i++)
        free(db->tables[i]);
    free(db->tables);
    sqlite3_close(db->handle);
    free(db);
}

enum ps_status ps_sqlite_open(int fd, struct ps_sqlite **out, struct ps_err *err)
{
    struct ps_sqlite *db;
    char name[64];
    enum ps_status status = check_size(fd, err);

    *out = NULL;
    if (status != PS_OK)
        return status;
    db = ps_alloc(sizeof *db);
    (void)snprintf(name, sizeof name, "file:%d?immutable=1&mode=ro", fd);
    if (sqlite3_open_v2(name, &db->handle,
                        SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX,
                        ps_sqlite_vfs()) != SQLITE_OK) {
        status = db->handle ? fail_sqlite(db, NULL, err)
                            : ps_fail(err, PS_INTERNAL, "the database cannot be opened");
        ps_sqlite_close(db);
        return status;
    }
    set_untrusted(db);
    (void)sqlite3_file_control(db->handle, "main", SQLITE_FCNTL_FILE_POINTER, &db->file);
    if (sqlite3_exec(db->handle,
                     "PRAGMA query_only = 1; PRAGMA cell_size_check = 1; PRAGMA mmap_size = 0;"
                     "PRAGMA cache_size = " CACHE_SIZE,
                     NULL, NULL, NULL) != SQLITE_OK)
        status = fail_sqlite(db, NULL, err);
    if (status == PS_OK)
        status = list_tables(db, err);
    if (status != PS_OK) {
        ps_sqlite_close(db);
        return status;
    }
    *out = db;
    return PS_OK;
}

size_t ps_sqlite_count_tables(const struct ps_sqlite *db)
{
    return db->n;
}

const char *ps_sqlite_table_name(const struct ps_sqlite *db, size_t index)
{
    return db->tables[index];
}

bool ps_sqlite_has_table(const struct ps_sqlite *db, const char *table)
{
    for (size_t i = 0; i < db->n; i++)
        if (strcasecmp(db->tables[i], table) == 0)
            return true;
    return false;
}

uint64_t ps_sqlite_bytes_read(const struct ps_sqlite *db, uint64_t *total)
{
    *total = db->file->size;
    return db->file->bytes_read < db->file->size ? db->file->bytes_read : db->file->size;
}

uint64_t ps_sqlite_page_offset(const struct ps_sqlite *db)
{
    return db->file->last_offset;
}

/* --- Rows --- */

static void add_name(struct ps_buf *sql, const char *name)
{
    ps_buf_puts(sql, "\"");
    for (; *name; name++) {
        if (*name == '"')
            ps_buf_puts(sql, "\"");
        ps_buf_add(sql, name, 1);
    }
    ps_buf_puts(sql, "\"");
}

static sqlite3_stmt *prepare_sql(struct ps_sqlite *db, const struct ps_buf *sql)
{
    sqlite3_stmt *stmt = NULL;

    return sqlite3_prepare_v2(db->handle, sql->ptr, (int)sql->len, &stmt, NULL) == SQLITE_OK ? stmt
                                                                                             : NULL;
}

/* Fills rows->stmt_columns with the requested columns that exist. False: the table cannot be
 * read. */
static bool find_columns(struct ps_rows *rows, const char *const *columns)
{
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};
    sqlite3_stmt *all;
    int n, found = 0;

    ps_buf_puts(&sql, "SELECT * FROM main.");
    add_name(&sql, rows->table);
    all = prepare_sql(rows->db, &sql);
    n = all ? sqlite3_column_count(all) : 0;
    for (size_t i = 0; i < rows->n_columns; i++) {
        rows->stmt_columns[i] = -1;
        for (int k = 0; k < n && rows->stmt_columns[i] < 0; k++)
            if (strcasecmp(sqlite3_column_name(all, k), columns[i]) == 0)
                rows->stmt_columns[i] = found++;
    }
    sqlite3_finalize(all);
    return n > 0;
}

/* Selects the columns that exist, in storage order, without using an index. */
static sqlite3_stmt *select_columns(struct ps_rows *rows, const char *const *columns)
{
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};

    ps_buf_puts(&sql, "SELECT 0");
    for (size_t i = 0; i < rows->n_columns; i++) {
        if (rows->stmt_columns[i] < 0)
            continue;
        rows->stmt_columns[i]++;
        ps_buf_puts(&sql, ",");
        add_name(&sql, columns[i]);
    }
    ps_buf_puts(&sql, " FROM main.");
    add_name(&sql, rows->table);
    ps_buf_puts(&sql, " NOT INDEXED");
    return prepare_sql(rows->db, &sql);
}

void ps_rows_end(struct ps_rows *rows)
{
    if (!rows)
        return;
    sqlite3_finalize(rows->stmt);
    free(rows);
}

enum ps_status ps_rows_begin(struct ps_sqlite *db, const char *table, const char *const *columns,
                             size_t n, struct ps_rows **out, struct ps_err *err)
{
    struct ps_rows *rows;
    uint64_t size = db->file->size;

    *out = NULL;
    if (err->code != PS_OK || !ps_sqlite_has_table(db, table))
        return err->code;
    rows = ps_alloc(sizeof *rows + n * sizeof *rows->stmt_columns);
    rows->db = db;
    rows->table = table;
    rows->n_columns = n;
    rows->max_rows = size / ROW_BYTES_MIN;
    db->file->max_read = db->file->bytes_read + READ_FILE_SIZES_MAX * size + READ_EXTRA_BYTES;
    db->n_checks = 0;
    if (find_columns(rows, columns))
        rows->stmt = select_columns(rows, columns);
    if (!rows->stmt) {
        ps_rows_end(rows);
        return fail_sqlite(db, table, err);
    }
    *out = rows;
    return PS_OK;
}

bool ps_rows_has_column(const struct ps_rows *rows, size_t column)
{
    return rows->stmt_columns[column] >= 0;
}

bool ps_rows_next(struct ps_rows *rows, struct ps_err *err)
{
    int code;

    if (err->code != PS_OK || !rows)
        return false;
    code = sqlite3_step(rows->stmt);
    rows->db->n_checks = 0;
    if (code == SQLITE_ROW && rows->n++ < rows->max_rows)
        return true;
    if (code == SQLITE_ROW)
        ps_fail_at(err, PS_BAD_INPUT, rows->db->file->last_offset,
                   "the database is damaged: table %s claims more rows than the file can hold",
                   rows->table);
    else if (code != SQLITE_DONE)
        fail_sqlite(rows->db, rows->table, err);
    return false;
}

struct ps_num ps_rows_num(const struct ps_rows *rows, size_t column)
{
    int at = rows->stmt_columns[column];
    double value;

    switch (at < 0 ? SQLITE_NULL : sqlite3_column_type(rows->stmt, at)) {
    case SQLITE_INTEGER:
        return ps_int(sqlite3_column_int64(rows->stmt, at));
    case SQLITE_FLOAT:
        value = sqlite3_column_double(rows->stmt, at);
        return value > -9e18 && value < 9e18 && (double)(int64_t)value == value
                   ? ps_int((int64_t)value)
                   : ps_real(value);
    default:
        return (struct ps_num){0};
    }
}

bool ps_rows_int(const struct ps_rows *rows, size_t column, int64_t *out)
{
    struct ps_num value = ps_rows_num(rows, column);

    if (value.kind == PS_NUM_INT)
        *out = value.i;
    return value.kind == PS_NUM_INT;
}

static struct ps_str text_of(sqlite3_stmt *stmt, int at)
{
    const char *text = (const char *)sqlite3_column_text(stmt, at);

    return (struct ps_str){text ? text : "", (size_t)sqlite3_column_bytes(stmt, at)};
}

struct ps_str ps_rows_text(const struct ps_rows *rows, size_t column)
{
    int at = rows->stmt_columns[column];

    if (at < 0 || sqlite3_column_type(rows->stmt, at) != SQLITE_TEXT)
        return (struct ps_str){NULL, 0};
    return text_of(rows->stmt, at);
}

/* Returns the bytes of a blob. ptr is never NULL, although SQLite returns NULL for an empty
 * blob. */
static struct ps_str blob_of(sqlite3_stmt *stmt, int column)
{
    const char *blob = sqlite3_column_blob(stmt, column);

    return (struct ps_str){blob ? blob : "", (size_t)sqlite3_column_bytes(stmt, column)};
}

struct ps_cell ps_cell_from_stmt(sqlite3_stmt *stmt, int column)
{
    switch (sqlite3_column_type(stmt, column)) {
    case SQLITE_INTEGER:
        return (struct ps_cell){.type = PS_CELL_INT, .i = sqlite3_column_int64(stmt, column)};
    case SQLITE_FLOAT:
        return (struct ps_cell){.type = PS_CELL_REAL, .real = sqlite3_column_double(stmt, column)};
    case SQLITE_TEXT:
        return (struct ps_cell){.type = PS_CELL_TEXT, .bytes = text_of(stmt, column)};
    case SQLITE_BLOB:
        return (struct ps_cell){.type = PS_CELL_BLOB, .bytes = blob_of(stmt, column)};
    default:
        return (struct ps_cell){.type = PS_CELL_NULL};
    }
}

struct ps_cell ps_rows_cell(const struct ps_rows *rows, size_t column)
{
    int at = rows->stmt_columns[column];

    return at < 0 ? (struct ps_cell){.type = PS_CELL_NULL} : ps_cell_from_stmt(rows->stmt, at);
}
