/* SPDX-License-Identifier: MIT */
/*
 * torch.c: computes PyTorch's view of host tracks: its tree of events, self times, memory sums and
 * FLOPs. Calls the functions of torch.h for each track.
 */
#include <stdlib.h>

#include "importers/trace/graphs.h"
#include "importers/trace/import_state.h"
#include "importers/trace/steps.h"
#include "importers/trace/torch.h"
#include "importers/trace/track.h"

struct flops;

/* An operator or overhead of a host track that is open while the tree is built. Device work is
 * attributed to open events. */
struct open_event {
    uint32_t row; /* row of the operator; for an overhead the row around it; TR_NO_ROW: none */
    uint32_t op;  /* innermost operator at or around this entry; TR_NO_ROW: none */
    int64_t end;
    struct overhead *overhead; /* NULL: the event is the operator `row` */
};

struct overhead {
    int64_t start, end;
    int64_t self; /* ns; final once the host track was read */
    const struct tr_thread *thread;
};

/* Overheads sorted by start; of equal starts the longer first. */
struct overheads {
    struct overhead *items;
    size_t n, cap;
    size_t next;                  /* index of the first overhead that is not in the tree yet */
    const struct tr_thread *host; /* the thread whose tree contains the overheads; NULL: none */
};

struct tr_torch {
    struct tr_trace *trace;
    struct tr_tracks *devices;
    struct tr_names names;
    struct tr_correlations *correlations;
    struct flops *flops;
    struct tr_memory *memory;
    struct tr_steps *steps;
    struct tr_modules *modules;
    struct overheads overheads;
    bool frames; /* Python frames are part of torch's tree (torch of 2026) */
    /* Temporary arrays while a tree is built: */
    struct open_event *stack;
    size_t stack_cap;
    uint32_t *parent;  /* parent in torch's tree, by row of the current track */
    uint8_t *children; /* by row: N_CHILDREN, IS_SCALED */
};

/* --- Overhead --- */

/*
 * Overhead of the profiler itself: "Activity Buffer Request", "Lazy Function Loading".
 *
 * In the file, overhead has a separate row that belongs to no thread. Torch assumes that overhead
 * occurred on the thread that stopped the profiler, and subtracts it from the time of the event
 * around it; perfshelf does the same. Torch of 2026 also adds the device time of the operator
 * around the overhead, which counts that time twice and was later fixed in torch; perfshelf does
 * not.
 */

/* Returns the thread that has ProfilerStep# slices, because it calls the profiler. If there is
 * none: the main thread, or NULL. */
static const struct tr_thread *host_of(const struct tr_trace *trace)
{
    const struct tr_thread *main_thread = NULL;

    for (uint32_t i = 0; i < trace->n_threads; i++) {
        const struct tr_thread *thread = &trace->threads[i];

        if (trace->import->threads[i].has_steps)
            return thread;
        if (main_thread == NULL && trace->import->threads[i].n[TR_CLASS_THREAD] &&
            thread->pid_number == thread->tid_number && thread->pid_number != INT64_MIN)
            main_thread = thread;
    }
    return main_thread;
}

struct finder {
    struct tr_trace *trace;
    struct overheads *out;
    const struct tr_thread *thread;
};

static void visit_records(void *user, const struct tr_record *records, size_t n)
{
    struct finder *finder = user;
    struct overheads *out = finder->out;

    for (size_t i = 0; i < n; i++) {
        struct overhead found = {.thread = finder->thread};

        if (finder->trace->categories[records[i].category].kind != PS_SLICE_OVERHEAD ||
            records[i].phase != 'X' || records[i].dur_or_id < 0 ||
            __builtin_sub_overflow(records[i].ts_ns, finder->trace->import->shift_ns,
                                   &found.start) ||
            __builtin_add_overflow(found.start, records[i].dur_or_id, &found.end))
            continue;
        found.self = records[i].dur_or_id;
        PS_RESERVE_ONE(out->items, out->n, out->cap);
        out->items[out->n++] = found;
    }
}

static int compare_numbers(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_start(const void *a, const void *b)
{
    const struct overhead *one = a, *other = b;
    int by = compare_numbers(one->start, other->start);

    return by ? by : compare_numbers(other->end, one->end);
}

static void find_overheads(struct tr_trace *trace, struct overheads *out)
{
    struct finder finder = {.trace = trace, .out = out};

    out->host = trace->is_torch ? host_of(trace) : NULL;
    for (uint32_t i = 0; out->host && i < trace->n_threads; i++) {
        finder.thread = &trace->threads[i];
        if (trace->import->threads[i].n[TR_CLASS_OVERHEAD])
            tr_thread_visit(trace, finder.thread, visit_records, &finder);
    }
    if (out->n)
        qsort(out->items, out->n, sizeof *out->items, by_start);
}

static bool is_row(const struct overhead *overhead, const struct tr_track *track, uint32_t row)
{
    return overhead->thread == track->thread && overhead->start == track->start[row] &&
           overhead->end - overhead->start == track->duration[row];
}

/* Sets TR_EXTRA_OP_SELF of each row of an overhead track. */
static void set_overhead_self(const struct overheads *overheads, struct tr_track *track)
{
    int64_t *self = tr_track_extra_column(track, TR_EXTRA_OP_SELF);
    size_t at = 0;

    for (uint32_t row = 0; row < track->n; row++) {
        if (track->slice_kind[row] != PS_SLICE_OVERHEAD)
            continue;
        self[row] = track->self[row];
        while (at < overheads->n && overheads->items[at].start <= track->start[row] &&
               !is_row(&overheads->items[at], track, row))
            at++;
        if (at < overheads->n && is_row(&overheads->items[at], track, row))
            self[row] = overheads->items[at++].self;
    }
}

/* --- FLOPs --- */

/*
 * Floating point operations as torch's profiler counts them (with_flops). The files do not contain
 * these numbers, so they are computed from the shapes of the arguments and, for convolutions, from
 * "Concrete Inputs" (torch 2.0 and later). All events of a template have the same value.
 */

#define DIMS_MAX 16

struct flops {
    const struct tr_trace *trace;
    int64_t *values[TR_N_FLOPS]; /* by kind and template id: value + 1; 0: not computed yet */
};

struct dims {
    int64_t items[DIMS_MAX];
    size_t n;
    bool tensor; /* the value is a list of at most DIMS_MAX numbers, not a list of lists */
};

/* Returns the value at *json, and advances *json past the comma after it, or to the closing
 * bracket. */
static struct ps_str next_value(struct ps_str *json)
{
    size_t depth = 0, i = 0;
    bool quoted = false;
    for (; i < json->len; i++) {
        char c = json->ptr[i];
        if (c == '"' && (i == 0 || json->ptr[i - 1] != '\\'))
            quoted = !quoted;
        if (quoted)
            continue;
        if (depth == 0 && (c == ',' || c == ']'))
            break;
        depth += c == '[';
        depth -= c == ']';
    }
    struct ps_str value = {json->ptr, i};
    *json = ps_str_skip(*json, i < json->len && json->ptr[i] == ',' ? i + 1 : i);
    return value;
}

/* Returns value `index` (from 0) of a list; {NULL, 0} if `list` is not a list or is too short. */
static struct ps_str list_value(struct ps_str list, size_t index)
{
    if (list.len < 2 || list.ptr[0] != '[')
        return (struct ps_str){0};
    struct ps_str rest = ps_str_skip(list, 1);
    for (size_t i = 0; rest.len > 0 && rest.ptr[0] != ']'; i++) {
        struct ps_str value = next_value(&rest);
        if (i == index)
            return value;
    }
    return (struct ps_str){0};
}

static struct ps_str trim_quotes(struct ps_str text)
{
    while (text.len && (text.ptr[0] == ' ' || text.ptr[0] == '"'))
        text = ps_str_skip(text, 1);
    while (text.len && (text.ptr[text.len - 1] == ' ' || text.ptr[text.len - 1] == '"'))
        text.len--;
    return text;
}

static struct dims read_dims(struct ps_str list)
{
    struct dims dims = {.n = 0, .tensor = list.len >= 2 && list.ptr[0] == '['};
    struct ps_str rest = ps_str_skip(list, 1);
    while (dims.tensor && rest.len > 0 && rest.ptr[0] != ']') {
        struct ps_str value = trim_quotes(next_value(&rest));
        dims.tensor = dims.n < DIMS_MAX && ps_str_parse_i64(value, &dims.items[dims.n]) &&
                      dims.items[dims.n] >= 0;
        dims.n += dims.tensor;
    }
    return dims;
}

/* Returns a * b; -1: a factor is negative, or overflow. */
static int64_t multiply(int64_t a, int64_t b)
{
    int64_t product;
    return a < 0 || b < 0 || __builtin_mul_overflow(a, b, &product) ? -1 : product;
}

static int64_t product_of(const struct dims *dims)
{
    int64_t product = 1;
    for (size_t i = 0; i < dims->n; i++)
        product = multiply(product, dims->items[i]);
    return product;
}

static int64_t matrix_product(const struct dims *a, const struct dims *b, bool batched)
{
    size_t least = batched ? 3 : 2;
    if (a->n < least || b->n < least)
        return 0;
    int64_t inner = a->items[a->n - 1], batch = batched ? a->items[0] : 1;
    if (inner == 0 || batch == 0)
        return 0;
    int64_t left = product_of(a);
    return left < 0 ? 0 : multiply(2, multiply(left / inner / batch, product_of(b)));
}

struct convolution {
    int64_t stride[2], pad[2], dilation[2], groups;
};

/* Reads one or two numbers from concrete input `index`; a single number is used for both axes.
 * False: a number is missing or below `least`. */
static bool read_pair(struct ps_str concrete, size_t index, int64_t least, int64_t out[2])
{
    struct dims dims = read_dims(trim_quotes(list_value(concrete, index)));
    if (!dims.tensor || dims.n == 0)
        return false;
    out[0] = dims.items[0];
    out[1] = dims.n > 1 ? dims.items[1] : dims.items[0];
    return out[0] >= least && out[1] >= least;
}

static bool convolution_of(struct ps_str concrete, struct convolution *out)
{
    return read_pair(concrete, 3, 1, out->stride) && read_pair(concrete, 4, 0, out->pad) &&
           read_pair(concrete, 5, 0, out->dilation) &&
           ps_str_parse_i64(trim_quotes(list_value(concrete, 6)), &out->groups) && out->groups > 0;
}

/* Returns the number of positions of the kernel on one axis. */
static int64_t count_positions(int64_t size, int64_t kernel, const struct convolution *how,
                               int axis)
{
    int64_t span = multiply(how->dilation[axis], kernel - 1);
    int64_t padded = multiply(2, how->pad[axis]);
    if (kernel < 1 || span < 0 || padded < 0 || __builtin_add_overflow(padded, size, &padded))
        return 0;
    return padded < span + 1 ? 0 : (padded - span - 1) / how->stride[axis] + 1;
}

static int64_t convolution_flops(const struct dims *input, const struct dims *weight,
                                 struct ps_str concrete)
{
    struct convolution how;
    if (input->n != 4 || weight->n != 4 || !convolution_of(concrete, &how))
        return 0;
    int64_t out = multiply(count_positions(input->items[2], weight->items[2], &how, 0),
                           count_positions(input->items[3], weight->items[3], &how, 1));
    int64_t kernel = multiply(weight->items[2], weight->items[3]);
    int64_t flops = multiply(multiply(2, input->items[0]), multiply(out, kernel));
    flops = multiply(flops, multiply(input->items[1], weight->items[0]));
    return flops < 0 ? 0 : flops / how.groups;
}

static int64_t compute_flops(const struct tr_trace *trace, enum tr_flops_kind kind,
                             const struct tr_template *template)
{
    struct ps_str shapes = tr_text_of_id(trace, template->shapes);
    size_t at = kind == TR_FLOPS_ADDMM || kind == TR_FLOPS_BADDBMM ? 1 : 0;
    struct dims first = read_dims(list_value(shapes, at));
    if (!first.tensor)
        return 0;
    if (kind == TR_FLOPS_ELEMENT)
        return product_of(&first);
    struct dims second = read_dims(list_value(shapes, at + 1));
    if (!second.tensor)
        return 0;
    if (kind == TR_FLOPS_CONV2D)
        return convolution_flops(
            &first, &second, ps_template_value(template->text, PS_STR("Concrete Inputs"), false));
    return matrix_product(&first, &second, kind == TR_FLOPS_BMM || kind == TR_FLOPS_BADDBMM);
}

static struct flops *new_flops(const struct tr_trace *trace)
{
    struct flops *flops = ps_alloc(sizeof *flops);
    flops->trace = trace;
    return flops;
}

/* Returns the floating point operations of an operator; 0: none or unknown. */
static int64_t flops_of(struct flops *flops, enum tr_flops_kind kind, uint32_t template_id)
{
    const struct tr_trace *trace = flops->trace;
    if (kind == TR_FLOPS_NONE || template_id >= trace->n_templates ||
        trace->templates[template_id].shapes == 0)
        return 0;
    if (flops->values[kind] == NULL)
        flops->values[kind] = ps_alloc_array(trace->n_templates, sizeof *flops->values[kind]);
    int64_t *known = &flops->values[kind][template_id];
    if (*known == 0) {
        int64_t value = compute_flops(trace, kind, &trace->templates[template_id]);
        *known = value < 0 || value == INT64_MAX ? 1 : value + 1;
    }
    return *known - 1;
}

static void free_flops(struct flops *flops)
{
    if (flops == NULL)
        return;
    for (size_t i = 0; i < TR_N_FLOPS; i++)
        free(flops->values[i]);
    free(flops);
}

/* --- The tree of a host track --- */

/*
 * Torch's own tree of the events of a thread differs from the tree of the timeline: it contains
 * neither Python frames (but see tr_torch.frames) nor names that torch hides, and an event that
 * partly overlaps another becomes its sibling. Events are inserted in order of start, the longer
 * first. An event is the child of the innermost open event that contains it. Then an only child
 * with the name of its parent is merged into the parent, repeatedly. Children follow their parents,
 * so one pass from the end is enough.
 */

#define NOT_IN_TREE (TR_NO_ROW - 1)

/* Parts of torch.children: the number of children, 2 and 3: two or more; and a flag: the FLOPs of
 * the row were multiplied by the replays of its graph. */
#define N_CHILDREN 3
#define IS_SCALED  4

static void add_wrapping(int64_t *to, int64_t value)
{
    *to = (int64_t)((uint64_t)*to + (uint64_t)value);
}

static void subtract_wrapping(int64_t *from, int64_t value)
{
    *from = (int64_t)((uint64_t)*from - (uint64_t)value);
}

static bool is_python(const struct tr_track *track, uint32_t row)
{
    return track->slice_kind[row] == PS_SLICE_PYTHON;
}

static bool is_named(const struct tr_track *track, uint32_t row)
{
    return track->slice_kind[row] == PS_SLICE_OP || track->slice_kind[row] == PS_SLICE_ANNOTATION;
}

/* Sets the family of a row and the flags that depend only on its name. */
static void visit_name(struct tr_torch *torch, struct tr_track *track, uint32_t row)
{
    struct tr_name name = tr_name_properties(&torch->names, track->name_id[row]);
    bool plain = track->slice_kind[row] == PS_SLICE_ANNOTATION && name.family != PS_FAMILY_DATA &&
                 name.family != PS_FAMILY_COMMUNICATION;
    track->family[row] = plain ? PS_FAMILY_ANNOTATION : name.family;
    if (name.flags & TR_NAME_HIDDEN)
        track->flags[row] |= PS_SLICE_HIDDEN;
    if (name.flags & TR_NAME_COLLECTIVE)
        track->flags[row] |= PS_SLICE_COLLECTIVE;
}

static bool is_nvtx(const struct tr_track *track, uint32_t row)
{
    return track->slice_kind[row] == PS_SLICE_NVTX;
}

/* Sets the family of an NVTX range. The program chooses the name of the range, or torch's emit_nvtx
 * uses the name of an operator. */
static void visit_range(struct tr_torch *torch, struct tr_track *track, uint32_t row)
{
    uint8_t family = tr_name_properties(&torch->names, track->name_id[row]).family;

    track->family[row] = family == PS_FAMILY_RUNTIME ? PS_FAMILY_ANNOTATION : family;
}

static bool is_candidate(const struct tr_torch *torch, const struct tr_track *track, uint32_t row)
{
    if (track->flags[row] & (PS_SLICE_HIDDEN | PS_SLICE_INSTANT))
        return false;
    return is_named(track, row) || is_nvtx(track, row) ||
           track->slice_kind[row] == PS_SLICE_RUNTIME || (torch->frames && is_python(track, row));
}

/* Returns the number of open events that contain [start, end). */
static size_t count_enclosing(const struct open_event *stack, size_t depth, int64_t start,
                              int64_t end)
{
    while (depth > 0 && (start >= stack[depth - 1].end || end > stack[depth - 1].end))
        depth--;
    return depth;
}

/* Whether a collective ends only when its work ends. Torch has a flag for this property, which is
 * not in the file, so it is derived from the name. True for the annotations of collectives; for
 * operators (torch before 1.11) only if the backend ends them on a separate thread. */
static bool is_async(struct tr_torch *torch, const struct tr_track *track, uint32_t row)
{
    if (!(track->flags[row] & PS_SLICE_COLLECTIVE))
        return false;
    int flags = tr_name_properties(&torch->names, track->name_id[row]).flags;
    bool is_op = track->slice_kind[row] == PS_SLICE_OP && !torch->trace->is_autograd;
    return flags & (is_op ? TR_NAME_HOST_WORK : TR_NAME_WORK);
}

/* Adds the time of device work that the row launched to operator `op`. */
static void attribute_time(struct tr_track *track, uint32_t op, int64_t ns)
{
    if (op == TR_NO_ROW || ns == 0)
        return;
    add_wrapping(&tr_track_extra_column(track, TR_EXTRA_DEVICE_SELF)[op], ns);
    add_wrapping(&tr_track_extra_column(track, TR_EXTRA_DEVICE_TOTAL)[op], ns);
}

/* The FLOPs of the operators around a recorded call are those of all its replays. An operator may
 * have several recorded calls. */
static void scale_flops(struct tr_torch *torch, struct tr_track *track, uint32_t op,
                        int64_t replays)
{
    int64_t *flops = track->extra[TR_EXTRA_FLOPS];

    for (; flops && op < NOT_IN_TREE; op = torch->parent[op]) {
        if (!flops[op] || torch->children[op] & IS_SCALED)
            continue;
        torch->children[op] |= IS_SCALED;
        if (__builtin_mul_overflow(flops[op], replays, &flops[op]))
            flops[op] = INT64_MAX;
    }
}

static void visit_runtime(struct tr_torch *torch, struct tr_track *track, uint32_t row, uint32_t op)
{
    struct tr_graph_replays recorded =
        tr_correlations_attribute_recorded(torch->correlations, track, row, op);

    attribute_time(track, op, tr_correlations_attribute(torch->correlations, track, row, op));
    attribute_time(track, op, recorded.ns);
    if (recorded.n > 1)
        scale_flops(torch, track, op, recorded.n);
}

static void visit_op(struct tr_torch *torch, struct tr_track *track, uint32_t row)
{
    struct tr_name name = tr_name_properties(&torch->names, track->name_id[row]);
    if (name.flops_kind) {
        int64_t flops = flops_of(torch->flops, name.flops_kind, track->template[row]);
        if (flops)
            tr_track_extra_column(track, TR_EXTRA_FLOPS)[row] = flops;
    }
    if (tr_correlations_has_orphans(torch->correlations))
        attribute_time(track, row,
                       tr_correlations_attribute_orphans(torch->correlations, track, row));
}

static size_t push_open(struct tr_torch *torch, size_t open, struct open_event event)
{
    PS_RESERVE_ONE(torch->stack, open, torch->stack_cap);
    torch->stack[open] = event;
    return open + 1;
}

/* Adds the overheads of the profiler that begin before `row` (track->n: all) to the tree, and
 * subtracts their time from the event around them. Returns the number of open events. */
static size_t enter_overheads(struct tr_torch *torch, struct tr_track *track, size_t open,
                              uint32_t row)
{
    struct overheads *all = &torch->overheads;
    for (; all->next < all->n; all->next++) {
        struct overhead *it = &all->items[all->next];
        struct open_event event = {TR_NO_ROW, TR_NO_ROW, it->end, it};
        if (row < track->n &&
            (it->start > track->start[row] ||
             (it->start == track->start[row] && it->end < it->start + track->duration[row])))
            break;
        open = count_enclosing(torch->stack, open, it->start, it->end);
        if (open > 0) {
            const struct open_event *around = &torch->stack[open - 1];
            event.row = around->row;
            event.op = around->op;
            subtract_wrapping(around->overhead
                                  ? &around->overhead->self
                                  : &tr_track_extra_column(track, TR_EXTRA_OP_SELF)[around->row],
                              it->end - it->start);
        }
        if (event.row != TR_NO_ROW)
            torch->children[event.row] |= 2;
        open = push_open(torch, open, event);
    }
    return open;
}

/* Makes the row a child of `around`. fold_row subtracts the time of the row from its parent. */
static void join_row(struct tr_torch *torch, struct tr_track *track,
                     const struct open_event *around, uint32_t row)
{
    uint32_t parent = torch->parent[row] = around->row;
    if (parent != TR_NO_ROW)
        torch->children[parent] |= torch->children[parent] & N_CHILDREN ? 2 : 1;
    if (around->overhead == NULL)
        return;
    subtract_wrapping(&around->overhead->self, track->duration[row]);
    /* the time of the row was already subtracted, as part of the overhead */
    if (parent != TR_NO_ROW)
        add_wrapping(&tr_track_extra_column(track, TR_EXTRA_OP_SELF)[parent], track->duration[row]);
}

/* Adds the row to the tree, as a child of the innermost of the `open` events. Returns the new
 * number of open events. */
static size_t enter_row(struct tr_torch *torch, struct tr_track *track, size_t open, uint32_t row)
{
    uint32_t op = TR_NO_ROW;
    torch->parent[row] = TR_NO_ROW;
    if (open > 0) {
        op = torch->stack[open - 1].op;
        join_row(torch, track, &torch->stack[open - 1], row);
    }
    if (track->slice_kind[row] == PS_SLICE_RUNTIME)
        visit_runtime(torch, track, row, op);
    if (track->slice_kind[row] == PS_SLICE_OP) {
        visit_op(torch, track, row);
        op = row;
    } else if (is_nvtx(track, row)) {
        op = row;
    }
    return push_open(torch, open,
                     (struct open_event){row, op, track->start[row] + track->duration[row], NULL});
}

static void build_tree(struct tr_torch *torch, struct tr_track *track)
{
    int64_t *self = tr_track_extra_column(track, TR_EXTRA_OP_SELF);
    bool is_host = track->thread && track->thread == torch->overheads.host;
    size_t depth = 0;
    for (uint32_t row = 0; row < track->n; row++) {
        tr_scratch_count_row(track->scratch, row);
        torch->parent[row] = NOT_IN_TREE;
        torch->children[row] = 0;
        if (is_named(track, row))
            visit_name(torch, track, row);
        else if (is_nvtx(track, row))
            visit_range(torch, track, row);
        else
            track->family[row] = is_python(track, row) ? PS_FAMILY_PYTHON : PS_FAMILY_RUNTIME;
        if (!is_candidate(torch, track, row))
            continue;
        if (is_async(torch, track, row)) {
            track->flags[row] |= PS_SLICE_ASYNC;
            continue;
        }
        if (is_host)
            depth = enter_overheads(torch, track, depth, row);
        depth = count_enclosing(torch->stack, depth, track->start[row],
                                track->start[row] + track->duration[row]);
        self[row] = track->duration[row];
        depth = enter_row(torch, track, depth, row);
    }
    if (is_host)
        (void)enter_overheads(torch, track, depth, track->n);
}

/* Sets the total and self bytes of one kind of memory; fold_row subtracts the bytes of children
 * from self. Few tracks have memory columns, so the columns are created on first use. */
static void set_bytes(struct tr_track *track, uint32_t row, int64_t bytes, bool in_tree,
                      enum tr_extra_column total, enum tr_extra_column self)
{
    if (bytes == 0)
        return;
    tr_track_extra_column(track, total)[row] = bytes;
    tr_track_extra_column(track, self)[row] = in_tree ? bytes : 0;
}

static void sum_memory(struct tr_torch *torch, struct tr_track *track)
{
    for (uint32_t row = 0; row < track->n; row++) {
        tr_scratch_count_row(track->scratch, row);
        bool in_tree = torch->parent[row] != NOT_IN_TREE;
        if (!in_tree && !(track->flags[row] & PS_SLICE_ASYNC))
            continue;
        struct tr_memory_sums sums = tr_memory_sum(torch->memory, track->start[row],
                                                   track->start[row] + track->duration[row]);
        set_bytes(track, row, sums.cpu, in_tree, TR_EXTRA_CPU_BYTES, TR_EXTRA_CPU_BYTES_SELF);
        set_bytes(track, row, sums.accelerator, in_tree, TR_EXTRA_DEVICE_BYTES,
                  TR_EXTRA_DEVICE_BYTES_SELF);
    }
}

/* Subtracts a child's total from the self value of its parent; for a merged child, also adds the
 * child's self value. */
static void fold_self(int64_t *self, int64_t child_total, uint32_t parent, uint32_t row,
                      bool merged)
{
    add_wrapping(&self[parent], merged ? self[row] : 0);
    subtract_wrapping(&self[parent], child_total);
}

/* Whether torch uses the same name for both rows; all steps have one name. */
static bool same_name(struct tr_torch *torch, const struct tr_track *track, uint32_t a, uint32_t b)
{
    if (is_python(track, a) || is_python(track, b) || is_nvtx(track, a))
        return false;
    if (track->name_id[a] == track->name_id[b])
        return true;
    return track->slice_kind[a] == PS_SLICE_ANNOTATION &&
           track->slice_kind[b] == PS_SLICE_ANNOTATION &&
           tr_name_properties(&torch->names, track->name_id[a]).flags &
               tr_name_properties(&torch->names, track->name_id[b]).flags & TR_NAME_STEP;
}

static void fold_row(struct tr_torch *torch, struct tr_track *track, uint32_t row)
{
    uint32_t parent = torch->parent[row];
    int64_t **extra = track->extra;
    bool merged =
        (torch->children[parent] & N_CHILDREN) == 1 && same_name(torch, track, row, parent);
    if (merged) {
        track->flags[row] |= PS_SLICE_MERGED;
        torch->children[parent] = torch->children[row];
    }
    fold_self(extra[TR_EXTRA_OP_SELF], track->duration[row], parent, row, merged);
    if (extra[TR_EXTRA_DEVICE_TOTAL]) {
        add_wrapping(&extra[TR_EXTRA_DEVICE_TOTAL][parent], extra[TR_EXTRA_DEVICE_TOTAL][row]);
        add_wrapping(&extra[TR_EXTRA_DEVICE_SELF][parent],
                     merged ? extra[TR_EXTRA_DEVICE_SELF][row] : 0);
    }
    if (extra[TR_EXTRA_CPU_BYTES])
        fold_self(extra[TR_EXTRA_CPU_BYTES_SELF], extra[TR_EXTRA_CPU_BYTES][row], parent, row,
                  merged);
    if (extra[TR_EXTRA_DEVICE_BYTES])
        fold_self(extra[TR_EXTRA_DEVICE_BYTES_SELF], extra[TR_EXTRA_DEVICE_BYTES][row], parent, row,
                  merged);
}

/* Iterates from the end, so that all descendants of a row are final before the row. */
static void fold_rows(struct tr_torch *torch, struct tr_track *track)
{
    for (uint32_t row = track->n; row-- > 0;) {
        if (torch->parent[row] < NOT_IN_TREE)
            fold_row(torch, track, row);
        if (is_python(track, row))
            track->extra[TR_EXTRA_OP_SELF][row] = 0; /* torch's tables have no Python frames */
        tr_scratch_count_row(track->scratch, row);
    }
}

/* Fills self times, merged and hidden flags, device and memory sums and FLOPs of a host track. */
static void read_tree(struct tr_torch *torch, struct tr_track *track)
{
    if (track->n == 0)
        return;
    torch->parent = tr_scratch_grow(track->scratch, NULL, track->n, sizeof *torch->parent);
    torch->children = tr_scratch_grow(track->scratch, NULL, track->n, sizeof *torch->children);
    build_tree(torch, track);
    if (tr_memory_has_records(torch->memory) && torch->trace->is_torch)
        sum_memory(torch, track);
    fold_rows(torch, track);
    /* free the arrays now, because the next stages need much memory */
    tr_scratch_free(track->scratch, torch->parent);
    tr_scratch_free(track->scratch, torch->children);
    torch->parent = NULL;
    torch->children = NULL;
}

static void free_tree(struct tr_torch *torch)
{
    free(torch->stack);
}

/* --- Tracks --- */

/* Whether Python frames name their callers, as torch of 2026 writes them; its tree contains Python
 * frames. */
static bool has_call_from(const struct tr_trace *trace)
{
    for (uint32_t i = 0; i < trace->n_templates; i++) {
        if (trace->templates[i].has_call_from)
            return true;
    }
    return false;
}

struct tr_torch *tr_torch_begin(struct tr_trace *trace, struct tr_tracks *devices,
                                const struct tr_tracks *hosts)
{
    struct tr_torch *torch = ps_alloc(sizeof *torch);
    torch->trace = trace;
    torch->devices = devices;
    torch->names.trace = trace;
    torch->frames = has_call_from(trace);
    torch->memory = tr_memory_get(trace);
    tr_normalise_shapes(trace);
    torch->flops = new_flops(trace);
    torch->correlations = tr_correlations_new(trace, devices, hosts);
    find_overheads(trace, &torch->overheads);
    torch->steps = tr_steps_new(trace);
    torch->modules = tr_modules_new(trace);
    return torch;
}

/* Makes all slices operators, because the export of torch.autograd.profiler has no categories. */
static void name_autograd(struct tr_track *track)
{
    for (uint32_t row = 0; row < track->n; row++) {
        tr_scratch_count_row(track->scratch, row);
        if (track->slice_kind[row] == PS_SLICE_OTHER)
            track->slice_kind[row] = PS_SLICE_OP;
    }
}

/* Sets family and self times of an overhead track, whose rows are in the tree of another track. */
static void overhead(const struct tr_torch *torch, struct tr_track *track)
{
    for (uint32_t row = 0; row < track->n; row++)
        track->family[row] = PS_FAMILY_RUNTIME;
    set_overhead_self(&torch->overheads, track);
}

enum ps_status tr_torch_add_host_track(struct tr_torch *torch, struct tr_track *track)
{
    if (torch->trace->is_autograd)
        name_autograd(track);
    if (track->kind == PS_TRACK_THREAD)
        read_tree(torch, track);
    else if (track->kind == PS_TRACK_OVERHEAD)
        overhead(torch, track);
    tr_steps_add_track(torch->steps, track);
    tr_modules_add_track(torch->modules, track);
    return PS_OK;
}

/* Sets family and flags of a device slice. Device work whose operator is known already has the
 * family of the operator. */
static void set_device_family(struct tr_torch *torch, struct tr_track *track, uint32_t row)
{
    uint8_t kind = track->slice_kind[row], *family = &track->family[row];
    struct tr_name name = tr_name_properties(&torch->names, track->name_id[row]);
    if (kind == PS_SLICE_KERNEL) {
        track->flags[row] |= name.flags & TR_NAME_DEVICE_COLLECTIVE ? PS_SLICE_COLLECTIVE : 0;
        track->flags[row] |= name.flags & TR_NAME_TENSOR_CORE ? PS_SLICE_TENSOR_CORE : 0;
        if (track->flags[row] & PS_SLICE_COLLECTIVE)
            *family = PS_FAMILY_COMMUNICATION;
        else if (*family == PS_FAMILY_NONE || *family == PS_FAMILY_RUNTIME ||
                 *family == PS_FAMILY_COMMUNICATION)
            *family = name.device_family; /* other work of a collective, such as a copy */
    } else if (ps_slice_on_device(kind)) {
        track->flags[row] &= (uint16_t)~PS_SLICE_COLLECTIVE;
        *family = PS_FAMILY_MEMORY;
    } else {
        *family = kind == PS_SLICE_GPU_ANNOTATION ? PS_FAMILY_ANNOTATION : PS_FAMILY_RUNTIME;
    }
}

static void add_work(struct tr_work_sums *sums, const struct tr_track *track, uint32_t row)
{
    const int64_t *op = track->extra[TR_EXTRA_OP];
    int64_t ns = track->duration[row];

    if (!ps_slice_on_device(track->slice_kind[row]))
        return;
    add_wrapping(&sums->all, ns);
    add_wrapping(&sums->with_operator, op && op[row] ? ns : 0);
    add_wrapping(&sums->replayed, track->flags[row] & PS_SLICE_REPLAYED ? ns : 0);
    add_wrapping(&sums->by_order, track->flags[row] & PS_SLICE_OP_BY_ORDER ? ns : 0);
    add_wrapping(&sums->by_node, track->flags[row] & PS_SLICE_OP_BY_NODE ? ns : 0);
}

enum ps_status tr_torch_add_device_track(struct tr_torch *torch, struct tr_track *track)
{
    /* all host tracks were read, so all device work is attributed */
    tr_correlations_free(torch->correlations);
    torch->correlations = NULL;
    for (uint32_t row = 0; row < track->n; row++) {
        if (track->extra[TR_EXTRA_OP] && track->extra[TR_EXTRA_OP][row] < 0)
            tr_set_recorded_op(torch->trace, track, row);
        set_device_family(torch, track, row);
        add_work(&torch->trace->import->work, track, row);
        tr_scratch_count_row(track->scratch, row);
    }
    tr_steps_add_track(torch->steps, track);
    return PS_OK;
}

enum ps_status tr_torch_end(struct tr_torch *torch)
{
    enum ps_status status = tr_steps_end(torch->steps);
    return status == PS_OK ? tr_modules_end(torch->modules) : status;
}

void tr_torch_free(struct tr_torch *torch)
{
    if (torch == NULL)
        return;
    tr_steps_free(torch->steps);
    tr_modules_free(torch->modules);
    tr_correlations_free(torch->correlations);
    free_flops(torch->flops);
    free_tree(torch);
    free(torch->overheads.items);
    free(torch->names.properties);
    free(torch);
}
