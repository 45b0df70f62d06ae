/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_table.h"
#include "base/intern.h"
#include "base/mem.h"

enum { MANY = 1000000 };

/* How keys follow each other: what profiles hold, and what an attacker would choose. */
struct sequence {
    const char *name;
    uint64_t first, step;
};

/* Of a hash that multiplies by an odd number without a key, n -> n * inverse << 40 makes keys whose
 * hashes agree in the low 40 bits. */
static const struct sequence sequences[] = {
    {"numbers in a row", 0, 1},
    {"addresses 4 KiB apart", UINT64_C(0x7f0000000000), 4096},
    {"numbers that differ in the high bits", 5, UINT64_C(1) << 40},
    {"multiples of the inverse of 0x9e3779b97f4a7c15", 0, UINT64_C(0xf1de83e19937733d) << 20},
};

static bool is_key(const void *items, uint32_t index, const void *key)
{
    return ((const uint64_t *)items)[index] == *(const uint64_t *)key;
}

/* Slots that look-ups of all items pass before they reach their own. */
static uint64_t passed(const struct ps_hash_table *table)
{
    uint64_t sum = 0;

    for (size_t i = 0; i <= table->mask; i++)
        if (table->slots[i].index_plus_1)
            sum += (i - table->slots[i].tag) & table->mask;
    return sum;
}

static void check_all(const struct ps_hash_table *table, const uint64_t *keys, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(ps_hash_table_find(table, ps_hash_u64(keys[i]), is_key, keys, &keys[i]),
                         i);
}

/* After each of 1 to 1,000,000 insertions the table holds that many items and at most half of its
 * slots are taken; at powers of two, and at the end, each key is found and look-ups are short. */
static void insert_many(const struct sequence *sequence)
{
    struct ps_hash_table table = {0};
    uint64_t *keys = ps_grow(NULL, MANY, sizeof *keys);

    for (uint32_t n = 0; n < MANY; n++) {
        keys[n] = sequence->first + n * sequence->step;
        assert_int_equal(ps_hash_table_find(&table, ps_hash_u64(keys[n]), is_key, keys, &keys[n]),
                         PS_HASH_NONE);
        assert_int_equal(ps_hash_table_add(&table, ps_hash_u64(keys[n]), n, is_key, keys, &keys[n]),
                         n);
        assert_int_equal(table.count, n + 1);
        assert_true(2 * table.count <= table.mask + 1);
        if ((n & (n + 1)) == 0 || n == MANY - 1) {
            check_all(&table, keys, n + 1);
            assert_true(passed(&table) <= 64 + 2 * table.count);
        }
    }
    for (uint32_t n = 0; n < MANY; n++)
        assert_int_equal(
            ps_hash_table_add(&table, ps_hash_u64(keys[n]), MANY, is_key, keys, &keys[n]), n);
    assert_int_equal(table.count, MANY);
    ps_hash_table_free(&table);
    free(keys);
}

static void test_million_keys(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++) {
        print_message("%s\n", sequences[i].name);
        insert_many(&sequences[i]);
    }
}

/* The pairs (i, j) * step of a square: each is found, and look-ups are short. */
static void test_million_pairs(void **state)
{
    enum { SIDE = 1000 };
    struct ps_hash_table table = {0};
    uint64_t *keys = ps_grow(NULL, MANY, sizeof *keys);

    (void)state;
    for (unsigned shift = 0; shift <= 48; shift += 12) {
        for (uint32_t n = 0; n < MANY; n++) {
            keys[n] = n;
            assert_int_equal(ps_hash_table_add(&table,
                                               ps_hash_pair((uint64_t)(n / SIDE) << shift,
                                                            (uint64_t)(n % SIDE) << shift),
                                               n, is_key, keys, &keys[n]),
                             n);
        }
        assert_true(passed(&table) <= 2 * (uint64_t)MANY);
        ps_hash_table_clear(&table);
    }
    ps_hash_table_free(&table);
    free(keys);
}

static void test_million_texts(void **state)
{
    struct ps_intern names = {0};
    char text[40];

    (void)state;
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < MANY; i++) {
            (void)snprintf(text, sizeof text, "%.*s%u", (int)(i % 17), "/site-packages/x/", i);
            assert_int_equal(ps_intern_add(&names, ps_str_from_c(text)), i);
        }
    assert_int_equal(names.count, MANY);
    assert_int_equal(ps_intern_find(&names, PS_STR("none")), PS_INTERN_NONE);
    assert_true(passed(&names.ids) <= 2 * (uint64_t)MANY);
    ps_intern_free(&names);
}

/* Words that made every state of the former hash of texts zero, whatever its seed was: all texts of
 * one length with such a word at their end had one hash. */
static void test_texts_that_collided(void **state)
{
    enum { TEXTS = 20000 };
    struct ps_intern names = {0};
    const uint64_t word = UINT64_C(0xd1b54a32d192ed03);
    uint64_t text[2];

    (void)state;
    for (uint64_t i = 0; i < TEXTS; i++) {
        text[0] = i;
        text[1] = word;
        assert_int_equal(ps_intern_add(&names, (struct ps_str){(const char *)text, sizeof text}),
                         i);
    }
    assert_true(passed(&names.ids) <= 2 * (uint64_t)TEXTS);
    ps_intern_free(&names);
}

/* A hash of bytes depends on each byte and on their number. */
static void test_bytes_of_each_length(void **state)
{
    char bytes[40] = {0};
    struct ps_intern seen = {0};

    (void)state;
    for (size_t len = 0; len <= sizeof bytes; len++)
        for (size_t i = 0; i <= len && i < sizeof bytes; i++) { /* i == len: all are 0 */
            uint32_t n = seen.count;
            uint64_t hash;

            bytes[i] = i < len;
            hash = ps_hash_bytes(bytes, len);
            bytes[i] = 0;
            assert_int_equal(
                ps_intern_add(&seen, (struct ps_str){(const char *)&hash, sizeof hash}), n);
        }
    ps_intern_free(&seen);
}

/* SipHash-1-3 of 00 01 02 ... under the key 00 01 ... 0f. The numbers come from another
 * implementation, which with 2 and 4 rounds gives the value that the paper prints. */
static void test_reference_values(void **state)
{
    static const struct {
        size_t len;
        uint64_t hash;
    } expected[] = {
        {0, UINT64_C(0xabac0158050fc4dc)},  {1, UINT64_C(0xc9f49bf37d57ca93)},
        {7, UINT64_C(0xd3927d989bb11140)},  {8, UINT64_C(0x369095118d299a8e)},
        {15, UINT64_C(0xd320d86d2a519956)}, {63, UINT64_C(0x9d199062b7bbb3a8)},
    };
    const uint64_t key[2] = {ps_hash_key[0], ps_hash_key[1]};
    unsigned char bytes[64];

    (void)state;
    for (size_t i = 0; i < sizeof ps_hash_key / sizeof *ps_hash_key; i++)
        assert_true(ps_hash_key[i]);
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)i;
    memcpy(ps_hash_key, bytes, sizeof key);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_true(ps_hash_bytes(bytes, expected[i].len) == expected[i].hash);
    memcpy(ps_hash_key, key, sizeof key);
}

static void test_removal(void **state)
{
    enum { KEYS = 4000 };
    struct ps_hash_table table = {0};
    uint64_t keys[KEYS];
    bool there[KEYS] = {false};
    size_t n = 0;
    uint32_t chance = 1;

    (void)state;
    for (uint32_t i = 0; i < KEYS; i++)
        keys[i] = i * 8;
    for (int step = 0; step < 50 * KEYS; step++) {
        uint32_t at = (chance = chance * 1664525u + 1013904223u) >> 8;
        uint64_t hash = ps_hash_u64(keys[at %= KEYS]);

        assert_int_equal(ps_hash_table_find(&table, hash, is_key, keys, &keys[at]),
                         there[at] ? at : PS_HASH_NONE);
        if (there[at])
            ps_hash_table_remove(&table, hash, at);
        else
            assert_int_equal(ps_hash_table_add(&table, hash, at, is_key, keys, &keys[at]), at);
        there[at] = !there[at];
        n += there[at] ? 1 : (size_t)-1;
        assert_int_equal(table.count, n);
    }
    for (uint32_t i = 0; i < KEYS; i++)
        assert_int_equal(ps_hash_table_find(&table, ps_hash_u64(keys[i]), is_key, keys, &keys[i]),
                         there[i] ? i : PS_HASH_NONE);
    ps_hash_table_clear(&table);
    assert_int_equal(ps_hash_table_find(&table, ps_hash_u64(0), is_key, keys, &keys[0]),
                     PS_HASH_NONE);
    ps_hash_table_free(&table);
}

/* Memory of the caller is neither replaced nor freed. */
static void test_borrowed_slots(void **state)
{
    enum { KEYS = 1000 };
    size_t n_slots = ps_hash_table_slots_for(KEYS);
    struct ps_hash_slot *slots = ps_alloc(n_slots * sizeof *slots);
    struct ps_hash_table table = ps_hash_table_from_slots(slots, n_slots);
    uint64_t keys[KEYS];

    (void)state;
    for (uint32_t i = 0; i < KEYS; i++) {
        keys[i] = i;
        (void)ps_hash_table_add(&table, ps_hash_u64(i), i, is_key, keys, &keys[i]);
    }
    assert_ptr_equal(table.slots, slots);
    check_all(&table, keys, KEYS);
    ps_hash_table_free(&table);
    free(slots);
}

static void test_no_bytes(void **state)
{
    (void)state;
    assert_true(ps_hash_bytes(NULL, 0) == ps_hash_bytes("", 0));
}

int hash_table_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_bytes),
        cmocka_unit_test(test_million_keys),
        cmocka_unit_test(test_million_pairs),
        cmocka_unit_test(test_million_texts),
        cmocka_unit_test(test_texts_that_collided),
        cmocka_unit_test(test_bytes_of_each_length),
        cmocka_unit_test(test_reference_values),
        cmocka_unit_test(test_removal),
        cmocka_unit_test(test_borrowed_slots),
    };

    return cmocka_run_group_tests_name("hash_table", tests, NULL, NULL);
}
