/* SPDX-License-Identifier: MIT */
/* samples.h: the sample profiles that are part of the program (demo/samples.tsv, demo/embed.py),
 * and their runs on a shelf, which have the tag ps_sample_tag. */
#ifndef PS_JOBS_SAMPLES_H
#define PS_JOBS_SAMPLES_H

#include "server/jobs/jobs.h"

struct ps_sample {
    const char *file, *name, *series; /* series "": none */
    const char *shows;                /* what is to be seen in the run */
    const char *kind, *unit, *label;  /* kind of the run; unit and label of its headline */
    const char *sha256;
    double value; /* headline of the run */
    const struct ps_tag *tags;
    size_t n_tags;
    const unsigned char *data, *data_end;
    uint64_t bytes;     /* size of the file */
    bool is_compressed; /* `data` is the file in gzip */
};
extern const struct ps_sample ps_samples[];
extern const size_t ps_samples_count;
extern const char *const ps_sample_tag;

/* The run of a sample on a shelf. */
struct ps_sample_run {
    char id[PS_ID_SIZE]; /* "": the shelf has no run of these bytes */
    bool is_tagged;      /* it was added as a sample, and nobody has removed the tag */
};
enum ps_status ps_sample_find_run(struct ps_store *store, const struct ps_sample *sample,
                                  struct ps_sample_run *out, struct ps_err *err);

/* Writes the samples that the shelf lacks to its spool, and fills a request for each. `out` has
 * space for ps_samples_count requests. The caller adds all of them as jobs, which own the files.
 * After a failure there are no requests. */
enum ps_status ps_samples_make_requests(struct ps_store *store, const char *user_name,
                                        struct ps_job_request *out, size_t *n_out,
                                        struct ps_err *err);

#endif
