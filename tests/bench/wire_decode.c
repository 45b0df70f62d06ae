/* SPDX-License-Identifier: MIT */
/*
 * wire_decode.c: what reading a file in the wire format of Protocol Buffers costs by itself.
 * `wire_decode perfetto|pprof|xplane FILE` reads each message that schema/messages/ describes, down
 * to its numbers and texts, and keeps none of them. ./dev bench compares imports with it.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "importers/messages/perfetto_messages.h"
#include "importers/messages/pprof_messages.h"
#include "importers/messages/xplane_messages.h"

enum {
    STRUCT_MAX = 4096, /* bytes of the largest struct of a message */
    DEPTH_MAX = 32,    /* of messages inside each other */
    MESSAGE_MAX =
        256 << 10, /* larger messages are entered in the stream, so that memory is bounded */
};

/* What was read, printed so that the compiler keeps the reads. */
struct totals {
    uint64_t messages, values, sum;
};

static bool read_message(const struct ps_wire_message *message, struct ps_str bytes, unsigned depth,
                         struct totals *totals);

static bool read_text(const struct ps_wire_message *child, struct ps_str text, unsigned depth,
                      struct totals *totals)
{
    if (child)
        return depth < DEPTH_MAX && read_message(child, text, depth + 1, totals);
    totals->sum += text.len;
    totals->values++;
    return true;
}

static bool read_list(const struct ps_wire_message *child, struct ps_wire_list list, unsigned depth,
                      struct totals *totals)
{
    struct ps_str text;
    uint64_t number;
    double real;

    if (list.kind == PS_WIRE_STRING) {
        while (ps_wire_next_string(&list, &text))
            if (!read_text(child, text, depth, totals))
                return false;
    } else if (list.kind == PS_WIRE_DOUBLE || list.kind == PS_WIRE_FLOAT) {
        for (; ps_wire_next_real(&list, &real); totals->values++)
            totals->sum += real > 0;
    } else {
        for (; ps_wire_next_int(&list, &number); totals->values++)
            totals->sum += number;
    }
    return true;
}

static bool read_message(const struct ps_wire_message *message, struct ps_str bytes, unsigned depth,
                         struct totals *totals)
{
    _Alignas(8) char out[STRUCT_MAX];
    struct ps_wire_fault fault;
    uint64_t has, number;

    if (message->size > sizeof out || !ps_wire_read(message, bytes, out, &fault))
        return false;
    totals->messages++;
    memcpy(&has, out, sizeof has);
    for (; has; has &= has - 1) {
        unsigned i = (unsigned)__builtin_ctzll(has);
        const struct ps_wire_field *field = &message->fields[i];
        const void *value = out + field->offset;

        if (field->is_repeated) {
            if (!read_list(message->children[i], *(const struct ps_wire_list *)value, depth,
                           totals))
                return false;
        } else if (field->kind == PS_WIRE_STRING) {
            if (!read_text(message->children[i], *(const struct ps_str *)value, depth, totals))
                return false;
        } else {
            memcpy(&number, value, sizeof number);
            totals->sum += number;
            totals->values++;
        }
    }
    return true;
}

static const struct ps_wire_message *child_of(const struct ps_wire_message *message,
                                              uint32_t number)
{
    unsigned i = number < message->n_index ? message->index[number] : 0;

    return i ? message->children[i - 1] : NULL;
}

/* Reads the file: large messages field by field, small ones as a whole. */
static bool read_file(struct ps_stream *in, const struct ps_wire_message *top,
                      struct totals *totals)
{
    const struct ps_wire_message *open[PS_WIRE_ENTERED_MAX + 1] = {top};
    struct ps_wire_stream s;
    struct ps_wire_header field;
    struct ps_str bytes;

    ps_wire_stream_open(&s, in);
    for (;;) {
        const struct ps_wire_message *child;

        if (!ps_wire_stream_next(&s, &field)) {
            if (s.fault.what || !s.depth)
                break;
            ps_wire_stream_leave(&s);
            continue;
        }
        child = child_of(open[s.depth], field.number);
        if (field.type != PS_WIRE_BYTES) {
            totals->sum += field.value;
            totals->values++;
        } else if (child && field.value > MESSAGE_MAX && ps_wire_stream_enter(&s)) {
            open[s.depth] = child;
        } else if (ps_wire_stream_bytes(&s, &bytes) && !read_text(child, bytes, 0, totals)) {
            return false;
        }
    }
    return !s.fault.what;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        const struct ps_wire_message *top;
    } formats[] = {{"perfetto", &pf_trace_message},
                   {"pprof", &pp_profile_message},
                   {"xplane", &xp_xspace_message}};
    struct ps_stream_limits limits = {0};
    struct totals totals = {0};
    const struct ps_wire_message *top = NULL;
    struct ps_stream *in;
    int fd = argc == 3 ? open(argv[2], O_RDONLY | O_CLOEXEC) : -1;
    struct ps_err err;
    bool is_read;

    for (size_t i = 0; argc == 3 && i < sizeof formats / sizeof *formats; i++)
        if (strcmp(argv[1], formats[i].name) == 0)
            top = formats[i].top;
    if (fd < 0 || !top) {
        fprintf(stderr, "usage: wire_decode perfetto|pprof|xplane FILE\n");
        return 2;
    }
    in = ps_stream_decompress(ps_stream_from_fd(fd, 0), &limits);
    is_read = read_file(in, top, &totals) && ps_stream_status(in, &err) == PS_OK;
    ps_stream_free(in);
    printf("%" PRIu64 " messages, %" PRIu64 " values, sum %" PRIx64 "\n", totals.messages,
           totals.values, totals.sum);
    if (!is_read)
        fprintf(stderr, "wire_decode: %s is not read to its end\n", argv[2]);
    return is_read ? 0 : 1;
}
