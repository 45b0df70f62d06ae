/* SPDX-License-Identifier: MIT */
/*
 * args.h: the arguments of an event as a template and its parameters.
 *
 * Millions of events have the same arguments but for a few numbers. A template is the compact JSON
 * object in which each number that stands directly in it, or in a list directly in it, is one
 * marker byte; deeper numbers (the shapes of tensors) stay text. The parameters follow each other
 * in a byte string: an integer is a zigzag varint; a decimal is the varint of its digits and one of
 * its decimals, so that every digit comes back as it was written. Numbers that do not fit (beyond
 * 64 bits, with exponents) stay text too.
 *
 * What an event says outside of its arguments and beyond ph, cat, name, pid, tid, ts, dur, id ("s",
 * "bp", "tts", "scope", ...) stands in a second object behind PS_TEMPLATE_REST.
 */
#ifndef PS_SLICES_ARGS_H
#define PS_SLICES_ARGS_H

#include "base/buf.h"
#include "base/num.h"

#define PS_TEMPLATE_INT     '\1'
#define PS_TEMPLATE_DECIMAL '\2'
#define PS_TEMPLATE_REST    '\3' /* the event's other fields follow, as an object */
/* Arguments kept whole: the parameters are a varint length and the text. For files whose arguments
 * are all different, so that templates need not be kept by the million. */
#define PS_TEMPLATE_WHOLE      1u   /* its id; 0 is none, others from 2 */
#define PS_TEMPLATE_WHOLE_TEXT "\4" /* its text: pass it on for slices whose template is 1 */

void ps_args_put_int(struct ps_buf *out, int64_t value);
/* digits * 10^-decimals, written with that many decimals: 12.50 is (1250, 2). */
void ps_args_put_decimal(struct ps_buf *out, int64_t digits, uint32_t decimals);
void ps_args_put_whole(struct ps_buf *out, struct ps_str text);

/* The arguments as compact JSON ("{}" for none), or with `rest` the other fields. packed begins at
 * the parameters of the event; damage gives what can be read. */
void ps_args_json(struct ps_str template, struct ps_str packed, bool rest, struct ps_buf *out);

/* The top-level pairs of the arguments one after the other: begin with {.left = template}. Keys
 * without their quotes, as they are written; markers stand in values. */
struct ps_template_pair {
    struct ps_str left, key, value;
    int params; /* markers before the value */
};
bool ps_template_next(struct ps_template_pair *pair);
/* The index of the number that a value is, or that a list begins with; -1: it is text. */
int ps_template_pair_param(const struct ps_template_pair *pair);

/* Which parameter is the value of a top-level key (first of a list's): -1 none, it is text or
 * missing. */
int ps_template_param(struct ps_str template, struct ps_str key);
/* The JSON of a top-level value, markers in it; {NULL, 0} when missing. In the rest too with
 * `rest`. */
struct ps_str ps_template_value(struct ps_str template, struct ps_str key, bool rest);

/* The parameter at index; none when it is not there. Decimals as the nearest double. */
struct ps_num ps_args_param(struct ps_str template, struct ps_str packed, int index);
/* The arguments that were kept whole under PS_TEMPLATE_WHOLE; {NULL, 0}: damaged. */
struct ps_str ps_args_whole(struct ps_str packed);
/* Appends the parameters of an event but for those that `keep` says 0 of, a byte a marker of the
 * template. */
void ps_args_copy(struct ps_str template, struct ps_str packed, const char *keep,
                  struct ps_buf *out);
/* Reads the parameter of a marker and moves on; none when the parameters end before it. To read all
 * of an event's: ps_args_param begins at the first each time. */
struct ps_num ps_args_next(char marker, struct ps_str *packed);
/* Whether a number is there for each marker of a template. */
bool ps_args_complete(struct ps_str template, struct ps_str packed);
/* Reads one integer and moves on; for those who know what comes. */
bool ps_args_next_int(struct ps_str *packed, int64_t *out);

#endif
