/* SPDX-License-Identifier: MIT */
/* dump_requests.c: the words of a serving run as text. */
#include <math.h>

#include "base/json_out.h"
#include "importers/records/requests.h"
#include "tests/dump_sink.h"

static struct ps_buf *begin(struct ps_sink *sink)
{
    struct dump_sink *dump = (struct dump_sink *)sink;

    dump->rows++;
    return dump->out;
}

static void put_text(struct ps_buf *out, const char *key, struct ps_str value)
{
    struct ps_json json = ps_json_writer(out);

    if (!value.len)
        return;
    ps_buf_printf(out, " %s=", key);
    ps_json_str(&json, value);
}

static void put_time(struct ps_buf *out, const char *key, int64_t ns)
{
    if (ns != PS_TIME_UNKNOWN)
        ps_buf_printf(out, " %s=%lld", key, (long long)ns);
}

static void put_count(struct ps_buf *out, const char *key, int64_t n)
{
    if (n != PS_COUNT_UNKNOWN)
        ps_buf_printf(out, " %s=%lld", key, (long long)n);
}

void dump_serving_file(struct ps_sink *sink, const struct ps_serving_file *row)
{
    struct ps_buf *out = begin(sink);

    if (!out)
        return;
    ps_buf_printf(out, "serving_file %u role=%d method=%d", row->id, row->role, row->method);
    put_text(out, "name", row->name);
    put_text(out, "tool", row->tool);
    put_time(out, "offset", row->offset_ns);
    put_count(out, "error", row->error_ns);
    ps_buf_printf(out, " pairs=%llu\n", (unsigned long long)row->n_pairs);
}

void dump_serving_result(struct ps_sink *sink, const struct ps_serving_result *row)
{
    struct ps_buf *out = begin(sink);

    if (!out)
        return;
    ps_buf_printf(out, "serving_result %u metrics=%u..%u", row->id, row->first, row->last);
    put_text(out, "name", row->name);
    put_text(out, "parameters", row->parameters);
    ps_buf_puts(out, "\n");
}

static void put_gaps(struct ps_buf *out, const struct ps_serving_request *row)
{
    if (row->n_gaps)
        ps_buf_puts(out, "  gaps");
    for (size_t i = 0; i < row->n_gaps; i++)
        ps_buf_printf(out, " %lld", (long long)row->gaps_ns[i]);
    if (row->n_gaps)
        ps_buf_puts(out, "\n");
}

void dump_request(struct ps_sink *sink, const struct ps_serving_request *row)
{
    struct ps_buf *out = begin(sink);

    if (!out)
        return;
    ps_buf_printf(out, "request %u result=%u position=%lld state=%d", row->id, row->result,
                  (long long)row->position, row->state);
    put_text(out, "name", row->name);
    put_text(out, "error", row->error);
    put_time(out, "start", row->start_ns);
    put_time(out, "arrival", row->arrival_ns);
    put_time(out, "scheduled", row->scheduled_ns);
    put_time(out, "first_token", row->first_token_ns);
    put_time(out, "last_token", row->last_token_ns);
    put_time(out, "end", row->end_ns);
    put_count(out, "ttft", row->ttft_ns);
    put_count(out, "latency", row->latency_ns);
    if (!isnan(row->tpot_ns))
        ps_buf_printf(out, " tpot=%.17g", row->tpot_ns);
    put_count(out, "prompt", row->prompt_tokens);
    put_count(out, "output", row->output_tokens);
    put_count(out, "engine_prompt", row->engine_prompt_tokens);
    put_count(out, "engine_output", row->engine_output_tokens);
    put_count(out, "cached", row->cached_tokens);
    ps_buf_puts(out, row->is_estimated ? " estimated\n" : "\n");
    put_gaps(out, row);
}

void dump_engine_step(struct ps_sink *sink, const struct ps_engine_step *row)
{
    struct ps_buf *out = begin(sink);

    if (!out)
        return;
    ps_buf_printf(out, "engine_step %u %lld..%lld", row->id, (long long)row->start_ns,
                  (long long)row->end_ns);
    put_count(out, "number", row->number);
    put_text(out, "name", row->name);
    if (row->step)
        ps_buf_printf(out, " step=%u", row->step);
    put_count(out, "context_requests", row->context_requests);
    put_count(out, "context_tokens", row->context_tokens);
    put_count(out, "generation_requests", row->generation_requests);
    put_count(out, "generation_tokens", row->generation_tokens);
    put_count(out, "running", row->running);
    put_count(out, "waiting", row->waiting);
    ps_buf_puts(out, "\n");
}

void dump_served(struct ps_sink *sink, const struct ps_served *row)
{
    struct ps_buf *out = begin(sink);

    if (!out)
        return;
    ps_buf_printf(out, "served step=%u request=%u tokens=%lld", row->step, row->request,
                  (long long)row->tokens);
    put_count(out, "computed", row->computed);
    ps_buf_puts(out, row->is_prefill ? " prefill\n" : "\n");
}
