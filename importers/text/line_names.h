/* SPDX-License-Identifier: MIT */
/* line_names.h: files and functions of the line-level profilers, as they are shown. */
#ifndef PS_IMPORTERS_TEXT_LINE_NAMES_H
#define PS_IMPORTERS_TEXT_LINE_NAMES_H

#include "base/mem.h"
#include "importers/sink.h"

/* Whose code a measured file is: who asks for single lines asks for his own, so a script without a
 * folder is his. */
enum ps_origin ps_line_origin(struct ps_str path);

/* The part behind the last slash of either kind. */
struct ps_str ps_base_name(struct ps_str path);

/* Text as it can be shown: itself when it is clean, else a mended copy in the arena and *mended
 * set. Cut to 64 KiB. */
struct ps_str ps_shown_text(struct ps_arena *arena, struct ps_str text, bool *mended);

#endif
