/* SPDX-License-Identifier: MIT */
/*
 * validate.h: checks that the rows of a run file are valid: types, ranges, ids, references, blobs.
 * Readers rely on these rules, so shared run files are checked before they are published.
 */
#ifndef PS_RUNWRITE_VALIDATE_H
#define PS_RUNWRITE_VALIDATE_H

#include "server/runfile/db.h"

/* Checks all rows of `db`, which must have the tables of schema/run.sql. PS_BAD_INPUT: a rule is
 * violated; the message names the table, the column and the rule. */
enum ps_status ps_run_validate(struct ps_db *db, struct ps_err *err);

#endif
