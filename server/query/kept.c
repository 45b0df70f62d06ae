/* SPDX-License-Identifier: MIT */
#include "server/query/kept.h"

#include <string.h>

struct ps_kept *ps_kept_find(struct ps_kept_list *list, const char *key)
{
    struct ps_kept *found = NULL;

    pthread_mutex_lock(&list->lock);
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
    pthread_mutex_unlock(&list->lock);
    return found;
}

/* With the lock held. */
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
