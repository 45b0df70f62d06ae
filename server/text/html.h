/* SPDX-License-Identifier: MIT */
/* html.h: the frame of an HTML document for output.c. The document needs no other file, follows the
 * theme of the reader, can be printed, and runs no script. */
#ifndef PS_TEXT_HTML_H
#define PS_TEXT_HTML_H

#include "base/buf.h"

/* Appends a text with control characters made visible, for an element or a quoted attribute. */
void ps_html_escape(struct ps_buf *out, struct ps_str text);
/* Appends all before the first part, with the title as heading. */
void ps_html_begin(struct ps_buf *out, const char *title);
void ps_html_end(struct ps_buf *out);

#endif
