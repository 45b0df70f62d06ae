/* SPDX-License-Identifier: MIT */
#include "importers/serving/trace_steps.h"

#include <stdlib.h>

#include "base/buf.h"
#include "importers/records/run.h"
#include "importers/records/steps.h"
#include "importers/records/trace.h"
#include "importers/trace/members.h"
#include "slices/intervals.h"
#include "slices/serving.h"

/* Times before 2010 do not count from 1970. */
#define UNIX_MIN_US (INT64_C(40) * 31556952 * 1000000)

/* What "request[id=cmpl-7 phase=prefill tokens=256 computed=512]" states. */
struct request_name {
    struct ps_str id;
    int64_t tokens, computed; /* PS_COUNT_UNKNOWN */
    bool is_prefill;
};

/* A slice with such a name. */
struct request_slice {
    int64_t start_ns; /* first member, the sort key */
    int64_t name;     /* id of its text */
};

/* The sink's operations while traces are imported: those that the job does not look at are those
 * of the sink. First member, so that a callback finds the rest. */
struct sv_traces {
    struct ps_sink_ops ops;
    const struct ps_sink_ops *before;
    struct sv_run *run;
    struct ps_str *names; /* by id of text; {NULL, 0}: not the name of a request */
    size_t n_names;
    struct request_slice *slices;
    size_t n_slices, cap_slices;
    int64_t base_ns, origin_us;
    struct tr_members *members;
    struct ps_str *files; /* names of the traces */
    size_t n_files, cap_files;
    struct ps_engine_step *steps; /* of the first worker that has any */
    size_t n_steps, cap_steps;
    uint32_t worker;
};

static struct sv_traces *traces_of(struct ps_sink *sink)
{
    return (struct sv_traces *)sink->ops;
}

/* --- Names --- */

/* The value of "key=value" in the text; ends at a space or the closing bracket. */
static struct ps_str value_of(struct ps_str text, struct ps_str key)
{
    const char *at = ps_str_find(text, key);
    struct ps_str value = {NULL, 0};

    if (!at || at == text.ptr || (at[-1] != ' ' && at[-1] != '['))
        return value;
    value = ps_str_skip(text, (size_t)(at - text.ptr) + key.len);
    for (size_t i = 0; i < value.len; i++)
        if (value.ptr[i] == ' ' || value.ptr[i] == ']' || value.ptr[i] == ',') {
            value.len = i;
            break;
        }
    return value;
}

static int64_t count_of(struct ps_str text, struct ps_str key)
{
    int64_t n;

    return ps_str_parse_i64(value_of(text, key), &n) && n >= 0 ? n : PS_COUNT_UNKNOWN;
}

static bool parse_name(struct ps_str text, struct request_name *out)
{
    struct ps_str phase;

    if (!ps_str_starts_with(text, PS_STR("request[")))
        return false;
    phase = value_of(text, PS_STR("phase="));
    *out = (struct request_name){.id = value_of(text, PS_STR("id=")),
                                 .tokens = count_of(text, PS_STR("tokens=")),
                                 .computed = count_of(text, PS_STR("computed=")),
                                 .is_prefill = ps_str_eq_c(phase, "prefill")};
    return out->id.len && (out->is_prefill || ps_str_eq_c(phase, "decode"));
}

/* --- Callbacks --- */

static void on_meta(struct ps_sink *sink, const char *key, struct ps_str value)
{
    struct sv_traces *traces = traces_of(sink);

    if (strcmp(key, "header.baseTimeNanoseconds") == 0)
        (void)ps_str_parse_i64(value, &traces->base_ns);
    else if (strcmp(key, "origin_us") == 0)
        (void)ps_str_parse_i64(value, &traces->origin_us);
    traces->before->meta(sink, key, value);
}

static void on_text(struct ps_sink *sink, const struct ps_trace_text *row)
{
    struct sv_traces *traces = traces_of(sink);
    struct request_name name;

    if (parse_name(row->text, &name)) {
        traces->names = ps_grow_to(traces->names, &traces->n_names, row->id, sizeof *traces->names);
        traces->names[row->id] = ps_arena_copy(&traces->run->arena, row->text);
    }
    traces->before->text(sink, row);
}

static void on_slices(struct ps_sink *sink, const struct ps_chunk *chunk)
{
    struct sv_traces *traces = traces_of(sink);

    for (uint32_t i = 0; traces->n_names && i < chunk->n; i++) {
        const int64_t name = ps_chunk_value(chunk, PS_COL_NAME, i);

        if (name < 0 || (size_t)name >= traces->n_names || !traces->names[name].len)
            continue;
        PS_RESERVE_ONE(traces->slices, traces->n_slices, traces->cap_slices);
        traces->slices[traces->n_slices++] =
            (struct request_slice){ps_chunk_value(chunk, PS_COL_START, i), name};
    }
    traces->before->slices(sink, chunk);
}

static void on_step(struct ps_sink *sink, const struct ps_step *row)
{
    struct sv_traces *traces = traces_of(sink);
    struct ps_serving_step step;

    if (ps_serving_step_parse(row->name, &step) && traces->n_steps < SV_STEPS_MAX &&
        (traces->n_steps == 0 || row->worker == traces->worker)) {
        traces->worker = row->worker;
        PS_RESERVE_ONE(traces->steps, traces->n_steps, traces->cap_steps);
        traces->steps[traces->n_steps++] = (struct ps_engine_step){
            .number = PS_COUNT_UNKNOWN,
            .name = sv_text(traces->run, row->name),
            .start_ns = row->host_start_ns,
            .end_ns = row->host_end_ns,
            .step = row->id,
            .context_requests = step.prefill.requests,
            .context_tokens = step.prefill.tokens,
            .generation_requests = step.decode.requests,
            .generation_tokens = step.decode.tokens,
            .running = PS_COUNT_UNKNOWN,
            .waiting = PS_COUNT_UNKNOWN,
        };
    }
    traces->before->step(sink, row);
}

/* The ledger of the job also has the records of its other files. */
static void on_ledger(struct ps_sink *sink, const struct ps_ledger *row)
{
    struct ps_ledger *sum = &traces_of(sink)->run->ledger;

    sum->read += row->read;
    sum->repaired += row->repaired;
    sum->rejected += row->rejected;
    sum->other += row->other;
}

static void on_headline(struct ps_sink *sink, const struct ps_headline *row)
{
    (void)sink, (void)row;
}

/* --- Traces --- */

/* Adds the requests of slices that begin within the last step, from *at on. The ranks of an engine
 * all name them. `served`: the last step in which each request was. */
static void add_served(struct sv_traces *traces, size_t *at, int64_t end_ns, struct ps_buf *served)
{
    struct sv_run *run = traces->run;

    for (; *at < traces->n_slices && traces->slices[*at].start_ns <= end_ns; ++*at) {
        struct request_name name;
        uint32_t index, zero = 0;

        if (!parse_name(traces->names[traces->slices[*at].name], &name) ||
            run->n_engine_requests >= SV_REQUESTS_MAX)
            continue;
        (void)sv_engine_request(run, name.id, &index);
        while (served->len <= index * sizeof zero)
            ps_buf_add(served, (const char *)&zero, sizeof zero);
        if (((uint32_t *)(void *)served->ptr)[index] == run->n_steps)
            continue;
        ((uint32_t *)(void *)served->ptr)[index] = (uint32_t)run->n_steps;
        sv_add_served(run, index, name.tokens, name.computed, name.is_prefill);
    }
}

/* Adds the steps, in ns since 1970 if `origin_ns` is not 0. */
static void add_steps(struct sv_traces *traces, int64_t origin_ns)
{
    PS_AUTO(ps_buf_free) struct ps_buf served = {0};
    size_t at = 0;

    ps_sort_records(traces->slices, traces->n_slices, sizeof *traces->slices);
    for (size_t i = 0; i < traces->n_steps; i++) {
        struct ps_engine_step step = traces->steps[i];

        while (at < traces->n_slices && traces->slices[at].start_ns < step.start_ns)
            at++;
        step.start_ns += origin_ns;
        step.end_ns += origin_ns;
        sv_add_step(traces->run, &step);
        add_served(traces, &at, traces->steps[i].end_ns, &served);
    }
}

/* Makes the origin of the traces that of the run. Returns it in ns since 1970; 0: their times do
 * not count from then. */
static int64_t set_origin(struct sv_traces *traces)
{
    int64_t ns;

    if (__builtin_mul_overflow(traces->origin_us, INT64_C(1000), &ns) ||
        __builtin_add_overflow(ns, traces->base_ns, &ns) || ns / 1000 < UNIX_MIN_US)
        ns = 0;
    traces->run->origin_ns = ns;
    return ns;
}

struct sv_traces *sv_traces_new(struct sv_run *run)
{
    struct sv_traces *traces = ps_alloc(sizeof *traces);

    *traces = (struct sv_traces){.ops = *run->out->ops, .before = run->out->ops, .run = run};
    traces->ops.meta = on_meta;
    traces->ops.text = on_text;
    traces->ops.slices = on_slices;
    traces->ops.step = on_step;
    traces->ops.ledger = on_ledger;
    traces->ops.headline = on_headline;
    traces->members = tr_members_new(run->out);
    return traces;
}

enum ps_status sv_traces_add(struct sv_traces *traces, struct ps_str name, struct ps_stream *in,
                             struct ps_err *err)
{
    struct ps_sink *sink = traces->run->out;
    enum ps_status status;

    PS_RESERVE_ONE(traces->files, traces->n_files, traces->cap_files);
    traces->files[traces->n_files++] = sv_text(traces->run, name);
    sink->ops = &traces->ops;
    status = tr_members_add(traces->members, in, name, err);
    sink->ops = traces->before;
    return status;
}

enum ps_status sv_traces_end(struct sv_traces *traces, struct ps_err *err)
{
    struct ps_sink *sink = traces->run->out;
    enum ps_status status;
    int64_t origin_ns;

    if (!traces->n_files)
        return PS_OK;
    sink->ops = &traces->ops;
    status = tr_members_end(traces->members, err);
    sink->ops = traces->before;
    if (status != PS_OK)
        return status;
    origin_ns = set_origin(traces);
    for (size_t i = 0; i < traces->n_files; i++)
        sv_begin_file(traces->run, traces->files[i], PS_SERVING_TRACE, "PyTorch",
                      origin_ns ? SV_CLOCK_UNIX : SV_CLOCK_OWN);
    add_steps(traces, origin_ns);
    return status;
}

void sv_traces_free(struct sv_traces *traces)
{
    if (!traces)
        return;
    tr_members_free(traces->members);
    free(traces->names);
    free(traces->slices);
    free(traces->steps);
    free(traces->files);
    free(traces);
}
