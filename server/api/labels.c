/* SPDX-License-Identifier: MIT */
/* labels.c: reads and checks the labels of runs in requests. */
#include <string.h>

#include "base/json_span.h"
#include "base/utf8.h"
#include "server/api/state.h"

enum ps_status ps_label_check_text(const char *what, const char *value, struct ps_err *err)
{
    if (strlen(value) > PS_LABEL_MAX)
        return ps_fail(err, PS_BAD_REQUEST, "%s is longer than %d bytes", what, PS_LABEL_MAX);
    if (!ps_utf8_is_valid(ps_str_from_c(value)))
        return ps_fail(err, PS_BAD_REQUEST, "%s is not UTF-8", what);
    for (const char *at = value; *at; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7f)
            return ps_fail(err, PS_BAD_REQUEST, "%s contains a control character", what);
    return PS_OK;
}

static enum ps_status read_label(struct ps_request *req, const char *key, const char **out,
                                 struct ps_err *err)
{
    const char *value = ps_request_param(req, key);

    *out = value ? value : "";
    return ps_label_check_text(key, *out, err);
}

static enum ps_status read_note(struct ps_request *req, const char **out, struct ps_err *err)
{
    const char *value = ps_request_param(req, "note");

    return ps_note_read(&req->arena, value ? value : "", out, err);
}

enum ps_status ps_labels_parse_body(struct ps_request *req, const char *what, cJSON **out,
                                    struct ps_err *err)
{
    *out = NULL;
    if (ps_json_has_nul(req->body))
        return ps_fail(err, PS_BAD_REQUEST, "the body contains a NUL character");
    *out = cJSON_ParseWithLength(req->body.ptr, req->body.len);
    if (cJSON_IsObject(*out))
        return PS_OK;
    cJSON_Delete(*out);
    *out = NULL;
    return ps_fail(err, PS_BAD_REQUEST, "the request body must be a JSON object with %s", what);
}

enum ps_status ps_note_parse(struct ps_request *req, const cJSON *value, const char **out,
                             struct ps_err *err)
{
    if (!cJSON_IsString(value))
        return ps_fail(err, PS_BAD_REQUEST, "the note must be a string");
    return ps_note_read(&req->arena, value->valuestring, out, err);
}

/* Parses a tag: "branch=main", or "slow" for a tag without a value. */
static enum ps_status read_tag(struct ps_request *req, const char *text, struct ps_tag *out,
                               struct ps_err *err)
{
    size_t key = strcspn(text, "=");

    if (key == 0)
        return ps_fail(err, PS_BAD_REQUEST, "a tag needs a key");
    out->key = ps_arena_copy(&req->arena, (struct ps_str){text, key}).ptr;
    out->value = text[key] ? text + key + 1 : "";
    return ps_label_check_text("tag", text, err);
}

static enum ps_status read_tags(struct ps_request *req, struct ps_labels *out, struct ps_err *err)
{
    out->tags = ps_arena_alloc(&req->arena, PS_TAGS_MAX * sizeof *out->tags);
    for (size_t i = 0; i < req->params.n && err->code == PS_OK; i++) {
        if (strcmp(req->params.items[i].key, "tag") != 0 || req->params.items[i].value[0] == '\0')
            continue;
        if (out->n_tags == PS_TAGS_MAX)
            return ps_fail(err, PS_BAD_REQUEST, "more than %d tags", PS_TAGS_MAX);
        read_tag(req, req->params.items[i].value, &out->tags[out->n_tags++], err);
    }
    return err->code;
}

enum ps_status ps_labels_read_params(struct ps_request *req, struct ps_labels *out,
                                     struct ps_err *err)
{
    *out = (struct ps_labels){0};
    read_label(req, "name", &out->name, err);
    read_label(req, "series", &out->series, err);
    read_label(req, "who", &out->user_name, err);
    read_note(req, &out->note, err);
    if (req->user_name[0]) /* the user of a token has precedence over the parameter */
        out->user_name = req->user_name;
    return read_tags(req, out, err);
}
