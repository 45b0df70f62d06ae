/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "importers/pickle/tree.h"

/* Reads a pickle of one value; the bytes are a literal, its NUL left out. */
#define READ(p, literal, value, err)                                                               \
    (*(p) = (struct ps_pickle){.bytes = PS_STR(literal)}, *(err) = (struct ps_err)PS_ERR_INIT,     \
     ps_pickle_read((p), (value), (err)))

static void is_int(const char *bytes, size_t len, int64_t want)
{
    struct ps_pickle p = {.bytes = {bytes, len}};
    struct ps_err err = PS_ERR_INIT;
    struct ps_pickle_value value;

    assert_true(ps_pickle_read(&p, &value, &err));
    assert_int_equal(value.kind, PS_PICKLE_INT);
    assert_true(value.i == want);
    ps_pickle_free(&p);
}
#define IS_INT(literal, want) is_int(literal, sizeof(literal) - 1, want)

static void is_real(const char *bytes, size_t len, double want, bool beyond)
{
    struct ps_pickle p = {.bytes = {bytes, len}};
    struct ps_err err = PS_ERR_INIT;
    struct ps_pickle_value value;

    assert_true(ps_pickle_read(&p, &value, &err));
    assert_int_equal(value.kind, PS_PICKLE_REAL);
    assert_true(value.r == want);
    assert_int_equal(value.is_out_of_range, beyond);
    ps_pickle_free(&p);
}
#define IS_REAL(literal, want, beyond) is_real(literal, sizeof(literal) - 1, want, beyond)

static void refused(const char *bytes, size_t len, uint64_t at, const char *word)
{
    struct ps_pickle p = {.bytes = {bytes, len}};
    struct ps_err err = PS_ERR_INIT;
    struct ps_pickle_value value;

    assert_false(ps_pickle_read(&p, &value, &err));
    assert_int_equal(err.code, PS_BAD_INPUT);
    assert_int_equal(err.offset, at);
    assert_non_null(strstr(err.text, word));
    ps_pickle_free(&p);
}
#define REFUSED(literal, at, word) refused(literal, sizeof(literal) - 1, at, word)

static void test_integers(void **state)
{
    (void)state;
    IS_INT("\x80\x02K\xff.", 255);
    IS_INT("\x80\x02M\x01\x80.", 0x8001);
    IS_INT("\x80\x02J\xff\xff\xff\xff.", -1);
    IS_INT("\x80\x02\x8a\x00.", 0);
    IS_INT("\x80\x02\x8a\x01\x80.", -128);
    IS_INT("\x80\x02\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80.", INT64_MIN);
    IS_INT("\x80\x02\x8a\x09\xff\xff\xff\xff\xff\xff\xff\x7f\x00.", INT64_MAX);
    IS_INT("\x80\x02\x8b\x02\x00\x00\x00\x00\x01.", 256);
    IS_INT("\x80\x02I-12\n.", -12);
    IS_INT("\x80\x02L2147483655L\n.", 2147483655);
}

static void test_beyond_64_bits(void **state)
{
    (void)state;
    IS_REAL("\x80\x02\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01.", 0x1p64, true);
    IS_REAL("\x80\x02\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\xff.", -0x1p64, true);
    IS_REAL("\x80\x02\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x80\x00.", 0x1p63, true);
    /* 2**64 + 2**11 lies between two doubles, a bit more is nearer to the upper one */
    IS_REAL("\x80\x02\x8a\x09\x00\x08\x00\x00\x00\x00\x00\x00\x01.", 0x1p64, true);
    IS_REAL("\x80\x02\x8a\x09\x01\x08\x00\x00\x00\x00\x00\x00\x01.", 0x1p64 + 0x1p12, true);
    IS_REAL("\x80\x02L18446744073709551616L\n.", 0x1p64, true);
    IS_REAL("\x80\x02G\x3f\xe0\x00\x00\x00\x00\x00\x00.", 0.5, false);
}

static void test_refusals_name_the_opcode(void **state)
{
    (void)state;
    REFUSED("\x80\x02NR.", 3, "REDUCE (0x52)");
    REFUSED("\x80\x02Po\n.", 2, "PERSID");
    REFUSED("\x80\x02\x82\x01.", 2, "EXT1");
    REFUSED("\x80\x04NNN\x92.", 5, "NEWOBJ_EX");
    REFUSED("\x80\x02\xee.", 2, "0xee");
    REFUSED("\x80\x02"
            "cos\nsystem\n.",
            2, "GLOBAL imports os.system");
    REFUSED("\x80\x04\x8c\x02os\x8c\x06system\x93.", 14, "STACK_GLOBAL imports os.system");
    REFUSED("\x80\x02}N}b.", 5, "BUILD");
    REFUSED("\x80\x06.", 0, "protocol 6");
}

static void test_refusals_of_damage(void **state)
{
    (void)state;
    REFUSED("\x80\x02K", 2, "truncated inside");
    REFUSED("\x80\x02", 2, "truncated");
    REFUSED("\x80\x02.", 2, "stack underflow");
    REFUSED("\x80\x02\x85.", 2, "stack underflow");
    REFUSED("\x80\x02t.", 2, "no mark");
    REFUSED("\x80\x02(\x85.", 3, "mark instead of a value");
    REFUSED("\x80\x02NNa.", 4, "not a list");
    REFUSED("\x80\x02}NNNu.", 6, "no mark");
    REFUSED("\x80\x02}(NNNu.", 7, "without a value");
    REFUSED("\x80\x02X\xff\xff\xff\xff", 2, "4294967295 bytes");
    REFUSED("\x80\x02T\xff\xff\xff\xff", 2, "negative");
    REFUSED("\x80\x02\x8b\xff\xff\xff\xff", 2, "negative");
    REFUSED("\x80\x02I1x\n.", 2, "unreadable");
    REFUSED("\x80\x02I12", 2, "truncated");
    REFUSED("\x80\x04\x95\x09\x00\x00\x00\x00\x00\x00\x00.", 2, "frame of 9");
    REFUSED("\x80\x02h\x00.", 2, "is empty");
    REFUSED("\x80\x02Nr\x40\x00\x00\x00.", 3, "memo index 64");
}

static void test_lists_grow_in_runs(void **state)
{
    struct ps_pickle p;
    struct ps_err err;
    struct ps_pickle_value list;
    struct ps_pickle_iterator walk;
    const struct ps_pickle_value *member;
    int64_t want = 1;

    (void)state;
    /* [1, 2, 3, 4, [9]] in three steps, with the other list filled between them */
    assert_true(READ(&p,
                     "\x80\x02](K\x01K\x02"
                     "eK\x03"
                     "a(K\x04]K\x09"
                     "ae.",
                     &list, &err));
    assert_int_equal(list.kind, PS_PICKLE_LIST);
    walk = ps_pickle_iterate(&p, &list);
    while ((member = ps_pickle_next(&walk)) && member->kind == PS_PICKLE_INT)
        assert_int_equal(member->i, want++);
    assert_int_equal(want, 5);
    assert_non_null(member);
    walk = ps_pickle_iterate(&p, member);
    member = ps_pickle_next(&walk);
    assert_int_equal(member->i, 9);
    assert_null(ps_pickle_next(&walk));
    ps_pickle_free(&p);
}

static void test_memo_and_objects(void **state)
{
    static const char bytes[] = "\x80\x02"
                                "c_line_profiler\nLineStats\nq\x05)\x81}X\x01\x00\x00\x00"
                                "aK\x07s\x94N\x86"
                                "b.";
    struct ps_pickle p = {.bytes = PS_STR(bytes)};
    struct ps_err err = PS_ERR_INIT;
    struct ps_pickle_value object;
    struct ps_pickle_iterator walk;
    const struct ps_pickle_value *state_dict;

    (void)state;
    assert_true(ps_pickle_read(&p, &object, &err));
    assert_int_equal(object.kind, PS_PICKLE_OBJECT);
    assert_string_equal(ps_pickle_classes[object.i].module, "_line_profiler");
    walk = ps_pickle_iterate(&p, &object);
    state_dict = ps_pickle_next(&walk);
    assert_int_equal(state_dict->kind, PS_PICKLE_DICT);
    assert_null(ps_pickle_next(&walk)); /* nothing but its state */
    walk = ps_pickle_iterate(&p, state_dict);
    assert_int_equal(ps_pickle_next(&walk)->kind, PS_PICKLE_TEXT);
    assert_int_equal(ps_pickle_next(&walk)->i, 7);
    assert_null(ps_pickle_next(&walk));
    ps_pickle_free(&p);
}

static void test_a_cycle_is_no_harm(void **state)
{
    struct ps_pickle p;
    struct ps_err err;
    struct ps_pickle_value list;
    struct ps_pickle_iterator walk;

    (void)state;
    assert_true(READ(&p,
                     "\x80\x02]q\x00h\x00"
                     "a.",
                     &list, &err));
    walk = ps_pickle_iterate(&p, &list);
    assert_int_equal(ps_pickle_next(&walk)->id, list.id);
    assert_null(ps_pickle_next(&walk));
    ps_pickle_free(&p);
}

int pickle_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_beyond_64_bits),
        cmocka_unit_test(test_refusals_name_the_opcode),
        cmocka_unit_test(test_refusals_of_damage),
        cmocka_unit_test(test_lists_grow_in_runs),
        cmocka_unit_test(test_memo_and_objects),
        cmocka_unit_test(test_a_cycle_is_no_harm),
    };

    return cmocka_run_group_tests_name("pickle", tests, NULL, NULL);
}
