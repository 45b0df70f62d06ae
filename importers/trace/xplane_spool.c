/* SPDX-License-Identifier: MIT */
/* xplane_spool.c: keeps the events of a plane until their names are known, and maps its ids. */
#include <stdlib.h>

#include "importers/trace/xplane.h"

enum {
    DENSE_MAX = 1 << 16, /* ids below it are found without hashing */
    BLOCK_SIZE = 4 << 20,
    MEMORY_MAX = 32 << 20,
};

/* --- Ids --- */

static bool is_id(const void *items, uint32_t index, const void *key)
{
    return ((const int64_t *)items)[index] == *(const int64_t *)key;
}

static uint32_t add_id(struct xplane_ids *ids, int64_t id)
{
    PS_RESERVE_ONE(ids->ids, ids->n, ids->cap);
    ids->ids[ids->n] = id;
    return ids->n++;
}

static uint32_t find_dense(struct xplane_ids *ids, size_t id)
{
    if (id >= ids->n_dense)
        ids->dense = ps_grow_to(ids->dense, &ids->n_dense, id, sizeof *ids->dense);
    if (!ids->dense[id])
        ids->dense[id] = add_id(ids, (int64_t)id) + 1;
    return ids->dense[id] - 1;
}

uint32_t xplane_id_index(struct xplane_ids *ids, int64_t id)
{
    uint32_t index;

    if (id >= 0 && id < DENSE_MAX)
        return find_dense(ids, (size_t)id);
    index = ps_hash_table_add(&ids->table, ps_hash_u64((uint64_t)id), ids->n, is_id, ids->ids, &id);
    return index == ids->n ? add_id(ids, id) : index;
}

void xplane_ids_free(struct xplane_ids *ids)
{
    free(ids->dense);
    free(ids->ids);
    ps_hash_table_free(&ids->table);
    *ids = (struct xplane_ids){0};
}

/* --- Events --- */

/* Stands before the bytes of each event. */
struct header {
    uint64_t offset;
    uint64_t len;
};

static enum ps_status add_block(struct xplane_spool *spool, size_t size, struct ps_err *err)
{
    struct xplane_block block = {.size = size > BLOCK_SIZE ? size : BLOCK_SIZE};

    if (spool->memory + block.size > MEMORY_MAX &&
        tr_scratch_alloc_segment(spool->scratch, block.size, err, &block.ptr) != PS_OK)
        return err->code;
    block.is_in_file = block.ptr != NULL;
    if (!block.ptr)
        block.ptr = ps_grow(NULL, block.size, 1);
    spool->memory += block.is_in_file ? 0 : block.size;
    PS_RESERVE_ONE(spool->blocks, spool->n, spool->cap);
    spool->blocks[spool->n++] = block;
    return PS_OK;
}

static bool has_space(const struct xplane_spool *spool, size_t size)
{
    const struct xplane_block *block = &spool->blocks[spool->current];

    return block->size - block->used >= size;
}

enum ps_status xplane_spool_add(struct xplane_spool *spool, struct ps_str event, uint64_t offset,
                                struct ps_err *err)
{
    struct header header = {offset, event.len};
    size_t size = sizeof header + event.len;
    struct xplane_block *block;

    while (spool->current < spool->n && !has_space(spool, size))
        spool->current++;
    if (spool->current == spool->n && add_block(spool, size, err) != PS_OK)
        return err->code;
    block = &spool->blocks[spool->current];
    memcpy(block->ptr + block->used, &header, sizeof header);
    if (event.len)
        memcpy(block->ptr + block->used + sizeof header, event.ptr, event.len);
    block->used += size;
    if (block->is_in_file)
        tr_scratch_count_bytes(spool->scratch, size);
    return PS_OK;
}

struct xplane_position xplane_spool_end(const struct xplane_spool *spool)
{
    return (struct xplane_position){
        spool->current, spool->current < spool->n ? spool->blocks[spool->current].used : 0};
}

struct ps_str xplane_spool_next(struct xplane_spool *spool, struct xplane_position *at,
                                uint64_t *offset)
{
    const struct xplane_block *block = &spool->blocks[at->block];
    struct header header;
    struct ps_str event;

    for (; at->offset == block->used; at->offset = 0)
        block = &spool->blocks[++at->block];
    memcpy(&header, block->ptr + at->offset, sizeof header);
    event = (struct ps_str){block->ptr + at->offset + sizeof header, (size_t)header.len};
    at->offset += sizeof header + event.len;
    *offset = header.offset;
    if (block->is_in_file)
        tr_scratch_count_bytes(spool->scratch, sizeof header + event.len);
    return event;
}

void xplane_spool_clear(struct xplane_spool *spool)
{
    for (size_t i = 0; i < spool->n; i++)
        spool->blocks[i].used = 0;
    spool->current = 0;
}

void xplane_spool_free(struct xplane_spool *spool)
{
    for (size_t i = 0; i < spool->n; i++) {
        if (spool->blocks[i].is_in_file)
            tr_scratch_free_pages(spool->scratch, spool->blocks[i].ptr, spool->blocks[i].size);
        else
            free(spool->blocks[i].ptr);
    }
    free(spool->blocks);
    *spool = (struct xplane_spool){0};
}
