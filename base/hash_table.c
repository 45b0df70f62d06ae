/* SPDX-License-Identifier: MIT */
#include "base/hash_table.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

/* --- Hashing --- */

uint64_t ps_hash_key[4];

/* Reads the key before main(): an import process may not make this system call in its sandbox. */
__attribute__((constructor)) static void draw_key(void)
{
    if (getentropy(ps_hash_key, sizeof ps_hash_key) == 0)
        return;
    (void)fputs("perfshelf: the system has no random numbers (getentropy failed)\n", stderr);
    abort();
}

static uint64_t word_at(const char *at)
{
    uint64_t word;

    memcpy(&word, at, sizeof word);
    return word;
}

/* The first `len` bytes as a little-endian number, len < 8. */
static uint64_t short_word(const char *at, size_t len)
{
    uint64_t word = 0;

    for (size_t i = 0; i < len; i++)
        word |= (uint64_t)(unsigned char)at[i] << 8 * i;
    return word;
}

void ps_hash_add_bytes(struct ps_hash *h, const void *bytes, size_t len)
{
    const char *at = len ? bytes : "", *end = at + len; /* `bytes` may be NULL if len is 0 */
    uint64_t rest;

    for (; end - at >= 8; at += 8)
        ps_hash_add(h, word_at(at));
    if (len >= 8 && at < end) /* the bytes of the last word that were not added yet */
        rest = word_at(end - 8) >> 8 * (8 - (end - at));
    else
        rest = short_word(at, (size_t)(end - at));
    ps_hash_add(h, rest | (uint64_t)len << 56);
}

uint64_t ps_hash_bytes(const void *bytes, size_t len)
{
    struct ps_hash h = ps_hash_begin();

    ps_hash_add_bytes(&h, bytes, len);
    return ps_hash_end(&h);
}

/* --- Hash tables --- */

size_t ps_hash_table_slots_for(size_t n)
{
    size_t slots = 16;

    while (slots / 2 <= n)
        slots *= 2;
    return slots;
}

struct ps_hash_table ps_hash_table_from_slots(struct ps_hash_slot *slots, size_t n_slots)
{
    return (struct ps_hash_table){.slots = slots, .mask = n_slots - 1, .borrows_slots = true};
}

void ps_hash_table_reserve(struct ps_hash_table *table, size_t n)
{
    struct ps_hash_slot *old = table->slots;
    size_t n_old = old ? table->mask + 1 : 0, n_slots = ps_hash_table_slots_for(n);

    if (n_slots <= n_old)
        return;
    assert(!table->borrows_slots && n < PS_HASH_NONE);
    table->slots = ps_alloc_array(n_slots, sizeof *table->slots);
    table->mask = n_slots - 1;
    for (size_t i = 0; i < n_old; i++) {
        size_t position = old[i].tag & table->mask;

        if (!old[i].index_plus_1)
            continue;
        while (table->slots[position].index_plus_1)
            position = (position + 1) & table->mask;
        table->slots[position] = old[i];
    }
    free(old);
}

/* Backward-shift deletion: later items whose probe sequence contains the freed slot move into it,
 * so that no look-up ends early at the gap. */
void ps_hash_table_remove(struct ps_hash_table *table, uint64_t hash, uint32_t index)
{
    size_t free_at = (uint32_t)hash & table->mask, next;

    while (table->slots[free_at].index_plus_1 != index + 1)
        free_at = (free_at + 1) & table->mask;
    for (next = (free_at + 1) & table->mask; table->slots[next].index_plus_1;
         next = (next + 1) & table->mask) {
        size_t home = table->slots[next].tag & table->mask;

        if (((next - home) & table->mask) < ((next - free_at) & table->mask))
            continue;
        table->slots[free_at] = table->slots[next];
        free_at = next;
    }
    table->slots[free_at] = (struct ps_hash_slot){0, 0};
    table->count--;
}

void ps_hash_table_clear(struct ps_hash_table *table)
{
    if (table->count)
        memset(table->slots, 0, (table->mask + 1) * sizeof *table->slots);
    table->count = 0;
}

void ps_hash_table_free(struct ps_hash_table *table)
{
    if (!table->borrows_slots)
        free(table->slots);
    *table = (struct ps_hash_table){0};
}
