/* SPDX-License-Identifier: MIT */
/*
 * validate.h: checks that the rows of a run file are valid for its readers: types, ranges, ids,
 * references, blobs. Run files from elsewhere are checked before they are published.
 */
#ifndef PS_RUNWRITE_VALIDATE_H
#define PS_RUNWRITE_VALIDATE_H

#include "server/runfile/db.h"

/* `db` is a run file with the tables of schema/run.sql, whose rows may be anything. PS_BAD_INPUT
 * names the table, the column and the violated rule. */
enum ps_status ps_run_validate(struct ps_db *db, struct ps_err *err);

#endif
