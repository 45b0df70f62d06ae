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
struct ps_kept {
    struct ps_kept *next;
    char *key; /* malloc'ed; the `free` of the list frees it too; NULL: the entry is in no list */
    unsigned users;
    size_t bytes;
};

/* A key whose entry one thread is computing; other threads wait for it. */
struct ps_kept_claim {
    struct ps_kept_claim *next;
    const char *key;
};

struct ps_kept_list {
    pthread_mutex_t lock;
    pthread_cond_t done; /* signalled when a claim ends; initialised only in lists with claims */
    struct ps_kept_claim *claims;
    struct ps_kept *newest;
    size_t held, most; /* bytes: of all entries, and their limit */
    void (*free)(struct ps_kept *);
};

/* Returns the entry of the key, or NULL. The caller releases it with ps_kept_release. */
struct ps_kept *ps_kept_find(struct ps_kept_list *list, const char *key);
/* Like ps_kept_find, but when it returns NULL it has registered *claim: the caller must compute the
 * entry. Other threads that claim the key wait until ps_kept_unclaim. The caller calls that after
 * ps_kept_put, or when the entry cannot be computed; then one of the waiting threads computes it.
 * The caller owns *claim. A thread may hold one claim at a time. A thread whose context ends stops
 * waiting. */
struct ps_kept *ps_kept_claim(struct ps_kept_list *list, const char *key,
                              struct ps_kept_claim *claim);
void ps_kept_unclaim(struct ps_kept_list *list, struct ps_kept_claim *claim);
/* Adds an entry with the caller as its user, who releases it with ps_kept_release. Becomes the
 * owner of `key`. If the context of the thread has ended, the entry may be incomplete and is not
 * added. */
void ps_kept_put(struct ps_kept_list *list, struct ps_kept *entry, char *key, size_t bytes);
/* Ends the caller's use of an entry; frees an entry that was not added to the list. NULL is
 * allowed. */
void ps_kept_release(struct ps_kept_list *list, struct ps_kept *entry);

#endif
