/* SPDX-License-Identifier: MIT */
#include "server/jobs/apart.h"

#include <stdlib.h>
#include <unistd.h>

#include "importers/importer.h"
#include "server/jobs/importer.h"
#include "server/sandbox/child.h"

#define SCRATCH_MOST 1000 /* temporary files of one import */

static const struct ps_sandbox_limits usual = {PS_SANDBOX_MEMORY, PS_SANDBOX_CPU_S,
                                               PS_SANDBOX_FILE};

const char *ps_static_kind(const char *kind)
{
    size_t n;
    const struct ps_importer *const *importers = ps_importers(&n);

    for (size_t i = 0; i < n; i++)
        if (strcmp(importers[i]->kind, kind) == 0)
            return importers[i]->kind;
    return NULL; /* a kind of a newer perfshelf */
}

struct talk {
    const struct ps_apart *apart;
    const struct ps_sandbox_limits *limits;
    struct ps_child child;
    uint64_t done, total, records;
    unsigned scratches;
    bool ended;       /* it said so */
    const char *kind; /* once it has */
};

static bool goes_on(void *user)
{
    const struct talk *t = user;
    const struct ps_apart *apart = t->apart;

    return apart->progress(apart->user, t->done, t->total, t->records);
}

/* What the importer asks for: a temporary file, or why it gets none. */
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
    case PS_FRAME_DONE:
        t->ended = true;
        t->kind = ps_static_kind(frame->word);
        if (frame->err.code == PS_OK && !t->kind)
            return ps_fail(err, PS_INTERNAL, "the importer does not say what the file is");
        if (frame->err.code != PS_OK)
            *err = frame->err;
        return frame->err.code;
    default:
        return ps_fail(err, PS_INTERNAL, "the importer does not keep to what is agreed");
    }
}

static enum ps_status begin(struct talk *t, struct ps_err *err)
{
    const struct ps_frame frame = {
        .type = PS_FRAME_BEGIN,
        .numbers = {t->limits->memory, t->limits->cpu_s, t->limits->file},
        .fd = t->apart->fd,
    };

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

enum ps_status ps_apart_load(const struct ps_apart *apart, const char *part, const char **kind_out,
                             struct ps_err *err)
{
    struct talk t = {.apart = apart, .limits = apart->limits ? apart->limits : &usual};
    struct ps_err own = PS_ERR_INIT, why = PS_ERR_INIT;
    enum ps_status status = ps_child_start(&t.child, PS_IMPORTER_VERB, part, &own);

    *kind_out = NULL;
    if (status == PS_OK)
        status = begin(&t, &own);
    if (status == PS_OK)
        status = listen_to(&t, &own);
    /* a socket that is closed tells nothing; its end does */
    ps_child_end(&t.child, t.limits, t.done, status == PS_INTERRUPTED && !t.ended ? &why : NULL);
    if (why.code != PS_OK)
        own = why;
    *kind_out = t.kind;
    if (own.code != PS_OK && err && err->code == PS_OK)
        *err = own;
    return own.code;
}
