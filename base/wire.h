/* SPDX-License-Identifier: MIT */
/*
 * wire.h: reads messages in the wire format of Protocol Buffers.
 *
 * A message is a sequence of fields. Each begins with a tag: the number of the field, and a wire
 * type that says how long the value is. Nothing else is known without a description of the message:
 * schema/messages/NAME.messages has those of a format, from which schema/messages.py generates a
 * struct and a ps_wire_message for each message.
 *
 * Two readers work together. A ps_wire_stream reads the outer messages of a file of any size, field
 * by field. ps_wire_read() reads an inner message, which is in memory, into its struct.
 *
 *     struct ps_wire_stream in;
 *     struct ps_wire_header field;
 *
 *     ps_wire_stream_open(&in, stream);
 *     while (ps_wire_stream_next(&in, &field))
 *         if (field.number == PF_TRACE_PACKET && ps_wire_stream_bytes(&in, &bytes))
 *             ps_wire_read(&pf_trace_packet, bytes, &packet, &fault);
 *     if (in.fault.what) ...
 *
 * Fields with unknown numbers, and fields whose wire type is not that of their description, are
 * skipped. A field that is not repeated has its last value. A repeated scalar may be packed or not.
 * Groups are skipped.
 *
 * Format: protobuf.dev/programming-guides/encoding.
 */
#ifndef PS_BASE_WIRE_H
#define PS_BASE_WIRE_H

#include "base/stream.h"

enum ps_wire_type {
    PS_WIRE_VARINT = 0,
    PS_WIRE_FIXED64 = 1,
    PS_WIRE_BYTES = 2,
    PS_WIRE_GROUP = 3,
    PS_WIRE_END_GROUP = 4,
    PS_WIRE_FIXED32 = 5,
};

enum {
    PS_WIRE_DEPTH_MAX = 32,         /* groups inside each other */
    PS_WIRE_ENTERED_MAX = 8,        /* messages inside each other that ps_wire_stream_enter opens */
    PS_WIRE_PAYLOAD_MAX = 64 << 20, /* bytes of a field that ps_wire_stream_bytes returns */
};

/* Why a message could not be read to its end. */
struct ps_wire_fault {
    const char *what; /* static, as part of a sentence: "a length goes beyond its message"; NULL: no
                         fault */
    uint64_t at;      /* position of the field: in the message for ps_wire_read, in the stream for
                         ps_wire_stream_next */
};

/* --- Messages in memory --- */

/* How a field is stored in the struct of its message. */
enum ps_wire_kind {
    PS_WIRE_UINT64,   /* uint64_t; of varints of 32 bits too, and of enumerations and bool */
    PS_WIRE_INT64,    /* int64_t */
    PS_WIRE_SINT64,   /* int64_t, from zigzag */
    PS_WIRE_DOUBLE,   /* double, from fixed64 */
    PS_WIRE_FLOAT,    /* double, from fixed32 */
    PS_WIRE_UFIXED64, /* uint64_t */
    PS_WIRE_UFIXED32, /* uint64_t */
    PS_WIRE_STRING,   /* struct ps_str: text, bytes or a message */
};

struct ps_wire_field {
    uint16_t number;
    uint8_t kind;        /* enum ps_wire_kind */
    uint8_t is_repeated; /* the struct has a ps_wire_list */
    uint16_t offset;     /* in the struct */
};

/* A message: its fields, by increasing number. The generated structs begin with `uint64_t has`, in
 * which bit i says that fields[i] occurs. */
struct ps_wire_message {
    const char *name;
    const struct ps_wire_field *fields;
    const uint8_t *index; /* by number: 1 + index in `fields`; 0: unknown */
    uint16_t n_fields;    /* at most 64 */
    uint16_t n_index;     /* greater numbers are unknown */
    uint32_t size;        /* of the struct */
    const struct ps_wire_message *const *children; /* by index in `fields`; NULL: no message */
};

/* The values of a repeated field, in place. Iterate over a copy of it. */
struct ps_wire_list {
    const char *at, *end; /* from the first occurrence to the end of the message */
    struct ps_str packed; /* rest of the packed values that are being read */
    uint32_t n;           /* occurrences; a packed one counts once */
    uint16_t number;
    uint8_t kind;
};

/* Reads a message into its struct, which is zeroed before. The strings and lists of the struct
 * point into `bytes`. False: *fault says why and where; the struct then has the fields before it.
 */
bool ps_wire_read(const struct ps_wire_message *message, struct ps_str bytes, void *out,
                  struct ps_wire_fault *fault);

/* Whether the message has the field with this index in its description (bit of `has`). */
#define PS_WIRE_HAS(message, field) (((message)->has & (field)) != 0)

/* Iterate over a repeated field of strings or messages, of integers, of numbers with fractions.
 * False: no more values. */
bool ps_wire_next_string(struct ps_wire_list *list, struct ps_str *out);
bool ps_wire_next_int(struct ps_wire_list *list,
                      uint64_t *out); /* int64_t and sint64 as their bits */
bool ps_wire_next_real(struct ps_wire_list *list, double *out);

/* Iterates over all fields of a message in memory, whose description need not be known; initialise
 * with {.rest = message}. False: the message has ended, or is damaged: `fault` then says why, and
 * the other members have what is left of a field whose length goes beyond the message. */
struct ps_wire_any {
    uint64_t number, value;
    enum ps_wire_type type;
    struct ps_str bytes; /* of PS_WIRE_BYTES */
    struct ps_str rest;
    const char *fault;
};
bool ps_wire_next(struct ps_wire_any *field);

/* --- Streams --- */

struct ps_wire_header {
    uint32_t number;
    enum ps_wire_type type;
    uint64_t value;  /* of a varint or fixed value; of bytes: their length */
    uint64_t offset; /* position of the field in the stream */
};

/* The fields are private. */
struct ps_wire_stream {
    struct ps_stream *in;
    const char *at, *end; /* unread part of the window */
    const char *window; /* as ps_stream_peek returned it; skipped up to `at` before the next peek */
    uint64_t offset;    /* position of `window` */
    uint64_t ends[PS_WIRE_ENTERED_MAX]; /* of the messages that are entered */
    unsigned depth;
    uint64_t pending;           /* bytes of the last field that were not read yet */
    struct ps_wire_fault fault; /* ends the stream */
    bool is_cut;                /* the fault is that the file ends inside of a field */
};

/* Does not own `in`. */
void ps_wire_stream_open(struct ps_wire_stream *s, struct ps_stream *in);

/* Reads the header of the next field of the message that was entered last, or of the file. Skips
 * what was not read of the field before. False: the message has ended, or s->fault.what is set. */
bool ps_wire_stream_next(struct ps_wire_stream *s, struct ps_wire_header *out);

/* The bytes of the field whose header was read last, valid until the next call. False: the field
 * has no bytes, is larger than PS_WIRE_PAYLOAD_MAX (s->fault.what is not set, and the field is
 * skipped), or is cut. If it is cut, *out has what is left of it. */
bool ps_wire_stream_bytes(struct ps_wire_stream *s, struct ps_str *out);

/* Enters the field whose header was read last as a message. False: it has no bytes, or too many
 * messages are entered. */
bool ps_wire_stream_enter(struct ps_wire_stream *s);
/* Skips the rest of the message that was entered last. */
void ps_wire_stream_leave(struct ps_wire_stream *s);

/* Position of the next byte of the stream. */
uint64_t ps_wire_stream_offset(const struct ps_wire_stream *s);

/* --- Single values --- */

/* Reads a varint of at most ten bytes. Returns the position after it; NULL: it is cut or longer. */
const char *ps_wire_varint(const char *at, const char *end, uint64_t *out);

#endif
