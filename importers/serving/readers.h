/* SPDX-License-Identifier: MIT */
/* readers.h: the readers of the files of a serving job, by the importer that recognises the file. A
 * file alone is imported by its importer; job.c reads several of them into one run. */
#ifndef PS_IMPORTERS_SERVING_READERS_H
#define PS_IMPORTERS_SERVING_READERS_H

#include "importers/importer.h"
#include "importers/serving/serving.h"

struct sv_reader {
    const struct ps_importer *importer;
    sv_read_file *read;
    enum ps_serving_role role;
    bool is_view; /* the tool writes several files of the same result, of which this is one */
};

/* NULL: the importer is none of those. */
const struct sv_reader *sv_reader_of(const struct ps_importer *importer);

sv_read_file sv_read_engine_events, sv_read_engine_log;
/* Summary and requests of AIPerf in one folder are one result, whichever is read first. */
sv_read_file sv_read_aiperf, sv_read_aiperf_csv, sv_read_aiperf_records;
sv_read_file sv_read_guidellm, sv_read_guidellm_csv, sv_read_printed, sv_read_sglang, sv_read_vllm;
sv_read_file sv_read_vllm_offline;

#endif
