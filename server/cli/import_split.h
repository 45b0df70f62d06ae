/* SPDX-License-Identifier: MIT */
/* import_split.h: what a Python with -X importtime writes to stderr, taken apart while it comes:
 * its lines of imports, and everything that the program itself says. */
#ifndef PS_CLI_IMPORT_SPLIT_H
#define PS_CLI_IMPORT_SPLIT_H

#include "base/buf.h"

/* `struct ps_import_split s = {0};` is a new one. The caller takes what is in log and rest and sets
 * their len to 0. */
struct ps_import_split {
    struct ps_buf held; /* may become a line of an import */
    struct ps_buf log;  /* whole lines of imports */
    struct ps_buf rest; /* everything else, also the half line that such a line stood in */
};

void ps_import_split_feed(struct ps_import_split *split, const char *bytes, size_t n);
/* Nothing comes for a while: what was held goes to rest, for it may be a prompt. With `ended` a
 * last line without its end is one still. */
void ps_import_split_flush(struct ps_import_split *split, bool ended);
void ps_import_split_free(struct ps_import_split *split);

#endif
