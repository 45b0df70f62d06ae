/* SPDX-License-Identifier: MIT */
/*
 * validate.h: whether the rows of a run file are what its readers rely on: types, ranges, ids,
 * references, blobs. An import asks it of a run file from elsewhere before it is published.
 */
#ifndef PS_RUNWRITE_VALIDATE_H
#define PS_RUNWRITE_VALIDATE_H

#include "server/runfile/db.h"

/* `db` is a run file with the tables of schema/run.sql, whose rows may be anything. PS_BAD_INPUT
 * names the table, the column and the rule that a row breaks. */
enum ps_status ps_run_validate(struct ps_db *db, struct ps_err *err);

#endif
