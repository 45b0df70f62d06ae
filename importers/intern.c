/* SPDX-License-Identifier: MIT */
#include "importers/intern.h"

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
    uint32_t size = table->mask ? (table->mask + 1) * 2 : 256;

    free(table->slots);
    table->slots = ps_alloc(size * sizeof *table->slots);
    table->mask = size - 1;
    table->cap = size / 2;
    table->items = ps_grow(table->items, table->cap, sizeof *table->items);
    table->hashes = ps_grow(table->hashes, table->cap, sizeof *table->hashes);
    for (uint32_t id = 0; id < table->count; id++) {
        uint32_t at = table->hashes[id] & table->mask;

        while (table->slots[at])
            at = (at + 1) & table->mask;
        table->slots[at] = id + 1;
    }
}

uint32_t ps_intern_id(struct ps_intern *table, struct ps_str text)
{
    uint32_t hash = (uint32_t)ps_hash_bytes(text.at, text.len), at, id;

    if (table->count == table->cap)
        grow(table);
    for (at = hash & table->mask; table->slots[at]; at = (at + 1) & table->mask) {
        id = table->slots[at] - 1;
        if (table->hashes[id] == hash && ps_str_eq(table->items[id], text))
            return id;
    }
    id = table->count++;
    table->slots[at] = id + 1;
    table->hashes[id] = hash;
    table->items[id] = ps_arena_copy(&table->text, text);
    return id;
}

void ps_intern_free(struct ps_intern *table)
{
    free(table->items);
    free(table->slots);
    free(table->hashes);
    ps_arena_free(&table->text);
    *table = (struct ps_intern){0};
}
