/* SPDX-License-Identifier: MIT */
#include "importers/serving/trace_steps.h"

#include <stdlib.h>

#include "importers/records/run.h"
#include "importers/records/steps.h"
#include "importers/records/trace.h"
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

/* The sink's operations while the trace is imported: those that the job does not look at are those
 * of the sink. First member of the capture, so that a callback finds its capture. */
struct capture {
    struct ps_sink_ops ops;
    const struct ps_sink_ops *before;
    struct sv_run *run;
    struct ps_str *names; /* by id of text; {NULL, 0}: not the name of a request */
    size_t n_names;
    struct request_slice *slices;
    size_t n_slices, cap_slices;
    int64_t base_ns, origin_us;
};

static struct capture *capture_of(struct ps_sink *sink)
{
    return (struct capture *)sink->ops;
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
    struct capture *capture = capture_of(sink);

    if (strcmp(key, "header.baseTimeNanoseconds") == 0)
        (void)ps_str_parse_i64(value, &capture->base_ns);
    else if (strcmp(key, "origin_us") == 0)
        (void)ps_str_parse_i64(value, &capture->origin_us);
    capture->before->meta(sink, key, value);
}

static void on_text(struct ps_sink *sink, const struct ps_trace_text *row)
{
    struct capture *capture = capture_of(sink);
    struct request_name name;

    if (parse_name(row->text, &name)) {
        capture->names =
            ps_grow_to(capture->names, &capture->n_names, row->id, sizeof *capture->names);
        capture->names[row->id] = ps_arena_copy(&capture->run->arena, row->text);
    }
    capture->before->text(sink, row);
}

static void on_slices(struct ps_sink *sink, const struct ps_chunk *chunk)
{
    struct capture *capture = capture_of(sink);

    for (uint32_t i = 0; capture->n_names && i < chunk->n; i++) {
        const int64_t name = ps_chunk_value(chunk, PS_COL_NAME, i);

        if (name < 0 || (size_t)name >= capture->n_names || !capture->names[name].len)
            continue;
        PS_RESERVE_ONE(capture->slices, capture->n_slices, capture->cap_slices);
        capture->slices[capture->n_slices++] =
            (struct request_slice){ps_chunk_value(chunk, PS_COL_START, i), name};
    }
    capture->before->slices(sink, chunk);
}

static void on_step(struct ps_sink *sink, const struct ps_step *row)
{
    struct capture *capture = capture_of(sink);
    struct ps_serving_step step;

    if (ps_serving_step_parse(row->name, &step) && capture->run->n_steps < SV_STEPS_MAX)
        sv_add_step(capture->run, &(struct ps_engine_step){
                                      .number = PS_COUNT_UNKNOWN,
                                      .name = sv_text(capture->run, row->name),
                                      .start_ns = row->host_start_ns,
                                      .end_ns = row->host_end_ns,
                                      .step = row->id,
                                      .context_requests = step.prefill.requests,
                                      .context_tokens = step.prefill.tokens,
                                      .generation_requests = step.decode.requests,
                                      .generation_tokens = step.decode.tokens,
                                      .running = PS_COUNT_UNKNOWN,
                                      .waiting = PS_COUNT_UNKNOWN,
                                  });
    capture->before->step(sink, row);
}

/* The ledger of the job also has the records of its other files. */
static void on_ledger(struct ps_sink *sink, const struct ps_ledger *row)
{
    struct ps_ledger *sum = &capture_of(sink)->run->ledger;

    sum->read += row->read;
    sum->repaired += row->repaired;
    sum->rejected += row->rejected;
    sum->other += row->other;
}

static void on_headline(struct ps_sink *sink, const struct ps_headline *row)
{
    (void)sink, (void)row;
}

/* --- The trace --- */

/* Adds the requests that slices name to the steps within which they begin. */
static void add_served(struct capture *capture, size_t first_step)
{
    struct sv_run *run = capture->run;
    size_t at = 0;

    ps_sort_records(capture->slices, capture->n_slices, sizeof *capture->slices);
    for (size_t i = first_step; i < run->n_steps; i++) {
        struct sv_step *step = &run->steps[i];

        step->first_served = run->n_served;
        while (at < capture->n_slices && capture->slices[at].start_ns < step->row.start_ns)
            at++;
        for (; at < capture->n_slices && capture->slices[at].start_ns <= step->row.end_ns; at++) {
            struct request_name name;
            uint32_t index;

            if (!parse_name(capture->names[capture->slices[at].name], &name) ||
                run->n_engine_requests >= SV_REQUESTS_MAX)
                continue;
            (void)sv_engine_request(run, name.id, &index);
            sv_add_served_to(run, i,
                             &(struct sv_served){.engine_request = index,
                                                 .tokens = name.tokens,
                                                 .computed = name.computed,
                                                 .is_prefill = name.is_prefill});
        }
    }
}

/* Makes the origin of the trace that of the run, and its times count from 1970. */
static void set_origin(struct capture *capture, struct sv_file *file, size_t first_step)
{
    struct sv_run *run = capture->run;
    int64_t ns;

    if (__builtin_mul_overflow(capture->origin_us, INT64_C(1000), &ns) ||
        __builtin_add_overflow(ns, capture->base_ns, &ns) || ns / 1000 < UNIX_MIN_US) {
        file->clock = SV_CLOCK_OWN;
        run->origin_ns = 0;
        return;
    }
    run->origin_ns = ns;
    for (size_t i = first_step; i < run->n_steps; i++) {
        run->steps[i].row.start_ns += ns;
        run->steps[i].row.end_ns += ns;
    }
}

enum ps_status sv_import_trace(struct sv_run *run, struct ps_str name,
                               enum ps_status (*load)(struct ps_stream *, struct ps_sink *,
                                                      struct ps_err *),
                               struct ps_stream *in, struct ps_err *err)
{
    struct ps_sink *sink = run->out;
    struct capture capture = {.ops = *sink->ops, .before = sink->ops, .run = run};
    uint32_t file = sv_begin_file(run, name, PS_SERVING_TRACE, "PyTorch", SV_CLOCK_UNIX);
    size_t first_step = run->n_steps;
    enum ps_status status;

    capture.ops.meta = on_meta;
    capture.ops.text = on_text;
    capture.ops.slices = on_slices;
    capture.ops.step = on_step;
    capture.ops.ledger = on_ledger;
    capture.ops.headline = on_headline;
    sink->ops = &capture.ops;
    status = load(in, sink, err);
    sink->ops = capture.before;
    if (status == PS_OK) {
        add_served(&capture, first_step);
        set_origin(&capture, &run->files[file], first_step);
    }
    free(capture.names);
    free(capture.slices);
    return status;
}
