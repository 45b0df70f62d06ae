/* SPDX-License-Identifier: MIT */
/*
 * emit.c: writes the tables of a trace to the sink: tracks with their slices in chunks, texts and
 * templates, metadata, summary.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json_span.h"
#include "base/secret.h"
#include "importers/records/run.h"
#include "importers/records/trace.h"
#include "importers/text/clean.h"
#include "importers/trace/collectives.h"
#include "importers/trace/emit.h"
#include "importers/trace/environment.h"
#include "importers/trace/fill.h"
#include "importers/trace/graphs.h"
#include "importers/trace/import_state.h"
#include "importers/trace/memory.h"
#include "importers/trace/torch.h"
#include "importers/trace/track.h"
#include "importers/trace/xla.h"

/* --- Tracks, texts and templates --- */

struct tr_emitter {
    /* buffers for columns that have fewer than 64 bits in a track */
    int64_t *column[PS_N_SLICE_COLUMNS];
    struct ps_buf args;
    uint32_t *varints; /* number of varints of the parameters of a template, by template id */
};

static const uint8_t extra_columns[TR_N_EXTRAS] = {
    [TR_EXTRA_OP_SELF] = PS_COL_OP_SELF,
    [TR_EXTRA_DEVICE_SELF] = PS_COL_DEVICE_SELF,
    [TR_EXTRA_DEVICE_TOTAL] = PS_COL_DEVICE_TOTAL,
    [TR_EXTRA_CPU_BYTES_SELF] = PS_COL_CPU_BYTES_SELF,
    [TR_EXTRA_CPU_BYTES] = PS_COL_CPU_BYTES,
    [TR_EXTRA_DEVICE_BYTES_SELF] = PS_COL_DEVICE_BYTES_SELF,
    [TR_EXTRA_DEVICE_BYTES] = PS_COL_DEVICE_BYTES,
    [TR_EXTRA_FLOPS] = PS_COL_FLOPS,
    [TR_EXTRA_LAUNCH] = PS_COL_LAUNCH,
    [TR_EXTRA_OP] = PS_COL_OP,
};

/* Maximum bytes of arguments in a chunk, unless the arguments of a single slice are larger. */
#define ARGS_MAX ((size_t)8 << 20)

static uint32_t count_varints(struct ps_str template)
{
    uint32_t n = 0;

    for (size_t i = 0; i < template.len; i++)
        n += template.ptr[i] == PS_TEMPLATE_INT       ? 1
             : template.ptr[i] == PS_TEMPLATE_DECIMAL ? 2
                                                      : 0;
    return n;
}

static struct tr_emitter *emitter_of(struct tr_trace *trace)
{
    struct tr_import_state *import = trace->import;
    struct tr_emitter *emitter = import->emitter;

    if (emitter)
        return emitter;
    emitter = import->emitter = ps_alloc(sizeof *emitter);
    emitter->varints = ps_alloc_array((size_t)trace->n_templates + 2, sizeof *emitter->varints);
    for (uint32_t i = PS_TEMPLATE_WHOLE + 1; i < trace->n_templates; i++)
        emitter->varints[i] = count_varints(trace->templates[i].text);
    for (int i = PS_COL_PARENT; i <= PS_COL_ARGS_AT; i++)
        emitter->column[i] = ps_grow(NULL, PS_CHUNK_ROWS, sizeof(int64_t));
    return emitter;
}

void tr_emitter_free(struct tr_import_state *import)
{
    struct tr_emitter *emitter = import->emitter;

    if (!emitter)
        return;
    for (int i = 0; i < PS_N_SLICE_COLUMNS; i++)
        free(emitter->column[i]);
    ps_buf_free(&emitter->args);
    free(emitter->varints);
    free(emitter);
    import->emitter = NULL;
}

static void write_text(struct tr_trace *trace, uint32_t id)
{
    struct ps_trace_text text = {.id = id, .text = tr_text_of_id(trace, id)};

    if (trace->is_torch)
        text.group_key = tr_torch_group_key(trace, id);
    trace->out->ops->text(trace->out, &text);
}

void tr_texts_write(struct tr_trace *trace)
{
    struct tr_import_state *import = trace->import;

    /* write_text may append a new text, the key of a text; a later iteration writes it. */
    while (import->written_texts < trace->names.count && ps_sink_ok(trace->out))
        write_text(trace, ++import->written_texts);
    for (; import->written_templates < trace->n_templates; import->written_templates++) {
        uint32_t id = import->written_templates;
        struct ps_args_template template = {.id = id};

        if (id == 0)
            continue;
        template.text = trace->templates[id].text;
        template.shapes = trace->templates[id].shapes;
        trace->out->ops->args_template(trace->out, &template);
    }
}

/* Returns the number of bytes of the first n varints of packed. */
static size_t varints_length(struct ps_str packed, uint32_t n)
{
    const uint64_t more = UINT64_C(0x8080808080808080);
    size_t at = 0;

    /* eight bytes contain the ends of at most eight varints */
    while (n >= 8 && at + 8 <= packed.len) {
        uint64_t word;

        memcpy(&word, packed.ptr + at, 8);
        n -= (uint32_t)__builtin_popcountll(~word & more);
        at += 8;
    }
    for (; n && at < packed.len; at++)
        n -= !((unsigned char)packed.ptr[at] & 0x80);
    return at;
}

static size_t args_length(const struct tr_emitter *emitter, uint32_t template, struct ps_str packed)
{
    size_t at;
    uint64_t len = 0;

    if (template != PS_TEMPLATE_WHOLE)
        return varints_length(packed, emitter->varints[template]);
    at = varints_length(packed, 1);
    for (size_t i = at; i > 0 && at <= 9; i--)
        len = len << 7 | ((unsigned char)packed.ptr[i - 1] & 0x7f);
    return len <= packed.len - at ? at + (size_t)len : packed.len;
}

/* Returns the number of slices for the chunk: fewer than n if their arguments are too large. */
static uint32_t fill_args(struct tr_emitter *emitter, const struct tr_trace *trace,
                          const struct tr_track *track, uint32_t first, uint32_t n)
{
    int64_t *out = emitter->column[PS_COL_ARGS_AT];

    emitter->args.len = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t template = track->template[first + i];
        struct ps_str packed;

        out[i] = (int64_t)emitter->args.len;
        if (template != PS_TEMPLATE_WHOLE && emitter->varints[template] == 0)
            continue;
        packed = tr_params_at(trace, track->args_address[first + i]);
        packed.len = args_length(emitter, template, packed);
        if (i > 0 && emitter->args.len + packed.len > ARGS_MAX)
            return i;
        ps_buf_add_str(&emitter->args, packed);
    }
    return n;
}

static bool has_nonzero(const int64_t *values, uint32_t n)
{
    int64_t bits = 0;

    for (uint32_t i = 0; i < n; i++)
        bits |= values[i];
    return bits != 0;
}

/* Fills one column of the chunk. If all values are 0, the column remains NULL and is not
 * written. */
#define FILL(which, expression)                                                                    \
    do {                                                                                           \
        int64_t *out_ = emitter->column[which], any_ = 0;                                          \
        for (uint32_t i = 0, row = first; i < n; i++, row++)                                       \
            any_ |= out_[i] = (int64_t)(expression);                                               \
        chunk->column[which] = any_ ? out_ : NULL;                                                 \
    } while (0)

static void fill_columns(struct tr_emitter *emitter, const struct tr_trace *trace,
                         const struct tr_track *track, struct ps_chunk *chunk)
{
    const uint32_t first = chunk->first, n = chunk->n;

    chunk->column[PS_COL_START] = track->start + first;
    chunk->column[PS_COL_DURATION] = track->duration + first;
    chunk->column[PS_COL_SELF] = track->self + first;
    FILL(PS_COL_PARENT, track->parent[row] == TR_NO_ROW ? 0 : row - track->parent[row]);
    FILL(PS_COL_DEPTH, track->lane[row]);
    FILL(PS_COL_NAME, track->name_id[row]);
    FILL(PS_COL_CATEGORY, trace->categories[track->category[row]].text_id);
    FILL(PS_COL_KIND, track->slice_kind[row]);
    FILL(PS_COL_FLAGS, track->flags[row]);
    FILL(PS_COL_FAMILY, track->family[row]);
    FILL(PS_COL_TEMPLATE, track->template[row]);
    for (int extra = 0; extra < TR_N_EXTRAS; extra++)
        if (track->extra[extra] && has_nonzero(track->extra[extra] + first, n))
            chunk->column[extra_columns[extra]] = track->extra[extra] + first;
    if (emitter->args.len) {
        chunk->column[PS_COL_ARGS_AT] = emitter->column[PS_COL_ARGS_AT];
        chunk->args = ps_buf_slice(&emitter->args);
    }
}

/* Returns the first row after the chunk. */
static uint32_t write_chunk(struct tr_trace *trace, struct tr_track *track, uint32_t first)
{
    struct tr_emitter *emitter = emitter_of(trace);
    struct ps_chunk chunk = {.track = track->id, .track_kind = track->kind, .first = first};

    chunk.n = track->n - first < PS_CHUNK_ROWS ? track->n - first : PS_CHUNK_ROWS;
    chunk.n = fill_args(emitter, trace, track, first, chunk.n);
    chunk.start_ns = track->start[first];
    for (uint32_t row = first; row < first + chunk.n; row++) {
        int64_t end = track->start[row] + track->duration[row];

        chunk.end_ns = row == first || end > chunk.end_ns ? end : chunk.end_ns;
    }
    fill_columns(emitter, trace, track, &chunk);
    trace->import->has_flops |= chunk.column[PS_COL_FLOPS] != NULL;
    trace->out->ops->slices(trace->out, &chunk);
    /* a large track: release the memory of the rows that were written */
    if (track->n > PS_CHUNK_ROWS) {
        tr_scratch_drop_pages(trace->scratch);
        tr_track_drop_rows(track, first, first + chunk.n);
    }
    return first + chunk.n;
}

static void write_track(struct tr_trace *trace, const struct tr_track *track)
{
    struct ps_track given = {.id = track->id,
                             .process = track->process,
                             .kind = track->kind,
                             .name = track->name,
                             .tid = PS_STR(""),
                             .device = track->device,
                             .stream = track->stream,
                             .sort_key = track->sort_key,
                             .n_slices = track->n,
                             .n_lanes = track->n_lanes,
                             .start_ns = track->start_ns,
                             .end_ns = track->end_ns};

    if (track->thread && track->thread->tid.ptr)
        given.tid = track->thread->tid;
    trace->out->ops->track(trace->out, &given);
}

enum ps_status tr_track_write(struct tr_trace *trace, struct tr_track *track)
{
    tr_texts_write(trace);
    write_track(trace, track);
    tr_collectives_add(trace, track);
    for (uint32_t first = 0; first < track->n && ps_sink_ok(trace->out);)
        first = write_chunk(trace, track, first);
    tr_track_free(track);
    return ps_sink_ok(trace->out) ? PS_OK : trace->out->err.code;
}

/* --- Metadata: keys outside of the events --- */

/*
 * Keys outside of the events become metadata of the run ("header.<key>"), with secrets masked.
 *
 * Traces are shared, and their headers may contain the environment of a job: tokens have been found
 * in published traces. Strings under a key that names a secret and strings in the form of a known
 * kind of token are masked; all other content is unchanged.
 */

#define HEADER_MAX  65536u
#define HEADERS_MAX 256u
#define MASK        "\"(masked)\""

static bool is_key(struct ps_str behind)
{
    size_t n = 0;

    while (n < behind.len &&
           (behind.ptr[n] == ' ' || behind.ptr[n] == '\n' || behind.ptr[n] == '\t'))
        n++;
    return n < behind.len && behind.ptr[n] == ':';
}

static struct ps_str string_content(struct ps_str string)
{
    return string.len >= 2 ? (struct ps_str){string.ptr + 1, string.len - 2}
                           : (struct ps_str){NULL, 0};
}

/* Copies JSON, masks secrets and returns the number of masked strings. Strings under a key that
 * names a secret are masked, including strings in a list. */
static uint64_t mask_secrets(struct ps_str key, struct ps_str json, struct ps_buf *out)
{
    bool secret = ps_is_secret_name(key);
    uint64_t masked = 0;

    while (json.len) {
        size_t len = json.ptr[0] == '"' ? ps_json_string_length(json) : 1;
        struct ps_str piece = {json.ptr, len};

        json = ps_str_skip(json, len);
        if (piece.ptr[0] == '"' && is_key(json)) {
            secret = ps_is_secret_name(string_content(piece));
        } else if (piece.ptr[0] == '"' && piece.len > 2 &&
                   (secret || ps_is_token(string_content(piece)))) {
            piece = PS_STR(MASK);
            masked++;
        }
        ps_buf_add_str(out, piece);
    }
    return masked;
}

static void write_header(struct tr_trace *trace, const struct tr_header *header, uint64_t *masked)
{
    struct ps_buf json = {0}, clean = {0}, name = {0};

    *masked += mask_secrets(header->key, header->json, &json);
    ps_clean_text(&clean, ps_truncate_text(ps_buf_slice(&json), HEADER_MAX));
    ps_buf_puts(&name, "header.");
    ps_clean_text(&name, ps_truncate_text(header->key, 256));
    ps_sink_meta(trace->out, name.ptr, ps_buf_slice(&clean));
    ps_buf_free(&json);
    ps_buf_free(&clean);
    ps_buf_free(&name);
}

/* Writes the keys of the document outside of the events as metadata, with secrets masked. */
static void write_headers(struct tr_trace *trace)
{
    uint64_t masked = 0;

    for (size_t i = 0; i < trace->n_headers && i < HEADERS_MAX; i++)
        write_header(trace, &trace->headers[i], &masked);
    if (masked)
        tr_add_note(trace, PS_NOTE_INFO, PS_NOTE_NO_OFFSET,
                    "header values that look like secrets, masked: %" PRIu64, masked);
    if (trace->n_headers > HEADERS_MAX)
        tr_add_note(trace, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET,
                    "the header has more than %u entries; the rest is dropped", HEADERS_MAX);
}

/* --- Summary --- */

static void number(struct tr_trace *trace, const char *key, int64_t value)
{
    trace->out->ops->number(trace->out, key, ps_int(value));
}

static bool has_header(const struct tr_trace *trace, const char *key)
{
    for (size_t i = 0; i < trace->n_headers; i++)
        if (ps_str_eq_c(trace->headers[i].key, key))
            return true;
    return false;
}

static uint64_t count_devices(const struct tr_import_state *import)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < import->n_processes; i++)
        n += import->processes[i].id && import->processes[i].device >= 0;
    return n;
}

/* Writes the memory peak of the devices; if it is unknown, the peak of the host. */
static void write_peak(struct tr_trace *trace)
{
    int64_t host = trace->memory ? trace->memory->peak_host : 0;
    int64_t device = trace->memory ? trace->memory->peak_device : 0;

    number(trace, "peak_bytes", device ? device : host);
    number(trace, "peak_device", device > 0);
}

static bool has_shapes(const struct tr_trace *trace)
{
    for (uint32_t i = 0; i < trace->n_templates; i++)
        if (trace->templates[i].shapes)
            return true;
    return false;
}

static bool has_python_frames(const struct tr_trace *trace)
{
    for (uint32_t i = 0; i < trace->n_categories; i++)
        if (trace->categories[i].kind == PS_SLICE_PYTHON)
            return true;
    return false;
}

static int64_t span_ns(const struct tr_trace *trace)
{
    return trace->last_ns > trace->first_ns ? trace->last_ns - trace->first_ns : 0;
}

/* Writes when the trace was recorded, unless its times do not count from 1970: time 0 of the run,
 * and its last event. Kineto writes `ts` relative to baseTimeNanoseconds; older versions have no
 * such header, and times since 1970 or since the start of the machine. */
static void write_recorded(struct tr_trace *trace)
{
    int64_t base_ns = trace->base_ns, start_us, end_us;

    for (size_t i = 0; i < trace->n_headers; i++)
        if (ps_str_eq_c(trace->headers[i].key, "baseTimeNanoseconds") &&
            !ps_str_parse_i64(trace->headers[i].json, &base_ns))
            return;
    if (__builtin_add_overflow(trace->origin_us, base_ns / 1000, &start_us) ||
        __builtin_add_overflow(start_us, span_ns(trace) / 1000, &end_us))
        return;
    ps_sink_recorded(trace->out, start_us, end_us);
}

static void write_metrics(struct tr_trace *trace)
{
    const struct tr_import_state *import = trace->import;
    char origin[24];

    snprintf(origin, sizeof origin, "%" PRId64, trace->origin_us);
    ps_sink_meta(trace->out, "origin_us", ps_str_from_c(origin));
    number(trace, "origin_us", trace->origin_us);
    write_recorded(trace);
    number(trace, "events", (int64_t)trace->counts.read);
    number(trace, "slices", (int64_t)import->n_slices);
    number(trace, "tracks", import->n_tracks);
    number(trace, "processes", import->written_processes);
    number(trace, "span_ns", span_ns(trace));
    number(trace, "devices", (int64_t)count_devices(import));
    number(trace, "kernels", (int64_t)import->n_kernels);
    number(trace, "copies", (int64_t)import->n_copies);
    if (import->work.all > 0) {
        number(trace, "work_ns", import->work.all);
        number(trace, "work_with_operator_ns", import->work.with_operator);
    }
    if (import->work.replayed > 0) {
        number(trace, "replayed_ns", import->work.replayed);
        number(trace, "replayed_by_order_ns", import->work.by_order);
        number(trace, "replayed_by_node_ns", import->work.by_node);
    }
    number(trace, "torch", trace->is_torch);
    number(trace, "shapes", has_shapes(trace));
    number(trace, "stacks", has_python_frames(trace));
    number(trace, "memory", trace->memory && trace->memory->n > 0);
    number(trace, "workers", 1);
    write_peak(trace);
    number(trace, "flops", import->has_flops);
    if (import->xla)
        tr_xla_write(trace);
    else if (!tr_is_attributed(trace))
        number(trace, "steps", 0);
}

/* Writes the name of the program that made the trace. */
static bool is_of_pyspy(const struct tr_trace *trace)
{
    for (uint32_t i = 1; i < trace->n_categories; i++)
        if (ps_str_eq_c(trace->categories[i].text, "py-spy"))
            return true;
    return false;
}

static void write_tool(struct tr_trace *trace)
{
    const char *name = trace->is_torch ? "PyTorch profiler" : "Chrome trace";

    if (trace->source)
        name = trace->source->tool;
    else if (trace->is_autograd)
        name = "torch.autograd.profiler";
    else if (trace->import->xla)
        name = "XLA profiler";
    else if (has_header(trace, "viztracer_metadata"))
        name = "viztracer";
    else if (is_of_pyspy(trace))
        name = "py-spy";
    ps_sink_meta(trace->out, "tool", ps_str_from_c(name));
}

/* Whether the buffer of viztracer was full. */
static bool has_overflow(const struct tr_trace *trace)
{
    for (size_t i = 0; i < trace->n_headers; i++)
        if (ps_str_eq_c(trace->headers[i].key, "viztracer_metadata") &&
            (ps_str_find(trace->headers[i].json, PS_STR("\"overflow\":true")) ||
             ps_str_find(trace->headers[i].json, PS_STR("\"overflow\": true"))))
            return true;
    return false;
}

/* Says what the tool that made the trace left out, or drew in another way than it happened, in
 * notes and for the conclusion. */
static void write_tool_notes(struct tr_trace *trace)
{
    if (has_overflow(trace)) {
        number(trace, "incomplete", 1);
        ps_sink_note(trace->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                     "the buffer of viztracer was full: calls are missing, and their time "
                     "counts for their callers; record with a larger --tracer_entries");
    }
    if (!trace->is_torch && is_of_pyspy(trace)) {
        number(trace, "sampled", 1);
        ps_sink_note(trace->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                     "py-spy samples: slices are not calls, and last over times in which a "
                     "thread was idle; record with --format speedscope");
    }
}

/* The text of the note on a kind of records, if the source of the trace has one of its own. */
static const char *own_text(const struct tr_trace *trace, int remark, const char *usual)
{
    if (trace->source && trace->source->unclosed && remark == TR_REMARK_UNCLOSED)
        return trace->source->unclosed;
    if (trace->source && trace->source->overlaps && remark == TR_REMARK_OVERLAP)
        return trace->source->overlaps;
    return usual;
}

static void write_notes(struct tr_trace *trace)
{
    static const struct {
        enum ps_severity severity;
        const char *what;
    } texts[TR_N_REMARKS] = {
        [TR_REMARK_UNOPENED] =
            {PS_NOTE_REJECTED,
             "end events (E) without a begin event: the slice started before the recording"},
        [TR_REMARK_UNCLOSED] =
            {PS_NOTE_WARNING,
             "begin events (B) without an end event: extended to the end of the trace"},
        [TR_REMARK_ASYNC_UNOPENED] = {PS_NOTE_REJECTED,
                                      "asynchronous end events without a begin event"},
        [TR_REMARK_ASYNC_UNCLOSED] =
            {PS_NOTE_WARNING,
             "asynchronous events without an end event: extended to the end of the trace"},
        [TR_REMARK_NEGATIVE_DURATION] = {PS_NOTE_WARNING, "negative durations, set to 0"},
        [TR_REMARK_NO_DURATION] = {PS_NOTE_WARNING,
                                   "complete events (X) without a duration, set to 0"},
        [TR_REMARK_OVERLAP] =
            {PS_NOTE_INFO,
             "slices that partly overlap others of their thread: shown on separate rows"},
        [TR_REMARK_SAMPLE] = {PS_NOTE_INFO, "sample events (P), skipped"},
        [TR_REMARK_OBJECT] = {PS_NOTE_INFO, "object events (N, O, D), skipped"},
        [TR_REMARK_DUMP] = {PS_NOTE_INFO, "memory dump events (V, v), skipped"},
        [TR_REMARK_CLOCK] = {PS_NOTE_INFO, "clock, context and link events, skipped"},
        [TR_REMARK_COUNTER] = {PS_NOTE_INFO, "counter events without a number"},
    };
    const uint64_t *count = trace->import->remark_counts;

    for (int i = 0; i < TR_N_REMARKS; i++)
        if (count[i] && texts[i].what)
            tr_add_note(trace, texts[i].severity, PS_NOTE_NO_OFFSET, "%s: %" PRIu64,
                        own_text(trace, i, texts[i].what), count[i]);
    if (count[TR_REMARK_UNKNOWN])
        tr_add_note(trace, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET,
                    "events with an unknown phase (the last one is \"%c\"), skipped: %" PRIu64,
                    trace->import->unknown_phase, count[TR_REMARK_UNKNOWN]);
}

/* Work of graphs whose operator is not known, in traces that have no capture of it. */
static void write_graph_note(struct tr_trace *trace)
{
    const struct tr_work_sums *work = &trace->import->work;
    const int64_t known = work->by_order + work->by_node;
    const double unknown = 100.0 * (double)(work->replayed - known) / (double)work->all;

    if (work->replayed <= 0 || known >= work->replayed)
        return;
    if (trace->graphs && tr_graphs_is_search_cut(trace->graphs))
        tr_add_note(trace, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET,
                    "the search for captures of CUDA and HIP graphs ended at its limit of 400 "
                    "million comparisons: the operators of %.1f %% of device time are not known",
                    unknown);
    else if (trace->is_torch)
        tr_add_note(
            trace, PS_NOTE_INFO, PS_NOTE_NO_OFFSET,
            "%.1f %% of device time is work of CUDA or HIP graphs without the operator that "
            "recorded it: it is known if this trace is merged with the trace of the capture, "
            "perfshelf add --merge CAPTURE REPLAY",
            unknown);
}

static void write_ledger(struct tr_trace *trace)
{
    const struct tr_import_state *import = trace->import;
    static const enum tr_remark others[] = {TR_REMARK_METADATA, TR_REMARK_SAMPLE, TR_REMARK_OBJECT,
                                            TR_REMARK_DUMP,     TR_REMARK_CLOCK,  TR_REMARK_UNKNOWN,
                                            TR_REMARK_FLOW,     TR_REMARK_COUNTER};
    struct ps_ledger given = {.unit = trace->source ? trace->source->unit : "events",
                              .read = trace->counts.read};
    uint64_t rows, other = trace->counts.other;

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!trace->source || others[i] != TR_REMARK_FLOW) /* of fill.h: parts of other records */
            other += import->remark_counts[others[i]];
    given.rejected = trace->counts.rejected + import->rejected;
    given.repaired = trace->counts.repaired;
    rows = given.read - given.rejected;
    /* A repaired event may also be metadata, which counts as `other`: do not count it twice. */
    given.other = other < rows - given.repaired ? other : rows - given.repaired;
    given.stored = rows - given.repaired - given.other;
    trace->out->ops->ledger(trace->out, &given);
}

void tr_summary_write(struct tr_trace *trace)
{
    struct ps_headline headline = {.unit = "s"};

    write_tool(trace);
    tr_write_environment(trace);
    write_headers(trace);
    write_metrics(trace);
    write_notes(trace);
    write_tool_notes(trace);
    write_graph_note(trace);
    write_ledger(trace);
    headline.label = trace->step_ns ? "mean step" : "span";
    headline.value = (double)(trace->step_ns ? trace->step_ns : span_ns(trace)) / 1e9;
    trace->out->ops->headline(trace->out, &headline);
}
