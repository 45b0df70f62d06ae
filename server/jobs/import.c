/* SPDX-License-Identifier: MIT */
#include "server/jobs/import.h"

#include <stdlib.h>
#include <time.h>

#include "server/jobs/apart.h"

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

static double seconds_since(const struct timespec *start)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) * 1e-9;
}

/* A run of these bytes is there: say which. */
static bool found(struct ps_store *store, const char *sha256, struct ps_import_result *out)
{
    struct ps_run_brief brief;

    if (ps_store_find(store, sha256, out->id, NULL) != PS_OK || ps_run_outdated(store, out->id) ||
        ps_store_brief(store, out->id, &brief, NULL) != PS_OK)
        return false;
    out->already = true;
    out->kind = ps_static_kind(brief.kind);
    out->name = ps_strdup(ps_str_of(brief.name));
    out->rows = brief.rows;
    out->repaired = brief.repaired;
    out->rejected = brief.rejected;
    ps_run_brief_free(&brief);
    return true;
}

/* The import stops when the shelf turns out to have these bytes, or no room for more. */
struct watch {
    const struct ps_import_request *request;
    const struct ps_intake *intake;
    struct ps_part *part;
    struct ps_err full; /* the part became too large */
};

static bool on_progress(void *user, uint64_t done, uint64_t total, uint64_t records)
{
    struct watch *watch = user;
    const struct ps_import_request *request = watch->request;

    if (ps_intake_known(watch->intake) || ps_part_grown(watch->part, &watch->full) != PS_OK)
        return false;
    return !request->progress || request->progress(request->user, done, total, records);
}

static enum ps_status load(struct ps_store *store, struct watch *watch, const char **kind,
                           struct ps_err *err)
{
    const struct ps_apart apart = {
        .store = store,
        .fd = watch->request->fd,
        .limits = watch->request->limits,
        .progress = on_progress,
        .user = watch,
    };

    enum ps_status status = ps_apart_load(&apart, ps_part_path(watch->part), kind, err);

    if (watch->full.code != PS_OK)
        *err = watch->full;
    return watch->full.code != PS_OK ? watch->full.code : status;
}

static enum ps_status publish(struct ps_part *part, const struct ps_import_request *request,
                              struct ps_intake *intake, const struct ps_original *original,
                              struct ps_import_result *out, struct ps_err *err)
{
    const struct ps_new_run run = {
        .name = or_empty(request->name),
        .filename = or_empty(request->filename),
        .series = or_empty(request->series),
        .who = or_empty(request->who),
        .tags = request->tags,
        .n_tags = request->n_tags,
        .upload = request->upload,
    };
    struct ps_published published = {0};
    enum ps_status status = ps_intake_keep(intake, err);

    if (status == PS_OK)
        status = ps_part_publish(part, &run, out->kind, original, &published, err);
    else
        ps_part_abort(part);
    if (status != PS_OK)
        return status;
    memcpy(out->id, published.id, sizeof out->id);
    out->already = published.already;
    out->rows = published.rows;
    out->repaired = published.repaired;
    out->rejected = published.rejected;
    out->name = published.name;
    return PS_OK;
}

/* The file is hashed and kept in a thread and imported in another process. On failure nothing stays
 * behind. */
static enum ps_status import_beside(struct ps_store *store, const struct ps_import_request *request,
                                    struct ps_intake *intake, struct ps_original *original,
                                    struct ps_import_result *out, struct ps_err *err)
{
    struct watch watch = {.request = request, .intake = intake};
    struct ps_part *part = NULL;
    struct ps_err reading = PS_ERR_INIT;
    enum ps_status status = ps_part_create(store, &part, err), read;

    watch.part = part;
    if (status == PS_OK)
        status = load(store, &watch, &out->kind, err);
    read = ps_intake_wait(intake, status == PS_OK, original, &reading);
    if (read == PS_OK && found(store, original->sha256, out)) {
        ps_part_abort(part);
        *err = (struct ps_err)PS_ERR_INIT;
        return PS_OK;
    }
    if (status == PS_OK && read != PS_OK)
        *err = reading;
    if (status == PS_OK)
        status = read;
    if (status == PS_OK)
        return publish(part, request, intake, original, out, err);
    ps_part_abort(part);
    return status;
}

enum ps_status ps_import_file(struct ps_store *store, const struct ps_import_request *request,
                              struct ps_import_result *out, struct ps_err *err)
{
    struct ps_original original = {0};
    struct ps_intake *intake = NULL;
    struct ps_err own = PS_ERR_INIT;
    struct timespec start;
    enum ps_status status;

    *out = (struct ps_import_result){0};
    clock_gettime(CLOCK_MONOTONIC, &start);
    status = ps_intake_begin(store, "originals", request->fd, &intake, &own);
    if (status == PS_OK)
        status = import_beside(store, request, intake, &original, out, &own);
    ps_intake_end(intake);
    memcpy(out->sha256, original.sha256, sizeof out->sha256);
    out->bytes = original.bytes;
    if (!out->already || status != PS_OK) {
        const struct ps_log_entry entry = {
            or_empty(request->filename),    original.sha256,
            or_empty(request->who),         original.bytes,
            status == PS_OK ? out->id : "", &own,
            seconds_since(&start),
        };

        (void)ps_store_log(store, &entry, NULL);
    }
    if (err && err->code == PS_OK)
        *err = own;
    return status;
}

void ps_import_result_free(struct ps_import_result *result)
{
    free(result->name);
    result->name = NULL;
}

/* --- archives --------------------------------------------------------------------------------- */

struct all {
    struct ps_store *store;
    const struct ps_import_request *request;
    ps_import_told *told;
    void *user;
    struct ps_tag *tags; /* those of the request and archive=NAME */
    size_t n_tags, runs;
    struct ps_err first; /* failure of a profile */
    bool cancelled;
    uint64_t done, total, records; /* of the member that is imported */
};

static bool member_progress(void *user, uint64_t done, uint64_t total, uint64_t records)
{
    struct all *all = user;
    const struct ps_import_request *request = all->request;

    all->done = done;
    all->total = total;
    all->records = records;
    return !request->progress || request->progress(request->user, done, total, records);
}

/* Of taking the archive apart, which has no figures of its own. */
static bool archive_progress(void *user, uint64_t done, uint64_t total, uint64_t records)
{
    struct all *all = user;

    (void)done, (void)total, (void)records;
    return member_progress(all, all->done, all->total, all->records);
}

static bool import_member(void *user, const char *name, int fd, const struct ps_err *why)
{
    struct all *all = user;
    struct ps_import_result result = {0};
    struct ps_import_request request = *all->request;
    struct ps_err err = PS_ERR_INIT;
    enum ps_status status;

    request.fd = fd;
    request.filename = name;
    request.name = NULL; /* of several runs one name would tell nothing */
    request.tags = all->tags;
    request.n_tags = all->n_tags;
    request.progress = member_progress;
    request.user = all;
    if (fd < 0)
        err = *why;
    status = fd < 0 ? why->code : ps_import_file(all->store, &request, &result, &err);
    all->runs += status == PS_OK;
    if (status != PS_OK && fd >= 0 && all->first.code == PS_OK)
        all->first = err;
    all->cancelled = status == PS_CANCELLED;
    all->told(all->user, name, &result, &err);
    ps_import_result_free(&result);
    return !all->cancelled;
}

static void choose_tags(struct all *all)
{
    const struct ps_import_request *request = all->request;
    size_t n = request->n_tags;

    all->tags = ps_alloc((n + 1) * sizeof *all->tags);
    for (size_t i = 0; i < n; i++)
        all->tags[i] = request->tags[i];
    if (or_empty(request->filename)[0])
        all->tags[n++] = (struct ps_tag){"archive", request->filename};
    all->n_tags = n;
}

/* False: the file is not to be taken apart, with PS_OK, or cannot be. */
static bool import_members(struct all *all, enum ps_status *status, struct ps_err *err)
{
    const struct ps_import_request *request = all->request;
    const struct ps_apart apart = {
        .store = all->store,
        .fd = request->fd,
        .limits = request->limits,
        .progress = archive_progress,
        .user = all,
    };
    bool archive = false;

    choose_tags(all);
    *status = ps_apart_members(&apart, import_member, all, &archive, err);
    free(all->tags);
    if (*status == PS_OK && all->cancelled)
        *status = ps_fail(err, PS_CANCELLED, "the import was cancelled");
    if (*status == PS_OK && archive && !all->runs)
        ps_hint(err, "%s", all->first.hint);
    if (*status == PS_OK && archive && !all->runs)
        *status = ps_fail(err, all->first.code, "no profile in this archive could be imported: %s",
                          all->first.text);
    return archive;
}

enum ps_status ps_import_all(struct ps_store *store, const struct ps_import_request *request,
                             ps_import_told *told, void *user, struct ps_err *err)
{
    struct all all = {.store = store, .request = request, .told = told, .user = user};
    struct ps_import_result result = {0};
    enum ps_status status = PS_OK;

    if (ps_apart_may_be_archive(request->fd) &&
        (import_members(&all, &status, err) || status != PS_OK))
        return status;
    status = ps_import_file(store, request, &result, err);
    told(user, "", &result, err);
    ps_import_result_free(&result);
    return status;
}
