/* SPDX-License-Identifier: MIT */
/*
 * hash_table.h: the hash table used everywhere in the program, and the keyed hash functions for its
 * keys.
 *
 * A table finds the index of an item by the item's key. It stores neither items nor keys: the
 * caller keeps the items in an array and passes a function that compares a key with the item at an
 * index. A slot of the table contains such an index and 32 bits of the key's hash. These bits rule
 * out most items with another key, without access to the item.
 *
 * Profiles come from untrusted sources, which could otherwise choose addresses, ids or names with
 * equal hashes and turn each look-up into a linear search. So every hash depends on a key that each
 * process reads from the system's random source before main(). Byte strings and sequences are
 * hashed with SipHash-1-3 (Aumasson and Bernstein, 2012). One or two numbers, which the views of a
 * trace hash for each slice, are hashed by two folded multiplications, as in wyhash and aHash
 * (Kaitchuck, 2019). That takes a third of the time. These multiplications are not a pseudo-random
 * function for an attacker who sees hashes, but no hash leaves the process. Hashes differ from
 * process to process: do not store them in files, and keep every output independent of them. Slots
 * have no meaningful order; iterate over your items instead.
 *
 * Cost: open addressing with linear probing in slots of eight bytes. At most half of the slots are
 * used; a table that would exceed this doubles. An insertion takes amortised constant time, and a
 * table has 16 to 32 bytes per item. A table has at most 2^32 - 2 items.
 *
 * Ownership: `struct ps_hash_table table = {0};` is an empty table, which allocates on the first
 * insertion; release it with ps_hash_table_free. Threads: any number may search a table that no
 * thread changes. The hash functions are safe everywhere.
 *
 *     struct point { int64_t x, y; double weight; } *points;
 *
 *     static bool is_at(const void *items, uint32_t index, const void *key)
 *     {
 *         const struct point *p = (const struct point *)items + index, *wanted = key;
 *         return p->x == wanted->x && p->y == wanted->y;
 *     }
 *
 *     uint64_t hash = ps_hash_pair((uint64_t)p.x, (uint64_t)p.y);
 *     uint32_t index = ps_hash_table_add(&table, hash, n, is_at, points, &p);
 *     if (index == n)
 *         append p to points, so that it becomes item n
 *     points[index].weight += p.weight;
 */
#ifndef PS_BASE_HASH_TABLE_H
#define PS_BASE_HASH_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- Hashing --- */

/* State of a hash computation: begin, add the parts of the key, end. */
struct ps_hash {
    uint64_t v0, v1, v2, v3;
};

extern uint64_t ps_hash_key[4]; /* keys of this process; set before main() */

static inline uint64_t ps_hash_rotate(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

static inline void ps_hash_round(struct ps_hash *h)
{
    h->v0 += h->v1;
    h->v2 += h->v3;
    h->v1 = ps_hash_rotate(h->v1, 13) ^ h->v0;
    h->v3 = ps_hash_rotate(h->v3, 16) ^ h->v2;
    h->v0 = ps_hash_rotate(h->v0, 32);
    h->v2 += h->v1;
    h->v0 += h->v3;
    h->v1 = ps_hash_rotate(h->v1, 17) ^ h->v2;
    h->v3 = ps_hash_rotate(h->v3, 21) ^ h->v0;
    h->v2 = ps_hash_rotate(h->v2, 32);
}

static inline struct ps_hash ps_hash_begin(void)
{
    return (struct ps_hash){
        .v0 = ps_hash_key[0] ^ UINT64_C(0x736f6d6570736575),
        .v1 = ps_hash_key[1] ^ UINT64_C(0x646f72616e646f6d),
        .v2 = ps_hash_key[0] ^ UINT64_C(0x6c7967656e657261),
        .v3 = ps_hash_key[1] ^ UINT64_C(0x7465646279746573),
    };
}

static inline void ps_hash_add(struct ps_hash *h, uint64_t word)
{
    h->v3 ^= word;
    ps_hash_round(h);
    h->v0 ^= word;
}

/* Adds the bytes, then `len`, to the hash. */
void ps_hash_add_bytes(struct ps_hash *h, const void *bytes, size_t len);

static inline uint64_t ps_hash_end(struct ps_hash *h)
{
    h->v2 ^= 0xff;
    ps_hash_round(h);
    ps_hash_round(h);
    ps_hash_round(h);
    return h->v0 ^ h->v1 ^ h->v2 ^ h->v3;
}

/* Returns the XOR of both halves of the 128-bit product of a and b. */
static inline uint64_t ps_hash_fold(uint64_t a, uint64_t b)
{
    __extension__ unsigned __int128 product = (unsigned __int128)a * b;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Hash of two numbers; their order matters. */
static inline uint64_t ps_hash_pair(uint64_t a, uint64_t b)
{
    return ps_hash_fold(ps_hash_fold(a ^ ps_hash_key[0], b ^ ps_hash_key[1]) ^ ps_hash_key[2],
                        ps_hash_key[3] | 1);
}

static inline uint64_t ps_hash_u64(uint64_t number)
{
    return ps_hash_pair(number, 0);
}

uint64_t ps_hash_bytes(const void *bytes, size_t len);

/* --- Hash tables --- */

#define PS_HASH_NONE UINT32_MAX /* no index */

struct ps_hash_slot {
    uint32_t tag;          /* the low half of the hash */
    uint32_t index_plus_1; /* index + 1; 0: free */
};

struct ps_hash_table {
    struct ps_hash_slot *slots;
    size_t mask; /* number of slots - 1; the number of slots is a power of two */
    size_t count;
    /* the slots belong to the caller: the table neither replaces nor frees them */
    bool borrows_slots;
};

/* Whether the item at `index` has the key `key`. `items` is the pointer that the caller passed,
 * usually the array of items. */
typedef bool ps_hash_equal(const void *items, uint32_t index, const void *key);

/* Allocates slots, so that the table does not grow until it has n items. */
void ps_hash_table_reserve(struct ps_hash_table *table, size_t n);
/* Number of slots of a table for n items. */
size_t ps_hash_table_slots_for(size_t n);
/* Returns a table whose slots are zeroed memory of the caller. n_slots is
 * ps_hash_table_slots_for(n), where n is the maximum number of items; the table cannot grow. */
struct ps_hash_table ps_hash_table_from_slots(struct ps_hash_slot *slots, size_t n_slots);
/* Removes all items and keeps the memory. */
void ps_hash_table_clear(struct ps_hash_table *table);
void ps_hash_table_free(struct ps_hash_table *table);
/* Removes the item with this hash and index, which must be in the table. */
void ps_hash_table_remove(struct ps_hash_table *table, uint64_t hash, uint32_t index);

/* The slot of the key, or the free slot where it would be inserted. Internal to this header. */
static inline struct ps_hash_slot *ps_hash_table_slot(const struct ps_hash_table *table,
                                                      uint64_t hash, ps_hash_equal *equal,
                                                      const void *items, const void *key)
{
    uint32_t tag = (uint32_t)hash;
    size_t position = tag & table->mask;
    struct ps_hash_slot *slot;

    for (;; position = (position + 1) & table->mask) {
        slot = &table->slots[position];
        if (!slot->index_plus_1 || (slot->tag == tag && equal(items, slot->index_plus_1 - 1, key)))
            return slot;
    }
}

/* The index of the item with this key, or PS_HASH_NONE. */
static inline uint32_t ps_hash_table_find(const struct ps_hash_table *table, uint64_t hash,
                                          ps_hash_equal *equal, const void *items, const void *key)
{
    /* A free slot has item 0, and 0 - 1 is PS_HASH_NONE. */
    return table->count ? ps_hash_table_slot(table, hash, equal, items, key)->index_plus_1 - 1
                        : PS_HASH_NONE;
}

/* Prefetches the slot where a search for this hash begins. */
static inline void ps_hash_table_prefetch(const struct ps_hash_table *table, uint64_t hash)
{
    if (table->count)
        __builtin_prefetch(&table->slots[(uint32_t)hash & table->mask]);
}

/* The index of the item with this key. If there is none, inserts the key with `index` and returns
 * `index`; the caller must then store the item at that index before the next use of the table. */
static inline uint32_t ps_hash_table_add(struct ps_hash_table *table, uint64_t hash, uint32_t index,
                                         ps_hash_equal *equal, const void *items, const void *key)
{
    struct ps_hash_slot *slot;

    if (2 * table->count >= table->mask)
        ps_hash_table_reserve(table, table->count + 1);
    slot = ps_hash_table_slot(table, hash, equal, items, key);
    if (slot->index_plus_1)
        return slot->index_plus_1 - 1;
    *slot = (struct ps_hash_slot){(uint32_t)hash, index + 1};
    table->count++;
    return index;
}

#endif
