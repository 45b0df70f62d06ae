/* SPDX-License-Identifier: MIT */
/*
 * asv.h: the folder `results` of airspeed velocity (asv): benchmarks.json describes the benchmarks,
 * and MACHINE/COMMIT-ENVIRONMENT.json are results. A result with the descriptions that it needs is
 * one run.
 */
#ifndef PS_IMPORTERS_MEASUREMENTS_ASV_H
#define PS_IMPORTERS_MEASUREMENTS_ASV_H

#include <cjson/cJSON.h>

#include "base/buf.h"

#define PS_ASV_BENCHMARKS "benchmarks.json" /* name of the file with the descriptions */
/* name of the descriptions in an archive with one result, of which it is the first member */
#define PS_ASV_DESCRIPTIONS "asv-benchmarks.json"

/* Whether a JSON document with these first bytes is a result. */
bool ps_asv_is_result(struct ps_str head);
/* Whether a file with these first bytes and the name PS_ASV_BENCHMARKS describes benchmarks. */
bool ps_asv_is_benchmarks(struct ps_str head);

/* Writes what the result does not say itself, as a JSON object of the form of benchmarks.json:
 * units of tracked values, and names of parameters. Versions of benchmarks are left out, so that
 * the text remains the same when the code of a benchmark changes. */
void ps_asv_select_descriptions(const cJSON *result, const cJSON *benchmarks, struct ps_buf *out);

#endif
