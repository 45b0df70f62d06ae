/* SPDX-License-Identifier: MIT */
/*
 * unsampled_lines.h: lines whose time a sampler by signals gives to a line below them.
 *
 * CPython runs the handler of a signal at calls and at the ends of loops, not after any other
 * operation. So Scalene (2.4.0 with CPython 3.10 to 3.13, findings/scalene_next_line.sh) counts the
 * time of `name in names`, or of a sum of arrays, at the next line that has a call, or at the last
 * line of the loop.
 */
#ifndef PS_QUERY_UNSAMPLED_LINES_H
#define PS_QUERY_UNSAMPLED_LINES_H

#include "base/mem.h"
#include "server/runfile/db.h"

struct ps_unsampled_lines {
    int64_t first, last;  /* 0: there are none */
    struct ps_str source; /* of the first one, without white space around it; in the arena */
};

/* Finds lines directly above a line with samples that have none themselves, no call, and an
 * operation whose time depends on its operands. If the line has a call, that may take the time:
 * then only searches (`in`) are looked for. function: id of its function, 0 outside of one. */
enum ps_status ps_unsampled_lines_find(struct ps_db *db, struct ps_arena *arena, int64_t file,
                                       int64_t function, int64_t line,
                                       struct ps_unsampled_lines *out, struct ps_err *err);

#endif
