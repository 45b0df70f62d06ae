/* SPDX-License-Identifier: MIT */
/*
 * perfetto.c: the importers of Perfetto's traces: recognition, packets, and the ledger.
 *
 * A trace is a sequence of packets, of which a writer may compress several into one. Events
 * (TrackEvent) are read; packets of other data sources are counted by name.
 *
 * Tested with traces of the SDK, of tracing-perfetto (Rust), trace0, PyTorch, and with those that
 * the message classes of perfetto 0.59 write; compared with trace_processor 52.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/wire.h"
#include "importers/importer.h"
#include "importers/records/run.h"
#include "importers/trace/import.h"
#include "importers/trace/perfetto.h"
#include "importers/trace/perfetto_read.h"
#include "importers/trace/perfetto_samples.h"

#define COMPRESSED_DEPTH 2
#define PROGRESS_PACKETS (1u << 14)

#define INFLATED_MAX ((uint64_t)8 << 30) /* bytes of all packets that were compressed */
#define RATIO_MAX    1000

/* --- Names of packets --- */

/* Fields of TracePacket with data of other sources than TrackEvent. */
static const struct {
    uint16_t number;
    const char *name;
} packet_names[] = {
    {1, "ftrace_events"},
    {2, "process_tree"},
    {4, "inode_file_map"},
    {5, "chrome_events"},
    {7, "sys_stats"},
    {9, "process_stats"},
    {34, "ftrace_stats"},
    {37, "profile_packet"},
    {38, "battery"},
    {39, "android_log"},
    {40, "power_rails"},
    {46, "trigger"},
    {47, "packages_list"},
    {48, "chrome_benchmark_metadata"},
    {49, "perfetto_metatrace"},
    {51, "chrome_metadata"},
    {54, "streaming_profile_packet"},
    {56, "heap_graph"},
    {57, "graphics_frame_event"},
    {61, "module_symbols"},
    {62, "vulkan_memory_event"},
    {63, "gpu_log"},
    {64, "deobfuscation_mapping"},
    {65, "vulkan_api_event"},
    {66, "perf_sample"},
    {67, "cpu_info"},
    {68, "smaps_packet"},
    {70, "initial_display_state"},
    {71, "gpu_mem_total_event"},
    {73, "memory_tracker_snapshot"},
    {74, "streaming_allocation"},
    {75, "streaming_free"},
    {77, "android_energy_estimation_breakdown"},
    {78, "ui_state"},
    {80, "android_camera_frame_event"},
    {81, "android_camera_session_stats"},
    {82, "translation_table"},
    {83, "android_game_intervention_list"},
    {84, "statsd_atom"},
    {86, "android_system_property"},
    {91, "entity_state_residency"},
    {94, "network_packet"},
    {95, "etw_events"},
    {99, "v8_js_code"},
    {100, "v8_internal_code"},
    {101, "v8_wasm_code"},
    {102, "v8_reg_exp_code"},
    {103, "v8_code_move"},
    {107, "remote_clock_sync"},
    {110, "pixel_modem_events"},
    {112, "winscope_extensions"},
    {115, "kernel_wakelock_data"},
    {116, "app_wakelock_bundle"},
    {117, "generic_kernel_task_state_event"},
    {118, "generic_kernel_cpu_freq_event"},
    {119, "cpu_per_uid_data"},
    {120, "generic_kernel_task_rename_event"},
    {122, "generic_kernel_process_tree"},
    {129, "generic_gpu_frequency_event"},
    {130, "interrupt_info"},
    {132, "journald_event"},
    {135, "stack_sample"},
};

/* Fields that are part of each packet, or describe the trace: these packets are read, or say
 * nothing about the program. */
static bool is_about_trace(uint64_t number)
{
    static const uint8_t numbers[] = {3,  6,  8,  10, 11,  12,  13,  33,  35,  36,  41, 42,
                                      43, 44, 45, 50, 58,  59,  60,  69,  72,  79,  87, 88,
                                      89, 90, 97, 98, 124, 126, 127, 128, 133, 134, 138};

    for (size_t i = 0; i < sizeof numbers; i++)
        if (numbers[i] == number)
            return true;
    return false;
}

/* Counts the packet by the field that says which data it has. */
static void count_unread(struct pf_reader *r, struct ps_str bytes)
{
    struct ps_wire_any any = {.rest = bytes};

    while (ps_wire_next(&any))
        if (!is_about_trace(any.number)) {
            r->unread[any.number < PF_PACKET_FIELDS ? any.number : 0]++;
            return;
        }
}

/* --- Packets --- */

static bool read_packets(struct pf_reader *r, struct ps_stream *in);

/* Reads the packets that a packet has in compressed form. */
static void read_compressed(struct pf_reader *r, struct ps_str bytes, bool is_zlib)
{
    struct ps_stream *memory, *in;
    struct ps_stream_limits limits = {INFLATED_MAX - r->inflated, RATIO_MAX};
    bool is_whole;

    if (r->depth == COMPRESSED_DEPTH || r->inflated >= INFLATED_MAX) {
        pf_count_fault(r, PF_FAULT_COMPRESSED);
        return;
    }
    memory = ps_stream_from_memory(bytes, 0);
    in = is_zlib ? ps_stream_inflate_zlib(memory, &limits) : ps_stream_decompress(memory, &limits);
    r->depth++;
    is_whole = read_packets(r, in);
    r->depth--;
    r->inflated += ps_stream_offset(in);
    /* damaged, or a bomb: the note says so */
    if (!is_whole || ps_stream_status(in, PS_ERR_IGNORED) != PS_OK)
        pf_count_fault(r, PF_FAULT_COMPRESSED);
    ps_stream_free(in);
}

enum { STATE_CLEARED = 1, NEEDS_STATE = 2 }; /* bits of sequence_flags */

/* Updates the state of the sequence, and returns whether the packet may be read. */
static bool apply_state(struct pf_reader *r, struct pf_sequence *sequence,
                        const struct pf_trace_packet *packet)
{
    bool is_cleared = packet->sequence_flags & STATE_CLEARED || packet->incremental_state_cleared;

    if (packet->previous_packet_dropped) {
        r->n_lost++;
        sequence->is_valid = false;
    }
    if (is_cleared)
        pf_sequence_clear(r, sequence);
    if (!(packet->sequence_flags & NEEDS_STATE) || sequence->is_valid)
        return true;
    pf_count_fault(r, PF_FAULT_STATE);
    r->trace.counts.rejected++;
    return false;
}

static void read_interned(struct pf_reader *r, struct pf_sequence *sequence, struct ps_str bytes)
{
    struct pf_interned_data data;
    struct ps_wire_fault fault;

    if (!ps_wire_read(&pf_interned_data_message, bytes, &data, &fault))
        pf_count_fault(r, PF_FAULT_NESTED);
    pf_read_interned_data(r, sequence, &data);
    pf_read_gpu_interned(r, sequence, &data);
    if (r->samples)
        pf_read_sample_interned(r, sequence, &data);
}

static void read_descriptors(struct pf_reader *r, struct pf_sequence *sequence,
                             const struct pf_trace_packet *packet)
{
    if (packet->interned_data.len)
        read_interned(r, sequence, packet->interned_data);
    if (PS_WIRE_HAS(packet, PF_TRACE_PACKET_HAS_TRACE_PACKET_DEFAULTS))
        pf_read_defaults(sequence, packet->trace_packet_defaults);
    if (r->samples && packet->trace_packet_defaults.len)
        pf_read_sample_defaults(r, sequence, packet->trace_packet_defaults);
    if (packet->clock_snapshot.len)
        pf_read_clock_snapshot(r, sequence->id, packet->clock_snapshot);
    if (PS_WIRE_HAS(packet, PF_TRACE_PACKET_HAS_TRACK_DESCRIPTOR))
        pf_read_track_descriptor(r, packet->track_descriptor);
    if (packet->process_descriptor.len)
        pf_read_process_descriptor(r, packet->process_descriptor);
    if (packet->thread_descriptor.len)
        pf_read_thread_descriptor(r, sequence, packet->thread_descriptor);
}

#define HAS_DESCRIPTORS                                                                            \
    (PF_TRACE_PACKET_HAS_INTERNED_DATA | PF_TRACE_PACKET_HAS_TRACE_PACKET_DEFAULTS |               \
     PF_TRACE_PACKET_HAS_CLOCK_SNAPSHOT | PF_TRACE_PACKET_HAS_TRACK_DESCRIPTOR |                   \
     PF_TRACE_PACKET_HAS_PROCESS_DESCRIPTOR | PF_TRACE_PACKET_HAS_THREAD_DESCRIPTOR)

static void refuse_packet(struct pf_reader *r)
{
    r->trace.counts.read++;
    r->trace.counts.rejected++;
    pf_count_fault(r, PF_FAULT_PACKET);
}

static void read_packet(struct pf_reader *r, struct ps_str bytes)
{
    struct pf_trace_packet packet;
    struct pf_sequence *sequence;
    struct ps_wire_fault fault;

    if (!ps_wire_read(&pf_trace_packet_message, bytes, &packet, &fault)) {
        refuse_packet(r);
        return;
    }
    r->trace.counts.read++;
    sequence = pf_sequence_of(r, packet.trusted_packet_sequence_id);
    if (!sequence || !apply_state(r, sequence, &packet))
        return;
    if (packet.has & HAS_DESCRIPTORS)
        read_descriptors(r, sequence, &packet);
    if (r->samples && pf_read_samples(r, sequence, &packet))
        return;
    if (PS_WIRE_HAS(&packet, PF_TRACE_PACKET_HAS_TRACK_EVENT)) {
        (void)pf_read_event(r, sequence, &packet);
        return;
    }
    if (PS_WIRE_HAS(&packet, PF_TRACE_PACKET_HAS_GPU_RENDER_STAGE_EVENT)) {
        (void)pf_read_render_stage(r, sequence, &packet);
        return;
    }
    if (PS_WIRE_HAS(&packet, PF_TRACE_PACKET_HAS_GPU_COUNTER_EVENT)) {
        (void)pf_read_gpu_counters(r, sequence, &packet);
        return;
    }
    r->trace.counts.other++;
    if (!packet.clock_snapshot.len)
        pf_pass_time(r, sequence, &packet);
    if (packet.compressed_packets.len)
        read_compressed(r, packet.compressed_packets, true);
    else if (packet.zstd_compressed_packets.len)
        read_compressed(r, packet.zstd_compressed_packets, false);
    else if (!(packet.has & HAS_DESCRIPTORS))
        count_unread(r, bytes);
}

static void check_progress(struct pf_reader *r, struct ps_stream *in)
{
    uint64_t done, total;

    ps_stream_progress(in, &done, &total);
    if (!r->out->ops->progress(r->out, done, total, r->trace.counts.read) || !ps_sink_ok(r->out))
        ps_fail(r->err, PS_CANCELLED, "the import was cancelled");
}

/* What is wrong with the bytes outside of packets. Those before are kept. */
static void note_end(struct pf_reader *r, const struct ps_wire_stream *wire)
{
    if (!wire->fault.what)
        return;
    if (wire->is_cut)
        ps_sink_note(r->out, PS_NOTE_WARNING, wire->fault.at, 0,
                     "the file ends inside of a packet: the packets before are read");
    else
        ps_sink_note(r->out, PS_NOTE_REJECTED, wire->fault.at, 0,
                     "the packets from here on cannot be read: %s", wire->fault.what);
}

/* False: the bytes are damaged, or end inside of a packet. */
static bool read_packets(struct pf_reader *r, struct ps_stream *in)
{
    struct ps_wire_stream wire;
    struct ps_wire_header field;
    struct ps_str bytes;
    uint64_t n = 0;

    ps_wire_stream_open(&wire, in);
    while (r->err->code == PS_OK && ps_wire_stream_next(&wire, &field)) {
        if (!r->depth)
            r->packet_at = field.offset;
        if (field.number != PF_TRACE_PACKET)
            continue;
        if (!ps_wire_stream_bytes(&wire, &bytes)) {
            if (!wire.fault.what)
                refuse_packet(r); /* it is too large */
            continue;
        }
        if (field.type == PS_WIRE_BYTES)
            read_packet(r, bytes);
        if (!r->depth && ++n % PROGRESS_PACKETS == 0)
            check_progress(r, in);
    }
    if (!r->depth)
        note_end(r, &wire);
    return !wire.fault.what;
}

/* --- Notes --- */

static const struct {
    enum ps_severity severity;
    const char *what;
} faults[PF_N_FAULTS] = {
    [PF_FAULT_PACKET] = {PS_NOTE_REJECTED, "damaged packets, or packets of more than 64 MiB"},
    [PF_FAULT_SEQUENCE] = {PS_NOTE_REJECTED,
                           "events without a sequence id (trusted_packet_sequence_id)"},
    [PF_FAULT_STATE] = {PS_NOTE_REJECTED,
                        "packets that need names or defaults of packets that were lost"},
    [PF_FAULT_CLOCK] = {PS_NOTE_REJECTED,
                        "events with a clock that no clock snapshot relates to the trace"},
    [PF_FAULT_TIME] = {PS_NOTE_REJECTED, "events without a time, or with one out of range"},
    [PF_FAULT_COMPRESSED] = {PS_NOTE_WARNING,
                             "compressed packets that are damaged, nested too deep or too "
                             "large: read as far as possible"},
    [PF_FAULT_NESTED] = {PS_NOTE_WARNING,
                         "parts of packets that are damaged: read as far as possible"},
};

static void note_faults(struct pf_reader *r)
{
    for (int i = 0; i < PF_N_FAULTS; i++)
        if (r->faults[i])
            ps_sink_note(r->out, faults[i].severity, r->fault_at[i], 0, "%s: %" PRIu64,
                         faults[i].what, r->faults[i]);
    if (r->n_lost)
        r->out->ops->number(r->out, "incomplete", ps_int(1));
    ps_sink_count(r->out, PS_NOTE_WARNING, r->n_lost,
                  "gaps that the writer left because its buffer was full: events are missing");
    ps_sink_count(r->out, PS_NOTE_WARNING, r->n_unknown_names,
                  "names that the trace does not define, shown as #number");
    ps_sink_count(r->out, PS_NOTE_WARNING, r->args.n_too_deep,
                  "arguments that are nested more than 32 levels deep, shown as null");
}

static const char *name_of_packet(uint64_t number)
{
    for (size_t i = 0; i < sizeof packet_names / sizeof *packet_names; i++)
        if (packet_names[i].number == number)
            return packet_names[i].name;
    return NULL;
}

/* Appends the numbers of packets that were not read, by their names. */
static void list_unread(const struct pf_reader *r, struct ps_buf *out)
{
    for (uint64_t i = 0; i < PF_PACKET_FIELDS; i++) {
        const char *name = name_of_packet(i);

        if (!r->unread[i])
            continue;
        ps_buf_puts(out, out->len ? ", " : "");
        if (name)
            ps_buf_printf(out, "%s: %" PRIu64, name, r->unread[i]);
        else
            ps_buf_printf(out, "field %" PRIu64 ": %" PRIu64, i, r->unread[i]);
    }
}

static bool is_sample(uint64_t number)
{
    return number == PF_TRACE_PACKET_PERF_SAMPLE || number == PF_TRACE_PACKET_STACK_SAMPLE ||
           number == PF_TRACE_PACKET_STREAMING_PROFILE_PACKET;
}

static void note_unread(struct pf_reader *r)
{
    for (uint64_t i = 0; i < PF_PACKET_FIELDS; i++) {
        const char *name = name_of_packet(i);

        if (r->unread[i] && is_sample(i))
            ps_sink_note(r->out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
                         "packets with samples of stacks, %s, not shown beside events (record them "
                         "without track_event): %" PRIu64,
                         name, r->unread[i]);
        else if (r->unread[i] && name)
            ps_sink_note(r->out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
                         "packets of another data source, %s, not read: %" PRIu64, name,
                         r->unread[i]);
        else if (r->unread[i])
            ps_sink_note(r->out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
                         "packets of another data source, field %" PRIu64 ", not read: %" PRIu64, i,
                         r->unread[i]);
    }
}

/* --- Importers --- */

static const struct tr_source source = {
    .tool = "Perfetto",
    .unit = "packets",
    .unclosed = "slices without an end: extended to the end of the trace",
    .overlaps = "slices that end after the slice they began in: kept, and shown on separate rows; "
                "Perfetto drops them",
};

static const struct tr_source torch_source = {.tool = "PyTorch profiler", .unit = "packets"};

/* Not its trace. */
static void free_reader(struct pf_reader *r)
{
    pf_sequences_free(r);
    pf_clocks_free(&r->clocks);
    pf_tracks_free(&r->tracks);
    pf_args_free(&r->args);
    pf_gpu_free(r);
    pf_torch_free(r);
    ps_buf_free(&r->text);
    free(r);
}

static enum ps_status refuse_without_events(struct pf_reader *r)
{
    PS_AUTO(ps_buf_free) struct ps_buf others = {0};

    for (int i = 0; i < PF_N_FAULTS; i++)
        if (r->faults[i] && faults[i].severity == PS_NOTE_REJECTED)
            return ps_fail_at(r->err, PS_BAD_INPUT, r->fault_at[i],
                              "no event of the trace can be read; %s: %" PRIu64 PS_HINT
                              "record it again",
                              faults[i].what, r->faults[i]);
    list_unread(r, &others);
    if (others.len)
        return ps_fail(r->err, PS_BAD_INPUT,
                       "the trace has no events of a program (TrackEvent), only packets of other "
                       "data sources (%.*s)" PS_HINT "record with the data source track_event",
                       (int)(others.len < 300 ? others.len : 300), others.ptr);
    if (r->samples)
        return ps_fail(r->err, PS_BAD_INPUT,
                       "the trace has no samples: the profiler lost or skipped them" PS_HINT
                       "record with a lower frequency, or with larger buffers");
    return ps_fail(r->err, PS_BAD_INPUT,
                   "the trace contains no events: nothing was recorded" PS_HINT
                   "run the code while the recording is active, and record again");
}

static enum ps_status read_trace(struct pf_reader *r, struct ps_stream *in)
{
    (void)read_packets(r, in);
    if (r->err->code == PS_OK && ps_stream_status(in, r->err) == PS_OK && !r->n_events)
        return refuse_without_events(r);
    if (r->err->code != PS_OK)
        return r->err->code;
    if (pf_torch_flush(r) != PS_OK || pf_gpu_end(r) != PS_OK)
        return r->err->code;
    pf_sequences_end(r);
    pf_tracks_end(r);
    note_faults(r);
    note_unread(r);
    return tr_fill_end(&r->trace, INT64_MIN);
}

enum ps_status pf_trace_read(struct ps_stream *in, struct tr_trace *trace, bool is_torch)
{
    struct pf_reader *r = ps_alloc(sizeof *r);
    enum ps_status status;

    r->out = trace->out;
    r->err = trace->err;
    r->trace = *trace;
    r->clocks.primary = PF_CLOCK_BOOTTIME;
    tr_fill_begin(&r->trace, is_torch ? &torch_source : &source);
    r->trace.is_torch = is_torch;
    status = read_trace(r, in);
    *trace = r->trace;
    free_reader(r);
    return status;
}

static enum ps_status read_samples(struct pf_reader *r, struct ps_stream *in)
{
    (void)read_packets(r, in);
    if (r->err->code != PS_OK || ps_stream_status(in, r->err) != PS_OK)
        return r->err->code;
    if (!pf_has_samples(r->samples))
        return refuse_without_events(r);
    pf_sequences_end(r);
    note_faults(r);
    note_unread(r);
    return pf_samples_write(r);
}

static enum ps_status load_samples(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    struct pf_reader *r = ps_alloc(sizeof *r);
    struct ps_err failure = PS_ERR_INIT;
    struct tr_trace trace;
    enum ps_status status;

    r->out = out;
    r->err = &failure;
    r->trace = (struct tr_trace){.out = out, .err = &failure};
    r->clocks.primary = PF_CLOCK_BOOTTIME;
    r->samples = pf_samples_new(out);
    tr_fill_begin(&r->trace, &source);
    status = read_samples(r, in);
    trace = r->trace;
    pf_samples_free(r->samples);
    free_reader(r);
    tr_trace_free(&trace);
    return ps_fail_copy_hint(err, &failure, status == PS_LIMIT ? "record a shorter time" : "");
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    struct ps_err failure = PS_ERR_INIT;
    struct tr_trace trace = {.out = out, .err = &failure};
    enum ps_status status = pf_trace_read(in, &trace, false);

    if (status == PS_OK)
        status = tr_import_trace(&trace);
    tr_trace_free(&trace);
    return ps_fail_copy_hint(err, &failure, status == PS_LIMIT ? "record a shorter time" : "");
}

/* --- Recognition --- */

enum { SNIFFED_PACKETS = 8 };

/* Whether a field of TracePacket has this number and wire type; unknown fields are messages. */
static bool is_packet_field(const struct ps_wire_any *field)
{
    static const uint8_t varints[] = {3, 8, 10, 13, 41, 42, 58, 79, 87, 88, 97, 98};

    for (size_t i = 0; i < sizeof varints; i++)
        if (varints[i] == field->number)
            return field->type == PS_WIRE_VARINT;
    return field->type == PS_WIRE_BYTES || field->type == PS_WIRE_GROUP;
}

/* Whether the field is one that packets of each writer have. */
static bool is_common_field(uint64_t number)
{
    return number == PF_TRACE_PACKET_CLOCK_SNAPSHOT || number == PF_TRACE_PACKET_TIMESTAMP ||
           number == PF_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID ||
           number == PF_TRACE_PACKET_TRACK_EVENT || number == PF_TRACE_PACKET_INTERNED_DATA ||
           number == PF_TRACE_PACKET_TRACK_DESCRIPTOR ||
           number == PF_TRACE_PACKET_COMPRESSED_PACKETS ||
           number == PF_TRACE_PACKET_ZSTD_COMPRESSED_PACKETS || number == 33 || number == 36;
}

/* Whether the bytes, which may be cut at the end of the head, are a packet. Sets *any if it has a
 * common field. */
static bool is_packet(struct ps_str bytes, bool is_cut, bool *any)
{
    struct ps_wire_any field = {.rest = bytes};

    while (ps_wire_next(&field)) {
        if (!is_packet_field(&field))
            return false;
        *any |= is_common_field(field.number);
    }
    if (is_cut && field.number && is_packet_field(&field))
        *any |= is_common_field(field.number);
    return is_cut || !field.fault;
}

bool pf_is_trace(struct ps_str head)
{
    struct ps_wire_any outer = {.rest = head};
    bool any = false;
    int n = 0;

    if (!head.len || head.ptr[0] != '\n')
        return false;
    for (; n < SNIFFED_PACKETS && ps_wire_next(&outer); n++)
        if (outer.number != PF_TRACE_PACKET || outer.type != PS_WIRE_BYTES ||
            !is_packet(outer.bytes, false, &any))
            return false;
    /* a first packet that is larger than the head, or the only one of a file that is cut */
    return (n > 0 && any) || (outer.number == PF_TRACE_PACKET && outer.type == PS_WIRE_BYTES &&
                              is_packet(outer.bytes, true, &any) && any);
}

/* Whether an interned name begins with the word: the tag of its field, and its length, are before
 * it. */
static bool has_interned_name(struct ps_str head, struct ps_str word)
{
    const char *at = ps_str_find(head, word);

    for (; at; at = ps_str_find(ps_str_skip(head, (size_t)(at - head.ptr) + 1), word))
        if (at - head.ptr >= 2 && at[-2] == '\x12')
            return true;
    return false;
}

/* Whether the trace has a category of PyTorch's profiler, its stage of kernels, or a name that only
 * PyTorch uses. Names come first, and may be many, so the head may have no category. */
static bool has_torch_words(struct ps_str head)
{
    static const char *const categories[] = {
        "cpu_op",     "user_annotation", "gpu_user_annotation", "cuda_runtime", "cuda_driver",
        "gpu_memcpy", "python_function", "xpu_runtime",         "mtia_runtime"};
    /* PyTorch names six stages of GPU work, whether they occur or not. This one is its own. */
    static const struct ps_str stage = PS_STR("\x12\x08"
                                              "HostNode");
    char field[32];

    for (size_t i = 0; i < sizeof categories / sizeof *categories; i++) {
        size_t n = strlen(categories[i]);

        (void)snprintf(field, sizeof field, "\x12%c%s", (char)n, categories[i]);
        if (ps_str_find(head, (struct ps_str){field, 2 + n}))
            return true;
    }
    return ps_str_find(head, stage) || has_interned_name(head, PS_STR("aten::")) ||
           has_interned_name(head, PS_STR("ProfilerStep#"));
}

bool pf_is_torch_trace(struct ps_str head)
{
    return pf_is_trace(head) && has_torch_words(head);
}

/* Whether the first packets have samples of stacks, and no events. */
static bool has_only_samples(struct ps_str head)
{
    struct ps_wire_any outer = {.rest = head};
    bool any = false;

    while (ps_wire_next(&outer)) {
        struct ps_wire_any field = {.rest = outer.bytes};

        while (ps_wire_next(&field)) {
            if (field.number == PF_TRACE_PACKET_TRACK_EVENT ||
                field.number == PF_TRACE_PACKET_GPU_RENDER_STAGE_EVENT ||
                field.number == PF_TRACE_PACKET_GPU_COUNTER_EVENT)
                return false;
            any |= is_sample(field.number);
        }
    }
    return any;
}

static enum ps_match sniff_samples(struct ps_str head)
{
    return pf_is_trace(head) && has_only_samples(head) ? PS_MATCH_SURE : PS_MATCH_NO;
}

static enum ps_match sniff(struct ps_str head)
{
    return pf_is_trace(head) ? PS_MATCH_SURE : PS_MATCH_NO;
}

const struct ps_importer ps_perfetto = {
    .kind = "trace",
    .label = "Perfetto trace",
    .description = "Perfetto's SDK, rocprofv3 --output-format pftrace, tracing-perfetto, trace0",
    .record_command = "rocprofv3 --sys-trace --output-format pftrace -- python app.py",
    .sniff = sniff,
    .load = load,
};

const struct ps_importer ps_perfetto_samples = {
    .kind = "perfetto-samples",
    .label = "Samples of a Perfetto trace",
    .description = "stacks that Perfetto's traced_perf, or another profiler, sampled",
    .record_command = "perfetto --txt -c linux.perf.cfg -o app.pftrace",
    .sniff = sniff_samples,
    .load = load_samples,
};
