/* SPDX-License-Identifier: MIT */
/* labels.c: reads and redacts the labels that users gave a run. */
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "server/share/redaction.h"

static const char *copy_column(struct ps_share_labels *labels, struct ps_stmt *stmt, int column)
{
    struct ps_str text = ps_col_text(stmt, column);

    return ps_arena_copy(&labels->arena, text.ptr ? text : PS_STR("")).ptr;
}

static enum ps_status read_run(struct ps_db *db, const char *id, struct ps_share_labels *out,
                               struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;

    if (ps_stmt_open_for_run(db, "run_labels", id, &stmt, err) != PS_OK)
        return err->code;
    (void)snprintf(out->kind, sizeof out->kind, "%s", copy_column(out, stmt, 0));
    (void)snprintf(out->sha256, sizeof out->sha256, "%s", copy_column(out, stmt, 1));
    out->bytes = (uint64_t)ps_col_int(stmt, 2);
    out->name = copy_column(out, stmt, 3);
    out->series = copy_column(out, stmt, 4);
    out->user_name = copy_column(out, stmt, 5);
    out->note = copy_column(out, stmt, 6);
    return PS_OK;
}

static enum ps_status read_tags(struct ps_db *db, const char *id, struct ps_share_labels *out,
                                struct ps_err *err)
{
    PS_AUTO(ps_stmt_auto) struct ps_stmt *stmt = NULL;
    size_t cap = 0;

    ps_db_prepare(db, ps_query_sql("run_tags"), &stmt, err);
    ps_bind_text(stmt, ":id", ps_str_from_c(id));
    while (ps_stmt_step(stmt, err)) {
        PS_RESERVE_ONE(out->tags, out->n_tags, cap);
        out->tags[out->n_tags].key = copy_column(out, stmt, 0);
        out->tags[out->n_tags++].value = copy_column(out, stmt, 1);
    }
    return err->code;
}

enum ps_status ps_share_labels_read(struct ps_store *store, const char *id,
                                    struct ps_share_labels *out, struct ps_err *err)
{
    struct ps_db *db = ps_catalog_lock(store);

    *out = (struct ps_share_labels){.bytes = 0};
    read_run(db, id, out, err);
    read_tags(db, id, out, err);
    ps_catalog_unlock(store);
    if (err->code != PS_OK)
        ps_share_labels_free(out);
    return err->code;
}

void ps_share_labels_free(struct ps_share_labels *labels)
{
    free(labels->tags);
    ps_arena_free(&labels->arena);
    *labels = (struct ps_share_labels){.bytes = 0};
}

/* --- Learning --- */

void ps_share_labels_learn(struct ps_redaction *r, const struct ps_share_labels *labels)
{
    const char *const texts[] = {labels->name, labels->series};

    if (labels->user_name[0])
        ps_scrub_learn_person(&r->scrub, ps_str_from_c(labels->user_name));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ps_scrub_learn(&r->scrub, ps_str_from_c(texts[i]));
        if (texts[i][0])
            ps_scrub_record_example(&r->scrub, PS_REVEAL_LABELS, ps_str_from_c(texts[i]),
                                    i ? "left out" : labels->kind);
    }
    ps_scrub_learn(&r->scrub, ps_str_from_c(labels->note));
    if (labels->note[0])
        ps_scrub_record_example(&r->scrub, PS_REVEAL_LABELS, ps_str_from_c(labels->note),
                                "left out");
    for (size_t i = 0; i < labels->n_tags; i++) {
        struct ps_str value = ps_str_from_c(labels->tags[i].value);
        unsigned says = ps_scrub_key_category(ps_str_from_c(labels->tags[i].key));
        PS_AUTO(ps_buf_free) struct ps_buf tag = {0};

        if (says == PS_REVEAL_HOSTS)
            ps_scrub_learn_host(&r->scrub, value);
        else if (says == PS_REVEAL_PEOPLE)
            ps_scrub_learn_person(&r->scrub, value);
        ps_scrub_learn(&r->scrub, value);
        ps_buf_printf(&tag, "%s=%s", labels->tags[i].key, labels->tags[i].value);
        ps_scrub_record_example(&r->scrub, PS_REVEAL_LABELS, ps_buf_slice(&tag), "left out");
    }
}

/* --- Names that are commands --- */

/* Whether `perfshelf record` truncated the name: it ends with "…". */
static bool is_truncated(struct ps_str text)
{
    const struct ps_str dots = PS_STR("…");

    return text.len >= dots.len && memcmp(text.ptr + text.len - dots.len, dots.ptr, dots.len) == 0;
}

/* Appends the text without white space, quotes and backslashes, since the name and the tag of a run
 * may quote the same command differently. */
static void append_unquoted(struct ps_str text, struct ps_buf *out)
{
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] > ' ' && !strchr("'\"\\", text.ptr[i]))
            ps_buf_add(out, text.ptr + i, 1);
}

/* Removes the hash from the name of a series that `perfshelf record` chose: "app.py a b c…
 * 0123abcd". */
static struct ps_str without_hash(struct ps_str text)
{
    const size_t hash = 9; /* length of the hash and the space before it */
    struct ps_str rest = {text.ptr, text.len > hash ? text.len - hash : 0};

    if (!is_truncated(rest) || text.ptr[rest.len] != ' ' ||
        strspn(text.ptr + rest.len + 1, "0123456789abcdef") < hash - 1)
        return text;
    return rest;
}

static bool occurs_in_command(const struct ps_share_labels *labels, struct ps_str text)
{
    PS_AUTO(ps_buf_free) struct ps_buf bare = {0};

    append_unquoted(text, &bare);
    for (size_t i = 0; i < labels->n_tags && bare.len; i++) {
        PS_AUTO(ps_buf_free) struct ps_buf command = {0};

        if (ps_scrub_key_category(ps_str_from_c(labels->tags[i].key)) != PS_REVEAL_ARGUMENTS)
            continue;
        append_unquoted(ps_str_from_c(labels->tags[i].value), &command);
        if (ps_str_find(ps_buf_slice(&command), ps_buf_slice(&bare)))
            return true;
    }
    return false;
}

/* Whether a name or a series is the measured command: `perfshelf record` names runs and series
 * after the program and its arguments. A truncated name is a command even if no tag contains the
 * command, since users can edit tags. */
static bool is_command(const struct ps_share_labels *labels, const char *label)
{
    struct ps_str text = without_hash(ps_str_from_c(label));

    return is_truncated(text) || occurs_in_command(labels, text);
}

static const char *scrub_label(struct ps_redaction *r, struct ps_share_labels *labels,
                               const char *text, bool command)
{
    PS_AUTO(ps_buf_free) struct ps_buf out = {0};

    if (command)
        ps_scrub_command(&r->scrub, ps_str_from_c(text), &out);
    else
        ps_scrub_text(&r->scrub, ps_str_from_c(text), &out);
    return out.len ? ps_arena_copy(&labels->arena, ps_buf_slice(&out)).ptr : "";
}

static const char *replace_label(struct ps_redaction *r, struct ps_share_labels *labels,
                                 const char *text,
                                 void (*act)(struct ps_scrub *, struct ps_str, struct ps_buf *))
{
    PS_AUTO(ps_buf_free) struct ps_buf out = {0};

    act(&r->scrub, ps_str_from_c(text), &out);
    return out.len ? ps_arena_copy(&labels->arena, ps_buf_slice(&out)).ptr : "";
}

/* Whether the value of this tag is a command line, whose program can be kept. */
static bool is_command_key(const char *key)
{
    static const char *const keys[] = {"command", "cmd", "cmdline", "command_line"};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcasecmp(keys[i], key) == 0)
            return true;
    return false;
}

static void put_arguments(struct ps_scrub *scrub, struct ps_str value, struct ps_buf *out)
{
    if (!value.len)
        return;
    ps_scrub_arguments(scrub, value, out);
    ps_scrub_record_example(scrub, PS_REVEAL_ARGUMENTS, value, out->ptr);
}

static const char *tag_value(struct ps_redaction *r, struct ps_share_labels *labels,
                             const struct ps_tag *tag)
{
    unsigned says = ps_scrub_key_category(ps_str_from_c(tag->key)) & r->scrub.redacted_categories;

    if (says == PS_REVEAL_HOSTS)
        return replace_label(r, labels, tag->value, ps_scrub_host);
    if (says == PS_REVEAL_PEOPLE)
        return replace_label(r, labels, tag->value, ps_scrub_person);
    if (says == PS_REVEAL_ARGUMENTS && !is_command_key(tag->key))
        return replace_label(r, labels, tag->value, put_arguments);
    return scrub_label(r, labels, tag->value, says == PS_REVEAL_ARGUMENTS);
}

void ps_share_labels_redact(struct ps_redaction *r, struct ps_share_labels *labels)
{
    unsigned redact = r->scrub.redacted_categories;
    bool is_name_command =
        ps_kind_has_command_names(labels->kind) || is_command(labels, labels->name);

    if (redact) /* a note is free text, in which no rule finds all values */
        labels->note = "";
    if (redact & (PS_REVEAL_PEOPLE | PS_REVEAL_LABELS))
        labels->user_name = "";
    if (redact & PS_REVEAL_LABELS) {
        labels->name = labels->kind;
        labels->series = "";
        labels->n_tags = 0;
        return;
    }
    labels->name = scrub_label(r, labels, labels->name, is_name_command);
    labels->series = scrub_label(r, labels, labels->series, is_command(labels, labels->series));
    for (size_t i = 0; i < labels->n_tags; i++)
        labels->tags[i].value = tag_value(r, labels, &labels->tags[i]);
}

enum ps_status ps_share_labels_preview(struct ps_redaction *r, struct ps_store *store,
                                       const char *id, struct ps_err *err)
{
    struct ps_share_labels labels;

    if (ps_share_labels_read(store, id, &labels, err) != PS_OK)
        return err->code;
    /* otherwise ps_share_labels_redact drops the labels without recording other categories */
    r->scrub.redacted_categories &= ~(unsigned)PS_REVEAL_LABELS;
    ps_share_labels_redact(r, &labels);
    r->scrub.redacted_categories |= PS_REVEAL_LABELS;
    ps_share_labels_free(&labels);
    return PS_OK;
}
