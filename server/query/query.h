/* SPDX-License-Identifier: MIT */
/*
 * query.h: what all queries on the shelf and on runs have in common: parameters and answers.
 * Answers are mostly JSON, as described in docs/api*.md. The questions are in headers of their
 * subjects: shelf.h, run_views.h, user_query.h, and answers.h of compare/, trend/, search/, lines/,
 * imports/.
 *
 * Answers are appended to a ps_buf that the caller owns. Parameters are strings from a URL or a
 * command line. An invalid parameter is PS_BAD_REQUEST with the name of the parameter in the
 * message. All functions are thread-safe.
 */
#ifndef PS_QUERY_H
#define PS_QUERY_H

#include "base/buf.h"
#include "base/err.h"

struct ps_param {
    const char *key, *value;
};

struct ps_params {
    const struct ps_param *items;
    size_t n;
};

/* Returns the value of the last parameter with this key, or NULL if there is none. */
const char *ps_param_get(struct ps_params params, const char *key);

/* Read a parameter that is an integer or a real number in [low, high]. PS_BAD_REQUEST: it is not.
 * *out is `fallback` if the parameter is absent or empty, and after a failure. */
enum ps_status ps_param_int(struct ps_params params, const char *key, int64_t low, int64_t high,
                            int64_t fallback, int64_t *out, struct ps_err *err);
enum ps_status ps_param_real(struct ps_params params, const char *key, double low, double high,
                             double fallback, double *out, struct ps_err *err);

struct ps_answer {
    struct ps_buf body;
    const char *type;   /* static string, such as "application/json" or "text/csv; charset=utf-8" */
    bool is_attachment; /* the response should be offered as a download */
};

#endif
