/* SPDX-License-Identifier: MIT */
#include "base/intern.h"

#include <stdlib.h>

static bool is_text(const void *items, uint32_t id, const void *text)
{
    return ps_str_eq(((const struct ps_str *)items)[id], *(const struct ps_str *)text);
}

uint32_t ps_intern_add(struct ps_intern *table, struct ps_str text)
{
    uint32_t id = ps_hash_table_add(&table->ids, ps_hash_bytes(text.ptr, text.len), table->count,
                                    is_text, table->items, &text);

    if (id < table->count)
        return id;
    PS_RESERVE_ONE(table->items, table->count, table->cap);
    table->items[table->count++] = ps_arena_copy(&table->arena, text);
    return id;
}

uint32_t ps_intern_find(const struct ps_intern *table, struct ps_str text)
{
    return ps_hash_table_find(&table->ids, ps_hash_bytes(text.ptr, text.len), is_text, table->items,
                              &text);
}

void ps_intern_free(struct ps_intern *table)
{
    free(table->items);
    ps_hash_table_free(&table->ids);
    ps_arena_free(&table->arena);
    *table = (struct ps_intern){0};
}
