/* SPDX-License-Identifier: MIT */
/* run.h: what every profile has: notes, the ledger, the headline. */
#ifndef PS_RECORDS_RUN_H
#define PS_RECORDS_RUN_H

#include "base/str.h"

enum ps_severity { PS_NOTE_INFO = 0, PS_NOTE_WARNING, PS_NOTE_REPAIRED, PS_NOTE_REJECTED };

/* An entry of the ledger. */
struct ps_note {
    enum ps_severity severity;
    bool has_offset;
    uint64_t offset; /* byte offset in the decompressed input */
    uint64_t line;   /* 0: does not refer to a line */
    struct ps_str text;
};

/* Numbers of input records: read = stored + repaired + rejected + other. */
struct ps_ledger {
    const char *unit; /* "lines", "entries"; static */
    uint64_t read, stored, repaired, rejected;
    uint64_t other; /* not records: headers, output of other programs */
};

/* The main metric of the run, written once at the end. */
struct ps_headline {
    double value;
    const char *unit, *label; /* "s", "import"; copied */
};

#endif
