/* SPDX-License-Identifier: MIT */
#include "base/intern.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

/* Made once: tables that were hashed before must stay readable, so of racing threads the first one
 * wins. */
static uint64_t seed(void)
{
    static _Atomic uint64_t value;
    uint64_t none = 0, fresh = atomic_load_explicit(&value, memory_order_relaxed);
    struct timespec now = {0};

    if (fresh)
        return fresh;
    (void)timespec_get(&now, TIME_UTC);
    /* The addresses of the stack and of the program are random. */
    fresh =
        (uint64_t)(uintptr_t)&now ^ (uint64_t)(uintptr_t)&value << 20 ^ (uint64_t)now.tv_nsec << 32;
    fresh |= 1;
    if (atomic_compare_exchange_strong(&value, &none, fresh))
        return fresh;
    return none;
}

uint64_t ps_hash_mix(uint64_t a, uint64_t b)
{
    unsigned __int128 product =
        (unsigned __int128)(a ^ 0x9e3779b97f4a7c15u) * (b ^ 0xd1b54a32d192ed03u);

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint64_t ps_hash_bytes(const void *bytes, size_t len)
{
    const char *at = bytes;
    uint64_t hash = seed() ^ len, word;

    for (; len >= 8; at += 8, len -= 8) {
        memcpy(&word, at, 8);
        hash = ps_hash_mix(hash, word);
    }
    word = 0;
    if (len)
        memcpy(&word, at, len);
    return ps_hash_mix(hash, word);
}

static void grow(struct ps_intern *table)
{
    struct ps_intern_slot *old = table->slots;
    uint32_t size = table->mask ? (table->mask + 1) * 4 : 256, old_size = old ? table->mask + 1 : 0;

    table->slots = ps_alloc(size * sizeof *table->slots);
    table->mask = size - 1;
    table->cap = size / 2;
    table->items = ps_grow(table->items, table->cap, sizeof *table->items);
    for (uint32_t i = 0; i < old_size; i++) {
        uint32_t at = old[i].hash & table->mask;

        if (!old[i].id)
            continue;
        while (table->slots[at].id)
            at = (at + 1) & table->mask;
        table->slots[at] = old[i];
    }
    free(old);
}

uint32_t ps_intern_id(struct ps_intern *table, struct ps_str text)
{
    uint32_t hash = (uint32_t)ps_hash_bytes(text.at, text.len), at;

    if (table->count == table->cap)
        grow(table);
    for (at = hash & table->mask; table->slots[at].id; at = (at + 1) & table->mask)
        if (table->slots[at].hash == hash && ps_str_eq(table->items[table->slots[at].id - 1], text))
            return table->slots[at].id - 1;
    table->items[table->count] = ps_arena_copy(&table->text, text);
    table->slots[at] = (struct ps_intern_slot){hash, ++table->count};
    return table->count - 1;
}

bool ps_intern_has(const struct ps_intern *table, struct ps_str text)
{
    uint32_t hash = (uint32_t)ps_hash_bytes(text.at, text.len), at = hash & table->mask;

    for (; table->slots && table->slots[at].id; at = (at + 1) & table->mask)
        if (table->slots[at].hash == hash && ps_str_eq(table->items[table->slots[at].id - 1], text))
            return true;
    return false;
}

void ps_intern_free(struct ps_intern *table)
{
    free(table->items);
    free(table->slots);
    ps_arena_free(&table->text);
    *table = (struct ps_intern){0};
}
