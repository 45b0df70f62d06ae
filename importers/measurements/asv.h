/* SPDX-License-Identifier: MIT */
/*
 * asv.h: the folder `results` of airspeed velocity (asv): benchmarks.json describes the benchmarks,
 * and MACHINE/COMMIT-ENVIRONMENT.json are results. A result with the descriptions that it needs is
 * one run.
 */
#ifndef PS_IMPORTERS_MEASUREMENTS_ASV_H
#define PS_IMPORTERS_MEASUREMENTS_ASV_H

#include <cjson/cJSON.h>

#include "base/stream.h"

#define PS_ASV_BENCHMARKS "benchmarks.json" /* name of the file with the descriptions */
/* name of the descriptions in an archive with one result, of which it is the first member */
#define PS_ASV_DESCRIPTIONS "asv-benchmarks.json"

/* Whether a JSON document with these first bytes is a result. */
bool ps_asv_is_result(struct ps_str head);
/* Whether a file with these first bytes and the name PS_ASV_BENCHMARKS describes benchmarks. */
bool ps_asv_is_benchmarks(struct ps_str head);

/* Reads the file PS_ASV_BENCHMARKS without consuming it; NULL: it is damaged. The caller releases
 * the tree with cJSON_Delete(). */
cJSON *ps_asv_read_benchmarks(struct ps_stream *in);

/* Writes an archive of the result `in` and of what benchmarks.json says beyond it: units of tracked
 * values, and names of parameters. Versions of benchmarks are left out, so that the archive remains
 * the same when the code of a benchmark changes. `name`: name of the result; fd: an empty file. */
enum ps_status ps_asv_pack(struct ps_stream *in, const char *name, const cJSON *benchmarks, int fd,
                           struct ps_err *err);

#endif
