/* SPDX-License-Identifier: MIT */
/* document.h: small JSON documents, read whole. */
#ifndef PS_IMPORTERS_DOCUMENT_H
#define PS_IMPORTERS_DOCUMENT_H

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/num.h"

/* The object in `bytes`, which are mended (NaN, Infinity, half surrogates: what Python writes and
 * JSON does not know) and freed on success; the tree holds copies. NULL: see err. */
cJSON *ps_document_parse(struct ps_buf *bytes, struct ps_err *err);

/* A finite number of an object; none when it is absent or something else. A count becomes an
 * integer where it is one. */
struct ps_num ps_document_number(const cJSON *object, const char *key);
struct ps_num ps_document_count(const cJSON *object, const char *key);
/* As ps_document_count and ps_document_text, of a value at hand: a look-up by key passes all values
 * before it, so loops over an object's values use these. */
struct ps_num ps_document_count_of(const cJSON *value);
struct ps_str ps_document_text_of(struct ps_arena *arena, const cJSON *value);

/* A text of an object that can be shown, cut to 64 KiB; {NULL, 0} when it is absent. */
struct ps_str ps_document_text(struct ps_arena *arena, const cJSON *object, const char *key);

#endif
