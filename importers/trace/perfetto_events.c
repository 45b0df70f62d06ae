/* SPDX-License-Identifier: MIT */
/*
 * perfetto_events.c: slices, instants, counters and flows of TrackEvent packets.
 *
 * Events are added to the thread of their track in the order of the file. The begin and end events
 * are matched later, in order of time (begin_end.c), since packets of several sequences may have
 * events of one track.
 */
#include "importers/trace/perfetto.h"

enum { TYPE_UNSPECIFIED, TYPE_BEGIN, TYPE_END, TYPE_INSTANT, TYPE_COUNTER };

/* --- Time and track --- */

/* Whether the event has a time of old files: µs since an absolute time, or since the event before.
 */
static bool read_old_time(struct pf_sequence *sequence, const struct pf_track_event *event,
                          int64_t *out_ns, bool *is_valid)
{
    int64_t delta;

    if (PS_WIRE_HAS(event, PF_TRACK_EVENT_HAS_TIMESTAMP_DELTA_US)) {
        *is_valid = sequence->has_delta &&
                    !__builtin_mul_overflow(event->timestamp_delta_us, 1000, &delta) &&
                    !__builtin_add_overflow(sequence->delta_ns, delta, &sequence->delta_ns);
        *out_ns = sequence->delta_ns;
    } else if (PS_WIRE_HAS(event, PF_TRACK_EVENT_HAS_TIMESTAMP_ABSOLUTE_US)) {
        *is_valid = !__builtin_mul_overflow(event->timestamp_absolute_us, 1000, out_ns);
    } else {
        return false;
    }
    return true;
}

/* Returns PF_N_FAULTS if *out_ns is the time. */
static enum pf_fault read_time(struct pf_reader *r, struct pf_sequence *sequence,
                               const struct pf_trace_packet *packet,
                               const struct pf_track_event *event, int64_t *out_ns)
{
    bool is_valid = true;
    int64_t ns;

    if (!read_old_time(sequence, event, out_ns, &is_valid))
        return pf_packet_time(r, sequence, packet, out_ns);
    /* they are times of this clock, if it is known */
    if (is_valid && *out_ns >= 0 &&
        pf_trace_time(r, sequence, PF_CLOCK_MONOTONIC, (uint64_t)*out_ns, &ns))
        *out_ns = ns;
    return is_valid && *out_ns <= PF_TIME_MAX && *out_ns >= -PF_TIME_MAX ? PF_N_FAULTS
                                                                         : PF_FAULT_TIME;
}

/* Index in r->tracks of the event's track; UINT32_MAX: it is on the thread of its sequence. */
static uint32_t track_of(struct pf_reader *r, struct pf_sequence *sequence,
                         const struct pf_track_event *event)
{
    uint64_t uuid = sequence->track;
    uint32_t last = sequence->last_track;

    if (PS_WIRE_HAS(event, PF_TRACK_EVENT_HAS_TRACK_UUID))
        uuid = event->track_uuid;
    else if (!sequence->has_track && sequence->thread)
        return UINT32_MAX;
    if (last == UINT32_MAX || r->tracks.items[last].uuid != uuid)
        sequence->last_track = last = pf_track_index(r, uuid);
    return last;
}

static uint32_t thread_of(struct pf_reader *r, struct pf_sequence *sequence,
                          const struct pf_track_event *event)
{
    uint32_t track = track_of(r, sequence, event);

    return track == UINT32_MAX ? sequence->thread - 1 : pf_track_thread(r, track);
}

/* --- Name and category --- */

/* Sets the name of the record. Returns the iid of a name that is not defined yet; 0: none. */
static uint64_t read_name(struct pf_reader *r, const struct pf_sequence *sequence,
                          const struct pf_track_event *event, const struct pf_legacy_event *legacy,
                          struct tr_record *record)
{
    uint64_t iid = event->name_iid ? event->name_iid : legacy->name_iid;

    if (PS_WIRE_HAS(event, PF_TRACK_EVENT_HAS_NAME)) {
        record->name = event->name.len ? tr_text_id(&r->trace, pf_clean_text(r, event->name)) : 0;
        return 0;
    }
    if (!iid)
        return 0;
    record->name = pf_iid_value(&sequence->tables[PF_NAMES], iid);
    return record->name ? 0 : iid;
}

static void append_category(struct ps_buf *text, struct ps_str category)
{
    if (text->len)
        ps_buf_puts(text, ",");
    ps_buf_add_str(text, category);
}

/* The categories of the event, separated by commas, if it has several, or one as a text. */
static uint16_t join_categories(struct pf_reader *r, const struct pf_sequence *sequence,
                                struct ps_wire_list iids, struct ps_wire_list texts)
{
    struct ps_buf *joined = &r->args.scratch;
    struct ps_str text;
    uint64_t iid;

    joined->len = 0;
    while (ps_wire_next_int(&iids, &iid)) {
        uint32_t known = pf_iid_value(&sequence->tables[PF_CATEGORIES], iid);

        if (known)
            append_category(joined, r->trace.categories[known].text);
        else
            r->n_unknown_names++;
    }
    while (ps_wire_next_string(&texts, &text))
        append_category(joined, pf_clean_text(r, text));
    return joined->len ? tr_fill_word(&r->trace, ps_buf_slice(joined)) : 0;
}

/* Sets the category of the record. Returns the iid of one that is not defined yet; 0: none. */
static uint64_t read_category(struct pf_reader *r, const struct pf_sequence *sequence,
                              const struct pf_track_event *event, struct tr_record *record)
{
    struct ps_wire_list iids = event->category_iids, others;
    uint64_t iid, other;

    if (!iids.n && !event->categories.n)
        return 0;
    if (event->categories.n || !ps_wire_next_int(&iids, &iid)) {
        record->category = join_categories(r, sequence, event->category_iids, event->categories);
        return 0;
    }
    others = iids;
    if (ps_wire_next_int(&others, &other)) {
        record->category = join_categories(r, sequence, event->category_iids, event->categories);
        return 0;
    }
    record->category = pf_iid_value(&sequence->tables[PF_CATEGORIES], iid) & UINT16_MAX;
    return record->category ? 0 : iid;
}

/* --- Counters --- */

static enum ps_status add_value(struct pf_reader *r, const struct pf_sequence *sequence,
                                uint64_t uuid, int64_t ts_ns, double value)
{
    uint32_t track = pf_track_index(r, uuid);
    /* an incremental counter adds up in each generation (perfetto_tracks.c) */
    struct tr_record record = {
        .ts_ns = ts_ns, .phase = TR_PHASE_VALUE, .name = sequence->generation};

    memcpy(&record.dur_or_id, &value, sizeof value);
    if (r->err->code != PS_OK)
        return r->err->code;
    return tr_fill_record(&r->trace, pf_track_thread(r, track), record, PS_STR(""));
}

/* The values that a packet has beside its event: the i-th one is of the i-th track of the event, or
 * else of the defaults. */
static bool next_uuid(struct ps_wire_list *own, const struct pf_uuids *defaults, size_t *index,
                      bool is_own, uint64_t *out)
{
    if (is_own)
        return ps_wire_next_int(own, out);
    if (*index >= defaults->n)
        return false;
    *out = defaults->items[(*index)++];
    return true;
}

static enum ps_status add_extra_values(struct pf_reader *r, const struct pf_sequence *sequence,
                                       const struct pf_track_event *event, int64_t ts_ns)
{
    struct ps_wire_list uuids = event->extra_counter_track_uuids;
    struct ps_wire_list doubles = event->extra_double_counter_track_uuids;
    struct ps_wire_list values = event->extra_counter_values;
    struct ps_wire_list double_values = event->extra_double_counter_values;
    const bool is_own = uuids.n > 0, are_doubles_own = doubles.n > 0;
    uint64_t uuid, bits;
    double value;
    size_t index = 0;

    while (r->err->code == PS_OK && ps_wire_next_int(&values, &bits) &&
           next_uuid(&uuids, &sequence->extra_counters, &index, is_own, &uuid))
        (void)add_value(r, sequence, uuid, ts_ns, (double)(int64_t)bits);
    index = 0;
    while (r->err->code == PS_OK && ps_wire_next_real(&double_values, &value) &&
           next_uuid(&doubles, &sequence->extra_double_counters, &index, are_doubles_own, &uuid))
        (void)add_value(r, sequence, uuid, ts_ns, value);
    return r->err->code;
}

static enum ps_status add_counter(struct pf_reader *r, struct pf_sequence *sequence,
                                  const struct pf_track_event *event, int64_t ts_ns)
{
    uint32_t track = track_of(r, sequence, event);
    double value = PS_WIRE_HAS(event, PF_TRACK_EVENT_HAS_DOUBLE_COUNTER_VALUE)
                       ? event->double_counter_value
                       : (double)event->counter_value;

    if (track == UINT32_MAX || r->err->code != PS_OK)
        return r->err->code;
    return add_value(r, sequence, r->tracks.items[track].uuid, ts_ns, value);
}

/* --- Flows --- */

static enum ps_status add_flows(struct pf_reader *r, uint32_t thread, int64_t ts_ns,
                                struct ps_wire_list ids, char phase)
{
    struct tr_record record = {
        .ts_ns = ts_ns, .phase = (uint64_t)phase & 0x7f, .name = r->flow_name};
    uint64_t id;

    while (ps_wire_next_int(&ids, &id)) {
        record.dur_or_id = (int64_t)id;
        if (record.dur_or_id != TR_NO_DURATION &&
            tr_fill_record(&r->trace, thread, record, PS_STR("")) != PS_OK)
            break;
    }
    return r->err->code;
}

static enum ps_status add_all_flows(struct pf_reader *r, uint32_t thread, int64_t ts_ns,
                                    const struct pf_track_event *event)
{
    if (!(event->flow_ids.n | event->flow_ids_old.n | event->terminating_flow_ids.n |
          event->terminating_flow_ids_old.n))
        return PS_OK;
    if (!r->flow_name)
        r->flow_name = tr_text_id(&r->trace, PS_STR("flow"));
    (void)add_flows(r, thread, ts_ns, event->flow_ids, TR_PHASE_FLOW);
    (void)add_flows(r, thread, ts_ns, event->flow_ids_old, TR_PHASE_FLOW);
    (void)add_flows(r, thread, ts_ns, event->terminating_flow_ids, TR_PHASE_FLOW_END);
    return add_flows(r, thread, ts_ns, event->terminating_flow_ids_old, TR_PHASE_FLOW_END);
}

/* --- Events --- */

static uint64_t phase_of(uint64_t type, const struct pf_legacy_event *legacy)
{
    switch (type) {
    case TYPE_BEGIN:
        return 'B';
    case TYPE_END:
        return TR_PHASE_NAMED_END;
    case TYPE_INSTANT:
        return 'i';
    default:
        return legacy->phase > 0 && legacy->phase < 0x7f ? (uint64_t)legacy->phase : 0;
    }
}

static void add_args(struct pf_reader *r, struct pf_sequence *sequence,
                     const struct pf_track_event *event)
{
    uint32_t location = 0;

    if (event->debug_annotations.n)
        pf_args_add_all(r, sequence, event->debug_annotations);
    if (event->source_location_iid) {
        location = pf_iid_value(&sequence->tables[PF_LOCATIONS], event->source_location_iid);
        r->n_unknown_names += !location;
    } else if (event->source_location.len) {
        struct pf_source_location own;
        struct ps_wire_fault fault;

        if (ps_wire_read(&pf_source_location_message, event->source_location, &own, &fault))
            location = pf_args_location(r, &own);
    }
    if (location)
        pf_args_add_location(r, location);
}

static enum ps_status add_event(struct pf_reader *r, struct pf_sequence *sequence,
                                const struct pf_track_event *event, int64_t ts_ns)
{
    static const struct pf_legacy_event none = {0};
    const struct pf_legacy_event *legacy = &none;
    struct pf_legacy_event own;
    struct tr_record record = {.ts_ns = ts_ns, .dur_or_id = TR_NO_DURATION};
    struct ps_wire_fault fault;
    uint64_t name_iid, category_iid;
    uint32_t thread;

    if (event->legacy_event.len) {
        if (!ps_wire_read(&pf_legacy_event_message, event->legacy_event, &own, &fault))
            pf_count_fault(r, PF_FAULT_NESTED);
        legacy = &own;
    }
    record.phase = phase_of(event->type, legacy) & 0x7f;
    if (!record.phase)
        return r->err->code; /* only has values of counters, or nothing */
    thread = thread_of(r, sequence, event);
    if (r->err->code != PS_OK)
        return r->err->code;
    if (r->trace.is_torch && event->type == TYPE_END)
        return pf_torch_end(r, thread, ts_ns);
    pf_args_begin(&r->args);
    name_iid = read_name(r, sequence, event, legacy, &record);
    category_iid = read_category(r, sequence, event, &record);
    add_args(r, sequence, event);
    if (legacy != &none)
        thread = pf_legacy_apply(r, legacy, thread, &record);
    pf_args_end(r, &record);
    if (tr_fill_record(&r->trace, thread, record, ps_buf_slice(&r->args.params)) != PS_OK)
        return r->err->code;
    if (r->trace.is_torch && event->type == TYPE_BEGIN && pf_torch_begin(r, thread) != PS_OK)
        return r->err->code;
    if (name_iid)
        pf_await(r, sequence, PF_NAMES, name_iid, tr_fill_last(&r->trace, thread));
    if (category_iid)
        pf_await(r, sequence, PF_CATEGORIES, category_iid, tr_fill_last(&r->trace, thread));
    (void)add_all_flows(r, thread, ts_ns, event);
    if (PS_WIRE_HAS(event, PF_TRACK_EVENT_HAS_GPU_CORRELATION) && r->err->code == PS_OK)
        return pf_gpu_add_launch(r, thread);
    return r->err->code;
}

enum ps_status pf_read_event(struct pf_reader *r, struct pf_sequence *sequence,
                             const struct pf_trace_packet *packet)
{
    struct pf_track_event event;
    struct ps_wire_fault fault;
    enum pf_fault refused;
    int64_t ts_ns;

    if (!sequence->id)
        return pf_refuse(r, PF_FAULT_SEQUENCE);
    if (!ps_wire_read(&pf_track_event_message, packet->track_event, &event, &fault))
        return pf_refuse(r, PF_FAULT_PACKET);
    refused = read_time(r, sequence, packet, &event, &ts_ns);
    if (refused != PF_N_FAULTS)
        return pf_refuse(r, refused);
    r->n_events++;
    if (event.extra_counter_values.n | event.extra_double_counter_values.n &&
        add_extra_values(r, sequence, &event, ts_ns) != PS_OK)
        return r->err->code;
    if (event.type == TYPE_COUNTER)
        return add_counter(r, sequence, &event, ts_ns);
    return add_event(r, sequence, &event, ts_ns);
}
