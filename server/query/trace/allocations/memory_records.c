/* SPDX-License-Identifier: MIT */
#include "server/query/trace/allocations/memory_records.h"
#include "server/query/trace/packed_rows.h"

#include <stdlib.h>

#include "base/hash_table.h"

static bool is_same_place(const void *items, uint32_t index, const void *of)
{
    const struct ps_memory_record *record = (const struct ps_memory_record *)items + index, *r = of;

    return record->address == r->address && record->type == r->type &&
           record->device == r->device && record->worker == r->worker;
}

static uint64_t hash_of_place(const struct ps_memory_record *r)
{
    struct ps_hash hash = ps_hash_begin();

    ps_hash_add(&hash, (uint64_t)r->address);
    ps_hash_add(&hash, (uint64_t)r->worker);
    ps_hash_add(&hash, (uint64_t)r->type);
    ps_hash_add(&hash, (uint64_t)r->device);
    return ps_hash_end(&hash);
}

/* Matches frees to allocations. A free belongs to the previous record with the same address, device
 * and worker if that record is an allocation. */
static void match_records(struct ps_memory_records *records)
{
    struct ps_hash_table places = {0};
    /* [index of the first record at a place]: index of the last record at the place so far. A place
     * is an address of a device and worker. */
    uint32_t *last = ps_alloc_array(records->n + 1, sizeof *last);

    for (size_t i = 0; i < records->n; i++) {
        struct ps_memory_record *r = &records->items[i], *before;
        uint32_t place;

        if (!r->address)
            continue;
        place = ps_hash_table_add(&places, hash_of_place(r), (uint32_t)i, is_same_place,
                                  records->items, r);
        before = &records->items[last[place]];
        if (place != i && r->bytes < 0 && before->bytes > 0) {
            r->partner = (size_t)last[place] + 1;
            before->partner = i + 1;
        }
        last[place] = (uint32_t)i;
    }
    ps_hash_table_free(&places);
    free(last);
}

static bool add_records(void *user, const struct ps_packed *part)
{
    struct ps_memory_records *records = user;

    for (size_t i = 0; i < part->n; i++) {
        PS_RESERVE_ONE(records->items, records->n, records->cap);
        records->items[records->n++] = (struct ps_memory_record){
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

enum ps_status ps_memory_records_read(struct ps_db *db, struct ps_memory_records *out,
                                      struct ps_err *err)
{
    struct ps_packed_query query = {PS_PACKED_MEMORY, 0, PS_RANGE_ALL,
                                    1u << PS_MEMORY_T | 1u << PS_MEMORY_BYTES |
                                        1u << PS_MEMORY_ADDRESS | 1u << PS_MEMORY_SLICE |
                                        1u << PS_MEMORY_TYPE | 1u << PS_MEMORY_DEVICE |
                                        1u << PS_MEMORY_WORKER};

    ps_packed_each(db, &query, add_records, out, err);
    if (err->code == PS_OK)
        match_records(out);
    return err->code;
}

void ps_memory_records_free(struct ps_memory_records *records)
{
    free(records->items);
    *records = (struct ps_memory_records){0};
}
