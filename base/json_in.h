/* SPDX-License-Identifier: MIT */
/*
 * json_in.h: JSON from a stream, token by token: nothing of a document stays but what the caller
 * keeps.
 *
 * Tolerant where writers are careless: control characters in texts, NaN and Infinity, numbers such
 * as "12." and ".5", missing and trailing commas, escapes of lone surrogates (U+FFFD). Texts are
 * given as they stand, which may not be UTF-8.
 */
#ifndef PS_BASE_JSON_IN_H
#define PS_BASE_JSON_IN_H

#include "base/buf.h"
#include "base/stream.h"

#define PS_JSON_IN_DEEPEST 256
#define PS_JSON_IN_TEXT    ((size_t)64 << 20)

enum ps_json_token {
    PS_JSON_END, /* of the document, or of the input inside of it */
    PS_JSON_BAD, /* no JSON, too deep or too long a text: ps_json_in_fail */
    PS_JSON_OBJECT,
    PS_JSON_OBJECT_END,
    PS_JSON_ARRAY,
    PS_JSON_ARRAY_END,
    PS_JSON_KEY, /* text */
    PS_JSON_STRING,
    PS_JSON_NUMBER, /* text, as it stands */
    PS_JSON_TRUE,
    PS_JSON_FALSE,
    PS_JSON_NULL,
};

struct ps_json_in {
    struct ps_stream *in; /* not owned */
    const char *at, *end; /* what lies ahead of what was peeked */
    const char *base;
    uint64_t passed; /* bytes before base */
    struct ps_buf decoded;
    struct ps_str text; /* of the token; valid until the next call */
    bool object[PS_JSON_IN_DEEPEST];
    int depth;
    bool after_key, began;
    const char *fault; /* NULL: none */
};

enum ps_json_token ps_json_in_next(struct ps_json_in *json);

/* Passes by the next value whole. False: the input ended in it, or is bad. */
bool ps_json_in_skip(struct ps_json_in *json);
/* The same when `token`, the beginning of a value, was taken already. */
bool ps_json_in_rest(struct ps_json_in *json, enum ps_json_token token);

/* Behind a number in an array: passes by those that follow and are written alike, as far as it can
 * see. How many they are. */
size_t ps_json_in_again(struct ps_json_in *json);

/* The whole numbers of an array whose beginning was taken, to its end. What is no whole number
 * below `most` becomes `most`. False: cut or bad. */
struct ps_u32s {
    uint32_t *at;
    size_t n, cap;
};
bool ps_json_in_u32s(struct ps_json_in *json, uint32_t most, struct ps_u32s *out);

/* The same of lists one behind the other that begin alike, as stacks do: the bytes that are those
 * of the list before are not read again. */
struct ps_u32_list {
    struct ps_u32s now;
    size_t same;         /* the first of them are those of the list before */
    struct ps_u32s ends; /* where each ends in the text */
    struct ps_buf text;  /* of the list, with its end; empty: not kept */
};
bool ps_json_in_u32_list(struct ps_json_in *json, uint32_t most, struct ps_u32_list *list);
void ps_u32_list_clear(struct ps_u32_list *list); /* as an empty list; keeps its memory */
void ps_u32_list_free(struct ps_u32_list *list);

/* Byte offset of what comes next. */
uint64_t ps_json_in_at(const struct ps_json_in *json);
/* After PS_JSON_BAD: PS_BAD_INPUT or PS_LIMIT with the place. */
enum ps_status ps_json_in_fail(const struct ps_json_in *json, struct ps_err *err);
void ps_json_in_free(struct ps_json_in *json); /* `in` stays */

#endif
