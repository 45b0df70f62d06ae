/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "server/http/multipart.h"

static enum ps_status on_begin(void *user, const struct ps_part *part, struct ps_err *err)
{
    (void)err;
    ps_buf_printf(user, "[%s|%s|%s:", part->name, part->filename, part->is_file ? "file" : "field");
    return PS_OK;
}

static enum ps_status on_data(void *user, struct ps_str bytes, struct ps_err *err)
{
    (void)err;
    ps_buf_add_str(user, bytes);
    return PS_OK;
}

static enum ps_status on_end(void *user, struct ps_err *err)
{
    (void)err;
    ps_buf_puts(user, "]");
    return PS_OK;
}

static const struct ps_multipart_ops ops = {on_begin, on_data, on_end};

/* What a body becomes when it arrives in pieces of `step` bytes; "!" at the end of a refused one.
 */
static struct ps_buf parse(const char *type, struct ps_str body, size_t step)
{
    struct ps_buf out = {0};
    struct ps_multipart *parser = NULL;
    struct ps_err err = PS_ERR_INIT;
    enum ps_status status = ps_multipart_create(type, &ops, &out, &parser, &err);

    for (size_t at = 0; status == PS_OK && at < body.len; at += step) {
        struct ps_str piece = ps_str_skip(body, at);

        piece.len = piece.len < step ? piece.len : step;
        status = ps_multipart_feed(parser, piece, &err);
    }
    if (status == PS_OK)
        status = ps_multipart_finish(parser, &err);
    assert_int_equal(status, err.code);
    ps_multipart_free(parser);
    if (status != PS_OK)
        ps_buf_puts(&out, "!");
    ps_buf_add(&out, "", 0);
    return out;
}

static void expect(const char *body, const char *want)
{
    for (size_t step = 1; step < 200; step += step < 8 ? 1 : 31) {
        PS_AUTO(ps_buf_free)
        struct ps_buf got = parse("multipart/form-data; boundary=B", ps_str_from_c(body), step);

        assert_string_equal(got.ptr, want);
    }
}

#define HEAD(name) "Content-Disposition: form-data; name=\"" name "\"\r\n\r\n"
#define FILE_HEAD(name)                                                                            \
    "Content-Disposition: form-data; name=\"file\"; filename=\"" name "\"\r\n\r\n"

static void parts_in_pieces_of_any_size(void **state)
{
    (void)state;
    expect("--B\r\n" HEAD("a") "1\r\n--B--\r\n", "[a||field:1]");
    expect("--B\r\n" HEAD("a") "1\r\n--B\r\n" FILE_HEAD("f") "x\r\ny\r\n--B--",
           "[a||field:1][file|f|file:x\r\ny]");
    expect("--B\r\n" HEAD("file") "1\r\n--B--\r\n", "[file||file:1]");
    expect("preamble\r\n--B \t\r\n" HEAD("a") "1\r\n--B--epilogue\r\n--B\r\n", "[a||field:1]");
}

static void empty_parts(void **state)
{
    (void)state;
    expect("--B\r\n" HEAD("a") "\r\n--B--", "[a||field:]");
    expect("--B\r\nContent-Disposition: form-data; name=a\r\n\r\n--B--", "[a||field:]");
    expect("--B--\r\n", "");
}

static void what_only_looks_like_a_boundary(void **state)
{
    (void)state;
    expect("--B\r\n" HEAD("a") "\r\n--A\r\n-\r\n--\r\n\r--B\r\n--B--",
           "[a||field:\r\n--A\r\n-\r\n--\r\n\r--B]");
}

static void broken_bodies(void **state)
{
    (void)state;
    expect("", "!");
    expect("--B", "!");
    expect("--B\r\n" HEAD("a") "1", "[a||field:!");
    expect("--C\r\n" HEAD("a") "1\r\n--C--", "!");
    expect("--Bx\r\n", "!");
    expect("--B\r\n\r\n1\r\n--B--", "!");
    expect("--B\r\nX: y\r\n\r\n1\r\n--B--", "!");
}

static void boundaries(void **state)
{
    static const char *const bad[] = {
        "multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; charset=x"};
    PS_AUTO(ps_buf_free) struct ps_buf got = {0};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        PS_AUTO(ps_buf_free) struct ps_buf none = parse(bad[i], PS_STR("x"), 1);

        assert_string_equal(none.ptr, "!");
    }
    got = parse("Multipart/Form-Data; charset=utf-8 ; Boundary=\"a b\"",
                PS_STR("--a b\r\n" HEAD("a") "1\r\n--a b--"), 3);
    assert_string_equal(got.ptr, "[a||field:1]");
    assert_true(ps_is_multipart("multipart/form-data; boundary=x"));
    assert_false(ps_is_multipart("application/x-www-form-urlencoded"));
    assert_false(ps_is_multipart(NULL));
}

static void expect_name(const char *disposition, const char *name, const char *filename)
{
    struct ps_part part;
    struct ps_err err = PS_ERR_INIT;

    assert_int_equal(ps_part_head_parse(ps_str_from_c(disposition), &part, &err), PS_OK);
    assert_string_equal(part.name, name);
    assert_string_equal(part.filename, filename);
}

static void hostile_names(void **state)
{
    (void)state;
#define D "content-disposition: form-data; name=n; "
    expect_name(D "filename=\"../../x\"", "n", "x");
    expect_name(D "filename=\"C:\\temp\\x\"", "n", "x");
    expect_name(D "filename=\"..\"", "n", "");
    expect_name(D "filename=\"a/\"", "n", "");
    expect_name(D "filename=\"a\\\"b\"", "n", "a\"b");
    expect_name(D "filename=\"a%22b%0D%0Ac%41\"", "n", "a\"b__c%41");
    expect_name(D "filename*=UTF-8''a%\t1%+1b%4", "n", "a%_1%+1b%4");
    expect_name(D "filename=\"a\001b\"", "n", "a_b");
    expect_name(D "filename=plain.log", "n", "plain.log");
    expect_name(D "filename=\"never closed", "n", "never closed");
    expect_name(D "filename=x; filename*=UTF-8''%e2%82%ac%2f%zz", "n", "%zz");
    expect_name(D "filename*=utf-8''a%2Fb", "n", "b");
    expect_name("X: y\r\nContent-Disposition:form-data;name=\"a;b=c\";x=1;", "a;b=c", "");
#undef D
}

int multipart_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_in_pieces_of_any_size),
        cmocka_unit_test(empty_parts),
        cmocka_unit_test(what_only_looks_like_a_boundary),
        cmocka_unit_test(broken_bodies),
        cmocka_unit_test(boundaries),
        cmocka_unit_test(hostile_names),
    };

    return cmocka_run_group_tests_name("multipart", tests, NULL, NULL);
}
