/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "server/http/response_cache.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_table.h"
#include "base/mem.h"
#include "server/http/libmicrohttpd.h"

#define OVERHEAD ((size_t)2 << 10) /* bytes that an entry counts besides its body and its URL */

struct entry {
    struct ps_cached_response ready; /* must be the first member */
    struct entry *newer, *older;
    atomic_uint n_references; /* number of references, including that of the cache */
    uint64_t hash;
    uint32_t index; /* index in `entries` */
    bool gzip, is_in_cache;
    size_t url_len;
    char *url;
};

struct ps_response_cache {
    pthread_mutex_t lock;
    struct entry **entries;
    uint32_t n, cap;
    uint32_t *free_indexes; /* unused indexes of `entries` */
    uint32_t n_free_indexes, cap_free_indexes;
    struct ps_hash_table by_url;
    /* head of the list in order of use: lru_list.older is the most recently used entry,
     * lru_list.newer the least recently used one */
    struct entry lru_list;
    size_t bytes;
};

struct ps_response_cache *ps_response_cache_create(void)
{
    struct ps_response_cache *cache = ps_alloc(sizeof *cache);

    pthread_mutex_init(&cache->lock, NULL);
    cache->lru_list.newer = cache->lru_list.older = &cache->lru_list;
    return cache;
}

static void release_entry(struct entry *entry)
{
    if (atomic_fetch_sub(&entry->n_references, 1) > 1)
        return;
    ps_mhd.MHD_destroy_response(entry->ready.response);
    if (entry->ready.not_modified)
        ps_mhd.MHD_destroy_response(entry->ready.not_modified);
    free((void *)(uintptr_t)entry->ready.etag);
    free((void *)(uintptr_t)entry->ready.subject);
    free(entry->url);
    free(entry);
}

void ps_response_cache_release(const struct ps_cached_response *ready)
{
    release_entry((struct entry *)(uintptr_t)ready);
}

/* --- Called with the lock held --- */

static void unlink_use(struct entry *entry)
{
    entry->newer->older = entry->older;
    entry->older->newer = entry->newer;
}

static void link_newest(struct ps_response_cache *cache, struct entry *entry)
{
    entry->newer = &cache->lru_list;
    entry->older = cache->lru_list.older;
    entry->older->newer = entry;
    cache->lru_list.older = entry;
}

struct response_key {
    struct ps_str url;
    bool gzip;
};

static bool is_key_of_entry(const void *entries, uint32_t index, const void *of)
{
    const struct entry *entry = ((struct entry *const *)entries)[index];
    const struct response_key *wanted = of;

    return entry->gzip == wanted->gzip &&
           ps_str_eq((struct ps_str){entry->url, entry->url_len}, wanted->url);
}

static struct entry *find_response(struct ps_response_cache *cache, struct ps_str url, bool gzip,
                                   uint64_t hash)
{
    uint32_t index = ps_hash_table_find(&cache->by_url, hash, is_key_of_entry, cache->entries,
                                        &(struct response_key){url, gzip});

    return index == PS_HASH_NONE ? NULL : cache->entries[index];
}

/* The URL must not be in the cache yet. */
static void insert_entry(struct ps_response_cache *cache, struct entry *entry)
{
    const struct response_key wanted = {{entry->url, entry->url_len}, entry->gzip};

    if (cache->n_free_indexes) {
        entry->index = cache->free_indexes[--cache->n_free_indexes];
    } else {
        PS_RESERVE_ONE(cache->entries, cache->n, cache->cap);
        entry->index = cache->n++;
    }
    cache->entries[entry->index] = entry;
    (void)ps_hash_table_add(&cache->by_url, entry->hash, entry->index, is_key_of_entry,
                            cache->entries, &wanted);
    link_newest(cache, entry);
    cache->bytes += entry->ready.bytes;
}

static void remove_entry(struct ps_response_cache *cache, struct entry *entry)
{
    ps_hash_table_remove(&cache->by_url, entry->hash, entry->index);
    PS_RESERVE_ONE(cache->free_indexes, cache->n_free_indexes, cache->cap_free_indexes);
    cache->free_indexes[cache->n_free_indexes++] = entry->index;
    unlink_use(entry);
    entry->is_in_cache = false;
    cache->bytes -= entry->ready.bytes;
    release_entry(entry);
}

/* --- Public functions --- */

void ps_response_cache_free(struct ps_response_cache *cache)
{
    if (!cache)
        return;
    while (cache->lru_list.newer != &cache->lru_list)
        remove_entry(cache, cache->lru_list.newer);
    ps_hash_table_free(&cache->by_url);
    free(cache->entries);
    free(cache->free_indexes);
    pthread_mutex_destroy(&cache->lock);
    free(cache);
}

static uint64_t hash_of(struct ps_str url, bool gzip)
{
    return ps_hash_bytes(url.ptr, url.len) ^ gzip;
}

const struct ps_cached_response *ps_response_cache_find(struct ps_response_cache *cache,
                                                        struct ps_str url, bool gzip)
{
    uint64_t hash = hash_of(url, gzip);
    struct entry *found;

    pthread_mutex_lock(&cache->lock);
    found = find_response(cache, url, gzip, hash);
    if (found) {
        atomic_fetch_add(&found->n_references, 1);
        unlink_use(found);
        link_newest(cache, found);
    }
    pthread_mutex_unlock(&cache->lock);
    return found ? &found->ready : NULL;
}

static char *copy_text(const char *text)
{
    return text ? ps_strdup(ps_str_from_c(text)) : NULL;
}

void ps_response_cache_put(struct ps_response_cache *cache, struct ps_str url, bool gzip,
                           const struct ps_cached_response *ready)
{
    struct entry *entry = ps_alloc(sizeof *entry), *old;

    entry->ready = *ready;
    entry->ready.etag = copy_text(ready->etag);
    entry->ready.subject = copy_text(ready->subject);
    entry->ready.bytes += OVERHEAD + url.len;
    atomic_init(&entry->n_references, 1);
    entry->hash = hash_of(url, gzip);
    entry->gzip = gzip;
    entry->is_in_cache = true;
    entry->url = ps_strdup(url);
    entry->url_len = url.len;
    pthread_mutex_lock(&cache->lock);
    old = find_response(cache, url, gzip, entry->hash);
    if (old)
        remove_entry(cache, old);
    insert_entry(cache, entry);
    while (cache->bytes > PS_RESPONSE_CACHE_BYTES)
        remove_entry(cache, cache->lru_list.newer);
    pthread_mutex_unlock(&cache->lock);
}

void ps_response_cache_drop(struct ps_response_cache *cache, const struct ps_cached_response *ready)
{
    struct entry *entry = (struct entry *)(uintptr_t)ready;

    pthread_mutex_lock(&cache->lock);
    if (entry->is_in_cache)
        remove_entry(cache, entry);
    pthread_mutex_unlock(&cache->lock);
}
