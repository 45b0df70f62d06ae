/* SPDX-License-Identifier: MIT */
/*
 * pprof.c: profiles in the format of pprof, as Go, ddtrace, OpenTelemetry, pyroscope, JAX and
 * others write them: one message of Protocol Buffers, often compressed with gzip or zstd.
 *
 * The message has no magic bytes and no version, and its fields come in any order. Format:
 * github.com/google/pprof, proto/profile.proto.
 */
#include <stdlib.h>
#include <string.h>

#include "importers/messages/pprof_messages.h"
#include "importers/reading.h"
#include "importers/records/run.h"
#include "importers/stacks/pprof.h"

enum {
    CHECK_EVERY = 4096, /* fields */
    STRINGS_MAX = 16 << 20,
    TEXT_MAX = 256 << 20, /* bytes of all strings */
};

/* --- Messages --- */

static struct pprof_type read_type(struct ps_str bytes)
{
    struct ps_wire_fault fault;
    struct pp_value_type type;

    (void)ps_wire_read(&pp_value_type_message, bytes, &type, &fault);
    return (struct pprof_type){type.type, type.unit};
}

static void add_location(struct pprof *p, struct ps_str bytes)
{
    struct ps_wire_fault fault;
    struct pp_location message;
    struct pprof_location *location;
    struct ps_str line_bytes;
    uint32_t index;

    if (!ps_wire_read(&pp_location_message, bytes, &message, &fault))
        return;
    index = pprof_index_of(&p->location_ids, message.id);
    p->locations = ps_grow_to(p->locations, &p->cap_locations, index, sizeof *p->locations);
    location = &p->locations[index];
    *location = (struct pprof_location){.mapping = message.mapping_id,
                                        .address = message.address,
                                        .first_line = (uint32_t)p->n_lines,
                                        .is_known = true};
    while (ps_wire_next_string(&message.line, &line_bytes)) {
        struct pp_line line;

        if (!ps_wire_read(&pp_line_message, line_bytes, &line, &fault))
            continue;
        PS_RESERVE_ONE(p->lines, p->n_lines, p->cap_lines);
        p->lines[p->n_lines++] = (struct pprof_line){line.function_id, line.line};
        location->n_lines++;
    }
}

static void add_function(struct pprof *p, struct ps_str bytes)
{
    struct ps_wire_fault fault;
    struct pp_function message;
    uint32_t index;

    if (!ps_wire_read(&pp_function_message, bytes, &message, &fault))
        return;
    index = pprof_index_of(&p->function_ids, message.id);
    p->functions = ps_grow_to(p->functions, &p->cap_functions, index, sizeof *p->functions);
    p->functions[index] =
        (struct pprof_function){message.name, message.system_name, message.filename, true};
}

static void add_mapping(struct pprof *p, struct ps_str bytes)
{
    struct ps_wire_fault fault;
    struct pp_mapping message;
    uint32_t index;

    if (!ps_wire_read(&pp_mapping_message, bytes, &message, &fault))
        return;
    index = pprof_index_of(&p->mapping_ids, message.id);
    p->mappings = ps_grow_to(p->mappings, &p->cap_mappings, index, sizeof *p->mappings);
    p->mappings[index] = (struct pprof_mapping){message.start, message.offset, message.filename};
}

static enum ps_status add_string(struct pprof *p, struct ps_str bytes, struct ps_err *err)
{
    if (p->n_strings == STRINGS_MAX || p->text.len + bytes.len > TEXT_MAX)
        return ps_fail(err, PS_LIMIT, "the file has more than %d strings, or %d MiB of them",
                       STRINGS_MAX, TEXT_MAX >> 20);
    ps_buf_add_str(&p->text, bytes);
    PS_RESERVE_ONE(p->string_ends, p->n_strings, p->cap_strings);
    p->string_ends[p->n_strings++] = p->text.len;
    return PS_OK;
}

static void add_comment(struct pprof *p, int64_t index)
{
    PS_RESERVE_ONE(p->comments, p->n_comments, p->cap_comments);
    p->comments[p->n_comments++] = index;
}

static void add_comments(struct pprof *p, struct ps_str packed)
{
    const char *at = packed.ptr, *end = at + packed.len;
    uint64_t index;

    while (at < end && (at = ps_wire_varint(at, end, &index)))
        add_comment(p, (int64_t)index);
}

static void add_number(struct pprof *p, const struct ps_wire_header *field)
{
    const int64_t value = (int64_t)field->value;

    switch (field->number) {
    case PP_PROFILE_DROP_FRAMES:
        p->drop_frames = value;
        break;
    case PP_PROFILE_KEEP_FRAMES:
        p->keep_frames = value;
        break;
    case PP_PROFILE_TIME_NANOS:
        p->time_ns = value;
        break;
    case PP_PROFILE_DURATION_NANOS:
        p->duration_ns = value;
        break;
    case PP_PROFILE_PERIOD:
        p->period = value;
        break;
    case PP_PROFILE_COMMENT:
        add_comment(p, value);
        break;
    case PP_PROFILE_DEFAULT_SAMPLE_TYPE:
        p->default_type = value;
        break;
    case PP_PROFILE_DOC_URL:
        p->doc_url = value;
        break;
    default:
        break;
    }
}

static enum ps_status add_bytes(struct pprof *p, uint32_t number, struct ps_str bytes,
                                struct ps_err *err)
{
    switch (number) {
    case PP_PROFILE_SAMPLE:
        return pprof_add_sample(p, bytes, err);
    case PP_PROFILE_STRING_TABLE:
        return add_string(p, bytes, err);
    case PP_PROFILE_LOCATION:
        add_location(p, bytes);
        break;
    case PP_PROFILE_FUNCTION:
        add_function(p, bytes);
        break;
    case PP_PROFILE_MAPPING:
        add_mapping(p, bytes);
        break;
    case PP_PROFILE_COMMENT:
        add_comments(p, bytes);
        break;
    case PP_PROFILE_PERIOD_TYPE:
        p->period_type = read_type(bytes);
        break;
    case PP_PROFILE_SAMPLE_TYPE:
        if (p->n_types == PPROF_TYPES_MAX)
            return ps_fail(err, PS_LIMIT, "the file has more than %d sample types",
                           PPROF_TYPES_MAX);
        p->types[p->n_types++] = read_type(bytes);
        break;
    default:
        break;
    }
    return err->code;
}

/* --- Reading --- */

static enum ps_status read_fields(struct pprof *p, struct ps_wire_stream *in, struct ps_err *err)
{
    struct ps_wire_header field;
    struct ps_str bytes;
    uint64_t n = 0;

    while (err->code == PS_OK && ps_wire_stream_next(in, &field)) {
        if (field.type == PS_WIRE_VARINT)
            add_number(p, &field);
        else if (field.type == PS_WIRE_BYTES && ps_wire_stream_bytes(in, &bytes))
            add_bytes(p, field.number, bytes, err);
        else if (field.type == PS_WIRE_BYTES && !in->fault.what)
            p->n_rejected += field.number == PP_PROFILE_SAMPLE;
        if (++n % CHECK_EVERY == 0)
            ps_reading_check(p->in, p->out, p->n_samples, err);
    }
    return err->code;
}

/* Decides whether what was read is a profile. */
static enum ps_status check_reading(struct pprof *p, const struct ps_wire_stream *in,
                                    struct ps_err *err)
{
    struct ps_err ended = PS_ERR_INIT;

    if (ps_stream_status(p->in, &ended) != PS_OK && !ps_stream_is_truncated(p->in))
        return ps_stream_status(p->in, err);
    p->is_cut = in->fault.what || ended.code != PS_OK;
    if (!p->n_types)
        return ps_fail(err, PS_BAD_INPUT, "the profile has no sample types%s",
                       p->is_cut ? ": the file is cut" : "");
    if (p->is_cut && (!p->function_ids.n || !p->n_strings))
        return ps_fail_at(err, PS_BAD_INPUT, ps_wire_stream_offset(in),
                          "the file is cut before the names of its functions");
    if (!p->n_samples)
        return ps_fail(err, PS_BAD_INPUT,
                       "the profile contains no samples" PS_HINT
                       "the program may have ended before the first sample; record a longer run");
    if (p->is_cut)
        ps_sink_note(p->out, PS_NOTE_WARNING,
                     in->fault.what ? in->fault.at : ps_wire_stream_offset(in), 0,
                     "%s; perfshelf imported the data before that point",
                     in->fault.what ? in->fault.what : "the file is cut");
    return err->code;
}

static void pprof_free(struct pprof *p)
{
    pprof_samples_free(p);
    pprof_ids_free(&p->location_ids);
    pprof_ids_free(&p->function_ids);
    pprof_ids_free(&p->mapping_ids);
    free(p->locations);
    free(p->functions);
    free(p->mappings);
    free(p->lines);
    free(p->frames);
    free(p->comments);
    free(p->string_ends);
    ps_buf_free(&p->text);
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    struct pprof *p = ps_alloc(sizeof *p);
    struct ps_wire_stream fields;

    p->in = in;
    p->out = out;
    ps_wire_stream_open(&fields, in);
    if (read_fields(p, &fields, err) == PS_OK && check_reading(p, &fields, err) == PS_OK)
        pprof_write(p, err);
    pprof_free(p);
    free(p);
    return err->code;
}

/* --- Recognising --- */

/* Whether the message is a ValueType: fields 1 and 2, both numbers. */
static bool is_value_type(struct ps_str bytes)
{
    const char *at = bytes.ptr, *end = ps_str_end(bytes);
    uint64_t tag, value;

    while (at < end) {
        at = ps_wire_varint(at, end, &tag);
        if (!at || (tag != (1 << 3) && tag != (2 << 3)))
            return false;
        at = ps_wire_varint(at, end, &value);
        if (!at)
            return false;
    }
    return true;
}

/* Whether the message is a Sample: locations and values, which are packed or not, and labels. */
static bool is_sample(struct ps_str bytes)
{
    struct ps_wire_fault fault;
    struct pp_sample sample;
    const char *at = bytes.ptr, *end = ps_str_end(bytes);
    struct ps_str label;
    uint64_t tag, value;

    if (!ps_wire_read(&pp_sample_message, bytes, &sample, &fault) ||
        !PS_WIRE_HAS(&sample, PP_SAMPLE_HAS_VALUE))
        return false;
    while (at && at < end) { /* no other fields */
        at = ps_wire_varint(at, end, &tag);
        if (!at || tag >> 3 < 1 || tag >> 3 > 3 || ((tag & 7) != 0 && (tag & 7) != 2))
            return false;
        at = ps_wire_varint(at, end, &value);
        if (at && (tag & 7) == 2)
            at = value <= (uint64_t)(end - at) ? at + value : NULL;
    }
    while (at && ps_wire_next_string(&sample.label, &label))
        if (!label.len || label.ptr[0] != 1 << 3)
            return false;
    return at != NULL;
}

/* The wire type of each field of a profile; of comments both are valid. */
static bool is_field(uint64_t number, uint64_t type)
{
    if (number == PP_PROFILE_COMMENT)
        return type == PS_WIRE_VARINT || type == PS_WIRE_BYTES;
    if (number <= PP_PROFILE_STRING_TABLE || number == PP_PROFILE_PERIOD_TYPE)
        return type == PS_WIRE_BYTES;
    return number <= PP_PROFILE_DOC_URL && type == PS_WIRE_VARINT;
}

/* There are no magic bytes. `head` must consist of fields of a profile, of which the sample types
 * or the first samples prove that it is one: no other format has numbers there alone. */
static enum ps_match sniff(struct ps_str head)
{
    const char *at = head.ptr, *end = ps_str_end(head);
    size_t n_types = 0, n_empty_types = 0, n_samples = 0, n_strings = 0, n = 0;
    uint64_t tag, value;

    while (at < end && n < 64) {
        struct ps_str bytes;
        bool is_whole;

        at = ps_wire_varint(at, end, &tag);
        at = at ? ps_wire_varint(at, end, &value) : NULL;
        if (!at) /* cut by the end of `head`, or no message at all */
            break;
        if (!(tag >> 3) || (!is_field(tag >> 3, tag & 7) && !(n_types && n_samples)))
            return PS_MATCH_NO;
        if (!is_field(tag >> 3, tag & 7))
            break; /* a field of a newer version */
        n++;
        if ((tag & 7) == PS_WIRE_VARINT)
            continue;
        is_whole = value <= (uint64_t)(end - at);
        bytes = (struct ps_str){at, is_whole ? (size_t)value : (size_t)(end - at)};
        at += bytes.len;
        if ((tag >> 3 == PP_PROFILE_SAMPLE_TYPE && !is_value_type(bytes)) ||
            (tag >> 3 == PP_PROFILE_SAMPLE && is_whole && !is_sample(bytes)) ||
            (tag >> 3 == PP_PROFILE_STRING_TABLE && !n_strings++ && bytes.len))
            return PS_MATCH_NO;
        /* one that is empty says nothing of the format */
        n_types += tag >> 3 == PP_PROFILE_SAMPLE_TYPE && bytes.len;
        n_empty_types += tag >> 3 == PP_PROFILE_SAMPLE_TYPE && !bytes.len;
        n_samples += tag >> 3 == PP_PROFILE_SAMPLE && is_whole;
    }
    return (n_types && n > 1) || n_samples > 1 || (n_empty_types && n_samples) ? PS_MATCH_SURE
                                                                               : PS_MATCH_NO;
}

const struct ps_importer ps_pprof = {
    .kind = "pprof",
    .label = "pprof profile",
    .description = "profiles of ddtrace, OpenTelemetry, pyroscope, JAX, Go and others",
    .record_command = "DD_PROFILING_OUTPUT_PPROF=app ddtrace-run python app.py",
    .sniff = sniff,
    .load = load,
};
