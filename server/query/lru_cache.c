/* SPDX-License-Identifier: MIT */
#include "server/query/lru_cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/context.h"

#define WAIT_MS 20

/* Returns the entry of a key or NULL. Moves the entry to the front of the list and increments its
 * users. The caller holds the lock. */
static struct ps_cache_entry *find_entry(struct ps_lru_cache *cache, const char *key)
{
    struct ps_cache_entry *found = NULL;

    for (struct ps_cache_entry **at = &cache->newest; *at; at = &(*at)->next) {
        if (strcmp((*at)->key, key) != 0)
            continue;
        found = *at;
        *at = found->next;
        found->next = cache->newest;
        cache->newest = found;
        found->users++;
        break;
    }
    return found;
}

struct ps_cache_entry *ps_lru_cache_find(struct ps_lru_cache *cache, const char *key)
{
    struct ps_cache_entry *found;

    pthread_mutex_lock(&cache->lock);
    found = find_entry(cache, key);
    pthread_mutex_unlock(&cache->lock);
    return found;
}

static bool is_claimed(const struct ps_lru_cache *cache, const char *key)
{
    for (const struct ps_cache_claim *at = cache->claims; at; at = at->next)
        if (strcmp(at->key, key) == 0)
            return true;
    return false;
}

/* Waits until a claim ends, at most WAIT_MS, so that the caller can check whether its context has
 * ended. The caller holds the lock. */
static void wait_briefly(struct ps_lru_cache *cache)
{
    (void)ps_cond_wait_until(&cache->claim_ended, &cache->lock, ps_monotonic_ms() + WAIT_MS);
}

struct ps_cache_entry *ps_lru_cache_claim(struct ps_lru_cache *cache, const char *key,
                                          struct ps_cache_claim *claim)
{
    struct ps_cache_entry *found;

    pthread_mutex_lock(&cache->lock);
    while (!(found = find_entry(cache, key)) && is_claimed(cache, key) && !ps_context_has_ended())
        wait_briefly(cache);
    if (!found) {
        *claim = (struct ps_cache_claim){cache->claims, key};
        cache->claims = claim;
    }
    pthread_mutex_unlock(&cache->lock);
    return found;
}

void ps_lru_cache_unclaim(struct ps_lru_cache *cache, struct ps_cache_claim *claim)
{
    pthread_mutex_lock(&cache->lock);
    for (struct ps_cache_claim **at = &cache->claims; *at; at = &(*at)->next)
        if (*at == claim) {
            *at = claim->next;
            break;
        }
    pthread_cond_broadcast(&cache->claim_ended);
    pthread_mutex_unlock(&cache->lock);
}

/* The caller holds the lock. */
static void evict_entries(struct ps_lru_cache *cache)
{
    while (cache->bytes > cache->bytes_max) {
        struct ps_cache_entry **oldest = NULL, *evicted;

        for (struct ps_cache_entry **at = &cache->newest; *at; at = &(*at)->next)
            if (!(*at)->users)
                oldest = at;
        if (!oldest)
            return;
        evicted = *oldest;
        *oldest = evicted->next;
        cache->bytes -= evicted->bytes;
        cache->free_entry(evicted);
    }
}

void ps_lru_cache_put(struct ps_lru_cache *cache, struct ps_cache_entry *entry, char *key,
                      size_t bytes)
{
    if (ps_context_has_ended()) { /* the entry may be incomplete */
        *entry = (struct ps_cache_entry){.key = NULL};
        free(key);
        return;
    }
    pthread_mutex_lock(&cache->lock);
    *entry = (struct ps_cache_entry){cache->newest, key, 1, bytes};
    cache->newest = entry;
    cache->bytes += bytes;
    pthread_mutex_unlock(&cache->lock);
}

void ps_lru_cache_release(struct ps_lru_cache *cache, const struct ps_cache_entry *released)
{
    /* the cache allocated no entry as const, and only it changes their headers */
    struct ps_cache_entry *entry = (struct ps_cache_entry *)released;

    if (!entry)
        return;
    if (!entry->key) {
        cache->free_entry(entry);
        return;
    }
    pthread_mutex_lock(&cache->lock);
    entry->users--;
    evict_entries(cache);
    pthread_mutex_unlock(&cache->lock);
}
