/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "server/query/trace/flames/flame.h"
#include "server/query/trace/parameters.h"
#include "server/query/trace/trace_json.h"

/* A node and its sort keys. */
struct ranked {
    uint32_t node, parent;
    int64_t total;
};

/* Descending total. A parent precedes children with the same total, because its index is less. */
static int by_total(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    if (x->total != y->total)
        return x->total < y->total ? 1 : -1;
    return (x->node > y->node) - (x->node < y->node);
}

/* Groups nodes by parent; within a group, descending total. */
static int by_parent(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    return by_total(a, b);
}

/* Stores the `limit` nodes with the greatest totals above 0 in `out`, grouped by parent; the roots
 * (parent UINT32_MAX) are last. Returns their number. *cut: number of nodes left out because of the
 * limit. */
static size_t choose_nodes(const struct ps_flame *flame, size_t limit, struct ranked *out,
                           size_t *cut)
{
    size_t n = 0;

    for (size_t i = 0; i < flame->n; i++)
        if (flame->nodes[i].total_ns > 0)
            out[n++] =
                (struct ranked){(uint32_t)i, flame->nodes[i].parent, flame->nodes[i].total_ns};
    *cut = n > limit ? n - limit : 0;
    if (*cut)
        qsort(out, n, sizeof *out, by_total);
    n -= *cut;
    if (n)
        qsort(out, n, sizeof *out, by_parent);
    return n;
}

/* Stores the n nodes of `list` in preorder, without nodes whose parent is not in the list. Returns
 * their number. */
static size_t number_preorder(const struct ps_flame *flame, const struct ranked *list, size_t n,
                              uint32_t *order)
{
    PS_AUTO(ps_free_ptr) uint32_t *first = ps_grow(NULL, flame->n + 1, sizeof *first);
    PS_AUTO(ps_free_ptr) uint32_t *stack = ps_grow(NULL, n + 1, sizeof *stack);
    size_t n_stack = 0, done = 0, root = n;

    memset(first, 0xff, (flame->n + 1) * sizeof *first);
    for (size_t i = n; i > 0; i--) {
        if (list[i - 1].parent == UINT32_MAX)
            root = i - 1;
        else
            first[list[i - 1].parent] = (uint32_t)(i - 1);
    }
    for (size_t i = n; i > root; i--)
        stack[n_stack++] = (uint32_t)(i - 1);
    while (n_stack) {
        uint32_t at = stack[--n_stack], node = list[at].node;
        size_t end = first[node];

        order[done++] = node;
        if (first[node] == UINT32_MAX)
            continue;
        while (end < n && list[end].parent == node)
            end++;
        for (size_t i = end; i > first[node]; i--)
            stack[n_stack++] = (uint32_t)(i - 1);
    }
    return done;
}

enum { PARENT, NAME, SELF, TOTAL, COUNT, FAMILY, KIND, N_FIELDS };
static const char *const keys[N_FIELDS] = {"parent", "name",   "self", "total",
                                           "count",  "family", "kind"};

/* Collects each name once, in order of first use. */
struct names {
    struct ps_db *db;
    const struct ps_flame_stacks *stacks; /* NULL: slices */
    struct ps_ints ids, origins;          /* origins: of stacks */
    uint32_t *row_by_text;                /* [text id]: index in `ids` + 1; 0: none */
    size_t row_by_text_cap;
};

static bool has_name(const struct names *names, uint32_t id)
{
    return names->stacks ? ps_stack_function(names->stacks->frames, id) != 0
                         : ps_trace_text(names->db, id).ptr != NULL;
}

static int64_t name_index(struct names *names, uint32_t id, uint8_t family)
{
    if (!has_name(names, id))
        id = 0;
    names->row_by_text =
        ps_grow_to(names->row_by_text, &names->row_by_text_cap, id, sizeof *names->row_by_text);
    if (!names->row_by_text[id]) {
        ps_ints_add(&names->ids, id);
        if (names->stacks)
            ps_ints_add(&names->origins, ps_stack_origin(names->stacks->frames, id, family));
        names->row_by_text[id] = (uint32_t)names->ids.n;
    }
    return names->row_by_text[id] - 1;
}

static void write_names(const struct names *names, const char *nameless, struct ps_json *json)
{
    ps_json_key(json, "names");
    ps_json_array(json);
    for (size_t i = 0; i < names->ids.n; i++) {
        uint32_t id = (uint32_t)names->ids.items[i];
        struct ps_str text =
            names->stacks ? ps_stack_name(names->stacks->frames, id) : ps_trace_text(names->db, id);

        ps_json_str(json, text.ptr ? text : ps_str_from_c(nameless));
    }
    ps_json_end(json);
}

size_t ps_flame_order_nodes(const struct ps_flame *flame, size_t limit, uint32_t *order,
                            size_t *cut)
{
    PS_AUTO(ps_free_ptr) struct ranked *list = ps_grow(NULL, flame->n + 1, sizeof *list);
    size_t n = choose_nodes(flame, limit, list, cut);

    return number_preorder(flame, list, n, order);
}

/* rank: [node]: index in the answer */
static void write_columns(const struct ps_flame *flame, const uint32_t *order, size_t n,
                          uint32_t *rank, struct names *names, struct ps_json *json)
{
    PS_AUTO(ps_free_ptr) int64_t *values = ps_grow(NULL, n * N_FIELDS + 1, sizeof *values);

    for (size_t i = 0; i < n; i++) {
        const struct ps_flame_node *node = &flame->nodes[order[i]];

        rank[order[i]] = (uint32_t)i;
        values[PARENT * n + i] = node->parent == UINT32_MAX ? -1 : (int64_t)rank[node->parent];
        values[NAME * n + i] = name_index(names, node->name, node->family);
        values[SELF * n + i] = node->self_ns;
        values[TOTAL * n + i] = node->total_ns;
        values[COUNT * n + i] = node->count;
        values[FAMILY * n + i] = node->family;
        values[KIND * n + i] = node->kind;
    }
    for (size_t f = 0; f < N_FIELDS; f++)
        ps_json_ints(json, keys[f], values + f * n, n);
}

/* A line of a node. */
struct line {
    int64_t node, line, total; /* node: index in the answer */
};

static int by_node_and_total(const void *a, const void *b)
{
    const struct line *x = a, *y = b;

    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    if (x->total != y->total)
        return x->total > y->total ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

/* Writes the lines of the nodes of the answer, in the order of the nodes. */
static void write_lines(const struct ps_flame_stacks *stacks, const uint32_t *order, size_t n,
                        const uint32_t *rank, struct ps_json *json)
{
    static const char *const columns[] = {"node", "line", "total"};
    const struct ps_flame *lines = stacks->lines;
    PS_AUTO(ps_free_ptr) struct line *list = ps_grow(NULL, lines->n + 1, sizeof *list);
    PS_AUTO(ps_free_ptr) int64_t *values = ps_grow(NULL, lines->n + 1, sizeof *values);
    size_t n_list = 0;

    for (size_t i = 0; i < lines->n; i++) {
        const struct ps_flame_node *line = &lines->nodes[i];
        uint32_t node = rank[line->parent];

        if (node < n && order[node] == line->parent) /* else the node is not in the answer */
            list[n_list++] = (struct line){node, stacks->frames->line[line->name], line->total_ns};
    }
    qsort(list, n_list, sizeof *list, by_node_and_total);
    ps_json_key(json, "lines");
    ps_json_object(json);
    for (size_t c = 0; c < 3; c++) {
        for (size_t i = 0; i < n_list; i++)
            values[i] = c == 0 ? list[i].node : c == 1 ? list[i].line : list[i].total;
        ps_json_ints(json, columns[c], values, n_list);
    }
    ps_json_end(json);
}

/* Writes which frames of the run the names are. */
static void write_ids(const struct names *names, struct ps_json *json)
{
    PS_AUTO(ps_ints_free) struct ps_ints ids = {0}, collapsed = {0};

    for (size_t i = 0; i < names->ids.n; i++) {
        const struct ps_transform *by = NULL;
        uint32_t id = (uint32_t)names->ids.items[i];

        (void)ps_stack_is_collapsed(names->stacks->transforms, id, &by);
        ps_ints_add(&ids, by ? by->id : id);
        ps_ints_add(&collapsed, !by ? 0 : by->target == PS_TARGET_FILE ? 1 : 2);
    }
    ps_json_ints(json, "ids", ids.items, ids.n);
    ps_json_ints(json, "collapsed", collapsed.items, collapsed.n);
}

/* Writes what each transform is, and what it removed. */
static void write_transforms(struct ps_db *db, const struct ps_flame_stacks *stacks,
                             struct ps_json *json)
{
    const struct ps_stack_transforms *transforms = stacks->transforms;

    ps_json_key_int(json, "selected", stacks->sums->selected);
    ps_json_key(json, "transforms");
    ps_json_array(json);
    for (size_t i = 0; i < transforms->n; i++) {
        const struct ps_transform *transform = &transforms->items[i];
        PS_AUTO(ps_buf_free) struct ps_buf name = {0};

        ps_transform_name(db, transform, stacks->frames, &name);
        ps_json_object(json);
        ps_json_key(json, "text");
        ps_json_str(json, transform->text);
        ps_json_key(json, "name");
        ps_json_str(json, name.len ? ps_buf_slice(&name) : PS_STR(""));
        ps_json_key_int(json, "removed", stacks->sums->removed[i]);
        ps_json_end(json);
    }
    ps_json_end(json);
}

static void write_stacks(const struct names *names, const uint32_t *order, size_t n,
                         const uint32_t *rank, struct ps_json *json)
{
    ps_json_ints(json, "origins", names->origins.items, names->origins.n);
    write_ids(names, json);
    write_lines(names->stacks, order, n, rank, json);
    if (names->stacks->self_by_origin)
        ps_json_ints(json, "self_by_origin", names->stacks->self_by_origin, PS_N_ORIGINS);
    if (names->stacks->sums)
        write_transforms(names->db, names->stacks, json);
}

void ps_flame_write(struct ps_db *db, struct ps_flame *flame, size_t limit, const char *nameless,
                    const struct ps_flame_stacks *stacks, struct ps_answer *answer)
{
    struct ps_json json = ps_json_writer(&answer->body);
    PS_AUTO(ps_free_ptr) uint32_t *order = ps_grow(NULL, flame->n + 1, sizeof *order);
    PS_AUTO(ps_free_ptr) uint32_t *rank = ps_alloc_array(flame->n + 1, sizeof *rank);
    struct names names = {.db = db, .stacks = stacks};
    int64_t total = 0;
    size_t n, cut;

    ps_flame_finish(flame);
    for (size_t i = 0; i < flame->n; i++)
        if (flame->nodes[i].parent == UINT32_MAX &&
            __builtin_add_overflow(total, flame->nodes[i].total_ns, &total))
            total = INT64_MAX;
    if (stacks && stacks->sums) /* also the stacks that have lost all frames */
        total = stacks->sums->shown;
    n = ps_flame_order_nodes(flame, limit, order, &cut);
    ps_json_object(&json);
    ps_json_key_int(&json, "n", (int64_t)n);
    ps_json_key_str(&json, "unit", "ns");
    ps_json_key_int(&json, "sum", total);
    if (flame->tracks)
        ps_json_key_int(&json, "tracks", flame->tracks);
    ps_json_key_int(&json, "cut", (int64_t)cut);
    write_columns(flame, order, n, rank, &names, &json);
    write_names(&names, nameless, &json);
    if (stacks)
        write_stacks(&names, order, n, rank, &json);
    ps_json_end(&json);
    ps_ints_free(&names.ids);
    ps_ints_free(&names.origins);
    free(names.row_by_text);
}
