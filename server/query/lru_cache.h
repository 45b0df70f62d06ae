/* SPDX-License-Identifier: MIT */
/*
 * lru_cache.h: what is dear to make, kept for the next request: a list by key, the most recently
 * used first; the least recently used that nobody holds go when all together are larger than the
 * list may be. Thread-safe. Only files of this folder include it.
 */
#ifndef PS_QUERY_LRU_CACHE_H
#define PS_QUERY_LRU_CACHE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* The first member of what is kept. */
struct ps_kept {
    struct ps_kept *next;
    char *key; /* malloc'ed, freed with the rest by the list's free; NULL: in no list */
    unsigned users;
    size_t bytes;
};

/* A key that somebody makes an entry for. */
struct ps_kept_claim {
    struct ps_kept_claim *next;
    const char *key;
};

struct ps_kept_list {
    pthread_mutex_t lock;
    pthread_cond_t done; /* a claim ended; only of lists with claims */
    struct ps_kept_claim *claims;
    struct ps_kept *newest;
    size_t held, most; /* bytes */
    void (*free)(struct ps_kept *);
};

/* What stands under the key, held until its release; NULL: nothing. */
struct ps_kept *ps_kept_find(struct ps_kept_list *list, const char *key);
/* The same, where nothing stands there: the caller makes it, and whoever else claims the key
 * meanwhile waits. The claim, the caller's, ends with ps_kept_unclaim, after the entry was put in
 * or when it could not be made; then one of those who wait makes it. No claims while one holds one.
 */
struct ps_kept *ps_kept_claim(struct ps_kept_list *list, const char *key,
                              struct ps_kept_claim *claim);
void ps_kept_unclaim(struct ps_kept_list *list, struct ps_kept_claim *claim);
/* Puts it in under `key`, which it takes; the caller holds it until its release. Once the context
 * of the thread has ended, nothing is put in: the entry may be incomplete. */
void ps_kept_put(struct ps_kept_list *list, struct ps_kept *entry, char *key, size_t bytes);
/* Frees what was never put in. NULL is fine. */
void ps_kept_release(struct ps_kept_list *list, struct ps_kept *entry);

#endif
