/* SPDX-License-Identifier: MIT */
/* document.h: small JSON documents, parsed in memory. */
#ifndef PS_IMPORTERS_DOCUMENT_H
#define PS_IMPORTERS_DOCUMENT_H

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/num.h"

/* Parses the JSON object in `bytes`, after replacing what Python writes but JSON does not allow:
 * NaN, Infinity and lone surrogates. Frees `bytes` on success; the tree holds copies. NULL: see
 * err. */
cJSON *ps_document_parse(struct ps_buf *bytes, struct ps_err *err);

/* Reads a finite number of an object; none if it is absent or not a number. ps_document_count
 * returns an integer if the value is integral. */
struct ps_num ps_document_number(const cJSON *object, const char *key);
struct ps_num ps_document_count(const cJSON *object, const char *key);
/* Like ps_document_count and ps_document_text, but for a value. Use them in loops over the values
 * of an object: a lookup by key is a linear search. */
struct ps_num ps_document_count_of(const cJSON *value);
struct ps_str ps_document_text_of(struct ps_arena *arena, const cJSON *value);

/* Reads a string of an object as clean UTF-8, truncated to 64 KiB; {NULL, 0} if it is absent. */
struct ps_str ps_document_text(struct ps_arena *arena, const cJSON *object, const char *key);

#endif
