/* SPDX-License-Identifier: MIT */
#include "server/jobs/importer.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "importers/importer.h"
#include "server/sandbox/child.h"
#include "server/store/store.h"

#define TELL_EVERY_NS 20000000

static struct ps_sandbox_limits limits; /* for the ends of the process that have no other way */
static uint64_t last_done;

static void say(struct ps_frame *frame)
{
    if (ps_frame_send(PS_CHILD_SOCKET, frame, NULL) != PS_OK)
        _exit(1); /* nobody is there to be told */
}

static void say_done(const struct ps_err *err, const char *word)
{
    struct ps_frame frame = {.type = PS_FRAME_DONE, .err = *err, .fd = -1};

    (void)snprintf(frame.word, sizeof frame.word, "%s", word);
    say(&frame);
}

/* --- ends that nobody returns from ------------------------------------------------------------ */

static void memory_is_gone(void)
{
    struct ps_err err = PS_ERR_INIT;

    ps_hint(&err, "--import-memory BYTES allows more");
    ps_fail_at(&err, PS_LIMIT, last_done, "the importer was stopped: over %llu MiB of memory",
               (unsigned long long)(limits.memory >> 20));
    say_done(&err, "");
    _exit(1);
}

/* A system call that the filter refuses. */
static void on_forbidden(int signal, siginfo_t *what, void *context)
{
    struct ps_err err = PS_ERR_INIT;

    (void)signal;
    (void)context;
    ps_hint(&err, "this is a bug of perfshelf, or of a library: please tell us the number");
    ps_fail_at(&err, PS_INTERNAL, last_done,
               "the importer was stopped: it made system call %d, which it must not",
               what->si_syscall);
    say_done(&err, "");
    _exit(1);
}

static void prepare_ends(void)
{
    const struct sigaction forbidden = {.sa_sigaction = on_forbidden, .sa_flags = SA_SIGINFO};

    ps_memory_gone = memory_is_gone;
    (void)sigaction(SIGSYS, &forbidden, NULL);
}

/* --- what it asks for ------------------------------------------------------------------------- */

static bool on_progress(void *user, uint64_t done, uint64_t total, uint64_t records)
{
    struct timespec *told = user, now;

    last_done = done;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec == told->tv_sec && now.tv_nsec - told->tv_nsec < TELL_EVERY_NS)
        return true;
    *told = now;
    say(&(struct ps_frame){.type = PS_FRAME_PROGRESS, .numbers = {done, total, records}, .fd = -1});
    return true; /* who wants it to stop kills it */
}

static int scratch(void *user, struct ps_err *err)
{
    struct ps_frame frame = {.type = PS_FRAME_SCRATCH, .fd = -1};

    (void)user;
    say(&frame);
    if (ps_frame_receive(PS_CHILD_SOCKET, &frame, err) == PS_OK && frame.fd < 0)
        ps_fail(err, frame.err.code ? frame.err.code : PS_IO, "%s", frame.err.text);
    return frame.fd;
}

/* --- what it does ----------------------------------------------------------------------------- */

static enum ps_status load(int fd, const char *part, const char **kind, struct ps_err *err)
{
    struct timespec told = {0};
    struct ps_writing writing = {.progress = on_progress, .scratch = scratch, .user = &told};
    const struct ps_importer *picked = NULL;
    struct ps_writer *writer = NULL;
    struct ps_sink *sink;
    struct stat about;
    enum ps_status status;

    if (fstat(fd, &about) != 0 || lseek(fd, 0, SEEK_SET) < 0)
        return ps_fail_errno(err, "cannot read", "the file");
    writing.input_bytes = (uint64_t)about.st_size;
    status = ps_writer_open(part, &writing, &writer, err);
    if (status == PS_OK)
        status = ps_sandbox_enter(&limits, err);
    if (status != PS_OK)
        return status;
    sink = ps_writer_sink(writer);
    status = ps_import_stream(ps_stream_fd(fd, writing.input_bytes), sink, &picked, err);
    *kind = picked ? picked->kind : "";
    if (status == PS_OK && !ps_sink_ok(sink)) {
        *err = sink->err;
        status = err->code;
    }
    return status == PS_OK ? ps_writer_end(writer, err) : status;
}

int ps_importer_main(int argc, char **argv)
{
    struct ps_err err = PS_ERR_INIT;
    struct ps_frame begin;
    const char *kind = "";

    ps_child_settle();
    if (argc != 3 || ps_frame_receive(PS_CHILD_SOCKET, &begin, &err) != PS_OK ||
        begin.type != PS_FRAME_BEGIN || begin.fd < 0) {
        (void)fputs("perfshelf: this is for perfshelf itself\n", stderr);
        return 2;
    }
    limits = (struct ps_sandbox_limits){begin.numbers[0], begin.numbers[1], begin.numbers[2]};
    tzset(); /* reads a file, and may be wanted later */
    prepare_ends();
    (void)load(begin.fd, argv[2], &kind, &err);
    say_done(&err, kind);
    _exit(0); /* all that there is goes with it */
}
