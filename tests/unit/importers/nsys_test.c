/* SPDX-License-Identifier: MIT */
/* nsys_test.c: exports of Nsight Systems: what a version lacks, and files that are damaged or made
 * to do harm. What rows become stands in tests/golden/nsys. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sqlite.h"
#include "tests/dump_sink.h"

#define PAGE 512

/* The bytes of a database that these statements make. */
static struct ps_buf made(const char *sql)
{
    struct ps_buf bytes = {0};
    sqlite3 *db = NULL;
    sqlite3_int64 size;
    unsigned char *image;

    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "PRAGMA page_size = 512", NULL, NULL, NULL), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s", sqlite3_errmsg(db));
    image = sqlite3_serialize(db, "main", &size, 0);
    assert_non_null(image);
    ps_buf_add(&bytes, image, (size_t)size);
    sqlite3_free(image);
    sqlite3_close(db);
    return bytes;
}

static struct ps_buf golden(const char *name)
{
    struct ps_buf bytes = {0}, path = {0};
    char block[4096];
    FILE *file;
    size_t n;

    ps_buf_printf(&path, "%s/golden/nsys/%s", PS_TESTS_DIR, name);
    file = fopen(path.ptr, "rb");
    assert_non_null(file);
    while ((n = fread(block, 1, sizeof block, file)) > 0)
        ps_buf_add(&bytes, block, n);
    (void)fclose(file);
    ps_buf_free(&path);
    return bytes;
}

/* The bytes as a file without a name. */
static int file_of(const struct ps_buf *bytes)
{
    int fd = open("/tmp", O_TMPFILE | O_RDWR, 0600);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes->ptr, bytes->len), bytes->len);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    return fd;
}

static void holds(const struct ps_buf *dump, const char *line)
{
    if (!ps_str_find(ps_buf_slice(dump), ps_str_from_c(line)))
        fail_msg("\"%s\" is not in\n%.*s", line, (int)dump->len, dump->ptr);
}

#define STRINGS "CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"

/* --- SQLite reader --- */

static void test_tables(void **state)
{
    struct ps_buf bytes =
        made("CREATE TABLE a(x, y); CREATE TABLE \"b \"\"c\"(z); CREATE VIEW v AS "
             "SELECT 1 AS x; INSERT INTO a VALUES (1, 'one'), (2.0, NULL),"
             " (2.5, x'00'), ('7', 9)");
    static const char *const columns[] = {"Y", "missing", "x"};
    struct ps_sqlite *db = NULL;
    struct ps_rows *rows = NULL;
    struct ps_err err = PS_ERR_INIT;
    int fd = file_of(&bytes);
    int64_t value = -1;

    (void)state;
    assert_int_equal(ps_sqlite_open(fd, &db, &err), PS_OK);
    assert_int_equal(ps_sqlite_count_tables(db), 2);
    assert_string_equal(ps_sqlite_table_name(db, 1), "b \"c");
    assert_true(ps_sqlite_has_table(db, "A") && !ps_sqlite_has_table(db, "v"));
    assert_int_equal(ps_rows_begin(db, "v", columns, 3, &rows, &err), PS_OK);
    assert_null(rows);
    assert_int_equal(ps_rows_begin(db, "a", columns, 3, &rows, &err), PS_OK);
    assert_true(ps_rows_has_column(rows, 0) && !ps_rows_has_column(rows, 1) &&
                ps_rows_has_column(rows, 2));
    assert_true(ps_rows_next(rows, &err));
    assert_true(ps_rows_int(rows, 2, &value) && value == 1);
    assert_true(ps_str_eq_c(ps_rows_text(rows, 0), "one"));
    assert_null(ps_rows_text(rows, 1).ptr);
    assert_true(ps_rows_next(rows, &err));
    assert_true(ps_rows_int(rows, 2, &value) && value == 2);
    assert_null(ps_rows_text(rows, 0).ptr);
    assert_true(ps_rows_next(rows, &err));
    assert_false(ps_rows_int(rows, 2, &value));
    assert_true(ps_rows_num(rows, 2).kind == PS_NUM_REAL);
    assert_true(ps_rows_next(rows, &err));
    assert_false(ps_rows_int(rows, 2, &value)); /* a text stays one */
    assert_false(ps_rows_next(rows, &err));
    assert_int_equal(err.code, PS_OK);
    ps_rows_end(rows);
    assert_true(ps_sqlite_bytes_read(db, &(uint64_t){0}) > 0);
    ps_sqlite_close(db);
    (void)close(fd);
    ps_buf_free(&bytes);
}

/* The file is left as it is, and nothing appears beside it. */
static void test_untouched(void **state)
{
    struct ps_buf bytes = made(STRINGS "PRAGMA user_version = 1"), dump = {0};
    struct stat before, after;
    struct dump_sink sink;
    struct ps_err err = PS_ERR_INIT;
    const struct ps_importer *picked = NULL;
    int fd = file_of(&bytes);

    (void)state;
    bytes.ptr[18] = bytes.ptr[19] = 2; /* "there is a write-ahead log" */
    assert_int_equal(pwrite(fd, bytes.ptr, bytes.len, 0), bytes.len);
    assert_int_equal(fchmod(fd, 0400), 0);
    assert_int_equal(fstat(fd, &before), 0);
    dump_sink_init(&sink, &dump);
    assert_int_equal(ps_import_stream(ps_stream_from_fd(fd, bytes.len), &sink.sink, &picked, &err),
                     PS_UNKNOWN_KIND); /* it holds no more than a table of texts */
    assert_int_equal(fstat(fd, &after), 0);
    assert_int_equal(before.st_size, after.st_size);
    assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
    (void)close(fd);
    ps_buf_free(&bytes);
    ps_buf_free(&dump);
}

/* --- Streams --- */

static void test_stream_file(void **state)
{
    struct ps_buf bytes = made(STRINGS);
    int fd = file_of(&bytes), pipes[2];
    struct ps_stream *in =
        ps_stream_to_utf8(ps_stream_decompress(ps_stream_from_fd(fd, bytes.len), NULL));

    (void)state;
    (void)ps_stream_peek(in, 100);
    assert_int_equal(ps_stream_regular_fd(in), fd);
    ps_stream_free(in);
    in = ps_stream_from_memory(ps_buf_slice(&bytes), 0);
    assert_int_equal(ps_stream_regular_fd(in), -1);
    ps_stream_free(in);
    assert_int_equal(lseek(fd, 10, SEEK_SET), 10); /* some of it was read before */
    in = ps_stream_from_fd(fd, 0);
    assert_int_equal(ps_stream_regular_fd(in), -1);
    ps_stream_free(in);
    assert_int_equal(pipe(pipes), 0);
    in = ps_stream_from_fd(pipes[0], 0);
    assert_int_equal(ps_stream_regular_fd(in), -1);
    ps_stream_free(in);
    (void)close(pipes[0]);
    (void)close(pipes[1]);
    (void)close(fd);
    ps_buf_free(&bytes);
}

/* --- Versions --- */

/* What is not there is not asked for: each table alone, with no more than its first columns. */
static void test_lacking(void **state)
{
    static const char *const tables[] = {
        "CUPTI_ACTIVITY_KIND_KERNEL(start, end)", "CUPTI_ACTIVITY_KIND_MEMCPY(start, end)",
        "CUPTI_ACTIVITY_KIND_MEMSET(start, end)", "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION(start, end)",
        "CUPTI_ACTIVITY_KIND_GRAPH_TRACE(start, end)"};

    (void)state;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        struct ps_buf sql = {0}, bytes, dump = {0};

        ps_buf_printf(&sql,
                      STRINGS "CREATE TABLE %s; INSERT INTO %.*s VALUES (5, 9), (NULL, 3),"
                              " (3, NULL), (4611686018427387904, 1), (20, 21), (30, 31), (40, 41)",
                      tables[i], (int)(strchr(tables[i], '(') - tables[i]), tables[i]);
        bytes = made(sql.ptr);
        assert_int_equal(dump_bytes(ps_buf_slice(&bytes), 0, &dump), PS_OK);
        holds(&dump, "ledger rows read=7 stored=4 repaired=0 rejected=3 other=0\n");
        ps_buf_free(&sql);
        ps_buf_free(&bytes);
        ps_buf_free(&dump);
    }
}

/* A table of which most cannot be used is not what its name says. */
static void test_most_unusable(void **state)
{
    struct ps_buf dump = {0};
    struct ps_buf bytes = made(STRINGS "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(begin, finish);"
                                       "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 2)");

    (void)state;
    assert_int_equal(dump_bytes(ps_buf_slice(&bytes), 0, &dump), PS_BAD_INPUT);
    ps_buf_free(&bytes);
    ps_buf_free(&dump);
}

/* Two processes number their calls alike, on threads that look negative. */
static void test_same_correlation(void **state)
{
    struct ps_buf
        dump = {0},
        bytes = made(
            STRINGS
            "INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'k');"
            "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start, end, globalTid, correlationId, "
            "nameId);"
            "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, end, deviceId, contextId, streamId,"
            " correlationId, globalPid, shortName);"
            "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES"
            " (100, 110, -144115188075855872 | 50 << 24 | 51, 7, 1), (90, 95, 60 << 24 | 61, 7, 1);"
            "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (200, 210, 0, 1, 7, 7, 60 << 24, 2),"
            " (150, 155, 0, 1, 9, 7, -144115188075855872 | 50 << 24, 2)");

    (void)state;
    assert_int_equal(dump_bytes(ps_buf_slice(&bytes), 0, &dump), PS_OK);
    /* The call of 50 is row 0 of track 3, that of 60 of track 4, whatever is later. */
    holds(&dump, "track 3 process=2 kind=0 name=\"thread 51\" tid=\"51\"");
    holds(&dump, "slice 0 start=200 duration=10 self=10 name=2 category=1 kind=6 family=7 "
                 "template=2 launch=17179869184");
    holds(&dump, "slice 0 start=150 duration=5 self=5 name=2 category=1 kind=6 family=7 "
                 "template=2 launch=12884901888");
    ps_buf_free(&bytes);
    ps_buf_free(&dump);
}

/* The name of a call loses the CUDA version, four digits or more, and no other number. */
static void test_versions_of_calls(void **state)
{
    static const char *const names[][2] = {{"cudaMalloc_v3020", "cudaMalloc"},
                                           {"cudaSame_v11090", "cudaSame"},
                                           {"cuCtxCreate_v2", "cuCtxCreate_v2"},
                                           {"cudaThree_v302", "cudaThree_v302"},
                                           {"cudaJoined3020", "cudaJoined3020"},
                                           {"cudaOther_w3020", "cudaOther_w3020"},
                                           {"cudaLater_v3020_ptsz", "cudaLater_v3020_ptsz"},
                                           {"_v3020", "_v3020"}};
    const size_t n = sizeof names / sizeof *names;
    struct ps_buf sql = {0}, dump = {0}, line = {0}, bytes;

    (void)state;
    ps_buf_puts(&sql, STRINGS "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start, end, globalTid, "
                              "correlationId, nameId);");
    for (size_t i = 0; i < n; i++)
        ps_buf_printf(&sql,
                      "INSERT INTO StringIds VALUES (%zu, '%s'); INSERT INTO "
                      "CUPTI_ACTIVITY_KIND_RUNTIME VALUES (%zu, %zu, 50 << 24 | 51, %zu, %zu);",
                      i + 1, names[i][0], 100 * i, 100 * i + 10, i, i + 1);
    bytes = made(sql.ptr);
    assert_int_equal(dump_bytes(ps_buf_slice(&bytes), 0, &dump), PS_OK);
    for (size_t i = 0; i < n; i++) {
        line.len = 0;
        ps_buf_printf(&line, "text=\"%s\"\n", names[i][1]);
        holds(&dump, line.ptr);
    }
    ps_buf_free(&sql);
    ps_buf_free(&bytes);
    ps_buf_free(&dump);
    ps_buf_free(&line);
}

/* Only totals of devices that a table has room for are summed: -5 and 4096 are devices too. */
static void test_odd_devices(void **state)
{
    struct ps_buf
        dump = {0},
        bytes = made(
            STRINGS
            "INSERT INTO StringIds VALUES (2, 'k');"
            "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, end, deviceId, contextId, streamId,"
            " correlationId, globalPid, shortName);"
            "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (200, 210, 0, 1, 7, 7, 50 << 24, 2);"
            "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS(start, globalPid, deviceId, address, bytes,"
            " memoryOperationType, memKind);"
            "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES"
            " (10, 50 << 24, 0, 1, 300, 0, 2), (20, 50 << 24, -5, 2, 40, 0, 2),"
            " (30, 50 << 24, -9223372036854775807, 3, 50, 0, 2),"
            " (40, 50 << 24, 4096, 4, 60, 0, 2), (50, 50 << 24, 0, 5, 7, 0, 2)");

    (void)state;
    assert_int_equal(dump_bytes(ps_buf_slice(&bytes), 0, &dump), PS_OK);
    holds(&dump, "307");
    ps_buf_free(&bytes);
    ps_buf_free(&dump);
}

/* --- Damage --- */

/* Either a whole import or one sentence; which of them is not said. */
static void import_any(const struct ps_buf *bytes)
{
    struct dump_sink dump;
    struct ps_err err = PS_ERR_INIT;
    const struct ps_importer *picked = NULL;
    enum ps_status status;

    dump_sink_init(&dump, NULL);
    status =
        ps_import_stream(ps_stream_from_memory(ps_buf_slice(bytes), 0), &dump.sink, &picked, &err);
    assert_int_equal(status, err.code);
    if (status != PS_OK) {
        assert_true(err.text[0] != '\0');
        return;
    }
    assert_true(dump.has_ledger && dump.has_headline);
    assert_int_equal(dump.ledger.read, dump.ledger.stored + dump.ledger.repaired +
                                           dump.ledger.rejected + dump.ledger.other);
}

static void test_cuts(void **state)
{
    struct ps_buf whole = golden("ok_old.sqlite");

    (void)state;
    for (size_t len = 0; len < whole.len; len += 37) {
        struct ps_buf cut = {0};
        struct ps_buf dump = {0};

        ps_buf_add(&cut, whole.ptr, len);
        assert_int_not_equal(dump_bytes(ps_buf_slice(&cut), 0, &dump), PS_OK);
        ps_buf_free(&cut);
        ps_buf_free(&dump);
    }
    ps_buf_free(&whole);
}

static void test_damage(void **state)
{
    static const char marks[] = {0, 1, 0x7f, (char)0x80, (char)0xff};
    struct ps_buf whole = golden("ok_full.sqlite");

    (void)state;
    for (size_t at = 0; at < whole.len; at += at < 1100 ? 3 : 41) {
        char was = whole.ptr[at];

        whole.ptr[at] = marks[at % sizeof marks];
        import_any(&whole);
        whole.ptr[at] = was;
    }
    for (size_t page = 0; page < whole.len / 1024; page++) {
        struct ps_buf other = {0};

        ps_buf_add(&other, whole.ptr, whole.len);
        memcpy(other.ptr + page * 1024, whole.ptr + (page * 7 + 3) % (whole.len / 1024) * 1024,
               1024);
        import_any(&other);
        ps_buf_free(&other);
    }
    ps_buf_free(&whole);
}

static void put(char *at, unsigned value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (char)(value >> 8 * (bytes - 1 - i));
}

/* An interior page of a table, all of whose children are one. */
static void interior(char *page, unsigned child, unsigned cells)
{
    memset(page, 0, PAGE);
    page[0] = 5;
    put(page + 3, cells, 2);
    put(page + 5, PAGE - cells * 5, 2);
    put(page + 8, child, 4);
    for (unsigned i = 0; i < cells; i++) {
        char *cell = page + PAGE - (i + 1) * 5;

        put(page + 12 + 2 * i, (unsigned)(cell - page), 2);
        put(cell, child, 4);
        cell[4] = (char)(i + 1);
    }
}

/* 60 to the power of 5 rows in some pages. */
static void test_endless(void **state)
{
    struct ps_buf dump = {0},
                  bytes = made(STRINGS "CREATE TABLE OSRT_API(start, end, globalTid, nameId);"
                                       "INSERT INTO OSRT_API VALUES (1, 2, 3, 4), (1, 2, 3, 4)");
    unsigned leaf = (unsigned)(bytes.len / PAGE);

    (void)state;
    ps_buf_reserve(&bytes, 5 * PAGE);
    memcpy(bytes.ptr + bytes.len + 4 * PAGE, bytes.ptr + (leaf - 1) * PAGE, PAGE);
    for (unsigned i = 0; i < 5; i++)
        interior(bytes.ptr + (leaf - 1 + i) * PAGE, leaf + 1 + i, 60);
    bytes.len += 5 * PAGE;
    put(bytes.ptr + 28, leaf + 5, 4);
    assert_int_equal(dump_bytes(ps_buf_slice(&bytes), 0, &dump), PS_BAD_INPUT);
    holds(&dump, "table OSRT_API claims more rows than the file can hold");
    ps_buf_free(&bytes);
    ps_buf_free(&dump);
}

int nsys_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_untouched),
        cmocka_unit_test(test_stream_file),
        cmocka_unit_test(test_lacking),
        cmocka_unit_test(test_most_unusable),
        cmocka_unit_test(test_same_correlation),
        cmocka_unit_test(test_versions_of_calls),
        cmocka_unit_test(test_odd_devices),
        cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_endless),
    };

    return cmocka_run_group_tests_name("nsys", tests, NULL, NULL);
}
