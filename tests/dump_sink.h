/* SPDX-License-Identifier: MIT */
/* dump_sink.h: a sink that writes a profile as text, one row a line: golden tests need no database.
 */
#ifndef PS_TESTS_DUMP_SINK_H
#define PS_TESTS_DUMP_SINK_H

#include "base/buf.h"
#include "importers/importer.h"

struct dump_sink {
    struct ps_sink sink; /* first: the importer's handle */
    struct ps_buf *out;  /* NULL: only count */
    uint64_t rows, notes;
    struct ps_ledger ledger;
    bool has_ledger, has_headline;
    uint64_t cancel_at; /* calls of progress until it says stop; 0: never */
};

void dump_sink_init(struct dump_sink *dump, struct ps_buf *out);

/* The whole of importing bytes: a dump, or a last line "failed <status> <what> at <byte>; <hint>".
 */
enum ps_status dump_bytes(struct ps_str bytes, size_t block, struct ps_buf *out);

#endif
