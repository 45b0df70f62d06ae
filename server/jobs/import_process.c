/* SPDX-License-Identifier: MIT */
#include "server/jobs/import_process.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/archive.h"
#include "importers/importer.h"
#include "server/jobs/importer_main.h"
#include "server/sandbox/child.h"

#define SCRATCH_MOST (2 * PS_MEMBERS_MAX) /* maximum number of temporary files of one import */

const char *ps_static_kind(const char *kind)
{
    size_t n;
    const struct ps_importer *const *importers = ps_importers(&n);

    for (size_t i = 0; i < n; i++)
        if (strcmp(importers[i]->kind, kind) == 0)
            return importers[i]->kind;
    return NULL; /* a kind of a newer version of perfshelf */
}

struct talk {
    const struct ps_apart *apart;
    const struct ps_sandbox_limits *limits;
    struct ps_child child;
    uint64_t done, total, records;
    unsigned scratches;
    bool ended;       /* the importer reported its result, or the caller stopped it */
    const char *kind; /* set when the profile was loaded */
    /* ps_apart_members only */
    ps_member_take *take;
    bool archive;
    /* ps_apart_merge only */
    ps_apart_next *next;
    void *user; /* for take or next */
};

static bool goes_on(void *user)
{
    const struct talk *t = user;
    const struct ps_apart *apart = t->apart;

    return !apart->progress || apart->progress(apart->user, t->done, t->total, t->records);
}

/* Sends the importer a temporary file or the reason why there is none. */
static enum ps_status give_scratch(struct talk *t, struct ps_err *err)
{
    struct ps_frame answer = {.type = PS_FRAME_FILE, .fd = -1};
    PS_AUTO(ps_free_ptr) char *path = NULL;
    enum ps_status status;

    if (++t->scratches > SCRATCH_MOST)
        ps_fail(&answer.err, PS_LIMIT, "more than %d temporary files", SCRATCH_MOST);
    else if (ps_store_spool(t->apart->store, &path, &answer.fd, &answer.err) == PS_OK)
        (void)unlink(path);
    status = ps_frame_send(t->child.socket, &answer, err);
    ps_close_fd(&answer.fd);
    return status;
}

/* Whether a descriptor from the importer is a regular file. */
static bool is_file(int fd)
{
    struct stat about;

    return fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
}

static enum ps_status broken(struct ps_err *err)
{
    return ps_fail(err, PS_INTERNAL, "importer protocol violation");
}

static enum ps_status take_member(struct talk *t, const struct ps_frame *frame, struct ps_err *err)
{
    const struct ps_frame go = {.type = PS_FRAME_GO, .fd = -1};

    if (!t->take || is_file(frame->fd) == (frame->err.code != PS_OK))
        return broken(err);
    t->archive = true;
    if (t->take(t->user, frame->word, frame->fd, &frame->err))
        return ps_frame_send(t->child.socket, &go, err);
    t->ended = true;
    return PS_OK;
}

static enum ps_status give_next(struct talk *t, struct ps_err *err)
{
    struct ps_apart_file file = {.fd = -1};
    struct ps_frame answer = {.type = PS_FRAME_FILE};
    enum ps_status status = t->next ? t->next(t->user, &file, err) : broken(err);

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

static enum ps_status take_end(struct talk *t, const struct ps_frame *frame, struct ps_err *err)
{
    t->ended = true;
    t->kind = ps_static_kind(frame->word);
    t->archive |= t->take && strcmp(frame->word, PS_IMPORTER_ARCHIVE) == 0;
    if (frame->err.code == PS_OK && !t->kind && !t->take && !t->next)
        return ps_fail(err, PS_INTERNAL, "importer protocol violation: no kind of file");
    if (frame->err.code != PS_OK)
        *err = frame->err;
    return frame->err.code;
}

static enum ps_status take(struct talk *t, const struct ps_frame *frame, struct ps_err *err)
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
        return take_member(t, frame, err);
    case PS_FRAME_NEXT:
        return give_next(t, err);
    case PS_FRAME_DONE:
        return take_end(t, frame, err);
    default:
        return broken(err);
    }
}

static enum ps_status begin(struct talk *t, const char *task, struct ps_err *err)
{
    struct ps_frame frame = {
        .type = PS_FRAME_BEGIN,
        .numbers = {t->limits->memory, t->limits->cpu_s, t->limits->file},
        .fd = t->apart->fd,
    };

    (void)snprintf(frame.word, sizeof frame.word, "%s", task);
    return ps_frame_send(t->child.socket, &frame, err);
}

static enum ps_status listen_to(struct talk *t, struct ps_err *err)
{
    enum ps_status status = PS_OK;

    while (status == PS_OK && !t->ended) {
        struct ps_frame frame;

        status = ps_child_receive(&t->child, goes_on, t, &frame, err);
        if (status == PS_OK)
            status = take(t, &frame, err);
        ps_close_fd(&frame.fd);
    }
    return status;
}

/* Runs one importer: start, messages, end. */
static enum ps_status talk(struct talk *t, const char *task, const char *part, struct ps_err *err)
{
    static const struct ps_sandbox_limits usual = {PS_SANDBOX_MEMORY, PS_SANDBOX_CPU_S,
                                                   PS_SANDBOX_FILE};
    struct ps_err own = PS_ERR_INIT, why = PS_ERR_INIT;
    enum ps_status status = ps_child_start(&t->child, PS_IMPORTER_VERB, part, &own);

    t->limits = t->apart->limits ? t->apart->limits : &usual;
    if (status == PS_OK)
        status = begin(t, task, &own);
    if (status == PS_OK)
        status = listen_to(t, &own);
    /* if the socket was closed, the exit status explains why */
    if (status == PS_INTERRUPTED && !t->ended)
        ps_child_explain(&t->child, t->limits, t->done, &why);
    ps_child_end(&t->child);
    if (why.code != PS_OK)
        own = why;
    return ps_fail_as(err, &own);
}

enum ps_status ps_apart_load(const struct ps_apart *apart, const char *part, const char **kind_out,
                             struct ps_err *err)
{
    struct talk t = {.apart = apart};
    enum ps_status status = talk(&t, "", part, err);

    *kind_out = t.kind;
    return status;
}

bool ps_apart_may_be_archive(int fd)
{
    char bytes[PS_ARCHIVE_HEAD];
    ssize_t got = pread(fd, bytes, sizeof bytes, 0);
    struct ps_str head = {bytes, got > 0 ? (size_t)got : 0};

    return ps_archive_is(head) || ps_str_starts(head, PS_STR("\x1f\x8b")) ||
           ps_str_starts(head, PS_STR("\x28\xb5\x2f\xfd"));
}

enum ps_status ps_apart_members(const struct ps_apart *apart, ps_member_take *take_one, void *user,
                                bool *archive_out, struct ps_err *err)
{
    struct talk t = {.apart = apart, .take = take_one, .user = user};
    enum ps_status status = talk(&t, PS_IMPORTER_ARCHIVE, "", err);

    *archive_out = t.archive;
    return status;
}

enum ps_status ps_apart_merge(const struct ps_apart *apart, ps_apart_next *next, void *user,
                              struct ps_err *err)
{
    struct talk t = {.apart = apart, .next = next, .user = user};

    return talk(&t, PS_IMPORTER_MERGE, "", err);
}
