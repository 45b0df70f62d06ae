/* SPDX-License-Identifier: MIT */
/*
 * diff.c: compares the live sets of two memory snapshots by stack.
 *
 * Stacks of both runs meet by the text of their frames: function, file and line. The file is the
 * part below the folder of installed packages, else its name, so that other folders make no
 * difference. If most outermost frames differ, because other scripts or another edition of a script
 * were run, all stacks begin at the deepest function of the program that they have in common.
 * Frames of generated code are left out.
 */
#include "server/catalog/readers.h"
#include "server/query/compare/answers.h"
#include "server/query/compare/groups.h"
#include "server/query/query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/python_path.h"
#include "importers/kinds.h"
#include "server/query/shapes/tree.h"
#include "server/query/shapes/tree_diff.h"
#include "server/query/snapshot/snapshot.h"

#define ROWS_MAX       10000
#define ROWS_DEFAULT   1000
#define CANDIDATES_MAX 64   /* outermost frames among which the common one is searched */
#define SMALL_NODES    5000 /* smaller nodes of the flame graph are merged */

enum { BASE, NEW, N_SIDES };
#define BOTH (1 << BASE | 1 << NEW) /* as bits */

/* The live set of a run by node of its tree. */
struct side {
    struct ps_snapshot_device_row device;
    const struct ps_snapshot_stacks *stacks;
    int64_t at, live, reserved;
    int64_t *bytes, *count; /* [node] of allocations that end there */
};

/* A frame of the combined tree. */
struct frame {
    int side;
    uint32_t frame; /* of the stacks of the side */
    bool has_line;  /* it is of that line only */
};

/* The columns of the combined tree. Bytes and counts contain those of the callees; stack: the
 * lowest stack of the run that ends at the node, 0: none. */
enum { BYTES, COUNT, OWN_BYTES, OWN_COUNT, STACK, N_COLUMNS };

/* Where stacks begin: at the outermost frame of a function that all stacks have. A wrapper may call
 * a function of the same name and file, so lines that both sides have are preferred. */
struct beginning {
    bool is_cut;              /* false: stacks begin with their outermost frame */
    bool has_common_line;     /* otherwise these frames meet without their lines */
    uint32_t frame;           /* one of the base */
    bool *is_begin[N_SIDES];  /* [frame] of the function */
    bool *is_common[N_SIDES]; /* [frame] of the function, at a line that both sides have */
};

struct diff {
    struct side sides[N_SIDES];
    /* Names are the texts of frames. Node 0: the root, and memory without a stack */
    struct ps_tree_diff tree;
    struct frame *frames; /* by id of the text */
    size_t cap_frames;
    struct beginning beginning;
    size_t n_common;
    bool has_lines, has_own_frames_only;
};

static void diff_free(struct diff *d)
{
    for (int i = 0; i < N_SIDES; i++) {
        ps_snapshot_stacks_release(&d->sides[i].stacks);
        free(d->sides[i].bytes);
        free(d->sides[i].count);
        free(d->beginning.is_begin[i]);
        free(d->beginning.is_common[i]);
    }
    ps_tree_diff_free(&d->tree);
    free(d->frames);
}

/* --- Live sets --- */

static bool add_allocation(void *user, const struct ps_snapshot_allocation_row *row)
{
    struct side *side = user;
    uint32_t node = ps_snapshot_node(side->stacks, PS_SNAPSHOT_PYTHON, row->stack, row->flags);

    side->bytes[node] = ps_snapshot_add(side->bytes[node], row->bytes);
    side->count[node]++;
    side->live = ps_snapshot_add(side->live, row->bytes);
    return true;
}

static enum ps_status read_side(struct ps_store *store, const char *run, struct ps_params params,
                                struct side *side, struct ps_err *err)
{
    struct ps_run_brief brief = {.name = NULL};
    struct ps_db *db = NULL;
    int64_t live;
    size_t n;

    ps_store_read_brief(store, run, &brief, err);
    if (err->code == PS_OK && !ps_kind_has(brief.kind, PS_HAS_SNAPSHOT))
        ps_fail(err, PS_BAD_REQUEST, "%s runs are no memory snapshots", brief.kind);
    ps_run_brief_free(&brief);
    if (err->code != PS_OK || ps_run_acquire(store, run, &db, err) != PS_OK)
        return err->code;
    ps_snapshot_param_device(db, params, &side->device, err);
    ps_snapshot_param_event(&side->device, params, "at", &side->at, err);
    ps_snapshot_stacks_acquire(db, &side->stacks, err);
    if (err->code == PS_OK) {
        n = side->stacks->trees[PS_SNAPSHOT_PYTHON].n_nodes + 1;
        side->bytes = ps_alloc_array(n, sizeof *side->bytes);
        side->count = ps_alloc_array(n, sizeof *side->count);
        ps_snapshot_each_live(db, side->device.id, side->at, add_allocation, side, err);
        ps_snapshot_bytes_at(db, &side->device, side->at, &live, &side->reserved, err);
    }
    ps_run_release(db);
    return err->code;
}

/* --- Frames --- */

static bool is_generated(const struct ps_snapshot_frame_row *frame)
{
    return ps_str_find(frame->file, PS_STR("torchinductor")) ||
           ps_str_starts_with(frame->file, PS_STR("<eval_with_key"));
}

/* Appends the text by which frames meet. */
static void append_text(const struct ps_snapshot_frame_row *frame, bool has_line,
                        struct ps_buf *out)
{
    struct ps_str file = ps_python_installed_part(frame->file);

    out->len = 0;
    if (!file.ptr)
        file = ps_path_file_name(frame->file);
    ps_buf_add_str(out, frame->name);
    ps_buf_puts(out, "\n");
    for (size_t i = 0; i < file.len; i++)
        ps_buf_add(out, ps_is_slash(file.ptr[i]) ? "/" : &file.ptr[i], 1);
    if (has_line)
        ps_buf_printf(out, "\n%lld", (long long)frame->line);
}

/* Whether the frame is of the program, not of an installed package or the standard library. */
static bool is_own(const struct ps_snapshot_frame_row *frame)
{
    return !ps_python_installed_part(frame->file).ptr &&
           !ps_str_starts_with(frame->file, PS_STR("<frozen "));
}

/* Returns for each frame of a side the id of its text; UINT32_MAX: the frame is left out. */
static uint32_t *name_frames(struct diff *d, int s, bool has_line, struct ps_intern *names)
{
    const struct ps_snapshot_stacks *stacks = d->sides[s].stacks;
    uint32_t *ids = ps_alloc_array(stacks->n_frames + 1, sizeof *ids);
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    ids[0] = UINT32_MAX;
    for (size_t i = 1; i <= stacks->n_frames; i++) {
        append_text(&stacks->frames[i], has_line, &text);
        ids[i] = is_generated(&stacks->frames[i]) ? UINT32_MAX
                                                  : ps_intern_add(names, ps_buf_slice(&text));
    }
    return ids;
}

/* Returns the names without those of frames that are not of the program, which are UINT32_MAX. */
static uint32_t *own_names(const struct side *side, const uint32_t *names)
{
    uint32_t *own = ps_alloc_array(side->stacks->n_frames + 1, sizeof *own);

    for (size_t i = 0; i <= side->stacks->n_frames; i++)
        own[i] = i && is_own(&side->stacks->frames[i]) ? names[i] : UINT32_MAX;
    return own;
}

/* Stores the names of the frames of the first live stack, the outermost first. */
static size_t find_candidates(const struct side *side, const uint32_t *names,
                              uint32_t candidates[CANDIDATES_MAX])
{
    const struct ps_snapshot_tree *tree = &side->stacks->trees[PS_SNAPSHOT_PYTHON];
    size_t n = 0, depth = 0, node = 1;

    while (node <= tree->n_nodes && !side->count[node])
        node++;
    if (node > tree->n_nodes)
        return 0;
    for (uint32_t at = (uint32_t)node; at; at = tree->parent[at])
        depth++;
    for (uint32_t at = (uint32_t)node; at; at = tree->parent[at])
        if (--depth < CANDIDATES_MAX) {
            candidates[depth] = names[tree->frame[at]];
            n = depth >= n ? depth + 1 : n;
        }
    return n;
}

/* Returns the candidates, as bits, that all live stacks of a side have. Adds those to *deeper with
 * other functions below them. */
static uint64_t common_frames(const struct side *side, const uint32_t *names,
                              const uint32_t *candidates, size_t n, uint64_t *deeper)
{
    const struct ps_snapshot_tree *tree = &side->stacks->trees[PS_SNAPSHOT_PYTHON];
    PS_AUTO(ps_free_ptr) uint64_t *found = ps_alloc_array(tree->n_nodes + 1, sizeof *found);
    PS_AUTO(ps_free_ptr) uint64_t *above = ps_alloc_array(tree->n_nodes + 1, sizeof *above);
    uint64_t common = UINT64_MAX;

    for (size_t node = 1; node <= tree->n_nodes; node++) {
        uint32_t name = names[tree->frame[node]], up = tree->parent[node];

        found[node] = found[up];
        above[node] = above[up];
        if (name != UINT32_MAX)
            above[node] |= found[up];
        for (size_t i = 0; i < n; i++)
            if (name == candidates[i] && name != UINT32_MAX)
                found[node] |= UINT64_C(1) << i;
        if (!side->count[node])
            continue;
        common &= found[node];
        *deeper |= above[node];
    }
    return common;
}

/* --- The combined tree --- */

static double *value_at(const struct diff *d, unsigned column, uint32_t node, int s)
{
    return ps_tree_diff_value(&d->tree, column, node, (size_t)s);
}

/* Numbers of a crafted file may be too large for an integer. */
static int64_t to_int(double value)
{
    return value >= (double)INT64_MAX   ? INT64_MAX
           : value <= (double)INT64_MIN ? INT64_MIN
                                        : (int64_t)value;
}

static int64_t int_at(const struct diff *d, unsigned column, uint32_t node, int s)
{
    return to_int(*value_at(d, column, node, s));
}

/* Returns the combined frame of a frame of a side. */
static uint32_t frame_of(struct diff *d, int s, uint32_t frame, bool has_line, struct ps_buf *text)
{
    uint32_t n_known = d->tree.names.count, id;

    append_text(&d->sides[s].stacks->frames[frame], has_line, text);
    id = ps_intern_add(&d->tree.names, ps_buf_slice(text));
    if (id == n_known) {
        d->frames = ps_grow_to(d->frames, &d->cap_frames, id, sizeof *d->frames);
        d->frames[id] = (struct frame){s, frame, has_line};
    }
    return id;
}

/* Adds the live stacks of a side that end at the nodes of is_member. They begin at their outermost
 * frame with is_begin, which meets others by its line only if it is one that both sides have.
 * Frames whose name is UINT32_MAX are left out, unless stacks begin there. */
static void add_stacks(struct diff *d, int s, const uint32_t *names, const bool *is_begin,
                       const bool *is_member)
{
    const struct side *side = &d->sides[s];
    const struct ps_snapshot_tree *tree = &side->stacks->trees[PS_SNAPSHOT_PYTHON];
    PS_AUTO(ps_free_ptr) bool *is_used = ps_alloc_array(tree->n_nodes + 1, sizeof *is_used);
    PS_AUTO(ps_free_ptr) bool *has_begun = ps_alloc_array(tree->n_nodes + 1, sizeof *has_begun);
    PS_AUTO(ps_free_ptr) uint32_t *combined = ps_alloc_array(tree->n_nodes + 1, sizeof *combined);
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    for (size_t node = tree->n_nodes; node > 0; node--) {
        is_used[node] |= is_member[node];
        is_used[tree->parent[node]] |= is_used[node];
    }
    for (size_t node = 0; node <= tree->n_nodes; node++) {
        uint32_t frame = tree->frame[node], parent = tree->parent[node];
        double *stack;
        bool is_first;

        if (node && !is_used[node])
            continue;
        has_begun[node] = has_begun[parent] || !d->beginning.is_cut || is_begin[frame];
        is_first = d->beginning.is_cut && has_begun[node] && !has_begun[parent];
        combined[node] = combined[parent];
        if (node && has_begun[node] && (names[frame] != UINT32_MAX || is_first)) {
            bool has_line = d->has_lines && (!is_first || d->beginning.has_common_line);

            combined[node] = ps_tree_diff_node(&d->tree, combined[parent],
                                               frame_of(d, s, frame, has_line, &text), (size_t)s);
        }
        if (!is_member[node])
            continue;
        for (unsigned column = BYTES; column <= OWN_COUNT; column++)
            *value_at(d, column, combined[node], s) +=
                (double)(column == BYTES || column == OWN_BYTES ? side->bytes[node]
                                                                : side->count[node]);
        stack = value_at(d, STACK, combined[node], s);
        if (node && *stack == 0)
            *stack = tree->stack[node];
    }
}

/* Adds the live stacks of a side. A stack begins at a line that both sides have, if it contains
 * one. If the caller asked for frames of the program, other frames are left out, but not from a
 * stack that has only other frames. */
static void add_side(struct diff *d, int s, const uint32_t *names)
{
    enum { HAS_COMMON = 1, HAS_OWN = 2, N_SETS = 4 };
    const struct side *side = &d->sides[s];
    const struct ps_snapshot_tree *tree = &side->stacks->trees[PS_SNAPSHOT_PYTHON];
    PS_AUTO(ps_free_ptr) uint32_t *own = own_names(side, names);
    PS_AUTO(ps_free_ptr) uint8_t *sets = ps_alloc_array(tree->n_nodes + 1, sizeof *sets);
    PS_AUTO(ps_free_ptr) bool *is_member = ps_alloc_array(tree->n_nodes + 1, sizeof *is_member);

    for (size_t node = 1; node <= tree->n_nodes; node++) {
        uint32_t frame = tree->frame[node];

        sets[node] = sets[tree->parent[node]];
        if (d->beginning.is_common[s][frame])
            sets[node] |= HAS_COMMON;
        if (d->has_own_frames_only && own[frame] != UINT32_MAX)
            sets[node] |= HAS_OWN;
    }
    for (int set = 0; set < N_SETS; set++) {
        for (size_t node = 0; node <= tree->n_nodes; node++)
            is_member[node] = side->count[node] && sets[node] == set;
        add_stacks(d, s, set & HAS_OWN ? own : names,
                   set & HAS_COMMON ? d->beginning.is_common[s] : d->beginning.is_begin[s],
                   is_member);
    }
}

/* --- Where stacks begin --- */

/* Returns for each node of a side the text of its outermost frame. [0] is not set. */
static uint32_t *find_roots(const struct side *side, const uint32_t *texts)
{
    const struct ps_snapshot_tree *tree = &side->stacks->trees[PS_SNAPSHOT_PYTHON];
    uint32_t *roots = ps_alloc_array(tree->n_nodes + 1, sizeof *roots);

    for (size_t node = 1; node <= tree->n_nodes; node++)
        roots[node] = tree->parent[node] ? roots[tree->parent[node]] : texts[tree->frame[node]];
    return roots;
}

/* Whether both runs begin alike. In each run, at least half of the live bytes that have a stack
 * must have an outermost frame that is also an outermost frame of the other run. */
static bool share_roots(const struct diff *d, uint32_t *const texts[N_SIDES], size_t n_texts)
{
    PS_AUTO(ps_free_ptr) uint8_t *sides_of = ps_alloc_array(n_texts + 1, sizeof *sides_of);
    uint32_t *roots[N_SIDES];
    bool do_share = true;

    for (int s = 0; s < N_SIDES; s++) {
        roots[s] = find_roots(&d->sides[s], texts[s]);
        for (size_t i = 1; i <= d->sides[s].stacks->trees[PS_SNAPSHOT_PYTHON].n_nodes; i++)
            if (d->sides[s].count[i] && roots[s][i] != UINT32_MAX)
                sides_of[roots[s][i]] |= (uint8_t)(1 << s);
    }
    for (int s = 0; s < N_SIDES; s++) {
        const struct side *side = &d->sides[s];
        int64_t all = 0, shared = 0;

        for (size_t i = 1; i <= side->stacks->trees[PS_SNAPSHOT_PYTHON].n_nodes; i++) {
            all = ps_snapshot_add(all, side->bytes[i]);
            if (side->count[i] && roots[s][i] != UINT32_MAX && sides_of[roots[s][i]] == BOTH)
                shared = ps_snapshot_add(shared, side->bytes[i]);
        }
        do_share = do_share && shared >= all - shared;
    }
    for (int s = 0; s < N_SIDES; s++)
        free(roots[s]);
    return do_share;
}

/* Returns the name of the deepest function of the program that all live stacks have and that calls
 * others; UINT32_MAX: none. */
static uint32_t find_common_name(const struct diff *d, uint32_t *const names[N_SIDES])
{
    uint32_t candidates[CANDIDATES_MAX], found = UINT32_MAX;
    uint64_t common = UINT64_MAX, deeper = 0;
    uint32_t *own[N_SIDES];
    size_t n;

    for (int s = 0; s < N_SIDES; s++)
        own[s] = own_names(&d->sides[s], names[s]);
    n = find_candidates(&d->sides[BASE], own[BASE], candidates);
    for (int s = 0; s < N_SIDES; s++)
        common &= common_frames(&d->sides[s], own[s], candidates, n, &deeper);
    for (size_t i = n; i > 0 && found == UINT32_MAX; i--)
        if ((common & deeper) >> (i - 1) & 1)
            found = candidates[i - 1];
    for (int s = 0; s < N_SIDES; s++)
        free(own[s]);
    return found;
}

static void find_beginning(struct diff *d, uint32_t *const names[N_SIDES],
                           uint32_t *const texts[N_SIDES], size_t n_texts)
{
    struct beginning *beginning = &d->beginning;
    PS_AUTO(ps_free_ptr) uint8_t *sides_of = ps_alloc_array(n_texts + 1, sizeof *sides_of);
    uint32_t name = share_roots(d, texts, n_texts) ? UINT32_MAX : find_common_name(d, names);

    beginning->is_cut = name != UINT32_MAX;
    for (int s = 0; s < N_SIDES; s++) {
        size_t n = d->sides[s].stacks->n_frames;

        beginning->is_begin[s] = ps_alloc_array(n + 1, sizeof(bool));
        beginning->is_common[s] = ps_alloc_array(n + 1, sizeof(bool));
        for (uint32_t i = 1; beginning->is_cut && i <= n; i++) {
            if (names[s][i] != name)
                continue;
            beginning->is_begin[s][i] = true;
            sides_of[texts[s][i]] |= (uint8_t)(1 << s);
            if (s == BASE)
                beginning->frame = i;
        }
    }
    for (int s = 0; s < N_SIDES; s++)
        for (size_t i = 1; i <= d->sides[s].stacks->n_frames; i++)
            if (beginning->is_begin[s][i] && sides_of[texts[s][i]] == BOTH)
                beginning->is_common[s][i] = beginning->has_common_line = true;
}

static void combine(struct diff *d)
{
    struct ps_intern ids = {.count = 0};
    uint32_t *names[N_SIDES], *texts[N_SIDES];

    for (int s = 0; s < N_SIDES; s++) {
        names[s] = name_frames(d, s, false, &ids);
        texts[s] = name_frames(d, s, d->has_lines, &ids);
    }
    find_beginning(d, names, texts, ids.count);
    (void)ps_tree_diff_node(&d->tree, PS_TREE_NONE, ps_intern_add(&d->tree.names, PS_STR("")),
                            BASE);
    for (int s = 0; s < N_SIDES; s++) {
        add_side(d, s, names[s]);
        free(names[s]);
        free(texts[s]);
    }
    ps_intern_free(&ids);
    ps_tree_diff_add_up(&d->tree, BYTES);
    ps_tree_diff_add_up(&d->tree, COUNT);
    for (uint32_t i = 1; i < d->tree.tree.n; i++)
        d->n_common += int_at(d, OWN_COUNT, i, BASE) && int_at(d, OWN_COUNT, i, NEW);
}

/* --- The answer --- */

/* Writes the function and file of a frame. */
static void write_function(const struct ps_snapshot_stacks *stacks, uint32_t frame,
                           struct ps_json *json)
{
    ps_json_key(json, "name");
    ps_json_str(json, stacks->frames[frame].name);
    ps_json_key(json, "file");
    ps_json_str(json, stacks->frames[frame].file);
}

/* The frame of a text. One of all lines of a function has no line. */
static struct ps_tree_frame shown_frame(const struct diff *d, uint32_t key)
{
    const struct frame *f = &d->frames[key];
    struct ps_tree_frame out = ps_snapshot_frame(d->sides[f->side].stacks, f->frame);

    out.line = f->has_line ? out.line : 0;
    return out;
}

/* Returns the nearest caller outside of the package torch, else the parent; 0: none. */
static uint32_t caller_of(const struct diff *d, uint32_t node)
{
    const struct ps_tree_node *nodes = d->tree.tree.nodes;
    uint32_t parent = nodes[node].parent;

    for (uint32_t at = parent, n = 0; at && n < CANDIDATES_MAX; at = nodes[at].parent, n++) {
        const struct frame *f = &d->frames[nodes[at].key];

        if (!d->sides[f->side].stacks->frames[f->frame].is_torch)
            return at;
    }
    return parent;
}

static double change_of(const struct diff *d, uint32_t node)
{
    return *value_at(d, OWN_BYTES, node, NEW) - *value_at(d, OWN_BYTES, node, BASE);
}

static int by_change(const void *a, const void *b, void *user)
{
    uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    double x = fabs(change_of(user, i)), y = fabs(change_of(user, k));

    if (x != y)
        return x < y ? 1 : -1;
    return (i > k) - (i < k);
}

static void write_sides(const char *base_key, const char *new_key, const double values[N_SIDES],
                        struct ps_json *json)
{
    ps_json_key_int(json, base_key, to_int(values[BASE]));
    ps_json_key_int(json, new_key, to_int(values[NEW]));
}

static void write_row(const struct diff *d, uint32_t node, struct ps_json *json)
{
    const int64_t stacks[] = {int_at(d, STACK, node, BASE), int_at(d, STACK, node, NEW)};
    const double *count = value_at(d, OWN_COUNT, node, BASE);
    uint32_t caller = node ? caller_of(d, node) : 0;
    double change = change_of(d, node);

    ps_json_object(json);
    ps_json_key_int_or_null(json, "base_stack", stacks[BASE], stacks[BASE]);
    ps_json_key_int_or_null(json, "new_stack", stacks[NEW], stacks[NEW]);
    if (node)
        ps_snapshot_write_frame(shown_frame(d, d->tree.tree.nodes[node].key), json);
    else
        ps_snapshot_write_frame((struct ps_tree_frame){.line = 0}, json);
    ps_json_key(json, "caller");
    if (caller) {
        ps_json_object(json);
        ps_snapshot_write_frame(shown_frame(d, d->tree.tree.nodes[caller].key), json);
        ps_json_end(json);
    } else {
        ps_json_null(json);
    }
    write_sides("base", "new", value_at(d, OWN_BYTES, node, BASE), json);
    write_sides("base_count", "new_count", count, json);
    ps_json_key_int(json, "change", to_int(change));
    ps_json_key_str(json, "verdict",
                    count[BASE] == 0  ? "new"
                    : count[NEW] == 0 ? "gone"
                    : change > 0      ? "more"
                    : change < 0      ? "less"
                                      : "same");
    ps_json_end(json);
}

static void write_rows(const struct diff *d, int64_t limit, struct ps_json *json)
{
    PS_AUTO(ps_free_ptr) uint32_t *order = ps_alloc_array(d->tree.tree.n + 1, sizeof *order);
    double bytes[N_SIDES] = {0, 0}, count[N_SIDES] = {0, 0};
    size_t n = 0, shown;

    for (uint32_t i = 0; i < d->tree.tree.n; i++)
        if (int_at(d, OWN_COUNT, i, BASE) || int_at(d, OWN_COUNT, i, NEW))
            order[n++] = i;
    qsort_r(order, n, sizeof *order, by_change, (void *)(uintptr_t)d);
    shown = n < (size_t)limit ? n : (size_t)limit;
    ps_json_key(json, "rows");
    ps_json_array(json);
    for (size_t i = 0; i < shown; i++)
        write_row(d, order[i], json);
    ps_json_end(json);
    for (size_t i = shown; i < n; i++)
        for (int s = 0; s < N_SIDES; s++) {
            bytes[s] += *value_at(d, OWN_BYTES, order[i], s);
            count[s] += *value_at(d, OWN_COUNT, order[i], s);
        }
    ps_json_key(json, "omitted");
    ps_json_object(json);
    ps_json_key_int(json, "rows", (int64_t)(n - shown));
    write_sides("base", "new", bytes, json);
    write_sides("base_count", "new_count", count, json);
    ps_json_end(json);
}

/* A node of the tree of the answer. */
struct drawn {
    uint32_t parent;                                        /* index in the answer */
    int64_t bytes[N_SIDES], count[N_SIDES], stack[N_SIDES]; /* stack: PS_COLUMN_NULL: none */
};

/* Draws bytes and counts of a node: with those of the callees, or its own. */
static struct drawn draw(const struct diff *d, uint32_t node, uint32_t parent, bool is_own)
{
    struct drawn out = {.parent = parent, .stack = {PS_COLUMN_NULL, PS_COLUMN_NULL}};

    for (int s = 0; s < N_SIDES; s++) {
        out.bytes[s] = int_at(d, is_own ? OWN_BYTES : BYTES, node, s);
        out.count[s] = int_at(d, is_own ? OWN_COUNT : COUNT, node, s);
    }
    return out;
}

static void subtract(struct drawn *from, const struct drawn *part)
{
    for (int s = 0; s < N_SIDES; s++) {
        from->bytes[s] = ps_snapshot_add(from->bytes[s], -part->bytes[s]);
        from->count[s] -= part->count[s];
    }
}

static struct ps_picture choose(struct diff *d)
{
    struct ps_tree *tree = &d->tree.tree;
    const struct ps_skeleton skeleton = ps_tree_skeleton(tree);
    struct ps_picture_options options = {
        .never_rest = PS_TREE_NONE, .has_empty = true, .is_by_level = true};

    ps_tree_diff_measure(&d->tree, 1);
    for (uint32_t i = 0; i < tree->n; i++)
        tree->nodes[i].count = int_at(d, COUNT, i, BASE) + int_at(d, COUNT, i, NEW);
    options.rest_below = tree->nodes[0].total / SMALL_NODES;
    return ps_picture_choose(&skeleton, &tree->nodes->total, &tree->nodes->count,
                             sizeof *tree->nodes, &options);
}

/* Lists the nodes of the answer: memory without a stack, then the picture without its root. Returns
 * their number. */
static size_t list_drawn(const struct diff *d, const struct ps_picture *picture, uint32_t *keys,
                         struct drawn *out)
{
    const struct drawn no_stack = draw(d, 0, PS_TREE_NONE, true);
    /* index in the answer, of index in the picture */
    const uint32_t shift = no_stack.count[BASE] || no_stack.count[NEW] ? 0 : 1;

    out[0] = no_stack;
    keys[0] = PS_KEY_NO_STACK;
    for (uint32_t i = 1; i < picture->n; i++) {
        const struct ps_picture_node *item = &picture->nodes[i];
        const uint32_t parent = item->parent ? item->parent - shift : PS_TREE_NONE,
                       above = picture->nodes[item->parent].node;
        struct drawn *drawn = &out[i - shift];
        struct drawn own;

        if (item->role == PS_ROLE_NODE) {
            *drawn = draw(d, item->node, parent, false);
            keys[i - shift] = d->tree.tree.nodes[item->node].key;
            for (int s = 0; s < N_SIDES; s++)
                if (int_at(d, STACK, item->node, s))
                    drawn->stack[s] = int_at(d, STACK, item->node, s);
            continue;
        }
        /* small frames: what the frame above them has without itself and the frames before */
        *drawn = draw(d, above, parent, false);
        own = draw(d, above, parent, true);
        subtract(drawn, &own);
        for (uint32_t k = i; k-- > 1 && picture->nodes[k].parent == item->parent;)
            subtract(drawn, &out[k - shift]);
        keys[i - shift] = PS_KEY_REST;
    }
    return (picture->n ? picture->n : 1) - shift;
}

static void describe_frame(const void *subject, uint32_t key, size_t node,
                           struct ps_tree_frame *out)
{
    (void)node;
    *out = shown_frame(subject, key);
}

#define SIDE_COLUMNS(drawn, side)                                                                  \
    {                                                                                              \
        PS_NODE_COLUMN("total", PS_COLUMN_INT, drawn, bytes[side]),                                \
            PS_NODE_COLUMN("count", PS_COLUMN_INT, drawn, count[side]),                            \
            PS_NODE_COLUMN("stack", PS_COLUMN_NULLABLE, drawn, stack[side])                        \
    }

static void write_tree(struct diff *d, struct ps_json *json)
{
    PS_AUTO(ps_picture_free) struct ps_picture picture = choose(d);
    PS_AUTO(ps_free_ptr) uint32_t *keys = ps_grow(NULL, picture.n + 1, sizeof *keys);
    PS_AUTO(ps_free_ptr) struct drawn *drawn = ps_grow(NULL, picture.n + 1, sizeof *drawn);
    const struct ps_tree_column parent = PS_NODE_COLUMN("parent", PS_COLUMN_PARENT, drawn, parent),
                                columns[N_SIDES][3] = {SIDE_COLUMNS(drawn, BASE),
                                                       SIDE_COLUMNS(drawn, NEW)};
    const struct ps_tree_side sides[N_SIDES] = {
        {ps_int(int_at(d, BYTES, 0, BASE)), 0, columns[BASE], 3},
        {ps_int(int_at(d, BYTES, 0, NEW)), 0, columns[NEW], 3},
    };
    const struct ps_tree_answer tree = {
        .n = list_drawn(d, &picture, keys, drawn),
        .unit = "B",
        .frames = {keys, describe_frame, d, PS_FRAME_FILE | PS_FRAME_LINE, false},
        .columns = &parent,
        .n_columns = 1,
        .base = &sides[BASE],
        .new = &sides[NEW],
    };

    ps_json_key(json, "tree");
    ps_json_object(json);
    ps_tree_write(&tree, json);
    ps_json_end(json);
}

/* count: number of live allocations. */
static void write_side(const char *key, const struct side *side, int64_t count,
                       struct ps_json *json)
{
    ps_json_key(json, key);
    ps_json_object(json);
    ps_json_key_int(json, "device", side->device.number);
    ps_json_key_int(json, "events", side->device.events);
    ps_json_key_int(json, "at", side->at);
    ps_json_key_int(json, "live", side->live);
    ps_json_key_int(json, "count", count);
    ps_json_key_int(json, "reserved", side->reserved);
    ps_json_key_int(json, "peak_live", side->device.peak_live);
    ps_json_key_int(json, "peak_event", side->device.peak_event);
    ps_json_key_int(json, "live_end", side->device.live_end);
    ps_json_end(json);
}

static void write_diff(struct diff *d, int64_t limit, struct ps_json *json)
{
    ps_json_object(json);
    write_side("base", &d->sides[BASE], int_at(d, COUNT, 0, BASE), json);
    write_side("new", &d->sides[NEW], int_at(d, COUNT, 0, NEW), json);
    ps_json_key(json, "begins_at");
    if (d->beginning.is_cut) {
        ps_json_object(json);
        write_function(d->sides[BASE].stacks, d->beginning.frame, json);
        ps_json_end(json);
    } else {
        ps_json_null(json);
    }
    ps_json_key_int(json, "common_stacks", (int64_t)d->n_common);
    write_rows(d, limit, json);
    write_tree(d, json);
    ps_json_end(json);
}

/* Reads the ids of both runs. PS_BAD_REQUEST: base or new is not one run. */
static enum ps_status read_ids(const struct ps_compare_groups *groups,
                               char ids[N_SIDES][PS_ID_SIZE], struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    ps_compare_groups_ids(groups, &text);
    if (text.len != 2 * (PS_ID_SIZE - 1) + 1 || text.ptr[PS_ID_SIZE - 1] != '|')
        return ps_fail(err, PS_BAD_REQUEST, "base and new must each be one run, not a group");
    for (int s = 0; s < N_SIDES; s++) {
        memcpy(ids[s], text.ptr + s * PS_ID_SIZE, PS_ID_SIZE - 1);
        ids[s][PS_ID_SIZE - 1] = 0;
    }
    return err->code;
}

enum ps_status ps_query_compare_snapshot(struct ps_store *store,
                                         const struct ps_compare_groups *groups,
                                         struct ps_params params, struct ps_json *json,
                                         struct ps_err *err)
{
    static const char *const device_keys[] = {"base_device", "new_device"};
    static const char *const at_keys[] = {"base_at", "new_at"};
    PS_AUTO(diff_free)
    struct diff d = {.tree = {.n_base = 1, .n_runs = N_SIDES, .n_columns = N_COLUMNS}};
    const char *of = ps_param_get(params, "of"), *frames = ps_param_get(params, "frames");
    char ids[N_SIDES][PS_ID_SIZE];
    int64_t limit, lines;

    of = of && of[0] ? of : "peak";
    ps_param_int(params, "limit", 0, ROWS_MAX, ROWS_DEFAULT, &limit, err);
    ps_param_int(params, "lines", 0, 1, 1, &lines, err);
    if (err->code != PS_OK || read_ids(groups, ids, err) != PS_OK)
        return err->code;
    if (strcmp(of, "peak") != 0 && strcmp(of, "end") != 0)
        return ps_fail(err, PS_BAD_REQUEST, "of must be peak or end, not %s", of);
    if (frames && frames[0] && strcmp(frames, "all") != 0 && strcmp(frames, "own") != 0)
        return ps_fail(err, PS_BAD_REQUEST, "frames must be all or own, not %s", frames);
    d.has_lines = lines != 0;
    d.has_own_frames_only = frames && strcmp(frames, "own") == 0;
    for (int s = 0; s < N_SIDES; s++) {
        const char *device = ps_param_get(params, device_keys[s]),
                   *at = ps_param_get(params, at_keys[s]);
        const struct ps_param items[] = {{"device", device ? device : ""},
                                         {"at", at && at[0] ? at : of}};

        if (read_side(store, ids[s], (struct ps_params){items, 2}, &d.sides[s], err) != PS_OK)
            return err->code;
    }
    combine(&d);
    write_diff(&d, limit, json);
    return err->code;
}
