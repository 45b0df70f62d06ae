/* SPDX-License-Identifier: MIT */
#include "server/share/redact.h"

#include <stdlib.h>

#include "base/file.h"
#include "server/catalog/temp_shelf.h"
#include "server/share/redaction.h"

const char *const ps_reveal_names[PS_N_REVEALS] = {"paths",     "hosts",  "people",
                                                   "arguments", "source", "labels"};

static unsigned bit_of(struct ps_str word)
{
    for (unsigned i = 0; i < PS_N_REVEALS; i++)
        if (ps_str_eq_c(word, ps_reveal_names[i]))
            return 1u << i;
    return ps_str_eq_c(word, "all") ? PS_REVEAL_ALL : 0;
}

enum ps_status ps_reveal_parse(const char *words, unsigned *out, struct ps_err *err)
{
    unsigned bits = 0;

    if (!words[0])
        return ps_fail(err, PS_BAD_REQUEST,
                       "no category to redact is given" PS_HINT
                       "give paths, hosts, people, arguments, source, labels, or all");
    while (*words) {
        struct ps_str word = {words, strcspn(words, ",")};
        unsigned bit = bit_of(word);

        if (!bit)
            return ps_fail(err, PS_BAD_REQUEST,
                           "unknown category to redact: %.*s" PS_HINT
                           "use paths, hosts, people, arguments, source, labels or all",
                           (int)(word.len < 40 ? word.len : 40), word.ptr);
        bits |= bit;
        words += word.len + (words[word.len] == ',');
    }
    *out = bits;
    return PS_OK;
}

/* --- Runs --- */

void ps_reveal_write_json(unsigned bits, struct ps_json *json)
{
    ps_json_array(json);
    for (unsigned i = 0; i < PS_N_REVEALS; i++)
        if (bits >> i & 1)
            ps_json_str(json, ps_str_from_c(ps_reveal_names[i]));
    ps_json_end(json);
}

static enum ps_status learn_sources(struct ps_redaction *r, struct ps_store *store, const char *id,
                                    struct ps_err *err)
{
    struct ps_attached_list list = {.n = 0};

    ps_store_list_attached(store, id, &list, err);
    for (size_t i = 0; err->code == PS_OK && i < list.n; i++) {
        struct ps_source source = {.bytes = 0};

        ps_store_source_get(store, id, list.items[i].path, true, &source, err);
        ps_scrub_learn(&r->scrub, ps_buf_slice(&source.text));
        ps_scrub_learn(&r->scrub, ps_str_from_c(list.items[i].path));
        ps_buf_free(&source.text);
    }
    ps_attached_free(&list);
    return err->code;
}

enum ps_status ps_share_rewrite_run(struct ps_store *store, const char *id, const char *path,
                                    const struct ps_rewrite_callbacks *how, struct ps_err *err)
{
    struct ps_db *from = NULL;

    if (ps_run_acquire(store, id, &from, err) == PS_OK)
        ps_rewrite_run(from, path, how, err);
    ps_run_release(from);
    return err->code;
}

static enum ps_status learn_run(struct ps_redaction *r, struct ps_store *store, const char *id,
                                struct ps_err *err)
{
    const struct ps_rewrite_callbacks how = {.on_row = ps_redact_row, .user = r};
    struct ps_share_labels labels;

    if (ps_share_labels_read(store, id, &labels, err) != PS_OK)
        return err->code;
    ps_share_labels_learn(r, &labels);
    ps_redact_begin_run(r, labels.kind);
    ps_share_labels_free(&labels);
    return learn_sources(r, store, id, err) == PS_OK
               ? ps_share_rewrite_run(store, id, NULL, &how, err)
               : err->code;
}

enum ps_status ps_redact_learn_names(struct ps_redaction *r, struct ps_store *store,
                                     const char (*ids)[PS_ID_SIZE], size_t n, struct ps_err *err)
{
    r->is_learning = true;
    for (size_t i = 0; err->code == PS_OK && i < n; i++)
        learn_run(r, store, ids[i], err);
    r->is_learning = false;
    return err->code;
}

/* Writes the redacted categories, a JSON array, into the summary of the run. */
static enum ps_status put_words(struct ps_db *to, struct ps_str words, struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    ps_db_prepare(to, ps_query_sql("summary_redacted"), &stmt, err);
    ps_bind_text(stmt, ":words", words);
    (void)ps_stmt_step(stmt, err);
    return err->code;
}

static enum ps_status end_file(void *user, struct ps_db *to, struct ps_err *err)
{
    struct ps_redaction *r = user;
    PS_AUTO(ps_buf_free) struct ps_buf shared = {0};
    PS_AUTO(ps_buf_free) struct ps_buf words = {0};
    PS_AUTO(ps_buf_free) struct ps_buf note = {0};
    struct ps_json json = ps_json_writer(&shared), list = ps_json_writer(&words);
    unsigned bits = r->scrub.redacted_categories | r->already_redacted;

    ps_json_object(&json);
    ps_json_key_str(&json, "kind", r->kind);
    ps_json_key_str(&json, "perfshelf", PS_VERSION);
    ps_json_key(&json, "redacted");
    ps_reveal_write_json(bits, &json);
    ps_json_end(&json);
    ps_reveal_write_json(bits, &list);
    ps_buf_puts(&note, PS_SHARED_NOTE);
    for (unsigned i = 0, n = 0; i < PS_N_REVEALS; i++)
        if (bits >> i & 1)
            ps_buf_printf(&note, "%s%s", n++ ? ", " : "; redacted: ", ps_reveal_names[i]);
    ps_rewrite_add_meta(to, PS_SHARED_KEY, ps_buf_slice(&shared), err);
    put_words(to, ps_buf_slice(&words), err);
    return ps_rewrite_add_note(to, ps_buf_slice(&note), err);
}

enum ps_status ps_redact_file(struct ps_redaction *r, struct ps_store *store, const char *id,
                              const char *path, struct ps_err *err)
{
    const struct ps_rewrite_callbacks how = {
        .on_row = ps_redact_row, .on_end = end_file, .user = r};
    struct ps_run_brief brief;

    if (ps_store_read_brief(store, id, &brief, err) != PS_OK)
        return err->code;
    ps_redact_begin_run(r, brief.kind);
    ps_run_brief_free(&brief);
    return ps_share_rewrite_run(store, id, path, &how, err);
}

/* --- Copies --- */

static enum ps_status publish_copy(struct ps_store *from, struct ps_store *to, const char *id,
                                   struct ps_part *part, const struct ps_share_labels *labels,
                                   struct ps_err *err)
{
    const struct ps_new_run run = {.name = labels->name,
                                   .filename = "",
                                   .series = labels->series,
                                   .user_name = labels->user_name,
                                   .note = labels->note,
                                   .tags = labels->tags,
                                   .n_tags = labels->n_tags};

    return ps_temp_shelf_publish(from, to, id, part, &run, err);
}

/* Copies an attached source, with scrubbed text and path. */
static enum ps_status copy_source(struct ps_redaction *r, struct ps_store *from,
                                  struct ps_store *to, const char *id,
                                  const struct ps_attached_source *attached, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf text = {0};
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    PS_AUTO(ps_free_ptr) char *file = NULL;
    PS_AUTO(ps_close_fd) int fd = -1;
    struct ps_source source = {.bytes = 0}, ignored;

    if (ps_store_source_get(from, id, attached->path, true, &source, err) == PS_OK &&
        ps_store_create_spool_file(to, &file, &fd, err) == PS_OK) {
        ps_scrub_text(&r->scrub, ps_buf_slice(&source.text), &text);
        ps_scrub_path(&r->scrub, ps_str_from_c(attached->path), &path);
        if (ps_write_all(fd, ps_buf_slice(&text), file, err) == PS_OK)
            ps_store_source_attach(to, id, path.ptr, fd, attached->is_changed, &ignored, err);
    }
    ps_buf_free(&source.text);
    return err->code;
}

static enum ps_status copy_sources(struct ps_redaction *r, struct ps_store *from,
                                   struct ps_store *to, const char *id, struct ps_err *err)
{
    struct ps_attached_list list = {.n = 0};

    if (!(r->scrub.redacted_categories & PS_REVEAL_SOURCE))
        ps_store_list_attached(from, id, &list, err);
    for (size_t i = 0; err->code == PS_OK && i < list.n; i++)
        copy_source(r, from, to, id, &list.items[i], err);
    ps_attached_free(&list);
    return err->code;
}

static enum ps_status copy_redacted(struct ps_redaction *r, struct ps_store *from,
                                    struct ps_store *to, const char *id, struct ps_err *err)
{
    struct ps_part *part = NULL;
    struct ps_share_labels labels;

    if (ps_share_labels_read(from, id, &labels, err) != PS_OK)
        return err->code;
    ps_share_labels_redact(r, &labels);
    if (ps_part_create(to, &part, err) == PS_OK &&
        ps_redact_file(r, from, id, ps_part_path(part), err) == PS_OK)
        publish_copy(from, to, id, part, &labels, err);
    else
        ps_part_abort(part);
    if (err->code == PS_OK)
        copy_sources(r, from, to, id, err);
    ps_share_labels_free(&labels);
    return err->code;
}

static enum ps_status copy_all(struct ps_store *from, const char (*ids)[PS_ID_SIZE], size_t n,
                               struct ps_share_copy *out, struct ps_err *err)
{
    struct ps_redaction *r = ps_alloc(sizeof *r);

    r->scrub.redacted_categories = out->redacted;
    ps_redact_learn_names(r, from, ids, n, err);
    for (size_t i = 0; err->code == PS_OK && i < n; i++)
        copy_redacted(r, from, out->store, ids[i], err);
    ps_redaction_free(r);
    free(r);
    return err->code;
}

enum ps_status ps_share_copy_rewritten(struct ps_store *from, const char (*ids)[PS_ID_SIZE],
                                       size_t n, unsigned redact, struct ps_share_copy *out,
                                       struct ps_err *err)
{
    *out = (struct ps_share_copy){.redacted = redact};
    if (ps_temp_shelf_open(from, &out->store, err) == PS_OK)
        copy_all(from, ids, n, out, err);
    if (err->code != PS_OK)
        ps_share_copy_free(out);
    return err->code;
}

enum ps_status ps_share_copy_runs(struct ps_store *from, const char (*ids)[PS_ID_SIZE], size_t n,
                                  unsigned redact, struct ps_share_copy *out, struct ps_err *err)
{
    if (redact)
        return ps_share_copy_rewritten(from, ids, n, redact, out, err);
    *out = (struct ps_share_copy){.redacted = 0};
    ps_temp_shelf_open(from, &out->store, err);
    for (size_t i = 0; err->code == PS_OK && i < n; i++)
        ps_temp_shelf_add_run(from, out->store, ids[i], err);
    if (err->code != PS_OK)
        ps_share_copy_free(out);
    return err->code;
}

void ps_share_copy_free(struct ps_share_copy *copy)
{
    ps_store_close(copy->store);
    *copy = (struct ps_share_copy){0};
}
