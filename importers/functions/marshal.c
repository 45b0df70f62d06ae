/* SPDX-License-Identifier: MIT */
/* marshal.c: reads numbers, strings and other objects of marshal data. */
#include "importers/functions/marshal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "importers/text/clean.h"

/* --- Conversion of numbers --- */

/* number of 15-bit digits of the largest number that fits a double */
enum { DIGITS_MAX = 1024 / 15 + 2 };

/* Returns the nearest double to an integer. Its digits have 15 bits, the least significant digit
 * first. At least the top 106 bits are exact. The bits below these only affect rounding, so `rest`
 * records whether any of them is set. */
static double nearest_double(const unsigned char *digits, uint32_t n)
{
    unsigned __int128 top = 0;
    unsigned rest = 0;
    int below = 0;

    for (uint32_t i = n; i-- > 0;) {
        unsigned digit = (unsigned)digits[2 * i] | (unsigned)digits[2 * i + 1] << 8;

        if (top >> 105) {
            rest |= digit;
            below += 15;
        } else {
            top = top << 15 | digit;
        }
    }
    return ldexp((double)(top | (rest != 0)), below);
}

/* Converts n digits of 15 bits, least significant first, to an integer, or to the nearest double if
 * the value exceeds 64 bits. False: the value exceeds a double. */
static bool long_value(const unsigned char *digits, uint32_t n, bool negative,
                       struct ps_marshal_object *out)
{
    unsigned __int128 value = 0;

    if (n > DIGITS_MAX)
        return false;
    for (uint32_t i = n; i-- > 0 && n <= 5;)
        value = value << 15 | (unsigned)digits[2 * i] | (unsigned)digits[2 * i + 1] << 8;
    out->kind = PS_M_INT;
    if (n <= 5 && value <= (unsigned __int128)INT64_MAX) {
        out->i = negative ? -(int64_t)value : (int64_t)value;
        return true;
    }
    if (n <= 5 && negative && value == (unsigned __int128)INT64_MAX + 1) {
        out->i = INT64_MIN;
        return true;
    }
    out->kind = PS_M_REAL;
    out->is_out_of_range = true;
    out->r = nearest_double(digits, n);
    out->r = negative ? -out->r : out->r;
    return isfinite(out->r);
}

/* Parses a double as Python's repr() writes it, in at most 255 bytes. */
static bool text_real(struct ps_str text, double *out)
{
    char copy[256], *end;

    if (text.len == 0 || text.len >= sizeof copy || memchr(text.ptr, '\0', text.len))
        return false;
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    *out = strtod(copy, &end);
    if (*end)
        return false;
    /* strtod accepts more forms than Python writes */
    return strspn(copy, "0123456789+-.eE") == text.len || !strcmp(copy, "inf") ||
           !strcmp(copy, "-inf") || !strcmp(copy, "nan");
}

/* --- Conversion of text --- */

/* Whether the text is UTF-8, possibly with lone surrogates, as Python writes it. *plain: whether
 * the text has neither surrogates nor NUL. */
static bool is_surrogate_utf8(struct ps_str text, bool *plain)
{
    const char *at = text.ptr, *end = at + text.len;

    *plain = !memchr(at ? at : "", '\0', text.len);
    while (at < end) {
        size_t n = ps_utf8_char_len(at, end);
        const unsigned char *s = (const unsigned char *)at;

        if (n == 0) {
            if (end - at < 3 || s[0] != 0xed || s[1] < 0xa0 || s[1] > 0xbf || (s[2] & 0xc0) != 0x80)
                return false;
            *plain = false;
            n = 3;
        }
        at += n;
    }
    return true;
}

static bool is_plain_ascii(struct ps_str text)
{
    unsigned bad = 0;

    for (size_t i = 0; i < text.len; i++)
        bad |= (unsigned char)text.ptr[i] >= 0x80 || text.ptr[i] == '\0';
    return !bad;
}

/* Returns how to convert a string with this type code for display. */
static enum ps_marshal_text_kind text_kind(struct ps_str text, char type)
{
    bool plain;

    if (is_plain_ascii(text))
        return PS_MTEXT_PLAIN;
    if (strchr("aAzZ", type))
        return PS_MTEXT_LATIN1;
    if (is_surrogate_utf8(text, &plain))
        return plain ? PS_MTEXT_PLAIN : PS_MTEXT_REPAIR;
    return PS_MTEXT_LATIN1;
}

static struct ps_str latin1_to_utf8(struct ps_str raw, struct ps_arena *arena)
{
    char *to = ps_arena_alloc(arena, 3 * raw.len + 1);
    size_t n = 0;

    for (size_t i = 0; i < raw.len; i++) {
        unsigned char c = (unsigned char)raw.ptr[i];

        if (c >= 0x80)
            to[n++] = (char)(0xc0 | c >> 6);
        to[n++] = (char)(c >= 0x80 ? 0x80 | (c & 0x3f) : c);
    }
    return (struct ps_str){to, n};
}

static struct ps_str repair_utf8(struct ps_str raw, struct ps_arena *arena)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};

    ps_clean_text(&text, raw);
    return ps_arena_copy(arena, ps_buf_slice(&text));
}

struct ps_str ps_marshal_text(const struct ps_marshal *m, uint32_t id, struct ps_arena *arena)
{
    struct ps_str raw = m->texts.items[id];

    switch ((enum ps_marshal_text_kind)m->text_kinds[id]) {
    case PS_MTEXT_PLAIN:
        break;
    case PS_MTEXT_REPAIR:
        return repair_utf8(raw, arena);
    case PS_MTEXT_LATIN1:
        raw = latin1_to_utf8(raw, arena);
        return memchr(raw.ptr, '\0', raw.len) ? repair_utf8(raw, arena) : raw;
    case PS_MTEXT_CODE:
        raw.len -= sizeof(uint64_t);
        break;
    }
    return raw;
}

enum {
    REF_FLAG = 0x80,
    DEPTH_MAX = 200, /* maximum nesting of containers; profiles need three */
    TEXT_BYTES_MAX = 64 << 20,
};

void ps_marshal_init(struct ps_marshal *m, struct ps_str bytes, enum ps_marshal_layout layout,
                     struct ps_err *err)
{
    *m = (struct ps_marshal){.layout = layout, .err = err};
    m->begin = m->cursor = (const unsigned char *)bytes.ptr;
    m->end = m->begin + bytes.len;
}

void ps_marshal_free(struct ps_marshal *m)
{
    ps_intern_free(&m->texts);
    free(m->text_kinds);
    free(m->refs);
    free(m->interned);
}

static bool fail_with_hint(struct ps_marshal *m, const char *text, const char *hint)
{
    if (!m->has_failed)
        ps_fail_at(m->err, PS_BAD_INPUT, ps_marshal_offset(m), "%s" PS_HINT "%s", text, hint);
    m->has_failed = true;
    return false;
}

bool ps_marshal_fail(struct ps_marshal *m, const char *fmt, ...)
{
    char text[200];
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return fail_with_hint(m, text, "");
}

static bool ends_early(struct ps_marshal *m)
{
    return fail_with_hint(
        m, "truncated marshal data",
        "the program may have been stopped while it wrote the file; record the profile again");
}

static inline size_t bytes_left(const struct ps_marshal *m)
{
    return (size_t)(m->end - m->cursor);
}

static inline bool read_i32(struct ps_marshal *m, int32_t *out)
{
    if (bytes_left(m) < 4)
        return ends_early(m);
    memcpy(out, m->cursor, 4);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    *out = (int32_t)__builtin_bswap32((uint32_t)*out);
#endif
    m->cursor += 4;
    return true;
}

static inline bool read_u64(struct ps_marshal *m, uint64_t *out)
{
    if (bytes_left(m) < 8)
        return ends_early(m);
    memcpy(out, m->cursor, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    *out = __builtin_bswap64(*out);
#endif
    m->cursor += 8;
    return true;
}

static inline bool read_u8(struct ps_marshal *m, unsigned *out)
{
    if (bytes_left(m) < 1)
        return ends_early(m);
    *out = *m->cursor++;
    return true;
}

/* Reads the number of members, each of which needs at least one byte. */
static bool read_size(struct ps_marshal *m, bool is_short, uint32_t *out)
{
    unsigned byte;
    int32_t n;

    if (is_short) {
        if (!read_u8(m, &byte))
            return false;
        n = (int32_t)byte;
    } else if (!read_i32(m, &n)) {
        return false;
    }
    if (n < 0)
        return ps_marshal_fail(m, "invalid marshal data: negative size");
    if ((size_t)n > bytes_left(m))
        return ends_early(m);
    *out = (uint32_t)n;
    return true;
}

static uint32_t add_ref(struct ps_marshal *m, bool flagged, struct ps_marshal_object value)
{
    if (!flagged)
        return PS_M_NO_REF;
    PS_RESERVE_ONE(m->refs, m->n_refs, m->cap_refs);
    m->refs[m->n_refs] = value;
    return (uint32_t)m->n_refs++;
}

void ps_marshal_set_ref(struct ps_marshal *m, uint32_t slot, struct ps_marshal_object value)
{
    if (slot != PS_M_NO_REF)
        m->refs[slot] = value;
}

int ps_marshal_peek(const struct ps_marshal *m)
{
    return m->cursor < m->end ? *m->cursor & ~REF_FLAG : -1;
}

static uint32_t intern_text(struct ps_marshal *m, struct ps_str text,
                            enum ps_marshal_text_kind kind, bool known)
{
    uint32_t before = m->texts.count, id = ps_intern_add(&m->texts, text);

    if (id < before)
        return id;
    if (m->text_cap < m->texts.cap) {
        m->text_cap = m->texts.cap;
        m->text_kinds = ps_grow(m->text_kinds, m->text_cap, 1);
    }
    m->text_kinds[id] = (uint8_t)(known ? kind : text_kind(text, (char)kind));
    return id;
}

uint32_t ps_marshal_add_text(struct ps_marshal *m, struct ps_str text)
{
    return intern_text(m, text, PS_MTEXT_PLAIN, true);
}

static bool read_text(struct ps_marshal *m, char type, bool flagged, struct ps_marshal_object *out)
{
    struct ps_str text;
    uint32_t len;

    if (!read_size(m, type == 'z' || type == 'Z', &len))
        return false;
    if (len > TEXT_BYTES_MAX)
        return ps_marshal_fail(m, "invalid marshal data: string of %u bytes", len);
    text = (struct ps_str){(const char *)m->cursor, len};
    *out = (struct ps_marshal_object){.kind = PS_M_TEXT, .type = type};
    out->id = intern_text(m, text, (enum ps_marshal_text_kind)type, false);
    if (type == 'u' && m->text_kinds[out->id] == PS_MTEXT_LATIN1)
        return ps_marshal_fail(m, "invalid marshal data: string is not UTF-8");
    m->cursor += len;
    if (type == 't') {
        PS_RESERVE_ONE(m->interned, m->n_interned, m->cap_interned);
        m->interned[m->n_interned++] = out->id;
    }
    add_ref(m, flagged, *out);
    return true;
}

static bool read_long(struct ps_marshal *m, struct ps_marshal_object *out)
{
    const unsigned char *digits;
    uint32_t n;
    int32_t size;

    if (!read_i32(m, &size))
        return false;
    n = size < 0 ? 0u - (uint32_t)size : (uint32_t)size;
    if ((size_t)n > bytes_left(m) / 2)
        return ends_early(m);
    digits = m->cursor;
    for (uint32_t i = 0; i < n; i++)
        if (digits[2 * i + 1] & 0x80)
            return ps_marshal_fail(m,
                                   "invalid marshal data: long integer with a digit out of range");
    if (!long_value(digits, n, size < 0, out))
        return ps_marshal_fail(m, "invalid marshal data: integer of %u digits", n);
    m->cursor += 2 * (size_t)n;
    return true;
}

/* Reads a double as marshal versions 0 and 1 write it: the text that repr() returns. */
static bool read_text_real(struct ps_marshal *m, double *out)
{
    unsigned len;

    if (!read_u8(m, &len))
        return false;
    if (len > bytes_left(m))
        return ends_early(m);
    if (!text_real((struct ps_str){(const char *)m->cursor, len}, out))
        return ps_marshal_fail(m, "invalid marshal data: unreadable number");
    m->cursor += len;
    return true;
}

static bool read_number(struct ps_marshal *m, char type, bool flagged,
                        struct ps_marshal_object *out)
{
    uint64_t bits;
    int32_t i;
    bool good = true;

    *out = (struct ps_marshal_object){.kind = PS_M_INT, .type = type};
    if (type == 'i') {
        good = read_i32(m, &i);
        out->i = good ? i : 0;
    } else if (type == 'I') {
        good = read_u64(m, &bits);
        out->i = good ? (int64_t)bits : 0;
    } else if (type == 'l') {
        good = read_long(m, out);
    } else {
        out->kind = PS_M_REAL;
        if (type == 'f') {
            good = read_text_real(m, &out->r);
        } else {
            good = read_u64(m, &bits);
            if (good)
                memcpy(&out->r, &bits, sizeof bits);
        }
    }
    if (good)
        add_ref(m, flagged, *out);
    return good;
}

static bool read_any(struct ps_marshal *m, unsigned depth, struct ps_marshal_object *out);

/* Adds a value to the hash. Values with equal content have equal hashes, also if one is a
 * reference. */
static void add_value(struct ps_hash *hash, const struct ps_marshal_object *value)
{
    ps_hash_add(hash, (uint64_t)value->kind << 32 | value->id);
    ps_hash_add(hash, (uint64_t)value->i);
}

static struct ps_hash hash_of_type(char type)
{
    struct ps_hash hash = ps_hash_begin();

    ps_hash_add(&hash, (unsigned char)type);
    return hash;
}

bool ps_marshal_read_dict_end(struct ps_marshal *m)
{
    if (m->has_failed)
        return false;
    if (m->cursor == m->end)
        return ends_early(m);
    if (*m->cursor != '0')
        return false;
    m->cursor++;
    return true;
}

static bool walk_members(struct ps_marshal *m, unsigned depth, uint32_t n, bool is_dict,
                         struct ps_hash *hash)
{
    struct ps_marshal_object member;

    for (uint32_t i = 0; is_dict ? !ps_marshal_read_dict_end(m) : i < n; i++) {
        if (m->has_failed)
            return false;
        for (int half = 0; half <= (int)is_dict; half++) {
            if (!read_any(m, depth + 1, &member))
                return false;
            add_value(hash, &member);
        }
    }
    return !m->has_failed;
}

static bool walk_container(struct ps_marshal *m, unsigned depth, char type, bool flagged,
                           struct ps_marshal_object *out)
{
    bool is_dict = type == '{' || type == '}';
    uint32_t n = 3, slot;
    struct ps_hash hash = hash_of_type(type == ')' ? '(' : type);

    if (depth >= DEPTH_MAX)
        return ps_marshal_fail(m, "more than %d nested containers", DEPTH_MAX);
    *out = (struct ps_marshal_object){.kind = PS_M_OPAQUE, .type = type};
    slot = add_ref(m, flagged, (struct ps_marshal_object){.kind = PS_M_UNFINISHED});
    if (!is_dict && type != ':' && !read_size(m, type == ')', &n))
        return false;
    if (!walk_members(m, depth, n, is_dict, &hash))
        return false;
    out->i = (int64_t)ps_hash_end(&hash);
    ps_marshal_set_ref(m, slot, *out);
    return true;
}

static const struct {
    unsigned fields; /* number of 32-bit fields at the start of the code object */
    /* the fifth object is the bytes of kinds instead of the tuple of free variables */
    bool kinds;
    unsigned file, name;
    unsigned tail; /* number of objects after the first line number */
} layouts[] = {
    [PS_M_PY311] = {5, true, 5, 6, 2},
    [PS_M_PY38] = {6, false, 6, 7, 1},
    [PS_M_PY30] = {5, false, 6, 7, 1},
    [PS_M_PY2] = {4, false, 6, 7, 1},
};

static bool is_code_shape(const struct ps_marshal_object *object, enum ps_marshal_layout layout)
{
    bool bytes = object[4].kind == PS_M_TEXT && object[4].type == 's';
    bool tuple = object[4].kind == PS_M_OPAQUE && strchr("()", object[4].type);

    return object[0].kind == PS_M_TEXT && object[0].type == 's' &&
           (layouts[layout].kinds ? bytes : tuple) &&
           object[layouts[layout].file].kind == PS_M_TEXT &&
           object[layouts[layout].name].kind == PS_M_TEXT;
}

/* The text that identifies a code object: Python's repr without the address, and a hash of its
 * content that distinguishes code objects with the same name. */
static uint32_t describe_code(struct ps_marshal *m, uint32_t file, uint32_t name, int32_t line,
                              uint64_t hash)
{
    struct ps_arena arena = {0};
    struct ps_buf text = {0};
    uint32_t id;

    ps_buf_puts(&text, "<code object ");
    ps_buf_add_str(&text, ps_marshal_text(m, name, &arena));
    ps_buf_puts(&text, ", file \"");
    ps_buf_add_str(&text, ps_marshal_text(m, file, &arena));
    ps_buf_printf(&text, "\", line %d>", line);
    ps_buf_add(&text, &hash, sizeof hash);
    id = intern_text(m, ps_buf_slice(&text), PS_MTEXT_CODE, true);
    ps_buf_free(&text);
    ps_arena_free(&arena);
    return id;
}

static bool walk_code(struct ps_marshal *m, unsigned depth, bool flagged,
                      struct ps_marshal_object *out)
{
    enum ps_marshal_layout layout = m->layout;
    struct ps_marshal_object object[8], tail;
    struct ps_hash hash = hash_of_type('c');
    int32_t field;
    uint32_t slot = add_ref(m, flagged, (struct ps_marshal_object){.kind = PS_M_UNFINISHED});

    m->has_code = true;
    if (depth >= DEPTH_MAX)
        return ps_marshal_fail(m, "more than %d nested containers", DEPTH_MAX);
    for (unsigned i = 0; i < layouts[layout].fields; i++) {
        if (!read_i32(m, &field))
            return false;
        ps_hash_add(&hash, (uint32_t)field);
    }
    for (unsigned i = 0; i < 8; i++) {
        if (!read_any(m, depth + 1, &object[i]))
            return false;
        add_value(&hash, &object[i]);
    }
    if (!is_code_shape(object, layout))
        return ps_marshal_fail(m, "invalid marshal data: code object with unknown layout");
    if (!read_i32(m, &field))
        return false;
    for (unsigned i = 0; i < layouts[layout].tail; i++)
        if (!read_any(m, depth + 1, &tail))
            return false;
    ps_hash_add(&hash, (uint32_t)field);
    *out = (struct ps_marshal_object){.kind = PS_M_CODE, .type = 'c'};
    out->id = describe_code(m, object[layouts[layout].file].id, object[layouts[layout].name].id,
                            field, ps_hash_end(&hash));
    ps_marshal_set_ref(m, slot, *out);
    return true;
}

static bool read_reference(struct ps_marshal *m, char type, struct ps_marshal_object *out)
{
    int32_t at;

    if (!read_i32(m, &at))
        return false;
    if (at < 0 || (size_t)at >= (type == 'r' ? m->n_refs : m->n_interned))
        return ps_marshal_fail(m, "invalid marshal data: reference to a missing object");
    if (type == 'r') {
        *out = m->refs[at];
        return out->kind != PS_M_UNFINISHED ||
               ps_marshal_fail(m, "invalid marshal data: object contains itself");
    }
    *out = (struct ps_marshal_object){.kind = PS_M_TEXT, .type = 't', .id = m->interned[at]};
    return true;
}

/* Reads a complex number (type codes y and x). Complex numbers occur only as constants of code
 * objects. */
static bool walk_complex(struct ps_marshal *m, char type, bool flagged,
                         struct ps_marshal_object *out)
{
    double part;
    uint64_t bits;
    struct ps_hash hash = hash_of_type('y');

    for (int half = 0; half < 2; half++) {
        if (type == 'x' ? !read_text_real(m, &part) : !read_u64(m, &bits))
            return false;
        if (type == 'x')
            memcpy(&bits, &part, sizeof bits);
        ps_hash_add(&hash, bits);
    }
    *out = (struct ps_marshal_object){
        .kind = PS_M_OPAQUE, .type = type, .i = (int64_t)ps_hash_end(&hash)};
    add_ref(m, flagged, *out);
    return true;
}

enum { UNKNOWN, NUMBER, TEXT, REFERENCE, BOOLEAN, SINGLETON, CONTAINER, CODE, COMPLEX };

static const uint8_t type_classes[128] = {
    ['i'] = NUMBER,    ['I'] = NUMBER,    ['l'] = NUMBER,    ['g'] = NUMBER,    ['f'] = NUMBER,
    ['s'] = TEXT,      ['u'] = TEXT,      ['t'] = TEXT,      ['a'] = TEXT,      ['A'] = TEXT,
    ['z'] = TEXT,      ['Z'] = TEXT,      ['r'] = REFERENCE, ['R'] = REFERENCE, ['T'] = BOOLEAN,
    ['F'] = BOOLEAN,   ['N'] = SINGLETON, ['.'] = SINGLETON, ['S'] = SINGLETON, ['('] = CONTAINER,
    [')'] = CONTAINER, ['['] = CONTAINER, ['<'] = CONTAINER, ['>'] = CONTAINER, ['{'] = CONTAINER,
    ['}'] = CONTAINER, [':'] = CONTAINER, ['c'] = CODE,      ['y'] = COMPLEX,   ['x'] = COMPLEX,
};

static bool read_any(struct ps_marshal *m, unsigned depth, struct ps_marshal_object *out)
{
    bool flagged;
    char type;

    if (m->cursor == m->end)
        return ends_early(m);
    flagged = *m->cursor & REF_FLAG;
    type = (char)(*m->cursor++ & ~REF_FLAG);
    m->has_type[(unsigned char)type] = true;
    m->has_type[0] |= flagged;
    switch (type_classes[(unsigned char)type]) {
    case NUMBER:
        return read_number(m, type, flagged, out);
    case TEXT:
        return read_text(m, type, flagged, out);
    case REFERENCE:
        return read_reference(m, type, out);
    case BOOLEAN:
        *out = (struct ps_marshal_object){.kind = PS_M_BOOL, .type = type, .i = type == 'T'};
        return true;
    case SINGLETON:
        *out =
            (struct ps_marshal_object){.kind = type == 'N' ? PS_M_NONE : PS_M_OPAQUE, .type = type};
        return true;
    case CONTAINER:
        return walk_container(m, depth, type, flagged, out);
    case CODE:
        return walk_code(m, depth, flagged, out);
    case COMPLEX:
        return walk_complex(m, type, flagged, out);
    default:
        m->cursor--;
        return ps_marshal_fail(m, "invalid marshal data: unknown object type 0x%02x", *m->cursor);
    }
}

bool ps_marshal_read(struct ps_marshal *m, struct ps_marshal_object *out)
{
    return !m->has_failed && read_any(m, 0, out);
}

bool ps_marshal_open(struct ps_marshal *m, uint32_t *members, uint32_t *slot)
{
    bool flagged;
    char type;

    if (m->has_failed || m->cursor == m->end)
        return ends_early(m);
    flagged = *m->cursor & REF_FLAG;
    type = (char)(*m->cursor++ & ~REF_FLAG);
    m->has_type[(unsigned char)type] = true;
    m->has_type[0] |= flagged;
    *slot = add_ref(m, flagged, (struct ps_marshal_object){.kind = PS_M_UNFINISHED});
    return read_size(m, type == ')', members);
}

bool ps_marshal_open_dict(struct ps_marshal *m, uint32_t *slot)
{
    bool flagged;

    if (m->has_failed || m->cursor == m->end)
        return ends_early(m);
    flagged = *m->cursor++ & REF_FLAG;
    m->has_type[0] |= flagged;
    *slot = add_ref(m, flagged, (struct ps_marshal_object){.kind = PS_M_UNFINISHED});
    return true;
}

int ps_marshal_version(const struct ps_marshal *m)
{
    const bool *seen = m->has_type;

    if (seen['z'] || seen['Z'] || seen['a'] || seen['A'] || seen[')'])
        return 4;
    if (seen[0] || seen['r'])
        return 3;
    if (seen['g'] || seen['y'])
        return 2;
    if (seen['f'])
        return seen['t'] || seen['R'];
    return -1;
}
