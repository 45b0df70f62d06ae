/* SPDX-License-Identifier: MIT */
/* trace_records: prints the records of a trace as the reader has them, one JSON object a line. -q:
 * only counts and how long it took; -1: one worker. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "importers/trace/trace.h"
#include "tests/dump_sink.h"
#include "tests/trace_text.h"

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static void print_counts(const struct tr_trace *trace, double wall)
{
    struct rusage use;

    (void)getrusage(RUSAGE_SELF, &use);
    (void)printf("read=%llu stored=%llu repaired=%llu rejected=%llu threads=%u names=%u "
                 "templates=%u cats=%u torch=%d headers=%zu origin=%lld first=%lld last=%lld\n",
                 (unsigned long long)trace->counts.read, (unsigned long long)trace->counts.stored,
                 (unsigned long long)trace->counts.repaired,
                 (unsigned long long)trace->counts.rejected, trace->n_threads, trace->names.count,
                 trace->n_templates, trace->n_categories, trace->is_torch, trace->n_headers,
                 (long long)trace->origin_us, (long long)trace->first_ns,
                 (long long)trace->last_ns);
    (void)fprintf(stderr, "cpu %.3f (%.3f user) wall %.3f peak %ld MB\n",
                  seconds(use.ru_utime) + seconds(use.ru_stime), seconds(use.ru_utime), wall,
                  use.ru_maxrss / 1024);
}

static int dump(const char *path, bool quiet, unsigned workers, size_t block)
{
    static const struct ps_stream_limits limits = {0};
    struct dump_sink sink;
    struct ps_buf notes = {0};
    struct ps_err err = PS_ERR_INIT;
    struct tr_trace trace = {.out = &sink.sink, .err = &err};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    struct ps_stream *in;
    struct timespec a, b;
    char line[800];
    enum ps_status status;

    if (fd < 0 || fstat(fd, &st) != 0) {
        perror(path);
        return 1;
    }
    dump_sink_init(&sink, &notes);
    (void)clock_gettime(CLOCK_MONOTONIC, &a);
    in = ps_stream_to_utf8(
        ps_stream_decompress(ps_stream_from_fd(fd, (uint64_t)st.st_size), &limits));
    status = tr_trace_read_with(in, &trace, block, workers, 96u << 20);
    (void)clock_gettime(CLOCK_MONOTONIC, &b);
    if (status == PS_OK && !quiet)
        trace_text(&trace, &notes);
    (void)printf("%s", notes.ptr ? notes.ptr : "");
    if (status == PS_OK)
        print_counts(&trace, (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9);
    else
        (void)printf("failed %s: %s\n", ps_status_name(status),
                     ps_err_format(&err, line, sizeof line));
    tr_trace_free(&trace);
    ps_stream_free(in);
    ps_buf_free(&notes);
    (void)close(fd);
    return status != PS_OK;
}

int main(int argc, char **argv)
{
    bool quiet = false;
    unsigned workers = 2;
    size_t block = 0;
    int failed = 0;

    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "-q") == 0)
            quiet = true;
        else if (strcmp(argv[i], "-1") == 0)
            workers = 1;
        else if (strncmp(argv[i], "-b", 2) == 0)
            block = (size_t)strtoul(argv[i] + 2, NULL, 10);
        else
            failed |= dump(argv[i], quiet, workers, block);
    return failed;
}
