/* SPDX-License-Identifier: MIT */
/*
 * importer.h: the interface between a file format and the rest of perfshelf.
 *
 * Each format is one .c file that ends in a `const struct ps_importer`; registry.c lists them. The
 * format is detected by content: `sniff` gets the first bytes, decompressed and converted from
 * UTF-16 to UTF-8. The file name is not used.
 */
#ifndef PS_IMPORTERS_IMPORTER_H
#define PS_IMPORTERS_IMPORTER_H

#include "base/stream.h"
#include "importers/sink.h"

enum ps_match { PS_MATCH_NO = 0, PS_MATCH_LIKELY, PS_MATCH_SURE };

struct ps_importer {
    /* identifier: "importtime", "pstats", ...; static; stored in the database, so never change
     * it */
    const char *kind;
    const char *label;       /* shown to users: "Import-time log" */
    const char *description; /* one line: the tools that write this format */
    const char *record;      /* the command that records such a file */
    /* `head`: first bytes of untrusted input. Must not allocate. */
    enum ps_match (*sniff)(struct ps_str head);
    /* Reads all of `in`, which is positioned at 0, into `out`. On PS_OK the ledger and the headline
     * were written. */
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

/* All importers, in the order in which they are tried. Returns the list; sets *count to its
 * length. */
const struct ps_importer *const *ps_importers(size_t *count);

/* Finds the importer for the content of `in`; peeks, consumes nothing. A log is searched up to 1
 * MiB, because its first row may follow other output. PS_UNKNOWN_KIND: if the format is known but
 * unsupported, err names it and the hint names an export that can be read. */
enum ps_status ps_importer_pick(struct ps_stream *in, const struct ps_importer **out,
                                struct ps_err *err);

/* Imports a raw file: decompresses it, converts it to UTF-8, picks the importer and runs it.
 * *picked is set even when the import fails later. Takes ownership of `raw`. */
enum ps_status ps_import_stream(struct ps_stream *raw, struct ps_sink *out,
                                const struct ps_importer **picked, struct ps_err *err);

#endif
