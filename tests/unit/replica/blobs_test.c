/* SPDX-License-Identifier: MIT */
/* blobs_test.c: on a real PostgreSQL: bytes there and back, and which of them stay.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <unistd.h>

#include "server/replica/clock.h"
#include "tests/unit/blob_files.h"
#include "tests/unit/postgres.h"

/* --- Round trip --- */

static void bytes_come_back(void **state)
{
    static const uint64_t sizes[] = {0,       1, PS_BLOB_CHUNK - 1, PS_BLOB_CHUNK, 17 * MIB + 5,
                                     40 * MIB}; /* beyond a group, beyond a window */
    struct ps_pg *pg = connect_to(*state);

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct file file = new_file(sizes[i], i);
        struct ps_err err = PS_ERR_INIT;
        char place[16];

        (void)snprintf(place, sizeof place, "s-%zu", i);
        (void)send_file(pg, "s", place, &file, &err);
        assert_string_equal(err.text, "");
        expect_bytes(pg, &file);
        (void)close(file.fd);
    }
    assert_int_equal(BLOBS(pg), 6);
    assert_int_equal(CHUNKS(pg), 0 + 1 + 1 + 1 + 35 + 80);
    assert_int_equal(sweep(pg, all_are_needed), 0);
    assert_int_equal(sweep(pg, none_are_needed), 6);
    expect_no_blobs(pg);
    ps_pg_free(pg);
}

static void what_is_there_is_not_sent_again(void **state)
{
    struct ps_pg *pg = connect_to(*state);
    struct file file = new_file(3 * MIB, 1);

    assert_int_equal(send_file(pg, "s", "s-1", &file, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(send_file(pg, "t", "t-1", &file, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(CHUNKS(pg), 6);
    assert_int_equal(LOOSE(pg), 1);
    (void)close(file.fd);
    ps_pg_free(pg);
}

static void other_bytes_are_refused(void **state)
{
    struct ps_pg *pg = connect_to(*state);
    struct file file = new_file(9 * MIB, 1), other = new_file(9 * MIB, 2);
    struct ps_err err = PS_ERR_INIT;

    file.fd = dup2(other.fd, file.fd);
    assert_int_equal(send_file(pg, "s", "s-1", &file, &err), PS_BAD_INPUT);
    file.bytes = MIB; /* the file has grown meanwhile */
    assert_int_equal(send_file(pg, "s", "s-2", &file, PS_ERR_IGNORED), PS_BAD_INPUT);
    assert_int_equal(BLOBS(pg), 0);
    assert_int_equal(sweep(pg, all_are_needed), 2);
    expect_no_blobs(pg);
    (void)close(file.fd);
    (void)close(other.fd);
    ps_pg_free(pg);
}

static enum ps_status take_one(void *user, struct ps_str bytes, struct ps_err *err)
{
    (void)bytes;
    return ++*(int *)user == 1 ? PS_OK : ps_fail(err, PS_FULL, "enough");
}

static void what_is_not_there_is_told(void **state)
{
    struct ps_pg *pg = connect_to(*state);
    struct file file = new_file(5 * MIB, 1);
    struct ps_content_hash content;
    int taken = 0;

    assert_int_equal(ps_blob_fetch(pg, file.hash, take_one, &taken, PS_ERR_IGNORED), PS_NOT_FOUND);
    assert_int_equal(taken, 0);
    assert_int_equal(refer(pg, "a", &file, true), PS_NOT_FOUND);
    assert_int_equal(send_file(pg, "s", "s-1", &file, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_blob_fetch(pg, file.hash, take_one, &taken, PS_ERR_IGNORED), PS_FULL);
    assert_int_equal(taken, 2);
    expect_bytes(pg, &file); /* the connection is as it was */
    assert_int_equal(ask(pg, "DELETE FROM chunk WHERE n = 4 RETURNING n"), 4);
    ps_content_hash_begin(&content);
    assert_int_equal(ps_blob_fetch(pg, file.hash, add_bytes, &content, PS_ERR_IGNORED), PS_IO);
    assert_int_equal(content.bytes, 2 * MIB);
    ps_content_hash_end(&content, NULL);
    (void)close(file.fd);
    ps_pg_free(pg);
}

/* --- Kept and removed blobs --- */

static void what_is_referred_to_stays(void **state)
{
    struct ps_pg *pg = connect_to(*state);
    struct file file = new_file(2 * MIB, 1);

    assert_int_equal(send_file(pg, "s", "s-1", &file, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(refer(pg, "a", &file, true), PS_OK);
    assert_int_equal(refer(pg, "b", &file, true), PS_OK);
    assert_int_equal(LOOSE(pg), 0);
    assert_int_equal(refer(pg, "a", &file, false), PS_OK);
    assert_int_equal(LOOSE(pg), 1);
    assert_int_equal(sweep(pg, none_are_needed), 1); /* b holds it */
    assert_int_equal(LOOSE(pg), 0);
    expect_bytes(pg, &file);
    assert_int_equal(refer(pg, "b", &file, false), PS_OK);
    assert_int_equal(refer(pg, "c", &file, true), PS_OK); /* before the sweep */
    assert_int_equal(sweep(pg, none_are_needed), 0);
    expect_bytes(pg, &file);
    assert_int_equal(refer(pg, "c", &file, false), PS_OK);
    assert_int_equal(sweep(pg, all_are_needed), 1);
    expect_no_blobs(pg);
    assert_int_equal(ask(pg, "SELECT n FROM clock"), 6); /* sweeps are nobody's news */
    assert_int_equal(refer(pg, "d", &file, true), PS_NOT_FOUND);
    assert_int_equal(send_file(pg, "s", "s-2", &file, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(refer(pg, "d", &file, true), PS_OK);
    (void)close(file.fd);
    ps_pg_free(pg);
}

/* A session finds the bytes, so it does not send them; then the last reference to them ends. */
static void what_a_sender_found_stays(void **state)
{
    struct ps_pg *pg = connect_to(*state);
    struct file file = new_file(2 * MIB, 1);

    assert_int_equal(send_file(pg, "s", "s-1", &file, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(refer(pg, "a", &file, true), PS_OK);
    assert_int_equal(send_file(pg, "t", "t-1", &file, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(refer(pg, "a", &file, false), PS_OK);
    assert_int_equal(sweep(pg, all_are_needed), 0);
    assert_int_equal(refer(pg, "b", &file, true), PS_OK);
    assert_int_equal(LOOSE(pg), 0);
    expect_bytes(pg, &file);
    assert_int_equal(refer(pg, "b", &file, false), PS_OK);
    assert_int_equal(send_file(pg, "t", "t-2", &file, PS_ERR_IGNORED),
                     PS_OK); /* after the removal */
    assert_int_equal(sweep(pg, all_are_needed), 0);
    expect_bytes(pg, &file);
    assert_int_equal(sweep(pg, none_are_needed), 1); /* the sender has ended */
    expect_no_blobs(pg);
    (void)close(file.fd);
    ps_pg_free(pg);
}

/* One that is untied and tied by one transaction, as when a file takes the place of its like. */
static void a_transaction_may_do_both(void **state)
{
    struct ps_pg *pg = connect_to(*state);
    struct file file = new_file(MIB, 1);
    struct ps_clock clock;

    assert_int_equal(send_file(pg, "s", "s-1", &file, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(refer(pg, "a", &file, true), PS_OK);
    assert_int_equal(ps_clock_begin(pg, 0, &clock, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_blob_remove_reference(pg, file.hash, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_blob_remove_reference(pg, file.hash, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_blob_add_reference(pg, file.hash, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(ps_pg_commit(pg, PS_ERR_IGNORED), PS_OK);
    assert_int_equal(LOOSE(pg), 0);
    expect_bytes(pg, &file);
    (void)close(file.fd);
    ps_pg_free(pg);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, make_store, drop_store)

int blobs_test(void)
{
    const struct CMUnitTest tests[] = {
        WITH(bytes_come_back),           WITH(what_is_there_is_not_sent_again),
        WITH(other_bytes_are_refused),   WITH(what_is_not_there_is_told),
        WITH(what_is_referred_to_stays), WITH(what_a_sender_found_stays),
        WITH(a_transaction_may_do_both),
    };

    return postgres_start() ? cmocka_run_group_tests_name("blobs", tests, NULL, NULL) : 0;
}
