/* SPDX-License-Identifier: MIT */
/* csv.h: cells of comma-separated values. */
#ifndef PS_IMPORTERS_TEXT_CSV_H
#define PS_IMPORTERS_TEXT_CSV_H

#include "base/mem.h"
#include "base/str.h"

/* Removes the first cell, and the comma behind it, from *rest, which is the rest of a line. Returns
 * the cell without quotes; in quoted cells quotes are doubled. Its bytes are in the arena. */
struct ps_str ps_csv_pop_cell(struct ps_str *rest, struct ps_arena *arena);

#endif
