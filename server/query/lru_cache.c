/* SPDX-License-Identifier: MIT */
#include "server/query/lru_cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/context.h"

#define WAIT_MS 20

/* Returns the entry of a key or NULL. Moves the entry to the front of the list and increments its
 * users. The caller holds the lock. */
static struct ps_cache_entry *find_entry(struct ps_lru_cache *list, const char *key)
{
    struct ps_cache_entry *found = NULL;

    for (struct ps_cache_entry **at = &list->newest; *at; at = &(*at)->next) {
        if (strcmp((*at)->key, key) != 0)
            continue;
        found = *at;
        *at = found->next;
        found->next = list->newest;
        list->newest = found;
        found->users++;
        break;
    }
    return found;
}

struct ps_cache_entry *ps_lru_cache_find(struct ps_lru_cache *list, const char *key)
{
    struct ps_cache_entry *found;

    pthread_mutex_lock(&list->lock);
    found = find_entry(list, key);
    pthread_mutex_unlock(&list->lock);
    return found;
}

static bool is_claimed(const struct ps_lru_cache *list, const char *key)
{
    for (const struct ps_cache_claim *at = list->claims; at; at = at->next)
        if (strcmp(at->key, key) == 0)
            return true;
    return false;
}

/* Waits until a claim ends, at most WAIT_MS, so that the caller can check whether its context has
 * ended. The caller holds the lock. */
static void wait_briefly(struct ps_lru_cache *list)
{
    (void)ps_cond_wait_until(&list->claim_ended, &list->lock, ps_monotonic_ms() + WAIT_MS);
}

struct ps_cache_entry *ps_lru_cache_claim(struct ps_lru_cache *list, const char *key,
                                          struct ps_cache_claim *claim)
{
    struct ps_cache_entry *found;

    pthread_mutex_lock(&list->lock);
    while (!(found = find_entry(list, key)) && is_claimed(list, key) && !ps_context_has_ended())
        wait_briefly(list);
    if (!found) {
        *claim = (struct ps_cache_claim){list->claims, key};
        list->claims = claim;
    }
    pthread_mutex_unlock(&list->lock);
    return found;
}

void ps_lru_cache_unclaim(struct ps_lru_cache *list, struct ps_cache_claim *claim)
{
    pthread_mutex_lock(&list->lock);
    for (struct ps_cache_claim **at = &list->claims; *at; at = &(*at)->next)
        if (*at == claim) {
            *at = claim->next;
            break;
        }
    pthread_cond_broadcast(&list->claim_ended);
    pthread_mutex_unlock(&list->lock);
}

/* The caller holds the lock. */
static void evict_entries(struct ps_lru_cache *list)
{
    while (list->bytes > list->bytes_max) {
        struct ps_cache_entry **oldest = NULL, *gone;

        for (struct ps_cache_entry **at = &list->newest; *at; at = &(*at)->next)
            if (!(*at)->users)
                oldest = at;
        if (!oldest)
            return;
        gone = *oldest;
        *oldest = gone->next;
        list->bytes -= gone->bytes;
        list->free(gone);
    }
}

void ps_lru_cache_put(struct ps_lru_cache *list, struct ps_cache_entry *entry, char *key,
                      size_t bytes)
{
    if (ps_context_has_ended()) { /* the entry may be incomplete */
        *entry = (struct ps_cache_entry){.key = NULL};
        free(key);
        return;
    }
    pthread_mutex_lock(&list->lock);
    *entry = (struct ps_cache_entry){list->newest, key, 1, bytes};
    list->newest = entry;
    list->bytes += bytes;
    pthread_mutex_unlock(&list->lock);
}

void ps_lru_cache_release(struct ps_lru_cache *list, struct ps_cache_entry *entry)
{
    if (!entry)
        return;
    if (!entry->key) {
        list->free(entry);
        return;
    }
    pthread_mutex_lock(&list->lock);
    entry->users--;
    evict_entries(list);
    pthread_mutex_unlock(&list->lock);
}
