/* SPDX-License-Identifier: MIT */
/* wire.c: see wire.h. */
#include "base/wire.h"

#include <string.h>

static const char too_long[] = "a number is longer than ten bytes";
static const char beyond[] = "a length goes beyond its message";
static const char cut_number[] = "a message ends inside of a number";
static const char no_type[] = "a field has a wire type that does not exist";
static const char no_number[] = "a field has the number 0";
static const char no_group[] = "a group ends that did not begin";
static const char too_deep[] = "groups are nested too deep";
static const char cut_file[] = "the file ends inside of a field";

/* --- Messages in memory --- */

const char *ps_wire_varint(const char *at, const char *end, uint64_t *out)
{
    uint64_t value = 0;

    for (unsigned shift = 0; at < end && shift < 70; shift += 7) {
        unsigned char byte = (unsigned char)*at++;

        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *out = value;
            return at;
        }
    }
    return NULL;
}

/* Most tags, lengths and numbers have one byte. */
static inline const char *read_varint(const char *at, const char *end, uint64_t *out)
{
    if (at < end && (signed char)*at >= 0) {
        *out = (unsigned char)*at;
        return at + 1;
    }
    return ps_wire_varint(at, end, out);
}

static uint64_t read_fixed(const char *at, unsigned n)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < n; i++)
        value |= (uint64_t)(unsigned char)at[i] << 8 * i;
    return value;
}

/* A field in memory: the bytes of its value, or the value. */
struct field {
    uint64_t number, value;
    enum ps_wire_type type;
    struct ps_str bytes;
};

static const char *fail(const char **what, const char *why)
{
    *what = why;
    return NULL;
}

static const char *skip_group(const char *at, const char *end, uint64_t number, const char **what);

/* Reads the field at `at`. Returns the position after it; NULL: *what says what is wrong. A group
 * is skipped, and its type is PS_WIRE_GROUP. */
static inline const char *read_field(const char *at, const char *end, struct field *out,
                                     const char **what)
{
    uint64_t tag;
    size_t n;

    at = read_varint(at, end, &tag);
    if (!at)
        return fail(what, cut_number);
    out->number = tag >> 3;
    out->type = (enum ps_wire_type)(tag & 7);
    if (!out->number)
        return fail(what, no_number);
    switch (out->type) {
    case PS_WIRE_VARINT:
        n = (size_t)(end - at);
        at = read_varint(at, end, &out->value);
        return at ? at : fail(what, n < 10 ? cut_number : too_long);
    case PS_WIRE_BYTES:
        at = read_varint(at, end, &out->value);
        if (!at)
            return fail(what, cut_number);
        if (out->value > (uint64_t)(end - at)) {
            out->bytes = (struct ps_str){at, (size_t)(end - at)};
            return fail(what, beyond);
        }
        out->bytes = (struct ps_str){at, (size_t)out->value};
        return at + out->value;
    case PS_WIRE_FIXED64:
    case PS_WIRE_FIXED32:
        n = out->type == PS_WIRE_FIXED64 ? 8 : 4;
        if ((size_t)(end - at) < n)
            return fail(what, cut_number);
        out->value = read_fixed(at, (unsigned)n);
        return at + n;
    case PS_WIRE_GROUP:
        return skip_group(at, end, out->number, what);
    case PS_WIRE_END_GROUP:
        return fail(what, no_group);
    }
    return fail(what, no_type);
}

/* Skips to after the end of the group. It has no length, so its fields are read. */
static const char *skip_group(const char *at, const char *end, uint64_t number, const char **what)
{
    uint64_t open[PS_WIRE_DEPTH_MAX] = {number}, tag;
    unsigned depth = 1;

    while (at && depth) {
        const char *after = ps_wire_varint(at, end, &tag);
        struct field field;

        if (!after)
            return fail(what, cut_number);
        if ((tag & 7) == PS_WIRE_GROUP) {
            if (depth == PS_WIRE_DEPTH_MAX)
                return fail(what, too_deep);
            open[depth++] = tag >> 3;
            at = after;
        } else if ((tag & 7) == PS_WIRE_END_GROUP) {
            if (open[--depth] != tag >> 3)
                return fail(what, no_group);
            at = after;
        } else {
            at = read_field(at, end, &field, what);
        }
    }
    return at;
}

/* The wire type in which values of each kind stand by themselves. */
static const uint8_t type_of_kind[] = {
    [PS_WIRE_UINT64] = PS_WIRE_VARINT,    [PS_WIRE_INT64] = PS_WIRE_VARINT,
    [PS_WIRE_SINT64] = PS_WIRE_VARINT,    [PS_WIRE_DOUBLE] = PS_WIRE_FIXED64,
    [PS_WIRE_FLOAT] = PS_WIRE_FIXED32,    [PS_WIRE_UFIXED64] = PS_WIRE_FIXED64,
    [PS_WIRE_UFIXED32] = PS_WIRE_FIXED32, [PS_WIRE_STRING] = PS_WIRE_BYTES,
};

static uint64_t int_of(uint8_t kind, uint64_t value)
{
    return kind == PS_WIRE_SINT64 ? value >> 1 ^ (~(value & 1) + 1) : value;
}

static double real_of(uint8_t kind, uint64_t value)
{
    uint32_t single_bits = (uint32_t)value;
    double real;
    float single;

    if (kind == PS_WIRE_FLOAT) {
        memcpy(&single, &single_bits, sizeof single);
        return (double)single;
    }
    memcpy(&real, &value, sizeof real);
    return real;
}

static bool is_real(uint8_t kind)
{
    return kind == PS_WIRE_DOUBLE || kind == PS_WIRE_FLOAT;
}

/* Whether a value of this wire type can be one of the field, or several packed ones. */
static inline bool fits(uint8_t kind, bool is_repeated, enum ps_wire_type type)
{
    return type == type_of_kind[kind] || (is_repeated && type == PS_WIRE_BYTES);
}

static void store(const struct ps_wire_field *field, const struct field *value, void *at)
{
    uint64_t number;
    double real;

    if (field->kind == PS_WIRE_STRING) {
        memcpy(at, &value->bytes, sizeof value->bytes);
    } else if (is_real(field->kind)) {
        real = real_of(field->kind, value->value);
        memcpy(at, &real, sizeof real);
    } else {
        number = int_of(field->kind, value->value);
        memcpy(at, &number, sizeof number);
    }
}

bool ps_wire_read(const struct ps_wire_message *message, struct ps_str bytes, void *out,
                  struct ps_wire_fault *fault)
{
    const char *at = bytes.ptr, *end = ps_str_end(bytes);
    uint64_t has = 0;

    memset(out, 0, message->size);
    fault->what = NULL;
    while (at < end) {
        struct field value;
        const char *start = at;
        const struct ps_wire_field *field;
        unsigned i;

        at = read_field(at, end, &value, &fault->what);
        if (!at) {
            fault->at = (uint64_t)(start - bytes.ptr);
            break;
        }
        i = value.number < message->n_index ? message->index[value.number] : 0;
        if (!i)
            continue;
        field = &message->fields[--i];
        if (!fits(field->kind, field->is_repeated, value.type))
            continue;
        if (!field->is_repeated) {
            store(field, &value, (char *)out + field->offset);
        } else {
            struct ps_wire_list *list = (void *)((char *)out + field->offset);

            if (!list->n++)
                *list = (struct ps_wire_list){
                    .at = start, .end = end, .n = 1, .number = field->number, .kind = field->kind};
        }
        has |= UINT64_C(1) << i;
    }
    memcpy(out, &has, sizeof has);
    return fault->what == NULL;
}

/* The next occurrence of the field of the list. */
static bool next_occurrence(struct ps_wire_list *list, struct field *out)
{
    const char *ignored = NULL;

    while (list->n && list->at < list->end) {
        list->at = read_field(list->at, list->end, out, &ignored);
        if (!list->at)
            break;
        if (out->number == list->number && fits(list->kind, true, out->type)) {
            list->n--;
            return true;
        }
    }
    list->n = 0;
    return false;
}

bool ps_wire_next_string(struct ps_wire_list *list, struct ps_str *out)
{
    struct field field;

    if (!next_occurrence(list, &field))
        return false;
    *out = field.bytes;
    return true;
}

/* Reads a value of the packed ones. */
static bool next_packed(struct ps_wire_list *list, uint64_t *out)
{
    const char *at = list->packed.ptr, *end = at + list->packed.len;
    uint8_t type = type_of_kind[list->kind];
    unsigned n = type == PS_WIRE_FIXED64 ? 8 : 4;

    if (type == PS_WIRE_VARINT) {
        at = read_varint(at, end, out);
    } else if (list->packed.len >= n) {
        *out = read_fixed(at, n);
        at += n;
    } else {
        at = NULL;
    }
    list->packed = at ? (struct ps_str){at, (size_t)(end - at)} : (struct ps_str){NULL, 0};
    return at != NULL;
}

static bool next_number(struct ps_wire_list *list, uint64_t *out)
{
    struct field field;

    for (;;) {
        if (list->packed.len && next_packed(list, out))
            return true;
        if (!next_occurrence(list, &field))
            return false;
        if (field.type != PS_WIRE_BYTES) {
            *out = field.value;
            return true;
        }
        list->packed = field.bytes;
    }
}

bool ps_wire_next_int(struct ps_wire_list *list, uint64_t *out)
{
    uint64_t value;

    if (!next_number(list, &value))
        return false;
    *out = int_of(list->kind, value);
    return true;
}

bool ps_wire_next_real(struct ps_wire_list *list, double *out)
{
    uint64_t value;

    if (!next_number(list, &value))
        return false;
    *out = real_of(list->kind, value);
    return true;
}

bool ps_wire_next(struct ps_wire_any *out)
{
    const char *at = out->rest.ptr, *end = ps_str_end(out->rest);
    struct field field = {.number = 0};

    out->fault = NULL;
    out->number = 0;
    if (!out->rest.len)
        return false;
    at = read_field(at, end, &field, &out->fault);
    out->number = field.number;
    out->type = field.type;
    out->value = field.value;
    out->bytes = field.bytes;
    out->rest = at ? (struct ps_str){at, (size_t)(end - at)} : (struct ps_str){NULL, 0};
    return at != NULL;
}

/* --- Streams --- */

enum {
    WINDOW = 1 << 20,
    HEADER_MAX = 20, /* bytes of a tag and a length or number */
};

void ps_wire_stream_open(struct ps_wire_stream *s, struct ps_stream *in)
{
    *s = (struct ps_wire_stream){.in = in, .offset = ps_stream_offset(in)};
    s->ends[0] = UINT64_MAX;
}

uint64_t ps_wire_stream_offset(const struct ps_wire_stream *s)
{
    return s->offset + (uint64_t)(s->at - s->window);
}

/* Moves the window so that it has `want` bytes from `at` on, or all that are left. Returns how many
 * it has. */
static size_t fill(struct ps_wire_stream *s, size_t want)
{
    struct ps_str window;

    if ((size_t)(s->end - s->at) >= want)
        return (size_t)(s->end - s->at);
    s->offset = ps_wire_stream_offset(s);
    ps_stream_skip(s->in, (size_t)(s->at - s->window));
    window = ps_stream_peek(s->in, want > WINDOW ? want : WINDOW);
    s->window = s->at = window.ptr;
    s->end = ps_str_end(window);
    return window.len;
}

static bool stop(struct ps_wire_stream *s, const char *what, uint64_t at)
{
    s->fault = (struct ps_wire_fault){what, at};
    s->is_cut = what == cut_file;
    return false;
}

/* Skips `n` bytes. False: the file ends before. */
static bool skip(struct ps_wire_stream *s, uint64_t n)
{
    uint64_t at = ps_wire_stream_offset(s);

    while (n) {
        size_t here = (size_t)(s->end - s->at), step = n < here ? (size_t)n : here;

        s->at += step;
        n -= step;
        if (n && !fill(s, 1))
            return stop(s, cut_file, at);
    }
    return true;
}

/* Skips a group in the stream: its end is found by reading its fields. */
static bool skip_group_in_stream(struct ps_wire_stream *s, uint64_t number, uint64_t at)
{
    uint64_t open[PS_WIRE_DEPTH_MAX] = {number}, tag, value;
    unsigned depth = 1;

    while (depth) {
        size_t have = fill(s, HEADER_MAX);
        const char *end = s->at + have, *after = ps_wire_varint(s->at, end, &tag);

        if (!after)
            return stop(s, have < HEADER_MAX ? cut_file : too_long, at);
        s->at = after;
        switch (tag & 7) {
        case PS_WIRE_GROUP:
            if (depth == PS_WIRE_DEPTH_MAX)
                return stop(s, too_deep, at);
            open[depth++] = tag >> 3;
            break;
        case PS_WIRE_END_GROUP:
            if (open[--depth] != tag >> 3)
                return stop(s, no_group, at);
            break;
        case PS_WIRE_VARINT:
        case PS_WIRE_BYTES:
            after = ps_wire_varint(s->at, end, &value);
            if (!after)
                return stop(s, have < HEADER_MAX ? cut_file : too_long, at);
            s->at = after;
            if ((tag & 7) == PS_WIRE_BYTES && !skip(s, value))
                return false;
            break;
        case PS_WIRE_FIXED64:
        case PS_WIRE_FIXED32:
            if (!skip(s, (tag & 7) == PS_WIRE_FIXED64 ? 8 : 4))
                return false;
            break;
        default:
            return stop(s, no_type, at);
        }
    }
    return true;
}

/* Reads tag and value, or length, at s->at. */
static bool read_header(struct ps_wire_stream *s, struct ps_wire_header *out)
{
    uint64_t limit = s->ends[s->depth], offset = ps_wire_stream_offset(s), tag;
    size_t have = fill(s, HEADER_MAX);
    const char *end = s->at + have, *at;
    bool is_at_end = have < HEADER_MAX && have < limit - offset; /* of the file */
    unsigned n;

    if (limit - offset < have)
        end = s->at + (limit - offset);
    at = read_varint(s->at, end, &tag);
    if (!at)
        return stop(s, is_at_end ? cut_file : end - s->at < 10 ? cut_number : too_long, offset);
    *out =
        (struct ps_wire_header){.number = tag >> 3 > UINT32_MAX ? UINT32_MAX : (uint32_t)(tag >> 3),
                                .type = (enum ps_wire_type)(tag & 7),
                                .offset = offset};
    if (!out->number)
        return stop(s, no_number, offset);
    switch (out->type) {
    case PS_WIRE_VARINT:
    case PS_WIRE_BYTES: {
        size_t left = (size_t)(end - at);

        at = read_varint(at, end, &out->value);
        if (!at)
            return stop(s, is_at_end ? cut_file : left < 10 ? cut_number : too_long, offset);
        s->at = at;
        if (out->type == PS_WIRE_VARINT)
            return true;
        if (out->value > limit - ps_wire_stream_offset(s))
            return stop(s, beyond, offset);
        s->pending = out->value;
        return true;
    }
    case PS_WIRE_FIXED64:
    case PS_WIRE_FIXED32:
        n = out->type == PS_WIRE_FIXED64 ? 8 : 4;
        if ((size_t)(end - at) < n)
            return stop(s, is_at_end ? cut_file : cut_number, offset);
        out->value = read_fixed(at, n);
        s->at = at + n;
        return true;
    case PS_WIRE_GROUP:
        s->at = at;
        return skip_group_in_stream(s, tag >> 3, offset);
    case PS_WIRE_END_GROUP:
        return stop(s, no_group, offset);
    }
    return stop(s, no_type, offset);
}

bool ps_wire_stream_next(struct ps_wire_stream *s, struct ps_wire_header *out)
{
    if (s->fault.what)
        return false;
    do {
        uint64_t pending = s->pending;

        s->pending = 0;
        if ((pending && !skip(s, pending)) || ps_wire_stream_offset(s) >= s->ends[s->depth])
            return false;
        if (!fill(s, 1)) {
            if (s->depth) /* the file ends before the message that is entered */
                (void)stop(s, cut_file, ps_wire_stream_offset(s));
            return false;
        }
        if (!read_header(s, out))
            return false;
    } while (out->type == PS_WIRE_GROUP);
    return true;
}

bool ps_wire_stream_bytes(struct ps_wire_stream *s, struct ps_str *out)
{
    size_t want = (size_t)s->pending, have;

    *out = (struct ps_str){s->at, 0};
    if (s->fault.what || s->pending > PS_WIRE_PAYLOAD_MAX)
        return false;
    have = want ? fill(s, want) : 0;
    *out = (struct ps_str){s->at, have < want ? have : want};
    if (have < want)
        return stop(s, cut_file, ps_wire_stream_offset(s));
    s->at += want;
    s->pending = 0;
    return true;
}

bool ps_wire_stream_enter(struct ps_wire_stream *s)
{
    if (s->fault.what || s->depth + 1 == PS_WIRE_ENTERED_MAX)
        return false;
    s->depth++;
    s->ends[s->depth] = ps_wire_stream_offset(s) + s->pending;
    s->pending = 0;
    return true;
}

void ps_wire_stream_leave(struct ps_wire_stream *s)
{
    uint64_t end = s->ends[s->depth], at = ps_wire_stream_offset(s);

    s->depth--;
    s->pending = end > at ? end - at : 0;
}
