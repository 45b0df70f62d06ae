/* SPDX-License-Identifier: MIT */
/*
 * text_functions.c: replaces SQLite's functions instr, replace, trim, ltrim, rtrim, like and glob.
 * SQLite cannot interrupt a function, and these need time proportional to the product of the
 * lengths of their arguments: hours for two strings of a few megabytes. The replacements of the
 * first five take linear time. Those of like and glob take time proportional to the product of text
 * and pattern at most, and stop when the context of the thread has ended.
 */
#define _GNU_SOURCE /* memmem */
#include <stdlib.h>

#include "base/utf8.h"
#include "server/runfile/handle.h"

/* Returns the text of an argument; {NULL, 0} for SQL NULL. */
static struct ps_str text_of(sqlite3_value *value)
{
    const char *text = (const char *)sqlite3_value_text(value);

    return (struct ps_str){text, text ? (size_t)sqlite3_value_bytes(value) : 0};
}

static bool is_continuation(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

/* --- instr and replace --- */

/* Returns the first match of `part`; NULL: none. As in SQLite, a match in a text begins at the
 * start of a character. */
static const char *find_text(struct ps_str text, struct ps_str part, bool is_blob)
{
    if (part.len > text.len)
        return NULL;
    if (!is_blob && part.len && is_continuation(part.ptr[0]))
        return memcmp(text.ptr, part.ptr, part.len) == 0 ? text.ptr : NULL;
    return part.len ? memmem(text.ptr, text.len, part.ptr, part.len) : text.ptr;
}

static void sql_instr(sqlite3_context *context, int n, sqlite3_value **values)
{
    const bool is_blob = sqlite3_value_type(values[0]) == SQLITE_BLOB &&
                         sqlite3_value_type(values[1]) == SQLITE_BLOB;
    struct ps_str text, part;
    const char *found;
    sqlite3_int64 position = 1;

    (void)n;
    if (sqlite3_value_type(values[0]) == SQLITE_NULL ||
        sqlite3_value_type(values[1]) == SQLITE_NULL)
        return;
    if (is_blob) {
        text.ptr = sqlite3_value_blob(values[0]);
        text.len = (size_t)sqlite3_value_bytes(values[0]);
        part.ptr = sqlite3_value_blob(values[1]);
        part.len = (size_t)sqlite3_value_bytes(values[1]);
    } else {
        text = text_of(values[0]);
        part = text_of(values[1]);
    }
    found = find_text(text, part, is_blob);
    for (const char *at = text.ptr + 1; found && at <= found; at++)
        position += is_blob || !is_continuation(*at);
    sqlite3_result_int64(context, found || !part.len ? position : 0);
}

static const char *next_match(struct ps_str text, const char *from, struct ps_str part)
{
    const size_t left = text.len - (size_t)(from - text.ptr);

    return left < part.len ? NULL : memmem(from, left, part.ptr, part.len);
}

static char *copy_bytes(char *to, const char *from, size_t n)
{
    if (n)
        memcpy(to, from, n);
    return to + n;
}

static void sql_replace(sqlite3_context *context, int n, sqlite3_value **values)
{
    const struct ps_str text = text_of(values[0]), part = text_of(values[1]),
                        other = text_of(values[2]);
    const int most = sqlite3_limit(sqlite3_context_db_handle(context), SQLITE_LIMIT_LENGTH, -1);
    const char *from = text.ptr;
    size_t found = 0, size;
    char *out, *to;

    (void)n;
    if (!text.ptr || !part.ptr || (part.len && !other.ptr))
        return;
    if (!part.len) {
        sqlite3_result_value(context, values[0]);
        return;
    }
    for (const char *at = from; (at = next_match(text, at, part)); at += part.len)
        found++;
    /* found, part.len and other.len are at most 2^31, so the products fit */
    size = text.len - found * part.len + found * other.len;
    if (size > (size_t)most) {
        sqlite3_result_error_toobig(context);
        return;
    }
    out = to = sqlite3_malloc64(size + 1);
    if (!out) {
        sqlite3_result_error_nomem(context);
        return;
    }
    for (const char *at; (at = next_match(text, from, part)); from = at + part.len) {
        to = copy_bytes(to, from, (size_t)(at - from));
        to = copy_bytes(to, other.ptr, other.len);
    }
    (void)copy_bytes(to, from, text.len - (size_t)(from - text.ptr));
    sqlite3_result_text64(context, out, size, sqlite3_free, SQLITE_UTF8);
}

/* --- trim --- */

#define CODE_POINTS 0x110000

/* A set of characters: bytes, for ASCII and invalid UTF-8, and code points above ASCII. */
struct charset {
    bool bytes[256];
    uint8_t *wide; /* one bit for each code point; NULL: no character above ASCII */
};

/* Returns the bytes of the character at `at`; 1 for invalid UTF-8. */
static size_t char_len(const char *at, const char *end)
{
    const size_t len = (unsigned char)*at < 0x80 ? 1 : ps_utf8_char_len(at, end);

    return len ? len : 1;
}

/* Decodes a valid UTF-8 sequence of 2 to 4 bytes. */
static uint32_t code_point(const char *at, size_t len)
{
    uint32_t code = (unsigned char)at[0] & (0xffu >> (len + 1));

    for (size_t i = 1; i < len; i++)
        code = code << 6 | ((unsigned char)at[i] & 0x3f);
    return code;
}

static void read_charset(struct ps_str text, struct charset *out)
{
    const char *end = text.ptr + text.len;

    for (const char *at = text.ptr; at < end;) {
        const size_t len = char_len(at, end);

        if (len == 1) {
            out->bytes[(unsigned char)*at] = true;
        } else {
            const uint32_t code = code_point(at, len);

            if (!out->wide)
                out->wide = ps_alloc(CODE_POINTS / 8);
            out->wide[code / 8] |= (uint8_t)(1u << code % 8);
        }
        at += len;
    }
}

static bool has_char(const struct charset *set, const char *at, size_t len)
{
    uint32_t code;

    if (len == 1)
        return set->bytes[(unsigned char)*at];
    if (!set->wide)
        return false;
    code = code_point(at, len);
    return set->wide[code / 8] >> code % 8 & 1;
}

/* Returns the bytes of the last character of a text that is not empty; 1 for invalid UTF-8. */
static size_t last_len(struct ps_str text)
{
    const char *end = text.ptr + text.len;

    for (size_t len = 2; len <= 4 && len <= text.len; len++)
        if (!is_continuation(end[-(ptrdiff_t)len]))
            return char_len(end - len, end) == len ? len : 1;
    return 1;
}

enum { LEFT = 1, RIGHT = 2 };

static void sql_trim(sqlite3_context *context, int n, sqlite3_value **values)
{
    const intptr_t sides = (intptr_t)sqlite3_user_data(context);
    struct ps_str text = text_of(values[0]), chars = n > 1 ? text_of(values[1]) : PS_STR(" ");
    struct charset set = {.wide = NULL};
    size_t len;

    if (!text.ptr || !chars.ptr)
        return;
    read_charset(chars, &set);
    while ((sides & LEFT) && text.len) {
        len = char_len(text.ptr, text.ptr + text.len);
        if (!has_char(&set, text.ptr, len))
            break;
        text = ps_str_skip(text, len);
    }
    while ((sides & RIGHT) && text.len) {
        len = last_len(text);
        if (!has_char(&set, text.ptr + text.len - len, len))
            break;
        text.len -= len;
    }
    free(set.wide);
    sqlite3_result_text64(context, text.ptr, text.len, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/* --- like and glob --- */

#define NO_CHAR  UINT32_MAX
#define NO_UTF8  0x80000000u /* flag of a character that is an invalid byte */
#define IN_CLASS '['

struct pattern {
    const char *end;
    uint32_t any_string, any_char, escape; /* characters with these meanings; NO_CHAR: none */
    bool has_classes, folds_case;
};

static uint32_t next_char(const char **at, const char *end)
{
    const size_t len = char_len(*at, end);
    const unsigned char byte = (unsigned char)**at;
    const uint32_t code = len > 1 ? code_point(*at, len) : byte < 0x80 ? byte : NO_UTF8 | byte;

    *at += len;
    return code;
}

static uint32_t fold_case(const struct pattern *pattern, uint32_t c)
{
    return pattern->folds_case && c >= 'A' && c <= 'Z' ? c + 32 : c;
}

/* Whether the character c is in a class such as [abc], [^a-z] or []x]. Moves *at from behind the
 * opening bracket to behind the class. False if the class has no end. */
static bool is_in_class(const struct pattern *pattern, const char **at, uint32_t c)
{
    const char *p = *at;
    bool negated = p < pattern->end && *p == '^', found = false;
    uint32_t before = NO_CHAR;

    p += negated;
    for (const char *first = p; p < pattern->end && (*p != ']' || p == first);) {
        const bool is_range = *p == '-' && before != NO_CHAR && p + 1 < pattern->end && p[1] != ']';
        uint32_t to;

        p += is_range;
        to = next_char(&p, pattern->end);
        found |= is_range ? c >= before && c <= to : c == to;
        before = is_range ? NO_CHAR : to;
    }
    *at = p + (p < pattern->end);
    return p < pattern->end && found != negated;
}

/* Whether the pattern element at *p matches the character c. Moves *p behind the element. */
static bool is_matched(const struct pattern *pattern, const char **p, uint32_t c)
{
    uint32_t want = next_char(p, pattern->end);

    if (want == pattern->any_char)
        return true;
    if (want == IN_CLASS && pattern->has_classes)
        return is_in_class(pattern, p, c);
    if (want == pattern->escape) {
        if (*p == pattern->end)
            return false;
        want = next_char(p, pattern->end);
    }
    return fold_case(pattern, want) == fold_case(pattern, c);
}

static bool is_all(const struct pattern *pattern, const char *p)
{
    return p < pattern->end && (unsigned char)*p == pattern->any_string;
}

/* Whether the text matches the pattern from p on. After a mismatch, only the last % is extended by
 * a character: a longer match of an earlier % cannot succeed either. */
static bool is_like(const struct pattern *pattern, const char *p, struct ps_str text)
{
    const char *at = text.ptr, *end = text.ptr + text.len, *behind_all = NULL, *taken = NULL;

    while (at < end && !ps_context_has_ended()) {
        if (is_all(pattern, p)) {
            behind_all = ++p;
            taken = at;
            continue;
        }
        if (p < pattern->end) {
            const char *next = at;

            if (is_matched(pattern, &p, next_char(&next, end))) {
                at = next;
                continue;
            }
        }
        if (!behind_all)
            return false;
        (void)next_char(&taken, end);
        at = taken;
        p = behind_all;
    }
    while (is_all(pattern, p))
        p++;
    return at == end && p == pattern->end;
}

static bool read_escape(sqlite3_context *context, sqlite3_value *value, struct pattern *pattern)
{
    struct ps_str text = text_of(value);
    const char *at = text.ptr;

    if (!text.ptr)
        return false;
    if (!text.len || char_len(at, at + text.len) != text.len) {
        sqlite3_result_error(context, "ESCAPE expression must be a single character", -1);
        return false;
    }
    pattern->escape = next_char(&at, text.ptr + text.len);
    if (pattern->escape == pattern->any_string)
        pattern->any_string = NO_CHAR;
    if (pattern->escape == pattern->any_char)
        pattern->any_char = NO_CHAR;
    return true;
}

/* Implements like(pattern, text, escape) and glob(pattern, text). */
static void sql_like(sqlite3_context *context, int n, sqlite3_value **values)
{
    const bool is_glob = sqlite3_user_data(context) != NULL;
    const int most =
        sqlite3_limit(sqlite3_context_db_handle(context), SQLITE_LIMIT_LIKE_PATTERN_LENGTH, -1);
    struct pattern pattern = {.any_string = is_glob ? '*' : '%',
                              .any_char = is_glob ? '?' : '_',
                              .escape = NO_CHAR,
                              .has_classes = is_glob,
                              .folds_case = !is_glob};
    const struct ps_str text = text_of(values[1]), from = text_of(values[0]);
    bool matched;

    if (sqlite3_value_type(values[0]) == SQLITE_BLOB ||
        sqlite3_value_type(values[1]) == SQLITE_BLOB) {
        sqlite3_result_int(context, 0); /* as in Debian's SQLite: a BLOB does not match */
        return;
    }
    if (from.len > (size_t)most) {
        sqlite3_result_error(context, "LIKE or GLOB pattern too complex", -1);
        return;
    }
    if ((n > 2 && !read_escape(context, values[2], &pattern)) || !text.ptr || !from.ptr)
        return;
    pattern.end = from.ptr + from.len;
    matched = is_like(&pattern, from.ptr, text);
    if (ps_context_has_ended())
        sqlite3_result_error_code(context, SQLITE_INTERRUPT);
    else
        sqlite3_result_int(context, matched);
}

void ps_register_text_functions(sqlite3 *db)
{
    static const struct {
        const char *name;
        int arguments;
        intptr_t user;
        void (*call)(sqlite3_context *context, int n, sqlite3_value **values);
    } functions[] = {
        {"instr", 2, 0, sql_instr},
        {"replace", 3, 0, sql_replace},
        {"trim", 1, LEFT | RIGHT, sql_trim},
        {"ltrim", 1, LEFT, sql_trim},
        {"rtrim", 1, RIGHT, sql_trim},
        {"trim", 2, LEFT | RIGHT, sql_trim},
        {"ltrim", 2, LEFT, sql_trim},
        {"rtrim", 2, RIGHT, sql_trim},
        {"like", 2, 0, sql_like},
        {"like", 3, 0, sql_like},
        {"glob", 2, 1, sql_like},
    };
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;

    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        (void)sqlite3_create_function_v2(db, functions[i].name, functions[i].arguments, flags,
                                         (void *)functions[i].user, functions[i].call, NULL, NULL,
                                         NULL);
}
