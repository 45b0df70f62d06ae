/* SPDX-License-Identifier: MIT */
#include "server/jobs/importer_main.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "importers/importer.h"
#include "importers/sink.h"
#include "server/catalog/store.h"
#include "server/jobs/merge.h"
#include "server/jobs/sniff.h"
#include "server/runwrite/import_shared.h"
#include "server/sandbox/child.h"

#define TELL_EVERY_NS 20000000

static struct ps_sandbox_limits limits; /* for messages about fatal errors */
static uint64_t last_done;

static void send_frame(struct ps_frame *frame)
{
    if (ps_frame_send(PS_CHILD_SOCKET, frame, PS_ERR_IGNORED) != PS_OK)
        _exit(1); /* the parent is not reachable any more */
}

static void send_done(const struct ps_err *err, const char *word)
{
    struct ps_frame frame = {.type = PS_FRAME_DONE, .err = *err, .fd = -1};

    (void)snprintf(frame.word, sizeof frame.word, "%s", word);
    send_frame(&frame);
}

/* --- Fatal errors --- */

static void on_memory_exhausted(void)
{
    struct ps_err err = PS_ERR_INIT;

    ps_fail_at(&err, PS_LIMIT, last_done,
               "the importer was stopped: it used more than %llu MiB of memory" PS_HINT
               "allow more with --import-memory SIZE",
               (unsigned long long)(limits.memory_bytes >> 20));
    send_done(&err, "");
    _exit(1);
}

/* Signal handler for SIGSYS: a system call that the filter refuses. */
static void on_forbidden(int signal, siginfo_t *what, void *context)
{
    struct ps_err err = PS_ERR_INIT;

    (void)signal;
    (void)context;
    ps_fail_at(&err, PS_INTERNAL, last_done,
               "the importer was stopped: it made the forbidden system call %d" PS_HINT
               "this is a bug: please report it with the number of the system call",
               what->si_syscall);
    send_done(&err, "");
    _exit(1);
}

static void prepare_ends(void)
{
    const struct sigaction forbidden = {.sa_sigaction = on_forbidden, .sa_flags = SA_SIGINFO};

    ps_on_memory_exhausted = on_memory_exhausted;
    (void)sigaction(SIGSYS, &forbidden, NULL);
}

/* --- Messages to the parent --- */

static bool on_progress(void *user, uint64_t done, uint64_t total, uint64_t records)
{
    const int64_t now_ns = ps_monotonic_ns();
    int64_t *told_ns = user;

    last_done = done;
    if (now_ns - *told_ns < TELL_EVERY_NS)
        return true;
    *told_ns = now_ns;
    send_frame(
        &(struct ps_frame){.type = PS_FRAME_PROGRESS, .numbers = {done, total, records}, .fd = -1});
    return true; /* the parent stops an import by killing this process */
}

static int scratch(void *user, struct ps_err *err)
{
    struct ps_frame frame = {.type = PS_FRAME_SCRATCH, .fd = -1};

    (void)user;
    send_frame(&frame);
    if (ps_frame_receive(PS_CHILD_SOCKET, &frame, err) == PS_OK && frame.fd < 0)
        ps_fail(err, frame.err.code ? frame.err.code : PS_IO, "%s", frame.err.text);
    return frame.fd;
}

/* --- Import --- */

/* Imports a shared run file, which contains its kind. */
static enum ps_status import_shared_run(int fd, struct ps_writer *writer, const char **kind,
                                        struct ps_err *err)
{
    static char word[32];

    *kind = word;
    return ps_writer_import_shared(writer, fd, word, err);
}

static enum ps_status load(int fd, const char *part, const char **kind, struct ps_err *err)
{
    int64_t told_ns = 0;
    struct ps_writer_options writing = {
        .progress = on_progress, .create_scratch = scratch, .user = &told_ns};
    const struct ps_importer *picked = NULL;
    struct ps_writer *writer = NULL;
    struct ps_sink *sink;
    struct stat about;

    if (fstat(fd, &about) != 0 || lseek(fd, 0, SEEK_SET) < 0)
        return ps_fail_errno(err, "cannot read", "the file");
    writing.input_bytes = (uint64_t)about.st_size;
    if (ps_writer_open(part, &writing, &writer, err) != PS_OK ||
        ps_sandbox_enter(&limits, err) != PS_OK)
        return err->code;
    if (ps_is_run_file(fd))
        return import_shared_run(fd, writer, kind, err);
    sink = ps_writer_sink(writer);
    ps_import_stream(ps_stream_from_fd(fd, writing.input_bytes), sink, &picked, err);
    *kind = picked ? picked->kind : "";
    return ps_fail_copy(err, &sink->err) == PS_OK ? ps_writer_end(writer, err) : err->code;
}

/* --- Archives --- */

/* Passes a member to the parent and waits until the parent has processed it. */
static bool show_member(void *user, const char *name, int fd, const struct ps_err *why)
{
    struct ps_frame frame = {.type = PS_FRAME_MEMBER, .fd = fd};

    (void)user;
    (void)snprintf(frame.word, sizeof frame.word, "%s", name);
    if (fd < 0)
        frame.err = *why;
    send_frame(&frame);
    if (ps_frame_receive(PS_CHILD_SOCKET, &frame, PS_ERR_IGNORED) != PS_OK)
        _exit(1); /* the parent is not reachable any more */
    return true;  /* the parent kills this process to stop it */
}

static enum ps_status unpack_archive(int fd, const char **kind, struct ps_err *err)
{
    struct ps_members *members = NULL;

    if (ps_sandbox_enter(&limits, err) == PS_OK)
        ps_members_read(fd, &members, err);
    *kind = members ? PS_IMPORTER_ARCHIVE : "";
    if (members) /* it is freed with the process */
        ps_members_each(members, scratch, show_member, NULL, err);
    return err->code;
}

/* --- Merging --- */

/* Requests the next file, with its size and whether the shelf compressed it. False: there
 * is none. */
static bool next_file(struct ps_frame *out)
{
    *out = (struct ps_frame){.type = PS_FRAME_NEXT, .fd = -1};
    send_frame(out);
    if (ps_frame_receive(PS_CHILD_SOCKET, out, PS_ERR_IGNORED) != PS_OK)
        _exit(1); /* the parent is not reachable any more */
    return out->fd >= 0;
}

static enum ps_status merge_files(int fd, const char *folder, struct ps_err *err)
{
    static const struct ps_stream_limits none = {0, 0};
    struct ps_merge *merge = folder[0] ? ps_merge_new_serving(fd, folder) : ps_merge_new(fd);
    struct ps_frame file;

    ps_sandbox_enter(&limits, err);
    while (err->code == PS_OK && next_file(&file)) {
        struct ps_stream *in;

        (void)lseek(file.fd, 0, SEEK_SET); /* fails for a pipe, which is allowed */
        in = ps_stream_from_fd(file.fd, 0);
        if (file.numbers[1])
            in = ps_stream_decompress(in, &none);
        ps_merge_add(merge, in, file.numbers[0], file.word, err);
        ps_close_fd(&file.fd);
    }
    ps_merge_end(merge, err);
    return err->code;
}

/* --- Recognition of files --- */

static enum ps_status sniff(int fd, struct ps_sniffed *out, struct ps_err *err)
{
    static const struct ps_stream_limits most = {(uint64_t)8 << 30, 1000};
    const struct ps_importer *importer = NULL;
    struct ps_stream *in;
    enum ps_status status;

    if (lseek(fd, 0, SEEK_SET) < 0)
        return ps_fail_errno(err, "cannot read", "the file");
    in = ps_stream_to_utf8(ps_stream_decompress(ps_stream_from_fd(fd, 0), &most));
    status = ps_importer_pick(in, &importer, err);
    out->serving = ps_serving_facts_of(importer);
    out->rank = ps_job_rank_of(ps_stream_peek(in, PS_JOB_HEAD_SIZE));
    ps_stream_free(in);
    return status;
}

/* Checks files until the parent closes the socket. */
static void sniff_all(int fd)
{
    struct ps_err refused = PS_ERR_INIT;
    struct ps_frame file = {.fd = fd};

    if (ps_sandbox_enter(&limits, &refused) != PS_OK) {
        send_done(&refused, "");
        _exit(1);
    }
    do {
        struct ps_frame done = {.type = PS_FRAME_DONE, .err = PS_ERR_INIT, .fd = -1};
        struct ps_sniffed found = {.rank = {.rank = -1}, .serving = PS_SERVING_NO_FACTS};

        (void)sniff(file.fd, &found, &done.err);
        ps_close_fd(&file.fd);
        done.numbers[0] = (uint64_t)(found.rank.rank + 1);
        done.numbers[1] = found.rank.may_be_old;
        done.numbers[2] = (uint64_t)(found.serving.role + 1) + (found.serving.is_view ? 16 : 0);
        send_frame(&done);
    } while (ps_frame_receive(PS_CHILD_SOCKET, &file, PS_ERR_IGNORED) == PS_OK && file.fd >= 0);
    _exit(0);
}

int ps_importer_main(int argc, char **argv)
{
    struct ps_err err = PS_ERR_INIT;
    struct ps_frame begin;
    const char *kind = "";

    ps_child_isolate();
    if (argc != 3 || ps_frame_receive(PS_CHILD_SOCKET, &begin, &err) != PS_OK ||
        begin.type != PS_FRAME_BEGIN || begin.fd < 0) {
        (void)fputs("perfshelf: only perfshelf itself starts importers; see `perfshelf help`\n",
                    stderr);
        return 2;
    }
    limits = (struct ps_sandbox_limits){begin.numbers[0], begin.numbers[1], begin.numbers[2]};
    tzset(); /* reads a file now, which the sandbox would refuse later */
    prepare_ends();
    if (strcmp(begin.word, PS_IMPORTER_SNIFF) == 0)
        sniff_all(begin.fd);
    if (strcmp(begin.word, PS_IMPORTER_ARCHIVE) == 0)
        (void)unpack_archive(begin.fd, &kind, &err);
    else if (strcmp(begin.word, PS_IMPORTER_MERGE) == 0)
        (void)merge_files(begin.fd, argv[2], &err);
    else
        (void)load(begin.fd, argv[2], &kind, &err);
    send_done(&err, kind);
    _exit(0); /* memory and descriptors are released with the process */
}
