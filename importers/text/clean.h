/* SPDX-License-Identifier: MIT */
/* clean.h: names as the database and the browser can take them. */
#ifndef PS_IMPORTERS_TEXT_CLEAN_H
#define PS_IMPORTERS_TEXT_CLEAN_H

#include "base/buf.h"

/* Whether a text is UTF-8 without NUL bytes. */
bool ps_is_clean_text(struct ps_str text);

/* Appends text, with U+FFFD for every byte that is part of no character, for lone surrogates and
 * for NUL. */
void ps_clean_text(struct ps_buf *out, struct ps_str text);

/* The signs that tools print beside figures (micro, plus-minus, sigma, ellipsis), as they look when
 * UTF-8 was taken for another encoding, which consoles of Windows do. The text with the signs
 * themselves, in scratch; `text` itself where there are none. */
struct ps_str ps_mend_signs(struct ps_buf *scratch, struct ps_str text);

/* At most `most` bytes of a text, no character cut in two. */
struct ps_str ps_text_head(struct ps_str text, size_t most);

#endif
