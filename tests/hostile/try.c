/* SPDX-License-Identifier: MIT */
/* try.c: one input on its whole way, and what has to hold of it. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/utf8.h"
#include "importers/records/run.h"
#include "server/jobs/members.h"
#include "server/runwrite/checks.h"
#include "server/runwrite/validate.h"
#include "tests/hostile/hostile.h"
#include "tests/run_queries.h"

struct trying {
    struct test_shelf *shelf;
    struct tally *tally;
    bool written, asked; /* it becomes a run file; that is published and asked */
};

static bool wrong(const struct trying *t, const char *what, const char *more)
{
    (void)snprintf(t->tally->failure, sizeof t->tally->failure, "%s: %s", what, more);
    return false;
}

/* How far an offset in it may point: bytes of the file as it is, and of what lies inside it. */
static uint64_t bytes_inside(int fd)
{
    static const struct ps_stream_limits limits = {(uint64_t)8 << 30, 1000};
    off_t size = lseek(fd, 0, SEEK_END);
    struct ps_stream *in;
    struct ps_str bytes;
    uint64_t at;

    (void)lseek(fd, 0, SEEK_SET);
    in = ps_stream_decompress(ps_stream_from_fd(fd, 0), &limits);
    while ((bytes = ps_stream_peek(in, 1)).len)
        ps_stream_skip(in, bytes.len);
    at = ps_stream_offset(in);
    ps_stream_free(in);
    return at > (uint64_t)size ? at : (uint64_t)size;
}

static bool can_be_shown(const char *text)
{
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            return false;
    return text[0] && ps_utf8_is_valid(ps_str_from_c(text));
}

/* One sentence that says what is wrong, and a place that is in the file. */
static bool check_refusal(const struct trying *t, int fd, enum ps_status status,
                          const struct ps_err *err)
{
    char line[800];

    (void)ps_err_format(err, line, sizeof line);
    if (status != err->code)
        return wrong(t, "its error says another status", line);
    if (status != PS_BAD_INPUT && status != PS_UNKNOWN_KIND && status != PS_LIMIT)
        return wrong(t, "it is refused for a reason that is not its own", line);
    if (!can_be_shown(line))
        return wrong(t, "its error cannot be shown", line);
    if (err->has_offset && err->offset > bytes_inside(fd))
        return wrong(t, "its error is at a byte behind its end", line);
    return true;
}

static bool check_ledger(const struct trying *t, int fd, const struct import_outcome *said)
{
    const struct ps_ledger *l = &said->ledger;
    char text[200];

    (void)snprintf(
        text, sizeof text, "%llu read, %llu stored, %llu repaired, %llu rejected, %llu other",
        (unsigned long long)l->read, (unsigned long long)l->stored, (unsigned long long)l->repaired,
        (unsigned long long)l->rejected, (unsigned long long)l->other);
    if (!said->has_ledger || l->read != l->stored + l->repaired + l->rejected + l->other)
        return wrong(t, "its ledger does not add up", text);
    (void)snprintf(text, sizeof text, "%llu", (unsigned long long)said->last_note);
    if (said->last_note > bytes_inside(fd))
        return wrong(t, "a note is at a byte behind its end", text);
    return true;
}

/* What an import of this perfshelf wrote keeps the rules that imports of others are held to. */
static bool is_valid(const struct ps_part *part, struct ps_err *err)
{
    struct ps_db *db = NULL;
    bool valid = ps_check_open_run(ps_part_path(part), &db, err) == PS_OK &&
                 ps_run_validate(db, err) == PS_OK;

    ps_db_close(db);
    return valid;
}

static bool ask_everything(const struct trying *t, struct ps_part *part, const char *kind)
{
    char id[PS_ID_SIZE], what[300];
    struct ps_err err = PS_ERR_INIT;

    t->tally->asked++;
    if (!is_valid(part, &err)) {
        ps_part_abort(part);
        return wrong(t, "it was imported and its run file breaks a rule", err.text);
    }
    if (test_shelf_publish(t->shelf, part, kind, id, &err) != PS_OK)
        return wrong(t, "it was imported and is not published", err.text);
    for (size_t i = 0; i < run_queries_count(kind); i++) {
        struct ps_err own = PS_ERR_INIT;

        (void)snprintf(what, sizeof what, "asked for %s it fails", run_query_name(kind, i));
        (void)snprintf(t->tally->failure, sizeof t->tally->failure, "%s", what);
        if (!is_expected_status(run_query(t->shelf->store, id, id, kind, i, &own)))
            return wrong(t, what, own.text);
    }
    t->tally->failure[0] = '\0';
    if (ps_store_remove_run(t->shelf->store, id, "", &err) != PS_OK)
        return wrong(t, "its run cannot be removed", err.text);
    return true;
}

static bool try_file_at(const struct trying *t, int fd)
{
    struct ps_err err = PS_ERR_INIT;
    struct ps_part *part = NULL;
    struct import_outcome said;
    enum ps_status status;
    bool good;

    limit_time();
    status = t->written ? test_shelf_import(t->shelf, fd, &said, &part, &err)
                        : test_shelf_read(fd, &said, &err);
    if (status != PS_OK) {
        t->tally->refused++;
        return check_refusal(t, fd, status, &err);
    }
    t->tally->accepted++;
    good = check_ledger(t, fd, &said);
    if (good && t->asked)
        return ask_everything(t, part, said.picked->kind);
    ps_part_abort(part);
    return good;
}

struct members {
    const struct trying *trying;
    bool good;
};

static int scratch(void *user, struct ps_err *err)
{
    int fd = memfd_create("member", MFD_CLOEXEC);

    (void)user;
    if (fd < 0)
        ps_fail_errno(err, "cannot make", "memory");
    return fd;
}

static bool take(void *user, const char *name, int fd, const struct ps_err *why)
{
    struct members *m = user;

    (void)name;
    if (fd >= 0)
        m->good = try_file_at(m->trying, fd);
    else if (!can_be_shown(why->text))
        m->good = wrong(m->trying, "why a member is left out cannot be shown", why->text);
    return m->good;
}

static bool try_archive(const struct trying *t, int fd)
{
    struct members m = {t, true};
    struct ps_members *members = NULL;
    struct ps_err err = PS_ERR_INIT;
    enum ps_status status = ps_members_read(fd, &members, &err);

    if (status == PS_OK && members)
        status = ps_members_each(members, scratch, take, &m, &err);
    else if (status == PS_OK)
        return try_file_at(t, fd);
    ps_members_free(members);
    if (!m.good || status == PS_OK)
        return m.good;
    t->tally->refused++;
    return check_refusal(t, fd, status, &err);
}

bool check_input(struct test_shelf *shelf, const struct format *format, const struct plan *plan,
                 struct ps_str bytes, struct tally *tally)
{
    bool asked = plan->asked && tally->current % plan->asked == 0;
    const struct trying t = {
        shelf, tally, asked || (plan->written && tally->current % plan->written == 0), asked};
    int fd = memory_file(bytes);
    bool good = format->archive ? try_archive(&t, fd) : try_file_at(&t, fd);

    (void)close(fd);
    return good;
}
