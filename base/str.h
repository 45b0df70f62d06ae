/* SPDX-License-Identifier: MIT */
/* str.h: a slice of bytes that the slice does not own. The bytes need not be NUL-terminated and may
 * contain NULs. */
#ifndef PS_BASE_STR_H
#define PS_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct ps_str {
    const char *ptr;
    size_t len;
};

#define PS_STR(literal) ((struct ps_str){(literal), sizeof(literal) - 1})

static inline struct ps_str ps_str_from_c(const char *text)
{
    return (struct ps_str){text, text ? strlen(text) : 0};
}

static inline bool ps_str_eq(struct ps_str a, struct ps_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static inline bool ps_str_eq_c(struct ps_str a, const char *text)
{
    return ps_str_eq(a, ps_str_from_c(text));
}

static inline bool ps_str_starts_with(struct ps_str a, struct ps_str prefix)
{
    return a.len >= prefix.len && (prefix.len == 0 || memcmp(a.ptr, prefix.ptr, prefix.len) == 0);
}

static inline bool ps_str_ends_with(struct ps_str a, struct ps_str suffix)
{
    return a.len >= suffix.len &&
           (suffix.len == 0 || memcmp(a.ptr + a.len - suffix.len, suffix.ptr, suffix.len) == 0);
}

/* Whether one of the words, which spaces separate, is `word`. words: NULL: there are none. */
bool ps_has_word(const char *words, const char *word);

/* The slice without its first n bytes; an empty slice if it is shorter than n. */
static inline struct ps_str ps_str_skip(struct ps_str a, size_t n)
{
    n = n < a.len ? n : a.len;
    return n ? (struct ps_str){a.ptr + n, a.len - n} : a; /* no arithmetic on NULL */
}

/* The position after the last byte; NULL for a slice of NULL. */
static inline const char *ps_str_end(struct ps_str a)
{
    return a.len ? a.ptr + a.len : a.ptr; /* no arithmetic on NULL */
}

/* The slice without white space and control characters of ASCII at both ends. */
static inline struct ps_str ps_str_trim(struct ps_str a)
{
    while (a.len && (unsigned char)a.ptr[0] <= ' ')
        a = ps_str_skip(a, 1);
    while (a.len && (unsigned char)a.ptr[a.len - 1] <= ' ')
        a.len--;
    return a;
}

/* Whether c separates the folders of a path, here or on Windows. */
static inline bool ps_is_slash(char c)
{
    return c == '/' || c == '\\';
}

/* The first occurrence of needle in hay, or NULL. */
const char *ps_str_find(struct ps_str hay, struct ps_str needle);

/* Length of the common prefix. */
size_t ps_str_common_prefix(struct ps_str a, struct ps_str b);

/* Parses a decimal integer with an optional sign. False: the string is anything else, or the value
 * does not fit in int64_t. */
bool ps_str_parse_i64(struct ps_str text, int64_t *out);

#endif
