/* SPDX-License-Identifier: MIT */
/* live.c: the allocations that are live at an event, the groups of stacks that have a colour, and
 * the view snapshot/live. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_table.h"
#include "base/intern.h"
#include "server/query/snapshot/medians.h"
#include "server/query/snapshot/snapshot.h"
#include "slices/slices.h"

#define ROWS_MAX     10000
#define ROWS_DEFAULT 1000

/* --- The live set --- */

/* The columns of a chunk of which at least one row is live. False after a failure. */
static bool read_chunk(struct ps_snapshot_rows *rows, size_t chunk,
                       const int64_t *columns[PS_N_ALLOCATION_COLUMNS], struct ps_err *err)
{
    static const unsigned wanted[] = {PS_ALLOCATION_ADDRESS, PS_ALLOCATION_BYTES,
                                      PS_ALLOCATION_STREAM,  PS_ALLOCATION_POOL,
                                      PS_ALLOCATION_STACK,   PS_ALLOCATION_FLAGS};

    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!(columns[wanted[i]] = ps_snapshot_column(rows, chunk, wanted[i], err)))
            return false;
    return true;
}

enum ps_status ps_snapshot_each_live(struct ps_db *db, int64_t device, int64_t at,
                                     bool (*visit)(void *user,
                                                   const struct ps_snapshot_allocation_row *row),
                                     void *user, struct ps_err *err)
{
    PS_AUTO(ps_snapshot_rows_close) struct ps_snapshot_rows rows = {.db = NULL};

    ps_snapshot_rows_open(db, PS_PACKED_ALLOCATIONS, device, &rows, err);
    for (size_t c = 0; c < rows.n_chunks && err->code == PS_OK; c++) {
        const struct ps_snapshot_chunk *chunk = &rows.chunks[c];
        const int64_t *columns[PS_N_ALLOCATION_COLUMNS] = {NULL}, *start, *end;

        if (chunk->first > at || chunk->last <= at)
            continue;
        start = ps_snapshot_column(&rows, c, PS_ALLOCATION_START, err);
        end = ps_snapshot_column(&rows, c, PS_ALLOCATION_END, err);
        if (!start || !end)
            return err->code;
        for (size_t i = 0; i < chunk->n; i++) {
            struct ps_snapshot_allocation_row row;

            if (start[i] > at || end[i] <= at)
                continue;
            if (!columns[PS_ALLOCATION_BYTES] && !read_chunk(&rows, c, columns, err))
                return err->code;
            row = (struct ps_snapshot_allocation_row){
                .id = ps_snapshot_allocation_id(chunk->id, i),
                .start = start[i],
                .end = end[i],
                .address = columns[PS_ALLOCATION_ADDRESS][i],
                .bytes = columns[PS_ALLOCATION_BYTES][i],
                .stream = columns[PS_ALLOCATION_STREAM][i],
                .pool = columns[PS_ALLOCATION_POOL][i],
                .stack = columns[PS_ALLOCATION_STACK][i],
                .flags = columns[PS_ALLOCATION_FLAGS][i],
            };
            if (!visit(user, &row))
                return err->code;
        }
    }
    return err->code;
}

/* --- Groups --- */

struct group_sums {
    const struct ps_snapshot_stacks *stacks;
    int64_t *bytes; /* [node] */
};

static bool add_to_group_sums(void *user, const struct ps_snapshot_allocation_row *row)
{
    struct group_sums *sums = user;
    uint32_t node = ps_snapshot_node(sums->stacks, PS_SNAPSHOT_PYTHON, row->stack, row->flags);

    sums->bytes[node] = ps_snapshot_add(sums->bytes[node], row->bytes);
    return true;
}

enum ps_status ps_snapshot_groups_read(struct ps_db *db,
                                       const struct ps_snapshot_device_row *device,
                                       const struct ps_snapshot_stacks *stacks,
                                       struct ps_snapshot_groups *out, struct ps_err *err)
{
    size_t n_nodes = stacks->trees[PS_SNAPSHOT_PYTHON].n_nodes;
    struct group_sums sums = {stacks, ps_alloc_array(n_nodes + 1, sizeof *sums.bytes)};

    *out = (struct ps_snapshot_groups){.n = 0};
    ps_snapshot_each_live(db, device->id, device->peak_event, add_to_group_sums, &sums, err);
    for (size_t node = 1; node <= n_nodes; node++) {
        size_t g = out->n;

        if (sums.bytes[node] <= 0 ||
            (g == PS_SNAPSHOT_GROUPS && sums.bytes[out->node[g]] >= sums.bytes[node]))
            continue;
        out->n += g < PS_SNAPSHOT_GROUPS;
        for (g = out->n; g > 1 && sums.bytes[out->node[g - 1]] < sums.bytes[node]; g--)
            out->node[g] = out->node[g - 1];
        out->node[g] = (uint32_t)node;
    }
    free(sums.bytes);
    out->of_node = ps_alloc_array(n_nodes + 1, sizeof *out->of_node);
    memset(out->of_node + 1, PS_SNAPSHOT_OTHER_GROUP, n_nodes);
    for (size_t g = 1; g <= out->n; g++)
        out->of_node[out->node[g]] = (uint8_t)g;
    return err->code;
}

void ps_snapshot_groups_free(struct ps_snapshot_groups *groups)
{
    free(groups->of_node);
    *groups = (struct ps_snapshot_groups){.n = 0};
}

/* --- The table of the live set --- */

enum by { BY_STACK, BY_CALLER, BY_FILE, BY_MODULE, BY_SIZE, BY_STREAM, N_BY };
static const char *const by_names[N_BY] = {"stack", "caller", "file", "module", "size", "stream"};

struct key {
    uint32_t node, frame; /* BY_STACK: node; BY_CALLER: frame */
    struct ps_str text;   /* BY_FILE, BY_MODULE */
    int64_t number;       /* BY_SIZE, BY_STREAM */
    int64_t bytes, count;
    int group; /* -1: no allocation yet */
};

struct table {
    const struct ps_snapshot_stacks *stacks;
    const struct ps_snapshot_groups *groups;
    enum ps_snapshot_stacks_as as;
    enum by by;
    uint32_t *key_of_node; /* other than BY_SIZE, BY_STREAM */
    bool *is_live;         /* [node] */
    struct ps_hash_table numbers;
    struct ps_intern texts;
    struct key *keys;
    size_t n, cap;
    int64_t bytes, count;
};

static void table_free(struct table *t)
{
    free(t->key_of_node);
    free(t->is_live);
    free(t->keys);
    ps_hash_table_free(&t->numbers);
    ps_intern_free(&t->texts);
}

static uint32_t add_key(struct table *t, struct key key)
{
    key.group = -1;
    PS_RESERVE_ONE(t->keys, t->n, t->cap);
    t->keys[t->n] = key;
    return (uint32_t)t->n++;
}

/* Returns the key with this text. The keys of a table of texts are in the order of their ids. */
static uint32_t text_key(struct table *t, struct ps_str text)
{
    uint32_t id = ps_intern_add(&t->texts, text);

    while (t->n <= id)
        (void)add_key(t, (struct key){.text = t->texts.items[t->n]});
    return id;
}

/* Assigns a key to each node of the tree. */
static void make_keys(struct table *t)
{
    const struct ps_snapshot_tree *tree = &t->stacks->trees[t->as];
    PS_AUTO(ps_free_ptr)
    uint32_t *of_frame = ps_alloc_array(t->stacks->n_frames + 1, sizeof *of_frame);
    PS_AUTO(ps_buf_free) struct ps_buf module = {0};

    t->key_of_node = ps_alloc_array(tree->n_nodes + 1, sizeof *t->key_of_node);
    t->is_live = ps_alloc_array(tree->n_nodes + 1, sizeof *t->is_live);
    for (uint32_t node = 0; node <= tree->n_nodes; node++) {
        uint32_t frame = node ? tree->frame[node] : 0, key = 0;

        if (t->by == BY_STACK) {
            key = add_key(t, (struct key){.node = node});
        } else if (t->by == BY_CALLER) {
            frame = ps_snapshot_caller(tree, node);
            if (!of_frame[frame])
                of_frame[frame] = add_key(t, (struct key){.frame = frame}) + 1;
            key = of_frame[frame] - 1;
        } else if (t->by == BY_FILE) {
            key = text_key(t, t->stacks->frames[frame].file);
        } else {
            module.len = 0;
            ps_snapshot_append_module(t->stacks->frames[frame].file, &module);
            key = text_key(t, ps_buf_slice(&module));
        }
        t->key_of_node[node] = key;
    }
}

static bool has_number(const void *items, uint32_t index, const void *key)
{
    return ((const struct key *)items)[index].number == *(const int64_t *)key;
}

static uint32_t number_key(struct table *t, int64_t number)
{
    uint32_t key = ps_hash_table_add(&t->numbers, ps_hash_u64((uint64_t)number), (uint32_t)t->n,
                                     has_number, t->keys, &number);

    return key == t->n ? add_key(t, (struct key){.number = number}) : key;
}

static bool add_to_table(void *user, const struct ps_snapshot_allocation_row *row)
{
    struct table *t = user;
    uint32_t node = ps_snapshot_node(t->stacks, t->as, row->stack, row->flags);
    int group =
        t->groups->of_node[ps_snapshot_node(t->stacks, PS_SNAPSHOT_PYTHON, row->stack, row->flags)];
    uint32_t index = t->by == BY_SIZE     ? number_key(t, row->bytes)
                     : t->by == BY_STREAM ? number_key(t, row->stream)
                                          : t->key_of_node[node];
    struct key *key = &t->keys[index];

    key->bytes = ps_snapshot_add(key->bytes, row->bytes);
    key->count++;
    if (t->is_live)
        t->is_live[node] = true;
    key->group = key->group < 0 || key->group == group ? group : PS_SNAPSHOT_OTHER_GROUP;
    t->bytes = ps_snapshot_add(t->bytes, row->bytes);
    t->count++;
    return true;
}

static int by_bytes(const void *a, const void *b, void *user)
{
    const struct key *keys = user, *x = &keys[*(const uint32_t *)a],
                     *y = &keys[*(const uint32_t *)b];

    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return (x > y) - (x < y);
}

static void write_key(const struct table *t, const struct key *key, struct ps_json *json)
{
    char name[40];

    switch (t->by) {
    case BY_STACK:
        ps_snapshot_write_node(t->stacks, t->as, key->node, json);
        return;
    case BY_CALLER:
        ps_json_key(json, "stack");
        ps_json_null(json);
        ps_snapshot_write_frame(ps_snapshot_frame(t->stacks, key->frame), json);
        break;
    default:
        ps_json_key(json, "stack");
        ps_json_null(json);
        ps_json_key(json, "name");
        if (t->by == BY_SIZE)
            (void)snprintf(name, sizeof name, "%lld B", (long long)key->number);
        else
            (void)snprintf(name, sizeof name, "stream %lld", (long long)key->number);
        ps_json_str(json, t->by >= BY_SIZE ? ps_str_from_c(name)
                          : key->text.len  ? key->text
                                           : (struct ps_str){NULL, 0});
        ps_json_key(json, "file");
        ps_json_null(json);
        ps_json_key(json, "line");
        ps_json_null(json);
    }
    ps_json_key(json, "caller");
    ps_json_null(json);
}

/* The live stacks of a row that has several: null for memory without a stack. `first` and `next`
 * link the nodes of each key. */
static void write_stacks(const struct table *t, uint32_t key, const uint32_t *first,
                         const uint32_t *next, struct ps_json *json)
{
    ps_json_key(json, "stacks");
    ps_json_array(json);
    for (uint32_t node = first[key]; node; node = next[node - 1])
        if (node > 1)
            ps_json_int(json, t->stacks->trees[t->as].stack[node - 1]);
        else
            ps_json_null(json);
    ps_json_end(json);
}

static void write_table(const struct table *t, const struct ps_snapshot_medians *medians,
                        int64_t limit, struct ps_json *json)
{
    PS_AUTO(ps_free_ptr) uint32_t *order = ps_alloc_array(t->n + 1, sizeof *order);
    int64_t rest_bytes = t->bytes, rest_count = t->count;
    bool has_stacks = t->by == BY_CALLER || t->by == BY_FILE || t->by == BY_MODULE;
    size_t n_nodes = has_stacks ? t->stacks->trees[t->as].n_nodes + 1 : 0;
    /* Nodes plus 1; 0: none. */
    PS_AUTO(ps_free_ptr) uint32_t *first = ps_alloc_array(t->n + 1, sizeof *first);
    PS_AUTO(ps_free_ptr) uint32_t *next = ps_alloc_array(n_nodes + 1, sizeof *next);
    size_t n = 0, shown;

    for (uint32_t node = (uint32_t)n_nodes; node-- > 0;)
        if (t->is_live[node]) {
            next[node] = first[t->key_of_node[node]];
            first[t->key_of_node[node]] = node + 1;
        }
    for (uint32_t i = 0; i < t->n; i++)
        if (t->keys[i].count)
            order[n++] = i;
    if (n)
        qsort_r(order, n, sizeof *order, by_bytes, t->keys);
    shown = n < (size_t)limit ? n : (size_t)limit;
    ps_json_key(json, "rows");
    ps_json_array(json);
    for (size_t i = 0; i < shown; i++) {
        const struct key *key = &t->keys[order[i]];
        bool has_stack = t->by != BY_STACK || key->node;
        int64_t lifetime = medians && has_stack ? medians->events[order[i]] : -1;

        ps_json_object(json);
        write_key(t, key, json);
        ps_json_key_int(json, "bytes", key->bytes);
        ps_json_key_int(json, "count", key->count);
        ps_json_key_int_or_null(json, "lifetime", lifetime, lifetime >= 0);
        ps_json_key_int(json, "group", key->group);
        if (has_stacks)
            write_stacks(t, order[i], first, next, json);
        ps_json_end(json);
        rest_bytes = ps_snapshot_add(rest_bytes, -key->bytes);
        rest_count -= key->count;
    }
    ps_json_end(json);
    ps_json_key(json, "omitted");
    ps_json_object(json);
    ps_json_key_int(json, "rows", (int64_t)(n - shown));
    ps_json_key_int(json, "bytes", rest_bytes);
    ps_json_key_int(json, "count", rest_count);
    ps_json_end(json);
}

static enum ps_status param_by(struct ps_params params, enum by *out, struct ps_err *err)
{
    const char *word = ps_param_get(params, "by");

    *out = BY_STACK;
    if (err->code != PS_OK || !word || !word[0])
        return err->code;
    for (*out = 0; *out < N_BY; ++*out)
        if (strcmp(word, by_names[*out]) == 0)
            return PS_OK;
    *out = BY_STACK;
    return ps_fail(err, PS_BAD_REQUEST,
                   "by must be stack, caller, file, module, size or stream, not %s", word);
}

enum ps_status ps_view_snapshot_live(struct ps_db *db, const struct ps_view *view, int64_t id,
                                     struct ps_params params, struct ps_answer *answer,
                                     struct ps_err *err)
{
    PS_AUTO(ps_snapshot_stacks_release) const struct ps_snapshot_stacks *stacks = NULL;
    PS_AUTO(ps_snapshot_groups_free) struct ps_snapshot_groups groups = {.n = 0};
    PS_AUTO(ps_snapshot_medians_release) const struct ps_snapshot_medians *medians = NULL;
    PS_AUTO(table_free) struct table t = {.keys = NULL};
    struct ps_json json = ps_json_writer(&answer->body);
    struct ps_snapshot_device_row device;
    int64_t at, live, reserved, limit;

    (void)view, (void)id;
    ps_snapshot_param_device(db, params, &device, err);
    ps_snapshot_param_stacks_as(params, &t.as, err);
    ps_param_int(params, "limit", 0, ROWS_MAX, ROWS_DEFAULT, &limit, err);
    param_by(params, &t.by, err);
    if (err->code != PS_OK || ps_snapshot_param_event(&device, params, "at", &at, err) != PS_OK ||
        ps_snapshot_stacks_acquire(db, &stacks, err) != PS_OK ||
        ps_snapshot_groups_read(db, &device, stacks, &groups, err) != PS_OK)
        return err->code;
    t.stacks = stacks;
    t.groups = &groups;
    if (t.by < BY_SIZE)
        make_keys(&t);
    ps_snapshot_each_live(db, device.id, at, add_to_table, &t, err);
    ps_snapshot_bytes_at(db, &device, at, &live, &reserved, err);
    if (t.by < BY_SIZE)
        ps_snapshot_medians_acquire(db, &device, stacks, t.as, by_names[t.by], t.key_of_node, t.n,
                                    &medians, err);
    if (err->code != PS_OK)
        return err->code;
    ps_json_object(&json);
    ps_json_key_int(&json, "device", device.number);
    ps_json_key_int(&json, "at", at);
    ps_json_key_int(&json, "live", t.bytes);
    ps_json_key_int(&json, "reserved", reserved);
    ps_json_key_int(&json, "count", t.count);
    write_table(&t, medians, limit, &json);
    ps_json_end(&json);
    return err->code;
}
