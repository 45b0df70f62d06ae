/* SPDX-License-Identifier: MIT */
/* host_units.c: charges slices to the functions and annotations of the program. */
#include "server/query/conclusion/host_units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/frame_name.h"
#include "base/mem.h"
#include "base/python_origin.h"
#include "server/query/trace/chosen_steps.h"
#include "server/query/trace/slice/backward_links.h"
#include "slices/args.h"

/* What the name of a slice means, by text id. */
enum meaning {
    MEANS_UNKNOWN = 0, /* not determined yet */
    MEANS_NOTHING,     /* charged to the unit around it */
    MEANS_UNIT,
    MEANS_PART,     /* of the unit around it: a comprehension */
    MEANS_PROFILER, /* with all below it: charged to no unit */
    MEANS_BACKWARD, /* with all below it: the backward pass of training */
    MEANS_WAIT,
    MEANS_ITEM /* converts a tensor to a Python number */
};

/* Of a row: what is charged with what is below it. */
struct row {
    uint32_t unit; /* index; PS_NO_UNIT: none, the profiler runs */
    uint32_t lead; /* text id of the outermost operator below the unit, else of the first slice */
    bool in_operator, in_backward, in_phase; /* in_phase: of torch.compile */
    bool is_derivative;                      /* charged to the unit of the forward pass */
    bool in_needed; /* in a matrix product, a convolution or attention, or their derivative */
};

/* A slice: what is read of it. */
struct slice {
    int64_t kind, family, template, self_ns, in_steps_ns, in_window_ns;
    uint32_t text;
    enum meaning meaning;
    bool is_small; /* takes less than PS_SMALL_NS itself, in the window or not */
};

/* A slice whose slices below are read. It is charged after them: only then is known how much of its
 * own time is in the window. */
struct open_slice {
    struct slice slice;
    struct row row, above;
    uint32_t at; /* index of the slice in its track */
    int64_t
        outside_ns; /* of its time without that of the slices below: what is not in the window */
    bool is_charged;
};

struct reader {
    struct ps_db *db;
    const struct ps_host_windows *windows;
    struct ps_host_units *units;
    uint8_t *meanings;   /* enum meaning, two of each text: see meaning_of */
    uint8_t *are_double; /* by id of a template: 0 unknown, 1 no, 2 inputs of float64 */
    size_t n_templates;
    struct row *rows; /* of the track that is read */
    size_t n_rows;
    struct open_slice *open; /* each is below the one before */
    size_t n_open, cap_open;
    struct ps_backward_links links;
    uint32_t selected;          /* index of the unit whose leads are summed, or PS_NO_UNIT */
    struct ps_unit_lead *leads; /* by text id */
};

/* Torch writes paths below a folder of sys.path without it: "json/encoder.py". */
static enum ps_origin origin_of(struct ps_str path)
{
    struct ps_str first = path;
    enum ps_origin origin;

    if (path.len && (path.ptr[0] == '/' || path.ptr[0] == '<' || ps_str_find(path, PS_STR(":\\"))))
        return path.ptr[0] == '<' ? PS_ORIGIN_BUILTIN : ps_python_file_origin(path);
    for (size_t i = 0; i < path.len; i++)
        if (path.ptr[i] == '/' || path.ptr[i] == '\\') {
            first.len = i;
            break;
        }
    if (first.len == path.len && ps_str_ends_with(path, PS_STR(".py")))
        first.len -= 3;
    if (ps_str_find(path, PS_STR("torchinductor_")))
        return PS_ORIGIN_THIRD_PARTY;
    origin = ps_python_module_origin(first);
    return origin == PS_ORIGIN_UNKNOWN ? PS_ORIGIN_OWN : origin;
}

const struct ps_known_call *ps_slice_known_call(struct ps_str text)
{
    static const char *const modules[] = {"time", "posix", "_thread", "_socket"};
    struct ps_str path, name, owner = {NULL, 0};
    const char *of;
    char full[160];
    int64_t line;

    if (ps_slice_frame_parse(text, &path, &line, &name))
        return ps_known_call_of(path, name);
    if (!ps_str_starts_with(text, PS_STR("<built-in ")))
        return NULL;
    /* "<built-in method acquire of _thread.lock object at 0x7f...>", "<built-in function sleep>" */
    name = ps_str_skip(text, ps_str_starts_with(text, PS_STR("<built-in method ")) ? 17 : 19);
    of = ps_str_find(name, PS_STR(" of "));
    if (of) {
        owner = ps_str_skip(name, (size_t)(of - name.ptr) + 4);
        name.len = (size_t)(of - name.ptr);
        for (size_t i = 0; i < owner.len; i++)
            if (owner.ptr[i] == ' ')
                owner.len = i;
        if (ps_str_ends_with(owner, PS_STR("Tensor")))
            return NULL;
        snprintf(full, sizeof full, "<method '%.*s' of '%.*s' objects>", (int)name.len, name.ptr,
                 (int)owner.len, owner.ptr);
        return ps_known_call_of(PS_STR("~"), ps_str_from_c(full));
    }
    if (name.len)
        name.len--; /* > */
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
        const struct ps_known_call *known;

        snprintf(full, sizeof full, "<built-in method %s.%.*s>", modules[i], (int)name.len,
                 name.ptr);
        known = ps_known_call_of(PS_STR("~"), ps_str_from_c(full));
        if (known)
            return known;
    }
    return NULL;
}

static bool waits(struct ps_str text)
{
    const struct ps_known_call *known = ps_slice_known_call(text);

    return known && ps_time_waits(known->class);
}

static bool is_phase(struct ps_str text)
{
    return ps_str_ends_with(text, PS_STR(" (dynamo_timed)")) || ps_str_eq_c(text, "dynamo");
}

static bool is_profiler(struct ps_str text)
{
    return ps_str_starts_with(text, PS_STR("torch/profiler/")) ||
           ps_str_starts_with(text, PS_STR("torch/autograd/profiler.py")) ||
           ps_str_find(text, PS_STR("site-packages/torch/profiler/")) || is_phase(text);
}

/* The frames that start the backward pass: with a GPU its operators run on another thread. */
static bool is_backward(struct ps_str text)
{
    return ps_str_ends_with(text, PS_STR(": backward")) &&
           (ps_str_find(text, PS_STR("torch/_tensor.py(")) ||
            ps_str_find(text, PS_STR("torch/autograd/__init__.py(")));
}

static enum meaning python_meaning(struct ps_str text)
{
    struct ps_str path, name;
    int64_t line;

    if (is_profiler(text))
        return MEANS_PROFILER;
    if (is_backward(text))
        return MEANS_BACKWARD;
    if (!ps_slice_frame_parse(text, &path, &line, &name) || origin_of(path) != PS_ORIGIN_OWN)
        return waits(text) ? MEANS_WAIT : MEANS_NOTHING;
    return name.len && name.ptr[0] == '<' && !ps_str_eq_c(name, "<module>") ? MEANS_PART
                                                                            : MEANS_UNIT;
}

/* Annotations that torch writes itself are none of the program. step: see struct ps_host_windows.
 */
static enum meaning annotation_meaning(struct ps_str text, const char *step)
{
    static const char *const own[] = {
        "Optimizer.",       "torch/",     "nn.Module: ", "## ",      "Torch-Compiled",
        "PyTorch Profiler", "autograd::", "aten::",      "Pregraph", "DistributedDataParallel."};

    if (is_profiler(text))
        return MEANS_PROFILER;
    if (ps_str_find(text, PS_STR(", op_id = ")))
        return MEANS_NOTHING; /* an operator of torch.autograd.profiler.emit_nvtx */
    if (ps_name_kind_of(text) != PS_NAME_OTHER || (step && ps_annotation_is_step(text, step)))
        return MEANS_NOTHING;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (ps_str_starts_with(text, ps_str_from_c(own[i])))
            return MEANS_NOTHING;
    return MEANS_UNIT;
}

static enum meaning operator_meaning(struct ps_str text)
{
    return is_profiler(text)                                           ? MEANS_PROFILER
           : ps_str_starts_with(text, PS_STR("autograd::engine::"))    ? MEANS_BACKWARD
           : ps_str_eq_c(text, "aten::_local_scalar_dense")            ? MEANS_ITEM
           : ps_str_starts_with(text, PS_STR("c10d::")) && waits(text) ? MEANS_WAIT
                                                                       : MEANS_NOTHING;
}

static bool is_annotation(int64_t kind)
{
    return kind == PS_SLICE_ANNOTATION || kind == PS_SLICE_NVTX;
}

/* The meaning of a text as the name of a slice of this kind: an operator and an annotation can have
 * the same name. */
static enum meaning meaning_of(struct reader *reader, uint32_t text, int64_t kind)
{
    uint8_t *meaning = &reader->meanings[2 * (size_t)text + (kind == PS_SLICE_OP)];
    struct ps_str name = ps_trace_text(reader->db, text);

    if (*meaning == MEANS_UNKNOWN)
        *meaning = (uint8_t)(kind == PS_SLICE_PYTHON ? python_meaning(name)
                             : is_annotation(kind) ? annotation_meaning(name, reader->windows->step)
                             : kind == PS_SLICE_OP ? operator_meaning(name)
                             : kind == PS_SLICE_OVERHEAD ? MEANS_PROFILER
                                                         : MEANS_NOTHING);
    return (enum meaning) * meaning;
}

/* Whether an input of the operator is a tensor of float64, by the template of its arguments. */
static bool is_double(struct reader *reader, int64_t template)
{
    uint8_t *state;

    if (template <= 0 || template > UINT32_MAX)
        return false;
    reader->are_double = ps_grow_to(reader->are_double, &reader->n_templates, (size_t) template,
                                    sizeof *reader->are_double);
    state = &reader->are_double[template];
    if (!*state) {
        struct ps_str types = ps_template_value(ps_trace_args_template(reader->db, template),
                                                PS_STR("Input type"), false);

        *state = ps_str_find(types, PS_STR("\"double\"")) ? 2 : 1;
    }
    return *state == 2;
}

static uint32_t unit_of(struct reader *reader, uint32_t text, bool is_annotation)
{
    struct ps_host_units *units = reader->units;
    uint32_t none = 0, *stem = &none;

    if (units->unit_of_text[text])
        return units->unit_of_text[text] - 1;
    if (is_annotation) {
        uint32_t id =
            ps_intern_add(&units->stems, ps_annotation_stem(ps_trace_text(reader->db, text)));

        units->unit_of_stem =
            ps_grow_to(units->unit_of_stem, &units->n_stems, id, sizeof *units->unit_of_stem);
        stem = &units->unit_of_stem[id];
    }
    if (!*stem) {
        PS_RESERVE_ONE(units->units, units->n, units->cap);
        units->units[units->n] = (struct ps_host_unit){
            .name = text, .is_annotation = is_annotation, .caller = PS_NO_UNIT};
        *stem = (uint32_t)++units->n;
    }
    units->units[*stem - 1].n_names++;
    units->unit_of_text[text] = *stem;
    return *stem - 1;
}

static void add_ns(int64_t *sum, int64_t ns)
{
    *sum = ps_add_saturated(*sum, ns);
}

/* Counts a call of a unit. */
static void add_call(struct ps_host_unit *unit, uint32_t index, const struct row *above, int64_t ns,
                     int64_t slice)
{
    if (above->unit == index)
        return; /* a recursion, or the frame of an annotation's name */
    if (unit->caller == PS_NO_UNIT)
        unit->caller = above->unit;
    unit->calls++;
    unit->caller_calls += unit->caller == above->unit;
    add_ns(&unit->covered_ns, ns);
    if (ns >= unit->longest_ns) {
        unit->longest_ns = ns;
        unit->longest = slice;
    }
}

static void charge(struct reader *reader, const struct row *row, const struct row *above,
                   const struct slice *slice)
{
    struct ps_host_unit *unit = &reader->units->units[row->unit];
    const bool is_operator = slice->kind == PS_SLICE_OP;
    const bool is_needed = row->in_backward || row->in_needed;

    add_ns(&unit->ns, slice->self_ns);
    unit->trains |= row->in_backward;
    unit->is_derived |= row->is_derivative;
    if (slice->meaning == MEANS_UNIT || slice->meaning == MEANS_PART)
        add_ns(&unit->own_ns, slice->self_ns);
    if (slice->meaning == MEANS_WAIT)
        add_ns(&unit->wait_ns, slice->self_ns);
    if (row->in_operator && is_needed)
        add_ns(&unit->needed_ns, slice->self_ns);
    else if (row->in_operator && slice->is_small)
        add_ns(&unit->small_ns, slice->self_ns);
    else if (row->in_operator)
        add_ns(&unit->large_ns, slice->self_ns);
    unit->n_items += slice->meaning == MEANS_ITEM;
    if (is_operator && !above->in_operator) {
        reader->units->n_operators++;
        add_ns(&reader->units->operators_ns, slice->in_window_ns);
    }
    if (is_operator && !above->in_operator && !row->is_derivative) { /* that the unit called */
        unit->n_operators++;
        add_ns(&unit->operators_ns, slice->in_window_ns);
    }
}

static void add_lead(struct reader *reader, const struct row *row, const struct row *above,
                     const struct slice *slice)
{
    struct ps_unit_lead *lead = &reader->leads[row->lead];

    if (row->unit != reader->selected || !row->lead)
        return;
    lead->name = row->lead;
    add_ns(&lead->ns, slice->self_ns);
    lead->calls += !row->is_derivative && (row->lead != above->lead || above->unit != row->unit ||
                                           (row->in_operator && !above->in_operator));
}

/* The row of the operator whose backward pass the slice is, if the operator ran earlier on the same
 * thread and the profiler did not call it; else NULL. */
static const struct row *find_forward(const struct reader *reader, uint32_t track, uint32_t at)
{
    const int64_t forward = ps_backward_links_find(&reader->links, ps_slice_id(track, at));
    const uint32_t row = (uint32_t)(forward & UINT32_MAX);

    return forward > 0 && forward >> 32 == track && row < at && reader->rows[row].unit != PS_NO_UNIT
               ? &reader->rows[row]
               : NULL;
}

/* What is charged to what, from a slice on, with all below it. row: that of the slice around it. */
static void enter_slice(struct reader *reader, struct row *row, const struct slice *slice,
                        uint32_t track, uint32_t at)
{
    const struct row *forward;

    if (slice->meaning == MEANS_UNIT) {
        row->unit = unit_of(reader, slice->text, is_annotation(slice->kind));
        row->lead = 0;
        row->in_operator = row->in_backward = row->is_derivative = row->in_needed = false;
        reader->units->has_functions |= slice->kind == PS_SLICE_PYTHON;
    } else if (slice->kind == PS_SLICE_OP && !row->in_operator) {
        row->in_operator = true;
        row->lead = slice->text;
    } else if (!row->lead && !is_annotation(slice->kind) && slice->meaning != MEANS_PART) {
        row->lead = slice->text;
    }
    row->in_backward |= slice->meaning == MEANS_BACKWARD;
    row->in_needed |= slice->family == PS_FAMILY_MATMUL || slice->family == PS_FAMILY_ATTENTION;
    /* the function that called an operator also causes the time of its backward pass */
    forward = row->in_backward ? find_forward(reader, track, at) : NULL;
    if (forward)
        *row = (struct row){.unit = forward->unit,
                            .lead = forward->lead ? forward->lead : row->lead,
                            .in_operator = true,
                            .is_derivative = true,
                            .in_needed = forward->in_needed,
                            .in_phase = row->in_phase};
}

/* Charges a slice with its own time in the window. */
static void close_slice(struct reader *reader, struct open_slice *open)
{
    struct slice *slice = &open->slice;

    if (!open->is_charged)
        return;
    if (open->outside_ns > 0)
        slice->self_ns = slice->self_ns > open->outside_ns ? slice->self_ns - open->outside_ns : 0;
    if (slice->self_ns > slice->in_window_ns)
        slice->self_ns = slice->in_window_ns;
    if (reader->leads) {
        add_lead(reader, &open->row, &open->above, slice);
        return;
    }
    charge(reader, &open->row, &open->above, slice);
    if (slice->kind == PS_SLICE_OP && is_double(reader, slice->template))
        add_ns(&reader->units->double_ns, slice->self_ns);
}

/* Closes the slices that are not around a slice with this parent; -1: it has none. */
static void close_slices(struct reader *reader, int64_t parent)
{
    while (reader->n_open && reader->open[reader->n_open - 1].at != parent)
        close_slice(reader, &reader->open[--reader->n_open]);
}

static void open_slice(struct reader *reader, const struct open_slice *open)
{
    if (reader->n_open)
        reader->open[reader->n_open - 1].outside_ns -= open->outside_ns;
    PS_RESERVE_ONE(reader->open, reader->n_open, reader->cap_open);
    reader->open[reader->n_open++] = *open;
}

/* Finds what the slice is charged to. Returns whether it is charged. */
static bool find_unit(struct reader *reader, uint32_t track, const struct open_slice *open,
                      struct row *row)
{
    const struct slice *slice = &open->slice;

    if (slice->meaning == MEANS_PROFILER && !row->in_phase &&
        is_phase(ps_trace_text(reader->db, slice->text))) {
        row->in_phase = true;
        if (slice->in_window_ns > 0)
            add_ns(&reader->units->compile_ns, slice->in_window_ns);
    }
    if (row->unit == PS_NO_UNIT || slice->meaning == MEANS_PROFILER) {
        row->unit = PS_NO_UNIT;
        return false;
    }
    enter_slice(reader, row, slice, track, open->at);
    if (slice->meaning == MEANS_UNIT && slice->in_steps_ns > 0 && !reader->leads)
        add_call(&reader->units->units[row->unit], row->unit, &open->above, slice->in_steps_ns,
                 ps_slice_id(track, open->at));
    return slice->self_ns >= 0 && slice->in_window_ns > 0;
}

static void visit_slice(struct reader *reader, const struct ps_chunk *chunk, uint32_t i,
                        const struct ps_host_window *window)
{
    const int64_t start = ps_chunk_value(chunk, PS_COL_START, i);
    const int64_t name = ps_chunk_value(chunk, PS_COL_NAME, i);
    const int64_t parent = ps_chunk_value(chunk, PS_COL_PARENT, i);
    const uint32_t at = chunk->first + i;
    const int64_t duration = ps_chunk_value(chunk, PS_COL_DURATION, i);
    const bool has_parent = parent > 0 && parent <= at;
    struct open_slice open = {.at = at, .above = {.unit = 0}};
    struct slice *slice = &open.slice;
    int64_t end;

    if (has_parent)
        open.above = reader->rows[at - parent];
    reader->rows[at] = open.above;
    if (name <= 0 || (uint64_t)name >= reader->units->n_texts ||
        __builtin_add_overflow(start, duration, &end))
        return;
    *slice = (struct slice){.kind = ps_chunk_value(chunk, PS_COL_KIND, i),
                            .family = ps_chunk_value(chunk, PS_COL_FAMILY, i),
                            .template = ps_chunk_value(chunk, PS_COL_TEMPLATE, i),
                            .self_ns = ps_chunk_value(chunk, PS_COL_SELF, i),
                            .text = (uint32_t)name};
    slice->meaning = meaning_of(reader, slice->text, slice->kind);
    slice->in_steps_ns = ps_intervals_length(window->steps, start, end);
    slice->in_window_ns = slice->in_steps_ns;
    if (window->busy)
        slice->in_window_ns -= ps_intervals_common_length(window->steps, window->busy, start, end);
    slice->is_small = slice->self_ns < PS_SMALL_NS || slice->in_window_ns < PS_SMALL_NS;
    open.outside_ns = duration - slice->in_window_ns;
    close_slices(reader, has_parent ? (int64_t)at - parent : -1);
    open.is_charged = find_unit(reader, chunk->track, &open, &reader->rows[at]);
    open.row = reader->rows[at];
    open_slice(reader, &open);
}

static bool visit_chunk(void *user, const struct ps_chunk *chunk)
{
    struct reader *reader = user;
    const uint32_t w = ps_track_owner_of(reader->windows->owners, chunk->track).worker;
    const struct ps_host_window *window = &reader->windows->items[w];

    if (w >= reader->windows->n || window->track != chunk->track || !window->track)
        return true;
    if (chunk->first == 0)
        close_slices(reader, -1); /* of the track before */
    reader->rows =
        ps_grow_to(reader->rows, &reader->n_rows, chunk->first + chunk->n, sizeof *reader->rows);
    for (uint32_t i = 0; i < chunk->n; i++)
        visit_slice(reader, chunk, i, window);
    return true;
}

static bool has_backward_pass(const struct reader *reader)
{
    for (size_t i = 1; i < reader->units->n_texts; i++) {
        struct ps_str text = ps_trace_text(reader->db, (uint32_t)i);

        if (operator_meaning(text) == MEANS_BACKWARD || is_backward(text))
            return true;
    }
    return false;
}

static enum ps_status read_all(struct reader *reader, struct ps_err *err)
{
    const struct ps_chunk_query query = {
        .track_kinds = 1u << PS_TRACK_THREAD,
        .slice_kinds = UINT32_MAX,
        .range = PS_RANGE_ALL, /* what is around the steps began before them */
        .columns = PS_COL_BIT(PS_COL_START) | PS_COL_BIT(PS_COL_DURATION) |
                   PS_COL_BIT(PS_COL_SELF) | PS_COL_BIT(PS_COL_PARENT) | PS_COL_BIT(PS_COL_NAME) |
                   PS_COL_BIT(PS_COL_KIND) | PS_COL_BIT(PS_COL_FAMILY) |
                   PS_COL_BIT(PS_COL_TEMPLATE),
    };

    if (has_backward_pass(reader))
        ps_backward_links_read(reader->db, &reader->links, err);
    reader->meanings = ps_alloc_array(2 * (reader->units->n_texts + 1), sizeof *reader->meanings);
    ps_trace_each_chunk(reader->db, &query, visit_chunk, reader, err);
    close_slices(reader, -1);
    ps_backward_links_free(&reader->links);
    free(reader->open);
    free(reader->meanings);
    free(reader->are_double);
    free(reader->rows);
    return err->code;
}

enum ps_status ps_host_units_read(struct ps_db *db, const struct ps_host_windows *windows,
                                  struct ps_host_units *out, struct ps_err *err)
{
    struct reader reader = {.db = db, .windows = windows, .units = out, .selected = PS_NO_UNIT};

    *out = (struct ps_host_units){.n = 0};
    if (ps_trace_get_text_end(db, &out->n_texts, err) != PS_OK)
        return err->code;
    out->unit_of_text = ps_alloc_array(out->n_texts + 1, sizeof *out->unit_of_text);
    PS_RESERVE_ONE(out->units, out->n, out->cap);
    out->units[out->n++] = (struct ps_host_unit){.caller = PS_NO_UNIT};
    if (read_all(&reader, err) != PS_OK)
        return err->code;
    for (size_t i = 0; i < out->n; i++) {
        out->n_items += out->units[i].n_items;
        add_ns(&out->small_ns, out->units[i].small_ns);
        add_ns(&out->large_ns, out->units[i].large_ns);
        add_ns(&out->needed_ns, out->units[i].needed_ns);
    }
    return PS_OK;
}

static int by_time(const void *a, const void *b)
{
    const struct ps_unit_lead *x = a, *y = b;

    if (x->ns != y->ns)
        return x->ns > y->ns ? -1 : 1;
    return (x->name > y->name) - (x->name < y->name);
}

enum ps_status ps_host_units_leads(struct ps_db *db, const struct ps_host_windows *windows,
                                   struct ps_host_units *units, uint32_t unit,
                                   struct ps_unit_lead leads[PS_LEADS_MAX], size_t *n,
                                   struct ps_err *err)
{
    struct reader reader = {.db = db, .windows = windows, .units = units, .selected = unit};

    *n = 0;
    reader.leads = ps_alloc_array(units->n_texts + 1, sizeof *reader.leads);
    if (read_all(&reader, err) == PS_OK) {
        qsort(reader.leads, units->n_texts, sizeof *reader.leads, by_time);
        while (*n < PS_LEADS_MAX && *n < units->n_texts && reader.leads[*n].ns > 0) {
            leads[*n] = reader.leads[*n];
            ++*n;
        }
    }
    free(reader.leads);
    return err->code;
}

void ps_host_units_free(struct ps_host_units *units)
{
    free(units->units);
    free(units->unit_of_text);
    free(units->unit_of_stem);
    ps_intern_free(&units->stems);
    *units = (struct ps_host_units){.n = 0};
}
