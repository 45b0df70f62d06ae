/* SPDX-License-Identifier: MIT */
/*
 * json_in.h: reads JSON from a stream, token by token. Only the current token is in memory.
 *
 * The reader accepts common errors of writers: control characters in strings, NaN and Infinity,
 * numbers such as "12." and ".5", missing and trailing commas, escapes of lone surrogates (as
 * U+FFFD). Bytes of strings are returned unchanged, so they may be invalid UTF-8.
 */
#ifndef PS_BASE_JSON_IN_H
#define PS_BASE_JSON_IN_H

#include "base/buf.h"
#include "base/stream.h"

#define PS_JSON_IN_DEPTH_MAX 4096 /* a tree of 1000 calls, the limit of Python, needs 2002 */
#define PS_JSON_IN_TEXT_MAX  ((size_t)64 << 20)

enum ps_json_token {
    PS_JSON_END,     /* end of the document, or end of the input inside it */
    PS_JSON_INVALID, /* invalid JSON, nested too deep, or a string too long: see ps_json_in_fail */
    PS_JSON_OBJECT,
    PS_JSON_OBJECT_END,
    PS_JSON_ARRAY,
    PS_JSON_ARRAY_END,
    PS_JSON_KEY, /* the key is in `text` */
    PS_JSON_STRING,
    PS_JSON_NUMBER, /* `text` is the number as written */
    PS_JSON_TRUE,
    PS_JSON_FALSE,
    PS_JSON_NULL,
};

struct ps_json_in {
    struct ps_stream *in;     /* not owned */
    const char *cursor, *end; /* unread part of the window */
    const char *window;
    uint64_t window_offset; /* bytes of the document before `window` */
    struct ps_buf decoded;
    struct ps_str text; /* of the current token; valid until the next call */
    bool is_object[PS_JSON_IN_DEPTH_MAX];
    int depth;
    bool is_after_key, has_begun;
    const char *error; /* static message; NULL: no error */
};

enum ps_json_token ps_json_in_next(struct ps_json_in *json);
/* After the end of a document: whether another one follows, as in JSON lines, which is read next.
 */
bool ps_json_in_next_document(struct ps_json_in *json);

/* Skips the next value with everything in it. False: the input ends inside it or is invalid. */
bool ps_json_in_skip(struct ps_json_in *json);
/* Like ps_json_in_skip, for a value whose first token, `token`, was read already. */
bool ps_json_in_skip_rest(struct ps_json_in *json, enum ps_json_token token);

/* After a number in an array: skips the following numbers that have the same text, up to the end of
 * the window. Returns how many were skipped. */
size_t ps_json_in_skip_numbers(struct ps_json_in *json);

/* Reads the integers of an array, whose PS_JSON_ARRAY was read already, to its end. Any item that
 * is not an integer below `most` becomes `most`. False: truncated or invalid. */
struct ps_u32s {
    uint32_t *items;
    size_t n, cap;
};
bool ps_json_in_read_u32s(struct ps_json_in *json, uint32_t most, struct ps_u32s *out);

/* Like ps_json_in_read_u32s, for consecutive lists that often begin with the same items, such as
 * stacks: leading bytes that are equal in the previous list are not parsed again. */
struct ps_u32_list {
    struct ps_u32s items;
    size_t n_common;      /* number of leading items that are equal in the previous list */
    struct ps_u32s ends;  /* end offset of each item in `source` */
    struct ps_buf source; /* source text of the list with its closing bracket; empty: not stored */
};
bool ps_json_in_read_u32_list(struct ps_json_in *json, uint32_t most, struct ps_u32_list *list);
void ps_u32_list_clear(struct ps_u32_list *list); /* empties the list; keeps its memory */
void ps_u32_list_free(struct ps_u32_list *list);

/* Byte offset of the next unread byte. */
uint64_t ps_json_in_offset(const struct ps_json_in *json);
/* After PS_JSON_INVALID: fails with PS_BAD_INPUT, the reason and the byte offset. */
enum ps_status ps_json_in_fail(const struct ps_json_in *json, struct ps_err *err);
void ps_json_in_free(struct ps_json_in *json); /* does not free `in` */

#endif
