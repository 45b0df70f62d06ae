/* SPDX-License-Identifier: MIT */
/* url.h: percent-encoding of untrusted input. Output strings are allocated in the arena and
 * NUL-terminated. */
#ifndef PS_HTTP_URL_H
#define PS_HTTP_URL_H

#include "base/buf.h"
#include "base/err.h"

struct ps_url_param {
    const char *key, *value;
};

struct ps_url_params {
    struct ps_url_param *items;
    size_t n, cap;
};

#define PS_URL_PARAMS_MAX 256 /* maximum number of parameters of one request */

/* The byte that "%XX" at index `at` encodes; -1 if it is no valid escape. */
int ps_url_escaped_byte(struct ps_str text, size_t at);

/* Decodes %XX, and + as a space if `plus`. PS_BAD_REQUEST: invalid percent-encoding or an encoded
 * NUL. */
enum ps_status ps_url_decode(struct ps_arena *arena, struct ps_str text, bool plus,
                             const char **out, struct ps_err *err);

/* Appends text, escaped for use in a path segment or in a query. */
void ps_url_escape(struct ps_buf *out, const char *text);

/* These build a path below /api/v1/, or a route of the page: begin with ps_buf_puts, then append
 * escaped segments of any bytes, such as the name of a run, and parameters. A parameter whose value
 * is NULL is left out. */
void ps_url_add_segment(struct ps_buf *path, const char *segment);
void ps_url_add_param(struct ps_buf *path, const char *key, const char *value);
void ps_url_add_int(struct ps_buf *path, const char *key, int64_t value);

/* Appends the parameters of a query string ("a=1&b=2"); a parameter without = has the value "". */
enum ps_status ps_url_parse_query(struct ps_arena *arena, struct ps_str query,
                                  struct ps_url_params *out, struct ps_err *err);

/* Appends one pair; the strings are not copied. False if there are PS_URL_PARAMS_MAX already. */
bool ps_url_params_add(struct ps_arena *arena, struct ps_url_params *params, const char *key,
                       const char *value);

/* The last value of key, or NULL. */
const char *ps_url_params_get(const struct ps_url_params *params, const char *key);

#endif
