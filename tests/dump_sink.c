/* SPDX-License-Identifier: MIT */
#include "tests/dump_sink.h"

#include "base/json_out.h"
#include "importers/records/actions.h"
#include "importers/records/functions.h"
#include "importers/records/imports.h"
#include "importers/records/lines.h"
#include "importers/records/measurements.h"
#include "importers/records/memory_curve.h"
#include "importers/records/printed.h"
#include "importers/records/run.h"

static struct ps_buf *begin(struct ps_sink *sink, const char *what)
{
    struct dump_sink *dump = (struct dump_sink *)sink;

    if (dump->out)
        ps_buf_puts(dump->out, what);
    return dump->out;
}

static void put_text(struct ps_buf *out, const char *key, struct ps_str value)
{
    struct ps_json json = ps_json_writer(out);

    ps_buf_printf(out, " %s=", key);
    ps_json_str(&json, value);
}

static void put_num(struct ps_buf *out, const char *key, struct ps_num value)
{
    struct ps_json json = ps_json_writer(out);

    ps_buf_printf(out, " %s=", key);
    ps_json_num(&json, value);
}

static void on_meta(struct ps_sink *sink, const char *key, struct ps_str value)
{
    struct ps_buf *out = begin(sink, "meta");

    if (!out)
        return;
    put_text(out, key, value);
    ps_buf_puts(out, "\n");
}

static void on_number(struct ps_sink *sink, const char *key, struct ps_num value)
{
    struct ps_buf *out = begin(sink, "number");

    if (!out)
        return;
    put_num(out, key, value);
    ps_buf_puts(out, "\n");
}

static void on_list(struct ps_sink *sink, const char *key, const struct ps_str *items, size_t n)
{
    struct ps_buf *out = begin(sink, "list ");

    if (!out)
        return;
    ps_buf_puts(out, key);
    for (size_t i = 0; i < n; i++)
        put_text(out, "item", items[i]);
    ps_buf_puts(out, "\n");
}

static void on_note(struct ps_sink *sink, const struct ps_note *note)
{
    static const char *const words[] = {"info", "warning", "repaired", "rejected"};
    struct ps_buf *out = begin(sink, "note ");

    ((struct dump_sink *)sink)->notes++;
    if (!out)
        return;
    ps_buf_puts(out, words[note->severity]);
    if (note->has_offset)
        ps_buf_printf(out, " at=%llu", (unsigned long long)note->offset);
    if (note->line)
        ps_buf_printf(out, " line=%llu", (unsigned long long)note->line);
    put_text(out, "what", note->text);
    ps_buf_puts(out, "\n");
}

static void on_package(struct ps_sink *sink, const struct ps_package *package)
{
    struct ps_buf *out = begin(sink, "package");

    if (!out)
        return;
    ps_buf_printf(out, " %u", package->id);
    put_text(out, "name", package->name);
    ps_buf_printf(out, " origin=%d modules=%u", package->origin, package->n_modules);
    put_num(out, "self", package->self_us);
    put_num(out, "inclusive", package->inclusive_us);
    ps_buf_printf(out, " first=%u\n", package->first_import);
}

static void on_import(struct ps_sink *sink, const struct ps_import *row)
{
    struct ps_buf *out = begin(sink, "import");

    ((struct dump_sink *)sink)->rows++;
    if (!out)
        return;
    ps_buf_printf(out, " %u line=%llu parent=%u importer=%u depth=%d start=%u", row->id,
                  (unsigned long long)row->line, row->parent, row->importer, row->depth,
                  row->start_order);
    put_text(out, "module", row->module);
    ps_buf_printf(out, " package=%u", row->package);
    put_num(out, "self", row->self_us);
    put_num(out, "cumulative", row->cumulative_us);
    ps_buf_printf(out, " total=%lld children=%u interpreter=%u%s%s%s%s%s%s%s\n",
                  (long long)row->total_us, row->n_children, row->interpreter,
                  row->is_cached ? " cached" : "", row->is_startup ? " startup" : "",
                  row->is_unfinished ? " unfinished" : "", row->is_topmost ? " topmost" : "",
                  row->is_first_of_module ? " first" : "",
                  row->is_importer_estimated ? " estimated" : "",
                  row->is_in_function ? " recorded in a function"
                  : row->is_recorded  ? " recorded"
                                      : "");
}

static void put_call(struct ps_buf *out, const struct ps_call *call)
{
    ps_buf_printf(out, "  from %u", call->caller);
    put_num(out, "ncalls", call->ncalls);
    put_num(out, "primitive", call->primitive_calls);
    put_num(out, "tottime", call->tottime_s);
    put_num(out, "cumtime", call->cumtime_s);
    ps_buf_puts(out, "\n");
}

static void on_function(struct ps_sink *sink, const struct ps_function *f)
{
    struct ps_buf *out = begin(sink, "function");

    ((struct dump_sink *)sink)->rows++;
    if (!out)
        return;
    ps_buf_printf(out, " %u", f->id);
    put_text(out, "file", f->file);
    put_num(out, "line", f->line);
    put_text(out, "name", f->name);
    put_num(out, "ncalls", f->ncalls);
    put_num(out, "primitive", f->primitive_calls);
    put_num(out, "tottime", f->tottime_s);
    put_num(out, "cumtime", f->cumtime_s);
    ps_buf_printf(out, " origin=%d cycle=%u%s\n", f->origin, f->cycle,
                  f->has_entry ? "" : " unlisted");
    for (uint32_t i = 0; i < f->n_callers; i++)
        put_call(out, &f->callers[i]);
    if (f->n_callees)
        ps_buf_puts(out, "  to");
    for (uint32_t i = 0; i < f->n_callees; i++)
        ps_buf_printf(out, " %u", f->callees[i]);
    if (f->n_callees)
        ps_buf_puts(out, "\n");
}

static void on_report(struct ps_sink *sink, const struct ps_report *report)
{
    struct ps_buf *out = begin(sink, "report");

    if (!out)
        return;
    ps_buf_printf(out, " %u", report->id);
    put_text(out, "stage", report->stage);
    put_text(out, "title", report->title);
    put_text(out, "ordered", report->sort_key);
    put_num(out, "ncalls", report->ncalls);
    put_num(out, "primitive", report->primitive_calls);
    put_num(out, "seconds", report->seconds);
    if (report->grouped_by[0])
        ps_buf_printf(out, " by=%s", report->grouped_by);
    if (report->device_seconds.kind != PS_NUM_NONE)
        put_num(out, "device", report->device_seconds);
    put_num(out, "of", report->n_profile_functions);
    ps_buf_printf(out, " first=%u rows=%u\n", report->first_row, report->n_rows);
}

static void on_operator_row(struct ps_sink *sink, const struct ps_operator_row *row)
{
    static const char *const keys[PS_N_OPERATOR_METRICS] = {
        "calls",        "self_cpu",    "cpu_total",    "cpu_mean",          "self_device",
        "device_total", "device_mean", "self_cpu_pct", "total_pct",         "self_device_pct",
        "bytes",        "self_bytes",  "device_bytes", "self_device_bytes", "flops"};
    struct ps_buf *out = begin(sink, "operator");

    ((struct dump_sink *)sink)->rows++;
    if (!out)
        return;
    ps_buf_printf(out, " %u", row->id);
    put_text(out, "name", row->name);
    if (row->overload.len)
        put_text(out, "overload", row->overload);
    if (row->shapes.len)
        put_text(out, "shapes", row->shapes);
    if (row->source.len)
        put_text(out, "source", row->source);
    for (int i = 0; i < PS_N_OPERATOR_METRICS; i++)
        if (row->metrics[i].kind != PS_NUM_NONE)
            put_num(out, keys[i], row->metrics[i]);
    ps_buf_printf(out, " family=%d%s\n", row->family, row->is_truncated ? " cut" : "");
}

static void on_section(struct ps_sink *sink, const struct ps_section *row)
{
    struct ps_buf *out = begin(sink, "section");

    if (!out)
        return;
    ps_buf_printf(out, " %u", row->id);
    put_text(out, "stage", row->stage);
    put_num(out, "total", row->total_s);
    put_num(out, "calls", row->calls);
    ps_buf_puts(out, "\n");
}

static void on_action(struct ps_sink *sink, const struct ps_action *row)
{
    struct ps_buf *out = begin(sink, "action");

    ((struct dump_sink *)sink)->rows++;
    if (!out)
        return;
    ps_buf_printf(out, " %u section=%u", row->id, row->section);
    put_text(out, "name", row->name);
    put_num(out, "calls", row->calls);
    put_num(out, "mean", row->mean_s);
    put_num(out, "total", row->total_s);
    put_num(out, "pct", row->pct);
    ps_buf_printf(out, " report=%u\n", row->report);
}

static void on_line_file(struct ps_sink *sink, const struct ps_line_file *file)
{
    struct ps_buf *out = begin(sink, "line_file");

    if (!out)
        return;
    ps_buf_printf(out, " %u", file->id);
    put_text(out, "path", file->path);
    ps_buf_printf(out, " origin=%d", file->origin);
    if (file->cpu_pct.kind != PS_NUM_NONE)
        put_num(out, "cpu_pct", file->cpu_pct);
    ps_buf_puts(out, "\n");
}

static void on_line_function(struct ps_sink *sink, const struct ps_line_function *f)
{
    struct ps_buf *out = begin(sink, "line_function");

    if (!out)
        return;
    ps_buf_printf(out, " %u file=%u", f->id, f->file);
    put_text(out, "name", f->name);
    ps_buf_printf(out, " first_line=%u\n", f->first_line);
}

static void put_figures(struct ps_buf *out, const struct ps_line_metrics *f)
{
    const struct {
        const char *key;
        struct ps_num value;
    } figures[] = {
        {"hits", f->hits},
        {"ticks", f->ticks},
        {"mem", f->mem_mib},
        {"increment", f->increment_mib},
        {"occurrences", f->occurrences},
        {"python", f->cpu_python_pct},
        {"native", f->cpu_native_pct},
        {"system", f->cpu_system_pct},
        {"gpu", f->gpu_pct},
        {"gpu_avg", f->gpu_avg_mib},
        {"gpu_peak", f->gpu_peak_mib},
        {"avg", f->avg_mib},
        {"peak", f->peak_mib},
        {"malloc", f->malloc_mib},
        {"mallocs", f->mallocs},
        {"growth", f->growth_mib},
        {"usage", f->usage_fraction},
        {"python_fraction", f->python_fraction},
        {"copy", f->copy_mib_s},
        {"cores", f->core_utilization},
        {"leak_likelihood", f->leak_likelihood},
        {"leak", f->leak_mib_s},
    };

    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        if (figures[i].value.kind != PS_NUM_NONE)
            put_num(out, figures[i].key, figures[i].value);
}

static void on_line(struct ps_sink *sink, const struct ps_line_row *row)
{
    struct ps_buf *out = begin(sink, row->is_function ? "of_function" : "line");

    ((struct dump_sink *)sink)->rows++;
    if (!out)
        return;
    ps_buf_printf(out, " %u file=%u function=%u block=%u", row->line, row->file, row->function,
                  row->block);
    put_figures(out, &row->metrics);
    if (row->source.ptr)
        put_text(out, "source", row->source);
    for (uint32_t i = 0; i < row->n_samples; i++)
        ps_buf_printf(out, " %.9g:%.9g", row->samples[2 * i], row->samples[2 * i + 1]);
    ps_buf_puts(out, "\n");
}

static void on_memory(struct ps_sink *sink, const struct ps_memory_sample *sample)
{
    struct ps_buf *out = begin(sink, "memory ");

    ((struct dump_sink *)sink)->rows++;
    if (!out)
        return;
    ps_buf_puts(out, sample->kind);
    put_num(out, "t", ps_real(sample->t_s));
    if (sample->process.kind != PS_NUM_NONE)
        put_num(out, "process", sample->process);
    put_num(out, "mib", sample->mib);
    ps_buf_puts(out, "\n");
}

static void on_span(struct ps_sink *sink, const struct ps_span *span)
{
    struct ps_buf *out = begin(sink, "span");

    ((struct dump_sink *)sink)->rows++;
    if (!out)
        return;
    put_text(out, "name", span->name);
    put_num(out, "start", ps_real(span->start_s));
    put_num(out, "end", ps_real(span->end_s));
    put_num(out, "start_mib", span->start_mib);
    put_num(out, "end_mib", span->end_mib);
    put_num(out, "level", span->level);
    ps_buf_puts(out, "\n");
}

static void put_fact(struct ps_buf *out, const struct ps_measurement_extra *more)
{
    ps_buf_puts(out, "  more");
    put_text(out, "key", more->key);
    if (more->number.kind != PS_NUM_NONE)
        put_num(out, "number", more->number);
    else
        put_text(out, "text", more->text);
    ps_buf_puts(out, "\n");
}

static void put_parameters(struct ps_buf *out, const struct ps_measurement *m)
{
    if (m->benchmark.ptr)
        put_text(out, "benchmark", m->benchmark);
    if (m->metric.ptr)
        put_text(out, "metric", m->metric);
    for (size_t i = 0; i < m->n_parameters; i++) {
        const struct ps_measurement_parameter *parameter = &m->parameters[i];

        put_text(out, "parameter", parameter->name);
        if (parameter->number.kind != PS_NUM_NONE)
            put_num(out, "number", parameter->number);
        else
            put_text(out, "text", parameter->text);
    }
    if (m->better != PS_BETTER_BY_UNIT)
        ps_buf_printf(out, " better=%d", m->better);
    if (m->is_part)
        ps_buf_puts(out, " part");
    if (m->state != PS_MEASURED)
        ps_buf_printf(out, " state=%d", m->state);
    if (m->loops.kind != PS_NUM_NONE)
        put_num(out, "loops", m->loops);
}

static void put_doubles(struct ps_buf *out, const char *title, const char *key,
                        const double *values, size_t n)
{
    if (n)
        ps_buf_printf(out, "  %s", title);
    for (size_t i = 0; i < n; i++)
        put_num(out, key, ps_real(values[i]));
    if (n)
        ps_buf_puts(out, "\n");
}

static void put_spread(struct ps_buf *out, const struct ps_measurement *m)
{
    const struct {
        const char *key;
        struct ps_num value;
    } figures[] = {{"n", m->n},     {"mean", m->mean}, {"median", m->median}, {"stddev", m->stddev},
                   {"min", m->min}, {"max", m->max},   {"q1", m->q1},         {"q3", m->q3}};

    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        if (figures[i].value.kind != PS_NUM_NONE)
            put_num(out, figures[i].key, figures[i].value);
    if (m->resolution > 0)
        put_num(out, "resolution", ps_real(m->resolution));
}

static void on_measurement(struct ps_sink *sink, const struct ps_measurement *m)
{
    struct ps_buf *out = begin(sink, "measurement");

    ((struct dump_sink *)sink)->rows++;
    if (!out)
        return;
    ps_buf_printf(out, " %u", m->id);
    put_text(out, "name", m->name);
    put_text(out, "group", m->group);
    put_num(out, "value", m->value);
    ps_buf_printf(out, " unit=%s statistic=%s", m->unit, m->statistic);
    put_spread(out, m);
    put_parameters(out, m);
    ps_buf_puts(out, "\n");
    for (size_t i = 0; i < m->n_extras; i++)
        put_fact(out, &m->extras[i]);
    put_doubles(out, "samples", "s", m->samples, m->n_samples);
    put_doubles(out, "warmups", "w", m->warmups, m->n_warmups);
    put_doubles(out, "processes", "n", m->processes, m->n_processes);
}

static void on_ledger(struct ps_sink *sink, const struct ps_ledger *ledger)
{
    struct dump_sink *dump = (struct dump_sink *)sink;

    dump->ledger = *ledger;
    dump->has_ledger = true;
    if (dump->out)
        ps_buf_printf(dump->out,
                      "ledger %s read=%llu stored=%llu repaired=%llu rejected=%llu other=%llu\n",
                      ledger->unit, (unsigned long long)ledger->read,
                      (unsigned long long)ledger->stored, (unsigned long long)ledger->repaired,
                      (unsigned long long)ledger->rejected, (unsigned long long)ledger->other);
}

static void on_headline(struct ps_sink *sink, const struct ps_headline *headline)
{
    struct ps_buf *out = begin(sink, "headline");

    ((struct dump_sink *)sink)->has_headline = true;
    if (!out)
        return;
    put_num(out, "value", ps_real(headline->value));
    ps_buf_printf(out, " unit=%s label=%s\n", headline->unit, headline->label);
}

static bool on_progress(struct ps_sink *sink, uint64_t done, uint64_t total, uint64_t records)
{
    struct dump_sink *dump = (struct dump_sink *)sink;

    (void)done;
    (void)total;
    (void)records;
    return dump->cancel_at == 0 || --dump->cancel_at > 0;
}

void dump_sink_init(struct dump_sink *dump, struct ps_buf *out)
{
    static const struct ps_sink_ops ops = {
        .meta = on_meta,
        .number = on_number,
        .list = on_list,
        .note = on_note,
        .package = on_package,
        .import = on_import,
        .function = on_function,
        .line_file = on_line_file,
        .line_function = on_line_function,
        .line = on_line,
        .memory = on_memory,
        .span = on_span,
        .text = dump_text,
        .args_template = dump_args_template,
        .process = dump_process,
        .track = dump_track,
        .slices = dump_slices,
        .sample_type = dump_sample_type,
        .sample_label = dump_sample_label,
        .sample_label_value = dump_sample_label_value,
        .track_label = dump_track_label,
        .flow = dump_flow,
        .counter = dump_counter,
        .counter_value = dump_count,
        .memory_event = dump_memory_event,
        .collective = dump_collective,
        .collective_call = dump_collective_call,
        .step = dump_step,
        .step_part = dump_step_part,
        .device = dump_device,
        .gap = dump_gap,
        .module = dump_module,
        .snapshot_text = dump_snapshot_text,
        .snapshot_frame = dump_snapshot_frame,
        .snapshot_stack = dump_snapshot_stack,
        .snapshot_stream = dump_snapshot_stream,
        .snapshot_pool = dump_snapshot_pool,
        .snapshot_event = dump_snapshot_event,
        .snapshot_allocation = dump_snapshot_allocation,
        .snapshot_level = dump_snapshot_level,
        .snapshot_segment = dump_snapshot_segment,
        .snapshot_block = dump_snapshot_block,
        .snapshot_mark = dump_snapshot_mark,
        .snapshot_owner = dump_snapshot_owner,
        .snapshot_device = dump_snapshot_device,
        .report = on_report,
        .operator_row = on_operator_row,
        .section = on_section,
        .action = on_action,
        .open_scratch = dump_scratch,
        .measurement = on_measurement,
        .serving_file = dump_serving_file,
        .serving_result = dump_serving_result,
        .request = dump_request,
        .engine_step = dump_engine_step,
        .served = dump_served,
        .ledger = on_ledger,
        .headline = on_headline,
        .progress = on_progress,
    };

    *dump = (struct dump_sink){.sink = {.ops = &ops}, .out = out};
}

enum ps_status dump_bytes(struct ps_str bytes, size_t block, struct ps_buf *out)
{
    struct dump_sink dump;
    struct ps_err err = PS_ERR_INIT;
    const struct ps_importer *picked = NULL;
    enum ps_status status;
    char line[800];

    dump_sink_init(&dump, out);
    status = ps_import_stream(ps_stream_from_memory(bytes, block), &dump.sink, &picked, &err);
    if (status == PS_OK && out)
        ps_buf_printf(out, "kind %s\n", picked->kind);
    if (status != PS_OK && out) {
        out->len = 0; /* what came before the failure is nobody's */
        ps_buf_printf(out, "failed %s: %s\n", ps_status_name(status),
                      ps_err_format(&err, line, sizeof line));
    }
    return status;
}
