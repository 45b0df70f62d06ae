/* SPDX-License-Identifier: MIT */
/* pprof_samples.c: stores the samples of a pprof profile as small numbers (pprof.h). */
#include <stdlib.h>
#include <string.h>

#include "base/saturated.h"
#include "importers/messages/pprof_messages.h"
#include "importers/stacks/pprof.h"

/* --- Ids --- */

#define SMALL_IDS ((uint64_t)1 << 20)

static bool is_id(const void *items, uint32_t index, const void *key)
{
    return ((const uint64_t *)items)[index] == *(const uint64_t *)key;
}

uint32_t pprof_index_of(struct pprof_ids *ids, uint64_t id)
{
    uint32_t index;

    if (id < SMALL_IDS) {
        if (id >= ids->n_small)
            ids->small = ps_grow_to(ids->small, &ids->n_small, (size_t)id, sizeof *ids->small);
        if (ids->small[id])
            return ids->small[id] - 1;
        index = (uint32_t)ids->n;
        ids->small[id] = index + 1;
    } else {
        index =
            ps_hash_table_add(&ids->table, ps_hash_u64(id), (uint32_t)ids->n, is_id, ids->ids, &id);
    }
    if (index == ids->n) {
        PS_RESERVE_ONE(ids->ids, ids->n, ids->cap);
        ids->ids[ids->n++] = id;
    }
    return index;
}

uint32_t pprof_find_id(const struct pprof_ids *ids, uint64_t id)
{
    if (id < SMALL_IDS)
        return id < ids->n_small ? ids->small[id] - 1 : UINT32_MAX;
    return ps_hash_table_find(&ids->table, ps_hash_u64(id), is_id, ids->ids, &id);
}

void pprof_ids_free(struct pprof_ids *ids)
{
    free(ids->ids);
    free(ids->small);
    ps_hash_table_free(&ids->table);
}

/* --- Trees of stacks --- */

/* A slot holds the index of a node in its lower bits, and a part of the hash in the others: most
 * nodes with another key are passed over without a look at them, which would miss the caches. */
#define INDEX_BITS 28
#define INDEX_MASK ((UINT32_C(1) << INDEX_BITS) - 1)
_Static_assert(ST_ROWS_MAX <= INDEX_MASK / 2 + 1, "indexes of nodes must fit in slots");

/* Returns the slot of a node, or the free one where it would be. *hash_part: of a slot with it. */
static uint32_t *slot_of(struct pprof_nodes *nodes, struct pprof_node node, uint32_t *hash_part)
{
    const uint64_t hash = ps_hash_pair(node.parent, node.key);
    size_t at = hash & (nodes->n_slots - 1);

    *hash_part = (uint32_t)(hash >> 32) & ~INDEX_MASK;
    for (;; at = (at + 1) & (nodes->n_slots - 1)) {
        const uint32_t slot = nodes->slots[at];
        const struct pprof_node *found;

        if (!slot)
            return &nodes->slots[at];
        if ((slot & ~INDEX_MASK) != *hash_part)
            continue;
        found = &nodes->items[slot & INDEX_MASK];
        if (found->parent == node.parent && found->key == node.key)
            return &nodes->slots[at];
    }
}

/* At most three quarters of the slots are used. */
static void grow_slots(struct pprof_nodes *nodes)
{
    free(nodes->slots);
    nodes->n_slots = nodes->n_slots ? nodes->n_slots : 512;
    do
        nodes->n_slots *= 2;
    while (4 * nodes->n >= 3 * nodes->n_slots);
    nodes->slots = ps_alloc_array(nodes->n_slots, sizeof *nodes->slots);
    for (uint32_t i = 1; i < nodes->n; i++) {
        uint32_t hash_part, *slot = slot_of(nodes, nodes->items[i], &hash_part);

        *slot = i | hash_part;
    }
}

/* Makes room for a node, and adds the root if there is none. */
static void reserve_node(struct pprof_nodes *nodes)
{
    if (nodes->n + 1 >= nodes->cap) {
        nodes->cap += nodes->cap / 2 + 1024;
        nodes->items = ps_grow(nodes->items, nodes->cap, sizeof *nodes->items);
    }
    if (!nodes->n)
        nodes->items[nodes->n++] = (struct pprof_node){UINT32_MAX, UINT32_MAX};
}

uint32_t pprof_child(struct pprof_nodes *nodes, uint32_t parent, uint32_t key)
{
    const struct pprof_node node = {parent, key};
    uint32_t *slot, hash_part;

    reserve_node(nodes);
    if (4 * nodes->n >= 3 * nodes->n_slots)
        grow_slots(nodes);
    slot = slot_of(nodes, node, &hash_part);
    if (!*slot) {
        *slot = (uint32_t)nodes->n | hash_part;
        nodes->items[nodes->n++] = node;
    }
    return *slot & INDEX_MASK;
}

uint32_t pprof_new_child(struct pprof_nodes *nodes, uint32_t parent, uint32_t key)
{
    reserve_node(nodes);
    nodes->items[nodes->n] = (struct pprof_node){parent, key};
    return (uint32_t)nodes->n++;
}

void pprof_nodes_finish(struct pprof_nodes *nodes)
{
    free(nodes->slots);
    nodes->slots = NULL;
    nodes->n_slots = 0;
}

void pprof_nodes_free(struct pprof_nodes *nodes)
{
    pprof_nodes_finish(nodes);
    free(nodes->items);
    *nodes = (struct pprof_nodes){.n = 0};
}

/* Reads the stack of a sample, and returns its node. Most samples share their outer frames with the
 * sample before. */
static uint32_t add_stack(struct pprof *p, struct ps_wire_list ids)
{
    uint32_t node = 0;
    size_t n, shared = 0;
    uint64_t id;

    p->n_stack = 0;
    while (ps_wire_next_int(&ids, &id)) {
        PS_RESERVE_ONE(p->stack, p->n_stack, p->cap_stack);
        p->stack[p->n_stack++] = pprof_index_of(&p->location_ids, id);
    }
    n = p->n_stack < ST_DEPTH_MAX ? p->n_stack : ST_DEPTH_MAX;
    p->n_deep += n < p->n_stack;
    while (shared < n && shared < p->n_path && p->path[shared] == p->stack[p->n_stack - 1 - shared])
        node = p->path_nodes[shared++];
    p->path = n ? ps_grow_to(p->path, &p->cap_path, n, sizeof *p->path) : p->path;
    p->path_nodes =
        n ? ps_grow_to(p->path_nodes, &p->cap_path_nodes, n, sizeof *p->path_nodes) : p->path_nodes;
    for (; shared < n; shared++) {
        p->path[shared] = p->stack[p->n_stack - 1 - shared];
        node = p->path_nodes[shared] = pprof_child(&p->stacks, node, p->path[shared]);
    }
    p->n_path = n;
    return node;
}

/* --- Labels --- */

/* Returns the index of the key; SIZE_MAX: there are too many keys. */
static size_t key_of(struct pprof *p, int64_t name)
{
    for (size_t i = 0; i < p->n_keys; i++)
        if (p->keys[i].name == name)
            return i;
    if (p->n_keys == PPROF_LABELS_MAX)
        return SIZE_MAX;
    p->keys[p->n_keys].name = name;
    return p->n_keys++;
}

static bool is_value(const void *items, uint32_t index, const void *key)
{
    const struct pprof_label_value *value = (const struct pprof_label_value *)items + index,
                                   *wanted = key;

    return value->text == wanted->text && value->number == wanted->number;
}

/* Stops telling the values of a key apart. */
static void forget_values(struct pprof *p, size_t index)
{
    struct pprof_key *key = &p->keys[index];

    key->has_too_many = true;
    if (!key->is_summed)
        pprof_sum_key(p, index);
    free(key->values);
    free(key->totals);
    free(key->samples);
    ps_hash_table_free(&key->table);
    key->values = NULL;
    key->totals = key->samples = NULL;
    key->n_values = key->cap_values = 0;
}

/* Returns the index of a value of the key; UINT32_MAX: the key has too many. */
static uint32_t value_of(struct pprof *p, size_t key_index, struct pprof_label_value value)
{
    struct pprof_key *key = &p->keys[key_index];
    uint64_t hash = ps_hash_pair((uint64_t)value.text, (uint64_t)value.number);
    uint32_t index;

    if (key->has_too_many)
        return UINT32_MAX;
    if (key->n_values == PPROF_LABEL_VALUES_MAX &&
        ps_hash_table_find(&key->table, hash, is_value, key->values, &value) == PS_HASH_NONE) {
        forget_values(p, key_index);
        return UINT32_MAX;
    }
    index = ps_hash_table_add(&key->table, hash, (uint32_t)key->n_values, is_value, key->values,
                              &value);
    if (index < key->n_values)
        return index;
    if (key->n_values == key->cap_values) {
        size_t cap = key->cap_values ? 2 * key->cap_values : 16, old = key->cap_values * p->width;

        key->values = ps_grow(key->values, cap, sizeof *key->values);
        key->totals = ps_grow(key->totals, cap * p->width + 1, sizeof *key->totals);
        key->samples = ps_grow(key->samples, cap * p->width + 1, sizeof *key->samples);
        memset(key->totals + old, 0, (cap * p->width - old) * sizeof *key->totals);
        memset(key->samples + old, 0, (cap * p->width - old) * sizeof *key->samples);
        key->cap_values = cap;
    }
    key->values[key->n_values++] = value;
    return index;
}

/* Makes room for more values in a sample. */
static void widen(struct pprof *p, size_t width)
{
    for (size_t k = 0; k < p->n_keys; k++) {
        struct pprof_key *key = &p->keys[k];
        int64_t *totals = ps_alloc_array(key->cap_values * width + 1, sizeof *totals),
                *samples = ps_alloc_array(key->cap_values * width + 1, sizeof *samples);

        for (size_t v = 0; v < key->n_values; v++) {
            memcpy(totals + v * width, key->totals + v * p->width, p->width * sizeof *totals);
            memcpy(samples + v * width, key->samples + v * p->width, p->width * sizeof *samples);
        }
        free(key->totals);
        free(key->samples);
        key->totals = totals;
        key->samples = samples;
    }
    p->width = width;
}

struct set_key {
    const struct pprof *p;
    const struct pprof_label *labels;
    uint32_t n;
};

static bool is_set(const void *items, uint32_t index, const void *key)
{
    const struct pprof_set *set = (const struct pprof_set *)items + index;
    const struct set_key *wanted = key;

    return set->n == wanted->n && memcmp(wanted->p->labels + set->first, wanted->labels,
                                         set->n * sizeof *wanted->labels) == 0;
}

/* Returns the id of a set of labels, which are sorted by key. `labels` may lie in p->labels. */
static uint32_t set_of(struct pprof *p, const struct pprof_label *labels, uint32_t n)
{
    const struct set_key key = {p, labels, n};
    uint32_t index;

    if (!p->n_sets) {
        PS_RESERVE_ONE(p->sets, p->n_sets, p->cap_sets);
        p->sets[p->n_sets++] = (struct pprof_set){0, 0};
    }
    if (!n)
        return 0;
    index = ps_hash_table_add(&p->set_table, ps_hash_bytes(labels, n * sizeof *labels),
                              (uint32_t)p->n_sets, is_set, p->sets, &key);
    if (index < p->n_sets)
        return index;
    PS_RESERVE_ONE(p->sets, p->n_sets, p->cap_sets);
    p->sets[p->n_sets++] = (struct pprof_set){(uint32_t)p->n_labels, n};
    for (uint32_t i = 0; i < n; i++) {
        PS_RESERVE_ONE(p->labels, p->n_labels, p->cap_labels);
        p->labels[p->n_labels++] = labels[i];
    }
    return index;
}

void pprof_sum_key(struct pprof *p, size_t key)
{
    struct pprof_set *old_sets = p->sets;
    struct pprof_label *old_labels = p->labels;
    const size_t n_old = p->n_sets;
    PS_AUTO(ps_free_ptr) uint32_t *new_id = ps_alloc_array(n_old + 1, sizeof *new_id);

    p->keys[key].is_summed = true;
    p->sets = NULL;
    p->labels = NULL;
    p->n_sets = p->cap_sets = p->n_labels = p->cap_labels = 0;
    ps_hash_table_clear(&p->set_table);
    for (size_t s = 0; s < n_old; s++) {
        struct pprof_label kept[PPROF_LABELS_MAX];
        uint32_t n = 0;

        for (uint32_t i = 0; i < old_sets[s].n; i++)
            if (old_labels[old_sets[s].first + i].key != key)
                kept[n++] = old_labels[old_sets[s].first + i];
        new_id[s] = set_of(p, kept, n);
    }
    for (size_t c = 0; c < PPROF_TYPES_MAX; c++)
        for (size_t i = 0; i < p->columns[c].n; i++)
            p->columns[c].items[i].set = new_id[p->columns[c].items[i].set];
    free(old_sets);
    free(old_labels);
}

size_t pprof_key_to_sum(const struct pprof *p, bool with_threads)
{
    size_t found = SIZE_MAX;

    for (size_t k = 0; k < p->n_keys; k++)
        if (!p->keys[k].is_summed && (with_threads || !p->keys[k].is_thread) &&
            (found == SIZE_MAX || p->keys[k].n_values > p->keys[found].n_values))
            found = k;
    return found;
}

/* Reads the labels of a sample, sorted by key; a key that occurs twice has its last value. Returns
 * their number. */
static uint32_t read_labels(struct pprof *p, struct ps_wire_list list, struct pprof_label *out)
{
    struct ps_str bytes;
    uint32_t n = 0;

    while (ps_wire_next_string(&list, &bytes)) {
        struct ps_wire_fault fault;
        struct pp_label label;
        size_t key;
        uint32_t value, at = n;

        if (!ps_wire_read(&pp_label_message, bytes, &label, &fault) ||
            (key = key_of(p, label.key)) == SIZE_MAX) {
            p->n_dropped_labels++;
            continue;
        }
        value = value_of(p, key, (struct pprof_label_value){label.str, label.str ? 0 : label.num});
        p->keys[key].unit = label.num_unit ? label.num_unit : p->keys[key].unit;
        while (at > 0 && out[at - 1].key > key)
            at--;
        if (at > 0 && out[at - 1].key == key) {
            out[at - 1].value = value;
            continue;
        }
        memmove(out + at + 1, out + at, (n - at) * sizeof *out);
        out[at] = (struct pprof_label){(uint32_t)key, value};
        n++;
    }
    return n;
}

/* Returns the set of the labels that divide tracks. */
static uint32_t dividing_set(struct pprof *p, const struct pprof_label *labels, uint32_t n)
{
    struct pprof_label kept[PPROF_LABELS_MAX];
    uint32_t n_kept = 0;

    for (uint32_t i = 0; i < n; i++)
        if (!p->keys[labels[i].key].is_summed)
            kept[n_kept++] = labels[i];
    return set_of(p, kept, n_kept);
}

/* --- Samples --- */

static void add_value(struct pprof *p, size_t column, uint32_t node, uint32_t set, int64_t value)
{
    struct pprof_column *c = &p->columns[column];
    struct pprof_value *last = c->n ? &c->items[c->n - 1] : NULL;
    int64_t sum;

    c->samples++;
    *(value > 0 ? &c->positive : &c->negative) += value;
    if (last && last->node == node && last->set == set &&
        !__builtin_add_overflow(last->value, value, &sum)) {
        last->value = sum;
        return;
    }
    if (c->n == c->cap) {
        c->cap += c->cap / 2 + 1024;
        c->items = ps_grow(c->items, c->cap, sizeof *c->items);
    }
    c->items[c->n++] = (struct pprof_value){node, set, value};
}

static void add_values(struct pprof *p, const int64_t *values, size_t n, uint32_t node,
                       const struct pprof_label *labels, uint32_t n_labels)
{
    const uint32_t set = dividing_set(p, labels, n_labels);

    for (uint32_t i = 0; i < n_labels; i++)
        p->keys[labels[i].key].n_samples++;
    for (size_t c = 0; c < n; c++) {
        if (!values[c])
            continue;
        add_value(p, c, node, set, values[c]);
        for (uint32_t i = 0; i < n_labels; i++) {
            struct pprof_key *key = &p->keys[labels[i].key];
            size_t at = labels[i].value * p->width + c;

            if (key->has_too_many)
                continue;
            key->totals[at] = ps_add_saturated(key->totals[at], values[c]);
            key->samples[at]++;
        }
    }
}

enum ps_status pprof_add_sample(struct pprof *p, struct ps_str bytes, struct ps_err *err)
{
    struct pprof_label labels[PPROF_LABELS_MAX];
    int64_t values[PPROF_TYPES_MAX];
    struct ps_wire_fault fault;
    struct pp_sample sample;
    uint32_t n_labels;
    uint64_t value;
    size_t n = 0;

    p->n_samples++;
    if (!ps_wire_read(&pp_sample_message, bytes, &sample, &fault)) {
        p->n_rejected++;
        return PS_OK;
    }
    while (n < PPROF_TYPES_MAX && ps_wire_next_int(&sample.value, &value))
        values[n++] = (int64_t)value;
    if (n > p->width)
        widen(p, n);
    n_labels = read_labels(p, sample.label, labels);
    add_values(p, values, n, add_stack(p, sample.location_id), labels, n_labels);
    p->n_padded += n < p->width;
    while (p->n_sets > PPROF_READ_SETS_MAX)
        pprof_sum_key(p, pprof_key_to_sum(p, true));
    if (p->stacks.n > ST_ROWS_MAX)
        return ps_fail(err, PS_LIMIT, "the stacks have more than %u different paths", ST_ROWS_MAX);
    return PS_OK;
}

void pprof_samples_free(struct pprof *p)
{
    for (size_t k = 0; k < p->n_keys; k++) {
        free(p->keys[k].values);
        free(p->keys[k].totals);
        free(p->keys[k].samples);
        ps_hash_table_free(&p->keys[k].table);
    }
    for (size_t c = 0; c < PPROF_TYPES_MAX; c++)
        free(p->columns[c].items);
    free(p->sets);
    free(p->labels);
    ps_hash_table_free(&p->set_table);
    pprof_nodes_free(&p->stacks);
    free(p->path);
    free(p->path_nodes);
    free(p->stack);
}
