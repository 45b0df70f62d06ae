/* SPDX-License-Identifier: MIT */
/*
 * importer.h: what a format is to the rest of the house.
 *
 * One format is one file that ends in a `const struct ps_importer`; registry.c lists them. Content
 * decides: sniff sees the first bytes, decompressed and in UTF-8 where the input was UTF-16, and
 * the name of the file only as a hint between equals.
 */
#ifndef PS_IMPORTERS_IMPORTER_H
#define PS_IMPORTERS_IMPORTER_H

#include "base/stream.h"
#include "importers/sink.h"

enum ps_match { PS_MATCH_NO = 0, PS_MATCH_LIKELY, PS_MATCH_SURE };

struct ps_importer {
    const char
        *kind; /* design's word: "importtime", "pstats", ...; static, stable, in the database */
    const char *label;                          /* for people: "Import-time log" */
    const char *what;                           /* what makes such files, one line */
    const char *record;                         /* the command that records one */
    enum ps_match (*sniff)(struct ps_str head); /* must not allocate, must not trust */
    /* Reads all of `in` into `out`. On PS_OK ledger and headline were given. `in` is positioned at
     * 0. */
    enum ps_status (*load)(struct ps_stream *in, struct ps_sink *out, struct ps_err *err);
};

/* The formats, each defined at the end of its file. */
extern const struct ps_importer ps_pstats, ps_importtime, ps_lprof, ps_line_text, ps_memory_text,
    ps_mprof, ps_pstats_text, ps_sampling_jsonl, ps_scalene, ps_torch_trace, ps_trace_generic,
    ps_trace_job;
extern const struct ps_importer ps_nsys;
extern const struct ps_importer ps_key_averages, ps_lightning, ps_memory_timeline;
extern const struct ps_importer ps_hyperfine, ps_hyperfine_text, ps_pytest_benchmark,
    ps_pytest_benchmark_text, ps_time, ps_timeit, ps_top;
extern const struct ps_importer ps_folded, ps_speedscope, ps_flamegraph_svg, ps_gecko;

/* All importers, cheap and sure ones first. Returns the list and its length. */
const struct ps_importer *const *ps_importers(size_t *count);

/* Finds the importer of what `in` holds (peeks, consumes nothing). PS_UNKNOWN_KIND names the file
 * when it is a known foreign kind and says which export would work; for text whose rows may start
 * late (a log behind other output) as much as 1 MiB is searched. */
enum ps_status ps_importer_pick(struct ps_stream *in, const struct ps_importer **out,
                                struct ps_err *err);

/* A raw file to a profile: unpacks, converts, picks, loads. *picked tells the kind even when load
 * fails. Owns `raw`. */
enum ps_status ps_import_stream(struct ps_stream *raw, struct ps_sink *out,
                                const struct ps_importer **picked, struct ps_err *err);

#endif
