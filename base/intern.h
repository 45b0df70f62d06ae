/* SPDX-License-Identifier: MIT */
/*
 * intern.h: texts to dense ids from 0, each text stored once. `struct ps_intern names = {0};` is an
 * empty table; release it with ps_intern_free.
 *
 * Texts may be chosen by a stranger: see base/hash_table.h. The ids follow the order in which the
 * texts came, in every process. An intern table may be searched by any number of threads while
 * nobody adds to it.
 */
#ifndef PS_BASE_INTERN_H
#define PS_BASE_INTERN_H

#include "base/hash_table.h"
#include "base/mem.h"

#define PS_INTERN_NONE PS_HASH_NONE /* no id */

struct ps_intern {
    struct ps_str *items; /* by id; valid as long as the table */
    uint32_t count;
    uint32_t cap;
    struct ps_hash_table ids;
    struct ps_arena text;
};

/* The id of a text, which is added when it is new. */
uint32_t ps_intern_id(struct ps_intern *table, struct ps_str text);
/* The id of a text; PS_INTERN_NONE when the table does not have it. */
uint32_t ps_intern_find(const struct ps_intern *table, struct ps_str text);
void ps_intern_free(struct ps_intern *table);

#endif
