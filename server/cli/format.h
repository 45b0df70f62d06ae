/* SPDX-License-Identifier: MIT */
/* format.h: formats strings and numbers for terminals. */
#ifndef PS_CLI_FORMAT_H
#define PS_CLI_FORMAT_H

#include "base/buf.h"

/* Appends a string from a profile or a file name. Control characters, direction marks and bytes
 * that are not UTF-8 are replaced by visible escapes such as \x1b, because they could manipulate
 * the terminal. */
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
/* "1 run", "2 runs": a number and a noun of at most 40 bytes, whose plural ends in s.
 * Returns out. */
char *ps_format_count(uint64_t n, const char *noun, char out[64]);

#endif
