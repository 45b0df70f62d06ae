/* SPDX-License-Identifier: MIT */
/* foreign_test.c: profiles of other tools are named and answered with the command that helps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "importers/importer.h"

struct refusal {
    struct ps_str bytes;
    const char *what, *hint; /* parts of the sentence and of its hint */
};

#define F(bytes, what, hint)                                                                       \
    {                                                                                              \
        {(bytes), sizeof(bytes) - 1}, what, hint                                                   \
    }

static const struct refusal binaries[] = {
    F("\x80\x04\x95\x0b\2\0\0\0\0\0\0]\x94(\x8c\"torch.utils.benchmark.utils.common\x94\x8c\x0bMeasurement\x94",
      "torch.utils.benchmark", "Compare(results).print()"),
    F("PERFILE2\x68\0\0\0", "perf.data", "perf script -i perf.data | stackcollapse-perf.pl"),
    F("memray\0\x0c\0\0\0", "recording of memray", "memray transform speedscope"),
    F("HCAT\1\0\0\0\3\x0f", "Python's sampling profiler", "replay --gecko -o profile.json"),
    F("TACH\0\0\0\1\3\x0f", "Python's sampling profiler", "replay --gecko -o profile.json"),
    F("MOJ\3\1austin\0", "austin (MOJO)", "mojo2austin"),
    F("FLR\0\0\2\0\1", "Flight Recorder", "jfrconv -o collapsed"),
    F("NVR\0\x10\0\0\0", "Nsight Compute", "nsys profile"),
    F("NVIDIA Tegra Profiler Report 2024@4@1@61-244134315967v0.\n", "a report of Nsight Systems",
      "nsys export --type sqlite"),
    F("tr\xfdP\0\1", "Tracy", "viztracer"),
    F("tlZ\x04\0\1", "Tracy", "viztracer"),
    F("\x18\0\0\0\0\0\0\0\xa3\x7f\x4b\x22\x09\0\0\xc0\x41\x1e\xa0\xda\x41\x1a\x0d"
      "brain.Event:2",
      "TensorBoard", "*.pt.trace.json"),
    F("\x89HDF\r\n\x1a\n", "HDF5", "nsys export --type sqlite"),
    F("PAR1\x15\4", "Parquet", "nsys export --type sqlite"),
    F("\n\5\x50\1\x40\2\0XY", "binary data", "python -m cProfile"),
    F("\x80\x04\x95\x2a\0\0\0\0\0\0\0\x8c\x0btracemalloc\x94\x8c\x08Snapshot\x94\x93\x94)\x81",
      "tracemalloc", "mprof run"),
    F("SQLite format 3\0....CREATE TABLE coverage_schema (", "coverage.py", "cProfile"),
    F("SQLite format 3\0....CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (", "nvprof", "nsys export"),
    F("SQLite format 3\0....CREATE TABLE dogs (", "an SQLite database, but not a profile",
      "cProfile"),
};

static const struct refusal documents[] = {
    F("{\"p\": {\"objectName\": \"a.py\", \"callStats\": []}}", "report of vprof", "cProfile"),
    F("{\"profile\": {\"stacks\": [], \"samples\": [], \"thread_metadata\": {}}}",
      "profile of Sentry", "py-spy record"),
    F("{\"nodes\": [{\"id\": 1, \"callFrame\": {}}], \"startTime\": 1, \"endTime\": 2}",
      ".cpuprofile", "speedscope"),
    F("{\"snapshot\": {\"meta\": {\"node_fields\": []}}}", "heap snapshot", "cProfile"),
    F("{\"schema\": \"1.1.1\", \"nodes\": [{\"id\": 1, \"name\": \"[pytorch|root]\"}]}",
      "execution trace", "export_chrome_trace"),
    F("{\"meta\": {\"version\": 27}, \"libs\": [], \"threads\": []}", "raw profile of Firefox",
      "profiler.firefox.com"),
    F("{\"cells\": [], \"nbformat\": 4}", "Jupyter notebook", "%prun -D"),
    F("{\"cells\": [{\"cell_type\": \"code\", \"outputs\": [\"Name    Self CPU %\"]}]}",
      "with a table of torch.profiler", "export_chrome_trace"),
    F("{\"cells\": [{\"cell_type\": \"code\", \"outputs\": [\"Hits  % Time  Line Contents\"]}]}",
      "with a table of line_profiler", "%lprun -D"),
    F("{\"cells\": [{\"cell_type\": \"code\", \"outputs\": [\"Mem usage    Increment  Occurrences\"]}]}",
      "with a table of memory_profiler", "%mprun -T"),
    F("{\"name\": \"left-pad\", \"version\": \"1.0.0\"}", "not a supported profile", "cProfile"),
};

static const struct refusal pages[] = {
    F("<!DOCTYPE html><title>memray - flamegraph</title>", "HTML report of memray",
      "memray transform speedscope"),
    F("<!DOCTYPE html><script>window.viztracer</script>", "HTML report of viztracer",
      "viztracer -o trace.json"),
    F("<!DOCTYPE html><title>Scalene</title>", "HTML report of Scalene", "scalene run --json"),
    F("<!DOCTYPE html><script>pyinstrumentHTMLRenderer</script>", "HTML report of pyinstrument",
      "pyinstrument -r json"),
    F("<!doctype html><title>Tachyon Profiler - Heatmap</title>",
      "HTML report of Python's sampling profiler", "profiling.sampling run --gecko"),
    F("<html><body>Not found</body></html>", "an HTML page", "add the profile itself"),
    F("<svg xmlns=\"http://www.w3.org/2000/svg\"><circle r=\"4\"/></svg>", "SVG picture",
      "the picture shows"),
};

static const struct refusal reports[] = {
    F("------------- DeepSpeed Flops Profiler -------------\nProfile Summary at step 5:\n",
      "DeepSpeed's flops profiler", "torch.profiler"),
    F("Device_id,Op Name,OP Type,Task Start Time(us),Task Duration(us)\n0,a,MatMul,1.5,2.5\n",
      "Ascend", "trace_view.json"),
    F("Name,Type,Accelerator Core,Start Time(us),Duration(us)\na,MatMul,AI_CORE,1.5,2.5\n",
      "Ascend", "trace_view.json"),
    F("# callgrind format\nversion: 1\nevents: Ticks\nfn=(1) main\n1 5\n", "callgrind",
      "python -m cProfile"),
    F("version: 1\ncreator: yappi\npid: 5\nevents: Ticks\n\nfl=(0) app.py\nfl=(1) lib.py\n",
      "callgrind", "yappi's `save("),
    F("Profile Stats:\n       nsamples   sample%  tottime (ms)    cumul%   cumtime (s)  "
      "filename:lineno(function)\n        587/589      26.6       293.500      26.7         0.294  "
      "a.py:280(f)\n",
      "printed table of Python's sampling profiler", "profiling.sampling run --gecko"),
    F("   /tmp/a.py: % of time = 100.00% (5.176s) out of 5.176s.\n", "printed report of Scalene",
      "scalene run --json"),
    F("Scalene: Program did not run for long enough to profile.\n", "too short", "scalene run"),
    F("Process 7: python a.py\nPython v3.12.3 (/usr/bin/python3.12)\n\nThread 7 (idle): "
      "\"MainThread\"\n    f (a.py:5)\n",
      "py-spy dump", "py-spy record --format speedscope"),
    F("\nClock type: CPU\nOrdered by: totaltime, desc\n\nname  ncall  tsub  ttot  tavg\n"
      "a.py:1 f  2  0.1  0.2  0.1\n",
      "yappi", "type=\"pstat\""),
    F("CUDA Kernel Statistics (nanoseconds)\n\nTime(%)  Total Time  Instances\n", "Nsight Systems",
      "nsys export --type sqlite"),
    F(" ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):\n\n Time (%)  Total Time (ns)\n",
      "Nsight Systems", "nsys export --type sqlite"),
    F("==412== NVPROF is profiling process 412, command: ./app\n", "nvprof", "nsys profile"),
    F("\"ID\",\"Process ID\",\"Kernel Name\",\"Metric Name\",\"Metric Value\"\n\"0\",\"1\",\"k\"\n",
      "Nsight Compute (CSV)", "nsys profile"),
    F("Module | Self CPU total | CPU total | Number of Calls\n-------|------|------|----\nNet | | "
      "|\n",
      "torchprof", "with_modules=True"),
    F("sort_by=self_cpu_time_total\n\nsort_by=cpu_time_total\n\n", "nothing was profiled",
      "key_averages()"),
    F(" Performance counter stats for 'app':\n\n  1.2 msec task-clock\n", "perf stat",
      "/usr/bin/time -v"),
    F("# To display the perf.data header info\n# Overhead  Command  Shared Object  Symbol\n",
      "printed report of perf", "perf script"),
    F("Flat profile:\n\nEach sample counts as 0.01 seconds.\n", "gprof", "cProfile"),
    F("% time     seconds  usecs/call     calls    errors syscall\n", "strace", "/usr/bin/time"),
    F("procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n r  b\n",
      "vmstat", "top -b"),
    F("  PID  PPID %CPU %MEM   RSS    VSZ     ELAPSED     TIME COMMAND\n22519 1 97.3 14.0 3459468 "
      "3464280    00:05 00:00:05 python\n",
      "output of ps", "top -b"),
    F("[cols=\"<,>,>,>,>\"]\n|===\n| Command \n| Mean [ms] \n| Min [ms] \n", "hyperfine (AsciiDoc)",
      "--export-json"),
    F("| Command  |  Mean [ms] |  Min [ms] |\n|--+--+--|\n| =app=  |  1.0 ± 0.1 |  0.9 |\n",
      "hyperfine (Org)", "--export-json"),
    F("mprofile_1.dat\t80.512 MiB\n", "mprof peak", "mprofile_*.dat"),
    F("Traceback (most recent call last):\n  File \"/usr/lib/python3.11/timeit.py\", line 326, in "
      "main\nNameError: name 'x' is not defined\n",
      "before timeit measured it", "python -m timeit"),
    F("Traceback (most recent call last):\n  File \"a.py\", line 1\nValueError: no\n", "traceback",
      "record again"),
    F("usage: kernprof [-h] script\nkernprof: error: too few arguments\n", "wrong arguments",
      "as the message says"),
    F("text about the import time of importtime\n", "import times", "python -X importtime"),
    F("v 10500 3\nX ./app\nI 1000 86\n", "heaptrack", "heaptrack_print -F"),
    F("0m0.005s real 0m0.005s user 0m0.000s sys 100.00%\n", "TIMEFORMAT", "/usr/bin/time -v"),
    F("0:00.10 elapsed 0.00 user 0.00 system 1636 KB max\n", "TIMEFORMAT", "/usr/bin/time -v"),
    F("real 1 user 1 sys 0,25\n", "TIMEFORMAT", "/usr/bin/time -v"),
    /* the words, without a number that has decimals */
    F("the real users of the system: .5, or 6. at most, 7 , 100\n", "not a supported profile",
      "cProfile"),
    F("1.5 users of the system\n", "not a supported profile", "cProfile"),
    F("\"\"\"A module.\"\"\"\r\nimport os\r\n\r\n\r\ndef main():\r\n    pass\r\n", "Python source",
      "python -m cProfile"),
    F("body { margin: 0; }\n", "not a supported profile", "python -m cProfile"),
};

static void check(const struct refusal *all, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct ps_stream *in = ps_stream_from_memory(all[i].bytes, 0);
        const struct ps_importer *picked = NULL;
        struct ps_err err = PS_ERR_INIT;
        enum ps_status status = ps_importer_pick(in, &picked, &err);

        if (status != PS_UNKNOWN_KIND || !strstr(err.text, all[i].what) ||
            !strstr(err.hint, all[i].hint))
            (void)fprintf(stderr, "wanted %s; it is %s, %s\n", all[i].what,
                          picked ? picked->kind : err.text, err.hint);
        assert_int_equal(status, PS_UNKNOWN_KIND);
        assert_non_null(strstr(err.text, all[i].what));
        assert_non_null(strstr(err.hint, all[i].hint));
        ps_stream_free(in);
    }
}

static void test_binaries(void **state)
{
    (void)state;
    check(binaries, sizeof binaries / sizeof *binaries);
}

static void test_documents(void **state)
{
    (void)state;
    check(documents, sizeof documents / sizeof *documents);
}

static void test_pages(void **state)
{
    (void)state;
    check(pages, sizeof pages / sizeof *pages);
}

static void test_reports(void **state)
{
    (void)state;
    check(reports, sizeof reports / sizeof *reports);
}

/* The head that was looked at first is gone once more of the file was read. */
static void test_long_text_in_blocks(void **state)
{
    static const char line[] = "nothing that anybody knows, in a line of a log\n";
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    struct ps_err err = PS_ERR_INIT;
    const struct ps_importer *picked = NULL;
    struct ps_stream *in;

    (void)state;
    while (text.len < 300000)
        ps_buf_puts(&text, line);
    in = ps_stream_to_utf8(ps_stream_from_memory(ps_buf_slice(&text), 1000));
    assert_int_equal(ps_importer_pick(in, &picked, &err), PS_UNKNOWN_KIND);
    assert_non_null(strstr(err.text, "not a supported profile"));
    ps_stream_free(in);
}

int foreign_test(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_binaries),
        cmocka_unit_test(test_documents),
        cmocka_unit_test(test_pages),
        cmocka_unit_test(test_reports),
        cmocka_unit_test(test_long_text_in_blocks),
    };
    return cmocka_run_group_tests_name("foreign", tests, NULL, NULL);
}
