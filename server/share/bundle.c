/* SPDX-License-Identifier: MIT */
#include "server/share/bundle.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/archive.h"
#include "server/share/redaction.h"

struct bundle_state {
    struct ps_store *store; /* the shelf, or a private shelf with the redacted copies */
    const struct ps_bundle_options *options;
    bool originals;
    struct ps_archive_writer *tar;
};

/* --- bundle.json --- */

static void put_tags(const struct ps_share_labels *labels, struct ps_json *json)
{
    ps_json_key(json, "tags");
    ps_json_array(json);
    for (size_t i = 0; i < labels->n_tags; i++) {
        ps_json_array(json);
        ps_json_str(json, ps_str_from_c(labels->tags[i].key));
        ps_json_str(json, ps_str_from_c(labels->tags[i].value));
        ps_json_end(json);
    }
    ps_json_end(json);
}

static void put_sources(const struct ps_attached_list *list, size_t index, struct ps_json *json)
{
    char file[64];

    ps_json_key(json, "sources");
    ps_json_array(json);
    for (size_t i = 0; i < list->n; i++) {
        (void)snprintf(file, sizeof file, "%zu/source-%zu", index, i);
        ps_json_object(json);
        ps_json_key_str(json, "file", file);
        ps_json_key_str(json, "path", list->items[i].path);
        ps_json_key_bool(json, "changed", list->items[i].is_changed);
        ps_json_end(json);
    }
    ps_json_end(json);
}

static const char *member_name(const struct bundle_state *b, size_t index, char out[40])
{
    (void)snprintf(out, 40, "%zu/%s", index, b->originals ? "original" : "run");
    return out;
}

static enum ps_status put_run(struct bundle_state *b, size_t index, struct ps_json *json,
                              struct ps_err *err)
{
    const char *id = b->options->ids[index];
    struct ps_share_labels labels;
    struct ps_attached_list sources = {.n = 0};
    char file[40];

    if (ps_share_labels_read(b->store, id, &labels, err) == PS_OK &&
        ps_store_list_attached(b->store, id, &sources, err) == PS_OK) {
        ps_json_object(json);
        ps_json_key_str(json, "file", member_name(b, index, file));
        ps_json_key_str(json, "kind", labels.kind);
        ps_json_key_str(json, "name", labels.name);
        ps_json_key_str(json, "series", labels.series);
        if (labels.note[0])
            ps_json_key_str(json, "note", labels.note);
        put_tags(&labels, json);
        ps_json_key_str(json, "sha256", b->originals ? labels.sha256 : NULL);
        ps_json_key(json, "redacted");
        ps_reveal_write_json(b->options->redacted_categories, json);
        put_sources(&sources, index, json);
        ps_json_end(json);
    }
    ps_attached_free(&sources);
    ps_share_labels_free(&labels);
    return err->code;
}

static void put_side(const char *key, size_t from, size_t to, struct ps_json *json)
{
    ps_json_key(json, key);
    ps_json_array(json);
    for (size_t i = from; i < to; i++)
        ps_json_int(json, (int64_t)i);
    ps_json_end(json);
}

static enum ps_status put_about(struct bundle_state *b, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    struct ps_json json = ps_json_writer(&text);
    struct ps_stream *in;

    ps_json_object(&json);
    ps_json_key_int(&json, "format", 1);
    ps_json_key_str(&json, "perfshelf", PS_VERSION);
    ps_json_key(&json, "runs");
    ps_json_array(&json);
    for (size_t i = 0; err->code == PS_OK && i < b->options->n; i++)
        put_run(b, i, &json, err);
    if (err->code != PS_OK)
        return err->code;
    ps_json_end(&json);
    if (b->options->is_comparison) {
        put_side("base", 0, b->options->n_base, &json);
        put_side("new", b->options->n_base, b->options->n, &json);
    }
    ps_json_end(&json);
    in = ps_stream_from_memory(ps_buf_slice(&text), 0);
    ps_archive_writer_add(b->tar, PS_BUNDLE_NAME, text.len, in, err);
    ps_stream_free(in);
    return err->code;
}

/* --- Runs --- */

static enum ps_status put_original(struct bundle_state *b, size_t index, struct ps_err *err)
{
    char name[40];
    struct ps_stream *in = NULL;
    uint64_t bytes = 0;
    PS_AUTO(ps_close_fd) int fd = -1;

    if (ps_store_open_original(b->store, b->options->ids[index], &in, &fd, &bytes, err) == PS_OK)
        ps_archive_writer_add(b->tar, member_name(b, index, name), bytes, in, err);
    ps_stream_free(in);
    return err->code;
}

static bool as_it_is(void *user, struct ps_rewritten_row *row, struct ps_err *err)
{
    (void)user, (void)row, (void)err;
    return true;
}

/* Writes the run file as a member of the bundle, without its views and without the metadata that
 * ps_part_publish wrote. */
static enum ps_status put_run_file(struct bundle_state *b, size_t index, struct ps_err *err)
{
    const struct ps_rewrite_callbacks how = {.on_row = as_it_is, .on_end = ps_rewrite_drop_views};
    PS_AUTO(ps_free_ptr) char *path = NULL;
    PS_AUTO(ps_close_fd) int fd = -1;
    struct stat about;
    char name[40];
    struct ps_stream *in;

    if (ps_store_create_spool_file(b->store, &path, &fd, err) == PS_OK &&
        ps_share_rewrite_run(b->store, b->options->ids[index], path, &how, err) == PS_OK &&
        fstat(fd, &about) != 0)
        (void)ps_fail_errno(err, "cannot read", path);
    if (err->code == PS_OK) {
        in = ps_stream_from_fd(fd, (uint64_t)about.st_size);
        ps_archive_writer_add(b->tar, member_name(b, index, name), (uint64_t)about.st_size, in,
                              err);
        ps_stream_free(in);
    }
    if (path)
        (void)unlink(path);
    return err->code;
}

static enum ps_status put_source_files(struct bundle_state *b, size_t index, struct ps_err *err)
{
    struct ps_attached_list list = {.n = 0};
    const char *id = b->options->ids[index];

    ps_store_list_attached(b->store, id, &list, err);
    for (size_t i = 0; err->code == PS_OK && i < list.n; i++) {
        struct ps_source source = {.bytes = 0};
        struct ps_stream *in;
        char name[64];

        if (ps_store_source_get(b->store, id, list.items[i].path, true, &source, err) == PS_OK) {
            (void)snprintf(name, sizeof name, "%zu/source-%zu", index, i);
            in = ps_stream_from_memory(ps_buf_slice(&source.text), 0);
            ps_archive_writer_add(b->tar, name, source.text.len, in, err);
            ps_stream_free(in);
        }
        ps_buf_free(&source.text);
    }
    ps_attached_free(&list);
    return err->code;
}

static enum ps_status put_all(struct bundle_state *b, struct ps_err *err)
{
    put_about(b, err);
    for (size_t i = 0; err->code == PS_OK && i < b->options->n; i++)
        if ((b->originals ? put_original(b, i, err) : put_run_file(b, i, err)) == PS_OK)
            put_source_files(b, i, err);
    return err->code;
}

/* The original of a run that was imported from a bundle without its original is the shared run
 * file, which is exported unchanged. */
enum ps_status ps_bundle_write(struct ps_store *store, const struct ps_bundle_options *what, int fd,
                               struct ps_err *err)
{
    struct bundle_state b = {store, what, what->includes_originals && !what->redacted_categories,
                             NULL};
    struct ps_share_copy copy = {.store = NULL};
    struct ps_err end = PS_ERR_INIT;

    if (!b.originals) {
        ps_share_copy_rewritten(store, what->ids, what->n, what->redacted_categories, &copy, err);
        b.store = copy.store;
    }
    if (err->code == PS_OK) {
        b.tar = ps_archive_writer_new_zstd(fd);
        put_all(&b, err);
        (void)ps_archive_writer_end(b.tar, &end);
        (void)ps_fail_copy(err, &end);
    }
    ps_share_copy_free(&copy);
    return err->code;
}
