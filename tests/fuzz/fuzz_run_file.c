/* SPDX-License-Identifier: MIT */
/*
 * fuzz_run_file.c: run files as an upload or a rotten disk may bring them: any value in any cell,
 * rows that are missing or too many, any byte anywhere. The file is opened as it is, without the
 * checks of an import, and asked; the readers themselves must be memory-safe. Where the checks of
 * an import find nothing wrong with it, every question must have an answer.
 *
 * The first byte chooses a good run file, the second what it is asked (0: everything), the rest are
 * changes: two bytes a cell, one its row, one how, one how many bytes follow. The mutator knows
 * that form, and which values are ids, numbers, texts and blobs:
 * `fuzz_run_file -seed=1 -max_len=400 -timeout=120 corpus tests/fuzz/regression/run_file`.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "importers/records/functions.h"
#include "server/runfile/handle.h"
#include "server/runwrite/checks.h"
#include "server/runwrite/run_writer.h"
#include "server/runwrite/validate.h"
#include "slices/column.h"
#include "slices/slices.h"
#include "tests/fuzz/fuzz.h"
#include "tests/run_queries.h"
#include "tests/test_shelf.h"

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
    "tests/golden/hyperfine/ok_hyperfine_v2.json",
    "tests/golden/time/ok_time_v.txt",
    "tests/golden/top/ok_top.txt",
    "tests/golden/lightning/ok_both.txt",
    "tests/golden/memory_timeline/ok_sums.json",
    "tests/golden/key_averages/ok_several.txt",
    "tests/golden/nsys/ok_full.sqlite",
    "tests/recorded/torch-cuda/streams.trace.json.gz",
    "tests/recorded/torch-cuda/cuda_graph.trace.json.gz",
    "tests/fuzz/serving.trace.json.gz", /* tests/made_serving.py FILE 6 */
    "tests/fuzz/regression/serving_job/log_and_records.tar",
    "tests/fuzz/regression/serving_trace_job/one_step.tar",
};
#define SAMPLES (sizeof samples / sizeof *samples)

enum holds { HOLDS_INT, HOLDS_OTHER, HOLDS_TEXT, HOLDS_BLOB };

struct cell {
    char *table, *column;
    int64_t rows;
    size_t first, n; /* the columns of its table, in cells */
    bool is_id;
    enum holds holds; /* as declared */
};

static struct template
{
    const char *kind;
    struct ps_buf bytes;
    struct cell *cells;
    size_t n, cap;
    char
        id[PS_ID_SIZE]; /* the good run on the shelf, which others are compared with; "": not yet */
}
templates[SAMPLES];

static struct test_shelf shelf;

/* --- Valid run files --- */

static struct ps_db *open_file(const char *path)
{
    PS_AUTO(ps_buf_free) struct ps_buf uri = {0};
    struct ps_db *db = NULL;

    ps_uri_append_path(&uri, path);
    ps_buf_puts(&uri, "?nolock=1");
    FUZZ_HOLDS(ps_db_open(uri.ptr, true, &db, PS_ERR_IGNORED) == PS_OK);
    return db;
}

static enum holds declared(struct ps_str type)
{
    return ps_str_eq_c(type, "INTEGER") ? HOLDS_INT
           : ps_str_eq_c(type, "TEXT")  ? HOLDS_TEXT
           : ps_str_eq_c(type, "BLOB")  ? HOLDS_BLOB
                                        : HOLDS_OTHER;
}

static void list_cells(struct template *t, struct ps_db *db)
{
    struct ps_stmt *stmt, *count;

    FUZZ_HOLDS(ps_db_prepare(db,
                             "SELECT m.name, c.name, c.type, c.pk FROM sqlite_schema m, "
                             "pragma_table_info(m.name) c "
                             "WHERE m.type = 'table' ORDER BY m.rowid, c.cid",
                             &stmt, PS_ERR_IGNORED) == PS_OK);
    while (ps_stmt_step(stmt, PS_ERR_IGNORED)) {
        PS_AUTO(ps_buf_free) struct ps_buf sql = {0};
        struct cell cell = {.table = ps_strdup(ps_col_text(stmt, 0)),
                            .column = ps_strdup(ps_col_text(stmt, 1)),
                            .holds = declared(ps_col_text(stmt, 2)),
                            .is_id = ps_col_int(stmt, 3) != 0};

        ps_buf_printf(&sql, "SELECT count(*) FROM %s", cell.table);
        FUZZ_HOLDS(ps_db_prepare(db, sql.ptr, &count, PS_ERR_IGNORED) == PS_OK &&
                   ps_stmt_step(count, PS_ERR_IGNORED));
        cell.rows = ps_col_int(count, 0);
        ps_stmt_release(count);
        if (cell.rows == 0) {
            free(cell.table);
            free(cell.column);
            continue;
        }
        cell.first = t->n && strcmp(t->cells[t->n - 1].table, cell.table) == 0
                         ? t->cells[t->n - 1].first
                         : t->n;
        PS_RESERVE_ONE(t->cells, t->n, t->cap);
        t->cells[t->n++] = cell;
        for (size_t i = cell.first; i < t->n; i++)
            t->cells[i].n = t->n - cell.first;
    }
    ps_stmt_release(stmt);
}

static void make(struct template *t, const char *sample)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    struct ps_err err = PS_ERR_INIT;
    struct ps_part *part = NULL;
    struct import_outcome said;
    struct ps_stream *in;
    struct ps_str bytes;
    struct ps_db *db;
    int fd;

    ps_buf_printf(&path, "%s/../%s", PS_TESTS_DIR, sample);
    fd = open(path.ptr, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        perror(path.ptr);
    FUZZ_HOLDS(fd >= 0);
    FUZZ_HOLDS(test_shelf_import(&shelf, fd, &said, &part, &err) == PS_OK);
    (void)close(fd);
    t->kind = said.picked->kind;
    fd = open(ps_part_path(part), O_RDONLY | O_CLOEXEC);
    in = ps_stream_from_fd(fd, 0);
    while ((bytes = ps_stream_peek(in, 1)).len) {
        ps_buf_add_str(&t->bytes, bytes);
        ps_stream_skip(in, bytes.len);
    }
    ps_stream_free(in);
    (void)close(fd);
    db = open_file(ps_part_path(part));
    if (ps_run_validate(db, &err) != PS_OK)
        (void)fprintf(stderr, "%s: %s\n", sample, err.text);
    FUZZ_HOLDS(err.code == PS_OK);
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
    test_shelf_close(&shelf);
}

static void begin(void)
{
    if (shelf.store)
        return;
    test_shelf_open(&shelf);
    for (size_t i = 0; i < SAMPLES; i++)
        make(&templates[i], samples[i]);
    (void)atexit(end);
}

/* --- Changes --- */

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
    ADD,    /* to the number */
    COPY,   /* the value of another row */
    FILL,   /* every row of the column */
    INSERT, /* the row once more, with another value in this cell */
    CLEAR,  /* the whole table */
    REPACK, /* one value of a packed column, or one caller */
    HOWS
};

struct change {
    unsigned cell, row, how;
    struct ps_str data;
};

static bool next_change(struct ps_str *rest, struct change *out)
{
    const unsigned char *at = (const unsigned char *)rest->ptr;
    size_t len;

    if (rest->len < 5)
        return false;
    *out = (struct change){at[0] | (unsigned)at[1] << 8, at[2], at[3] % HOWS, {NULL, 0}};
    len = at[4];
    *rest = ps_str_skip(*rest, 5);
    len = len < rest->len ? len : rest->len;
    out->data = (struct ps_str){rest->ptr, len};
    *rest = ps_str_skip(*rest, len);
    return true;
}

static int64_t int_of(struct ps_str data)
{
    int64_t value = 0;

    memcpy(&value, data.ptr, data.len < sizeof value ? data.len : sizeof value);
    return value;
}

static int64_t odd_of(struct ps_str data)
{
    static const int64_t odd[] = {
        0,         1,         -1,         2,         255,           256,
        65535,     65536,     65537,      INT32_MAX, INT32_MIN,     UINT32_MAX,
        1ll << 32, 1ll << 53, INT64_MAX,  INT64_MIN, INT64_MAX / 2, 1000000000,
        31,        32,        4294967297, 100000};

    return odd[data.len ? (unsigned char)data.ptr[0] % (sizeof odd / sizeof *odd) : 0];
}

static int64_t row_of(struct ps_str data)
{
    return (uint16_t)int_of((struct ps_str){data.ptr, data.len < 2 ? data.len : 2});
}

/* Wraps: a number of the change is of any size. */
static int64_t wrap(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* The old value with other bytes in it, or fewer of them. */
static void bind_altered(sqlite3_stmt *update, struct ps_str old, const struct change *c)
{
    PS_AUTO(ps_buf_free) struct ps_buf bytes = {0};
    size_t at = (size_t)row_of(c->data);

    ps_buf_add_str(&bytes, old);
    at = bytes.len ? at % (bytes.len + 1) : 0;
    if (c->how == CUT)
        bytes.len = at;
    else
        for (size_t i = 2; i < c->data.len && at < bytes.len; i++)
            bytes.ptr[at++] = c->data.ptr[i];
    sqlite3_bind_blob64(update, 1, bytes.len ? bytes.ptr : "", bytes.len, SQLITE_TRANSIENT);
}

/* How many values the packed column `key` of a table has, as its row of chunk or packed says. */
static int64_t packed_rows(struct ps_db *db, const struct cell *cell, int64_t key)
{
    bool chunks = strcmp(cell->table, "chunk_column") == 0;
    sqlite3_stmt *stmt = NULL;
    int64_t n = 0;

    if (sqlite3_prepare_v2(db->handle,
                           chunks ? "SELECT n FROM chunk WHERE id = ?1 / 32"
                                  : "SELECT n FROM packed WHERE id = ?1 / 16",
                           -1, &stmt, NULL) == SQLITE_OK) {
        sqlite3_bind_int64(stmt, 1, key);
        if (sqlite3_step(stmt) == SQLITE_ROW)
            n = sqlite3_column_int64(stmt, 0);
    }
    sqlite3_finalize(stmt);
    return n > 0 && n <= PS_CHUNK_ROWS ? n : 0;
}

static void repack_column(struct ps_db *db, const struct cell *cell, int64_t key,
                          const struct change *c, struct ps_str old, struct ps_buf *out)
{
    static int64_t values[PS_CHUNK_ROWS];
    int64_t n = packed_rows(db, cell, key);

    if (!n || !ps_column_unpack(old, (size_t)n, values))
        return;
    if (c->data.len > 2)
        values[row_of(c->data) % n] = odd_of(ps_str_skip(c->data, 2));
    else
        values[row_of(c->data) % n] = wrap(values[row_of(c->data) % n], row_of(c->data) - 300);
    ps_column_pack(values, (size_t)n, out);
}

static void repack_calls(const struct change *c, struct ps_str old, struct ps_buf *out)
{
    struct ps_call call;

    for (int64_t i = 0; old.len && ps_calls_next(&old, &call); i++) {
        if (i == row_of(c->data) % 4) {
            call.caller = (uint32_t)odd_of(ps_str_skip(c->data, c->data.len < 2 ? c->data.len : 2));
            call.ncalls = ps_int(odd_of(c->data));
        }
        ps_calls_pack(out, &call, 1);
    }
}

static void bind_repacked(sqlite3_stmt *update, struct ps_db *db, const struct cell *cell,
                          int64_t key, struct ps_str old, const struct change *c)
{
    PS_AUTO(ps_buf_free) struct ps_buf bytes = {0};

    if (strcmp(cell->column, "callers") == 0)
        repack_calls(c, old, &bytes);
    else if (strcmp(cell->column, "data") == 0 && strcmp(cell->table, "pyramid") != 0)
        repack_column(db, cell, key, c, old, &bytes);
    sqlite3_bind_blob64(update, 1, bytes.len ? bytes.ptr : "", bytes.len, SQLITE_TRANSIENT);
}

static void bind(sqlite3_stmt *update, sqlite3_stmt *select, struct ps_db *db,
                 const struct cell *cell, const struct change *c)
{
    struct ps_str old = {sqlite3_column_blob(select, 1), (size_t)sqlite3_column_bytes(select, 1)};
    int64_t bits = int_of(c->data);
    double real;

    switch (c->how) {
    case SET_INT:
        sqlite3_bind_int64(update, 1, bits);
        break;
    case ADD:
        sqlite3_bind_int64(update, 1, wrap(sqlite3_column_int64(select, 1), bits));
        break;
    case SET_ODD:
    case FILL:
    case INSERT:
        sqlite3_bind_int64(update, 1, odd_of(c->data));
        break;
    case SET_REAL:
        memcpy(&real, &bits, sizeof real);
        sqlite3_bind_double(update, 1, real);
        break;
    case SET_TEXT:
        sqlite3_bind_text64(update, 1, c->data.ptr, c->data.len, SQLITE_TRANSIENT, SQLITE_UTF8);
        break;
    case SET_BLOB:
        sqlite3_bind_blob64(update, 1, c->data.ptr, c->data.len, SQLITE_TRANSIENT);
        break;
    case COPY:
        sqlite3_bind_int64(update, 1, row_of(c->data) % cell->rows);
        break;
    case OVERWRITE:
    case CUT:
        bind_altered(update, old, c);
        break;
    case REPACK:
        bind_repacked(update, db, cell, sqlite3_column_int64(select, 0), old, c);
        break;
    default:
        break; /* NULL */
    }
}

/* ?1: the value, ?2: the key of the row. */
static void write_sql(struct ps_buf *sql, const struct template *t, const struct cell *cell,
                      const char *key, unsigned how)
{
    const struct cell *columns = &t->cells[cell->first];

    switch (how) {
    case DELETE:
        ps_buf_printf(sql, "DELETE FROM %s WHERE %s = ?2", cell->table, key);
        return;
    case CLEAR:
        ps_buf_printf(sql, "DELETE FROM %s", cell->table);
        return;
    case FILL:
        ps_buf_printf(sql, "UPDATE OR IGNORE %s SET %s = ?1", cell->table, cell->column);
        return;
    case COPY:
        ps_buf_printf(sql, "UPDATE %s SET %s = (SELECT %s FROM %s LIMIT 1 OFFSET ?1) WHERE %s = ?2",
                      cell->table, cell->column, cell->column, cell->table, key);
        return;
    case INSERT:
        ps_buf_printf(sql, "INSERT INTO %s SELECT ", cell->table);
        for (size_t i = 0; i < cell->n; i++)
            ps_buf_printf(sql, "%s%s", i ? ", " : "",
                          &columns[i] == cell ? "?1"
                          : columns[i].is_id  ? "NULL"
                                              : columns[i].column);
        ps_buf_printf(sql, " FROM %s WHERE %s = ?2", cell->table, key);
        return;
    default:
        ps_buf_printf(sql, "UPDATE %s SET %s = ?1 WHERE %s = ?2", cell->table, cell->column, key);
    }
}

/* What a constraint forbids stays as it is. */
static void alter(struct ps_db *db, const struct template *t, const struct change *c)
{
    const struct cell *cell = &t->cells[c->cell % t->n];
    PS_AUTO(ps_buf_free) struct ps_buf select_sql = {0};
    PS_AUTO(ps_buf_free) struct ps_buf update_sql = {0};
    const char *key = strcmp(cell->table, "meta") == 0 ? "k" : "rowid";
    sqlite3_stmt *select = NULL, *update = NULL;

    ps_buf_printf(&select_sql, "SELECT %s, %s FROM %s LIMIT 1 OFFSET %lld", key, cell->column,
                  cell->table, (long long)(c->row % cell->rows));
    write_sql(&update_sql, t, cell, key, c->how);
    if (sqlite3_prepare_v2(db->handle, select_sql.ptr, -1, &select, NULL) == SQLITE_OK &&
        sqlite3_step(select) == SQLITE_ROW &&
        sqlite3_prepare_v2(db->handle, update_sql.ptr, -1, &update, NULL) == SQLITE_OK) {
        bind(update, select, db, cell, c);
        sqlite3_bind_value(update, 2, sqlite3_column_value(select, 0));
        sqlite3_reset(select);
        (void)sqlite3_step(update);
    }
    sqlite3_finalize(select);
    sqlite3_finalize(update);
}

/* Bytes of the file itself: cell and row say where. */
static void write_raw(int fd, const struct template *t, const struct change *c)
{
    uint64_t at = ((uint64_t)c->cell * 64 + c->row) % t->bytes.len;

    if (c->how == RAW && c->data.len)
        (void)!pwrite(fd, c->data.ptr, c->data.len, (off_t)at);
}

static struct ps_part *change(const struct template *t, struct ps_str changes)
{
    struct ps_part *part = NULL;
    struct ps_str rest = changes;
    struct change c;
    struct ps_db *db;
    int fd;

    FUZZ_HOLDS(ps_part_create(shelf.store, &part, PS_ERR_IGNORED) == PS_OK);
    fd = open(ps_part_path(part), O_WRONLY | O_CLOEXEC);
    FUZZ_HOLDS(fd >= 0 && ps_write_all(fd, ps_buf_slice(&t->bytes), "", PS_ERR_IGNORED) == PS_OK);
    db = open_file(ps_part_path(part));
    (void)ps_db_exec(db, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN", PS_ERR_IGNORED);
    while (next_change(&rest, &c))
        if (c.how != RAW)
            alter(db, t, &c);
    (void)ps_db_exec(db, "COMMIT", PS_ERR_IGNORED);
    ps_db_close(db);
    while (next_change(&changes, &c))
        write_raw(fd, t, &c);
    (void)close(fd);
    return part;
}

/* The good run that others of its template are compared with. */
static const char *base_of(struct template *t)
{
    if (!t->id[0])
        FUZZ_HOLDS(test_shelf_publish(&shelf, change(t, (struct ps_str){NULL, 0}), t->kind, t->id,
                                      &(struct ps_err)PS_ERR_INIT) == PS_OK);
    return t->id;
}

/* Whether an import would let the file in. Its format alone can be broken too. */
static bool passes(const struct ps_part *part)
{
    struct ps_err err = PS_ERR_INIT;
    struct ps_db *db = NULL;
    bool valid = ps_check_open_run(ps_part_path(part), &db, &err) == PS_OK &&
                 ps_check_layout(db, &err) == PS_OK && ps_check_db(db, false, &err) == PS_OK &&
                 ps_run_validate(db, &err) == PS_OK;

    ps_db_close(db);
    return valid;
}

static void ask(struct template *t, const char *id, size_t question, bool valid)
{
    struct ps_err err = PS_ERR_INIT;
    enum ps_status status = run_query(shelf.store, id, base_of(t), t->kind, question, &err);

    if (!valid || is_expected_status(status))
        return;
    (void)fprintf(stderr, "a valid run file of kind %s is asked for %s, which fails: %s\n", t->kind,
                  run_query_name(t->kind, question), err.text);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct ps_err err = PS_ERR_INIT;
    struct ps_part *part;
    struct template *t;
    char id[PS_ID_SIZE];
    bool valid;
    size_t n;

    begin();
    if (len < 2)
        return 0;
    t = &templates[bytes[0] % SAMPLES];
    n = run_queries_count(t->kind);
    part = change(t, (struct ps_str){(const char *)bytes + 2, len - 2});
    valid = passes(part);
    if (test_shelf_publish(&shelf, part, t->kind, id, &err) != PS_OK)
        return 0;
    for (size_t i = 0; i < n; i++)
        if (bytes[1] == 0 || (bytes[1] - 1u) % n == i)
            ask(t, id, i, valid);
    FUZZ_HOLDS(ps_store_remove_run(shelf.store, id, "", &err) == PS_OK);
    return 0;
}

/* --- Mutator --- */

/* Of libFuzzer; absent where fuzz_main.c calls the target. */
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t len, size_t most) __attribute__((weak));
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t len, size_t most, unsigned seed);

/* SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014):
 * below n, of the seed that libFuzzer gives. */
static size_t pick(uint64_t *state, size_t n)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (size_t)((z ^ z >> 31) % n);
}

/* A table first, so that narrow ones are changed as often as wide ones, then a column: often the
 * id. */
static size_t pick_cell(uint64_t *state, const struct template *t)
{
    const struct cell *cell = &t->cells[pick(state, t->n)];
    size_t tables = 0, wanted;

    for (size_t i = 0; i < t->n; i += t->cells[i].n)
        tables++;
    wanted = pick(state, tables);
    for (size_t i = 0; i < t->n; i += t->cells[i].n)
        if (wanted-- == 0)
            cell = &t->cells[i + (pick(state, 4) == 0 ? 0 : pick(state, t->cells[i].n))];
    return (size_t)(cell - t->cells);
}

static unsigned pick_how(uint64_t *state, enum holds holds)
{
    static const uint8_t of_ints[] = {SET_ODD, SET_ODD, ADD,      ADD,      COPY,     INSERT,
                                      FILL,    DELETE,  SET_REAL, SET_TEXT, SET_BLOB, SET_NULL},
                         of_texts[] = {SET_TEXT, OVERWRITE, CUT,      COPY,     SET_ODD,  FILL,
                                       INSERT,   DELETE,    SET_REAL, SET_BLOB, SET_NULL, CLEAR},
                         of_blobs[] = {REPACK,    REPACK, REPACK, OVERWRITE, OVERWRITE, OVERWRITE,
                                       OVERWRITE, CUT,    COPY,   DELETE,    SET_BLOB,  SET_TEXT};
    size_t i = pick(state, sizeof of_ints);

    return holds == HOLDS_BLOB ? of_blobs[i] : holds == HOLDS_TEXT ? of_texts[i] : of_ints[i];
}

/* Appends a change, of at most 5 + 18 bytes. */
static size_t put_change(uint64_t *state, const struct template *t, uint8_t *out)
{
    size_t cell = pick_cell(state, t), len = pick(state, 4) ? 10 : pick(state, 19);
    unsigned how = pick_how(state, t->cells[cell].holds);
    bool small = pick(state, 2);

    out[0] = (uint8_t)cell;
    out[1] = (uint8_t)(cell >> 8);
    out[2] = (uint8_t)pick(state, pick(state, 2) ? 4 : 256);
    out[3] = (uint8_t)how;
    for (size_t i = 0; i < len; i++)
        out[5 + i] = (uint8_t)pick(state, 256);
    if (how == ADD) { /* by a few, or by a power of two */
        int64_t by =
            small ? (int64_t)pick(state, 9) - 4 : (int64_t)(UINT64_C(1) << pick(state, 64));

        len = sizeof by;
        memcpy(out + 5, &by, len);
    }
    if (how == OVERWRITE && small) { /* the head of a packed column, with an odd number */
        int64_t value = odd_of((struct ps_str){(const char *)out + 5, len});

        len = 2 + sizeof value;
        out[5] = (uint8_t)pick(state, 64);
        out[6] = 0;
        memcpy(out + 7, &value, sizeof value);
    }
    out[4] = (uint8_t)len;
    return 5 + len;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t len, size_t most, unsigned seed)
{
    enum { CHANGE = 5 + 18, CHANGES = 4 };
    uint64_t state = seed;
    struct ps_str rest;
    struct change c;

    begin();
    if (most < 2 + CHANGES * CHANGE || pick(&state, 8) == 0)
        return LLVMFuzzerMutate(bytes, len, most);
    if (len < 2 || pick(&state, 4) == 0)
        bytes[0] = (uint8_t)pick(&state, SAMPLES);
    bytes[1] = (uint8_t)(pick(&state, 4) ? 0 : pick(&state, 256));
    if (len < 2 || pick(&state, 2) || len > most - CHANGES * CHANGE)
        len = 2;
    /* What is kept ends with a whole change. */
    rest = (struct ps_str){(const char *)bytes + 2, len - 2};
    while (next_change(&rest, &c))
        continue;
    len -= rest.len;
    for (size_t i = 1 + pick(&state, CHANGES); i; i--)
        len += put_change(&state, &templates[bytes[0] % SAMPLES], bytes + len);
    return len;
}
