/* SPDX-License-Identifier: MIT */
/* document.h: small JSON documents, parsed in memory. */
#ifndef PS_IMPORTERS_DOCUMENT_H
#define PS_IMPORTERS_DOCUMENT_H

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/num.h"

/* Parses the JSON object in `bytes`, after replacing NaN, Infinity and lone surrogates, which
 * Python writes but JSON does not allow. On success frees `bytes`, of which the tree holds copies;
 * the caller releases the tree with cJSON_Delete(). NULL: a failure (err is filled). */
cJSON *ps_document_parse(struct ps_buf *bytes, struct ps_err *err);
/* The same for a JSON array; and for an object or an array. */
cJSON *ps_document_parse_list(struct ps_buf *bytes, struct ps_err *err);
cJSON *ps_document_parse_any(struct ps_buf *bytes, struct ps_err *err);

/* Like ps_document_parse, but NaN and infinities can be told from other values with
 * ps_document_special. They are strings without a text that a reader could show. */
cJSON *ps_document_parse_special(struct ps_buf *bytes, struct ps_err *err);
/* The infinity for which the value stands; NAN for NaN and for all other values. */
double ps_document_special(const cJSON *value);

/* Parses the JSON object in `json`, and keeps integers of more than 15 digits, such as times in ns
 * since 1970, which a double rounds. ps_document_integer reads them; for the other functions they
 * are neither numbers nor texts that a reader could show. NULL: a failure (err is filled). */
cJSON *ps_document_parse_exact(struct ps_str json, struct ps_err *err);
/* Reads an integer of an object. False: the key is absent, or its value is none. *out is unchanged
 * then. */
bool ps_document_integer(const cJSON *object, const char *key, int64_t *out);

/* Reads a finite number of an object; none if the key is absent or its value is not a number.
 * ps_document_count returns an integer if the value is integral. */
struct ps_num ps_document_number(const cJSON *object, const char *key);
struct ps_num ps_document_count(const cJSON *object, const char *key);
/* Like ps_document_count and ps_document_text, but for a value instead of an object and a key. Use
 * them in loops over the values of an object: a lookup by key is a linear search. */
struct ps_num ps_document_count_of(const cJSON *value);
struct ps_str ps_document_text_of(struct ps_arena *arena, const cJSON *value);

/* Reads a string of an object as clean UTF-8, truncated to 64 KiB; {NULL, 0} if it is absent. */
struct ps_str ps_document_text(struct ps_arena *arena, const cJSON *object, const char *key);

#endif
