/* SPDX-License-Identifier: MIT */
/* line_names.h: origins and display names of files and functions of line-level profilers. */
#ifndef PS_IMPORTERS_TEXT_LINE_NAMES_H
#define PS_IMPORTERS_TEXT_LINE_NAMES_H

#include "base/mem.h"
#include "importers/sink.h"

/* The origin of a measured file. Users profile lines of their own code, so a script without a
 * folder counts as the user's own. */
enum ps_origin ps_line_origin(struct ps_str path);

/* The part after the last slash or backslash. */
struct ps_str ps_base_name(struct ps_str path);

/* Returns the text for display: `text` if it is clean, else a repaired copy in the arena; truncated
 * to 64 KiB. Sets *mended to whether the text was repaired or truncated. */
struct ps_str ps_display_text(struct ps_arena *arena, struct ps_str text, bool *mended);

#endif
