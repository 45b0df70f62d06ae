/* SPDX-License-Identifier: MIT */
/* stack_time.c: nested frames charged to own functions. */
#include "server/query/conclusion/stack_time.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/python_path.h"
#include "base/tree.h"

#define DEPTH_MAX    (1u << 16)
#define NO_CALL      UINT32_MAX
#define AT_ONE_LINE  0.98
#define AT_LOCK      0.3        /* share of a thread's time at one line that may be a lock */
#define HOLDER_SHARE 0.5        /* of a lock's waits of each thread that its holder has at least */
#define NODES_MAX    (1u << 20) /* about 60 MB of sums; stacks with more are not charged */

/* A frame of the current stack. */
struct open_frame {
    uint32_t text, function; /* ids */
    uint32_t unit;           /* of own code; else the function */
    uint32_t call;           /* node of reader.calls, or NO_CALL */
    uint32_t own;            /* depth of the innermost frame of own code, from this one outward */
    uint8_t family;
    bool is_import; /* this frame, or one between it and the frame `own`, imports */
    int64_t inside; /* weight of the stacks that have the frame */
};

struct reader {
    const struct ps_stack_time *stacks;
    struct ps_own_time *out;
    struct ps_stack_time_rest *rest;
    struct ps_str program;
    bool has_importers; /* frames of importlib are recorded; pyinstrument leaves them out */
    uint32_t *n_open;   /* by function: frames in the current stack */
    double *depths;     /* by unit: number of its frames, weighted */
    struct open_frame *open;
    size_t n, cap;
    uint32_t track;
    struct ps_tree calls;      /* `parent` is the caller, `key` the callee */
    struct ps_tree call_lines; /* `parent` is a node of calls, `key` the text of the caller */
    struct ps_tree lines;      /* `parent` is a unit, `key` the text of its frame */
    struct ps_tree at_leaf;    /* `parent` is a text of own code at a leaf, `key` the track */
    struct ps_tree packages;   /* of the outermost installed frame: `key` is a function */
    double *track_s;           /* by track */
    int sign;                  /* of the weights that are read */
    bool is_too_large;         /* there are more sums than NODES_MAX */
};

static void reader_free(struct reader *r)
{
    free(r->n_open);
    free(r->depths);
    free(r->open);
    free(r->track_s);
    ps_tree_free(&r->calls);
    ps_tree_free(&r->call_lines);
    ps_tree_free(&r->lines);
    ps_tree_free(&r->at_leaf);
    ps_tree_free(&r->packages);
}

/* --- Functions --- */

/* The part of a qualified name after its last dot: "random" of "Random.random". */
static struct ps_str last_part(struct ps_str name)
{
    for (size_t i = name.len; i > 0; i--)
        if (name.ptr[i - 1] == '.')
            return ps_str_skip(name, i);
    return name;
}

static const struct ps_known_call *known_of(const struct ps_timed_function *function)
{
    struct ps_str name = last_part(function->name);
    size_t owner = function->name.len - name.len;

    if (function->origin != PS_ORIGIN_BUILTIN)
        return ps_known_call_of(function->path, name);
    if (owner)
        return ps_known_call_of((struct ps_str){function->name.ptr, owner - 1}, name);
    return ps_known_call_of(PS_STR("time"), name); /* pyinstrument names the function alone */
}

static struct ps_timed_function *add_function(struct reader *r, uint32_t text, uint8_t family)
{
    uint32_t id = ps_stack_function(r->stacks->frames, text);
    struct ps_timed_function *function = &r->out->functions[id];
    const struct ps_frame_kind *kind;
    struct ps_frame_name name;

    if (function->is_present)
        return function;
    name = ps_frame_name_parse(ps_trace_text(r->stacks->db, id));
    kind = ps_stack_frame_kind(r->stacks->waits, text, family);
    *function = (struct ps_timed_function){
        .name = name.function.len ? name.function : name.text,
        .path = name.file,
        .package = kind->is_python ? ps_frame_package(&name) : (struct ps_str){NULL, 0},
        .line = name.line,
        .origin =
            kind->is_python ? ps_stack_origin(r->stacks->frames, id, family) : PS_ORIGIN_BUILTIN,
        .is_present = true,
        .unit = id,
        .main_caller = PS_NO_FUNCTION};
    /* what a library executes, such as a line of a .pth file, is typed by nobody */
    function->is_own = kind->is_python &&
                       !(ps_str_starts_with(name.file, PS_STR("<")) && r->n &&
                         !r->out->functions[r->open[r->n - 1].function].is_own) &&
                       ps_timed_function_is_own(function, r->program);
    if (!function->is_own)
        function->known = known_of(function);
    return function;
}

/* Whether a frame of a library, which the stack is going to have, imports. */
static bool is_import(const struct reader *r, const struct ps_timed_function *function)
{
    if (ps_path_is_importer(function->path))
        return true;
    return !r->has_importers && r->n && r->open[r->n - 1].own &&
           function->origin != PS_ORIGIN_BUILTIN && ps_str_eq_c(function->name, "<module>");
}

/* The unit of a frame of own code: a comprehension or lambda is part of the innermost function of
 * its file in the stack. */
static uint32_t unit_of(const struct reader *r, uint32_t function)
{
    const struct ps_timed_function *part = &r->out->functions[function];

    if (!ps_timed_name_is_part(part->name))
        return function;
    for (size_t i = r->n; i > 0; i--) {
        const struct ps_timed_function *outer = &r->out->functions[r->open[i - 1].unit];

        if (outer->is_own && ps_str_eq(outer->path, part->path))
            return r->open[i - 1].unit;
    }
    return function;
}

/* --- Kinds of time --- */

/* The kind of the time of the current stack, from its leaf up to the innermost own frame. */
static enum ps_time_class class_of_stack(const struct reader *r)
{
    size_t own = r->open[r->n - 1].own;
    enum ps_time_class class = PS_TIME_WORK;
    bool is_below_python = true;

    if (r->stacks->has_one_class)
        return r->stacks->class;
    for (size_t i = r->n; i > 0; i--) {
        const struct open_frame *frame = &r->open[i - 1];
        const struct ps_timed_function *function = &r->out->functions[frame->function];
        const struct ps_frame_kind *kind =
            ps_stack_frame_kind(r->stacks->waits, frame->text, frame->family);

        if (i == r->n && function->known)
            class = function->known->class;
        if (is_below_python && kind->waits && !ps_time_waits(class)) {
            class = kind->wait;
            if (class == PS_TIME_OTHER_WAIT && function->known)
                class = function->known->class;
        }
        is_below_python &= !kind->is_python;
        if (i <= own)
            return class;
        class = ps_time_class_above(class, function);
    }
    return class;
}

/* --- Stacks --- */

static void add_weight(struct ps_tree *weights, uint32_t parent, uint32_t name, int64_t weight)
{
    uint32_t node = ps_tree_child(weights, parent, name, 0, 0);

    weights->nodes[node].total = ps_add_saturated(weights->nodes[node].total, weight);
}

static uint32_t first_installed(const struct reader *r)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->out->functions[r->open[i].function].origin == PS_ORIGIN_THIRD_PARTY)
            return r->open[i].function;
    return 0;
}

/* Whether a frame stands for its caller's own time: "[self]" of pyinstrument. */
static bool is_own_part(const struct reader *r, const struct open_frame *frame)
{
    return ps_str_eq_c(r->out->functions[frame->function].name, "[self]");
}

/* Adds the current stack. */
static void add_stack(struct reader *r, int64_t weight)
{
    struct open_frame *leaf = &r->open[r->n - 1];
    double s = (double)weight / r->stacks->scale;
    struct ps_timed_function *unit;
    enum ps_time_class class = PS_TIME_WORK;

    if (leaf->text != r->stacks->no_frame) {
        class = class_of_stack(r);
        if (r->stacks->skips_thread_waits && (class == PS_TIME_LOCK || class == PS_TIME_EVENTS)) {
            r->rest->skipped_s += s;
            return;
        }
    }
    r->out->total_s += s;
    r->track_s[r->track] += s;
    r->rest->origins_s[ps_stack_origin(r->stacks->frames, leaf->text, leaf->family)] += s;
    if (leaf->text == r->stacks->no_frame) {
        r->rest->no_frame_s += s;
        r->out->remainder_s += s;
        return;
    }
    r->out->functions[leaf->function].self_s += s;
    leaf->inside = ps_add_saturated(leaf->inside, weight);
    if (!r->program.ptr)
        add_weight(&r->packages, 0, first_installed(r), weight);
    if (leaf->is_import) {
        r->out->imports_s += s;
        return;
    }
    if (!leaf->own) {
        r->out->remainder_s += s;
        return;
    }
    unit = &r->out->functions[r->open[leaf->own - 1].unit];
    unit->time.s[class] += s;
    r->depths[unit->unit] += s * r->n_open[unit->unit];
    add_weight(&r->lines, unit->unit, r->open[leaf->own - 1].text, weight);
    if (leaf->own == r->n || (leaf->own + 1 == r->n && is_own_part(r, leaf))) {
        unit->own_s += s;
        add_weight(&r->at_leaf, leaf->text, r->track, weight);
    } else if (r->open[leaf->own].call != NO_CALL) {
        struct ps_tree_node *call = &r->calls.nodes[r->open[leaf->own].call];

        call->self = ps_add_saturated(call->self, weight); /* what the caller is charged */
    }
}

static void close_frames(struct reader *r, size_t n)
{
    while (r->n > n) {
        const struct open_frame *frame = &r->open[--r->n];
        struct ps_timed_function *function = &r->out->functions[frame->unit];
        bool is_outermost = --r->n_open[frame->unit] == 0;

        if (r->n)
            r->open[r->n - 1].inside = ps_add_saturated(r->open[r->n - 1].inside, frame->inside);
        if (!is_outermost)
            continue;
        function->cumulative_s += (double)frame->inside / r->stacks->scale;
        if (frame->call == NO_CALL)
            continue;
        r->calls.nodes[frame->call].total =
            ps_add_saturated(r->calls.nodes[frame->call].total, frame->inside);
        add_weight(&r->call_lines, frame->call, r->open[r->n - 1].text, frame->inside);
    }
}

static void open_frame(struct reader *r, uint32_t text, uint8_t family)
{
    const struct ps_timed_function *function = add_function(r, text, family);
    uint32_t id = (uint32_t)(function - r->out->functions);
    const struct open_frame *up = r->n ? &r->open[r->n - 1] : NULL;
    struct ps_timed_function *unit;
    struct open_frame frame = {.text = text,
                               .function = id,
                               .unit = function->is_own ? unit_of(r, id) : id,
                               .call = NO_CALL,
                               .own = function->is_own ? (uint32_t)r->n + 1
                                      : up             ? up->own
                                                       : 0,
                               .family = family};

    frame.is_import = !function->is_own && ((up && up->is_import) || is_import(r, function));
    unit = &r->out->functions[frame.unit];
    if (up && up->unit != frame.unit)
        frame.call = ps_tree_child(&r->calls, up->unit, frame.unit, 0, 0);
    if (r->stacks->has_calls && frame.unit == id) {
        unit->ncalls++;
        unit->primitive_calls += r->n_open[id] == 0;
        if (frame.call != NO_CALL)
            r->calls.nodes[frame.call].count++;
    }
    r->n_open[frame.unit]++;
    PS_RESERVE_ONE(r->open, r->n, r->cap);
    r->open[r->n++] = frame;
}

static bool add_chunk(void *user, const struct ps_chunk *chunk)
{
    struct reader *r = user;

    if (chunk->track >= r->stacks->n_tracks || r->stacks->is_left_out[chunk->track])
        return true;
    r->is_too_large =
        r->calls.n + r->call_lines.n + r->lines.n + r->at_leaf.n + r->packages.n > NODES_MAX;
    if (r->is_too_large)
        return false;
    if (chunk->track != r->track)
        close_frames(r, 0);
    r->track = chunk->track;
    for (uint32_t i = 0; i < chunk->n; i++) {
        int64_t depth = ps_chunk_value(chunk, PS_COL_DEPTH, i),
                text = ps_chunk_value(chunk, PS_COL_NAME, i),
                self = ps_chunk_value(chunk, PS_COL_SELF, i);

        if (!ps_stack_function(r->stacks->frames, text))
            continue;
        if (depth >= 0 && (uint64_t)depth < r->n)
            close_frames(r, (size_t)depth);
        if (r->n >= DEPTH_MAX)
            continue;
        open_frame(r, (uint32_t)text, (uint8_t)ps_chunk_value(chunk, PS_COL_FAMILY, i));
        if (self > 0)
            add_stack(r, self * r->sign);
    }
    return true;
}

/* --- Sums --- */

static int64_t line_of(const struct reader *r, uint32_t text)
{
    return ps_frame_name_parse(ps_trace_text(r->stacks->db, text)).line;
}

static double sum_of(const struct ps_timed_function *unit)
{
    double sum = 0;

    for (size_t i = 0; i < PS_N_TIME_CLASSES; i++)
        sum += unit->time.s[i];
    return sum;
}

/* Sets the line of each function to the one with most of its time, unless lines are those of the
 * `def`. */
static void set_lines(struct reader *r)
{
    int64_t *most = ps_alloc_array(r->out->n_functions + 1, sizeof *most);

    for (size_t i = 0; i < r->lines.n; i++) {
        const struct ps_tree_node *node = &r->lines.nodes[i];

        if (node->total <= most[node->parent])
            continue;
        most[node->parent] = node->total;
        r->out->functions[node->parent].line = line_of(r, node->key);
        r->out->functions[node->parent].at_one_line =
            (double)node->total / r->stacks->scale >=
            AT_ONE_LINE * sum_of(&r->out->functions[node->parent]);
    }
    free(most);
}

static void set_calls(struct reader *r)
{
    struct ps_own_time *out = r->out;
    int64_t *most = ps_alloc_array(r->calls.n + 1, sizeof *most);

    for (size_t i = 0; i < r->calls.n; i++) {
        const struct ps_tree_node *node = &r->calls.nodes[i];

        PS_RESERVE_ONE(out->calls, out->n_calls, out->cap_calls);
        out->calls[out->n_calls++] =
            (struct ps_timed_call){.caller = node->parent,
                                   .callee = node->key,
                                   .ncalls = node->count,
                                   .cumulative_s = (double)node->total / r->stacks->scale,
                                   .charged_s = (double)node->self / r->stacks->scale};
    }
    for (size_t i = 0; i < r->call_lines.n; i++) {
        const struct ps_tree_node *node = &r->call_lines.nodes[i];

        if (node->total <= most[node->parent])
            continue;
        most[node->parent] = node->total;
        out->calls[node->parent].line = line_of(r, node->key);
    }
    free(most);
}

/* The callee of a unit with the longest calls, or NULL. */
static const struct ps_timed_call *longest_call(const struct ps_own_time *out, uint32_t unit)
{
    const struct ps_timed_call *found = NULL;

    for (size_t i = 0; i < out->n_calls; i++)
        if (out->calls[i].caller == unit &&
            (!found || out->calls[i].cumulative_s > found->cumulative_s))
            found = &out->calls[i];
    return found;
}

/* By line, so that those of one line stand together. */
static int by_parent(const void *a, const void *b)
{
    const struct ps_tree_node *x = a, *y = b;

    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    return (x->key > y->key) - (x->key < y->key);
}

/* Several threads that are at one line of own code much of their time, without a frame below it,
 * wait there for a lock if the same function calls what one thread at a time does: each of n
 * threads waits while the n - 1 others have the lock. */
static void find_lock(struct reader *r)
{
    struct ps_own_time *out = r->out;
    struct ps_tree_node *nodes = r->at_leaf.nodes;
    uint32_t text = 0;
    double waiting_s = 0, longest_s = 0;
    size_t together = 0;
    const struct ps_timed_call *held;
    struct ps_timed_function *unit;
    size_t threads = 0;

    if (r->at_leaf.n)
        qsort(nodes, r->at_leaf.n, sizeof *nodes, by_parent);
    for (size_t i = 0, k; i < r->at_leaf.n; i = k) {
        double sum = 0;
        size_t n = 0, most = 0;

        for (k = i; k < r->at_leaf.n && nodes[k].parent == nodes[i].parent; k++) {
            double s = (double)nodes[k].total / r->stacks->scale;

            sum += s;
            n += s >= AT_LOCK * r->track_s[nodes[k].key];
            most += s > r->track_s[nodes[k].key] / 2;
        }
        if (n < 2 || sum <= longest_s)
            continue;
        text = nodes[i].parent;
        longest_s = waiting_s = sum;
        threads = n;
        together = most;
    }
    if (!text)
        return;
    unit = &out->functions[out->functions[ps_stack_function(r->stacks->frames, text)].unit];
    held = longest_call(out, unit->unit);
    if (!held || held->cumulative_s < HOLDER_SHARE * waiting_s / (double)(threads - 1)) {
        out->n_together = together > 1 ? together : 0;
        out->together = unit->unit;
        out->together_line = line_of(r, text);
        return;
    }
    unit->time.s[r->stacks->waits->kinds[text].wait] -=
        waiting_s; /* PS_TIME_WORK: it was not known to wait */
    unit->time.s[PS_TIME_LOCK] += waiting_s;
    unit->own_s -= waiting_s;
    out->locked = unit->unit;
    out->lock_holder = held->callee;
    out->lock_line = line_of(r, text);
    out->n_locked = threads;
}

/* The package that more than half of the time enters first; {NULL, 0}: none. */
static struct ps_str main_package(const struct reader *r)
{
    struct ps_str best = {NULL, 0};
    double lead = 0, sum = 0;

    /* a vote of the majority: what is left after pairing different packages is it, if any is */
    for (size_t i = 0; i < r->packages.n; i++) {
        const struct ps_tree_node *node = &r->packages.nodes[i];
        struct ps_str package = node->key ? ps_timed_function_package(&r->out->functions[node->key])
                                          : (struct ps_str){"", 0};

        if (ps_str_eq(package, best))
            lead += (double)node->total;
        else if (lead >= (double)node->total)
            lead -= (double)node->total;
        else {
            best = package;
            lead = (double)node->total - lead;
        }
    }
    for (size_t i = 0; i < r->packages.n && best.len; i++) {
        const struct ps_tree_node *node = &r->packages.nodes[i];

        if (node->key && ps_str_eq(ps_timed_function_package(&r->out->functions[node->key]), best))
            sum += (double)node->total / r->stacks->scale;
    }
    return sum > r->out->total_s / 2 ? best : (struct ps_str){NULL, 0};
}

/* Of a difference of profiles, shares are of all that grew: what shrank does not count against it.
 */
static void count_growth(struct ps_own_time *out)
{
    out->imports_s = fmax(0, out->imports_s);
    out->remainder_s = fmax(0, out->remainder_s);
    out->total_s = out->imports_s + out->remainder_s;
    for (size_t i = 0; i < out->n_functions; i++)
        out->total_s += fmax(0, out->functions[i].charged_s);
}

/* Charges the stacks of tracks; sign: of their weights. */
static enum ps_status read_tracks(struct reader *r, const struct ps_track_set *tracks, int sign,
                                  struct ps_err *err)
{
    const struct ps_chunk_query query = {
        .range = PS_RANGE_ALL,
        .tracks = tracks,
        .columns = PS_COL_BIT(PS_COL_SELF) | PS_COL_BIT(PS_COL_DEPTH) | PS_COL_BIT(PS_COL_NAME) |
                   PS_COL_BIT(PS_COL_FAMILY),
    };

    r->sign = sign;
    if (ps_trace_each_chunk(r->stacks->db, &query, add_chunk, r, err) == PS_OK)
        close_frames(r, 0);
    return err->code;
}

static enum ps_status charge(const struct ps_stack_time *stacks, struct ps_str *program,
                             struct ps_own_time *out, struct ps_stack_time_rest *rest,
                             bool *is_charged, struct ps_err *err)
{
    PS_AUTO(reader_free)
    struct reader r = {.stacks = stacks, .out = out, .rest = rest, .program = *program};
    double own_s = 0;

    *rest = (struct ps_stack_time_rest){.no_frame_s = 0};
    *out = (struct ps_own_time){.is_sampled = !stacks->has_calls,
                                .has_def_lines = stacks->has_def_lines,
                                .n_functions = stacks->frames->n};
    for (uint32_t id = 1; id < stacks->frames->n && !r.has_importers; id++)
        r.has_importers = ps_str_find(ps_trace_text(stacks->db, id), PS_STR("<frozen importlib"));
    out->functions = ps_alloc_array(out->n_functions + 1, sizeof *out->functions);
    r.n_open = ps_alloc_array(out->n_functions + 1, sizeof *r.n_open);
    r.depths = ps_alloc_array(out->n_functions + 1, sizeof *r.depths);
    r.track_s = ps_alloc_array(stacks->n_tracks + 1, sizeof *r.track_s);
    if (read_tracks(&r, stacks->tracks, stacks->sign, err) != PS_OK)
        return err->code;
    if (stacks->negated->n && read_tracks(&r, stacks->negated, -stacks->sign, err) != PS_OK)
        return err->code;
    *is_charged = false;
    if (r.is_too_large)
        return PS_OK;
    if (!stacks->has_def_lines)
        set_lines(&r);
    set_calls(&r);
    if (stacks->finds_locks)
        find_lock(&r);
    ps_own_time_finish(out);
    for (size_t i = 0; i < out->n_functions; i++) {
        if (out->functions[i].charged_s > 0)
            out->functions[i].depth = r.depths[i] / out->functions[i].charged_s;
        own_s += out->functions[i].charged_s;
    }
    if (stacks->negated->n)
        count_growth(out);
    *is_charged = own_s + out->imports_s >= PS_OWN_SHARE * out->total_s && out->total_s > 0;
    *program = own_s < PS_OWN_SHARE * out->total_s && out->remainder_s > out->total_s / 2
                   ? main_package(&r)
                   : (struct ps_str){NULL, 0};
    return PS_OK;
}

enum ps_status ps_stack_time_read(const struct ps_stack_time *stacks, struct ps_own_time *out,
                                  struct ps_stack_time_rest *rest, bool *is_charged,
                                  struct ps_err *err)
{
    struct ps_str program = {NULL, 0};

    if (charge(stacks, &program, out, rest, is_charged, err) != PS_OK || !program.ptr)
        return err->code;
    ps_own_time_free(out);
    return charge(stacks, &program, out, rest, is_charged, err);
}
