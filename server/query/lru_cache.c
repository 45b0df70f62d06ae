/* SPDX-License-Identifier: MIT */
#include "server/query/lru_cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/context.h"

#define WAIT_MS 20

/* Requires the lock. Moves the entry to the front of the list and adds a user. */
static struct ps_kept *find(struct ps_kept_list *list, const char *key)
{
    struct ps_kept *found = NULL;

    for (struct ps_kept **at = &list->newest; *at; at = &(*at)->next) {
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

struct ps_kept *ps_kept_find(struct ps_kept_list *list, const char *key)
{
    struct ps_kept *found;

    pthread_mutex_lock(&list->lock);
    found = find(list, key);
    pthread_mutex_unlock(&list->lock);
    return found;
}

static bool is_claimed(const struct ps_kept_list *list, const char *key)
{
    for (const struct ps_kept_claim *at = list->claims; at; at = at->next)
        if (strcmp(at->key, key) == 0)
            return true;
    return false;
}

/* Requires the lock. Waits until a claim ends, but only briefly, so that the caller can check
 * whether its context has ended. */
static void wait_a_moment(struct ps_kept_list *list)
{
    (void)ps_cond_wait_until(&list->done, &list->lock, ps_monotonic_ms() + WAIT_MS);
}

struct ps_kept *ps_kept_claim(struct ps_kept_list *list, const char *key,
                              struct ps_kept_claim *claim)
{
    struct ps_kept *found;

    pthread_mutex_lock(&list->lock);
    while (!(found = find(list, key)) && is_claimed(list, key) && !ps_context_ended())
        wait_a_moment(list);
    if (!found) {
        *claim = (struct ps_kept_claim){list->claims, key};
        list->claims = claim;
    }
    pthread_mutex_unlock(&list->lock);
    return found;
}

void ps_kept_unclaim(struct ps_kept_list *list, struct ps_kept_claim *claim)
{
    pthread_mutex_lock(&list->lock);
    for (struct ps_kept_claim **at = &list->claims; *at; at = &(*at)->next)
        if (*at == claim) {
            *at = claim->next;
            break;
        }
    pthread_cond_broadcast(&list->done);
    pthread_mutex_unlock(&list->lock);
}

/* Requires the lock. */
static void evict(struct ps_kept_list *list)
{
    while (list->held > list->most) {
        struct ps_kept **oldest = NULL, *gone;

        for (struct ps_kept **at = &list->newest; *at; at = &(*at)->next)
            if (!(*at)->users)
                oldest = at;
        if (!oldest)
            return;
        gone = *oldest;
        *oldest = gone->next;
        list->held -= gone->bytes;
        list->free(gone);
    }
}

void ps_kept_put(struct ps_kept_list *list, struct ps_kept *entry, char *key, size_t bytes)
{
    if (ps_context_ended()) { /* the entry may be incomplete */
        *entry = (struct ps_kept){.key = NULL};
        free(key);
        return;
    }
    pthread_mutex_lock(&list->lock);
    *entry = (struct ps_kept){list->newest, key, 1, bytes};
    list->newest = entry;
    list->held += bytes;
    pthread_mutex_unlock(&list->lock);
}

void ps_kept_release(struct ps_kept_list *list, struct ps_kept *entry)
{
    if (!entry)
        return;
    if (!entry->key) {
        list->free(entry);
        return;
    }
    pthread_mutex_lock(&list->lock);
    entry->users--;
    evict(list);
    pthread_mutex_unlock(&list->lock);
}
