/* SPDX-License-Identifier: MIT */
/* pieces_test.c: an upload whose pieces come to whichever server. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "server/catalog/partial.h"
#include "tests/unit/postgres.h"
#include "tests/unit/servers.h"

#define PIECES "SELECT count(*) FROM kept WHERE folder = 'pieces'"
#define MAX    1000

static char *spool(struct ps_store *store, const char *text)
{
    char *path = NULL;
    PS_AUTO(ps_close_fd) int fd = -1;

    assert_int_equal(ps_store_create_spool_file(store, &path, &fd, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_write_all(fd, ps_str_from_c(text), path, PS_ERR_IGNORED), PS_OK);
    return path;
}

static enum ps_status append(struct ps_store *store, const char *id, uint64_t offset,
                             const char *text, uint64_t *bytes)
{
    PS_AUTO(ps_free_ptr) char *path = spool(store, text);
    enum ps_status status =
        ps_partial_upload_append(store, id, "mei", offset, path, MAX, bytes, PS_ERR_IGNORED);

    assert_int_equal(access(path, F_OK) == 0, status != PS_OK);
    (void)unlink(path);
    return status;
}

static void expect_file(const char *path, const char *text)
{
    char is[64] = "";
    PS_AUTO(ps_close_fd) int fd = open(path, O_RDONLY | O_CLOEXEC);

    assert_true(fd >= 0);
    assert_int_equal(read(fd, is, sizeof is - 1), strlen(text));
    assert_string_equal(is, text);
}

static void pieces_come_to_any_server(void **state)
{
    struct ps_store *a = open_server(*state, "a"), *b = open_server(*state, "b");
    PS_AUTO(ps_free_ptr) char *path = NULL;
    char id[PS_PARTIAL_UPLOAD_ID_SIZE], none[PS_PARTIAL_UPLOAD_ID_SIZE] = "0";
    uint64_t bytes = 7;

    assert_int_equal(ps_partial_upload_begin(a, "mei", id, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_partial_upload_bytes(b, id, "mei", &bytes, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(bytes, 0);
    assert_int_equal(append(a, id, 0, "one ", &bytes), PS_OK);
    assert_int_equal(bytes, 4);
    assert_int_equal(append(b, id, 0, "one ", &bytes), PS_CONFLICT); /* it was heard */
    assert_int_equal(append(b, id, 4, "two ", &bytes), PS_OK);
    assert_int_equal(append(a, id, 4, "two ", &bytes), PS_CONFLICT);
    postgres_command("kill");
    postgres_command("start");
    assert_int_equal(append(a, id, 8, "three", &bytes), PS_OK);
    assert_int_equal(bytes, 13);
    assert_int_equal(count(a, PIECES), 3);
    assert_int_equal(ps_partial_upload_bytes(b, id, "eve", &bytes, PS_ERR_IGNORED), PS_NOT_FOUND);
    assert_int_equal(ps_partial_upload_bytes(b, none, "mei", &bytes, PS_ERR_IGNORED), PS_NOT_FOUND);
    assert_int_equal(ps_partial_upload_claim(b, id, "mei", 12, &path, PS_ERR_IGNORED), PS_CONFLICT);
    assert_null(path);
    assert_int_equal(ps_partial_upload_claim(b, id, "mei", 13, &path, PS_ERR_IGNORED), PS_OK);
    expect_file(path, "one two three");
    assert_int_equal(count(b, PIECES), 0);
    assert_int_equal(append(a, id, 13, "more", &bytes), PS_NOT_FOUND);
    ps_store_close(a);
    ps_store_close(b);
}

static void what_is_too_much_is_refused(void **state)
{
    struct ps_store *a = open_server(*state, "a");
    char id[PS_PARTIAL_UPLOAD_ID_SIZE], long_text[MAX + 2];
    uint64_t bytes = 0;
    struct ps_err err = PS_ERR_INIT;

    memset(long_text, 'x', MAX + 1);
    long_text[MAX + 1] = '\0';
    assert_int_equal(ps_partial_upload_begin(a, "mei", id, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(append(a, id, 0, long_text, &bytes), PS_LIMIT);
    assert_int_equal(append(a, id, 0, long_text + 1, &bytes), PS_OK);
    assert_int_equal(append(a, id, MAX, "x", &bytes), PS_LIMIT);
    for (int i = 1; i < PS_PARTIAL_UPLOADS_MAX; i++)
        assert_int_equal(ps_partial_upload_begin(a, "mei", id, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_partial_upload_begin(a, "mei", id, &err), PS_CONFLICT);
    assert_int_equal(ps_partial_upload_begin(a, "eve", id, PS_ERR_IGNORED), PS_OK);
    ps_store_close(a);
}

static void what_is_given_up_goes(void **state)
{
    struct ps_store *a = open_server(*state, "a"), *b = open_server(*state, "b");
    char id[PS_PARTIAL_UPLOAD_ID_SIZE], old[PS_PARTIAL_UPLOAD_ID_SIZE],
        fresh[PS_PARTIAL_UPLOAD_ID_SIZE];
    uint64_t bytes = 0;

    assert_int_equal(ps_partial_upload_begin(a, "mei", id, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(append(a, id, 0, "one", &bytes), PS_OK);
    assert_int_equal(append(a, id, 3, "two", &bytes), PS_OK);
    assert_int_equal(ps_partial_upload_remove(b, id, "eve", PS_ERR_IGNORED), PS_NOT_FOUND);
    assert_int_equal(ps_partial_upload_remove(b, id, "mei", PS_ERR_IGNORED), PS_OK);
    assert_int_equal(count(b, PIECES), 0);
    assert_int_equal(ps_partial_upload_bytes(a, id, "mei", &bytes, PS_ERR_IGNORED), PS_NOT_FOUND);

    assert_int_equal(ps_partial_upload_begin(a, "mei", old, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(append(a, old, 0, "one", &bytes), PS_OK);
    assert_int_equal(ps_catalog_begin(a, PS_NOT_DURABLE, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(
        ps_catalog_end(a, ps_db_exec(a->catalog, "UPDATE partial SET at = 1", PS_ERR_IGNORED),
                       PS_ERR_IGNORED),
        PS_OK);
    assert_int_equal(ps_partial_upload_begin(b, "mei", fresh, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(count(b, PIECES), 0);
    assert_int_equal(count(b, "SELECT count(*) FROM partial"), 1);
    assert_int_equal(ps_partial_upload_bytes(a, old, "mei", &bytes, PS_ERR_IGNORED), PS_NOT_FOUND);
    assert_int_equal(ps_partial_upload_bytes(a, fresh, "mei", &bytes, PS_ERR_IGNORED), PS_OK);
    ps_store_close(a);
    ps_store_close(b);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, make, drop)

int pieces_test(void)
{
    const struct CMUnitTest tests[] = {
        WITH(pieces_come_to_any_server),
        WITH(what_is_too_much_is_refused),
        WITH(what_is_given_up_goes),
    };

    return postgres_start() ? cmocka_run_group_tests_name("pieces", tests, NULL, NULL) : 0;
}
