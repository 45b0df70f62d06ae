/* SPDX-License-Identifier: MIT */
/*
 * xplane.c: profiles of XLA, which JAX and TensorFlow write: *.xplane.pb.
 *
 * The file is one message, XSpace, whose planes have any size: it is read field by field. What a
 * plane contains stands in xplane.h.
 *
 * Tested with jax 0.4 to 0.12 and TensorFlow 2.8, on CPU and GPU.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json_out.h"
#include "base/json_span.h"
#include "base/utf8.h"
#include "importers/importer.h"
#include "importers/records/run.h"
#include "importers/text/clean.h"
#include "importers/trace/import.h"
#include "importers/trace/xplane.h"

enum {
    TEXTS_MAX = 100, /* errors and warnings that become notes */
    TEXT_MAX_BYTES = 400,
    STORED_STAT_MAX = 64 << 10,   /* bytes of a stat of metadata */
    STORED_STATS_MAX = 256 << 10, /* bytes of the stats of one metadata */
    DAMAGES_MAX = 20,             /* damaged parts that become notes */
    PROGRESS_BYTES = 4 << 20,
    HEAD = 4096,
    REPLACED_MIN = 4, /* replaced bytes in the head of a file that was stored as text */
};

struct reader {
    struct ps_stream *in;
    struct ps_wire_stream wire;
    struct ps_sink *out;
    struct ps_err *err;
    struct tr_trace *trace;
    struct xplane_spool spool;
    struct xplane_events events;
    uint64_t n_planes, n_texts;
    uint64_t n_damages, n_programs; /* programs: compiled ones that the file contains */
    uint64_t progress;              /* position of the last report */
    struct ps_buf hostname;
    struct ps_intern pids;     /* of the planes so far */
    int64_t start_ns, stop_ns; /* since 1970; 0: unknown */
};

static struct ps_str copy_text(struct xplane_plane *plane, struct ps_str text)
{
    return text.len ? ps_arena_copy(&plane->arena, text) : PS_STR("");
}

static enum ps_status report_progress(struct reader *r)
{
    uint64_t done, total;

    if (ps_wire_stream_offset(&r->wire) - r->progress < PROGRESS_BYTES)
        return PS_OK;
    r->progress = ps_wire_stream_offset(&r->wire);
    ps_stream_progress(r->in, &done, &total);
    if (!ps_sink_ok(r->out))
        return ps_fail(r->err, r->out->err.code, "%s", r->out->err.text);
    if (r->out->ops->progress && !r->out->ops->progress(r->out, done, total, r->trace->counts.read))
        return ps_fail(r->err, PS_CANCELLED, "the import was cancelled");
    return PS_OK;
}

/* The bytes of the current field; none if it has no bytes, or too many. */
static struct ps_str read_bytes(struct reader *r)
{
    struct ps_str bytes;

    return ps_wire_stream_bytes(&r->wire, &bytes) ? bytes : (struct ps_str){"", 0};
}

static void note_damage(struct reader *r, const struct xplane_plane *plane, const char *what,
                        uint64_t at, const char *why)
{
    if (r->n_damages++ < DAMAGES_MAX)
        ps_sink_note(r->out, PS_NOTE_REJECTED, at, 0, "%s of plane %.*s is damaged: %s", what,
                     (int)ps_truncate_text(plane->name, 100).len, plane->name.ptr, why);
}

/* Ends reading a message that is damaged, so that the message around it can be read on. False: the
 * file ends in it. */
static bool skip_damage(struct reader *r, const struct xplane_plane *plane, const char *what)
{
    const struct ps_wire_fault fault = r->wire.fault;

    if (r->wire.is_cut)
        return false;
    if (fault.what)
        note_damage(r, plane, what, fault.at, fault.what);
    r->wire.fault.what = NULL;
    return true;
}

/* --- Metadata --- */

/* Keeps a stat after its length. */
static void store_stat(struct ps_str bytes, bool with_bytes, struct ps_buf *out)
{
    uint32_t len = (uint32_t)bytes.len;
    struct ps_wire_fault fault;
    struct xp_xstat stat;

    if (bytes.len > STORED_STAT_MAX || out->len > STORED_STATS_MAX ||
        !ps_wire_read(&xp_xstat_message, bytes, &stat, &fault) ||
        (!with_bytes && stat.has & XP_XSTAT_HAS_BYTES_VALUE))
        return;
    ps_buf_add(out, &len, sizeof len);
    ps_buf_add_str(out, bytes);
}

static void store_stats(struct ps_wire_list list, struct ps_buf *out)
{
    struct ps_str bytes;

    while (ps_wire_next_string(&list, &bytes))
        store_stat(bytes, false, out);
}

static bool is_program(const struct xp_xevent_metadata *meta)
{
    struct ps_wire_list list = meta->stats;
    struct ps_str bytes;

    while (ps_wire_next_string(&list, &bytes)) {
        struct ps_wire_fault fault;
        struct xp_xstat stat;

        if (ps_wire_read(&xp_xstat_message, bytes, &stat, &fault) &&
            (stat.has & XP_XSTAT_HAS_BYTES_VALUE))
            return true;
    }
    return false;
}

static void read_event_metadata(struct reader *r, struct xplane_plane *plane, uint64_t offset)
{
    struct xp_event_metadata_entry entry;
    struct xp_xevent_metadata value;
    struct ps_wire_fault fault;
    struct xplane_meta *meta;

    if (!ps_wire_read(&xp_event_metadata_entry_message, read_bytes(r), &entry, &fault) ||
        !ps_wire_read(&xp_xevent_metadata_message, entry.value, &value, &fault)) {
        note_damage(r, plane, "a name of events", offset, fault.what);
        return;
    }
    meta = xplane_plane_meta(plane, entry.key);
    meta->name = copy_text(plane, value.name);
    meta->display_name = copy_text(plane, value.display_name);
    meta->stats.len = 0;
    store_stats(value.stats, &meta->stats);
    plane->n_programs += is_program(&value);
}

static void read_stat_metadata(struct reader *r, struct xplane_plane *plane, uint64_t offset)
{
    struct xp_stat_metadata_entry entry;
    struct xp_xstat_metadata value;
    struct ps_wire_fault fault;

    if (!ps_wire_read(&xp_stat_metadata_entry_message, read_bytes(r), &entry, &fault) ||
        !ps_wire_read(&xp_xstat_metadata_message, entry.value, &value, &fault)) {
        note_damage(r, plane, "a name of stats", offset, fault.what);
        return;
    }
    xplane_plane_stat(plane, entry.key)->name = copy_text(plane, value.name);
}

/* --- Lines --- */

static void read_line_field(struct reader *r, struct xplane_plane *plane, struct xplane_line *line,
                            const struct ps_wire_header *field)
{
    int64_t number = field->type == PS_WIRE_VARINT ? (int64_t)field->value : 0;

    switch (field->number) {
    case XP_XLINE_ID:
        line->id = number;
        break;
    case XP_XLINE_DISPLAY_ID:
        line->display_id = number;
        break;
    case XP_XLINE_TIMESTAMP_NS:
        line->timestamp_ns = number;
        break;
    case XP_XLINE_NAME:
        line->name = copy_text(plane, read_bytes(r));
        break;
    case XP_XLINE_DISPLAY_NAME:
        line->display_name = copy_text(plane, read_bytes(r));
        break;
    default:
        break;
    }
}

static enum ps_status read_line(struct reader *r, struct xplane_plane *plane)
{
    struct xplane_line line = {.first = xplane_spool_end(&r->spool)};
    enum ps_status status = PS_OK;
    struct ps_wire_header field;
    struct ps_str event;

    if (!ps_wire_stream_enter(&r->wire))
        return PS_OK;
    while (status == PS_OK && ps_wire_stream_next(&r->wire, &field)) {
        if (field.number != XP_XLINE_EVENTS) {
            read_line_field(r, plane, &line, &field);
        } else if (ps_wire_stream_bytes(&r->wire, &event)) {
            status = xplane_spool_add(&r->spool, event, field.offset, r->err);
            line.n_events++;
        }
    }
    if (status == PS_OK && skip_damage(r, plane, "a line"))
        ps_wire_stream_leave(&r->wire);
    PS_RESERVE_ONE(plane->lines, plane->n_lines, plane->cap_lines);
    plane->lines[plane->n_lines++] = line;
    return status == PS_OK ? report_progress(r) : status;
}

/* --- Facts --- */

static int64_t member_of(struct ps_str json, const char *key)
{
    int64_t value;

    return ps_str_parse_i64(ps_json_member(json, key), &value) ? value : 0;
}

/* Keeps the stats of the plane as a header of the run. */
static void keep_facts(struct reader *r, struct xplane_plane *plane)
{
    PS_AUTO(ps_buf_free) struct ps_buf json = {0};
    struct ps_str stats = ps_buf_slice(&plane->own_stats);

    r->n_programs += plane->n_programs;
    if (!stats.len)
        return;
    xplane_write_stats(plane, stats, &json);
    tr_fill_header(r->trace, plane->name, ps_buf_slice(&json));
    if (ps_str_eq_c(plane->name, "Task Environment")) {
        r->start_ns = member_of(ps_buf_slice(&json), "profile_start_time");
        r->stop_ns = member_of(ps_buf_slice(&json), "profile_stop_time");
    }
}

/* --- Planes --- */

static void free_plane(struct xplane_plane *plane)
{
    for (size_t i = 0; i < plane->n_metas; i++)
        ps_buf_free(&plane->metas[i].stats);
    free(plane->metas);
    free(plane->stats);
    free(plane->lines);
    ps_buf_free(&plane->own_stats);
    xplane_ids_free(&plane->meta_ids);
    xplane_ids_free(&plane->stat_ids);
    ps_arena_free(&plane->arena);
}

/* Ids of processes in JAX's JSON: those of devices, of custom devices, of the host, of other
 * planes. The last are ids that it does not have, for planes whose id is taken. */
enum {
    DEVICE_PID = 1,
    CUSTOM_PID = 501,
    HOST_PID = 701,
    OTHER_PID = 801,
    TAKEN_PID = 100000,
    DEVICES_MAX = CUSTOM_PID - DEVICE_PID,
    CUSTOMS_MAX = HOST_PID - CUSTOM_PID,
};

/* Writes the id that the plane has as a process in JAX's JSON; another id if a plane before has it.
 */
static void write_pid(struct reader *r, const struct xplane_plane *plane, char out[24])
{
    static const struct ps_str custom = PS_STR("/device:CUSTOM:"), device = PS_STR("/device:");
    int64_t pid = OTHER_PID + (int64_t)r->n_planes;

    if (ps_str_eq_c(plane->name, "/host:CPU"))
        pid = HOST_PID;
    else if (ps_str_starts_with(plane->name, custom))
        pid = CUSTOM_PID + (plane->id >= 0 && plane->id < CUSTOMS_MAX ? plane->id : 0);
    else if (ps_str_starts_with(plane->name, device) && plane->id >= 0 && plane->id < DEVICES_MAX)
        pid = DEVICE_PID + plane->id;
    (void)snprintf(out, 24, "%" PRId64, pid);
    if (ps_intern_find(&r->pids, ps_str_from_c(out)) != PS_INTERN_NONE)
        (void)snprintf(out, 24, "%" PRId64, TAKEN_PID + (int64_t)r->n_planes);
    (void)ps_intern_add(&r->pids, ps_str_from_c(out));
}

static enum ps_status read_plane_field(struct reader *r, struct xplane_plane *plane,
                                       const struct ps_wire_header *field)
{
    switch (field->number) {
    case XP_XPLANE_ID:
        plane->id = field->type == PS_WIRE_VARINT ? (int64_t)field->value : 0;
        break;
    case XP_XPLANE_NAME:
        plane->name = copy_text(plane, read_bytes(r));
        break;
    case XP_XPLANE_LINES:
        return read_line(r, plane);
    case XP_XPLANE_EVENT_METADATA:
        read_event_metadata(r, plane, field->offset);
        break;
    case XP_XPLANE_STAT_METADATA:
        read_stat_metadata(r, plane, field->offset);
        break;
    case XP_XPLANE_STATS:
        store_stat(read_bytes(r), true, &plane->own_stats);
        break;
    default:
        break;
    }
    return PS_OK;
}

/* The names of events follow the lines of their plane, so a plane that is cut has none. */
static void reject_plane(struct reader *r, const struct xplane_plane *plane)
{
    uint64_t n = 0;

    for (size_t i = 0; i < plane->n_lines; i++)
        n += plane->lines[i].n_events;
    r->trace->counts.read += n;
    r->trace->counts.rejected += n;
    r->n_planes++;
    ps_sink_note(r->out, PS_NOTE_REJECTED, r->wire.fault.at, 0,
                 "the file ends inside plane %.*s: its %" PRIu64
                 " events are lost, since their names are missing",
                 (int)ps_truncate_text(plane->name, 100).len, plane->name.ptr, n);
}

static enum ps_status read_plane(struct reader *r)
{
    struct xplane_plane plane = {.spool = &r->spool, .name = PS_STR("")};
    enum ps_status status = PS_OK;
    struct ps_wire_header field;
    char pid[24];

    if (!ps_wire_stream_enter(&r->wire))
        return PS_OK;
    while (status == PS_OK && ps_wire_stream_next(&r->wire, &field))
        status = read_plane_field(r, &plane, &field);
    if (status == PS_OK && skip_damage(r, &plane, "a part")) {
        ps_wire_stream_leave(&r->wire);
        r->n_planes++;
        write_pid(r, &plane, pid);
        status = xplane_events_add(&r->events, &plane, ps_str_from_c(pid));
        keep_facts(r, &plane);
    } else if (status == PS_OK) {
        reject_plane(r, &plane);
    }
    xplane_spool_clear(&r->spool);
    free_plane(&plane);
    return status;
}

/* --- The file --- */

/* The profiler's own errors and warnings. */
static void note_text(struct reader *r, const char *what)
{
    struct ps_str text = ps_truncate_text(ps_str_trim(read_bytes(r)), TEXT_MAX_BYTES);

    if (text.len && r->n_texts++ < TEXTS_MAX)
        ps_sink_note(r->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0, "%s of XLA's profiler: %.*s",
                     what, (int)text.len, text.ptr);
}

static enum ps_status read_field(struct reader *r, const struct ps_wire_header *field)
{
    switch (field->number) {
    case XP_XSPACE_PLANES:
        return read_plane(r);
    case XP_XSPACE_ERRORS:
        note_text(r, "error");
        break;
    case XP_XSPACE_WARNINGS:
        note_text(r, "warning");
        break;
    case XP_XSPACE_HOSTNAMES:
        if (!r->hostname.len)
            ps_clean_text(&r->hostname, ps_truncate_text(read_bytes(r), TEXT_MAX_BYTES));
        break;
    default:
        break;
    }
    return PS_OK;
}

/* Whether a program that takes the file for text has replaced bytes: then all bytes are UTF-8, and
 * U+FFFD stands for those that were not. */
static bool is_text_copy(struct ps_str head)
{
    size_t replaced = 0;

    head = ps_truncate_text(head, HEAD);
    for (size_t i = 0; i + 3 <= head.len; i++)
        replaced += memcmp(head.ptr + i, "\xef\xbf\xbd", 3) == 0;
    return replaced >= REPLACED_MIN && ps_utf8_is_valid(head);
}

static enum ps_status check_head(const struct reader *r)
{
    if (!is_text_copy(ps_stream_peek(r->in, HEAD)))
        return PS_OK;
    return ps_fail(r->err, PS_BAD_INPUT,
                   "the file was stored as text, which replaced bytes of it" PS_HINT
                   "copy the file again, as binary data");
}

/* Fails if the file is damaged so much that nothing can be read. */
static enum ps_status check_planes(const struct reader *r)
{
    bool is_empty = !r->n_planes || !r->trace->counts.read;

    if (!is_empty || r->wire.is_cut || (!r->wire.fault.what && !r->n_damages))
        return PS_OK;
    return ps_fail_at(r->err, PS_BAD_INPUT, r->wire.fault.at,
                      "the profile is damaged, and no event can be read" PS_HINT
                      "copy the file again, or record again");
}

static enum ps_status read_all(struct reader *r)
{
    enum ps_status status = PS_OK;
    struct ps_wire_header field;

    ps_wire_stream_open(&r->wire, r->in);
    while (status == PS_OK && ps_wire_stream_next(&r->wire, &field))
        status = read_field(r, &field);
    if (status == PS_OK && !ps_stream_is_truncated(r->in))
        status = ps_stream_status(r->in, r->err);
    if (status == PS_OK && r->wire.fault.what && !r->wire.is_cut)
        ps_sink_note(r->out, PS_NOTE_REJECTED, r->wire.fault.at, 0,
                     "the rest of the file is damaged: %s", r->wire.fault.what);
    return status;
}

static void write_json_header(struct reader *r, const char *key, struct ps_str text)
{
    PS_AUTO(ps_buf_free) struct ps_buf out = {0};
    struct ps_json json = ps_json_writer(&out);

    ps_json_str(&json, text);
    tr_fill_header(r->trace, ps_str_from_c(key), ps_buf_slice(&out));
}

static void write_number_header(struct reader *r, const char *key, int64_t number)
{
    char text[24];

    (void)snprintf(text, sizeof text, "%" PRId64, number);
    tr_fill_header(r->trace, ps_str_from_c(key), ps_str_from_c(text));
}

/* Writes what the file says of the recording. Times of lines count from the start of the recording,
 * unless an old version of XLA wrote times since 1970. */
static void write_facts(struct reader *r)
{
    PS_AUTO(ps_buf_free) struct ps_buf json = {0};

    if (r->hostname.len)
        write_json_header(r, "host_name", ps_buf_slice(&r->hostname));
    if (r->start_ns && r->trace->first_ns < r->start_ns / 2)
        write_number_header(r, "baseTimeNanoseconds", r->start_ns);
    if (r->n_programs)
        write_number_header(r, "programs", (int64_t)r->n_programs);
    if (r->events.n_aggregated) {
        ps_buf_puts(&json, "[");
        ps_buf_add_str(&json, ps_buf_slice(&r->events.aggregated));
        ps_buf_puts(&json, "]");
        tr_fill_header(r->trace, PS_STR("aggregated_events"), ps_buf_slice(&json));
        ps_sink_note(
            r->out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
            "events that only have a number of occurrences, listed in the header: %" PRIu64,
            r->events.n_aggregated);
    }
    if (r->events.n_unclean)
        ps_sink_note(r->out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                     "names that are not UTF-8; their bytes were replaced: %" PRIu64,
                     r->events.n_unclean);
}

static enum ps_status read_profile(struct reader *r)
{
    enum ps_status status;

    if (check_head(r) != PS_OK)
        return r->err->code;
    xplane_events_begin(&r->events, r->trace);
    status = read_all(r);
    if (status == PS_OK)
        status = check_planes(r);
    if (status != PS_OK)
        return status;
    write_facts(r);
    return tr_fill_end(r->trace, INT64_MIN);
}

enum ps_status tr_xplane_read(struct ps_stream *in, struct tr_trace *trace)
{
    static const struct tr_source source = {.tool = "XLA profiler", .unit = "events"};
    struct reader r = {.in = in, .out = trace->out, .err = trace->err, .trace = trace};
    enum ps_status status;

    tr_fill_begin(trace, &source);
    trace->is_xla = true;
    r.spool.scratch = trace->scratch;
    status = read_profile(&r);
    xplane_spool_free(&r.spool);
    xplane_events_free(&r.events);
    ps_buf_free(&r.hostname);
    ps_intern_free(&r.pids);
    return status;
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    struct ps_err failure = PS_ERR_INIT;
    struct tr_trace trace = {.out = out, .err = &failure};
    enum ps_status status = tr_xplane_read(in, &trace);

    if (status == PS_OK)
        status = tr_import_trace(&trace);
    tr_trace_free(&trace);
    return ps_fail_copy_hint(err, &failure, status == PS_LIMIT ? "record a shorter time" : "");
}

/* --- Recognition --- */

static bool is_plane_name(struct ps_str name)
{
    if (!name.len || !ps_is_clean_text(name))
        return false;
    return name.ptr[0] == '/' || name.ptr[0] == '#' || ps_str_eq_c(name, "Task Environment");
}

/* Whether the message, of which the end may be missing, has the name of a plane. */
static bool is_plane(struct ps_str bytes)
{
    struct ps_wire_fault fault;
    struct xp_xplane plane;

    (void)ps_wire_read(&xp_xplane_message, bytes, &plane, &fault);
    return is_plane_name(plane.name);
}

/* Recognises a profile by the name of a plane: "/host:CPU", "/device:TPU:0". */
bool tr_is_xplane(struct ps_str head)
{
    const char *at = head.ptr, *end = ps_str_end(head);

    while (at && at < end) {
        uint64_t tag, len;

        at = ps_wire_varint(at, end, &tag);
        at = at ? ps_wire_varint(at, end, &len) : NULL;
        if (!at || (tag & 7) != PS_WIRE_BYTES || tag >> 3 < 1 || tag >> 3 > XP_XSPACE_HOSTNAMES)
            return false;
        len = len < (uint64_t)(end - at) ? len : (uint64_t)(end - at);
        if (tag >> 3 == XP_XSPACE_PLANES && is_plane((struct ps_str){at, (size_t)len}))
            return true;
        at += len;
    }
    return false;
}

static enum ps_match sniff(struct ps_str head)
{
    return tr_is_xplane(head) ? PS_MATCH_SURE : PS_MATCH_NO;
}

const struct ps_importer ps_xplane = {
    .kind = "xla-trace",
    .label = "XLA profile",
    .description = "*.xplane.pb of JAX, TensorFlow and XLA, on CPU, GPU and TPU",
    .record_command = "jax.profiler.trace(\"log\")",
    .sniff = sniff,
    .load = load,
};
