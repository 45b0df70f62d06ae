/* SPDX-License-Identifier: MIT */
/*
 * perfetto_sequence.c: the state of packet sequences: interned data and defaults.
 *
 * Writers send a name once and then refer to it by its iid, until they clear the state of their
 * sequence. Events may refer to an iid that is defined in a later packet before the next clear.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "importers/trace/perfetto.h"

#define SEQUENCES_MAX (UINT32_C(1) << 18)
#define AWAITING_MAX  (UINT32_C(1) << 20) /* events; more have no name */

/* --- Interned ids --- */

/* Larger iids than this, and than four times the number of defined ones, are in `sparse`. */
#define DENSE_MIN 4096u

static bool is_iid(const void *items, uint32_t index, const void *key)
{
    const struct pf_sparse_iid *sparse = items;

    return sparse[index].iid == *(const uint64_t *)key;
}

static uint32_t *find_value(const struct pf_iids *iids, uint64_t iid)
{
    uint32_t at;

    if (iid < iids->n_dense && iids->dense[iid])
        return &iids->dense[iid];
    at = ps_hash_table_find(&iids->index, ps_hash_u64(iid), is_iid, iids->sparse, &iid);
    return at == PS_HASH_NONE ? NULL : &iids->sparse[at].value;
}

uint32_t pf_iid_value(const struct pf_iids *iids, uint64_t iid)
{
    uint32_t *value;

    if (iid < iids->n_dense && iids->dense[iid])
        return iids->dense[iid] & PF_AWAITED ? 0 : iids->dense[iid];
    value = find_value(iids, iid);
    return !value || *value & PF_AWAITED ? 0 : *value;
}

/* Where the value of an iid that has none is stored. */
static uint32_t *new_value(struct pf_iids *iids, uint64_t iid)
{
    uint32_t at;

    iids->count++;
    if (iid < DENSE_MIN || iid / 4 < iids->count) {
        if (iid >= iids->n_dense) {
            size_t n = iid < 60 ? 64 : (size_t)iid * 2;

            iids->dense = ps_grow(iids->dense, n, sizeof *iids->dense);
            memset(iids->dense + iids->n_dense, 0, (n - iids->n_dense) * sizeof *iids->dense);
            iids->n_dense = n;
        }
        return &iids->dense[iid];
    }
    PS_RESERVE_ONE(iids->sparse, iids->n_sparse, iids->cap_sparse);
    at = ps_hash_table_add(&iids->index, ps_hash_u64(iid), iids->n_sparse, is_iid, iids->sparse,
                           &iid);
    iids->sparse[at] = (struct pf_sparse_iid){.iid = iid};
    iids->n_sparse++;
    return &iids->sparse[at].value;
}

static void set_of_record(struct tr_record *record, enum pf_table table, uint32_t value)
{
    if (table == PF_NAMES)
        record->name = value;
    else
        record->category = value & UINT16_MAX;
}

/* Gives the value to the events that refer to it. */
static void settle(struct pf_reader *r, enum pf_table table, uint32_t awaited, uint32_t value)
{
    for (uint32_t i = awaited & ~PF_AWAITED; i; i = r->awaiting[i - 1].next)
        set_of_record(r->awaiting[i - 1].record, table, value);
}

void pf_define(struct pf_reader *r, struct pf_sequence *sequence, enum pf_table table, uint64_t iid,
               uint32_t value)
{
    struct pf_iids *iids = &sequence->tables[table];
    uint32_t *known = find_value(iids, iid);

    if (!value || (known && !(*known & PF_AWAITED)))
        return;
    if (known) {
        settle(r, table, *known, value);
        iids->n_awaited--;
        *known = value;
    } else {
        *new_value(iids, iid) = value;
    }
}

void pf_await(struct pf_reader *r, struct pf_sequence *sequence, enum pf_table table, uint64_t iid,
              struct tr_record *record)
{
    struct pf_iids *iids = &sequence->tables[table];
    uint32_t *value = find_value(iids, iid);

    if (r->n_awaiting == AWAITING_MAX) {
        r->n_unknown_names++;
        return;
    }
    if (!value) {
        value = new_value(iids, iid);
        *value = PF_AWAITED;
        iids->n_awaited++;
    }
    PS_RESERVE_ONE(r->awaiting, r->n_awaiting, r->cap_awaiting);
    r->awaiting[r->n_awaiting++] = (struct pf_awaiting){record, *value & ~PF_AWAITED};
    *value = PF_AWAITED | r->n_awaiting;
}

/* Names the events that refer to an iid that was never defined: "#7". */
static void settle_undefined(struct pf_reader *r, enum pf_table table, uint64_t iid, uint32_t value)
{
    char text[32];
    struct ps_str name;

    if (!(value & PF_AWAITED))
        return;
    (void)snprintf(text, sizeof text, "#%" PRIu64, iid);
    name = ps_str_from_c(text);
    r->n_unknown_names++;
    settle(r, table, value,
           table == PF_NAMES ? tr_text_id(&r->trace, name) : tr_fill_word(&r->trace, name));
}

static void clear_iids(struct pf_reader *r, struct pf_iids *iids, enum pf_table table)
{
    for (uint64_t i = 0; iids->n_awaited && i < iids->n_dense; i++)
        settle_undefined(r, table, i, iids->dense[i]);
    for (uint32_t i = 0; iids->n_awaited && i < iids->n_sparse; i++)
        settle_undefined(r, table, iids->sparse[i].iid, iids->sparse[i].value);
    if (iids->n_dense)
        memset(iids->dense, 0, iids->n_dense * sizeof *iids->dense);
    if (iids->n_sparse)
        ps_hash_table_clear(&iids->index);
    iids->n_sparse = iids->count = iids->n_awaited = 0;
}

/* --- Sequences --- */

static bool is_sequence(const void *items, uint32_t index, const void *key)
{
    struct pf_sequence *const *sequences = items;

    return sequences[index]->id == *(const uint64_t *)key;
}

static void begin_generation(struct pf_reader *r, struct pf_sequence *sequence, uint32_t index)
{
    PS_RESERVE_ONE(r->generations, r->n_generations, r->cap_generations);
    sequence->generation = r->n_generations;
    r->generations[r->n_generations++] = index;
}

struct pf_sequence *pf_sequence_of(struct pf_reader *r, uint64_t id)
{
    uint32_t at;

    if (r->last_sequence && r->last_sequence->id == id)
        return r->last_sequence;
    at = ps_hash_table_find(&r->sequence_index, ps_hash_u64(id), is_sequence, r->sequences, &id);
    if (at == PS_HASH_NONE) {
        if (r->n_sequences == SEQUENCES_MAX) {
            ps_fail(r->err, PS_LIMIT, "the trace has more than %u sequences of packets",
                    SEQUENCES_MAX);
            return NULL;
        }
        PS_RESERVE_ONE(r->sequences, r->n_sequences, r->cap_sequences);
        at = ps_hash_table_add(&r->sequence_index, ps_hash_u64(id), r->n_sequences, is_sequence,
                               r->sequences, &id);
        r->sequences[at] = ps_alloc(sizeof **r->sequences);
        r->sequences[at]->id = id;
        r->sequences[at]->last_track = r->sequences[at]->last_clock = UINT32_MAX;
        begin_generation(r, r->sequences[at], at);
        r->n_sequences++;
    }
    r->last_sequence = r->sequences[at];
    return r->last_sequence;
}

static void clear_defaults(struct pf_sequence *sequence)
{
    sequence->clock = sequence->track = 0;
    sequence->has_track = false;
    sequence->extra_counters.n = sequence->extra_double_counters.n = 0;
    sequence->perf_counter = sequence->sample_counter = 0;
    sequence->sample_period = 0;
}

void pf_sequence_clear(struct pf_reader *r, struct pf_sequence *sequence)
{
    for (int i = 0; i < PF_N_TABLES; i++)
        clear_iids(r, &sequence->tables[i], (enum pf_table)i);
    clear_defaults(sequence);
    sequence->is_valid = true;
    begin_generation(r, sequence, r->generations[sequence->generation]);
}

static void read_uuids(struct pf_uuids *uuids, struct ps_wire_list list)
{
    uint64_t uuid;

    uuids->n = 0;
    while (ps_wire_next_int(&list, &uuid)) {
        PS_RESERVE_ONE(uuids->items, uuids->n, uuids->cap);
        uuids->items[uuids->n++] = uuid;
    }
}

void pf_read_defaults(struct pf_sequence *sequence, struct ps_str bytes)
{
    struct pf_trace_packet_defaults defaults;
    struct pf_track_event_defaults event;
    struct ps_wire_fault fault;

    clear_defaults(sequence);
    (void)ps_wire_read(&pf_trace_packet_defaults_message, bytes, &defaults, &fault);
    sequence->clock = defaults.timestamp_clock_id;
    if (!PS_WIRE_HAS(&defaults, PF_TRACE_PACKET_DEFAULTS_HAS_TRACK_EVENT_DEFAULTS))
        return;
    (void)ps_wire_read(&pf_track_event_defaults_message, defaults.track_event_defaults, &event,
                       &fault);
    sequence->has_track = PS_WIRE_HAS(&event, PF_TRACK_EVENT_DEFAULTS_HAS_TRACK_UUID);
    sequence->track = event.track_uuid;
    read_uuids(&sequence->extra_counters, event.extra_counter_track_uuids);
    read_uuids(&sequence->extra_double_counters, event.extra_double_counter_track_uuids);
}

/* --- Interned data --- */

static uint32_t value_of_text(struct pf_reader *r, enum pf_table table, struct ps_str bytes)
{
    struct ps_str text = pf_clean_text(r, bytes);

    switch (table) {
    case PF_CATEGORIES:
        return tr_fill_word(&r->trace, text);
    case PF_NAMES:
        return tr_text_id(&r->trace, text);
    case PF_ANNOTATION_NAMES:
        return pf_args_key(r, text);
    default:
        return pf_args_string(r, text);
    }
}

static void read_texts(struct pf_reader *r, struct pf_sequence *sequence, enum pf_table table,
                       struct ps_wire_list list)
{
    struct pf_interned_text text;
    struct ps_wire_fault fault;
    struct ps_str bytes;

    while (ps_wire_next_string(&list, &bytes))
        if (ps_wire_read(&pf_interned_text_message, bytes, &text, &fault))
            pf_define(r, sequence, table, text.iid, value_of_text(r, table, text.text));
}

void pf_read_interned_data(struct pf_reader *r, struct pf_sequence *sequence,
                           const struct pf_interned_data *data)
{
    struct ps_wire_list locations = data->source_locations;
    struct pf_source_location location;
    struct ps_wire_fault fault;
    struct ps_str bytes;

    read_texts(r, sequence, PF_CATEGORIES, data->event_categories);
    read_texts(r, sequence, PF_NAMES, data->event_names);
    read_texts(r, sequence, PF_ANNOTATION_NAMES, data->debug_annotation_names);
    read_texts(r, sequence, PF_STRINGS, data->debug_annotation_string_values);
    while (ps_wire_next_string(&locations, &bytes))
        if (ps_wire_read(&pf_source_location_message, bytes, &location, &fault))
            pf_define(r, sequence, PF_LOCATIONS, location.iid, pf_args_location(r, &location));
}

/* --- End --- */

void pf_sequences_end(struct pf_reader *r)
{
    for (uint32_t i = 0; i < r->n_sequences; i++)
        for (int table = 0; table < PF_N_TABLES; table++)
            clear_iids(r, &r->sequences[i]->tables[table], (enum pf_table)table);
}

void pf_sequences_free(struct pf_reader *r)
{
    for (uint32_t i = 0; i < r->n_sequences; i++) {
        struct pf_sequence *sequence = r->sequences[i];

        for (int table = 0; table < PF_N_TABLES; table++) {
            free(sequence->tables[table].dense);
            free(sequence->tables[table].sparse);
            ps_hash_table_free(&sequence->tables[table].index);
        }
        free(sequence->extra_counters.items);
        free(sequence->extra_double_counters.items);
        free(sequence);
    }
    free(r->sequences);
    free(r->awaiting);
    ps_hash_table_free(&r->sequence_index);
    free(r->generations);
}
