/* SPDX-License-Identifier: MIT */
#include "server/jobs/import_process.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/archive.h"
#include "importers/importer.h"
#include "server/catalog/quota.h"
#include "server/jobs/importer_main.h"
#include "server/sandbox/child.h"

#define SCRATCH_FILES_MAX                                                                          \
    (2 * PS_MEMBERS_MAX) /* maximum number of temporary files of one import                        \
                          */

const char *ps_kind_static_name(const char *kind)
{
    size_t n;
    const struct ps_importer *const *importers = ps_importers(&n);

    for (size_t i = 0; i < n; i++)
        if (strcmp(importers[i]->kind, kind) == 0)
            return importers[i]->kind;
    return NULL; /* a kind of a newer version of perfshelf */
}

struct import_session {
    const struct ps_import_process *process;
    const struct ps_sandbox_limits *limits;
    struct ps_child child;
    uint64_t done, total, records;
    unsigned n_given; /* temporary files that the importer requested */
    int *scratches;   /* temporary files that it may still use */
    size_t n_scratches;
    uint64_t scratch_bytes; /* of the quota, reserved for them */
    struct ps_err full_err; /* set if they became too large */
    bool has_ended;         /* the importer reported its result, or the caller stopped it */
    const char *kind;       /* set when the profile was loaded */
    /* ps_import_process_unpack only */
    ps_member_visit *visit;
    bool archive;
    /* ps_import_process_merge only */
    ps_import_process_next_file *next_file;
    void *user; /* for visit or next_file */
};

/* --- Temporary files --- */

/* Reserves quota for what the temporary files take on the disk now. */
static enum ps_status reserve_scratches(struct import_session *t)
{
    struct ps_store *store = t->process->store;
    uint64_t bytes = 0;
    struct stat about;

    for (size_t i = 0; i < t->n_scratches; i++)
        if (fstat(t->scratches[i], &about) == 0)
            bytes += (uint64_t)(about.st_blocks * 512 < about.st_size ? about.st_blocks * 512
                                                                      : about.st_size);
    if (bytes < t->scratch_bytes) {
        ps_quota_release(store, t->scratch_bytes - bytes);
        t->scratch_bytes = bytes;
    }
    return ps_quota_reserve_growth(store, &t->scratch_bytes, bytes, &t->full_err);
}

/* Closes the temporary file that the importer has passed on as a member of an archive. */
static void forget_scratch(struct import_session *t, int member)
{
    struct stat about, other;

    if (fstat(member, &about) != 0)
        return;
    for (size_t i = 0; i < t->n_scratches; i++)
        if (fstat(t->scratches[i], &other) == 0 && other.st_ino == about.st_ino &&
            other.st_dev == about.st_dev) {
            ps_close_fd(&t->scratches[i]);
            t->scratches[i] = t->scratches[--t->n_scratches];
            return;
        }
}

static void close_scratches(struct import_session *t)
{
    for (size_t i = 0; i < t->n_scratches; i++)
        ps_close_fd(&t->scratches[i]);
    free(t->scratches);
    if (t->process->store)
        ps_quota_release(t->process->store, t->scratch_bytes);
}

/* --- Messages --- */

/* Whether the quota holds the temporary files; if not, t->full_err says so. */
static bool scratches_fit(struct import_session *t)
{
    return !t->n_scratches || !t->process->store || reserve_scratches(t) == PS_OK;
}

static bool goes_on(void *user)
{
    struct import_session *t = user;
    const struct ps_import_process *process = t->process;

    if (!scratches_fit(t))
        return false;
    return !process->progress || process->progress(process->user, t->done, t->total, t->records);
}

/* Sends the importer a temporary file or the reason why there is none. */
static enum ps_status give_scratch(struct import_session *t, struct ps_err *err)
{
    struct ps_frame answer = {.type = PS_FRAME_FILE, .fd = -1};
    PS_AUTO(ps_free_ptr) char *path = NULL;
    enum ps_status status;

    if (++t->n_given > SCRATCH_FILES_MAX)
        ps_fail(&answer.err, PS_LIMIT, "more than %d temporary files", SCRATCH_FILES_MAX);
    else if (ps_store_create_spool_file(t->process->store, &path, &answer.fd, &answer.err) == PS_OK)
        (void)unlink(path);
    status = ps_frame_send(t->child.socket, &answer, err);
    if (answer.fd >= 0) {
        t->scratches = ps_grow(t->scratches, t->n_scratches + 1, sizeof *t->scratches);
        t->scratches[t->n_scratches++] = answer.fd;
    }
    return status;
}

/* Whether a descriptor from the importer is a regular file. */
static bool is_file(int fd)
{
    struct stat about;

    return fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
}

static enum ps_status fail_protocol(struct ps_err *err)
{
    return ps_fail(err, PS_INTERNAL, "importer protocol violation");
}

static enum ps_status pass_member(struct import_session *t, const struct ps_frame *frame,
                                  struct ps_err *err)
{
    const struct ps_frame go = {.type = PS_FRAME_CONTINUE, .fd = -1};

    if (!t->visit || is_file(frame->fd) == (frame->err.code != PS_OK))
        return fail_protocol(err);
    t->archive = true;
    if (t->visit(t->user, frame->word, frame->fd, &frame->err)) {
        forget_scratch(t, frame->fd);
        return ps_frame_send(t->child.socket, &go, err);
    }
    t->has_ended = true;
    return PS_OK;
}

static enum ps_status give_next(struct import_session *t, struct ps_err *err)
{
    struct ps_import_process_file file = {.fd = -1};
    struct ps_frame answer = {.type = PS_FRAME_FILE};
    enum ps_status status = t->next_file ? t->next_file(t->user, &file, err) : fail_protocol(err);

    if (status == PS_OK) {
        answer.fd = file.fd;
        answer.numbers[0] = file.bytes;
        answer.numbers[1] = file.packed;
        if (file.name)
            (void)snprintf(answer.word, sizeof answer.word, "%s", file.name);
        status = ps_frame_send(t->child.socket, &answer, err);
    }
    ps_close_fd(&file.fd);
    return status;
}

static enum ps_status finish_session(struct import_session *t, const struct ps_frame *frame,
                                     struct ps_err *err)
{
    t->has_ended = true;
    t->kind = ps_kind_static_name(frame->word);
    t->archive |= t->visit && strcmp(frame->word, PS_IMPORTER_ARCHIVE) == 0;
    if (frame->err.code == PS_OK && !t->kind && !t->visit && !t->next_file)
        return ps_fail(err, PS_INTERNAL, "importer protocol violation: no kind of file");
    if (frame->err.code != PS_OK)
        *err = frame->err;
    return frame->err.code;
}

static enum ps_status handle_frame(struct import_session *t, const struct ps_frame *frame,
                                   struct ps_err *err)
{
    switch (frame->type) {
    case PS_FRAME_PROGRESS:
        t->done = frame->numbers[0];
        t->total = frame->numbers[1];
        t->records = frame->numbers[2];
        return goes_on(t) ? PS_OK : ps_fail(err, PS_CANCELLED, "the import was cancelled");
    case PS_FRAME_SCRATCH:
        return give_scratch(t, err);
    case PS_FRAME_MEMBER:
        return pass_member(t, frame, err);
    case PS_FRAME_NEXT:
        return give_next(t, err);
    case PS_FRAME_DONE:
        return finish_session(t, frame, err);
    default:
        return fail_protocol(err);
    }
}

static enum ps_status begin_task(struct import_session *t, const char *task, struct ps_err *err)
{
    struct ps_frame frame = {
        .type = PS_FRAME_BEGIN,
        .numbers = {t->limits->memory_bytes, t->limits->cpu_s, t->limits->file_bytes},
        .fd = t->process->fd,
    };

    (void)snprintf(frame.word, sizeof frame.word, "%s", task);
    return ps_frame_send(t->child.socket, &frame, err);
}

static enum ps_status listen_to(struct import_session *t, struct ps_err *err)
{
    enum ps_status status = PS_OK;

    while (status == PS_OK && !t->has_ended) {
        struct ps_frame frame;

        status = ps_child_receive(&t->child, t->limits, goes_on, t, &frame, err);
        /* a fast import ends before goes_on is asked: its files are checked with each message */
        if (status == PS_OK && !scratches_fit(t))
            status = t->full_err.code;
        if (status == PS_OK)
            status = handle_frame(t, &frame, err);
        ps_close_fd(&frame.fd);
    }
    return status;
}

/* Runs one importer: start, messages, end. */
static enum ps_status import_session(struct import_session *t, const char *task, const char *part,
                                     struct ps_err *err)
{
    static const struct ps_sandbox_limits usual = {PS_SANDBOX_MEMORY_BYTES, PS_SANDBOX_CPU_S,
                                                   PS_SANDBOX_FILE_BYTES};
    struct ps_err own = PS_ERR_INIT, why = PS_ERR_INIT;

    t->limits = t->process->limits ? t->process->limits : &usual;
    if (ps_child_start(&t->child, PS_IMPORTER_VERB, part, &own) == PS_OK &&
        begin_task(t, task, &own) == PS_OK)
        listen_to(t, &own);
    /* if the socket was closed, the exit status explains why */
    if (own.code == PS_INTERRUPTED && !t->has_ended)
        ps_child_explain(&t->child, t->limits, t->done, &why);
    ps_child_end(&t->child);
    close_scratches(t);
    if (t->full_err.code != PS_OK)
        own = t->full_err;
    else if (why.code != PS_OK)
        own = why;
    return ps_fail_copy(err, &own);
}

enum ps_status ps_import_process_run(const struct ps_import_process *process, const char *part,
                                     const char **kind_out, struct ps_err *err)
{
    struct import_session t = {.process = process};
    enum ps_status status = import_session(&t, "", part, err);

    *kind_out = t.kind;
    return status;
}

bool ps_import_process_may_be_archive(int fd)
{
    char bytes[PS_ARCHIVE_HEAD_SIZE];
    ssize_t got = pread(fd, bytes, sizeof bytes, 0);
    struct ps_str head = {bytes, got > 0 ? (size_t)got : 0};

    return ps_is_archive(head) || ps_str_starts_with(head, PS_STR("\x1f\x8b")) ||
           ps_str_starts_with(head, PS_STR("\x28\xb5\x2f\xfd"));
}

enum ps_status ps_import_process_unpack(const struct ps_import_process *process,
                                        ps_member_visit *visit, void *user, bool *archive_out,
                                        struct ps_err *err)
{
    struct import_session t = {.process = process, .visit = visit, .user = user};
    enum ps_status status = import_session(&t, PS_IMPORTER_ARCHIVE, "", err);

    *archive_out = t.archive;
    return status;
}

enum ps_status ps_import_process_merge(const struct ps_import_process *process, const char *folder,
                                       ps_import_process_next_file *next, void *user,
                                       struct ps_err *err)
{
    struct import_session t = {.process = process, .next_file = next, .user = user};

    return import_session(&t, PS_IMPORTER_MERGE, folder, err);
}
