/* SPDX-License-Identifier: MIT */
/*
 * pickle.c: the pickle machine: a stack, a memo, and growing containers.
 *
 * Each opcode adds a bounded number of values. Every length in the file is compared with the number
 * of bytes left before it is used.
 */
#include "importers/lines/pickle.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    MARKS_MAX = 100,
    /* maximum number of values; Python writes the members of a container in batches of 1000 */
    STACK_MAX = 1 << 20,
    VALUES_MAX = 24 << 20, /* maximum number of members of all containers; they need 384 MiB */
    MEMO_MAX = 10 * 1000 * 1000,
};

const struct ps_pickle_class ps_pickle_classes[] = {
    {"_line_profiler", "LineStats", "1-3"},
    {"line_profiler._line_profiler", "LineStats", "3-4"},
    {"line_profiler.line_profiler", "LineStats", "5+"},
};
enum { N_CLASSES = sizeof ps_pickle_classes / sizeof *ps_pickle_classes };

/* Fails with the offset of the current opcode. Returns false. */
static bool refuse_pickle(struct ps_pickle *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static bool refuse_pickle(struct ps_pickle *p, const char *fmt, ...)
{
    char text[300];
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    ps_fail_at(p->err, PS_BAD_INPUT, p->op_offset, "%s", text);
    return false;
}

static bool too_large(struct ps_pickle *p)
{
    ps_fail_at(p->err, PS_LIMIT, p->op_offset, "the pickle has more values than perfshelf accepts");
    return false;
}

static bool push_value(struct ps_pickle *p, struct ps_pickle_value value)
{
    if (p->n_stack >= STACK_MAX)
        return too_large(p);
    PS_RESERVE_ONE(p->stack, p->n_stack, p->cap_stack);
    p->stack[p->n_stack++] = value;
    return true;
}

static bool push_kind(struct ps_pickle *p, enum ps_pickle_kind kind, int64_t i)
{
    return push_value(p, (struct ps_pickle_value){.kind = (uint8_t)kind, .i = i});
}

/* Sets *out to the topmost n values without removing them. False: there are fewer, or a mark is
 * among them. */
static bool top_values(struct ps_pickle *p, size_t n, struct ps_pickle_value **out)
{
    if (p->n_stack < n)
        return refuse_pickle(p, "invalid pickle: stack underflow");
    *out = p->stack + p->n_stack - n;
    for (size_t i = 0; i < n; i++)
        if ((*out)[i].kind == PS_PICKLE_MARK)
            return refuse_pickle(p, "invalid pickle: a mark instead of a value on the stack");
    return true;
}

/* Removes the topmost mark and all values above it; *first is the first value above the mark. */
static bool pop_mark(struct ps_pickle *p, struct ps_pickle_value **first, size_t *n)
{
    size_t at = p->n_stack;

    while (at > 0 && p->stack[at - 1].kind != PS_PICKLE_MARK)
        at--;
    if (at == 0)
        return refuse_pickle(p, "invalid pickle: no mark on the stack");
    *first = p->stack + at;
    *n = p->n_stack - at;
    p->n_stack = at - 1;
    p->n_marks--;
    return true;
}

/* --- Containers --- */

static bool pool_add(struct ps_pickle *p, const struct ps_pickle_value *values, size_t n)
{
    if (p->n_pool + n > VALUES_MAX)
        return too_large(p);
    while (p->n_pool + n > p->cap_pool) {
        p->cap_pool = p->cap_pool ? p->cap_pool * 2 : 1024;
        p->pool = ps_grow(p->pool, p->cap_pool, sizeof *p->pool);
    }
    if (n)
        memcpy(p->pool + p->n_pool, values, n * sizeof *values);
    p->n_pool += n;
    return true;
}

static bool push_container(struct ps_pickle *p, enum ps_pickle_kind kind, int64_t i)
{
    if (p->n_containers >= VALUES_MAX)
        return too_large(p);
    PS_RESERVE_ONE(p->containers, p->n_containers, p->cap_containers);
    p->containers[p->n_containers] = (struct ps_pickle_container){0};
    return push_value(p, (struct ps_pickle_value){
                             .kind = (uint8_t)kind, .id = (uint32_t)p->n_containers++, .i = i});
}

static bool extend_container(struct ps_pickle *p, uint32_t id, const struct ps_pickle_value *values,
                             size_t n)
{
    struct ps_pickle_container *box = &p->containers[id];
    struct ps_pickle_segment *last = box->last_segment ? &p->segments[box->last_segment - 1] : NULL;
    uint32_t at = (uint32_t)p->n_pool;

    if (n == 0)
        return true;
    if (!pool_add(p, values, n))
        return false;
    if (last && last->offset + last->n == at) {
        last->n += (uint32_t)n;
        return true;
    }
    PS_RESERVE_ONE(p->segments, p->n_segments, p->cap_segments);
    p->segments[p->n_segments++] = (struct ps_pickle_segment){at, (uint32_t)n, 0};
    if (box->last_segment)
        p->segments[box->last_segment - 1].next = (uint32_t)p->n_segments;
    else
        box->first_segment = (uint32_t)p->n_segments;
    box->last_segment = (uint32_t)p->n_segments;
    return true;
}

static bool make_tuple(struct ps_pickle *p, const struct ps_pickle_value *members, size_t n)
{
    struct ps_pickle_value tuple = {
        .kind = PS_PICKLE_TUPLE, .id = (uint32_t)p->n_pool, .i = (int64_t)n};

    return pool_add(p, members, n) && push_value(p, tuple);
}

static bool op_tuple(struct ps_pickle *p, unsigned char op)
{
    struct ps_pickle_value *members = NULL;
    size_t n = op == ')' ? 0 : op == 't' ? 0 : (size_t)(op - 0x84);

    if (op == 't') {
        if (!pop_mark(p, &members, &n))
            return false;
    } else {
        if (!top_values(p, n, &members))
            return false;
        p->n_stack -= n;
    }
    return make_tuple(p, members, n);
}

/* Runs APPEND, APPENDS, SETITEM or SETITEMS: adds the topmost values to a container. */
static bool op_add(struct ps_pickle *p, unsigned char op)
{
    bool is_dict = op == 's' || op == 'u', many = op == 'e' || op == 'u';
    struct ps_pickle_value *members = NULL, *owner = NULL;
    size_t n = is_dict ? 2 : 1;

    if (many) {
        if (!pop_mark(p, &members, &n))
            return false;
    } else {
        if (!top_values(p, n, &members))
            return false;
        p->n_stack -= n;
    }
    if (!top_values(p, 1, &owner))
        return false;
    if (owner->kind != (is_dict ? PS_PICKLE_DICT : PS_PICKLE_LIST))
        return refuse_pickle(p, "invalid pickle: items added to an object that is not a %s",
                             is_dict ? "dict" : "list");
    if (is_dict && n % 2)
        return refuse_pickle(p, "invalid pickle: a dict key without a value");
    return extend_container(p, owner->id, members, n);
}

/* --- LineStats objects --- */

static int format_printable(struct ps_str text, char *out, size_t size)
{
    size_t n = text.len < size - 1 ? text.len : size - 1;

    for (size_t i = 0; i < n; i++)
        out[i] = text.ptr[i] > ' ' && text.ptr[i] < 127 ? text.ptr[i] : '?';
    out[n] = '\0';
    return (int)n;
}

static bool push_class(struct ps_pickle *p, struct ps_str module, struct ps_str name)
{
    char shown_module[100], shown_name[100];

    for (int i = 0; i < N_CLASSES; i++)
        if (ps_str_eq_c(module, ps_pickle_classes[i].module) &&
            ps_str_eq_c(name, ps_pickle_classes[i].name))
            return push_value(p,
                              (struct ps_pickle_value){.kind = PS_PICKLE_CLASS, .id = (uint32_t)i});
    (void)format_printable(module, shown_module, sizeof shown_module);
    (void)format_printable(name, shown_name, sizeof shown_name);
    return refuse_pickle(p, "opcode %s imports %s.%s, which no line_profiler result needs",
                         p->bytes.ptr[p->op_offset] == 'c' ? "GLOBAL" : "STACK_GLOBAL",
                         shown_module, shown_name);
}

/* Reads a line; *out is the line without its \n. */
static bool parse_line(struct ps_pickle *p, struct ps_str *out)
{
    struct ps_str rest = ps_str_skip(p->bytes, p->offset);
    const char *end = memchr(rest.ptr, '\n', rest.len < 4096 ? rest.len : 4096);

    if (!end)
        return refuse_pickle(p, "the pickle is truncated inside a line operand");
    *out = (struct ps_str){rest.ptr, (size_t)(end - rest.ptr)};
    p->offset += out->len + 1;
    return true;
}

static bool op_global(struct ps_pickle *p)
{
    struct ps_str module = {0}, name = {0};

    return parse_line(p, &module) && parse_line(p, &name) && push_class(p, module, name);
}

static bool op_stack_global(struct ps_pickle *p)
{
    struct ps_pickle_value *names = NULL;

    if (!top_values(p, 2, &names))
        return false;
    p->n_stack -= 2;
    if (names[0].kind != PS_PICKLE_TEXT || names[1].kind != PS_PICKLE_TEXT)
        return refuse_pickle(p, "invalid pickle: the name for opcode STACK_GLOBAL is not a string");
    return push_class(p, (struct ps_str){names[0].ptr, names[0].id},
                      (struct ps_str){names[1].ptr, names[1].id});
}

/* Runs NEWOBJ, whose operands are a class and its arguments, which must be (). NEWOBJ_EX of
 * protocol 4 also has a dict of keyword arguments, which must be empty. */
static bool op_newobj(struct ps_pickle *p, bool keywords)
{
    struct ps_pickle_value *parts = NULL;

    if (!top_values(p, 2 + keywords, &parts))
        return false;
    if (parts[0].kind != PS_PICKLE_CLASS || parts[1].kind != PS_PICKLE_TUPLE || parts[1].i != 0 ||
        (keywords && (parts[2].kind != PS_PICKLE_DICT || p->containers[parts[2].id].first_segment)))
        return refuse_pickle(p, "opcode %s on an object other than LineStats and ()",
                             keywords ? "NEWOBJ_EX" : "NEWOBJ");
    p->n_stack -= 2 + keywords;
    return push_container(p, PS_PICKLE_OBJECT, parts[0].id);
}

/* Runs BUILD, which sets the state of an object: a dict, or (dict, None) for classes with slots. */
static bool op_build(struct ps_pickle *p)
{
    struct ps_pickle_value *parts = NULL, state;

    if (!top_values(p, 2, &parts))
        return false;
    if (parts[0].kind != PS_PICKLE_OBJECT || p->containers[parts[0].id].first_segment)
        return refuse_pickle(p, "pickle opcode BUILD on an object that is not a new LineStats");
    state = parts[1];
    if (state.kind == PS_PICKLE_TUPLE && state.i == 2)
        state =
            p->pool[state.id].kind == PS_PICKLE_DICT ? p->pool[state.id] : p->pool[state.id + 1];
    if (state.kind != PS_PICKLE_DICT)
        return refuse_pickle(p, "pickle opcode BUILD with a state that is not a dict");
    p->n_stack -= 1;
    return extend_container(p, parts[0].id, &state, 1);
}

/* --- Memo, marks and frames --- */

/* Stores the top of the stack in the memo. Python uses consecutive indices, so an index is always
 * less than the number of bytes read. */
static bool put_memo(struct ps_pickle *p, uint64_t index)
{
    struct ps_pickle_value *value = NULL;

    if (!top_values(p, 1, &value))
        return false;
    if (index >= p->offset || index >= MEMO_MAX)
        return refuse_pickle(p, "memo index %llu is larger than line_profiler writes",
                             (unsigned long long)index);
    while (index >= p->cap_memo) {
        p->cap_memo = p->cap_memo ? p->cap_memo * 2 : 1024;
        p->memo = ps_grow(p->memo, p->cap_memo, sizeof *p->memo);
    }
    for (; p->n_memo <= index; p->n_memo++)
        p->memo[p->n_memo].kind = PS_PICKLE_MARK; /* unused */
    p->memo[index] = *value;
    return true;
}

/* Reads the next n bytes. Refuses if the file has fewer. */
static bool read_bytes(struct ps_pickle *p, uint64_t n, struct ps_str *out)
{
    if (n > p->bytes.len - p->offset)
        return refuse_pickle(p, "the pickle is truncated inside an operand of %llu bytes",
                             (unsigned long long)n);
    *out = (struct ps_str){p->bytes.ptr + p->offset, (size_t)n};
    p->offset += (size_t)n;
    return true;
}

/* Reads an unsigned integer of n bytes, least significant first. */
static bool read_uint(struct ps_pickle *p, unsigned n, uint64_t *out)
{
    struct ps_str raw = {0};

    if (!read_bytes(p, n, &raw))
        return false;
    *out = 0;
    for (unsigned i = n; i-- > 0;)
        *out = *out << 8 | (unsigned char)raw.ptr[i];
    return true;
}

static bool op_put(struct ps_pickle *p, unsigned char op)
{
    uint64_t index = p->n_memo;

    if (op != 0x94 && !read_uint(p, op == 'q' ? 1 : 4, &index))
        return false;
    return put_memo(p, index);
}

static bool op_get(struct ps_pickle *p, unsigned char op)
{
    uint64_t index = 0;

    if (!read_uint(p, op == 'h' ? 1 : 4, &index))
        return false;
    if (index >= p->n_memo || p->memo[index].kind == PS_PICKLE_MARK)
        return refuse_pickle(p, "invalid pickle: memo index %llu is empty",
                             (unsigned long long)index);
    return push_value(p, p->memo[index]);
}

static bool op_mark(struct ps_pickle *p)
{
    if (++p->n_marks > MARKS_MAX)
        return refuse_pickle(p, "more than %d nested containers", MARKS_MAX);
    return push_kind(p, PS_PICKLE_MARK, 0);
}

static bool op_frame(struct ps_pickle *p)
{
    uint64_t n = 0;

    if (!read_uint(p, 8, &n))
        return false;
    if (n > p->bytes.len - p->offset)
        return refuse_pickle(p, "the file is truncated inside a frame of %llu bytes",
                             (unsigned long long)n);
    return true;
}

static bool op_proto(struct ps_pickle *p)
{
    uint64_t version = 0;

    if (!read_uint(p, 1, &version))
        return false;
    if (version < 2 || version > 5)
        return refuse_pickle(p, "unsupported pickle protocol %u; line_profiler writes 2 to 5",
                             (unsigned)version);
    p->protocol = (int)version;
    return true;
}

/* Names of opcodes that are not allowed, for messages. */
static const struct {
    unsigned char op;
    const char *name;
} op_names[] = {
    {'0', "POP"},          {'1', "POP_MARK"},
    {'2', "DUP"},          {'F', "FLOAT"},
    {'P', "PERSID"},       {'Q', "BINPERSID"},
    {'R', "REDUCE"},       {'S', "STRING"},
    {'V', "UNICODE"},      {'B', "BINBYTES"},
    {'d', "DICT"},         {'g', "GET"},
    {'i', "INST"},         {'l', "LIST"},
    {'o', "OBJ"},          {'p', "PUT"},
    {0x82, "EXT1"},        {0x83, "EXT2"},
    {0x84, "EXT4"},        {0x8e, "BINBYTES8"},
    {0x8f, "EMPTY_SET"},   {0x90, "ADDITEMS"},
    {0x91, "FROZENSET"},   {0x96, "BYTEARRAY8"},
    {0x97, "NEXT_BUFFER"}, {0x98, "READONLY_BUFFER"},
};

/* Name of an opcode, such as "REDUCE"; NULL: no Python version has this opcode. */
static const char *op_name(unsigned char op)
{
    for (size_t i = 0; i < sizeof op_names / sizeof *op_names; i++)
        if (op_names[i].op == op)
            return op_names[i].name;
    return NULL;
}

static bool fail_unknown_opcode(struct ps_pickle *p, unsigned char op)
{
    const char *name = op_name(op);

    if (!name)
        return refuse_pickle(p, "invalid pickle: byte 0x%02x is not an opcode", op);
    return refuse_pickle(p, "line_profiler never writes opcode %s (0x%02x)", name, op);
}

/* --- Numbers and strings --- */

static bool push_int(struct ps_pickle *p, int64_t value)
{
    return push_value(p, (struct ps_pickle_value){.kind = PS_PICKLE_INT, .i = value});
}

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

static bool push_real(struct ps_pickle *p, double value, bool beyond)
{
    if (beyond && !isfinite(value))
        return refuse_pickle(p, "the pickle has an integer too large to store");
    return push_value(
        p, (struct ps_pickle_value){.kind = PS_PICKLE_REAL, .is_out_of_range = beyond, .r = value});
}

enum {
    DIGITS_LEN_MAX = 320, /* maximum number of digits that fit a double */
    LONG_BYTES_MAX = 136, /* maximum bytes of an integer that fits a double */
};

/* Pushes an integer in two's complement, least significant byte first. */
static bool push_long(struct ps_pickle *p, struct ps_str raw)
{
    bool negative = raw.len && (raw.ptr[raw.len - 1] & 0x80);
    unsigned char sign = negative ? 0xff : 0, magnitude[LONG_BYTES_MAX];
    unsigned carry = negative;
    uint64_t bits = negative ? UINT64_MAX : 0;
    double real;

    while (raw.len > 8 && (unsigned char)raw.ptr[raw.len - 1] == sign &&
           ((raw.ptr[raw.len - 2] ^ raw.ptr[raw.len - 1]) & 0x80) == 0)
        raw.len--;
    if (raw.len <= 8) {
        for (size_t i = raw.len; i-- > 0;)
            bits = bits << 8 | (unsigned char)raw.ptr[i];
        return push_int(p, (int64_t)bits);
    }
    if (raw.len > sizeof magnitude)
        return refuse_pickle(p, "the pickle has an integer of %zu bytes", raw.len);
    for (size_t i = 0; i < raw.len; i++) {
        carry += (unsigned char)((unsigned char)raw.ptr[i] ^ sign);
        magnitude[raw.len - 1 - i] = (unsigned char)carry;
        carry >>= 8;
    }
    real = nearest_number(magnitude, raw.len);
    return push_real(p, negative ? -real : real, true);
}

static bool read_long(struct ps_pickle *p, unsigned size_bytes)
{
    uint64_t n = 0;
    struct ps_str raw = {0};

    if (!read_uint(p, size_bytes, &n))
        return false;
    if (size_bytes == 4 && n > INT32_MAX)
        return refuse_pickle(p, "invalid pickle: integer of negative length");
    return read_bytes(p, n, &raw) && push_long(p, raw);
}

/* Parses "12\n" or "12L\n"; after INT, "00\n" and "01\n" are False and True. */
static bool parse_digits(struct ps_pickle *p, bool is_long)
{
    struct ps_str text = {0};
    char copy[DIGITS_LEN_MAX + 1];
    int64_t value;
    size_t first;

    if (!parse_line(p, &text))
        return false;
    if (!is_long && (ps_str_eq_c(text, "00") || ps_str_eq_c(text, "01")))
        return push_value(
            p, (struct ps_pickle_value){.kind = PS_PICKLE_BOOL, .i = text.ptr[1] == '1'});
    if (is_long && text.len && text.ptr[text.len - 1] == 'L')
        text.len--;
    if (ps_str_parse_i64(text, &value))
        return push_int(p, value);
    first = text.len && text.ptr[0] == '-';
    if (text.len <= first || text.len > DIGITS_LEN_MAX)
        return refuse_pickle(p, "invalid pickle: unreadable integer");
    for (size_t i = first; i < text.len; i++)
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return refuse_pickle(p, "invalid pickle: unreadable integer");
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    return push_real(p, strtod(copy, NULL), true);
}

static bool parse_real(struct ps_pickle *p)
{
    uint64_t bits = 0;
    double value;

    if (!read_uint(p, 8, &bits))
        return false;
    bits = __builtin_bswap64(bits);
    memcpy(&value, &bits, sizeof value);
    return push_real(p, value, false);
}

/* Handles the opcodes of numbers: reads the operand and pushes the value. False: refused. */
static bool op_number(struct ps_pickle *p, unsigned char op)
{
    uint64_t bits = 0;

    switch (op) {
    case 'K':
        return read_uint(p, 1, &bits) && push_int(p, (int64_t)bits);
    case 'M':
        return read_uint(p, 2, &bits) && push_int(p, (int64_t)bits);
    case 'J':
        return read_uint(p, 4, &bits) && push_int(p, (int32_t)(uint32_t)bits);
    case 0x8a:
        return read_long(p, 1);
    case 0x8b:
        return read_long(p, 4);
    case 'I':
    case 'L':
        return parse_digits(p, op == 'L');
    default:
        return parse_real(p);
    }
}

static bool op_text(struct ps_pickle *p, unsigned char op)
{
    unsigned size_bytes = op == 0x8c || op == 'U' || op == 'C' ? 1 : op == 0x8d ? 8 : 4;
    uint64_t n = 0;
    struct ps_str raw = {0};

    if (!read_uint(p, size_bytes, &n))
        return false;
    if (op == 'T' && n > INT32_MAX)
        return refuse_pickle(p, "invalid pickle: string of negative length");
    return read_bytes(p, n, &raw) &&
           push_value(p, (struct ps_pickle_value){
                             .kind = PS_PICKLE_TEXT, .id = (uint32_t)raw.len, .ptr = raw.ptr});
}

static bool run_opcode(struct ps_pickle *p, unsigned char op)
{
    switch (op) {
    case 'K':
    case 'M':
    case 'J':
    case 0x8a:
    case 0x8b:
    case 'I':
    case 'L':
    case 'G':
        return op_number(p, op);
    case 0x8c:
    case 'X':
    case 0x8d:
    case 'U':
    case 'T':
    case 'C':
        return op_text(p, op);
    case 0x94:
    case 'q':
    case 'r':
        return op_put(p, op);
    case 'h':
    case 'j':
        return op_get(p, op);
    case ')':
    case 't':
    case 0x85:
    case 0x86:
    case 0x87:
        return op_tuple(p, op);
    case ']':
        return push_container(p, PS_PICKLE_LIST, 0);
    case '}':
        return push_container(p, PS_PICKLE_DICT, 0);
    case 'a':
    case 'e':
    case 's':
    case 'u':
        return op_add(p, op);
    case '(':
        return op_mark(p);
    case 'N':
        return push_kind(p, PS_PICKLE_NONE, 0);
    case 0x88:
    case 0x89:
        return push_kind(p, PS_PICKLE_BOOL, op == 0x88);
    case 0x80:
        return op_proto(p);
    case 0x95:
        return op_frame(p);
    case 'c':
        return op_global(p);
    case 0x93:
        return op_stack_global(p);
    case 0x81:
    case 0x92:
        return op_newobj(p, op == 0x92);
    case 'b':
        return op_build(p);
    default:
        return fail_unknown_opcode(p, op);
    }
}

bool ps_pickle_read(struct ps_pickle *p, struct ps_pickle_value *out, struct ps_err *err)
{
    struct ps_pickle_value *result = NULL;

    p->err = err;
    p->n_stack = p->n_pool = p->n_memo = p->n_containers = p->n_segments = p->n_marks = 0;
    p->op_offset = p->offset;
    /* allocate the stack, so that its pointer is valid while it is empty */
    PS_RESERVE_ONE(p->stack, p->n_stack, p->cap_stack);
    while (p->offset < p->bytes.len) {
        unsigned char op = (unsigned char)p->bytes.ptr[p->offset];

        p->op_offset = p->offset++;
        if (op == '.') {
            if (!top_values(p, 1, &result))
                return false;
            *out = *result;
            return true;
        }
        if (!run_opcode(p, op))
            return false;
    }
    p->op_offset = p->offset;
    return refuse_pickle(p, "the pickle is truncated: it has no STOP opcode");
}

struct ps_pickle_iterator ps_pickle_iterate(const struct ps_pickle *p,
                                            const struct ps_pickle_value *container)
{
    if (container->kind == PS_PICKLE_TUPLE)
        return (struct ps_pickle_iterator){p, container->id, (uint32_t)container->i, 0};
    return (struct ps_pickle_iterator){p, 0, 0, p->containers[container->id].first_segment};
}

const struct ps_pickle_value *ps_pickle_next(struct ps_pickle_iterator *walk)
{
    if (walk->n_left == 0) {
        const struct ps_pickle_segment *run =
            walk->next ? &walk->pickle->segments[walk->next - 1] : NULL;

        if (!run)
            return NULL;
        *walk = (struct ps_pickle_iterator){walk->pickle, run->offset, run->n, run->next};
    }
    walk->n_left--;
    return &walk->pickle->pool[walk->index++];
}

void ps_pickle_free(struct ps_pickle *p)
{
    free(p->stack);
    free(p->pool);
    free(p->memo);
    free(p->containers);
    free(p->segments);
    *p = (struct ps_pickle){0};
}
