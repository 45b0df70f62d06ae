/* SPDX-License-Identifier: MIT */
/*
 * lru_cache.h: a cache of results that are expensive to compute. Its entries are in a list, the
 * most recently used one first. When they exceed the size limit of the list, the least recently
 * used entries without users are freed. Thread-safe. Only files below server/query include it.
 */
#ifndef PS_QUERY_LRU_CACHE_H
#define PS_QUERY_LRU_CACHE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* Header of a cache entry: the first member of each cached struct. */
struct ps_cache_entry {
    struct ps_cache_entry *next;
    char *key; /* malloc'ed; the `free` of the list frees it too; NULL: the entry is in no list */
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
    pthread_cond_t
        claim_ended; /* signalled when a claim ends; initialised only in lists with claims */
    struct ps_cache_claim *claims;
    struct ps_cache_entry *newest;
    size_t bytes, bytes_max; /* bytes: of all entries, and their limit */
    void (*free)(struct ps_cache_entry *);
};

/* Returns the entry of the key, or NULL. The caller releases it with ps_lru_cache_release. */
struct ps_cache_entry *ps_lru_cache_find(struct ps_lru_cache *list, const char *key);
/* Like ps_lru_cache_find, but when it returns NULL it has registered *claim: the caller must
 * compute the entry. Other threads that claim the key wait until ps_lru_cache_unclaim. The caller
 * calls that after ps_lru_cache_put, or when the entry cannot be computed; then one of the waiting
 * threads computes it. The caller owns *claim. A thread may hold one claim at a time. A thread
 * whose context ends stops waiting. */
struct ps_cache_entry *ps_lru_cache_claim(struct ps_lru_cache *list, const char *key,
                                          struct ps_cache_claim *claim);
void ps_lru_cache_unclaim(struct ps_lru_cache *list, struct ps_cache_claim *claim);
/* Adds an entry with the caller as its user, who releases it with ps_lru_cache_release. Becomes the
 * owner of `key`. If the context of the thread has ended, the entry may be incomplete and is not
 * added. */
void ps_lru_cache_put(struct ps_lru_cache *list, struct ps_cache_entry *entry, char *key,
                      size_t bytes);
/* Ends the caller's use of an entry; frees an entry that was not added to the list. NULL is
 * allowed. */
void ps_lru_cache_release(struct ps_lru_cache *list, struct ps_cache_entry *entry);

#endif
