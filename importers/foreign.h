/* SPDX-License-Identifier: MIT */
/* foreign.h: detects known but unsupported formats and suggests an alternative. */
#ifndef PS_IMPORTERS_FOREIGN_H
#define PS_IMPORTERS_FOREIGN_H

#include "base/err.h"
#include "base/str.h"

/* `head`: the first bytes of a file; 64 KiB are enough. If a function recognises the file, it fills
 * err with PS_UNKNOWN_KIND and returns true. */

/* Detects files that no importer should try: archives, programs, pictures, databases, web pages. */
bool ps_foreign_detect_unsupported(struct ps_str head, struct ps_err *err);

/* Detects files that no importer recognised: profiles of other tools, or a general description of
 * the content. */
bool ps_foreign_describe(struct ps_str head, struct ps_err *err);

#endif
