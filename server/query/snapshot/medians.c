/* SPDX-License-Identifier: MIT */
#include "server/query/snapshot/medians.h"

#include <stdlib.h>

#define CACHE_BYTES_MAX ((size_t)16 << 20)
/* With more allocations than this on a device, 256 MiB of lifetimes, medians are unknown. */
#define ALLOCATIONS_MAX ((size_t)64 << 20)

static void free_entry(struct ps_cache_entry *entry)
{
    free(entry->key);
    free(((struct ps_snapshot_medians *)entry)->events);
    free(((struct ps_snapshot_medians *)entry)->count);
    free(((struct ps_snapshot_medians *)entry)->beside);
    free(entry);
}

static struct ps_lru_cache cache = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .bytes_max = CACHE_BYTES_MAX,
    .free_entry = free_entry,
};

void ps_snapshot_medians_release(const struct ps_snapshot_medians **medians)
{
    ps_lru_cache_release(&cache, *medians ? &(*medians)->cache_entry : NULL);
    *medians = NULL;
}

/* All lifetimes, sorted by key: those of key k are lifetimes[first[k] .. first[k + 1] - 1]. */
struct lifetimes {
    const struct ps_snapshot_stacks *stacks;
    enum ps_snapshot_stacks_as as;
    const uint32_t *key_of_node;
    uint32_t *lifetimes;
    size_t *first;
    int64_t *last_end, *beside; /* [key] */
};

/* Counts the allocations by key; if lifetimes is not NULL, stores them. They are in the order of
 * their ends, so two of a key overlap if one begins before the end of the one before it. */
static enum ps_status add_chunk(struct ps_snapshot_rows *rows, size_t chunk, struct lifetimes *l,
                                struct ps_err *err)
{
    const int64_t *start = ps_snapshot_column(rows, chunk, PS_ALLOCATION_START, err);
    const int64_t *end = ps_snapshot_column(rows, chunk, PS_ALLOCATION_END, err);
    const int64_t *stack = ps_snapshot_column(rows, chunk, PS_ALLOCATION_STACK, err);

    if (!start || !end || !stack)
        return err->code;
    for (size_t i = 0; i < rows->chunks[chunk].n; i++) {
        size_t key;

        if (start[i] < 0 || end[i] < start[i])
            continue;
        key = l->key_of_node[ps_snapshot_node(l->stacks, l->as, stack[i], 0)];
        if (l->lifetimes)
            l->lifetimes[l->first[key]] =
                end[i] - start[i] < UINT32_MAX ? (uint32_t)(end[i] - start[i]) : UINT32_MAX;
        else if (start[i] < l->last_end[key])
            l->beside[key]++;
        l->last_end[key] = end[i];
        l->first[key]++;
    }
    return err->code;
}

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* Returns the median of n > 0 values; of an even number, the lower of both in the middle. Reorders
 * them. Many values are selected by their bytes, from the highest on, which takes linear time. */
static uint32_t median_of(uint32_t *values, size_t n)
{
    size_t wanted = (n - 1) / 2;
    uint32_t prefix = 0;

    if (n < 64) {
        qsort(values, n, sizeof *values, by_value);
        return values[wanted];
    }
    for (unsigned shift = 24;; shift -= 8) {
        size_t counts[256] = {0}, kept = 0;
        uint32_t byte = 0;

        for (size_t i = 0; i < n; i++)
            counts[values[i] >> shift & 255]++;
        while (wanted >= counts[byte])
            wanted -= counts[byte++];
        prefix |= byte << shift;
        if (shift == 0)
            return prefix;
        for (size_t i = 0; i < n; i++)
            if ((values[i] >> shift & 255) == byte)
                values[kept++] = values[i];
        n = kept;
    }
}

static enum ps_status each_chunk(struct ps_snapshot_rows *rows, struct lifetimes *l,
                                 struct ps_err *err)
{
    for (size_t c = 0; c < rows->n_chunks && err->code == PS_OK; c++)
        add_chunk(rows, c, l, err);
    return err->code;
}

static enum ps_status compute(struct ps_db *db, int64_t device, struct lifetimes *l, size_t n_keys,
                              struct ps_snapshot_medians *medians, struct ps_err *err)
{
    PS_AUTO(ps_snapshot_rows_close) struct ps_snapshot_rows rows = {.db = NULL};
    size_t n = 0;

    ps_snapshot_rows_open(db, PS_PACKED_ALLOCATIONS, device, &rows, err);
    each_chunk(&rows, l, err);
    for (size_t key = 0; key < n_keys; key++) {
        size_t count = l->first[key];

        medians->events[key] = -1;
        medians->count[key] = (int64_t)count;
        l->first[key] = n;
        n += count;
    }
    if (err->code != PS_OK || !n || n > ALLOCATIONS_MAX)
        return err->code;
    l->lifetimes = ps_try_alloc_array(n, sizeof *l->lifetimes);
    if (!l->lifetimes)
        return PS_OK;          /* the medians are unknown */
    each_chunk(&rows, l, err); /* first[key] becomes the end of the lifetimes of the key */
    for (size_t key = 0, begin = 0; key < n_keys && err->code == PS_OK; key++) {
        if (l->first[key] > begin)
            medians->events[key] = median_of(l->lifetimes + begin, l->first[key] - begin);
        begin = l->first[key];
    }
    return err->code;
}

enum ps_status
ps_snapshot_medians_acquire(struct ps_db *db, const struct ps_snapshot_device_row *device,
                            const struct ps_snapshot_stacks *stacks, enum ps_snapshot_stacks_as as,
                            const char *name, const uint32_t *key_of_node, size_t n_keys,
                            const struct ps_snapshot_medians **out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf key = {0};
    struct lifetimes l = {.stacks = stacks, .as = as, .key_of_node = key_of_node};
    struct ps_snapshot_medians *medians;

    *out = NULL;
    if (err->code != PS_OK)
        return err->code;
    ps_buf_printf(&key, "%s %lld %d %s", ps_db_run_id(db), (long long)device->id, (int)as, name);
    medians = (struct ps_snapshot_medians *)ps_lru_cache_find(&cache, key.ptr);
    if (!medians) {
        medians = ps_alloc(sizeof *medians);
        medians->events = ps_alloc_array(n_keys + 1, sizeof *medians->events);
        l.first = ps_alloc_array(n_keys + 1, sizeof *l.first);
        l.last_end = ps_alloc_array(n_keys + 1, sizeof *l.last_end);
        medians->count = ps_alloc_array(n_keys + 1, sizeof *medians->count);
        medians->beside = l.beside = ps_alloc_array(n_keys + 1, sizeof *l.beside);
        compute(db, device->id, &l, n_keys, medians, err);
        free(l.first);
        free(l.last_end);
        free(l.lifetimes);
        if (err->code != PS_OK) {
            free_entry(&medians->cache_entry);
            return err->code;
        }
        ps_lru_cache_put(&cache, &medians->cache_entry, ps_strdup(ps_buf_slice(&key)),
                         sizeof *medians + 3 * n_keys * sizeof *medians->events);
    }
    *out = medians;
    return PS_OK;
}
