/* SPDX-License-Identifier: MIT */
/* import_split.h: splits the stderr of Python -X importtime, while it is read, into lines about
 * imports and output of the program. */
#ifndef PS_CLI_IMPORT_SPLIT_H
#define PS_CLI_IMPORT_SPLIT_H

#include "base/buf.h"

/* Initialize with `struct ps_import_split s = {0};`. The caller reads `log` and
 * `other_output` and then sets their len to 0. */
struct ps_import_split {
    struct ps_buf pending; /* beginning of a line that may be about an import */
    struct ps_buf log;     /* complete lines about imports */
    /* all other output, including the beginning of a line that continues with a line about an
     * import */
    struct ps_buf other_output;
};

void ps_import_split_feed(struct ps_import_split *split, const char *bytes, size_t n);
/* Call this when no input arrives for a while: moves `pending` to `other_output`, because it may be
 * a prompt. If `ended`, the last line may be a line about an import without its line break. */
void ps_import_split_flush(struct ps_import_split *split, bool ended);
void ps_import_split_free(struct ps_import_split *split);

#endif
