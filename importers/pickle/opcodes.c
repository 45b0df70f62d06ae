/* SPDX-License-Identifier: MIT */
/*
 * opcodes.c: reads the opcodes of a pickle and their operands.
 *
 * Each length in the file is compared with the number of bytes left before it is used.
 */
#include "importers/pickle/opcodes.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    LINE_MAX_BYTES = 4096,
    DIGITS_LEN_MAX = 320, /* maximum number of digits that fit a double */
    LONG_BYTES_MAX = 136, /* maximum bytes of an integer that fits a double */
};

bool ps_pickle_refuse(struct ps_pickle_opcodes *reader, const char *fmt, ...)
{
    char text[300];
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    ps_fail_at(reader->err, PS_BAD_INPUT, reader->op_offset, "%s", text);
    return false;
}

uint64_t ps_pickle_offset(const struct ps_pickle_opcodes *reader)
{
    return reader->window_offset + (uint64_t)(reader->cursor - reader->window);
}

static void accept_opcodes(struct ps_pickle_opcodes *reader, struct ps_str accepted)
{
    for (size_t i = 0; i < accepted.len; i++)
        reader->is_accepted[(unsigned char)accepted.ptr[i]] = true;
    reader->is_accepted[0x80] = reader->is_accepted[0x95] = reader->is_accepted['.'] = true;
}

void ps_pickle_open_stream(struct ps_pickle_opcodes *reader, struct ps_stream *in, size_t text_max,
                           struct ps_str accepted, const char *writer)
{
    *reader =
        (struct ps_pickle_opcodes){.in = in, .cursor = "", .text_max = text_max, .writer = writer};
    reader->end = reader->window = reader->cursor;
    accept_opcodes(reader, accepted);
}

void ps_pickle_open_memory(struct ps_pickle_opcodes *reader, struct ps_str bytes, size_t offset,
                           struct ps_str accepted, const char *writer)
{
    *reader = (struct ps_pickle_opcodes){.cursor = bytes.ptr + offset,
                                         .end = bytes.ptr + bytes.len,
                                         .window = bytes.ptr,
                                         .text_max = SIZE_MAX,
                                         .writer = writer};
    accept_opcodes(reader, accepted);
}

/* --- Bytes --- */

/* Makes at least n bytes available at the cursor. False: the input ends before them. */
static bool refill(struct ps_pickle_opcodes *reader, size_t n)
{
    size_t used = (size_t)(reader->cursor - reader->window);
    struct ps_str view;

    if (!reader->in)
        return false;
    ps_stream_skip(reader->in, used);
    reader->window_offset += used;
    view = ps_stream_peek(reader->in, n);
    reader->window = reader->cursor = view.len ? view.ptr : "";
    reader->end = reader->cursor + view.len;
    return view.len >= n;
}

static inline bool has_bytes(struct ps_pickle_opcodes *reader, size_t n)
{
    return (size_t)(reader->end - reader->cursor) >= n || refill(reader, n);
}

/* Fails because the input ends, with the error of the stream if it has one. */
static bool fail_at_end(struct ps_pickle_opcodes *reader, uint64_t n)
{
    if (reader->in && ps_stream_status(reader->in, reader->err) != PS_OK)
        return false;
    return ps_pickle_refuse(reader, "the pickle is truncated inside an operand of %llu bytes",
                            (unsigned long long)n);
}

/* Reads the next n bytes. Refuses if the file has fewer. */
static bool read_bytes(struct ps_pickle_opcodes *reader, uint64_t n, struct ps_str *out)
{
    if (n > reader->text_max)
        return ps_pickle_refuse(reader, "an operand of %llu bytes is longer than %s writes",
                                (unsigned long long)n, reader->writer);
    if (!has_bytes(reader, (size_t)n))
        return fail_at_end(reader, n);
    *out = (struct ps_str){reader->cursor, (size_t)n};
    reader->cursor += (size_t)n;
    return true;
}

/* Inlined with a constant n: an opcode has an operand of 1 to 8 bytes, and a snapshot has millions
 * of opcodes. */
#define READ_INLINE static inline __attribute__((always_inline))

/* Reads an unsigned integer of n bytes, least significant first. */
READ_INLINE bool read_uint(struct ps_pickle_opcodes *reader, unsigned n, uint64_t *out)
{
    uint64_t value = 0;

    if (!has_bytes(reader, n))
        return fail_at_end(reader, n);
    memcpy(&value, reader->cursor, n);
    reader->cursor += n;
    *out = value;
    return true;
}

/* Reads a line; *out is the line without its \n. */
static bool read_line(struct ps_pickle_opcodes *reader, struct ps_str *out)
{
    size_t n;
    const char *end;

    (void)has_bytes(reader, LINE_MAX_BYTES);
    n = (size_t)(reader->end - reader->cursor);
    end = n ? memchr(reader->cursor, '\n', n < LINE_MAX_BYTES ? n : LINE_MAX_BYTES) : NULL;
    if (!end)
        return ps_pickle_refuse(reader, "the pickle is truncated inside a line operand");
    *out = (struct ps_str){reader->cursor, (size_t)(end - reader->cursor)};
    reader->cursor += out->len + 1;
    return true;
}

/* --- Numbers --- */

/* Returns the nearest double to a magnitude, most significant byte first. Bits after the first 113
 * only affect rounding, so `rest` records whether any of them is set. */
static double nearest_number(const unsigned char *digits, size_t n)
{
    unsigned __int128 top = 0;
    unsigned rest = 0;
    int below = 0;

    for (size_t i = 0; i < n; i++) {
        if (top >> 112) {
            rest |= digits[i];
            below += 8;
        } else {
            top = top << 8 | digits[i];
        }
    }
    return ldexp((double)(top | (rest != 0)), below);
}

static bool set_int(struct ps_pickle_op *out, int64_t value)
{
    out->action = PS_PICKLE_PUSH_INT;
    out->i = value;
    return true;
}

static bool set_real(struct ps_pickle_opcodes *reader, struct ps_pickle_op *out, double value,
                     bool is_out_of_range)
{
    if (is_out_of_range && !isfinite(value))
        return ps_pickle_refuse(reader, "the pickle has an integer too large to store");
    out->action = PS_PICKLE_PUSH_REAL;
    out->is_out_of_range = is_out_of_range;
    out->is_unsigned = false;
    out->r = value;
    return true;
}

/* Converts an integer in two's complement, least significant byte first. */
static bool set_long(struct ps_pickle_opcodes *reader, struct ps_pickle_op *out, struct ps_str raw)
{
    bool negative = raw.len && (raw.ptr[raw.len - 1] & 0x80);
    unsigned char sign = negative ? 0xff : 0, magnitude[LONG_BYTES_MAX];
    unsigned carry = negative;
    uint64_t bits = negative ? UINT64_MAX : 0;
    double real;

    if (raw.len <= 8) {
        memcpy(&bits, raw.ptr, raw.len);
        return set_int(out, (int64_t)bits);
    }
    while (raw.len > 8 && (unsigned char)raw.ptr[raw.len - 1] == sign &&
           ((raw.ptr[raw.len - 2] ^ raw.ptr[raw.len - 1]) & 0x80) == 0)
        raw.len--;
    for (size_t i = raw.len < 8 ? raw.len : 8; i-- > 0;)
        bits = bits << 8 | (unsigned char)raw.ptr[i];
    if (raw.len <= 8)
        return set_int(out, (int64_t)bits);
    if (raw.len > sizeof magnitude)
        return ps_pickle_refuse(reader, "the pickle has an integer of %zu bytes", raw.len);
    for (size_t i = 0; i < raw.len; i++) {
        carry += (unsigned char)((unsigned char)raw.ptr[i] ^ sign);
        magnitude[raw.len - 1 - i] = (unsigned char)carry;
        carry >>= 8;
    }
    real = nearest_number(magnitude, raw.len);
    if (!set_real(reader, out, negative ? -real : real, true))
        return false;
    out->is_unsigned = !negative && raw.len == 9;
    out->i = (int64_t)bits;
    return true;
}

static bool read_long(struct ps_pickle_opcodes *reader, unsigned size_bytes,
                      struct ps_pickle_op *out)
{
    uint64_t n = 0, bits;
    struct ps_str raw = {0};

    if (!read_uint(reader, size_bytes, &n))
        return false;
    if (size_bytes == 4 && n > INT32_MAX)
        return ps_pickle_refuse(reader, "invalid pickle: integer of negative length");
    if (n >= 1 && n <= 8 && reader->end - reader->cursor >= 8) { /* addresses and times */
        memcpy(&bits, reader->cursor, 8);
        reader->cursor += n;
        return set_int(out, (int64_t)(bits << (64 - 8 * n)) >> (64 - 8 * n));
    }
    return read_bytes(reader, n, &raw) && set_long(reader, out, raw);
}

/* Parses "12\n" or "12L\n"; after INT, "00\n" and "01\n" are False and True. */
static bool read_digits(struct ps_pickle_opcodes *reader, bool is_long, struct ps_pickle_op *out)
{
    struct ps_str text = {0};
    char copy[DIGITS_LEN_MAX + 1];
    int64_t value;
    size_t first;

    if (!read_line(reader, &text))
        return false;
    if (!is_long && (ps_str_eq_c(text, "00") || ps_str_eq_c(text, "01"))) {
        out->action = PS_PICKLE_PUSH_BOOL;
        out->i = text.ptr[1] == '1';
        return true;
    }
    if (is_long && text.len && text.ptr[text.len - 1] == 'L')
        text.len--;
    if (ps_str_parse_i64(text, &value))
        return set_int(out, value);
    first = text.len && text.ptr[0] == '-';
    if (text.len <= first || text.len > DIGITS_LEN_MAX)
        return ps_pickle_refuse(reader, "invalid pickle: unreadable integer");
    for (size_t i = first; i < text.len; i++)
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return ps_pickle_refuse(reader, "invalid pickle: unreadable integer");
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    return set_real(reader, out, strtod(copy, NULL), true);
}

static bool read_real(struct ps_pickle_opcodes *reader, struct ps_pickle_op *out)
{
    uint64_t bits = 0;
    double value;

    if (!read_uint(reader, 8, &bits))
        return false;
    bits = __builtin_bswap64(bits);
    memcpy(&value, &bits, sizeof value);
    return set_real(reader, out, value, false);
}

/* --- Opcodes --- */

static bool read_text(struct ps_pickle_opcodes *reader, unsigned char op, struct ps_pickle_op *out)
{
    unsigned size_bytes = op == 0x8c || op == 'U' || op == 'C' ? 1 : op == 0x8d ? 8 : 4;
    uint64_t n = 0;

    if (!read_uint(reader, size_bytes, &n))
        return false;
    if (op == 'T' && n > INT32_MAX)
        return ps_pickle_refuse(reader, "invalid pickle: string of negative length");
    out->action = PS_PICKLE_PUSH_TEXT;
    return read_bytes(reader, n, &out->text);
}

static bool read_frame(struct ps_pickle_opcodes *reader)
{
    uint64_t n = 0, offset;

    if (!read_uint(reader, 8, &n))
        return false;
    offset = ps_pickle_offset(reader);
    if ((!reader->in && n > (uint64_t)(reader->end - reader->cursor)) || n > INT64_MAX - offset)
        return ps_pickle_refuse(reader, "the file is truncated inside a frame of %llu bytes",
                                (unsigned long long)n);
    if (offset + n > reader->frame_end) {
        reader->frame_end = offset + n;
        reader->frame_offset = reader->op_offset;
    }
    return true;
}

/* Whether the last frame ends before this STOP; a stream shows only now how long the file is. */
static bool check_frames(struct ps_pickle_opcodes *reader)
{
    uint64_t offset = ps_pickle_offset(reader);

    if (!reader->in || offset >= reader->frame_end)
        return true;
    reader->op_offset = reader->frame_offset;
    return ps_pickle_refuse(reader, "the pickle ends inside a frame, %llu bytes before its end",
                            (unsigned long long)(reader->frame_end - offset));
}

static bool read_proto(struct ps_pickle_opcodes *reader)
{
    uint64_t version = 0;

    if (!read_uint(reader, 1, &version))
        return false;
    if (version < 2 || version > 5)
        return ps_pickle_refuse(reader, "unsupported pickle protocol %u; %s writes 2 to 5",
                                (unsigned)version, reader->writer);
    reader->protocol = (int)version;
    return true;
}

/* Names of opcodes that some machine does not accept, for messages. */
static const struct {
    unsigned char op;
    const char *name;
} op_names[] = {
    {'0', "POP"},
    {'1', "POP_MARK"},
    {'2', "DUP"},
    {'F', "FLOAT"},
    {'P', "PERSID"},
    {'Q', "BINPERSID"},
    {'R', "REDUCE"},
    {'S', "STRING"},
    {'V', "UNICODE"},
    {'B', "BINBYTES"},
    {'d', "DICT"},
    {'g', "GET"},
    {'i', "INST"},
    {'l', "LIST"},
    {'o', "OBJ"},
    {'p', "PUT"},
    {0x82, "EXT1"},
    {0x83, "EXT2"},
    {0x84, "EXT4"},
    {0x8e, "BINBYTES8"},
    {0x8f, "EMPTY_SET"},
    {0x90, "ADDITEMS"},
    {0x91, "FROZENSET"},
    {0x96, "BYTEARRAY8"},
    {0x97, "NEXT_BUFFER"},
    {0x98, "READONLY_BUFFER"},
    {'c', "GLOBAL"},
    {0x93, "STACK_GLOBAL"},
    {0x81, "NEWOBJ"},
    {0x92, "NEWOBJ_EX"},
    {'b', "BUILD"},
    {'I', "INT"},
    {'L', "LONG"},
    {0x8b, "LONG4"},
    {'U', "SHORT_BINSTRING"},
    {'T', "BINSTRING"},
    {'C', "SHORT_BINBYTES"},
};

/* Name of an opcode, such as "REDUCE"; NULL: no Python version has this opcode. */
static const char *op_name(unsigned char op)
{
    for (size_t i = 0; i < sizeof op_names / sizeof *op_names; i++)
        if (op_names[i].op == op)
            return op_names[i].name;
    return NULL;
}

static bool fail_unknown_opcode(struct ps_pickle_opcodes *reader, unsigned char op)
{
    const char *name = op_name(op);

    if (!name)
        return ps_pickle_refuse(reader, "invalid pickle: byte 0x%02x is not an opcode", op);
    return ps_pickle_refuse(reader, "%s never writes opcode %s (0x%02x)", reader->writer, name, op);
}

READ_INLINE bool read_operand(struct ps_pickle_opcodes *reader, unsigned n,
                              enum ps_pickle_action action, struct ps_pickle_op *out)
{
    uint64_t bits = 0;

    if (!read_uint(reader, n, &bits))
        return false;
    out->action = action;
    out->i = n == 4 && action == PS_PICKLE_PUSH_INT ? (int32_t)(uint32_t)bits : (int64_t)bits;
    return true;
}

static bool set_action(struct ps_pickle_op *out, enum ps_pickle_action action, int64_t i)
{
    out->action = action;
    out->i = i;
    return true;
}

static bool read_op(struct ps_pickle_opcodes *reader, unsigned char op, struct ps_pickle_op *out)
{
    switch (op) {
    case 'K':
        return read_operand(reader, 1, PS_PICKLE_PUSH_INT, out);
    case 'M':
        return read_operand(reader, 2, PS_PICKLE_PUSH_INT, out);
    case 'J':
        return read_operand(reader, 4, PS_PICKLE_PUSH_INT, out);
    case 0x8a:
        return read_long(reader, 1, out);
    case 0x8b:
        return read_long(reader, 4, out);
    case 'I':
    case 'L':
        return read_digits(reader, op == 'L', out);
    case 'G':
        return read_real(reader, out);
    case 0x8c:
    case 'X':
    case 0x8d:
    case 'U':
    case 'T':
    case 'C':
        return read_text(reader, op, out);
    case 0x94:
        return set_action(out, PS_PICKLE_MEMOIZE, 0);
    case 'q':
        return read_operand(reader, 1, PS_PICKLE_PUT, out);
    case 'r':
        return read_operand(reader, 4, PS_PICKLE_PUT, out);
    case 'h':
        return read_operand(reader, 1, PS_PICKLE_GET, out);
    case 'j':
        return read_operand(reader, 4, PS_PICKLE_GET, out);
    case ')':
        return set_action(out, PS_PICKLE_TUPLE_OF, 0);
    case 0x85:
    case 0x86:
    case 0x87:
        return set_action(out, PS_PICKLE_TUPLE_OF, op - 0x84);
    case 't':
        return set_action(out, PS_PICKLE_TUPLE_TO_MARK, 0);
    case ']':
        return set_action(out, PS_PICKLE_PUSH_LIST, 0);
    case '}':
        return set_action(out, PS_PICKLE_PUSH_DICT, 0);
    case 'a':
        return set_action(out, PS_PICKLE_APPEND, 0);
    case 'e':
        return set_action(out, PS_PICKLE_APPEND_TO_MARK, 0);
    case 's':
        return set_action(out, PS_PICKLE_SET, 0);
    case 'u':
        return set_action(out, PS_PICKLE_SET_TO_MARK, 0);
    case '(':
        return set_action(out, PS_PICKLE_PUSH_MARK, 0);
    case 'N':
        return set_action(out, PS_PICKLE_PUSH_NONE, 0);
    case 0x88:
    case 0x89:
        return set_action(out, PS_PICKLE_PUSH_BOOL, op == 0x88);
    case 'c':
        out->action = PS_PICKLE_GLOBAL;
        /* the second line may move the window of a stream, so only memory can return both */
        return read_line(reader, &out->text) && read_line(reader, &out->name);
    case 0x93:
        return set_action(out, PS_PICKLE_STACK_GLOBAL, 0);
    case 0x81:
        return set_action(out, PS_PICKLE_NEW, 0);
    case 0x92:
        return set_action(out, PS_PICKLE_NEW_EX, 0);
    case 'b':
        return set_action(out, PS_PICKLE_BUILD, 0);
    case '.':
        return set_action(out, PS_PICKLE_STOP, 0) && check_frames(reader);
    default:
        return fail_unknown_opcode(reader, op);
    }
}

bool ps_pickle_next_op(struct ps_pickle_opcodes *reader, struct ps_pickle_op *out)
{
    for (;;) {
        unsigned char op;

        reader->op_offset = ps_pickle_offset(reader);
        if (!has_bytes(reader, 1)) {
            if (reader->in && ps_stream_status(reader->in, reader->err) != PS_OK)
                return false;
            return ps_pickle_refuse(reader, "the pickle is truncated: it has no STOP opcode");
        }
        op = (unsigned char)*reader->cursor++;
        if (!reader->is_accepted[op])
            return fail_unknown_opcode(reader, op);
        if (op != 0x80 && op != 0x95)
            return read_op(reader, op, out);
        if (op == 0x80 ? !read_proto(reader) : !read_frame(reader))
            return false;
    }
}
