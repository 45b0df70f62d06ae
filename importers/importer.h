/* SPDX-License-Identifier: MIT */
/*
 * importer.h: the interface between a file format and the rest of perfshelf.
 *
 * Each format is one .c file that ends in a `const struct ps_importer`; PS_FORMATS lists them. The
 * format is detected by content: `sniff` gets the first bytes, decompressed and converted from
 * UTF-16 to UTF-8. The file name is not used.
 */
#ifndef PS_IMPORTERS_IMPORTER_H
#define PS_IMPORTERS_IMPORTER_H

#include "base/stream.h"
#include "importers/sink.h"

enum ps_match { PS_MATCH_NO = 0, PS_MATCH_LIKELY, PS_MATCH_SURE };

struct ps_importer {
    /* identifier, static: "importtime", "pstats", ...; the database stores it, so never change
     * it */
    const char *kind;
    const char *label;          /* shown to users: "Import-time log" */
    const char *description;    /* one line, for users: the tools that write this format */
    const char *record_command; /* the command that records such a file */
    bool may_share_log;         /* printed text: a log may also contain other formats */
    /* `head`: first bytes of untrusted input. Must not allocate. */
    enum ps_match (*sniff)(struct ps_str head);
    /* Reads all of `in`, which is positioned at 0, into `out`. On PS_OK the ledger and the headline
     * were written. */
    enum ps_status (*load)(struct ps_stream *in, struct ps_sink *out, struct ps_err *err);
};

/* The formats, in the order in which they are tried. Each name stands for the importer ps_<name>,
 * which is defined at the end of its file, and for the fuzz target fuzz_<name>. */
#define PS_FORMATS(FORMAT)                                                                         \
    FORMAT(pstats) /* recognised by its first bytes */                                             \
    FORMAT(lprof)  /* recognised by its first bytes */                                             \
    FORMAT(torch_memory)                                                                           \
    FORMAT(nsys)                                                                                   \
    FORMAT(pprof)                                                                                  \
    FORMAT(xplane)                                                                                 \
    FORMAT(torch_perfetto)                                                                         \
    FORMAT(perfetto_samples) /* before perfetto, which reads any trace */                          \
    FORMAT(perfetto)                                                                               \
    FORMAT(importtime)                                                                             \
    FORMAT(line_text)                                                                              \
    FORMAT(memory_text)                                                                            \
    FORMAT(mprof)                                                                                  \
    FORMAT(lightning) /* before the formats of the tables that it contains */                      \
    FORMAT(pstats_text)                                                                            \
    FORMAT(key_averages)                                                                           \
    FORMAT(sampling_jsonl)                                                                         \
    FORMAT(scalene)                                                                                \
    FORMAT(torch_trace)                                                                            \
    FORMAT(xla_json) /* before trace_generic, which reads any trace */                             \
    FORMAT(trace_generic)                                                                          \
    FORMAT(asv)               /* before trace_job, which reads archives */                         \
    FORMAT(criterion)         /* before trace_job, which reads archives */                         \
    FORMAT(serving_trace_job) /* before trace_job, which reads archives */                         \
    FORMAT(serving_job)       /* before trace_job, which reads archives */                         \
    FORMAT(xla_job)           /* before trace_job, which reads archives */                         \
    FORMAT(engine_events)                                                                          \
    FORMAT(engine_log)                                                                             \
    FORMAT(trace_job)                                                                              \
    FORMAT(memory_timeline)                                                                        \
    FORMAT(hyperfine)                                                                              \
    FORMAT(hyperfine_text)                                                                         \
    FORMAT(pytest_benchmark)                                                                       \
    FORMAT(pyperf)                                                                                 \
    FORMAT(pytest_benchmark_text)                                                                  \
    FORMAT(pytest_report)                                                                          \
    FORMAT(junit)                                                                                  \
    FORMAT(codspeed)                                                                               \
    FORMAT(vitest)                                                                                 \
    FORMAT(tinybench)                                                                              \
    FORMAT(mitata)                                                                                 \
    FORMAT(locust)                                                                                 \
    FORMAT(google_benchmark)                                                                       \
    FORMAT(jmh)                                                                                    \
    FORMAT(sglang)                                                                                 \
    FORMAT(guidellm_csv)                                                                           \
    FORMAT(guidellm)                                                                               \
    FORMAT(aiperf_records)                                                                         \
    FORMAT(aiperf)                                                                                 \
    FORMAT(aiperf_csv)                                                                             \
    FORMAT(serving_text)                                                                           \
    FORMAT(vllm_offline)                                                                           \
    FORMAT(vllm)                                                                                   \
    FORMAT(llama_bench)                                                                            \
    FORMAT(divan)                                                                                  \
    FORMAT(torch_benchmark)                                                                        \
    FORMAT(triton)                                                                                 \
    FORMAT(go_bench)                                                                               \
    FORMAT(time)                                                                                   \
    FORMAT(timeit)                                                                                 \
    FORMAT(top)                                                                                    \
    FORMAT(test_durations)                                                                         \
    FORMAT(speedscope)                                                                             \
    FORMAT(pyinstrument)                                                                           \
    FORMAT(flamegraph_svg)                                                                         \
    FORMAT(gecko)                                                                                  \
    FORMAT(folded) /* last: lines of many texts end in numbers */

#define PS_FORMAT_DECLARE(name) extern const struct ps_importer ps_##name;
PS_FORMATS(PS_FORMAT_DECLARE)

/* All importers, in the order of PS_FORMATS. Returns the list; sets *count to its length. */
const struct ps_importer *const *ps_importers(size_t *count);

/* Finds the importer for the content of `in`; peeks, consumes nothing. A log is searched up to 32
 * MiB, because other output may precede its first row. PS_UNKNOWN_KIND: if the format is known but
 * unsupported, err names the format, and the hint a supported export. */
enum ps_status ps_importer_pick(struct ps_stream *in, const struct ps_importer **out,
                                struct ps_err *err);

/* Imports a raw file: decompresses it, converts it to UTF-8, picks the importer and runs it.
 * *picked is set even when the import fails later. Takes ownership of `raw`. */
enum ps_status ps_import_stream(struct ps_stream *raw, struct ps_sink *out,
                                const struct ps_importer **picked, struct ps_err *err);

/* Whether a file of this name is a cache of xprof, which writes such files beside a recording of
 * XLA when it reads the recording. Their contents have no mark. Describes the file in *err then. */
bool ps_is_xprof_cache(struct ps_str name, struct ps_err *err);

#endif
