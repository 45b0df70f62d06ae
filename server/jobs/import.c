/* SPDX-License-Identifier: MIT */
#include "server/jobs/import.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "importers/importer.h"
#include "server/jobs/bundle.h"
#include "server/jobs/import_process.h"

#define AWAY_S 600 /* seconds that a store may be unreachable before imports fail */

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

static double seconds_since(int64_t start_ns)
{
    return (double)(ps_monotonic_ns() - start_ns) * 1e-9;
}

/* Fills out if the shelf already has an up-to-date run of these bytes. */
static bool find_existing(struct ps_store *store, const char *sha256, struct ps_import_result *out)
{
    struct ps_run_brief brief;

    if (ps_store_find_by_hash(store, sha256, out->id, PS_ERR_IGNORED) != PS_OK ||
        ps_run_is_outdated(store, out->id) ||
        ps_store_read_brief(store, out->id, &brief, PS_ERR_IGNORED) != PS_OK)
        return false;
    out->already_existed = true;
    out->kind = ps_kind_static_name(brief.kind);
    out->name = ps_strdup(ps_str_from_c(brief.name));
    out->rows = brief.rows;
    out->repaired = brief.repaired;
    out->rejected = brief.rejected;
    ps_run_brief_free(&brief);
    return true;
}

/* Stops the import if the shelf already has these bytes or has no space for more. */
struct watch {
    const struct ps_import_request *request;
    const struct ps_ingest *intake;
    struct ps_part *part;
    struct ps_err full_err; /* set if the part became too large */
};

static bool on_progress(void *user, uint64_t done, uint64_t total, uint64_t records)
{
    struct watch *watch = user;
    const struct ps_import_request *request = watch->request;

    if (ps_ingest_is_known(watch->intake) ||
        ps_part_reserve_growth(watch->part, &watch->full_err) != PS_OK)
        return false;
    return !request->progress || request->progress(request->user, done, total, records);
}

static enum ps_status load(struct ps_store *store, struct watch *watch, const char **kind,
                           struct ps_err *err)
{
    const struct ps_import_process process = {
        .store = store,
        .fd = watch->request->fd,
        .limits = watch->request->limits,
        .progress = on_progress,
        .user = watch,
    };

    enum ps_status status = ps_import_process_run(&process, ps_part_path(watch->part), kind, err);

    if (watch->full_err.code != PS_OK)
        *err = watch->full_err;
    return watch->full_err.code != PS_OK ? watch->full_err.code : status;
}

static enum ps_status publish_part(struct ps_part *part, const struct ps_import_request *request,
                                   struct ps_ingest *intake, const struct ps_original *original,
                                   struct ps_import_result *out, struct ps_err *err)
{
    const struct ps_new_run run = {
        .name = or_empty(request->name),
        .filename = or_empty(request->filename),
        .series = or_empty(request->series),
        .collection = or_empty(request->collection),
        .user_name = or_empty(request->user_name),
        .note = or_empty(request->note),
        .tags = request->tags,
        .n_tags = request->n_tags,
        .upload = request->upload,
        .is_reimport = request->is_reimport,
    };
    struct ps_published_run published = {0};

    if (ps_ingest_keep(intake, err) == PS_OK)
        ps_part_publish(part, &run, out->kind, original, &published, err);
    else
        ps_part_abort(part);
    if (err->code != PS_OK)
        return err->code;
    memcpy(out->id, published.id, sizeof out->id);
    out->already_existed = published.already_existed;
    out->rows = published.rows;
    out->repaired = published.repaired;
    out->rejected = published.rejected;
    out->name = published.name;
    return PS_OK;
}

/* Hashes and stores the file in a thread while another process imports it. A failure leaves
 * nothing. */
static enum ps_status import_in_process(struct ps_store *store,
                                        const struct ps_import_request *request,
                                        struct ps_ingest *intake, struct ps_original *original,
                                        struct ps_import_result *out, struct ps_err *err)
{
    struct watch watch = {.request = request, .intake = intake};
    struct ps_part *part = NULL;
    struct ps_err reading = PS_ERR_INIT;
    enum ps_status status = ps_part_create(store, &part, err), read;

    watch.part = part;
    if (status == PS_OK)
        status = load(store, &watch, &out->kind, err);
    read = ps_ingest_wait(intake, status == PS_OK, original, &reading);
    if (read == PS_OK && request->sha256 && strcmp(request->sha256, original->sha256) != 0)
        status = read = ps_fail(
            err, PS_BAD_INPUT, "its hash differs from the one in the bundle: the file was changed");
    if (read == PS_OK && find_existing(store, original->sha256, out)) {
        ps_part_abort(part);
        *err = (struct ps_err)PS_ERR_INIT;
        return PS_OK;
    }
    if (status == PS_OK && read != PS_OK)
        *err = reading;
    if (status == PS_OK)
        status = read;
    if (status == PS_OK)
        return publish_part(part, request, intake, original, out, err);
    ps_part_abort(part);
    return status;
}

static enum ps_status import_once(struct ps_store *store, const struct ps_import_request *request,
                                  struct ps_original *original, struct ps_import_result *out,
                                  struct ps_err *err)
{
    struct ps_ingest *intake = NULL;
    enum ps_status status = ps_ingest_begin(store, "originals", request->fd, &intake, err);

    *out = (struct ps_import_result){0};
    *original = (struct ps_original){0};
    if (status == PS_OK)
        status = import_in_process(store, request, intake, original, out, err);
    ps_ingest_end(intake);
    memcpy(out->sha256, original->sha256, sizeof out->sha256);
    out->bytes = original->bytes;
    return status;
}

static bool is_wanted(const struct ps_import_request *request)
{
    return !request->progress || request->progress(request->user, 0, 0, 0);
}

/* Replaces the reason of a file that is not a profile, if its name tells more than its bytes. */
static void describe_by_name(const char *filename, struct ps_err *err)
{
    const char *slash = filename ? strrchr(filename, '/') : NULL;
    struct ps_err named = PS_ERR_INIT;

    if (err->code == PS_UNKNOWN_KIND &&
        ps_is_xprof_cache(ps_str_from_c(slash ? slash + 1 : or_empty(filename)), &named))
        *err = named;
}

/* If the store is unreachable, the import is retried, so that an accepted upload is not lost. */
enum ps_status ps_import_file(struct ps_store *store, const struct ps_import_request *request,
                              struct ps_import_result *out, struct ps_err *err)
{
    struct ps_original original;
    struct ps_err own = PS_ERR_INIT;
    const int64_t start_ns = ps_monotonic_ns();
    enum ps_status status;

    while ((status = import_once(store, request, &original, out, &own)) == PS_UNAVAILABLE &&
           seconds_since(start_ns) < AWAY_S) {
        ps_sleep_ms(1000);
        own = (struct ps_err)PS_ERR_INIT;
        if (!is_wanted(request)) {
            status = ps_fail(&own, PS_CANCELLED, "the import was cancelled");
            break;
        }
    }
    describe_by_name(request->filename, &own);
    if ((!out->already_existed || status != PS_OK) && !(status == PS_FULL && request->is_retried)) {
        const struct ps_log_entry entry = {
            or_empty(request->filename),    original.sha256,
            or_empty(request->user_name),   original.bytes,
            status == PS_OK ? out->id : "", &own,
            seconds_since(start_ns),
        };

        /* the import itself was successful, or its own error says more */
        (void)ps_store_log_import(store, &entry, PS_ERR_IGNORED);
    }
    (void)ps_fail_copy(err, &own);
    return status;
}

void ps_import_result_free(struct ps_import_result *result)
{
    free(result->name);
    result->name = NULL;
}

struct archive_import {
    struct ps_store *store;
    const struct ps_import_request *request;
    ps_import_outcome_fn *on_outcome;
    void *user;
    struct ps_tag *tags; /* tags of the request and archive=NAME */
    size_t n_tags, runs;
    char *collection;         /* name of the archive without its suffix */
    struct ps_bundle *bundle; /* NULL if the archive is not a bundle */
    struct ps_err first_err;  /* first failure of a profile */
    bool cancelled;
    uint64_t done, total, records; /* progress of the current member */
};

static bool member_progress(void *user, uint64_t done, uint64_t total, uint64_t records)
{
    struct archive_import *archive_import = user;
    const struct ps_import_request *request = archive_import->request;

    archive_import->done = done;
    archive_import->total = total;
    archive_import->records = records;
    return !request->progress || request->progress(request->user, done, total, records);
}

/* Progress callback while the archive is unpacked, which has no progress values of its own. */
static bool archive_progress(void *user, uint64_t done, uint64_t total, uint64_t records)
{
    struct archive_import *archive_import = user;

    (void)done, (void)total, (void)records;
    return member_progress(archive_import, archive_import->done, archive_import->total,
                           archive_import->records);
}

static bool is_bundle(int fd)
{
    char bytes[PS_BUNDLE_HEAD_SIZE];
    ssize_t got = pread(fd, bytes, sizeof bytes, 0);

    return got > 0 && ps_is_bundle((struct ps_str){bytes, (size_t)got});
}

/* Returns the request for a member, without the name in the request for the archive: the name would
 * be the same for all runs. */
static struct ps_import_request member_request(struct archive_import *archive_import,
                                               const char *name, int fd)
{
    struct ps_import_request request = *archive_import->request;

    request.fd = fd;
    request.filename = name;
    request.collection = archive_import->collection;
    request.name = NULL;
    request.tags = archive_import->tags;
    request.n_tags = archive_import->n_tags;
    request.progress = member_progress;
    request.user = archive_import;
    return request;
}

/* Imports a member and reports the outcome. fd -1: only reports that it is skipped, with the
 * reason. */
static bool import_request(struct archive_import *archive_import,
                           const struct ps_import_request *request, const struct ps_err *why,
                           char id_out[PS_ID_SIZE])
{
    struct ps_import_result result = {0};
    struct ps_err err = PS_ERR_INIT;
    enum ps_status status;

    if (request->fd < 0)
        err = *why;
    status =
        request->fd < 0 ? why->code : ps_import_file(archive_import->store, request, &result, &err);
    archive_import->runs += status == PS_OK;
    if (status != PS_OK && request->fd >= 0 && archive_import->first_err.code == PS_OK)
        archive_import->first_err = err;
    archive_import->cancelled = status == PS_CANCELLED;
    archive_import->on_outcome(archive_import->user, request->filename, &result, &err);
    if (status == PS_OK)
        memcpy(id_out, result.id, PS_ID_SIZE);
    ps_import_result_free(&result);
    return !archive_import->cancelled;
}

/* Reports an invalid member of a bundle. Returns true: continue with the next one. */
static bool refuse_member(struct archive_import *archive_import, const char *name,
                          const struct ps_err *why)
{
    struct ps_import_result none = {0};

    if (archive_import->first_err.code == PS_OK)
        archive_import->first_err = *why;
    archive_import->on_outcome(archive_import->user, name, &none, why);
    return true;
}

static bool attach_source(struct archive_import *archive_import,
                          const struct ps_bundle_source *source, int fd)
{
    const char *id = archive_import->bundle->runs[source->run].id;
    struct ps_source attached;
    struct ps_err err = PS_ERR_INIT;

    if (!id[0] || ps_store_source_attach(archive_import->store, id, source->path, fd,
                                         source->changed, &attached, &err) == PS_OK)
        return true; /* its run could not be imported (no id) */
    return refuse_member(archive_import, source->path, &err);
}

/* Appends the tags of the request to those of the run: for equal keys the last one wins. */
static bool import_bundled(struct archive_import *archive_import, struct ps_bundle_run *run,
                           struct ps_import_request request)
{
    size_t n = run->n_tags;
    PS_AUTO(ps_free_ptr) struct ps_tag *tags = ps_grow(NULL, n + request.n_tags + 1, sizeof *tags);

    for (size_t i = 0; i < n; i++)
        tags[i] = run->tags[i];
    for (size_t i = 0; i < request.n_tags; i++)
        tags[n++] = request.tags[i];
    request.filename = request.name = run->name;
    request.series = or_empty(request.series)[0] ? request.series : run->series;
    request.note = or_empty(request.note)[0] ? request.note : run->note;
    request.tags = tags;
    request.n_tags = n;
    request.sha256 = run->sha256;
    return import_request(archive_import, &request, NULL, run->id);
}

static bool import_bundled_file(struct archive_import *archive_import, const char *name, int fd)
{
    struct ps_bundle_run *run = ps_bundle_run(archive_import->bundle, name);
    const struct ps_bundle_source *source = ps_bundle_source(archive_import->bundle, name);
    struct ps_err err = PS_ERR_INIT;

    if (run)
        return import_bundled(archive_import, run, member_request(archive_import, name, fd));
    if (source)
        return attach_source(archive_import, source, fd);
    (void)ps_fail(&err, PS_BAD_INPUT, "bundle.json does not list it");
    return refuse_member(archive_import, name, &err);
}

static bool import_member(void *user, const char *name, int fd, const struct ps_err *why)
{
    struct archive_import *archive_import = user;
    const struct ps_import_request request = member_request(archive_import, name, fd);
    struct ps_err err = PS_ERR_INIT;
    char id[PS_ID_SIZE];

    if (archive_import->bundle && fd >= 0)
        return import_bundled_file(archive_import, name, fd);
    if (fd < 0 || archive_import->runs || strcmp(name, PS_BUNDLE_NAME) != 0 || !is_bundle(fd))
        return import_request(archive_import, &request, why, id);
    archive_import->n_tags = archive_import->request->n_tags; /* without archive=NAME */
    if (ps_bundle_read(fd, &archive_import->bundle, &err) == PS_OK)
        return true;
    (void)refuse_member(archive_import, name, &err);
    return false;
}

static void choose_tags(struct archive_import *archive_import)
{
    const struct ps_import_request *request = archive_import->request;
    size_t n = request->n_tags;

    archive_import->tags = ps_alloc_array(n + 1, sizeof *archive_import->tags);
    for (size_t i = 0; i < n; i++)
        archive_import->tags[i] = request->tags[i];
    if (or_empty(request->filename)[0])
        archive_import->tags[n++] = (struct ps_tag){"archive", request->filename};
    archive_import->n_tags = n;
}

/* The name of an archive without its folder and suffix. The caller frees it. */
static char *collection_name(const char *filename)
{
    static const char *const suffixes[] = {".gz", ".tgz", ".zst", ".xz", ".tar", ".zip"};
    const char *slash = strrchr(filename, '/');
    struct ps_str name = ps_str_from_c(slash ? slash + 1 : filename);

    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (ps_str_ends_with(name, ps_str_from_c(suffixes[i])))
            name.len -= strlen(suffixes[i]);
    return ps_strdup(name);
}

/* Returns false if the file is not an archive to be unpacked (*status is PS_OK), or if that is not
 * known (*status is an error). */
static bool import_members(struct archive_import *archive_import, enum ps_status *status,
                           struct ps_err *err)
{
    const struct ps_import_request *request = archive_import->request;
    const struct ps_import_process process = {
        .store = archive_import->store,
        .fd = request->fd,
        .limits = request->limits,
        .progress = archive_progress,
        .user = archive_import,
    };
    bool archive = false;

    choose_tags(archive_import);
    archive_import->collection = collection_name(or_empty(request->filename));
    *status = ps_import_process_unpack(&process, import_member, archive_import, &archive, err);
    free(archive_import->tags);
    free(archive_import->collection);
    ps_bundle_free(archive_import->bundle);
    if (*status == PS_OK && archive_import->cancelled)
        *status = ps_fail(err, PS_CANCELLED, "the import was cancelled");
    if (*status == PS_OK && archive && !archive_import->runs)
        *status = ps_fail(err, archive_import->first_err.code,
                          "no profile in this archive could be imported: %s" PS_HINT "%s",
                          archive_import->first_err.text, archive_import->first_err.hint);
    return archive;
}

/* Logs a failure of the archive itself: its members have their own rows. */
static void log_archive(const struct archive_import *archive_import, int64_t start_ns,
                        const struct ps_err *err)
{
    const struct ps_import_request *request = archive_import->request;
    struct stat about = {0};
    const struct ps_log_entry entry = {
        .name = or_empty(request->filename),
        .sha256 = "",
        .user_name = or_empty(request->user_name),
        .bytes = fstat(request->fd, &about) == 0 ? (uint64_t)about.st_size : 0,
        .run_id = "",
        .err = err,
        .seconds = seconds_since(start_ns),
    };

    (void)ps_store_log_import(archive_import->store, &entry, PS_ERR_IGNORED); /* err says more */
}

enum ps_status ps_import_all(struct ps_store *store, const struct ps_import_request *request,
                             ps_import_outcome_fn *on_outcome, void *user, struct ps_err *err)
{
    struct archive_import archive_import = {
        .store = store, .request = request, .on_outcome = on_outcome, .user = user};
    struct ps_import_result result = {0};
    const int64_t start_ns = ps_monotonic_ns();
    enum ps_status status = PS_OK;
    bool archive;

    archive = ps_import_process_may_be_archive(request->fd) &&
              import_members(&archive_import, &status, err);
    if (status != PS_OK)
        log_archive(&archive_import, start_ns, err);
    if (archive || status != PS_OK)
        return status;
    status = ps_import_file(store, request, &result, err);
    on_outcome(user, "", &result, err);
    ps_import_result_free(&result);
    return status;
}
