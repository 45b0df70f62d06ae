/* SPDX-License-Identifier: MIT */
/*
 * args.h: the arguments of an event as a template and its parameters.
 *
 * Millions of events have the same arguments except for a few numbers. A template is the compact
 * JSON object in which each top-level number, or number in a top-level list, is replaced by one
 * marker byte; deeper numbers (the shapes of tensors) stay as they are. The parameters are
 * concatenated in a byte string. An integer is a zigzag varint; a decimal is the varint of its
 * digits and the varint of its number of decimals, so that it can be written with the same digits
 * again. Numbers that do not fit (more than 64 bits, exponents) are not replaced either.
 *
 * Fields of an event outside of its arguments, except ph, cat, name, pid, tid, ts, dur and id, are
 * stored in a second object after PS_TEMPLATE_REST: "s", "bp", "tts", "scope", ...
 */
#ifndef PS_SLICES_ARGS_H
#define PS_SLICES_ARGS_H

#include "base/buf.h"
#include "base/num.h"

#define PS_TEMPLATE_INT     '\1'
#define PS_TEMPLATE_DECIMAL '\2'
#define PS_TEMPLATE_REST    '\3' /* the event's other fields follow, as an object */
/* Arguments without a template: the parameters are a varint length and the JSON. For files whose
 * arguments are all different, to avoid millions of templates. */
#define PS_TEMPLATE_WHOLE      1u   /* its id; 0: no arguments; other ids start at 2 */
#define PS_TEMPLATE_WHOLE_TEXT "\4" /* template text of slices whose template id is 1 */

void ps_args_put_int(struct ps_buf *out, int64_t value);
/* digits * 10^-decimals, with that many decimals in the text: 12.50 is (1250, 2). */
void ps_args_put_decimal(struct ps_buf *out, int64_t digits, uint32_t decimals);
/* Splits a number into the digits and the number of decimals of its shortest text. False: the text
 * has no decimals, or an exponent, or more digits than a parameter holds. */
bool ps_args_split_real(double value, int64_t *digits, uint32_t *decimals);
void ps_args_put_arguments(struct ps_buf *out, struct ps_str text);
/* Replaces the parameters of a template by its arguments, for PS_TEMPLATE_WHOLE. */
void ps_args_put_whole(struct ps_str template, struct ps_buf *params);

/* Appends the arguments as compact JSON ("{}" if there are none), or with `rest` the other fields.
 * `packed` begins with the parameters of the event. Damaged parameters become null. */
void ps_args_json(struct ps_str template, struct ps_str packed, bool rest, struct ps_buf *out);

/* Iterates over the top-level pairs of the arguments; initialise with {.left = template}. Keys have
 * no quotes and keep their escapes; values may contain markers. */
struct ps_template_pair {
    struct ps_str remainder, key, value;
    int params; /* number of markers before the value */
};
bool ps_template_next(struct ps_template_pair *pair);
/* Returns the index of the parameter that is the value of the pair or, if the value is a list, its
 * first element; -1: that is not a parameter. */
int ps_template_pair_param(const struct ps_template_pair *pair);

/* Returns the index of the parameter that is the value of a top-level key or, if the value is a
 * list, its first element; -1: that is not a parameter, or the key is missing. */
int ps_template_param(struct ps_str template, struct ps_str key);
/* Whether a character of a template stands for a number. */
static inline bool ps_template_is_marker(char c)
{
    return c == PS_TEMPLATE_INT || c == PS_TEMPLATE_DECIMAL;
}
/* How many numbers a template, or a part of one, stands for. */
static inline size_t ps_template_count_params(struct ps_str template)
{
    size_t n = 0;

    for (size_t i = 0; i < template.len; i++)
        n += ps_template_is_marker(template.ptr[i]);
    return n;
}

/* The JSON of a top-level value, with markers; {NULL, 0} if the key is missing. With `rest` the
 * other fields are searched too. */
struct ps_str ps_template_value(struct ps_str template, struct ps_str key, bool rest);
/* The text between the quotes of a top-level string of the arguments, with its escapes; a value of
 * another type as it is; {NULL, 0} if the key is missing. */
struct ps_str ps_template_string(struct ps_str template, struct ps_str key);

/* The parameter at index; PS_NUM_NONE if there is none. Decimals become the nearest double. */
struct ps_num ps_args_param(struct ps_str template, struct ps_str packed, int index);
/* The JSON that was stored with PS_TEMPLATE_WHOLE; {NULL, 0}: damaged. */
struct ps_str ps_args_whole(struct ps_str packed);
/* Appends the parameters of an event for which `keep` is not 0; `keep` has a byte for each marker
 * of the template. */
void ps_args_copy(struct ps_str template, struct ps_str packed, const char *keep,
                  struct ps_buf *out);
/* Reads the parameter of a marker and advances; PS_NUM_NONE if the parameters end before it. Use it
 * to read all parameters of an event: ps_args_param starts at the first one each time. */
struct ps_num ps_args_next(char marker, struct ps_str *packed);
/* Whether `packed` has a number for each marker of the template. */
bool ps_args_complete(struct ps_str template, struct ps_str packed);
/* Reads one integer and advances; for callers that know that the next parameter is an integer. */
bool ps_args_next_int(struct ps_str *packed, int64_t *out);

#endif
