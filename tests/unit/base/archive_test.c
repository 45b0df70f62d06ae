/* SPDX-License-Identifier: MIT */
/* Archives: what was written comes back member by member; damage is told, not survived in silence.
 */
#include "base/archive.h"

#include "base/buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static const struct ps_stream_limits limits = {.max_inflated = 1 << 20, .max_inflated_ratio = 1000};

static int empty_file(void)
{
    char path[] = "/tmp/archive_test.XXXXXX";
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    assert_int_equal(unlink(path), 0);
    return fd;
}

static void add(struct ps_archive_writer *writer, const char *name, struct ps_str text,
                uint64_t bytes, enum ps_status wanted)
{
    struct ps_stream *in = ps_stream_from_memory(text, 0);
    struct ps_err err = PS_ERR_INIT;

    assert_int_equal(ps_archive_writer_add(writer, name, bytes, in, &err), wanted);
    ps_stream_free(in);
}

static struct ps_buf tar_of_two(void)
{
    PS_AUTO(ps_close_fd) int tar = empty_file();
    struct ps_archive_writer *writer = ps_archive_writer_new(tar);
    struct ps_err err = PS_ERR_INIT;
    struct ps_buf bytes = {0};
    off_t size;

    add(writer, "rank0.json", PS_STR("first"), 5, PS_OK);
    add(writer, "folder/r\xc3\xa4nk1.json", PS_STR(""), 0, PS_OK);
    assert_int_equal(ps_archive_writer_end(writer, &err), PS_OK);
    size = lseek(tar, 0, SEEK_END);
    ps_buf_reserve(&bytes, (size_t)size);
    assert_int_equal(pread(tar, bytes.ptr, (size_t)size, 0), size);
    bytes.len = (size_t)size;
    return bytes;
}

static void comes_back(void **state)
{
    PS_AUTO(ps_buf_free) struct ps_buf tar = tar_of_two(), again = tar_of_two();
    struct ps_stream *in = ps_stream_from_memory(ps_buf_slice(&tar), 100), *member;
    struct ps_archive *archive = ps_archive_open(in, &limits);
    struct ps_err err = PS_ERR_INIT;
    struct ps_str name, bytes;

    (void)state;
    assert_true(ps_is_archive(ps_buf_slice(&tar)));
    assert_true(ps_str_eq(ps_buf_slice(&tar), ps_buf_slice(&again)));
    assert_true(ps_archive_next(archive, &name, NULL));
    assert_true(ps_str_eq_c(name, "rank0.json"));
    member = ps_archive_member(archive);
    bytes = ps_stream_peek(member, 100);
    assert_true(ps_str_eq_c(bytes, "first"));
    ps_stream_free(member);
    assert_true(ps_archive_next(archive, &name, NULL));
    assert_true(ps_str_eq_c(name, "folder/r\xc3\xa4nk1.json"));
    assert_false(ps_archive_next(archive, &name, NULL));
    assert_int_equal(ps_archive_status(archive, &err), PS_OK);
    ps_archive_free(archive);
    ps_stream_free(in);
}

/* Every shorter file: all that is there comes, then the end or a failure; nothing crashes. */
static void cut_anywhere(void **state)
{
    PS_AUTO(ps_buf_free) struct ps_buf tar = tar_of_two();
    unsigned told = 0;

    (void)state;
    for (size_t len = 0; len < tar.len; len += 7) {
        struct ps_stream *in = ps_stream_from_memory((struct ps_str){tar.ptr, len}, 64);
        struct ps_archive *archive = ps_archive_open(in, &limits);
        struct ps_err err = PS_ERR_INIT;
        struct ps_str name;

        while (ps_archive_next(archive, &name, NULL)) {
            struct ps_stream *member = ps_archive_member(archive);

            (void)ps_stream_peek(member, 1 << 16);
            ps_stream_free(member);
        }
        told += ps_archive_status(archive, &err) != PS_OK;
        ps_archive_free(archive);
        ps_stream_free(in);
    }
    assert_true(told > 100);
}

/* A file that changed while it was read makes no archive at all. */
static void sizes_must_hold(void **state)
{
    static const uint64_t wrong[] = {4, 6};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        PS_AUTO(ps_close_fd) int tar = empty_file();
        struct ps_archive_writer *writer = ps_archive_writer_new(tar);
        struct ps_err err = PS_ERR_INIT;

        add(writer, "a", PS_STR("first"), wrong[i], PS_CONFLICT);
        assert_int_equal(ps_archive_writer_end(writer, &err), PS_IO);
    }
}

static void others_are_none(void **state)
{
    (void)state;
    assert_false(ps_is_archive(PS_STR("{\"traceEvents\": []}")));
    assert_true(ps_is_archive(PS_STR("PK\3\4 and more")));
}

int archive_test(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(comes_back), cmocka_unit_test(cut_anywhere),
                                       cmocka_unit_test(sizes_must_hold),
                                       cmocka_unit_test(others_are_none)};

    return cmocka_run_group_tests_name("archive", tests, NULL, NULL);
}
