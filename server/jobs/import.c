/* SPDX-License-Identifier: MIT */
#include "server/jobs/import.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "importers/importer.h"

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

static const char *static_kind(const char *kind)
{
    size_t n;
    const struct ps_importer *const *importers = ps_importers(&n);

    for (size_t i = 0; i < n; i++)
        if (strcmp(importers[i]->kind, kind) == 0)
            return importers[i]->kind;
    return NULL; /* a kind of a newer perfshelf */
}

/* A run of these bytes is there: say which. */
static bool found(struct ps_store *store, const char *sha256, struct ps_import_result *out)
{
    struct ps_run_brief brief;

    if (ps_store_find(store, sha256, out->id, NULL) != PS_OK ||
        ps_store_brief(store, out->id, &brief, NULL) != PS_OK)
        return false;
    out->already = true;
    out->kind = static_kind(brief.kind);
    out->name = brief.name;
    out->rows = brief.rows;
    out->repaired = brief.repaired;
    out->rejected = brief.rejected;
    return true;
}

static enum ps_status load(struct ps_writer *writer, const struct ps_import_request *request,
                           uint64_t bytes, const struct ps_importer **picked, struct ps_err *err)
{
    struct ps_sink *sink = ps_writer_sink(writer);
    enum ps_status status;

    if (lseek(request->fd, 0, SEEK_SET) < 0)
        return ps_fail_errno(err, "cannot read", or_empty(request->filename));
    status = ps_import_stream(ps_stream_fd(request->fd, bytes), sink, picked, err);
    if (status == PS_OK && !ps_sink_ok(sink)) {
        *err = sink->err;
        status = err->code;
    }
    return status;
}

/* Everything behind the hash. On failure nothing stays behind. */
static enum ps_status import_new(struct ps_store *store, const struct ps_import_request *request,
                                 const struct ps_original *original, struct ps_import_result *out,
                                 struct ps_err *err)
{
    const struct ps_new_run run = {
        .original = original,
        .name = or_empty(request->name),
        .filename = or_empty(request->filename),
        .series = or_empty(request->series),
        .who = or_empty(request->who),
        .tags = request->tags,
        .n_tags = request->n_tags,
        .progress = request->progress,
        .user = request->user,
    };
    const struct ps_importer *picked = NULL;
    struct ps_published published = {0};
    struct ps_writer *writer = NULL;
    enum ps_status status = ps_writer_create(store, &run, &writer, err);

    if (status != PS_OK)
        return status;
    status = load(writer, request, original->bytes, &picked, err);
    out->kind = picked ? picked->kind : NULL;
    if (status == PS_OK)
        status = ps_store_keep(store, request->fd, original, err);
    if (status != PS_OK) {
        ps_writer_abort(writer);
        return status;
    }
    status = ps_writer_publish(writer, picked->kind, &published, err);
    if (status != PS_OK) {
        ps_store_unkeep(store, original->sha256);
        return status;
    }
    memcpy(out->id, published.id, sizeof out->id);
    out->already = published.already;
    out->rows = published.rows;
    out->repaired = published.repaired;
    out->rejected = published.rejected;
    out->name = published.name;
    return PS_OK;
}

enum ps_status ps_import_file(struct ps_store *store, const struct ps_import_request *request,
                              struct ps_import_result *out, struct ps_err *err)
{
    struct ps_original original = {0};
    struct ps_err own = PS_ERR_INIT;
    struct timespec start;
    enum ps_status status;

    *out = (struct ps_import_result){0};
    clock_gettime(CLOCK_MONOTONIC, &start);
    status = ps_store_hash(request->fd, &original, &own);
    memcpy(out->sha256, original.sha256, sizeof out->sha256);
    out->bytes = original.bytes;
    if (status == PS_OK && !found(store, original.sha256, out))
        status = import_new(store, request, &original, out, &own);
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
