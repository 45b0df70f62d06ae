/* SPDX-License-Identifier: MIT */
/*
 * intern.h: maps strings to dense ids from 0 and stores each string once. `struct ps_intern names =
 * {0};` is an empty table; release it with ps_intern_free.
 *
 * The strings may come from an untrusted source: see base/hash_table.h. Ids are assigned in the
 * order of insertion, so they are the same in every process. Any number of threads may search a
 * table while no thread adds to it.
 */
#ifndef PS_BASE_INTERN_H
#define PS_BASE_INTERN_H

#include "base/hash_table.h"
#include "base/mem.h"

#define PS_INTERN_NONE PS_HASH_NONE /* no id */

struct ps_intern {
    /* strings by id, `count` of them; their bytes are valid until ps_intern_free */
    struct ps_str *items;
    uint32_t count;
    uint32_t cap;
    struct ps_hash_table ids;
    struct ps_arena arena;
};

/* The id of a string, which is added if it is new. */
uint32_t ps_intern_add(struct ps_intern *table, struct ps_str text);
/* The id of a string; PS_INTERN_NONE if it is not in the table. */
uint32_t ps_intern_find(const struct ps_intern *table, struct ps_str text);
void ps_intern_free(struct ps_intern *table);

#endif
