/* SPDX-License-Identifier: MIT */
/*
 * criterion.h: the folder `target/criterion` of Criterion.rs. Each benchmark has a folder
 * GROUP/[FUNCTION/][VALUE/]new with four files; all of them together are one run.
 */
#ifndef PS_IMPORTERS_MEASUREMENTS_CRITERION_H
#define PS_IMPORTERS_MEASUREMENTS_CRITERION_H

#include "base/str.h"

/* folder in which the files of a run are in an archive */
#define PS_CRITERION_FOLDER "criterion-run/"

/* Whether the path is that of a file of a benchmark: ".../new/sample.json". *len: length of the
 * path of the benchmark's folder, without the slash at its end. */
bool ps_criterion_is_part(const char *path, size_t *len);
/* Whether a file with these first bytes may have such a name. */
bool ps_criterion_is_content(struct ps_str head);
/* Reads the folder of the benchmark, below that of the run, from the bytes of a benchmark.json.
 * False: it states none. *out is a slice of `json`. */
bool ps_criterion_read_folder(struct ps_str json, struct ps_str *out);

#endif
