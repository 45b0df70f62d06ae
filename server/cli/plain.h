/* SPDX-License-Identifier: MIT */
/* plain.h: text and figures as a terminal may show them. */
#ifndef PS_CLI_PLAIN_H
#define PS_CLI_PLAIN_H

#include "base/buf.h"

/* Appends text from a profile or a file name: control characters, direction marks and bytes that
 * are not UTF-8 become visible escapes (\n, \x1b), for such text may be made to rewrite what stands
 * on the screen. */
void ps_plain_text(struct ps_buf *out, struct ps_str text);

/* "12.34 ms": four significant digits and a unit from ns to s, then minutes and hours. Returns out.
 */
char *ps_figure_seconds(double seconds, char out[48]);
/* "67.0 KiB": three digits, powers of 1024. Returns out. */
char *ps_figure_bytes(double bytes, char out[48]);
/* "1 run", "2 runs": a number and a noun whose plural ends in s, of at most 40 bytes. Returns out.
 */
char *ps_figure_count(uint64_t n, const char *noun, char out[64]);

#endif
