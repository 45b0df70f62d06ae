/* SPDX-License-Identifier: MIT */
#include "slices/flame.h"

#include <stdlib.h>

#include "base/mem.h"

struct child_key {
    uint32_t parent, name;
};

static bool is_child(const void *items, uint32_t index, const void *of)
{
    const struct ps_flame_node *node = (const struct ps_flame_node *)items + index;
    const struct child_key *key = of;

    return node->parent == key->parent && node->name == key->name;
}

uint32_t ps_flame_child_of(struct ps_flame *flame, uint32_t parent, uint32_t name, uint8_t kind,
                           uint8_t family)
{
    const struct child_key key = {parent, name};
    uint32_t index = ps_hash_table_add(&flame->children, ps_hash_u64((uint64_t)parent << 32 | name),
                                       (uint32_t)flame->n, is_child, flame->nodes, &key);

    if (index == flame->n) {
        PS_RESERVE_ONE(flame->nodes, flame->n, flame->cap);
        flame->nodes[flame->n++] =
            (struct ps_flame_node){.parent = parent, .name = name, .kind = kind, .family = family};
    }
    return index;
}

uint32_t ps_flame_find_child(const struct ps_flame *flame, uint32_t parent, uint32_t name)
{
    const struct child_key key = {parent, name};

    return ps_hash_table_find(&flame->children, ps_hash_u64((uint64_t)parent << 32 | name),
                              is_child, flame->nodes, &key);
}

static int64_t add_saturated(int64_t a, int64_t b)
{
    int64_t out;

    return __builtin_add_overflow(a, b, &out) ? INT64_MAX : out;
}

void ps_flame_finish(struct ps_flame *flame)
{
    if (flame->finished)
        return;
    for (size_t i = 0; i < flame->n; i++)
        flame->nodes[i].total_ns = flame->nodes[i].self_ns;
    for (size_t i = flame->n; i > 0; i--) {
        const struct ps_flame_node *node = &flame->nodes[i - 1];

        if (node->parent != UINT32_MAX)
            flame->nodes[node->parent].total_ns =
                add_saturated(flame->nodes[node->parent].total_ns, node->total_ns);
    }
}

void ps_flame_free(struct ps_flame *flame)
{
    free(flame->nodes);
    ps_hash_table_free(&flame->children);
    *flame = (struct ps_flame){0};
}
