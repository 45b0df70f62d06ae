/* SPDX-License-Identifier: MIT */
/* json_in_test.c: lists that begin alike are read as any other, wherever the input breaks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "base/json_in.h"
#include "base/mem.h"

enum { MAX_ROWS = 1000000, LISTS = 40 };

static uint64_t seed = 7;

static uint64_t dice(uint64_t sides)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed % sides;
}

struct lists {
    struct ps_buf text;
    uint32_t at[LISTS][64];
    size_t n[LISTS];
};

static void put_number(struct lists *lists, size_t i, size_t k, uint32_t number)
{
    static const char *const odd[] = {"[1,[2]]", "{\"a\":1}", "\"7,8\"", "-5", "1.5", "null"};
    static const char *const gaps[] = {",", ", ", ",\n\t ", " , "};

    if (k)
        ps_buf_puts(&lists->text, gaps[number % 9 ? 0 : number / 9 % 4]);
    if (number % 31 == 30)
        ps_buf_puts(&lists->text, odd[number % 6]);
    else
        ps_buf_printf(&lists->text, "%u", number);
    lists->at[i][k] = number % 31 == 30 ? MAX_ROWS : number;
}

/* Each list keeps some numbers of the one before. */
static void make(struct lists *lists)
{
    uint32_t numbers[64];
    size_t n = 0;

    *lists = (struct lists){0};
    ps_buf_puts(&lists->text, "[");
    for (size_t i = 0; i < LISTS; i++) {
        size_t fresh = dice(5);

        n -= dice(n + 1) / (1 + dice(3));
        for (size_t k = 0; k < fresh && n < 60; k++)
            numbers[n++] = (uint32_t)dice(dice(2) ? 20 : 3000);
        ps_buf_puts(&lists->text, i ? ",[" : "[");
        for (size_t k = 0; k < n; k++)
            put_number(lists, i, k, numbers[k]);
        ps_buf_puts(&lists->text, "]");
        lists->n[i] = n;
    }
    ps_buf_puts(&lists->text, "]");
}

/* How many lists came whole. `same` must never be more than is the same. */
static size_t read_lists(const struct lists *lists, struct ps_str text, size_t block)
{
    struct ps_stream *in = ps_stream_from_memory(text, block);
    struct ps_json_in json = {.in = in};
    struct ps_u32_list list = {0};
    size_t i = 0;

    for (; ps_json_in_next(&json) == PS_JSON_ARRAY; i += json.depth == 1) {
        if (json.depth == 1)
            i--;
        else if (!ps_json_in_read_u32_list(&json, MAX_ROWS, &list))
            break;
        else {
            assert_int_equal(list.items.n, lists->n[i]);
            assert_memory_equal(list.items.items, lists->at[i],
                                list.items.n * sizeof *list.items.items);
            assert_true(list.n_common <= list.items.n);
            if (list.n_common)
                assert_memory_equal(list.items.items, lists->at[i - 1],
                                    list.n_common * sizeof(uint32_t));
        }
    }
    ps_u32_list_free(&list);
    ps_json_in_free(&json);
    ps_stream_free(in);
    return i;
}

static void lists_come_back(void **state)
{
    static const size_t blocks[] = {0, 1, 7, 64, 500};

    (void)state;
    for (int round = 0; round < 60; round++) {
        struct lists lists;

        make(&lists);
        for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++)
            assert_int_equal(read_lists(&lists, ps_buf_slice(&lists.text), blocks[b]), LISTS);
        for (size_t cut = 0; cut < lists.text.len; cut += 1 + dice(3))
            assert_true(read_lists(&lists, (struct ps_str){lists.text.ptr, cut}, 0) <= LISTS);
        ps_buf_free(&lists.text);
    }
}

/* Behind each text lies more, as in any large file. */
static size_t same_of(const char *text)
{
    PS_AUTO(ps_buf_free) struct ps_buf bytes = {0};
    struct ps_stream *in;
    struct ps_json_in json = {0};
    struct ps_u32_list list = {0};
    size_t same;

    ps_buf_printf(&bytes, "%s%200s", text, "");
    json.in = in = ps_stream_from_memory(ps_buf_slice(&bytes), 0);
    assert_int_equal(ps_json_in_next(&json), PS_JSON_ARRAY);
    while (ps_json_in_next(&json) == PS_JSON_ARRAY)
        assert_true(ps_json_in_read_u32_list(&json, MAX_ROWS, &list));
    same = list.n_common;
    ps_u32_list_free(&list);
    ps_json_in_free(&json);
    ps_stream_free(in);
    return same;
}

static void what_they_share_is_told(void **state)
{
    (void)state;
    assert_int_equal(same_of("[[1,2,3],[1,2,4]]"), 2);
    assert_int_equal(same_of("[[1,2,3],[1,2,3]]"), 3);
    assert_int_equal(same_of("[[1,2,3],[1,2,34]]"), 2);
    assert_int_equal(same_of("[[1,2,34],[1,2,3]]"), 2);
    assert_int_equal(same_of("[[1,2],[1,2,3]]"), 1); /* what ended the 2 is another byte */
    assert_int_equal(same_of("[[1,2],[]]"), 0);
    assert_int_equal(same_of("[[],[]]"), 0);
}

static void numbers_written_alike(void **state)
{
    static const char text[] = "[0.5,0.5 ,\n0.5,0.55,0.5,1,10,10, 10]";
    static const struct {
        const char *text;
        size_t again;
    } numbers[] = {{"0.5", 2}, {"0.55", 0}, {"0.5", 0}, {"1", 0}, {"10", 2}};

    (void)state;
    for (size_t block = 0; block < 40; block++) {
        struct ps_stream *in = ps_stream_from_memory(PS_STR(text), block);
        struct ps_json_in json = {.in = in};
        size_t all = 0;

        assert_int_equal(ps_json_in_next(&json), PS_JSON_ARRAY);
        for (size_t i = 0; ps_json_in_next(&json) == PS_JSON_NUMBER; i++) {
            size_t again;

            if (!block)
                assert_true(ps_str_eq_c(json.text, numbers[i].text));
            again = ps_json_in_skip_numbers(&json);
            if (!block)
                assert_int_equal(again, numbers[i].again);
            all += 1 + again;
        }
        assert_int_equal(all, 9);
        ps_json_in_free(&json);
        ps_stream_free(in);
    }
}

int json_in_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_come_back),
        cmocka_unit_test(what_they_share_is_told),
        cmocka_unit_test(numbers_written_alike),
    };

    return cmocka_run_group_tests_name("json_in", tests, NULL, NULL);
}
