/* SPDX-License-Identifier: MIT */
/* json_span.h: how far a piece of JSON reaches that stands in memory. What is inside is not
 * checked, so the templates of arguments can be asked too, whose markers are no JSON. */
#ifndef PS_BASE_JSON_SPAN_H
#define PS_BASE_JSON_SPAN_H

#include "base/str.h"

/* Bytes of the text whose first quote is json.at[0], with both quotes; json.len when it does not
 * end. */
size_t ps_json_text_span(struct ps_str json);

/* Bytes of the value at the head with all that is in it: up to the comma or the closing bracket
 * behind it, or json.len. */
size_t ps_json_value_span(struct ps_str json);

/* The value of a key of the object at the head; an empty slice without one. Keys are compared as
 * they are written. */
struct ps_str ps_json_member(struct ps_str object, const char *key);

/* The next element of an array: *rest is the array at first, then what stands behind the element.
 * False: there are no more. */
bool ps_json_element(struct ps_str *rest, struct ps_str *out);

#endif
