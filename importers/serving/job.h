/* SPDX-License-Identifier: MIT */
/*
 * job.h: the files of one serving job: results of clients, logs of engines, and at most one trace,
 * packed into a tar file below a folder that says whether there is a trace.
 */
#ifndef PS_IMPORTERS_SERVING_JOB_H
#define PS_IMPORTERS_SERVING_JOB_H

#include "importers/importer.h"

#define PS_SERVING_FOLDER       "serving-run/"
#define PS_SERVING_TRACE_FOLDER "serving-trace-run/"

/* The name of a file in such an archive without the folder. */
struct ps_str ps_serving_member_name(struct ps_str path);

/* Whether files that this importer reads may be part of a serving job. *role: enum
 * ps_serving_role.
 * *is_view: the tool writes several files of the same result, of which this is one. */
bool ps_serving_is_part(const struct ps_importer *importer, int *role, bool *is_view);

#endif
