/* SPDX-License-Identifier: MIT */
/* json_span.h: finds where a JSON value in memory ends. Its content is not validated, so this also
 * works for argument templates, whose marker bytes are not JSON. */
#ifndef PS_BASE_JSON_SPAN_H
#define PS_BASE_JSON_SPAN_H

#include "base/str.h"

/* Length of the string whose opening quote is json.ptr[0], including both quotes; json.len if the
 * string is not terminated. */
size_t ps_json_string_length(struct ps_str json);

/* Length of the value that json begins with: up to the comma or closing bracket after it, or
 * json.len. */
size_t ps_json_value_length(struct ps_str json);

/* The value of a key of the object that `object` begins with; an empty slice if it lacks the key.
 * Keys are compared as written, without decoding escapes. */
struct ps_str ps_json_member(struct ps_str object, const char *key);

/* Whether a string of the JSON text has an escaped NUL, at which cJSON would end the string. */
bool ps_json_has_nul(struct ps_str json);

/* Reads the next element of an array: *rest is the array at first, then the part after the element.
 * False: no more elements. */
bool ps_json_next_element(struct ps_str *rest, struct ps_str *out);

#endif
