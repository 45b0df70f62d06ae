/* SPDX-License-Identifier: MIT */
/*
 * fuzz_run_file.c: run files as a process that reads bytes of others could leave them when these
 * took it over: any value in any cell, any byte anywhere. Each is published or refused; what is
 * published is asked.
 *
 * The first byte chooses a good run file, the second what it is asked (0: everything), the rest are
 * changes: two bytes a cell, one its row, one how, one how many bytes follow.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "server/store/db_impl.h"
#include "tests/ask_run.h"
#include "tests/fuzz/fuzz.h"
#include "tests/try_shelf.h"

/* Only added to: inputs that are kept choose by number. */
static const char *const samples[] = {
    "tests/golden/importtime/ok_cached.log",
    "tests/golden/importtime/ok_importers.log",
    "tests/golden/pstats/ok_cprofile_py313.prof",
    "demo/profiles/bookshop-joined.prof",
    "tests/golden/pstats_text/ok_several.txt",
    "tests/golden/lprof/ok_v42_recursion.lprof",
    "tests/golden/memory_text/ok_basic.txt",
    "tests/golden/scalene/ok_odd.json",
    "tests/golden/mprof/ok_children.dat",
    "tests/golden/folded/ok_odd.txt",
    "tests/golden/gecko/ok_shared.json",
    "tests/golden/measure/ok_hyperfine_v2.json",
    "tests/golden/measure/ok_time_v.txt",
    "tests/golden/measure/ok_top.txt",
    "tests/golden/lightning/ok_both.txt",
    "tests/golden/memory_timeline/ok_sums.json",
    "tests/golden/key_averages/ok_several.txt",
    "tests/golden/nsys/ok_full.sqlite",
    "tests/recorded/torch-cuda/streams.trace.json.gz",
    "tests/recorded/torch-cuda/cuda_graph.trace.json.gz",
};
#define SAMPLES (sizeof samples / sizeof *samples)

struct cell {
    char *table, *column;
    int64_t rows;
};

static struct template
{
    const char *kind;
    struct ps_buf bytes;
    struct cell *cells;
    size_t n, cap;
}
templates[SAMPLES];

static struct try_shelf shelf;

/* --- good run files --------------------------------------------------------------------------- */

static struct ps_db *open_file(const char *path)
{
    PS_AUTO(ps_buf_free) struct ps_buf uri = {0};
    struct ps_db *db = NULL;

    ps_uri_path(&uri, path);
    ps_buf_puts(&uri, "?nolock=1");
    FUZZ_HOLDS(ps_db_open(uri.at, true, &db, NULL) == PS_OK);
    return db;
}

static void list_cells(struct template *t, struct ps_db *db)
{
    struct ps_stmt *stmt, *count;

    FUZZ_HOLDS(
        ps_db_prepare(db,
                      "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c "
                      "WHERE m.type = 'table' ORDER BY m.rowid, c.cid",
                      &stmt, NULL) == PS_OK);
    while (ps_stmt_row(stmt, NULL)) {
        PS_AUTO(ps_buf_free) struct ps_buf sql = {0};
        struct cell cell = {ps_strdup(ps_col_text(stmt, 0)), ps_strdup(ps_col_text(stmt, 1)), 0};

        ps_buf_printf(&sql, "SELECT count(*) FROM %s", cell.table);
        FUZZ_HOLDS(ps_db_prepare(db, sql.at, &count, NULL) == PS_OK && ps_stmt_row(count, NULL));
        cell.rows = ps_col_int(count, 0);
        ps_stmt_done(count);
        if (cell.rows == 0) {
            free(cell.table);
            free(cell.column);
            continue;
        }
        PS_PUSH_ROOM(t->cells, t->n, t->cap);
        t->cells[t->n++] = cell;
    }
    ps_stmt_done(stmt);
}

static void make(struct template *t, const char *sample)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    struct ps_err err = PS_ERR_INIT;
    struct ps_part *part = NULL;
    struct try_said said;
    struct ps_stream *in;
    struct ps_str bytes;
    struct ps_db *db;
    int fd;

    ps_buf_printf(&path, "%s/../%s", PS_TESTS_DIR, sample);
    fd = open(path.at, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        perror(path.at);
    FUZZ_HOLDS(fd >= 0);
    FUZZ_HOLDS(try_import(&shelf, fd, &said, &part, &err) == PS_OK);
    (void)close(fd);
    t->kind = said.picked->kind;
    fd = open(ps_part_path(part), O_RDONLY | O_CLOEXEC);
    in = ps_stream_fd(fd, 0);
    while ((bytes = ps_stream_peek(in, 1)).len) {
        ps_buf_str(&t->bytes, bytes);
        ps_stream_skip(in, bytes.len);
    }
    ps_stream_free(in);
    (void)close(fd);
    db = open_file(ps_part_path(part));
    list_cells(t, db);
    ps_db_close(db);
    ps_part_abort(part);
}

static void end(void)
{
    for (size_t i = 0; i < SAMPLES; i++) {
        for (size_t k = 0; k < templates[i].n; k++) {
            free(templates[i].cells[k].table);
            free(templates[i].cells[k].column);
        }
        free(templates[i].cells);
        ps_buf_free(&templates[i].bytes);
    }
    try_shelf_close(&shelf);
}

static void begin(void)
{
    if (shelf.store)
        return;
    try_shelf_open(&shelf);
    for (size_t i = 0; i < SAMPLES; i++)
        make(&templates[i], samples[i]);
    (void)atexit(end);
}

/* --- what is changed -------------------------------------------------------------------------- */

enum {
    SET_INT,
    SET_REAL,
    SET_TEXT,
    SET_BLOB,
    SET_ODD,
    OVERWRITE,
    CUT,
    SET_NULL,
    DELETE,
    RAW,
    HOWS
};

struct change {
    unsigned cell, row, how;
    struct ps_str data;
};

static bool next_change(struct ps_str *rest, struct change *out)
{
    const unsigned char *at = (const unsigned char *)rest->at;
    size_t len;

    if (rest->len < 5)
        return false;
    *out = (struct change){at[0] | (unsigned)at[1] << 8, at[2], at[3] % HOWS, {NULL, 0}};
    len = at[4];
    *rest = ps_str_skip(*rest, 5);
    len = len < rest->len ? len : rest->len;
    out->data = (struct ps_str){rest->at, len};
    *rest = ps_str_skip(*rest, len);
    return true;
}

static int64_t int_of(struct ps_str data)
{
    int64_t value = 0;

    memcpy(&value, data.at, data.len < sizeof value ? data.len : sizeof value);
    return value;
}

static int64_t odd_of(struct ps_str data)
{
    static const int64_t odd[] = {
        0,         1,         -1,         2,         255,           256,
        65535,     65536,     65537,      INT32_MAX, INT32_MIN,     UINT32_MAX,
        1ll << 32, 1ll << 53, INT64_MAX,  INT64_MIN, INT64_MAX / 2, 1000000000,
        31,        32,        4294967297, 100000};

    return odd[data.len ? (unsigned char)data.at[0] % (sizeof odd / sizeof *odd) : 0];
}

/* The value that stands there with other bytes in it, or less of them. */
static void bind_altered(sqlite3_stmt *update, struct ps_str old, const struct change *c)
{
    PS_AUTO(ps_buf_free) struct ps_buf bytes = {0};
    size_t at =
        (size_t)(uint16_t)int_of((struct ps_str){c->data.at, c->data.len < 2 ? c->data.len : 2});

    ps_buf_str(&bytes, old);
    at = bytes.len ? at % (bytes.len + 1) : 0;
    if (c->how == CUT)
        bytes.len = at;
    else
        for (size_t i = 2; i < c->data.len && at < bytes.len; i++)
            bytes.at[at++] = c->data.at[i];
    sqlite3_bind_blob64(update, 1, bytes.len ? bytes.at : "", bytes.len, SQLITE_TRANSIENT);
}

static void bind(sqlite3_stmt *update, struct ps_str old, const struct change *c)
{
    int64_t bits = int_of(c->data);
    double real;

    switch (c->how) {
    case SET_INT:
        sqlite3_bind_int64(update, 1, bits);
        break;
    case SET_ODD:
        sqlite3_bind_int64(update, 1, odd_of(c->data));
        break;
    case SET_REAL:
        memcpy(&real, &bits, sizeof real);
        sqlite3_bind_double(update, 1, real);
        break;
    case SET_TEXT:
        sqlite3_bind_text64(update, 1, c->data.at, c->data.len, SQLITE_TRANSIENT, SQLITE_UTF8);
        break;
    case SET_BLOB:
        sqlite3_bind_blob64(update, 1, c->data.at, c->data.len, SQLITE_TRANSIENT);
        break;
    case OVERWRITE:
    case CUT:
        bind_altered(update, old, c);
        break;
    default:
        break; /* NULL */
    }
}

/* What a constraint forbids stays as it is. */
static void alter(struct ps_db *db, const struct template *t, const struct change *c)
{
    const struct cell *cell = &t->cells[c->cell % t->n];
    PS_AUTO(ps_buf_free) struct ps_buf sql = {0};
    const char *key = strcmp(cell->table, "meta") == 0 ? "k" : "rowid";
    sqlite3_stmt *select = NULL, *update = NULL;

    ps_buf_printf(&sql, "SELECT %s, %s FROM %s LIMIT 1 OFFSET %lld", key, cell->column, cell->table,
                  (long long)(c->row % cell->rows));
    if (sqlite3_prepare_v2(db->handle, sql.at, -1, &select, NULL) == SQLITE_OK &&
        sqlite3_step(select) == SQLITE_ROW) {
        struct ps_str old = {sqlite3_column_blob(select, 1),
                             (size_t)sqlite3_column_bytes(select, 1)};

        sql.len = 0;
        if (c->how == DELETE)
            ps_buf_printf(&sql, "DELETE FROM %s WHERE %s = ?2", cell->table, key);
        else
            ps_buf_printf(&sql, "UPDATE %s SET %s = ?1 WHERE %s = ?2", cell->table, cell->column,
                          key);
        if (sqlite3_prepare_v2(db->handle, sql.at, -1, &update, NULL) == SQLITE_OK) {
            bind(update, old, c);
            sqlite3_bind_value(update, 2, sqlite3_column_value(select, 0));
            sqlite3_reset(select);
            (void)sqlite3_step(update);
        }
    }
    sqlite3_finalize(select);
    sqlite3_finalize(update);
}

/* Bytes of the file itself: cell and row say where. */
static void write_raw(int fd, const struct template *t, const struct change *c)
{
    uint64_t at = ((uint64_t)c->cell * 64 + c->row) % t->bytes.len;

    if (c->how == RAW && c->data.len)
        (void)!pwrite(fd, c->data.at, c->data.len, (off_t)at);
}

static struct ps_part *change(const struct template *t, struct ps_str changes)
{
    struct ps_part *part = NULL;
    struct ps_str rest = changes;
    struct change c;
    struct ps_db *db;
    int fd;

    FUZZ_HOLDS(ps_part_create(shelf.store, &part, NULL) == PS_OK);
    fd = open(ps_part_path(part), O_WRONLY | O_CLOEXEC);
    FUZZ_HOLDS(fd >= 0 && ps_write_all(fd, ps_buf_slice(&t->bytes), "", NULL) == PS_OK);
    db = open_file(ps_part_path(part));
    (void)ps_db_exec(db, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN", NULL);
    while (next_change(&rest, &c))
        if (c.how != RAW)
            alter(db, t, &c);
    (void)ps_db_exec(db, "COMMIT", NULL);
    ps_db_close(db);
    while (next_change(&changes, &c))
        write_raw(fd, t, &c);
    (void)close(fd);
    return part;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct ps_err err = PS_ERR_INIT;
    const struct template *t;
    char id[PS_ID_SIZE];
    size_t n;

    begin();
    if (len < 2)
        return 0;
    t = &templates[bytes[0] % SAMPLES];
    n = ask_count(t->kind);
    if (try_publish(&shelf, change(t, (struct ps_str){(const char *)bytes + 2, len - 2}), t->kind,
                    id, &err) != PS_OK)
        return 0;
    for (size_t i = 0; i < n; i++)
        if (bytes[1] == 0 || (bytes[1] - 1u) % n == i)
            (void)ask_run(shelf.store, id, t->kind, i, &(struct ps_err)PS_ERR_INIT);
    FUZZ_HOLDS(ps_store_remove(shelf.store, id, "", &err) == PS_OK);
    return 0;
}
