/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "server/http/response_cache.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_table.h"
#include "base/mem.h"

#define OVERHEAD ((size_t)2 << 10) /* bytes that an entry counts besides its body and its URL */

struct entry {
    struct ps_cached_response ready; /* must be the first member */
    struct entry *newer, *older;
    atomic_uint holders; /* number of references, including that of the cache */
    uint64_t hash;
    uint32_t index; /* index in `entries` */
    bool gzip, in_set;
    size_t address_len;
    char *address;
};

struct ps_response_cache {
    pthread_mutex_t lock;
    struct entry **entries;
    uint32_t n, cap;
    uint32_t *vacant; /* unused indexes of `entries` */
    uint32_t n_vacant, cap_vacant;
    struct ps_hash_table by_address;
    /* head of the list in order of use: ends.older is the most recently used entry, ends.newer the
     * least recently used one */
    struct entry ends;
    size_t bytes;
};

struct ps_response_cache *ps_response_cache_create(void)
{
    struct ps_response_cache *set = ps_alloc(sizeof *set);

    pthread_mutex_init(&set->lock, NULL);
    set->ends.newer = set->ends.older = &set->ends;
    return set;
}

static void let_go(struct entry *entry)
{
    if (atomic_fetch_sub(&entry->holders, 1) > 1)
        return;
    MHD_destroy_response(entry->ready.response);
    if (entry->ready.not_modified)
        MHD_destroy_response(entry->ready.not_modified);
    free((void *)(uintptr_t)entry->ready.etag);
    free((void *)(uintptr_t)entry->ready.subject);
    free(entry->address);
    free(entry);
}

void ps_response_cache_release(const struct ps_cached_response *ready)
{
    let_go((struct entry *)(uintptr_t)ready);
}

/* --- Called with the lock held --- */

static void unlink_use(struct entry *entry)
{
    entry->newer->older = entry->older;
    entry->older->newer = entry->newer;
}

static void link_newest(struct ps_response_cache *set, struct entry *entry)
{
    entry->newer = &set->ends;
    entry->older = set->ends.older;
    entry->older->newer = entry;
    set->ends.older = entry;
}

struct response_key {
    struct ps_str address;
    bool gzip;
};

static bool is_entry(const void *entries, uint32_t index, const void *of)
{
    const struct entry *entry = ((struct entry *const *)entries)[index];
    const struct response_key *wanted = of;

    return entry->gzip == wanted->gzip &&
           ps_str_eq((struct ps_str){entry->address, entry->address_len}, wanted->address);
}

static struct entry *find_response(struct ps_response_cache *set, struct ps_str address, bool gzip,
                                   uint64_t hash)
{
    uint32_t index = ps_hash_table_find(&set->by_address, hash, is_entry, set->entries,
                                        &(struct response_key){address, gzip});

    return index == PS_HASH_NONE ? NULL : set->entries[index];
}

/* The URL must not be in the cache yet. */
static void put_in(struct ps_response_cache *set, struct entry *entry)
{
    const struct response_key wanted = {{entry->address, entry->address_len}, entry->gzip};

    if (set->n_vacant) {
        entry->index = set->vacant[--set->n_vacant];
    } else {
        PS_RESERVE_ONE(set->entries, set->n, set->cap);
        entry->index = set->n++;
    }
    set->entries[entry->index] = entry;
    (void)ps_hash_table_add(&set->by_address, entry->hash, entry->index, is_entry, set->entries,
                            &wanted);
    link_newest(set, entry);
    set->bytes += entry->ready.bytes;
}

static void take_out(struct ps_response_cache *set, struct entry *entry)
{
    ps_hash_table_remove(&set->by_address, entry->hash, entry->index);
    PS_RESERVE_ONE(set->vacant, set->n_vacant, set->cap_vacant);
    set->vacant[set->n_vacant++] = entry->index;
    unlink_use(entry);
    entry->in_set = false;
    set->bytes -= entry->ready.bytes;
    let_go(entry);
}

/* --- Public functions --- */

void ps_response_cache_free(struct ps_response_cache *set)
{
    if (!set)
        return;
    while (set->ends.newer != &set->ends)
        take_out(set, set->ends.newer);
    ps_hash_table_free(&set->by_address);
    free(set->entries);
    free(set->vacant);
    pthread_mutex_destroy(&set->lock);
    free(set);
}

static uint64_t hash_of(struct ps_str address, bool gzip)
{
    return ps_hash_bytes(address.ptr, address.len) ^ gzip;
}

const struct ps_cached_response *ps_response_cache_find(struct ps_response_cache *set,
                                                        struct ps_str address, bool gzip)
{
    uint64_t hash = hash_of(address, gzip);
    struct entry *found;

    pthread_mutex_lock(&set->lock);
    found = find_response(set, address, gzip, hash);
    if (found) {
        atomic_fetch_add(&found->holders, 1);
        unlink_use(found);
        link_newest(set, found);
    }
    pthread_mutex_unlock(&set->lock);
    return found ? &found->ready : NULL;
}

static char *copy_of(const char *text)
{
    return text ? ps_strdup(ps_str_from_c(text)) : NULL;
}

void ps_response_cache_put(struct ps_response_cache *set, struct ps_str address, bool gzip,
                           const struct ps_cached_response *ready)
{
    struct entry *entry = ps_alloc(sizeof *entry), *old;

    entry->ready = *ready;
    entry->ready.etag = copy_of(ready->etag);
    entry->ready.subject = copy_of(ready->subject);
    entry->ready.bytes += OVERHEAD + address.len;
    atomic_init(&entry->holders, 1);
    entry->hash = hash_of(address, gzip);
    entry->gzip = gzip;
    entry->in_set = true;
    entry->address = ps_strdup(address);
    entry->address_len = address.len;
    pthread_mutex_lock(&set->lock);
    old = find_response(set, address, gzip, entry->hash);
    if (old)
        take_out(set, old);
    put_in(set, entry);
    while (set->bytes > PS_RESPONSE_CACHE_BYTES)
        take_out(set, set->ends.newer);
    pthread_mutex_unlock(&set->lock);
}

void ps_response_cache_drop(struct ps_response_cache *set, const struct ps_cached_response *ready)
{
    struct entry *entry = (struct entry *)(uintptr_t)ready;

    pthread_mutex_lock(&set->lock);
    if (entry->in_set)
        take_out(set, entry);
    pthread_mutex_unlock(&set->lock);
}
