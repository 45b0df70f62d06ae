/* SPDX-License-Identifier: MIT */
/* utf8.h: what is UTF-8 and what is not (RFC 3629: no surrogates, nothing beyond U+10FFFF, shortest
 * form only). */
#ifndef PS_BASE_UTF8_H
#define PS_BASE_UTF8_H

#include "base/buf.h"

/* Letters, digits, signs and blanks of ASCII only: what most lines are, found out fastest. */
bool ps_is_printable(struct ps_str text);

/* Bytes of the character at `at`, 1 to 4; 0 when there is no valid one. `at` < `end`. */
size_t ps_utf8_len(const char *at, const char *end);

bool ps_utf8_valid(struct ps_str text);

/* Appends text, each byte that belongs to no valid character as U+FFFD; an encoded surrogate (ED
 * A0..BF xx) becomes one U+FFFD. Returns how many replacements were made. */
size_t ps_utf8_mend(struct ps_buf *out, struct ps_str text);

/* Makes a text fit to be shown to a person as one line, also on a terminal: each byte that is a
 * control character (of ASCII or C1) or of no valid character becomes a question mark. */
void ps_utf8_show(char *text);

#endif
