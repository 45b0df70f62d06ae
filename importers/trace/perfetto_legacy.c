/* SPDX-License-Identifier: MIT */
/*
 * perfetto_legacy.c: events that Chrome and others convert from the JSON format (LegacyEvent). They
 * become the records that the JSON event would become.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/json_out.h"
#include "importers/trace/perfetto.h"

enum { FLOW_IN = 1, FLOW_OUT = 2, FLOW_INOUT = 3 };
enum { SCOPE_GLOBAL = 1, SCOPE_PROCESS = 2 };

static void add_other_text(struct pf_reader *r, const char *key, struct ps_str text)
{
    PS_AUTO(ps_buf_free) struct ps_buf json = {0};
    struct ps_json out = ps_json_writer(&json);

    ps_json_str(&out, pf_clean_text(r, text));
    pf_args_add_other(&r->args, key, ps_buf_slice(&json));
}

static void add_other_id(struct pf_reader *r, const char *key, const char *format, uint64_t id)
{
    char text[64];

    (void)snprintf(text, sizeof text, format, id);
    pf_args_add_other(&r->args, key, ps_str_from_c(text));
}

/* Sets the id of the event. Local ids are those of its process, global ones those of the trace. */
static void set_id(struct pf_reader *r, const struct pf_legacy_event *legacy,
                   struct tr_record *record)
{
    if (PS_WIRE_HAS(legacy, PF_LEGACY_EVENT_HAS_UNSCOPED_ID))
        record->dur_or_id = (int64_t)legacy->unscoped_id;
    else if (PS_WIRE_HAS(legacy, PF_LEGACY_EVENT_HAS_LOCAL_ID))
        add_other_id(r, "id2", "{\"local\":\"0x%" PRIx64 "\"}", legacy->local_id);
    else if (PS_WIRE_HAS(legacy, PF_LEGACY_EVENT_HAS_GLOBAL_ID))
        add_other_id(r, "id2", "{\"global\":\"0x%" PRIx64 "\"}", legacy->global_id);
    if (legacy->id_scope.len)
        add_other_text(r, "scope", legacy->id_scope);
}

static void add_flow_fields(struct pf_reader *r, const struct pf_legacy_event *legacy)
{
    if (PS_WIRE_HAS(legacy, PF_LEGACY_EVENT_HAS_BIND_ID)) {
        add_other_id(r, "bind_id", "\"0x%" PRIx64 "\"", legacy->bind_id);
        if (legacy->flow_direction == FLOW_IN || legacy->flow_direction == FLOW_INOUT)
            pf_args_add_other(&r->args, "flow_in", PS_STR("true"));
        if (legacy->flow_direction == FLOW_OUT || legacy->flow_direction == FLOW_INOUT)
            pf_args_add_other(&r->args, "flow_out", PS_STR("true"));
    }
    if (legacy->bind_to_enclosing)
        pf_args_add_other(&r->args, "bp", PS_STR("\"e\""));
}

uint32_t pf_legacy_apply(struct pf_reader *r, const struct pf_legacy_event *legacy, uint32_t thread,
                         struct tr_record *record)
{
    switch (record->phase) {
    case 'X':
        if (PS_WIRE_HAS(legacy, PF_LEGACY_EVENT_HAS_DURATION_US) &&
            __builtin_mul_overflow(legacy->duration_us, 1000, &record->dur_or_id))
            record->dur_or_id = TR_NO_DURATION;
        break;
    case 'E':
        record->phase = TR_PHASE_NAMED_END;
        break;
    case 'i':
    case 'I':
        if (legacy->instant_event_scope == SCOPE_GLOBAL)
            pf_args_add_other(&r->args, "s", PS_STR("\"g\""));
        else if (legacy->instant_event_scope == SCOPE_PROCESS)
            pf_args_add_other(&r->args, "s", PS_STR("\"p\""));
        break;
    default:
        if (record->phase != 'B')
            set_id(r, legacy, record);
        break;
    }
    add_flow_fields(r, legacy);
    if (PS_WIRE_HAS(legacy, PF_LEGACY_EVENT_HAS_PID_OVERRIDE) ||
        PS_WIRE_HAS(legacy, PF_LEGACY_EVENT_HAS_TID_OVERRIDE)) {
        int64_t pid = PS_WIRE_HAS(legacy, PF_LEGACY_EVENT_HAS_PID_OVERRIDE)
                          ? (int32_t)legacy->pid_override
                          : r->trace.threads[thread].pid_number;

        if (PS_WIRE_HAS(legacy, PF_LEGACY_EVENT_HAS_TID_OVERRIDE))
            thread = pf_thread_of_ids(r, pid, (int32_t)legacy->tid_override);
    }
    return thread;
}
