/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "importers/functions/marshal.h"

struct reader {
    struct ps_marshal builder;
    struct ps_err err;
};

static void on(struct reader *r, struct ps_str bytes)
{
    r->err = (struct ps_err)PS_ERR_INIT;
    ps_marshal_init(&r->builder, bytes, PS_M_PY311, &r->err);
}

static struct ps_marshal_object reads(struct ps_str bytes)
{
    struct reader r;
    struct ps_marshal_object value = {0};

    on(&r, bytes);
    assert_true(ps_marshal_read(&r.builder, &value));
    assert_int_equal(ps_marshal_offset(&r.builder), bytes.len);
    ps_marshal_free(&r.builder);
    return value;
}

static void refuses(struct ps_str bytes, const char *what)
{
    struct reader r;
    struct ps_marshal_object value;

    on(&r, bytes);
    assert_false(ps_marshal_read(&r.builder, &value));
    assert_int_equal(r.err.code, PS_BAD_INPUT);
    assert_true(r.err.has_offset && r.err.offset <= bytes.len);
    assert_non_null(strstr(r.err.text, what));
    ps_marshal_free(&r.builder);
}

static void test_integers(void **state)
{
    (void)state;
    assert_true(reads(PS_STR("i\xff\xff\xff\xff")).i == -1);
    assert_true(reads(PS_STR("I\xff\xff\xff\xff\xff\xff\xff\x7f")).i == INT64_MAX);
    assert_true(reads(PS_STR("l\0\0\0\0")).i == 0);
    assert_true(reads(PS_STR("l\x02\0\0\0\x01\0\x01\0")).i == 32769);
    assert_true(reads(PS_STR("l\xfe\xff\xff\xff\x01\0\x01\0")).i == -32769);
    /* 2**63 - 1, -2**63 and 2**63 */
    assert_true(reads(PS_STR("l\x05\0\0\0\xff\x7f\xff\x7f\xff\x7f\xff\x7f\x07\0")).i == INT64_MAX);
    assert_true(reads(PS_STR("l\xfb\xff\xff\xff\0\0\0\0\0\0\0\0\x08\0")).i == INT64_MIN);
    assert_true(reads(PS_STR("l\x05\0\0\0\0\0\0\0\0\0\0\0\x08\0")).is_out_of_range);
    assert_true(reads(PS_STR("l\x05\0\0\0\0\0\0\0\0\0\0\0\x08\0")).r == 9223372036854775808.0);
    assert_true(reads(PS_STR("T")).i == 1 && reads(PS_STR("F")).i == 0);
}

/* Numbers of 15-bit digits beyond 64 bits round to even, like int.__float__. */
static void test_nearest(void **state)
{
    char bytes[5 + 2 * 20] = "l\x14\0\0\0";

    (void)state;
    memset(bytes + 5, 0, 40);
    bytes[5 + 38] = 1; /* 2**285 */
    assert_true(reads((struct ps_str){bytes, 45}).r == ldexp(1, 285));
    bytes[5 + 30] = (char)0x80; /* 2**232 more: half a unit in the last place */
    assert_true(reads((struct ps_str){bytes, 45}).r == ldexp(1, 285));
    bytes[5] = 1; /* and one: more than half */
    assert_true(reads((struct ps_str){bytes, 45}).r == nextafter(ldexp(1, 285), INFINITY));
}

static void test_reals(void **state)
{
    (void)state;
    assert_true(reads(PS_STR("g\0\0\0\0\0\0\xe0?")).r == 0.5);
    assert_true(reads(PS_STR("f\x04"
                             "0.75"))
                    .r == 0.75);
    assert_true(reads(PS_STR("f\x15"
                             "3.1622776601683795e-5"))
                    .r == 3.1622776601683795e-5);
    assert_true(isnan(reads(PS_STR("f\x03nan")).r) && isinf(reads(PS_STR("f\x04-inf")).r));
    refuses(PS_STR("f\x05xyzzy"), "number");
    refuses(PS_STR("f\x04"
                   "0x10"),
            "number");
    refuses(PS_STR("f\x00"), "number");
    refuses(PS_STR("f\x03"
                   "1 2"),
            "number");
}

static void shows(struct ps_str bytes, const char *want)
{
    struct reader r;
    struct ps_marshal_object value;
    struct ps_arena arena = {0};

    on(&r, bytes);
    assert_true(ps_marshal_read(&r.builder, &value));
    assert_int_equal(value.kind, PS_M_TEXT);
    assert_true(ps_str_eq_c(ps_marshal_text(&r.builder, value.id, &arena), want));
    ps_arena_free(&arena);
    ps_marshal_free(&r.builder);
}

static void test_texts(void **state)
{
    (void)state;
    shows(PS_STR("z\x02ok"), "ok");
    shows(PS_STR("\xda\x01g"), "g");
    shows(PS_STR("a\x02\0\0\0ok"), "ok");
    shows(PS_STR("z\0"), "");
    shows(PS_STR("u\x02\0\0\0\xc3\xa9"), "\xc3\xa9");
    shows(PS_STR("u\x04\0\0\0\xed\xb3\xa9x"), "\xef\xbf\xbdx");
    shows(PS_STR("s\x02\0\0\0\xc3\xa9"), "\xc3\xa9"); /* Python 2: bytes that are UTF-8 */
    shows(PS_STR("s\x02\0\0\0\xe9x"), "\xc3\xa9x");   /* and such that are not: Latin-1 */
    shows(PS_STR("z\x03"
                 "a\0b"),
          "a\xef\xbf\xbd"
          "b");
    refuses(PS_STR("u\x01\0\0\0\xff"), "UTF-8");
    refuses(PS_STR("u\xff\xff\xff\xff"), "negative");
    refuses(PS_STR("u\xff\xff\xff\x7f"), "truncated marshal data");
}

/* A container takes its place among the references before its members do. */
static void test_references(void **state)
{
    struct reader r;
    struct ps_marshal_object value;
    uint32_t n, slot;

    (void)state;
    on(&r, PS_STR("\xa9\x03\xda\x01"
                  "a\xe9\x07\0\0\0r\x01\0\0\0"
                  "r\x02\0\0\0"
                  "r\0\0\0\0"));
    assert_true(ps_marshal_open(&r.builder, &n, &slot));
    assert_true(n == 3 && slot == 0);
    for (int i = 0; i < 3; i++)
        assert_true(ps_marshal_read(&r.builder, &value));
    assert_true(value.kind == PS_M_TEXT && ps_str_eq_c(r.builder.texts.items[value.id], "a"));
    ps_marshal_set_ref(&r.builder, slot, (struct ps_marshal_object){.kind = PS_M_USER, .id = 9});
    assert_true(ps_marshal_read(&r.builder, &value) && value.i == 7);
    assert_true(ps_marshal_read(&r.builder, &value) && value.kind == PS_M_USER && value.id == 9);
    ps_marshal_free(&r.builder);
    refuses(PS_STR("r\0\0\0\0"), "missing object");
    refuses(PS_STR("r\xff\xff\xff\xff"), "missing object");
    refuses(PS_STR("R\0\0\0\0"), "missing object");
    refuses(PS_STR("\xdb\x01\0\0\0r\0\0\0\0"), "contains itself");
    /* the list of Python 2 */
    shows(PS_STR("t\x01\0\0\0n"), "n");
    assert_int_equal(reads(PS_STR("(\x02\0\0\0t\x01\0\0\0nR\0\0\0\0")).kind, PS_M_OPAQUE);
}

static void test_containers(void **state)
{
    char nested[5 * 300 + 1];

    (void)state;
    assert_int_equal(reads(PS_STR("[\x02\0\0\0N.")).kind, PS_M_OPAQUE);
    assert_int_equal(reads(PS_STR("{i\x01\0\0\0N0")).kind, PS_M_OPAQUE);
    assert_int_equal(reads(PS_STR("<\x01\0\0\0T")).kind, PS_M_OPAQUE);
    assert_int_equal(reads(PS_STR(":NNN")).kind, PS_M_OPAQUE);
    assert_int_equal(reads(PS_STR("y\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0")).kind, PS_M_OPAQUE);
    /* equal content, equal digest, with and without references */
    assert_true(reads(PS_STR("(\x02\0\0\0z\x01xz\x01x")).i ==
                reads(PS_STR(")\x02\xfa\x01xr\0\0\0\0")).i);
    assert_true(reads(PS_STR(")\x01z\x01x")).i != reads(PS_STR(")\x01N")).i);
    for (size_t i = 0; i < 300; i++)
        memcpy(nested + 5 * i, "(\x01\0\0\0", 5);
    nested[1500] = 'N';
    refuses((struct ps_str){nested, sizeof nested}, "nested containers");
    assert_int_equal(reads((struct ps_str){nested + 5 * 200, 501}).kind, PS_M_OPAQUE);
    refuses(PS_STR("(\xff\xff\xff\x7fN"), "truncated marshal data");
    refuses(PS_STR("[\xfb\xff\xff\xff"), "negative");
    refuses(PS_STR("0"), "unknown object type");
    refuses(PS_STR("@"), "unknown object type");
    refuses(PS_STR(""), "truncated marshal data");
}

int marshal_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers),   cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_reals),      cmocka_unit_test(test_texts),
        cmocka_unit_test(test_references), cmocka_unit_test(test_containers),
    };

    return cmocka_run_group_tests_name("marshal", tests, NULL, NULL);
}
