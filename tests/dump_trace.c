/* SPDX-License-Identifier: MIT */
/* dump_trace.c: the words of a trace as text. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/json_out.h"
#include "importers/records/collectives.h"
#include "importers/records/stacks.h"
#include "importers/records/steps.h"
#include "importers/records/trace.h"
#include "tests/dump_sink.h"

static struct ps_buf *begin(struct ps_sink *sink)
{
    return ((struct dump_sink *)sink)->out;
}

static void put_text(struct ps_buf *out, const char *key, struct ps_str value)
{
    struct ps_json json = ps_json_writer(out);

    ps_buf_printf(out, " %s=", key);
    ps_json_str(&json, value);
}

static void put_real(struct ps_buf *out, const char *key, double value)
{
    ps_buf_printf(out, " %s=%.17g", key, value);
}

static void put_num(struct ps_buf *out, const char *key, struct ps_num value)
{
    struct ps_json json = ps_json_writer(out);

    ps_buf_printf(out, " %s=", key);
    ps_json_num(&json, value);
}

static void put_int(struct ps_buf *out, const char *key, int64_t value)
{
    ps_buf_printf(out, " %s=%lld", key, (long long)value);
}

static void put_span(struct ps_buf *out, int64_t start_ns, int64_t end_ns)
{
    ps_buf_printf(out, " %lld..%lld", (long long)start_ns, (long long)end_ns);
}

void dump_text(struct ps_sink *sink, const struct ps_trace_text *row)
{
    struct ps_buf *out = begin(sink);

    if (!out)
        return;
    ps_buf_printf(out, "text %u", row->id);
    put_text(out, "text", row->text);
    if (row->group_key)
        put_int(out, "key", row->group_key);
    ps_buf_puts(out, "\n");
}

void dump_args_template(struct ps_sink *sink, const struct ps_args_template *row)
{
    struct ps_buf *out = begin(sink);

    if (!out)
        return;
    ps_buf_printf(out, "template %u", row->id);
    put_text(out, "text", row->text);
    if (row->shapes)
        put_int(out, "shapes", row->shapes);
    ps_buf_puts(out, "\n");
}

void dump_process(struct ps_sink *sink, const struct ps_process *row)
{
    struct ps_buf *out = begin(sink);

    if (!out)
        return;
    ps_buf_printf(out, "process %u", row->id);
    put_text(out, "pid", row->pid);
    put_text(out, "name", row->name);
    put_text(out, "labels", row->labels);
    ps_buf_printf(out, " sort=%lld device=%lld worker=%u\n", (long long)row->sort_key,
                  (long long)row->device, row->worker);
}

void dump_track(struct ps_sink *sink, const struct ps_track *row)
{
    struct ps_buf *out = begin(sink);

    if (!out)
        return;
    ps_buf_printf(out, "track %u process=%u kind=%d", row->id, row->process, (int)row->kind);
    put_text(out, "name", row->name);
    put_text(out, "tid", row->tid);
    put_int(out, "device", row->device);
    put_int(out, "stream", row->stream);
    put_int(out, "sort", row->sort_key);
    put_int(out, "slices", row->n_slices);
    put_int(out, "depth", row->n_lanes);
    put_span(out, row->start_ns, row->end_ns);
    if (row->sample_type)
        put_int(out, "sample_type", row->sample_type);
    ps_buf_puts(out, row->is_negative ? " negative\n" : "\n");
}

void dump_sample_type(struct ps_sink *sink, const struct ps_sample_type *row)
{
    struct ps_buf *out = begin(sink);

    if (!out)
        return;
    ps_buf_printf(out, "sample_type %u", row->id);
    put_text(out, "name", row->name);
    put_text(out, "unit", row->unit);
    ps_buf_printf(out, " scale=%.17g column=%d", row->scale, (int)row->file_column);
    put_num(out, "total", row->total);
    put_num(out, "negative", row->negative);
    put_int(out, "samples", row->samples);
    ps_buf_puts(out, row->is_default ? " default\n" : "\n");
}

void dump_sample_label(struct ps_sink *sink, const struct ps_sample_label *row)
{
    struct ps_buf *out = begin(sink);

    if (!out)
        return;
    ps_buf_printf(out, "sample_label %u", row->id);
    put_text(out, "key", row->key);
    put_text(out, "unit", row->unit);
    put_int(out, "values", row->n_values);
    put_int(out, "samples", row->samples);
    ps_buf_printf(out, " role=%d\n", (int)row->role);
}

void dump_sample_label_value(struct ps_sink *sink, const struct ps_sample_label_value *row)
{
    struct ps_buf *out = begin(sink);

    if (!out)
        return;
    ps_buf_printf(out, "  value of=%u type=%u", row->label, row->sample_type);
    put_text(out, "value", row->value);
    put_num(out, "total", row->total);
    put_int(out, "samples", row->samples);
    ps_buf_puts(out, "\n");
}

void dump_track_label(struct ps_sink *sink, const struct ps_track_label *row)
{
    struct ps_buf *out = begin(sink);

    if (!out)
        return;
    ps_buf_printf(out, "track_label track=%u label=%u", row->track, row->label);
    put_text(out, "value", row->value);
    ps_buf_puts(out, "\n");
}

/* Only what is not 0: most slices have little. */
static void put_slice(struct ps_buf *out, const struct ps_chunk *chunk, uint32_t i)
{
    static const char *const words[PS_N_SLICE_COLUMNS] = {
        "start",    "duration", "self",         "parent",     "depth",    "name",
        "category", "kind",     "flags",        "family",     "template", "args_at",
        "op_self",  "device",   "device_total", "cpu_b_self", "cpu_b",    "device_b_self",
        "device_b", "flops",    "launch",       "op"};

    ps_buf_printf(out, "  slice %u", chunk->first + i);
    for (int c = 0; c < PS_N_SLICE_COLUMNS; c++) {
        int64_t value = ps_chunk_value(chunk, (enum ps_slice_column)c, i);

        if (value || c <= PS_COL_DURATION)
            put_int(out, words[c], value);
    }
    ps_buf_puts(out, "\n");
}

void dump_slices(struct ps_sink *sink, const struct ps_chunk *chunk)
{
    struct ps_buf *out = begin(sink);

    ((struct dump_sink *)sink)->rows += chunk->n;
    if (!out)
        return;
    ps_buf_printf(out, "slices track=%u first=%u n=%u", chunk->track, chunk->first, chunk->n);
    put_span(out, chunk->start_ns, chunk->end_ns);
    ps_buf_puts(out, " args=");
    for (size_t i = 0; i < chunk->args.len; i++)
        ps_buf_printf(out, "%02x", (unsigned char)chunk->args.ptr[i]);
    ps_buf_puts(out, "\n");
    for (uint32_t i = 0; i < chunk->n; i++)
        put_slice(out, chunk, i);
}

void dump_flow(struct ps_sink *sink, const struct ps_flow *row)
{
    struct ps_buf *out = begin(sink);

    ((struct dump_sink *)sink)->rows++;
    if (!out)
        return;
    ps_buf_printf(out, "flow kind=%u from=%lld to=%lld", row->kind, (long long)row->from_slice,
                  (long long)row->to_slice);
    put_span(out, row->from_ns, row->to_ns);
    ps_buf_puts(out, "\n");
}

void dump_counter(struct ps_sink *sink, const struct ps_counter *row)
{
    struct ps_buf *out = begin(sink);

    if (!out)
        return;
    ps_buf_printf(out, "counter %u process=%u", row->id, row->process);
    put_text(out, "name", row->name);
    put_text(out, "unit", row->unit);
    ps_buf_puts(out, "\n");
}

void dump_count(struct ps_sink *sink, uint32_t counter, int64_t t_ns, double value)
{
    struct ps_buf *out = begin(sink);

    ((struct dump_sink *)sink)->rows++;
    if (!out)
        return;
    ps_buf_printf(out, "count %u t=%lld", counter, (long long)t_ns);
    put_real(out, "value", value);
    ps_buf_puts(out, "\n");
}

void dump_memory_event(struct ps_sink *sink, const struct ps_memory_event *row)
{
    struct ps_buf *out = begin(sink);

    ((struct dump_sink *)sink)->rows++;
    if (!out)
        return;
    ps_buf_puts(out, "memory_event");
    put_int(out, "t", row->t_ns);
    put_int(out, "type", row->device_type);
    put_int(out, "device", row->device);
    put_int(out, "bytes", row->bytes);
    put_int(out, "address", row->address);
    put_int(out, "allocated", row->allocated);
    put_int(out, "reserved", row->reserved);
    put_int(out, "slice", row->slice_id);
    ps_buf_puts(out, row->is_outside ? " outside\n" : "\n");
}

void dump_collective(struct ps_sink *sink, const struct ps_collective *row)
{
    struct ps_buf *out = begin(sink);

    if (!out)
        return;
    ps_buf_printf(out, "collective %u", row->id);
    put_text(out, "name", row->name);
    put_text(out, "group", row->group);
    put_text(out, "description", row->description);
    put_text(out, "members", row->members);
    put_text(out, "dtype", row->dtype);
    ps_buf_printf(out, " size=%u%s\n", row->group_size, row->is_described ? " described" : "");
}

void dump_collective_call(struct ps_sink *sink, const struct ps_collective_call *row)
{
    struct ps_buf *out = begin(sink);

    if (out)
        ps_buf_printf(out,
                      "collective_call %lld:%lld collective=%u start=%lld duration=%lld "
                      "sequence=%lld in=%lld out=%lld\n",
                      (long long)(row->slice_id >> 32), (long long)(row->slice_id & UINT32_MAX),
                      row->collective, (long long)row->start_ns, (long long)row->duration_ns,
                      (long long)row->sequence, (long long)row->bytes_in,
                      (long long)row->bytes_out);
}

void dump_step(struct ps_sink *sink, const struct ps_step *row)
{
    struct ps_buf *out = begin(sink);

    if (!out)
        return;
    ps_buf_printf(out, "step %u worker=%u", row->id, row->worker);
    put_text(out, "name", row->name);
    put_span(out, row->start_ns, row->end_ns);
    put_span(out, row->host_start_ns, row->host_end_ns);
    ps_buf_puts(out, row->is_counted ? " counted\n" : "\n");
}

void dump_step_part(struct ps_sink *sink, const struct ps_step_part *row)
{
    struct ps_buf *out = begin(sink);

    if (out)
        ps_buf_printf(out, "step_part %u definition=%u %s=%lld\n", row->step, row->breakdown,
                      row->name, (long long)row->ns);
}

void dump_device(struct ps_sink *sink, const struct ps_device_summary *row)
{
    struct ps_buf *out = begin(sink);

    if (!out)
        return;
    ps_buf_printf(out, "device %lld worker=%u", (long long)row->device, row->worker);
    put_text(out, "name", row->name);
    put_text(out, "json", row->json);
    put_int(out, "span", row->span_ns);
    put_int(out, "busy", row->busy_ns);
    put_real(out, "sm_efficiency", row->sm_efficiency);
    put_real(out, "occupancy", row->occupancy);
    put_int(out, "kernel", row->kernel_ns);
    put_int(out, "tensor_core", row->tensor_core_ns);
    put_int(out, "communication", row->communication_ns);
    put_int(out, "overlap", row->overlap_ns);
    put_int(out, "kernels", row->n_kernels);
    put_int(out, "copies", row->n_copies);
    put_int(out, "hta_kernel", row->hta_kernel_time_ns);
    put_int(out, "hta_compute", row->hta_compute_ns);
    put_int(out, "hta_non_compute", row->hta_non_compute_ns);
    put_int(out, "hta_idle", row->hta_idle_ns);
    ps_buf_puts(out, "\n");
}

void dump_gap(struct ps_sink *sink, const struct ps_gap *row)
{
    struct ps_buf *out = begin(sink);

    if (!out)
        return;
    ps_buf_printf(out, "gap track=%lld", (long long)row->stream_track);
    put_span(out, row->start_ns, row->end_ns);
    ps_buf_printf(out, " cause=%u before=%lld after=%lld\n", row->cause,
                  (long long)row->slice_before, (long long)row->slice_after);
}

void dump_module(struct ps_sink *sink, const struct ps_module *row)
{
    struct ps_buf *out = begin(sink);

    if (!out)
        return;
    ps_buf_printf(out, "module %u parent=%u", row->id, row->parent);
    put_text(out, "name", row->name);
    put_int(out, "calls", row->n_calls);
    put_int(out, "host_self", row->host_self_ns);
    put_int(out, "host_total", row->host_total_ns);
    put_int(out, "device_self", row->device_self_ns);
    put_int(out, "device_total", row->device_total_ns);
    put_int(out, "operators", row->n_operators);
    put_int(out, "first_slice", row->first_slice);
    ps_buf_puts(out, "\n");
}

int dump_scratch(struct ps_sink *sink)
{
    char path[] = "/tmp/perfshelf-XXXXXX";
    int fd = mkostemp(path, O_CLOEXEC);

    if (fd < 0)
        ps_fail_errno(&sink->err, "cannot write", path);
    else
        (void)unlink(path);
    return fd;
}
