/* SPDX-License-Identifier: MIT */
/* foreign.h: files that are known but not read: their name, and what to do with them. */
#ifndef PS_IMPORTERS_FOREIGN_H
#define PS_IMPORTERS_FOREIGN_H

#include "base/err.h"
#include "base/str.h"

/* `head`: the first bytes of a file (64 KiB are enough). Both fill err with PS_UNKNOWN_KIND and
 * return true. */

/* Containers, programs, pictures, databases, pages: what no importer may even try. */
bool ps_foreign_certain(struct ps_str head, struct ps_err *err);

/* What is left when no importer wanted the file: other tools' profiles, and at last what can be
 * said of any bytes. */
bool ps_foreign_rest(struct ps_str head, struct ps_err *err);

#endif
