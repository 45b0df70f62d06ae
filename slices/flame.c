/* SPDX-License-Identifier: MIT */
#include "slices/flame.h"

#include <stdlib.h>

#include "base/mem.h"

static size_t slot_of(const struct ps_flame *flame, uint32_t parent, uint32_t name)
{
    uint64_t key = (uint64_t)parent << 32 | name;

    key *= UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(key >> 32) & flame->mask;
}

/* Slots hold index + 1; 0 is free. */
static void place(struct ps_flame *flame, uint32_t node)
{
    size_t slot = slot_of(flame, flame->at[node].parent, flame->at[node].name);

    while (flame->slots[slot])
        slot = (slot + 1) & flame->mask;
    flame->slots[slot] = node + 1;
}

static void widen(struct ps_flame *flame)
{
    size_t slots = flame->slots ? (flame->mask + 1) * 2 : 64;

    free(flame->slots);
    flame->slots = ps_alloc(slots * sizeof *flame->slots);
    flame->mask = slots - 1;
    for (size_t i = 0; i < flame->n; i++)
        place(flame, (uint32_t)i);
}

uint32_t ps_flame_child(struct ps_flame *flame, uint32_t parent, uint32_t name, uint8_t kind,
                        uint8_t family)
{
    if (!flame->slots || flame->n * 2 > flame->mask)
        widen(flame);
    for (size_t slot = slot_of(flame, parent, name); flame->slots[slot];
         slot = (slot + 1) & flame->mask) {
        uint32_t node = flame->slots[slot] - 1;

        if (flame->at[node].parent == parent && flame->at[node].name == name)
            return node;
    }
    PS_PUSH_ROOM(flame->at, flame->n, flame->cap);
    flame->at[flame->n] =
        (struct ps_flame_node){.parent = parent, .name = name, .kind = kind, .family = family};
    place(flame, (uint32_t)flame->n);
    return (uint32_t)flame->n++;
}

static int64_t sum(int64_t a, int64_t b)
{
    int64_t out;

    return __builtin_add_overflow(a, b, &out) ? INT64_MAX : out;
}

void ps_flame_finish(struct ps_flame *flame)
{
    if (flame->finished)
        return;
    for (size_t i = 0; i < flame->n; i++)
        flame->at[i].total_ns = flame->at[i].self_ns;
    for (size_t i = flame->n; i > 0; i--) {
        const struct ps_flame_node *node = &flame->at[i - 1];

        if (node->parent != UINT32_MAX)
            flame->at[node->parent].total_ns =
                sum(flame->at[node->parent].total_ns, node->total_ns);
    }
}

void ps_flame_free(struct ps_flame *flame)
{
    free(flame->at);
    free(flame->slots);
    *flame = (struct ps_flame){0};
}
