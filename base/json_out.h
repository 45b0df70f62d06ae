/* SPDX-License-Identifier: MIT */
/*
 * json_out.h: writes JSON into a ps_buf, adds the commas and asserts correct nesting.
 *
 * Strings may contain any bytes: invalid UTF-8 becomes U+FFFD, control characters are escaped.
 * Doubles are written with the fewest digits that read back to the same bits; NaN and infinities,
 * which JSON lacks, become null. Writing cannot fail, because the output is memory.
 */
#ifndef PS_BASE_JSON_OUT_H
#define PS_BASE_JSON_OUT_H

#include "base/buf.h"
#include "base/num.h"

struct ps_json {
    struct ps_buf *out;
    unsigned depth;
    bool needs_comma;          /* the next value or key needs a comma before it */
    char closing_brackets[32]; /* closing bracket of each open level */
};

static inline struct ps_json ps_json_writer(struct ps_buf *out)
{
    return (struct ps_json){.out = out};
}

void ps_json_object(struct ps_json *j);
void ps_json_array(struct ps_json *j);
void ps_json_end(struct ps_json *j); /* closes the innermost object or array */
void ps_json_key(struct ps_json *j, const char *key);

void ps_json_str(struct ps_json *j, struct ps_str value); /* {NULL, 0} becomes null */
void ps_json_int(struct ps_json *j, int64_t value);
void ps_json_real(struct ps_json *j, double value);
void ps_json_num(struct ps_json *j, struct ps_num value); /* PS_NUM_NONE becomes null */
void ps_json_bool(struct ps_json *j, bool value);
void ps_json_null(struct ps_json *j);
void ps_json_raw(struct ps_json *j, struct ps_str json); /* a complete JSON value */

/* Key and value in one call. A NULL string becomes null. */
void ps_json_key_str(struct ps_json *j, const char *key, const char *value);
void ps_json_key_int(struct ps_json *j, const char *key, int64_t value);
void ps_json_key_int_or_null(struct ps_json *j, const char *key, int64_t value, bool is_known);
void ps_json_key_real(struct ps_json *j, const char *key, double value);
void ps_json_key_bool(struct ps_json *j, const char *key, bool value);
/* Writes a key and an array of n numbers: faster than ps_json_int for each. */
void ps_json_ints(struct ps_json *j, const char *key, const int64_t *values, size_t n);

/* Shortest decimal of a finite double that reads back to the same bits, NUL-terminated. Returns its
 * length. */
size_t ps_real_format(double value, char out[32]);

#endif
