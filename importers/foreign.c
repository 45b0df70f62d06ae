/* SPDX-License-Identifier: MIT */
/*
 * foreign.c: recognises profiles and reports of other tools that perfshelf does not read. Each hint
 * names the command that converts such a file, or that records a supported profile instead.
 */
#include "importers/foreign.h"
#include "base/str.h"
#include "importers/importer.h"

static bool ends_with(struct ps_str text, const char *end)
{
    const struct ps_str tail = ps_str_from_c(end);

    return text.len > tail.len && ps_str_eq(ps_str_skip(text, text.len - tail.len), tail);
}

/* --- Formats --- */

/* A format detected by bytes at a fixed offset. */
struct magic {
    size_t offset;
    struct ps_str bytes;
    const char *description, *hint;
};

/* A format detected by words: all of them must occur in the file, in any order; "" always
 * matches. */
struct kind {
    const char *words[3];
    /* description: "an SVG picture"; hint: the command that produces a supported format */
    const char *description, *hint;
};

/* The entries of a list are tried in order; the description of the last entry is NULL. */

static const char record_hint[] =
    "record one with `python -m cProfile -o out.prof app.py`; `perfshelf formats` lists other ways";

#define RECORD     record_hint
#define INSIDE     "unpack it and add the profile inside"
#define UNPACK     "unpack them first; only gzip and zstd are read directly"
#define PICTURE    "add the profile that the picture shows"
#define SPEEDSCOPE "open it at https://www.speedscope.app and add the file that its Export saves"
#define MEMRAY                                                                                     \
    "export the recording with `memray transform speedscope memray-app.py.bin` and add the file "  \
    "that this writes"
#define PYINSTRUMENT "record with `pyinstrument -r json -o profile.json app.py`"
#define VIZTRACER    "record with `viztracer -o trace.json app.py` and add trace.json"
#define SCALENE      "record with `scalene run --json --outfile app.json app.py`"
#define TACHYON      "record with `python -m profiling.sampling run --gecko -o profile.json app.py`"
#define REPLAY       "convert it with `python -m profiling.sampling replay --gecko -o profile.json FILE`"
#define NVPROF                                                                                     \
    "record with its successor: `nsys profile -o report app` and `nsys export --type sqlite "      \
    "report.nsys-rep`"
#define NSYS "export the report itself with `nsys export --type sqlite report.nsys-rep`"
#define NCU                                                                                        \
    "kernel counters are not supported; record a timeline with `nsys profile -o report "           \
    "app` and `nsys export --type sqlite report.nsys-rep`"
#define GPERFTOOLS                                                                                 \
    "fold its stacks with `google-pprof --collapsed PROGRAM FILE > stacks.txt` and add stacks.txt"
#define CALLGRIND                                                                                  \
    "add what the profiler itself can save: a cProfile dump, `python -m cProfile -o out.prof "     \
    "app.py`, which pyprof2calltree reads, or yappi's `save(\"out.prof\", type=\"pstat\")`"
#define FOLD_PERF "fold it with `stackcollapse-perf.pl FILE > stacks.txt` and add stacks.txt"
#define ROCPROF                                                                                    \
    "record with torch.profiler and `p.export_chrome_trace(\"trace.json\")`, or with `rocprofv3 "  \
    "--output-format pftrace` and add the .pftrace file that it writes"
#define PYTEST    "measure with `pytest --benchmark-json result.json`"
#define HYPERFINE "measure with `hyperfine --export-json result.json 'app'`"
#define CRITERION "add the folder target/criterion, or an archive of it"
#define TLPARSE                                                                                    \
    "read it with `tlparse FILE`; record times with torch.profiler and "                           \
    "`p.export_chrome_trace(\"trace.json\")`"
#define TIME "measure again with `/usr/bin/time -v -o time.txt app`"
#define TOP  "record with `top -b -d 1 -n 60 > top.txt`"
#define FUNCTIONS                                                                                  \
    "add the dump itself, which also has callers, or print all functions with "                    \
    "`pstats.Stats(\"out.prof\").print_stats()`"
#define TABLE                                                                                      \
    "print the whole table: `p.key_averages().table(row_limit=-1)`, with the titles of its "       \
    "columns"
#define NOTEBOOK "save the profile in it with `%prun -D out.prof` and add that"
#define YAPPI                                                                                      \
    "save it as a dump with `yappi.get_func_stats().save(\"out.prof\", type=\"pstat\")` and add "  \
    "that"

#define TORCH_BENCHMARK                                                                            \
    "a pickle of torch.utils.benchmark",                                                           \
        "print the measurements in it, or `Compare(results).print()`, into a text file and add that"
#define ASCEND "add the timeline of the same recording: trace_view.json or msprof_*.json"

static const struct magic magics[] = {
    {0, PS_STR("\x1f\x8b"), "gzip data inside compressed data",
     "decompress the file once and add the result"},
    {0, PS_STR("\x28\xb5\x2f\xfd"), "zstd data inside compressed data",
     "decompress the file once and add the result"},
    {0, PS_STR("BZh"), "a bzip2 file",
     "decompress it with `bunzip2` first; only gzip and zstd are read directly"},
    {0, PS_STR("\xfd\x37zXZ"), "an xz file",
     "decompress it with `unxz` first; only gzip and zstd are read directly"},
    {0, PS_STR("PK\x03\x04"), "a zip archive", INSIDE},
    {0, PS_STR("PK\x05\x06"), "an empty zip archive", INSIDE},
    {0, PS_STR("7z\xbc\xaf\x27\x1c"), "a 7-Zip archive", INSIDE},
    {257, PS_STR("ustar"), "a tar archive", INSIDE},
    {0, PS_STR("\x78\x01"), "zlib data", UNPACK},
    {0, PS_STR("\x78\x9c"), "zlib data", UNPACK},
    {0, PS_STR("\x78\xda"), "zlib data", UNPACK},
    {0,
     PS_STR("\x7f"
            "ELF"),
     "a program or library (ELF)", RECORD},
    {0, PS_STR("MZ\x90"), "a Windows program", RECORD},
    {0, PS_STR("\xcf\xfa\xed\xfe"), "a macOS program", RECORD},
    {0, PS_STR("\xca\xfe\xba\xbe"), "a macOS program or a Java class", RECORD},
    {2, PS_STR("\r\n\0\0"), "compiled Python code (.pyc)", RECORD},
    {2, PS_STR("\r\n\x01\0"), "compiled Python code (.pyc)", RECORD},
    {0, PS_STR("\x03\xf3\r\n"), "compiled Python 2 code (.pyc)", RECORD},
    {0, PS_STR("\x89PNG"), "a PNG picture", PICTURE},
    {0, PS_STR("\xff\xd8\xff"), "a JPEG picture", PICTURE},
    {0, PS_STR("GIF8"), "a GIF picture", PICTURE},
    {0, PS_STR("%PDF"), "a PDF document", "add the profile that the document shows"},
    {0, PS_STR("PERFILE2"), "a perf.data file of Linux perf",
     "fold its stacks with `perf script -i perf.data | stackcollapse-perf.pl > stacks.txt` and add "
     "stacks.txt"},
    {0, PS_STR("memray"), "a recording of memray", MEMRAY},
    /* this entry and the next three match an LZ4-compressed recording */
    {15, PS_STR("memray"), "a recording of memray", MEMRAY},
    {14, PS_STR("memray"), "a recording of memray", MEMRAY},
    {12, PS_STR("memray"), "a recording of memray", MEMRAY},
    {13, PS_STR("memray"), "a recording of memray", MEMRAY},
    {0, PS_STR("\x04\x22\x4d\x18"), "an LZ4 file",
     "decompress it with `lz4 -d` first; only gzip and zstd are read directly"},
    {0, PS_STR("\0\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"), "a CPU profile of gperftools",
     GPERFTOOLS},
    {0, PS_STR("HCAT"), "a binary profile of Python's sampling profiler", REPLAY},
    {0, PS_STR("TACH"), "a binary profile of Python's sampling profiler", REPLAY},
    {0, PS_STR("MOJ"), "a binary recording of austin (MOJO)",
     "convert it with `mojo2austin FILE stacks.austin` (from `pip install austin-python`)"},
    {0, PS_STR("FLR\0"), "a recording of Java's Flight Recorder",
     "fold its stacks with `jfrconv -o collapsed recording.jfr stacks.txt` (part of "
     "async-profiler)"},
    {0, PS_STR("NVR\0"), "a report of Nsight Compute", NCU},
    /* .nsys-rep and .qdrep files still begin with the name of Nsight Systems' predecessor. */
    {0, PS_STR("NVIDIA Tegra Profiler Report"), "a report of Nsight Systems", NSYS},
    {0, PS_STR("tr\xfdP"), "a trace of Tracy",
     "perfshelf reads none of its exports; record with `viztracer -o trace.json app.py`"},
    {0, PS_STR("tlZ\x04"), "a trace of Tracy",
     "perfshelf reads none of its exports; record with `viztracer -o trace.json app.py`"},
    {0, PS_STR("tZst"), "a trace of Tracy",
     "perfshelf reads none of its exports; record with `viztracer -o trace.json app.py`"},
    {23, PS_STR("brain.Event:"), "a TensorBoard event file, which contains no profile",
     "add the *.pt.trace.json file in the same folder; "
     "`torch.profiler.tensorboard_trace_handler(\"log\")` writes one"},
    {0, PS_STR("\x89HDF"), "an HDF5 file",
     "if Nsight Systems wrote it, run `nsys export --type sqlite report.nsys-rep` and add the "
     "result"},
    {0, PS_STR("PAR1"), "a Parquet file",
     "if Nsight Systems wrote it, run `nsys export --type sqlite report.nsys-rep` and add the "
     "result"},
    {0, PS_STR("ARROW1"), "an Arrow file",
     "if Nsight Systems wrote it, run `nsys export --type sqlite report.nsys-rep` and add the "
     "result"},
    {0},
};

static const struct kind viztracer_file = {
    {""},
    "a compressed trace of viztracer",
    "decompress it with `viztracer --decompress FILE -o trace.json` and add trace.json"};
static const struct kind otlp = {
    {""},
    "a profile of OpenTelemetry (OTLP)",
    "record the program itself with `py-spy record --format speedscope -o profile.json --pid PID`"};
static const struct kind pyroscope = {
    {""},
    "a push to Pyroscope",
    "export the profile from Pyroscope as collapsed stacks, or record the program with `py-spy "
    "record --format speedscope -o profile.json --pid PID`"};
static const struct kind svg_picture = {
    {""}, "an SVG picture", "add the profile that the picture shows"};

/* What the outputs of a notebook hold says how the same measurement becomes a file. */
static const struct kind notebooks[] = {
    {{"\"cell_type\"", "\"cells\"", "Self CPU %"},
     "a Jupyter notebook with a table of torch.profiler",
     "write the trace in it with `p.export_chrome_trace(\"trace.json\")` and add that, or add the "
     "printed table as a text file"},
    {{"\"cell_type\"", "\"cells\"", "% Time  Line Contents"},
     "a Jupyter notebook with a table of line_profiler",
     "save the profile in it with `%lprun -D out.lprof` and add that"},
    {{"\"cell_type\"", "\"cells\"", "Increment  Occurrences"},
     "a Jupyter notebook with a table of memory_profiler",
     "write the table in it with `%mprun -T out.txt` and add that"},
    {{"\"cell_type\"", "\"cells\""}, "a Jupyter notebook", NOTEBOOK},
    {{0}, 0, 0},
};

static const struct kind databases[] = {
    {{"CUPTI_ACTIVITY_KIND_"}, "a profile of nvprof (SQLite)", NVPROF},
    {{"CREATE TABLE coverage_schema"}, "coverage.py data, which contain no times", RECORD},
    {{"TEST_METRICS", "EXECUTION_CONTEXTS"},
     "a database of pytest-monitor",
     "measure with `pytest --benchmark-json result.json`"},
    {{"CANN_API"}, "a database of Ascend's profiler", ASCEND},
    {{"COMPUTE_TASK_INFO"}, "a database of Ascend's profiler", ASCEND},
    {{"PYTORCH_API", "STRING_IDS"}, "a database of Ascend's profiler", ASCEND},
    {{"rocpd_"}, "a profile of rocprofv3 (rocpd, SQLite)", ROCPROF},
    {{""}, "an SQLite database, but not a profile", RECORD},
    {{0}, 0, 0},
};

static const struct kind known_pickles[] = {
    {{"torch.utils.benchmark", "Measurement"}, TORCH_BENCHMARK},
    {{"yappi", "YFuncStats"},
     "statistics of yappi (ystat)",
     "load them with `stats = yappi.YFuncStats(); stats.add(\"FILE\")`, then add the dump that "
     "`stats.save(\"out.prof\", type=\"pstat\")` writes"},
    {{"tracemalloc", "Snapshot"},
     "a snapshot of tracemalloc (pickle)",
     "measure memory by line with `python -m memory_profiler app.py`, over time with `mprof run "
     "app.py`"},
    {{0}, 0, 0},
};

static const struct kind pickles[] = {
    {{""}, "a Python pickle; perfshelf never loads pickles, because they can run code", RECORD},
    {{0}, 0, 0},
};

static const struct kind web_pages[] = {
    {{"memray"}, "an HTML report of memray", MEMRAY},
    {{"viztracer"}, "an HTML report of viztracer", VIZTRACER},
    {{"VizTracer"}, "an HTML report of viztracer", VIZTRACER},
    {{"scalene"}, "an HTML report of Scalene", SCALENE},
    {{"Scalene"}, "an HTML report of Scalene", SCALENE},
    {{"pyinstrument"}, "an HTML report of pyinstrument", PYINSTRUMENT},
    {{"achyon"}, "an HTML report of Python's sampling profiler", TACHYON},
    {{"Heatmap", "samples"}, "an HTML report of Python's sampling profiler", TACHYON},
    {{"memory_viz"},
     "an HTML page that shows PyTorch's GPU memory",
     "add the snapshot from which it was made, the pickle of "
     "torch.cuda.memory._dump_snapshot()"},
    {{"<?xml"}, "an XML document", "add the profile itself"},
    {{"<html"}, "an HTML page", "add the profile itself, not a page that shows it"},
    {{"<!doctype html"}, "an HTML page", "add the profile itself, not a page that shows it"},
    {{"<!DOCTYPE html"}, "an HTML page", "add the profile itself, not a page that shows it"},
    {{"<HTML"}, "an HTML page", "add the profile itself, not a page that shows it"},
    {{0}, 0, 0},
};

static const struct kind documents[] = {
    {{"\"point_estimate\"", "\"standard_error\""},
     "one of the files of Criterion.rs for a benchmark",
     CRITERION},
    {{"\"group_id\"", "\"full_id\""},
     "one of the files of Criterion.rs for a benchmark",
     CRITERION},
    {{"\"sampling_mode\"", "\"iters\""},
     "one of the files of Criterion.rs for a benchmark",
     CRITERION},
    {{"\"callStats\"", "\"objectName\""}, "a report of vprof", record_hint},
    {{"\"thread_metadata\"", "\"stacks\"", "\"samples\""},
     "a profile of Sentry",
     "record with `py-spy record --format speedscope -o profile.json -- python app.py`"},
    {{"\"nodes\"", "\"startTime\""}, "a CPU profile of V8 (.cpuprofile)", SPEEDSCOPE},
    {{"\"nodes\"", "\"callFrame\""}, "a CPU profile of V8 (.cpuprofile)", SPEEDSCOPE},
    {{"\"snapshot\"", "\"node_fields\""}, "a heap snapshot of V8", RECORD},
    {{"\"schema\"", "\"nodes\""},
     "a PyTorch execution trace, which contains no times",
     "record with torch.profiler and `p.export_chrome_trace(\"trace.json\")`"},
    {{"\"label\"", "\"markers\"", "\"ticks\""},
     "a recording of Firefox's old developer tools",
     SPEEDSCOPE},
    {{"\"meta\"", "\"threads\"", "\"libs\""},
     "a raw profile of Firefox",
     "open it at https://profiler.firefox.com, download it there again and add that file"},
    {{"rocprofiler-sdk"}, "a result of rocprofv3 (JSON)", ROCPROF},
    {{"\"resourceProfiles\""},
     "a profile of OpenTelemetry (OTLP)",
     "record the program itself with `py-spy record --format speedscope -o profile.json --pid "
     "PID`"},
    {{"\"alloc_samples\""},
     "a truncated Scalene profile",
     "copy it again, or record it again: `scalene run --json --outfile app.json app.py`"},
    {{"\"children\"", "\"frame\"", "\"metrics\""},
     "a profile of Triton's Proton (hatchet)",
     "record with torch.profiler and `p.export_chrome_trace(\"trace.json\")`"},
    {{"\"owns_gil\"", "\"frames\""},
     "the output of `py-spy dump --json`: one snapshot without times",
     "record with `py-spy record --format speedscope -o profile.json --pid PID`"},
    {{"\"param_names\"", "\"code\""}, "the benchmark list of asv, without results", PYTEST},
    {{"\"num_cpu\"", "\"machine\""}, "the machine file of asv, without results", PYTEST},
    {{"\"callchain\"", "\"costs\""}, "an export of memray for gprof2dot", MEMRAY},
    {{"\"total_num_allocations\"", "\"allocation_size_histogram\""},
     "the output of `memray stats --json`",
     MEMRAY},
    {{"\"nbformat\""}, "a Jupyter notebook", NOTEBOOK},
    {{""}, "a JSON document, but not a supported profile", RECORD},
    {{0}, 0, 0},
};

/* Text formats, the most specific patterns first. */
static const struct kind reports[] = {
    {{"DeepSpeed Flops Profiler"},
     "the printed report of DeepSpeed's flops profiler",
     "record with torch.profiler, record_shapes=True, and `p.export_chrome_trace(\"trace.json\")`: "
     "the trace has FLOPs and times"},
    {{"OP Type", "Task Duration(us)"}, "a table of Ascend's profiler (CSV)", ASCEND},
    {{"OP Type", "Core Type", "Total Time(us)"}, "a table of Ascend's profiler (CSV)", ASCEND},
    {{"Accelerator Core", "Duration(us)"}, "a table of Ascend's profiler (CSV)", ASCEND},
    {{"\nevents: ", "\nfn="}, "a callgrind profile", CALLGRIND},
    {{"\nevents: ", "\nfl="}, "a callgrind profile", CALLGRIND}, /* yappi lists all files first */
    {{"torch/_logging/structured.py"}, "a log of torch.compile (TORCH_TRACE)", TLPARSE},
    {{"] {\"", "\"has_payload\": \""}, "a log of torch.compile (TORCH_TRACE)", TLPARSE},
    {{"] {\"", "\"frame_compile_id\": "}, "a log of torch.compile (TORCH_TRACE)", TLPARSE},
    {{"nodedef> name", "calls INTEGER"}, "a graph of pycallgraph2 (GDF)", record_hint},
    {{"Line #|", "Time per hit|"},
     "the printed report of pprofile",
     "measure lines with `kernprof -l app.py` (line_profiler), or all functions with `python -m "
     "cProfile -o out.prof app.py`"},
    {{"Function ", "was called by..."}, "a table of callers that pstats printed", FUNCTIONS},
    {{"Function ", " called...", " ->"}, "a table of callees that pstats printed", FUNCTIONS},
    {{" cycles", ":", "\n\t "}, "the output of `perf script`", FOLD_PERF},
    {{" cycles:", "\n        "}, "the output of `perf script`", FOLD_PERF},
    {{" cpu-clock:", "\n\t "}, "the output of `perf script`", FOLD_PERF},
    {{" task-clock:", "\n\t "}, "the output of `perf script`", FOLD_PERF},
    {{"heap profile: ", "@ "}, "a heap profile of gperftools", GPERFTOOLS},
    {{"_     ._   __/__", "Samples:"}, "the printed report of pyinstrument", PYINSTRUMENT},
    {{"Timestamp,User Count,Type,Name,Requests/s"},
     "the history of a run of Locust (CSV)",
     "add its table, the file that ends in _stats.csv"},
    {{"Method,Name,Error,Occurrences"},
     "the list of failures of a run of Locust (CSV)",
     "add its table, the file that ends in _stats.csv"},
    {{"Benchmark ", "CPU   Iterations"},
     "the printed table of Google Benchmark",
     "write its result with `./bench --benchmark_out=result.json` and add that"},
    {{"name,iterations,real_time,cpu_time,time_unit,"},
     "a table of Google Benchmark (CSV)",
     "write its result with `./bench --benchmark_out=result.json` and add that"},
    {{"time:   [", "Benchmarking "}, "the output of Criterion.rs", CRITERION},
    {{"\"Kernel_Name\"", "\"Agent_Id\""}, "a table of rocprofv3 (CSV)", ROCPROF},
    {{"\"Kind\",\"", "\"Start_Timestamp\""}, "a table of rocprofv3 (CSV)", ROCPROF},
    {{"\"Domain\",\"", "\"Start_Timestamp\""}, "a table of rocprofv3 (CSV)", ROCPROF},
    {{"\"TotalDurationNs\""}, "a table of rocprof (CSV)", ROCPROF},
    {{"allocator,num_allocations,size"}, "a table of memray (CSV)", MEMRAY},
    {{" Location ", "<Total Memory>"}, "the printed summary of memray", MEMRAY},
    {{"Content-Disposition: form-data; name=\"profile\""},
     "an upload to Pyroscope (multipart)",
     "add the profile inside it as a file of its own"},
    {{" nsamples ", "persample", "filename:lineno(function)"},
     "the printed table of a dump of Python's sampling profiler",
     "add the dump itself, the file that --pstats wrote"},
    {{"Stack dump for PID ", "most recent call last"},
     "the output of `profiling.sampling dump`: one snapshot without times",
     "record with `python -m profiling.sampling attach --gecko -o profile.json PID`"},
    {{"Process ", "\xf0\x9f\xa7\xb5 Thread "},
     "the output of `austin --where`: one snapshot without times",
     "record with `austin -o app.mojo -p PID`, and convert it with `mojo2austin app.mojo "
     "stacks.austin` (from `pip install austin-python`)"},
    {{"nsamples", "sample%", "filename:lineno(function)"},
     "the printed table of Python's sampling profiler, which has no stacks",
     TACHYON},
    {{": % of time = ", "out of "}, "the printed report of Scalene", SCALENE},
    {{"Scalene: Program did not run for long enough"},
     "Scalene's message that the program was too short to be sampled",
     "profile a longer run: `scalene run --json --outfile app.json app.py`"},
    {{"Scalene: ", "rofil"}, "a log of Scalene without a profile", SCALENE},
    {{"\nPython v", "Thread ", "Process "},
     "the output of `py-spy dump`: one snapshot without times",
     "record with `py-spy record --format speedscope -o profile.json --pid PID`"},
    {{"Clock type: ", "Ordered by: ", "tavg"}, "the printed table of yappi", YAPPI},
    {{"name", "ncall", "tsub"}, "the printed table of yappi", YAPPI},
    {{"CUDA Kernel Statistics"}, "the printed statistics of Nsight Systems", NSYS},
    {{"CUDA GPU Kernel Summary"}, "the printed statistics of Nsight Systems", NSYS},
    {{"Time (%)", "Total Time (ns)"}, "the printed statistics of Nsight Systems", NSYS},
    {{"Time(%)", "Total Time (ns)"}, "the printed statistics of Nsight Systems", NSYS},
    {{"nsys nvprof"}, "a log of Nsight Systems", NSYS},
    {{"Processing events...", ".nsys-rep"}, "a log of Nsight Systems", NSYS},
    {{"NVPROF is profiling"},
     "a log of nvprof",
     "record with `nsys profile -o report app` and `nsys export --type sqlite report.nsys-rep`"},
    {{"==PROF==", "\"Kernel Name\""}, "a table of Nsight Compute (CSV)", NCU},
    {{"\"ID\"", "\"Kernel Name\"", "\"Metric Name\""}, "a table of Nsight Compute (CSV)", NCU},
    {{"==PROF=="}, "a log of Nsight Compute", NCU},
    {{"Self CPU total", "CPU total", "Module"},
     "a tree of modules that torchprof printed",
     "record with torch.profiler, with_modules=True, and `p.export_chrome_trace(\"trace.json\")`"},
    {{"aten::", "%  ", "us  "}, "a table of torch.profiler whose header is missing", TABLE},
    {{"aten::", "%  ", "ms  "}, "a table of torch.profiler whose header is missing", TABLE},
    {{" Performance counter stats for "}, "the counters of `perf stat`", TIME},
    {{"# Overhead", "Shared Object"},
     "the printed report of perf",
     "fold the stacks with `perf script -i perf.data | stackcollapse-perf.pl > stacks.txt` and add "
     "stacks.txt"},
    {{"Flat profile:", "Each sample counts as"}, "the printed report of gprof", RECORD},
    {{"% time", "usecs/call", "syscall"}, "the summary of strace", TIME},
    {{"procs ", "-memory-", "-cpu-"}, "the output of vmstat", TOP},
    {{"avg-cpu:", "Device"}, "the output of iostat", TOP},
    {{"%CPU", "COMMAND", "PID"}, "the output of ps: one snapshot", TOP},
    {{"%CPU", "Command", "PID"}, "the output of pidstat", TOP},
    {{"| NVIDIA-SMI "}, "the output of nvidia-smi: one snapshot", NSYS},
    {{"[cols=\"", "| Command "},
     "a table of hyperfine (AsciiDoc)",
     "add its JSON export instead: `hyperfine --export-json result.json 'app'`"},
    {{"|--+--", "Mean ["},
     "a table of hyperfine (Org)",
     "add its JSON export instead: `hyperfine --export-json result.json 'app'`"},
    {{".dat\t", " MiB\n"},
     "the output of `mprof peak`",
     "add the recording that it names: `perfshelf add mprofile_*.dat`"},
    {{"name", "Traceback (most recent call last):", "timeit"},
     "a Python traceback: the statement failed before timeit measured it",
     "fix the statement and run `python -m timeit -v STATEMENT > timeit.txt` again"},
    {{"import time", "importtime"},
     "text about import times, without any row of an import-time log",
     "record a log with `python -X importtime app.py 2> import.log`"},
    {{"Traceback (most recent call last):"},
     "a Python traceback, not a profile: the program failed",
     "fix the program and record again; `perfshelf formats` lists how"},
    {{"usage: ", "error: "},
     "a usage message: the program was called with wrong arguments",
     "correct the command as the message says; `perfshelf formats` lists how to record profiles"},
    {{0}, 0, 0},
};

/* --- Recognition --- */

static bool refuse_file(struct ps_err *err, const char *what, const char *hint)
{
    ps_fail(err, PS_UNKNOWN_KIND, "this is %s" PS_HINT "%s", what, hint);
    return true;
}

static bool contains_words(struct ps_str head, const struct kind *kind)
{
    for (size_t i = 0; i < 3 && kind->words[i]; i++)
        if (!ps_str_find(head, ps_str_from_c(kind->words[i])))
            return false;
    return true;
}

/* Logs whose words stand in source code and in pages about it as well. */
static const struct kind logs[] = {
    {{"sort_by=", "cpu_time_total"},
     "a log of PyTorch's profiler without a table: nothing was profiled",
     "run the code inside `with torch.profiler.profile() as p:` and print "
     "`p.key_averages().table(row_limit=-1)`"},
    {{0}, 0, 0},
};

static bool refuse_kind(struct ps_str head, const struct kind *kinds, struct ps_err *err)
{
    for (; kinds->description; kinds++)
        if (contains_words(head, kinds))
            return refuse_file(err, kinds->description, kinds->hint);
    return false;
}

static struct ps_str first_bytes(struct ps_str head, size_t most)
{
    return (struct ps_str){head.ptr, head.len < most ? head.len : most};
}

static struct ps_str skip_blanks(struct ps_str s)
{
    while (s.len && (s.ptr[0] == ' ' || s.ptr[0] == '\t' || s.ptr[0] == '\n' || s.ptr[0] == '\r'))
        s = ps_str_skip(s, 1);
    return s;
}

/* Whether the markup is an SVG picture, not an HTML page that contains one. */
static bool is_svg(struct ps_str body)
{
    static const char *const pages[] = {"<html", "<HTML", "<!doctype html", "<!DOCTYPE html",
                                        "<!DOCTYPE HTML"};
    const char *svg = ps_str_find(body, PS_STR("<svg"));
    struct ps_str before = {body.ptr, svg ? (size_t)(svg - body.ptr) : 0};

    for (size_t i = 0; svg && i < sizeof pages / sizeof *pages; i++)
        if (ps_str_find(before, ps_str_from_c(pages[i])))
            return false;
    return svg;
}

/* Whether the application id of the SQLite header is that of a run file. */
static bool is_run_file(struct ps_str head)
{
    return ps_str_starts_with(ps_str_skip(head, 68), PS_STR("pshf"));
}

bool ps_foreign_detect_unsupported(struct ps_str head, struct ps_err *err)
{
    struct ps_str body = skip_blanks(head);

    for (const struct magic *magic = magics; magic->description; magic++)
        if (ps_str_starts_with(ps_str_skip(head, magic->offset), magic->bytes))
            return refuse_file(err, magic->description, magic->hint);
    if (ps_str_starts_with(head, PS_STR("SQLite format 3")))
        return is_run_file(head)
                   ? refuse_file(
                         err, "a run file from a perfshelf data folder",
                         "add the original profile instead: the run's page offers it as a download")
                   : ps_nsys.sniff(head) == PS_MATCH_NO && refuse_kind(head, databases, err);
    if (head.len >= 2 && head.ptr[0] == '\x80' && head.ptr[1] >= 2 && head.ptr[1] <= 9)
        return refuse_kind(first_bytes(head, 4096), known_pickles, err) ||
               (head.ptr[1] >= 6 && refuse_kind(head, pickles, err));
    /* strings in a JSON file may contain printed reports, which perfshelf cannot extract */
    if (body.len && body.ptr[0] == '{')
        return refuse_kind(first_bytes(body, 4096), notebooks, err);
    if (body.len && body.ptr[0] == '<')
        return is_svg(body)
                   ? ps_flamegraph_svg.sniff(body) == PS_MATCH_NO &&
                         refuse_file(err, svg_picture.description, svg_picture.hint)
                   : ps_junit.sniff(body) == PS_MATCH_NO && refuse_kind(body, web_pages, err);
    return false;
}

static bool is_json(struct ps_str body)
{
    char next;

    if (body.len == 0 || (body.ptr[0] != '{' && body.ptr[0] != '['))
        return false;
    body = skip_blanks(ps_str_skip(body, 1));
    next = body.len ? body.ptr[0] : '"';
    if (next == '-' && body.len > 1)
        next = body.ptr[1] == '-' ? ' ' : body.ptr[1]; /* a printed rule is no number */
    return strchr("\"{[]}-tfn", next) || (next >= '0' && next <= '9');
}

/* Whether the file begins like a pickle of protocol 0 or 1 that calls something: the module and
 * name of a global, one line each. */
static bool is_text_pickle(struct ps_str head)
{
    size_t lines = 0;

    if (head.len < 4 || (head.ptr[0] != 'c' && !ps_str_starts_with(head, PS_STR("(lp")) &&
                         !ps_str_starts_with(head, PS_STR("(dp"))))
        return false;
    for (size_t i = 1; i < head.len && i < 200; i++) {
        char c = head.ptr[i];

        if (c == '\n' && ++lines == 2)
            return i + 1 < head.len && strchr("pq(RV", head.ptr[i + 1]);
        if (c != '\n' && c != '_' && c != '.' && !(c >= '0' && c <= '9') &&
            !((c | 32) >= 'a' && (c | 32) <= 'z'))
            return head.ptr[0] == '(' && lines == 1;
    }
    return false;
}

static bool read_varint(struct ps_str *rest, uint64_t *out)
{
    *out = 0;
    for (unsigned shift = 0; rest->len && shift < 64; shift += 7) {
        unsigned char byte = (unsigned char)rest->ptr[0];

        *rest = ps_str_skip(*rest, 1);
        *out |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

/* A field of a protobuf message; `bytes` is truncated at the end of `head`. */
struct field {
    uint64_t number;
    bool has_bytes;
    struct ps_str bytes;
};

static bool read_field(struct ps_str *rest, struct field *out)
{
    uint64_t tag, value;

    if (!read_varint(rest, &tag) || !read_varint(rest, &value))
        return false;
    *out = (struct field){.number = tag >> 3, .has_bytes = (tag & 7) == 2};
    if (!out->has_bytes)
        return (tag & 7) == 0 && out->number > 0;
    out->bytes = (struct ps_str){rest->ptr, value < rest->len ? (size_t)value : rest->len};
    *rest = ps_str_skip(*rest, value < rest->len ? (size_t)value : rest->len);
    return out->number > 0;
}

/* Distinguishes formats by content: OpenTelemetry's first message has resource attributes, and the
 * body of a push to Pyroscope has labels. */
static bool refuse_protobuf(struct ps_str head, struct ps_err *err)
{
    struct ps_str begin = first_bytes(head, 1024), rest = head;
    struct field field;

    if (!read_field(&rest, &field) || field.number != 1 || !field.has_bytes)
        return false;
    if (ps_str_find(begin, PS_STR("service.name")) || ps_str_find(begin, PS_STR("telemetry.sdk")) ||
        ps_str_find(begin, PS_STR("host.name")) || ps_str_find(begin, PS_STR("process.pid")))
        return refuse_file(err, otlp.description, otlp.hint);
    if (ps_str_find(begin, PS_STR("__name__")) && ps_str_find(begin, PS_STR("service_name")))
        return refuse_file(err, pyroscope.description, pyroscope.hint);
    return false;
}

/* Whether the file is viztracer's: the version 1, then records that begin with their kind, a
 * process and a thread of 8 bytes each; the first one is the name of a process or thread. */
static bool is_viztracer_file(struct ps_str head)
{
    static const char zeros[7] = {0};

    return head.len > 26 && head.ptr[0] == 1 && memcmp(head.ptr + 1, zeros, 7) == 0 &&
           (head.ptr[8] == 2 || head.ptr[8] == 3) && memcmp(head.ptr + 13, zeros, 4) == 0 &&
           memcmp(head.ptr + 21, zeros, 4) == 0 && (unsigned char)head.ptr[25] >= ' ';
}

/* Whether `head` has bytes that do not occur in text. */
static bool is_binary(struct ps_str head)
{
    for (size_t i = 0; i < head.len && i < 4096; i++)
        if ((unsigned char)head.ptr[i] < 8)
            return true;
    return false;
}

/* Whether the file is heaptrack's: "v 10500 3", then "X ./app". */
static bool is_heaptrack(struct ps_str head)
{
    const char *end = head.len ? memchr(head.ptr, '\n', head.len) : NULL;
    struct ps_str second = ps_str_skip(head, end ? (size_t)(end - head.ptr) + 1 : head.len);

    return ps_str_starts_with(head, PS_STR("v ")) && ps_str_starts_with(second, PS_STR("X "));
}

static bool has_decimal(struct ps_str text)
{
    for (size_t i = 1; i + 1 < text.len; i++)
        if ((text.ptr[i] == '.' || text.ptr[i] == ',') && text.ptr[i - 1] >= '0' &&
            text.ptr[i - 1] <= '9' && text.ptr[i + 1] >= '0' && text.ptr[i + 1] <= '9')
            return true;
    return false;
}

/* Whether the text has times in a user-defined format: TIMEFORMAT, `time -f`. */
static bool has_custom_time_format(struct ps_str head)
{
    static const char *const words[3][3] = {
        {"real", "elapsed", "wall"}, {"user", "usr", "utime"}, {"sys", "system", "stime"}};
    int found = 0;

    if (head.len > 2048 || !has_decimal(head))
        return false;
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 3; k++)
            if (ps_str_find(head, ps_str_from_c(words[i][k]))) {
                found++;
                break;
            }
    return found == 3;
}

static bool is_python_line(struct ps_str line)
{
    bool block = line.len && ps_str_find(line, PS_STR(":"));

    return (block && (ps_str_starts_with(line, PS_STR("def ")) ||
                      ps_str_starts_with(line, PS_STR("class ")) ||
                      ps_str_starts_with(line, PS_STR("async def ")) ||
                      ps_str_starts_with(line, PS_STR("if __name__ ")))) ||
           ps_str_starts_with(line, PS_STR("import ")) ||
           (ps_str_starts_with(line, PS_STR("from ")) && ps_str_find(line, PS_STR(" import ")));
}

static bool begins_with_docstring(struct ps_str text)
{
    if (text.len && (text.ptr[0] == 'r' || text.ptr[0] == 'R'))
        text = ps_str_skip(text, 1);
    return text.len && (text.ptr[0] == '"' || text.ptr[0] == '\'');
}

/* Whether the text is Python source: it begins with an import or definition, a comment or a
 * docstring, and has at least one import or definition. */
static bool is_python(struct ps_str head)
{
    struct ps_str body = skip_blanks(head);

    if (!body.len || (body.ptr[0] != '#' && body.ptr[0] != '@' && !begins_with_docstring(body) &&
                      !is_python_line(first_bytes(body, 200))))
        return false;
    while (head.len) {
        const char *end = memchr(head.ptr, '\n', head.len);
        struct ps_str line = {head.ptr, end ? (size_t)(end - head.ptr) : head.len};

        head = ps_str_skip(head, line.len + 1);
        if (is_python_line(line))
            return true;
    }
    return false;
}

/* Whether the text is a page with code blocks, and not Python source whose docstring has some. */
static bool is_markdown(struct ps_str head)
{
    struct ps_str body = skip_blanks(head);

    return (ps_str_starts_with(body, PS_STR("```")) || ps_str_find(body, PS_STR("\n```"))) &&
           !begins_with_docstring(body) && !is_python_line(first_bytes(body, 200)) &&
           !ps_str_starts_with(body, PS_STR("#!")) && !ps_str_starts_with(body, PS_STR("@"));
}

static bool refuse_text(struct ps_str head, struct ps_err *err)
{
    if (ps_str_starts_with(head, PS_STR("version https://git-lfs.github.com/spec/")))
        return refuse_file(err, "a Git LFS pointer: the file itself was not downloaded",
                           "fetch it with `git lfs pull`, then add it");
    if (is_heaptrack(head))
        return refuse_file(err, "a recording of heaptrack",
                           "fold its stacks with `heaptrack_print -F stacks.txt heaptrack.app.gz`");
    if (refuse_kind(head, reports, err))
        return true;
    if (has_custom_time_format(head))
        return refuse_file(err, "the output of `time` in a custom format (TIMEFORMAT, `time -f`)",
                           "measure again with `/usr/bin/time -v -o time.txt app`");
    if (is_markdown(head))
        return refuse_file(err, "a Markdown page, not a profile", record_hint);
    if (is_python(head))
        return refuse_file(err, "Python source code, not a profile", record_hint);
    return refuse_kind(head, logs, err);
}

bool ps_foreign_describe(struct ps_str head, struct ps_err *err)
{
    struct ps_str body = skip_blanks(head);

    if (body.len == 0)
        return refuse_file(err, "a file that contains only white space", record_hint);
    if (is_json(body) && !memchr(body.ptr, '\0', body.len))
        return refuse_kind(body, documents, err);
    if (is_text_pickle(head))
        return refuse_kind(head, pickles, err);
    if (is_viztracer_file(head))
        return refuse_file(err, viztracer_file.description, viztracer_file.hint);
    if (is_binary(head))
        return refuse_protobuf(head, err) ||
               refuse_file(err, "not a supported profile (binary data)", record_hint);
    return refuse_text(head, err) || refuse_file(err, "not a supported profile", record_hint);
}

bool ps_is_xprof_cache(struct ps_str name, struct ps_err *err)
{
    static const char *const words[] = {
        "ALL_HOSTS",      "op_stats",      "hlo_proto",      "kernel_stats", "overview_page",
        "input_pipeline", "memory_viewer", "memory_profile", "op_profile",   "hlo_stats",
        "roofline_model", "pod_viewer",    "graph_viewer",   "tf_stats",     "dcn_collective_stats",
    };
    bool is_cache = ends_with(name, ".SSTABLE") || ps_str_eq_c(name, "cache_version.txt");

    for (size_t i = 0; ends_with(name, ".pb") && i < sizeof words / sizeof *words; i++)
        is_cache |= ps_str_find(name, ps_str_from_c(words[i])) != NULL;
    if (is_cache)
        (void)ps_fail(err, PS_UNKNOWN_KIND,
                      "this is a cache of xprof, computed from a recording of XLA" PS_HINT
                      "add the .xplane.pb of its folder, which is the recording");
    return is_cache;
}
