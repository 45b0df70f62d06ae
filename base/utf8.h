/* SPDX-License-Identifier: MIT */
/* utf8.h: validates and repairs UTF-8 (RFC 3629: no surrogates, nothing above U+10FFFF, shortest
 * form only). */
#ifndef PS_BASE_UTF8_H
#define PS_BASE_UTF8_H

#include "base/buf.h"

/* Whether all bytes are in [0x20, 0x7f]: a fast check that is true for most lines. */
bool ps_is_printable_ascii(struct ps_str text);

/* Length in bytes of the character at `at`, 1 to 4; 0 if it is invalid. `at` < `end`. */
size_t ps_utf8_char_len(const char *at, const char *end);

bool ps_utf8_is_valid(struct ps_str text);

/* Appends text; each byte that is not part of a valid character becomes U+FFFD. An encoded
 * surrogate (ED A0..BF xx) becomes one U+FFFD. Returns the number of replacements. */
size_t ps_utf8_repair(struct ps_buf *out, struct ps_str text);

/* Makes a string safe to show in one line, also on a terminal: each byte of a control character
 * (ASCII or C1) or of an invalid character becomes a question mark. */
void ps_utf8_make_printable(char *text);

#endif
