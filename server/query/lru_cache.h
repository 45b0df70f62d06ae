/* SPDX-License-Identifier: MIT */
/*
 * lru_cache.h: a cache of results that are expensive to compute. Its entries are in a list, the
 * most recently used one first. While their total size exceeds the limit of the list, the least
 * recently used entries without users are freed. Thread-safe. Only files below server/query include
 * it.
 */
#ifndef PS_QUERY_LRU_CACHE_H
#define PS_QUERY_LRU_CACHE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* Header of a cache entry: the first member of each cached struct. */
struct ps_cache_entry {
    struct ps_cache_entry *next;
    /* from malloc; freed by the function `free` of the list; NULL: the entry is in no list */
    char *key;
    unsigned users;
    size_t bytes;
};

/* A key whose entry one thread is computing; other threads wait for it. */
struct ps_cache_claim {
    struct ps_cache_claim *next;
    const char *key;
};

struct ps_lru_cache {
    pthread_mutex_t lock;
    /* signalled when a claim ends; initialised only in lists that use ps_lru_cache_claim */
    pthread_cond_t claim_ended;
    struct ps_cache_claim *claims;
    struct ps_cache_entry *newest;
    size_t bytes, bytes_max; /* total size of all entries, and its limit */
    void (*free_entry)(struct ps_cache_entry *);
};

/* Returns the entry of the key, or NULL. The caller releases the entry with
 * ps_lru_cache_release. */
struct ps_cache_entry *ps_lru_cache_find(struct ps_lru_cache *cache, const char *key);
/* Like ps_lru_cache_find, but if the key has no entry, registers *claim and returns NULL. Then the
 * caller must compute the entry, and call ps_lru_cache_unclaim after ps_lru_cache_put or after a
 * failure. Until then other threads that claim the key wait; after a failure one of them gets the
 * claim. A thread whose context ends stops waiting. The caller owns *claim, which refers to `key`.
 * A thread may hold one claim at a time. */
struct ps_cache_entry *ps_lru_cache_claim(struct ps_lru_cache *cache, const char *key,
                                          struct ps_cache_claim *claim);
void ps_lru_cache_unclaim(struct ps_lru_cache *cache, struct ps_cache_claim *claim);
/* Adds an entry of `bytes` bytes. The caller is its first user and releases it with
 * ps_lru_cache_release. The cache takes ownership of `key`, which is from malloc. If the context of
 * the thread has ended, the entry may be incomplete and is not added. */
void ps_lru_cache_put(struct ps_lru_cache *cache, struct ps_cache_entry *entry, char *key,
                      size_t bytes);
/* Ends the caller's use of an entry, which callers may hold as const. Frees the entry if it was not
 * added to the list. NULL is allowed. */
void ps_lru_cache_release(struct ps_lru_cache *cache, const struct ps_cache_entry *entry);

#endif
