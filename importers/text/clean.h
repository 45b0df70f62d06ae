/* SPDX-License-Identifier: MIT */
/* clean.h: makes strings valid for the database and the browser. */
#ifndef PS_IMPORTERS_TEXT_CLEAN_H
#define PS_IMPORTERS_TEXT_CLEAN_H

#include "base/buf.h"

/* Whether a text is valid UTF-8 without NUL bytes. */
bool ps_is_clean_text(struct ps_str text);

/* Appends text, replacing each invalid byte, lone surrogate and NUL by U+FFFD. */
void ps_clean_text(struct ps_buf *out, struct ps_str text);

/* Restores characters that tools print next to numbers (micro, plus-minus, sigma, ellipsis) if
 * UTF-8 was decoded with another encoding, as Windows consoles do. The result is stored in
 * `scratch`, or is `text` itself if nothing changed. */
struct ps_str ps_repair_signs(struct ps_buf *scratch, struct ps_str text);

/* The first bytes of a text, at most `most`, up to the end of a complete character. */
struct ps_str ps_truncate_text(struct ps_str text, size_t most);

#endif
