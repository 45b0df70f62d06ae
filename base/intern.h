/* SPDX-License-Identifier: MIT */
/* intern.h: texts to dense ids from 0, each text kept once. `struct ps_intern names = {0};` is an
 * empty one. */
#ifndef PS_BASE_INTERN_H
#define PS_BASE_INTERN_H

#include "base/mem.h"

struct ps_intern_slot {
    uint32_t hash, id; /* id + 1, or 0 */
};

struct ps_intern {
    struct ps_str *items; /* by id; live as long as the table */
    uint32_t count;
    uint32_t cap;
    struct ps_intern_slot *slots; /* linear probing */
    uint32_t mask;
    struct ps_arena text;
};

uint32_t ps_intern_id(struct ps_intern *table, struct ps_str text);
bool ps_intern_has(const struct ps_intern *table, struct ps_str text);
void ps_intern_free(struct ps_intern *table);

/* A hash of bytes that differs from run to run, so that no file can be made to collide. */
uint64_t ps_hash_bytes(const void *bytes, size_t len);
uint64_t ps_hash_mix(uint64_t a, uint64_t b);

#endif
