/* SPDX-License-Identifier: MIT */
/* inference_parts.c: the view inference/parts: what the median step of each phase, and one chosen
 * step, spend their device time on; without device work their host time, by operator. */
#include <stdlib.h>

#include "server/query/trace/inference/inference.h"
#include "server/query/trace/trace_json.h"
#include "server/query/view.h"
#include "server/runfile/trace.h"

#define COLUMNS_MAX (PS_N_PHASES + 1)
#define ROWS_MAX    1000 /* rows of an answer; the rest is one sum */

enum by { BY_KERNEL, BY_OPERATOR };

struct part {
    uint32_t name; /* text id; 0: no operator */
    int64_t family;
    int64_t ns[COLUMNS_MAX], calls[COLUMNS_MAX];
};

struct parts {
    struct ps_inference *inference;
    enum by by;
    int64_t step[COLUMNS_MAX]; /* indexes of the steps */
    enum ps_phase phase[COLUMNS_MAX];
    size_t n_columns;
    struct part *items;
    size_t n, cap;
    struct ps_hash_table rows; /* text id -> index in items */
    struct call {
        int64_t op; /* first member, the sort key: slice id of the operator; 0: none */
        int64_t ns, family, column;
    } * calls; /* the work of the steps, if its operators are wanted */
    size_t n_calls, cap_calls;
    size_t next; /* in calls, while the operators are read */
};

static void parts_free(struct parts *parts)
{
    ps_hash_table_free(&parts->rows);
    free(parts->items);
    free(parts->calls);
}

static bool has_name(const void *items, uint32_t index, const void *name)
{
    return ((const struct part *)items)[index].name == *(const uint32_t *)name;
}

static struct part *add_part(struct parts *parts, uint32_t name, int64_t family, int64_t column,
                             int64_t ns)
{
    uint32_t index = ps_hash_table_add(&parts->rows, ps_hash_u64(name), (uint32_t)parts->n,
                                       has_name, parts->items, &name);
    struct part *part;

    if (index == parts->n) {
        PS_RESERVE_ONE(parts->items, parts->n, parts->cap);
        parts->items[parts->n++] = (struct part){.name = name, .family = family};
    }
    part = &parts->items[index];
    part->ns[column] = ps_add_saturated(part->ns[column], ns);
    part->calls[column]++;
    return part;
}

static bool visit_stream(void *user, const struct ps_chunk *chunk)
{
    struct parts *parts = user;

    if (ps_track_owner_of(&parts->inference->owners, chunk->track).worker !=
        parts->inference->worker)
        return true;
    for (uint32_t i = 0; i < chunk->n; i++) {
        int64_t launch = ps_chunk_value(chunk, PS_COL_LAUNCH, i),
                ns = ps_chunk_value(chunk, PS_COL_DURATION, i),
                family = ps_chunk_value(chunk, PS_COL_FAMILY, i), step;

        if (launch <= 0 || !ps_slice_on_device(ps_chunk_value(chunk, PS_COL_KIND, i)))
            continue;
        step = ps_inference_step_of(parts->inference, launch);
        for (size_t column = 0; column < parts->n_columns; column++) {
            if (parts->step[column] != step)
                continue;
            if (parts->by == BY_KERNEL) {
                add_part(parts, (uint32_t)ps_chunk_value(chunk, PS_COL_NAME, i), family,
                         (int64_t)column, ns);
                continue;
            }
            PS_RESERVE_ONE(parts->calls, parts->n_calls, parts->cap_calls);
            parts->calls[parts->n_calls++] =
                (struct call){ps_chunk_value(chunk, PS_COL_OP, i), ns, family, (int64_t)column};
        }
    }
    return true;
}

/* Chunks come in the order of slice ids, as the calls are sorted. */
static bool visit_operators(void *user, const struct ps_chunk *chunk)
{
    struct parts *parts = user;
    int64_t first = ps_slice_id(chunk->track, chunk->first), end = first + chunk->n;

    for (; parts->next < parts->n_calls && parts->calls[parts->next].op < end; parts->next++) {
        const struct call *call = &parts->calls[parts->next];
        int64_t name =
            call->op < first ? 0 : ps_chunk_value(chunk, PS_COL_NAME, (uint32_t)(call->op - first));

        add_part(parts, (uint32_t)name, call->family, call->column, call->ns);
    }
    return parts->next < parts->n_calls;
}

struct host_parts {
    struct parts *parts;
    int64_t operators_ns[COLUMNS_MAX];
};

static void visit_host_operator(void *user, size_t step, const struct ps_chunk *chunk, uint32_t row,
                                int64_t self_ns)
{
    struct host_parts *host = user;
    struct parts *parts = host->parts;

    for (size_t column = 0; column < parts->n_columns; column++)
        if (parts->step[column] == (int64_t)step) {
            add_part(parts, (uint32_t)ps_chunk_value(chunk, PS_COL_NAME, row),
                     ps_chunk_value(chunk, PS_COL_FAMILY, row), (int64_t)column, self_ns);
            host->operators_ns[column] = ps_add_saturated(host->operators_ns[column], self_ns);
        }
}

/* The operators of the steps, and what is left of each step as a part without a name. */
static enum ps_status read_host_parts(struct ps_db *db, struct parts *parts, struct ps_err *err)
{
    struct host_parts host = {.parts = parts};

    parts->by = BY_OPERATOR;
    ps_inference_each_operator(db, parts->inference, visit_host_operator, &host, err);
    for (size_t column = 0; column < parts->n_columns; column++) {
        int64_t rest = ps_inference_host_ns(&parts->inference->steps[parts->step[column]]) -
                       host.operators_ns[column];

        if (rest > 0)
            add_part(parts, 0, PS_FAMILY_NONE, (int64_t)column, rest)->calls[column] = 0;
    }
    return err->code;
}

static enum ps_status read_parts(struct ps_db *db, struct parts *parts, struct ps_err *err)
{
    const struct ps_chunk_query streams = {
        .track_kinds = 1u << PS_TRACK_STREAM,
        .range = PS_RANGE_ALL,
        .columns = PS_COL_BIT(PS_COL_DURATION) | PS_COL_BIT(PS_COL_KIND) |
                   PS_COL_BIT(PS_COL_FAMILY) | PS_COL_BIT(PS_COL_LAUNCH) |
                   PS_COL_BIT(parts->by == BY_KERNEL ? PS_COL_NAME : PS_COL_OP)};
    const struct ps_chunk_query operators = {.track_kinds = 1u << PS_TRACK_THREAD,
                                             .range = PS_RANGE_ALL,
                                             .columns = PS_COL_BIT(PS_COL_NAME)};

    if (parts->inference->is_host)
        return read_host_parts(db, parts, err);
    ps_trace_each_chunk(db, &streams, visit_stream, parts, err);
    if (err->code != PS_OK || parts->by == BY_KERNEL)
        return err->code;
    ps_sort_records(parts->calls, parts->n_calls, sizeof *parts->calls);
    ps_trace_each_chunk(db, &operators, visit_operators, parts, err);
    for (; parts->next < parts->n_calls; parts->next++) /* of tracks that the run lacks */
        add_part(parts, 0, parts->calls[parts->next].family, parts->calls[parts->next].column,
                 parts->calls[parts->next].ns);
    return err->code;
}

static void add_column(struct parts *parts, int64_t step)
{
    if (step < 0)
        return;
    for (size_t i = 0; i < parts->n_columns; i++)
        if (parts->step[i] == step)
            return;
    parts->step[parts->n_columns] = step;
    parts->phase[parts->n_columns++] = parts->inference->steps[step].serving.phase;
}

/* The columns: the median steps of the phases, and the step of the parameter. */
static enum ps_status choose_steps(struct parts *parts, struct ps_params params, struct ps_err *err)
{
    const struct ps_inference *inference = parts->inference;
    const char *by = ps_param_get(params, "by");
    int64_t wanted, found = -1;

    if (by && strcmp(by, "operator") == 0)
        parts->by = BY_OPERATOR;
    else if (by && strcmp(by, "kernel") != 0)
        return ps_fail(err, PS_BAD_REQUEST, "by is 'kernel' or 'operator', not '%s'", by);
    if (ps_param_int(params, "step", 0, INT64_MAX, 0, &wanted, err) != PS_OK)
        return err->code;
    for (int phase = PS_PHASE_PREFILL; phase <= PS_PHASE_DECODE; phase++)
        add_column(parts, ps_inference_median(inference, (enum ps_phase)phase));
    for (size_t i = 0; i < inference->n; i++)
        if (inference->steps[i].id == wanted)
            found = (int64_t)i;
    if (wanted > 0 && found < 0)
        return ps_fail(err, PS_NOT_FOUND, "the run has no serving step %lld", (long long)wanted);
    add_column(parts, found);
    return PS_OK;
}

static int compare_parts(const void *a, const void *b)
{
    int64_t most[2] = {0, 0};
    const struct part *parts[2] = {a, b};

    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < COLUMNS_MAX; i++)
            most[side] = ps_add_saturated(most[side], parts[side]->ns[i]);
    if (most[0] != most[1])
        return most[0] < most[1] ? 1 : -1;
    return parts[0]->name < parts[1]->name ? -1 : parts[0]->name > parts[1]->name;
}

static void write_columns(struct ps_db *db, struct ps_json *json, const struct parts *parts,
                          struct ps_err *err)
{
    ps_json_key(json, "steps");
    ps_json_array(json);
    for (size_t i = 0; i < parts->n_columns; i++) {
        const struct ps_inference_step *step = &parts->inference->steps[parts->step[i]];
        PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

        ps_query_prepare(db, "serving_step_name", step->id, &stmt, err);
        ps_json_object(json);
        ps_json_key_str(json, "phase", ps_phase_name(parts->phase[i]));
        ps_json_key_int(json, "step", step->id);
        ps_json_key(json, "name");
        ps_json_str(json, ps_stmt_step(stmt, err) ? ps_col_text(stmt, 0) : (struct ps_str){0});
        ps_json_key_int(json, "busy_ns", step->busy_ns);
        ps_json_key_int(json, "host_ns", ps_inference_host_ns(step));
        ps_json_key_int(json, "kernels", step->n_kernels);
        ps_json_end(json);
    }
    ps_json_end(json);
}

static void write_part(struct ps_db *db, struct ps_json *json, const struct part *part,
                       size_t n_columns)
{
    ps_json_object(json);
    ps_json_text(json, "name", db, part->name);
    ps_json_key_int(json, "name_id", part->name);
    ps_json_key_int(json, "family", part->family);
    ps_json_ints(json, "ns", part->ns, n_columns);
    ps_json_ints(json, "calls", part->calls, n_columns);
    ps_json_end(json);
}

static void write_parts(struct ps_db *db, struct ps_json *json, struct parts *parts,
                        struct ps_err *err)
{
    struct part rest = {0};

    if (parts->n)
        qsort(parts->items, parts->n, sizeof *parts->items, compare_parts);
    for (size_t i = ROWS_MAX; i < parts->n; i++)
        for (size_t k = 0; k < parts->n_columns; k++) {
            rest.ns[k] = ps_add_saturated(rest.ns[k], parts->items[i].ns[k]);
            rest.calls[k] += parts->items[i].calls[k];
        }
    ps_json_object(json);
    ps_json_key_str(json, "by", parts->by == BY_KERNEL ? "kernel" : "operator");
    ps_json_key_str(json, "time", parts->inference->is_host ? "host" : "device");
    write_columns(db, json, parts, err);
    ps_json_key(json, "rows");
    ps_json_array(json);
    for (size_t i = 0; i < parts->n && i < ROWS_MAX; i++)
        write_part(db, json, &parts->items[i], parts->n_columns);
    ps_json_end(json);
    ps_json_key_int(json, "omitted", parts->n > ROWS_MAX ? (int64_t)(parts->n - ROWS_MAX) : 0);
    ps_json_ints(json, "omitted_ns", rest.ns, parts->n_columns);
    ps_json_end(json);
}

enum ps_status ps_view_inference_parts(struct ps_db *db, const struct ps_view *view, int64_t id,
                                       struct ps_params params, struct ps_answer *answer,
                                       struct ps_err *err)
{
    PS_AUTO(ps_inference_free) struct ps_inference inference = {0};
    PS_AUTO(parts_free) struct parts parts = {.inference = &inference};
    struct ps_json json = ps_json_writer(&answer->body);

    (void)view, (void)id;
    if (ps_inference_read(db, &inference, err) == PS_OK &&
        choose_steps(&parts, params, err) == PS_OK && read_parts(db, &parts, err) == PS_OK)
        write_parts(db, &json, &parts, err);
    return err->code;
}
