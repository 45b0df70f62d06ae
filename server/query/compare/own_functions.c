/* SPDX-License-Identifier: MIT */
/* own_functions.c: reads the own functions of a run. */
#include "server/query/compare/own_functions.h"

#include <math.h>
#include <stdlib.h>

#include "base/frame_name.h"
#include "base/hash_table.h"
#include "base/tree.h"
#include "importers/kinds.h"
#include "server/query/conclusion/line_calls.h"
#include "server/query/conclusion/trace_causes.h"
#include "server/query/functions/stack_waits.h"
#include "server/query/trace/chosen_steps.h"

#define OWN_SHARE  0.1   /* own code that causes less is not what the profile shows */
#define INTERVAL_S 0.001 /* between samples, where the file does not tell */
#define CALLS_MAX  (1u << 20)
#define DEPTH_MAX  (1u << 16)

void ps_own_functions_free(struct ps_own_functions *own)
{
    ps_own_time_free(&own->times);
    free(own->items);
    free(own->hashes);
    free(own->by);
    free(own->outward);
    ps_arena_free(&own->arena);
}

static int by_value(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static size_t sort_unique(uint64_t *hashes, size_t n)
{
    size_t kept = 0;

    qsort(hashes, n, sizeof *hashes, by_value);
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || hashes[kept - 1] != hashes[i])
            hashes[kept++] = hashes[i];
    return kept;
}

static uint64_t hash_of_name(struct ps_str name)
{
    return ps_hash_bytes(name.ptr, name.len);
}

static struct ps_profiled_function *add_item(struct ps_own_functions *own)
{
    struct ps_profiled_function *item = &own->items[own->all.n++];

    *item = (struct ps_profiled_function){.calls = 0};
    return item;
}

static void add_rest(struct ps_own_functions *own, const char *name, double time)
{
    struct ps_profiled_function *item = add_item(own);

    item->name = ps_str_from_c(name);
    item->time = time;
}

/* --- cProfile --- */

static uint64_t hash_of(const struct ps_own_time *times, uint32_t function)
{
    return hash_of_name(times->functions[function].name);
}

/* Appends the names around function `id` to `hashes`, at `used`. */
static void add_timed(struct ps_own_functions *own, uint32_t id, size_t *used)
{
    const struct ps_timed_function *from = &own->times.functions[id];
    struct ps_profiled_function *to = add_item(own);
    uint64_t *const callers = own->hashes + *used, *const callees = callers + from->n_callers;

    for (uint32_t i = 0; i < from->n_callers; i++)
        callers[i] = hash_of(&own->times,
                             own->times.calls[own->times.by_callee[from->first_caller + i]].caller);
    for (uint32_t i = 0; i < from->n_callees; i++)
        callees[i] = hash_of(&own->times, own->times.calls[from->first_callee + i].callee);
    *used += from->n_callers + from->n_callees;
    *to = (struct ps_profiled_function){.name = from->name,
                                        .path = from->path,
                                        .line = from->line,
                                        .calls = from->ncalls,
                                        .time = from->charged_s,
                                        .hash = hash_of(&own->times, id),
                                        .callers = callers,
                                        .callees = callees,
                                        .n_callers = sort_unique(callers, from->n_callers),
                                        .n_callees = sort_unique(callees, from->n_callees)};
}

static bool is_unit(const struct ps_timed_function *functions, uint32_t id)
{
    return functions[id].is_present && functions[id].is_own && functions[id].unit == id;
}

/* Lists for each item the calls by others; `item_of`: by function. Calls of the parts of a unit are
 * joined with its own. */
static void list_callers(struct ps_own_functions *own, const uint32_t *item_of)
{
    const struct ps_own_time *times = &own->times;
    size_t n = 0;

    own->by = ps_alloc_array(times->n_calls + 1, sizeof *own->by);
    for (uint32_t id = 0; id < times->n_functions; id++) {
        const struct ps_timed_function *function = &times->functions[id];
        const size_t first = n;

        if (!is_unit(times->functions, id))
            continue;
        for (uint32_t i = 0; i < function->n_callers; i++) {
            const struct ps_timed_call *call =
                &times->calls[times->by_callee[function->first_caller + i]];
            const uint32_t caller = times->functions[call->caller].unit;

            if (!is_unit(times->functions, caller) || call->ncalls <= 0)
                continue;
            own->by[n++] = (struct ps_profiled_caller){item_of[caller], call->ncalls};
        }
        own->items[item_of[id]].by = own->by + first;
        own->items[item_of[id]].n_by = n - first;
    }
}

static int by_hash(const void *a, const void *b)
{
    const struct ps_outward_calls *x = a, *y = b;

    return (x->hash > y->hash) - (x->hash < y->hash);
}

/* Lists what own functions call of others. */
static void list_outward(struct ps_own_functions *own)
{
    const struct ps_own_time *times = &own->times;
    size_t n = 0, kept = 0;

    own->outward = ps_alloc_array(times->n_calls + 1, sizeof *own->outward);
    for (size_t i = 0; i < times->n_calls; i++) {
        const struct ps_timed_call *call = &times->calls[i];
        const uint32_t caller = times->functions[call->caller].unit;

        if (!is_unit(times->functions, caller) || times->functions[call->callee].is_own)
            continue;
        own->outward[n++] = (struct ps_outward_calls){
            ps_hash_pair(hash_of(times, caller), hash_of(times, call->callee)), call->ncalls};
    }
    qsort(own->outward, n, sizeof *own->outward, by_hash);
    for (size_t i = 0; i < n; i++) {
        if (kept && own->outward[kept - 1].hash == own->outward[i].hash)
            own->outward[kept - 1].calls += own->outward[i].calls;
        else
            own->outward[kept++] = own->outward[i];
    }
    own->all.outward = own->outward;
    own->all.n_outward = kept;
}

static enum ps_status read_calls(struct ps_db *db, struct ps_own_functions *own, struct ps_err *err)
{
    const struct ps_own_time *times = &own->times;
    PS_AUTO(ps_free_ptr) uint32_t *item_of = NULL;
    size_t used = 0;

    if (ps_own_time_read(db, &own->times, &own->is_known, err) != PS_OK || !own->is_known)
        return err->code;
    own->unit = "s";
    own->tab = "functions";
    own->items = ps_alloc_array(times->n_functions + 2, sizeof *own->items);
    own->hashes = ps_alloc_array(2 * times->n_calls + 1, sizeof *own->hashes);
    item_of = ps_alloc_array(times->n_functions + 1, sizeof *item_of);
    for (uint32_t id = 0; id < times->n_functions; id++) {
        item_of[id] = (uint32_t)own->all.n;
        if (is_unit(times->functions, id))
            add_timed(own, id, &used);
    }
    list_callers(own, item_of);
    list_outward(own);
    add_rest(own, "imports", times->imports_s);
    add_rest(own, PS_NO_OWN_CODE, times->remainder_s);
    own->all.total = times->total_s;
    return err->code;
}

/* --- Sampled stacks --- */

/* A frame of the current stack; own: depth of the innermost own frame from this one outward, 0:
 * none; function: text id. */
struct open_frame {
    uint32_t function, own;
    bool waits;     /* for another thread, whose own samples tell what it does */
    bool is_import; /* the frame, or one further out, imports, and no own frame is between */
};

struct stack_reader {
    struct ps_db *db;
    struct ps_stack_frames frames;
    struct ps_stack_waits waits;
    struct ps_tree calls; /* `parent` is the caller and `key` the callee: functions */
    double *weights;      /* by function */
    double rest, total;
    struct open_frame *open;
    size_t n, cap;
    uint32_t track;
};

static void stack_reader_free(struct stack_reader *r)
{
    ps_stack_frames_free(&r->frames);
    ps_stack_waits_free(&r->waits);
    ps_tree_free(&r->calls);
    free(r->weights);
    free(r->open);
}

static bool is_part_of(struct stack_reader *r, uint32_t text, uint32_t outer)
{
    const struct ps_frame_name name = ps_frame_name_parse(ps_trace_text(r->db, text));
    const struct ps_frame_name around = ps_frame_name_parse(ps_trace_text(r->db, outer));

    return ps_timed_name_is_part(name.function) && ps_str_eq(name.file, around.file);
}

static bool is_importer(struct stack_reader *r, uint32_t text)
{
    return ps_path_is_importer(ps_frame_name_parse(ps_trace_text(r->db, text)).file);
}

static void add_stack(struct stack_reader *r, int64_t weight)
{
    const struct open_frame *leaf = &r->open[r->n - 1];

    if (leaf->waits || leaf->is_import)
        return;
    r->total += (double)weight;
    if (leaf->own)
        r->weights[r->open[leaf->own - 1].function] += (double)weight;
    else
        r->rest += (double)weight;
}

/* Names around a function only tell what was renamed: of very many, some do. */
static void add_call(struct stack_reader *r, uint32_t own, uint32_t function)
{
    if (own && r->calls.n < CALLS_MAX)
        (void)ps_tree_child(&r->calls, r->open[own - 1].function, function, 0, 0);
}

static void add_slice(struct stack_reader *r, const struct ps_chunk *chunk, uint32_t i)
{
    const int64_t depth = ps_chunk_value(chunk, PS_COL_DEPTH, i),
                  text = ps_chunk_value(chunk, PS_COL_NAME, i),
                  self = ps_chunk_value(chunk, PS_COL_SELF, i);
    const uint8_t family = (uint8_t)ps_chunk_value(chunk, PS_COL_FAMILY, i);
    const struct open_frame *up;
    const struct ps_frame_kind *kind;
    struct open_frame frame;

    if (!ps_stack_function(&r->frames, text))
        return;
    if (depth >= 0 && (uint64_t)depth < r->n)
        r->n = (size_t)depth;
    if (r->n >= DEPTH_MAX)
        return;
    PS_RESERVE_ONE(r->open, r->n, r->cap);
    up = r->n ? &r->open[r->n - 1] : NULL;
    kind = ps_stack_frame_kind(&r->waits, (uint32_t)text, family);
    frame = (struct open_frame){.function = ps_stack_function(&r->frames, text),
                                .own = up ? up->own : 0,
                                .is_import = up && up->is_import,
                                .waits = kind->is_python ? kind->waits && !kind->is_own
                                                         : up && up->waits};
    if (kind->is_own &&
        !(frame.own && is_part_of(r, (uint32_t)text, r->open[frame.own - 1].function))) {
        add_call(r, frame.own, frame.function);
        frame.own = (uint32_t)r->n + 1;
        frame.is_import = false;
    } else if (frame.own && frame.own == r->n) { /* what an own function calls itself */
        add_call(r, frame.own, frame.function);
    }
    frame.is_import |= kind->is_python && !kind->is_own && is_importer(r, (uint32_t)text);
    r->open[r->n++] = frame;
    if (self > 0)
        add_stack(r, self);
}

static bool add_chunk(void *user, const struct ps_chunk *chunk)
{
    struct stack_reader *r = user;

    if (chunk->track != r->track)
        r->n = 0;
    r->track = chunk->track;
    for (uint32_t i = 0; i < chunk->n; i++)
        add_slice(r, chunk, i);
    return true;
}

static struct ps_frame_name name_of(const struct stack_reader *r, struct ps_own_functions *own,
                                    uint32_t function)
{
    return ps_frame_name_parse(ps_arena_copy(&own->arena, ps_trace_text(r->db, function)));
}

/* The hash of the name of a function, which is a text. */
static uint64_t hash_of_text(const struct stack_reader *r, uint32_t function)
{
    return hash_of_name(ps_frame_name_parse(ps_trace_text(r->db, function)).function);
}

/* Writes the names of the callers of all functions, then those of their callees, to `hashes`.
 * Returns where those of callers of function i end, at i, and those of its callees, at n + i. */
static size_t *list_names(const struct stack_reader *r, uint64_t *hashes)
{
    const size_t n = r->frames.n;
    size_t *const ends = ps_alloc_array(2 * n + 1, sizeof *ends), sum = 0;

    for (size_t i = 0; i < r->calls.n; i++) {
        ends[r->calls.nodes[i].key]++;
        ends[n + r->calls.nodes[i].parent]++;
    }
    for (size_t i = 0; i < 2 * n; i++) {
        const size_t count = ends[i];

        ends[i] = sum;
        sum += count;
    }
    for (size_t i = 0; i < r->calls.n; i++) {
        const struct ps_tree_node *call = &r->calls.nodes[i];

        hashes[ends[call->key]++] = hash_of_text(r, call->parent);
        hashes[ends[n + call->parent]++] = hash_of_text(r, call->key);
    }
    return ends;
}

static void list_stack_functions(const struct stack_reader *r, double scale,
                                 struct ps_own_functions *own)
{
    const size_t n = r->frames.n;
    PS_AUTO(ps_free_ptr) size_t *ends = NULL;

    own->items = ps_alloc_array(n + 2, sizeof *own->items);
    own->hashes = ps_alloc_array(2 * r->calls.n + 1, sizeof *own->hashes);
    ends = list_names(r, own->hashes);
    for (uint32_t id = 0; id < n; id++) {
        const size_t callers = id ? ends[id - 1] : 0, callees = n + id ? ends[n + id - 1] : 0;
        struct ps_profiled_function *item;
        struct ps_frame_name name;

        if (!(r->weights[id] > 0))
            continue;
        name = name_of(r, own, id);
        item = add_item(own);
        item->name = name.function;
        item->path = name.file.ptr ? name.file : PS_STR("?");
        item->line = r->frames.has_one_line ? name.line : 0;
        item->time = r->weights[id] / scale;
        item->hash = hash_of_name(name.function);
        item->callers = own->hashes + callers;
        item->n_callers = sort_unique(own->hashes + callers, ends[id] - callers);
        item->callees = own->hashes + callees;
        item->n_callees = sort_unique(own->hashes + callees, ends[n + id] - callees);
    }
    add_rest(own, PS_NO_OWN_CODE, r->rest / scale);
    own->all.total = r->total / scale;
}

static enum ps_status read_unit(struct ps_db *db, const char *sample_type,
                                struct ps_own_functions *own, struct ps_stack_selection *part,
                                double *n_samples, struct ps_err *err)
{
    const struct ps_param chosen = {"sample_type", sample_type};
    PS_AUTO(ps_stmt_auto) struct ps_stmt *threads = NULL;
    PS_AUTO(ps_stmt_auto) struct ps_stmt *summary = NULL;

    ps_stack_selection_read(db, (struct ps_params){&chosen, 1}, part, err);
    ps_db_prepare(db, ps_query_sql("conclude_threads"), &threads, err);
    if (ps_stmt_step(threads, err))
        own->unit = ps_arena_copy(&own->arena, ps_str_from_c(part->unit)).ptr;
    ps_db_prepare(db, ps_query_sql("conclude_stack_summary"), &summary, err);
    *n_samples = ps_stmt_step(summary, err) ? ps_col_real_or_nan(summary, 2) : NAN;
    return err->code;
}

static enum ps_status read_stacks(struct ps_db *db, const char *sample_type,
                                  struct ps_own_functions *own, struct ps_err *err)
{
    static const struct ps_param by_name[] = {{"mode", PS_STACK_MODE_NAME}};
    PS_AUTO(ps_stack_selection_free) struct ps_stack_selection part = {.scale = 1};
    const struct ps_chunk_query query = {
        .range = PS_RANGE_ALL,
        .tracks = &part.tracks,
        .columns = PS_COL_BIT(PS_COL_SELF) | PS_COL_BIT(PS_COL_DEPTH) | PS_COL_BIT(PS_COL_NAME) |
                   PS_COL_BIT(PS_COL_FAMILY),
    };
    PS_AUTO(stack_reader_free) struct stack_reader r = {.db = db};
    double n_samples;

    if (read_unit(db, sample_type, own, &part, &n_samples, err) != PS_OK || !own->unit ||
        (strcmp(own->unit, "s") != 0 && strcmp(own->unit, "samples") != 0))
        return err->code;
    if (ps_stack_frames_read(db, (struct ps_params){by_name, 1}, &r.frames, err) != PS_OK)
        return err->code;
    ps_stack_waits_init(&r.waits, db, &r.frames);
    r.weights = ps_alloc_array(r.frames.n + 1, sizeof *r.weights);
    if (part.has_no_tracks || ps_trace_each_chunk(db, &query, add_chunk, &r, err) != PS_OK)
        return err->code;
    own->is_known = r.total > 0 && r.total - r.rest >= OWN_SHARE * r.total;
    if (!own->is_known)
        return err->code;
    list_stack_functions(&r, part.scale, own);
    own->all.lacks_calls = true;
    own->all.sample = n_samples > 0                 ? own->all.total / n_samples
                      : strcmp(own->unit, "s") == 0 ? INTERVAL_S
                                                    : 1;
    return err->code;
}

/* --- line_profiler --- */

struct line_reader {
    struct ps_measured_function *functions;
    struct ps_measured_line *lines;
    struct ps_str *paths; /* by function */
    int64_t *first_lines;
    size_t n_functions, n_lines;
};

static void line_reader_free(struct line_reader *r)
{
    free(r->functions);
    free(r->lines);
    free(r->paths);
    free(r->first_lines);
}

/* Reads lines, which are in the order of their functions. */
static enum ps_status read_measured(struct ps_db *db, struct ps_own_functions *own,
                                    struct line_reader *r, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    size_t cap = 0, cap_functions = 0, cap_paths = 0, cap_first_lines = 0, n_of_function = 0;
    int64_t last = -1;

    ps_db_prepare(db, ps_query_sql("compare_line_calls"), &stmt, err);
    while (ps_stmt_step(stmt, err)) {
        struct ps_measured_function *function;
        const double hits = ps_col_real(stmt, 5);

        if (r->n_functions == 0 || ps_col_int(stmt, 0) != last) {
            last = ps_col_int(stmt, 0);
            n_of_function = 0;
            PS_RESERVE_ONE(r->functions, r->n_functions, cap_functions);
            PS_RESERVE_ONE(r->paths, r->n_functions, cap_paths);
            PS_RESERVE_ONE(r->first_lines, r->n_functions, cap_first_lines);
            r->paths[r->n_functions] = ps_arena_copy(&own->arena, ps_col_text(stmt, 1));
            r->first_lines[r->n_functions] = ps_col_int(stmt, 3);
            r->functions[r->n_functions++] = (struct ps_measured_function){
                .name = ps_arena_copy(&own->arena, ps_col_text(stmt, 2)), .calls = hits};
        }
        function = &r->functions[r->n_functions - 1];
        function->whole += ps_col_real(stmt, 6);
        if (++n_of_function == 2)
            function->loop_calls = function->calls - hits;
        PS_RESERVE_ONE(r->lines, r->n_lines, cap);
        r->lines[r->n_lines++] =
            (struct ps_measured_line){.function = r->n_functions - 1,
                                      .source = ps_arena_copy(&own->arena, ps_col_text(stmt, 4)),
                                      .hits = hits,
                                      .amount = ps_col_real(stmt, 6)};
    }
    return err->code;
}

static enum ps_status read_lines(struct ps_db *db, struct ps_own_functions *own, struct ps_err *err)
{
    PS_AUTO(line_reader_free) struct line_reader r = {.n_lines = 0};

    if (read_measured(db, own, &r, err) != PS_OK || r.n_functions == 0)
        return err->code;
    ps_line_calls_find(r.functions, r.n_functions, r.lines, r.n_lines);
    own->items = ps_alloc_array(r.n_functions, sizeof *own->items);
    own->hashes = ps_alloc_array(r.n_functions, sizeof *own->hashes);
    for (size_t i = 0; i < r.n_functions; i++) {
        const struct ps_measured_function *function = &r.functions[i];
        struct ps_profiled_function *item = add_item(own);

        item->name = function->name;
        item->path = r.paths[i];
        item->line = r.first_lines[i];
        item->calls =
            (int64_t)(function->is_called && function->loop_calls > 0 && !function->is_recursive &&
                              r.lines[function->caller].hits == function->loop_calls
                          ? function->loop_calls
                          : function->calls);
        item->time = function->own;
        item->hash = hash_of_name(function->name);
        item->callers = &own->hashes[i];
        item->n_callers = function->is_called;
        if (function->is_called)
            own->hashes[i] = hash_of_name(r.functions[r.lines[function->caller].function].name);
        own->all.total += function->own;
    }
    own->unit = "s";
    own->tab = NULL;
    own->is_known = own->all.total > 0;
    return err->code;
}

/* --- Traces of PyTorch --- */

static void add_unit(struct ps_own_functions *own, struct ps_db *db,
                     const struct ps_host_units *units, size_t i, double divisor)
{
    const struct ps_host_unit *unit = &units->units[i];
    struct ps_profiled_function *item = add_item(own);

    if (unit->is_annotation || !ps_slice_frame_parse(ps_trace_text(db, unit->name), &item->path,
                                                     &item->line, &item->name)) {
        item->path = PS_STR("?");
        item->name = ps_annotation_stem(ps_trace_text(db, unit->name));
    }
    item->name = ps_arena_copy(&own->arena, item->name);
    item->path = ps_arena_copy(&own->arena, item->path);
    item->calls = unit->calls;
    item->time = (double)unit->ns / 1e9 / divisor;
    item->hash = hash_of_name(item->name);
}

/* Names around the units: of each the first caller. */
static void add_unit_callers(struct ps_own_functions *own, const struct ps_host_units *units)
{
    for (size_t i = 1; i < units->n; i++) {
        const uint32_t caller = units->units[i].caller;

        if (caller == PS_NO_UNIT || caller == 0)
            continue;
        own->hashes[i - 1] = own->items[caller - 1].hash;
        own->items[i - 1].callers = &own->hashes[i - 1];
        own->items[i - 1].n_callers = 1;
    }
}

/* With a device, the time of the host says little of what it takes. The means are of all steps, as
 * those of the parts of a step are. */
static enum ps_status read_trace(struct ps_db *db, const char *step, struct ps_own_functions *own,
                                 struct ps_err *err)
{
    PS_AUTO(ps_trace_time_free)
    struct ps_trace_time trace = {.db = db, .step = step, .keeps_all_steps = true};
    int64_t known_ns = 0;

    if (ps_trace_time_read(&trace, err) != PS_OK || !trace.is_torch || trace.has_devices ||
        trace.units.n < 2)
        return err->code;
    own->unit = "s";
    own->is_trace = true;
    own->n_steps = trace.has_marks ? trace.n_steps : 0;
    own->items = ps_alloc_array(trace.units.n, sizeof *own->items);
    own->hashes = ps_alloc_array(trace.units.n, sizeof *own->hashes);
    for (size_t i = 1; i < trace.units.n; i++) {
        add_unit(own, db, &trace.units, i, trace.divisor);
        known_ns = ps_add_saturated(known_ns, trace.units.units[i].ns);
    }
    add_unit_callers(own, &trace.units);
    add_rest(own, PS_NO_OWN_CODE, (double)trace.units.units[0].ns / 1e9 / trace.divisor);
    own->all.total = trace.wall_s;
    own->is_known = ps_trace_time_share(&trace, known_ns) >= OWN_SHARE;
    return err->code;
}

enum ps_status ps_own_functions_read(struct ps_db *db, unsigned has, const char *step,
                                     const char *sample_type, struct ps_own_functions *out,
                                     struct ps_err *err)
{
    if (has & PS_HAS_CALLS)
        read_calls(db, out, err);
    else if (has & PS_HAS_LINE_TIMES)
        read_lines(db, out, err);
    else if (has & PS_HAS_STACKS)
        read_stacks(db, sample_type, out, err);
    else if (has & PS_HAS_TORCH)
        read_trace(db, step, out, err);
    out->all.items = out->items;
    return err->code;
}
