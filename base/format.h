/* SPDX-License-Identifier: MIT */
/* format.h: formats strings and numbers for people. */
#ifndef PS_BASE_FORMAT_H
#define PS_BASE_FORMAT_H

#include "base/buf.h"

/* Appends a string from a profile or a file name. Control characters, direction marks, characters
 * that cannot be seen and bytes that are not UTF-8 are replaced by visible escapes such as \x1b,
 * because they could manipulate a terminal or hide text from a reader. */
void ps_append_escaped(struct ps_buf *out, struct ps_str text);

/* Width of a text in columns: its code points, since most terminals use one column for each. */
unsigned ps_text_width(struct ps_str text);

/* Appends a paragraph and a line break. Lines are at most `width` columns wide; 0: no limit. The
 * first line begins at `column`; each further line is indented by `indent` columns. */
void ps_append_wrapped(struct ps_buf *out, struct ps_str text, unsigned width, unsigned column,
                       unsigned indent);

/* "12.34 ms": four significant digits; units from ns to s, then minutes and hours. Returns out. */
char *ps_format_seconds(double seconds, char out[48]);
/* "67.0 KiB": three significant digits, powers of 1024. Returns out. */
char *ps_format_bytes(double bytes, char out[48]);
/* "0.000012", "3.2", "180": a number with `digits` significant digits and no exponent; a whole
 * number keeps all of its digits. Returns out. */
char *ps_format_digits(double value, int digits, char out[32]);
/* "p = 0.012", "p < 0.0001". Returns out. */
char *ps_format_p(double p, char out[32]);
/* "1 run", "2 runs": a number and a noun of at most 40 bytes, whose plural ends in s.
 * Returns out. */
char *ps_format_count(uint64_t n, const char *noun, char out[64]);

/* "1.234 s", "67.0 KiB", "12.5 %", "1 sample", "2 samples": a number with its unit, a word of more
 * than 3 letters in the plural. Returns out. */
char *ps_format_value(double value, const char *unit, char out[64]);
/* Like ps_format_value, with a sign. */
char *ps_format_change(double value, const char *unit, char out[64]);
/* "+12.3 %"; "" if base is 0. Returns out. */
char *ps_format_percent(double delta, double base, char out[32]);

/* The word for a value that became more (is_up) or less: "slower" and "faster" for times, "more"
 * and "less" for amounts of which less is better, else "higher" and "lower". better: -1, 0 or 1, as
 * that of a measurement. Static. */
const char *ps_change_word(bool is_up, bool is_time, int better);

#endif
