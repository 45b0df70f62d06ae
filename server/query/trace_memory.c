/* SPDX-License-Identifier: MIT */
#include "server/query/trace_memory.h"

#include <stdlib.h>

#include "server/query/order_cache.h"

/* The allocations that are open, by address and device. */
struct open_map {
    size_t *slots; /* index of the record + 1; 0 free */
    size_t mask;
};

static size_t slot_of(const struct ps_records *records, const struct open_map *map,
                      const struct ps_record *r)
{
    uint64_t hash = (uint64_t)r->address * UINT64_C(0x9e3779b97f4a7c15);
    size_t slot;

    hash ^= (uint64_t)r->worker << 16 ^ (uint64_t)r->type << 8 ^ (uint64_t)r->device;
    hash *= UINT64_C(0xbf58476d1ce4e5b9);
    for (slot = (size_t)(hash >> 20) & map->mask; map->slots[slot]; slot = (slot + 1) & map->mask) {
        const struct ps_record *there = &records->at[map->slots[slot] - 1];

        if (there->address == r->address && there->type == r->type && there->device == r->device &&
            there->worker == r->worker)
            break;
    }
    return slot;
}

/* A slot once taken keeps its address: what is freed there stays as its own last event. */
static void match(struct ps_records *records)
{
    struct open_map map = {.mask = 63};

    while (map.mask < records->n * 2)
        map.mask = map.mask * 2 + 1;
    map.slots = ps_alloc((map.mask + 1) * sizeof *map.slots);
    for (size_t i = 0; i < records->n; i++) {
        struct ps_record *r = &records->at[i];
        size_t slot = r->address ? slot_of(records, &map, r) : 0, before;

        if (!r->address)
            continue;
        before = map.slots[slot];
        if (r->bytes < 0 && before && records->at[before - 1].bytes > 0) {
            r->partner = before;
            records->at[before - 1].partner = i + 1;
        }
        map.slots[slot] = i + 1;
    }
    free(map.slots);
}

static bool add_records(void *user, const struct ps_packed *part)
{
    struct ps_records *records = user;

    for (size_t i = 0; i < part->n; i++) {
        PS_PUSH_ROOM(records->at, records->n, records->cap);
        records->at[records->n++] = (struct ps_record){
            .t_ns = part->column[PS_MEMORY_T][i],
            .bytes = part->column[PS_MEMORY_BYTES][i],
            .address = part->column[PS_MEMORY_ADDRESS][i],
            .slice = part->column[PS_MEMORY_SLICE][i],
            .type = part->column[PS_MEMORY_TYPE][i],
            .device = part->column[PS_MEMORY_DEVICE][i],
            .worker = part->column[PS_MEMORY_WORKER][i],
        };
    }
    return true;
}

enum ps_status ps_records_read(struct ps_db *db, struct ps_records *out, struct ps_err *err)
{
    struct ps_packed_query query = {PS_PACKED_MEMORY, 0, PS_RANGE_ALL,
                                    1u << PS_MEMORY_T | 1u << PS_MEMORY_BYTES |
                                        1u << PS_MEMORY_ADDRESS | 1u << PS_MEMORY_SLICE |
                                        1u << PS_MEMORY_TYPE | 1u << PS_MEMORY_DEVICE |
                                        1u << PS_MEMORY_WORKER};
    enum ps_status status = ps_packed_each(db, &query, add_records, out, err);

    if (status == PS_OK)
        match(out);
    return status;
}

void ps_records_free(struct ps_records *records)
{
    free(records->at);
    *records = (struct ps_records){0};
}

enum ps_status ps_view_made_table(struct ps_db *db, const struct ps_view *view,
                                  struct ps_params params,
                                  enum ps_status (*make)(struct ps_db *db, struct ps_params params,
                                                         struct ps_range range, struct ps_made *out,
                                                         struct ps_err *err),
                                  struct ps_answer *answer, struct ps_err *err)
{
    struct ps_order *held =
        ps_order_find(ps_db_run(db), view->query, params); /* stays until then */
    struct ps_made made = {.values = NULL};
    struct ps_range range;
    enum ps_status status = ps_param_range(params, &range, err);

    if (status == PS_OK && !ps_table_kept_has(held, params))
        status = make(db, params, range, &made, err);
    ps_db_lend(db, &made.lent);
    if (status == PS_OK)
        status = ps_view_trace_table(db, view, 0, params, answer, err);
    ps_db_lend(db, NULL);
    ps_order_release(held);
    free(made.values);
    return status;
}
