/* SPDX-License-Identifier: MIT */
#include "server/jobs/bundle.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_in.h"
#include "base/utf8.h"

#define FORMAT           1
#define RUNS_MAX         1000
#define BUNDLE_BYTES_MAX (16 << 20)

bool ps_is_bundle(struct ps_str head)
{
    return ps_str_starts_with(head, PS_STR("{\"format\":")) &&
           ps_str_find(head, PS_STR("\"perfshelf\":"));
}

/* --- Reading --- */

/* State of the JSON reader. Unknown keys are skipped. */

struct bundle_reader {
    struct ps_json_in json;
    struct ps_bundle *bundle;
    int64_t format;
    bool is_valid; /* no syntax error so far */
};

static const char *copy_string(struct bundle_reader *r)
{
    return ps_arena_copy(&r->bundle->arena, r->json.text).ptr;
}

/* Whether the next token, which begins the value of a key, is of this type; if not, skips the
 * value. */
static bool expect_token(struct bundle_reader *r, enum ps_json_token type)
{
    enum ps_json_token token = ps_json_in_next(&r->json);

    if (token == type)
        return true;
    r->is_valid = ps_json_in_skip_rest(&r->json, token) && r->is_valid;
    return false;
}

static void read_text(struct bundle_reader *r, const char **out)
{
    if (expect_token(r, PS_JSON_STRING))
        *out = copy_string(r);
}

/* Advances to the next key of the object; false at its end or after a syntax error. */
static bool next_key(struct bundle_reader *r)
{
    enum ps_json_token token = r->is_valid ? ps_json_in_next(&r->json) : PS_JSON_INVALID;

    r->is_valid = r->is_valid && (token == PS_JSON_KEY || token == PS_JSON_OBJECT_END);
    return r->is_valid && token == PS_JSON_KEY;
}

/* Advances to the next object or array of an array; false at its end. Other tokens are syntax
 * errors. */
static bool next_item(struct bundle_reader *r, enum ps_json_token type)
{
    enum ps_json_token token = r->is_valid ? ps_json_in_next(&r->json) : PS_JSON_INVALID;

    r->is_valid = r->is_valid && (token == type || token == PS_JSON_ARRAY_END);
    return r->is_valid && token == type;
}

static void read_tags(struct bundle_reader *r, struct ps_bundle_run *run)
{
    if (!expect_token(r, PS_JSON_ARRAY))
        return;
    while (next_item(r, PS_JSON_ARRAY)) {
        struct ps_tag tag = {"", ""};

        read_text(r, &tag.key);
        read_text(r, &tag.value);
        r->is_valid = r->is_valid && ps_json_in_next(&r->json) == PS_JSON_ARRAY_END;
        PS_RESERVE_ONE(run->tags, run->n_tags, run->cap_tags);
        run->tags[run->n_tags++] = tag;
    }
}

static void read_source(struct bundle_reader *r, size_t run)
{
    struct ps_bundle *bundle = r->bundle;
    struct ps_bundle_source source = {"", "", false, run};

    while (next_key(r)) {
        if (ps_str_eq_c(r->json.text, "file"))
            read_text(r, &source.file);
        else if (ps_str_eq_c(r->json.text, "path"))
            read_text(r, &source.path);
        else if (ps_str_eq_c(r->json.text, "changed"))
            source.changed = expect_token(r, PS_JSON_TRUE);
        else
            r->is_valid = ps_json_in_skip(&r->json);
    }
    PS_RESERVE_ONE(bundle->sources, bundle->n_sources, bundle->cap_sources);
    bundle->sources[bundle->n_sources++] = source;
}

static void read_sources(struct bundle_reader *r, size_t run)
{
    if (!expect_token(r, PS_JSON_ARRAY))
        return;
    while (next_item(r, PS_JSON_OBJECT))
        read_source(r, run);
}

static void read_run(struct bundle_reader *r)
{
    struct ps_bundle *bundle = r->bundle;
    struct ps_bundle_run run = {.file = "", .name = "", .series = "", .note = ""};

    while (next_key(r)) {
        if (ps_str_eq_c(r->json.text, "file"))
            read_text(r, &run.file);
        else if (ps_str_eq_c(r->json.text, "name"))
            read_text(r, &run.name);
        else if (ps_str_eq_c(r->json.text, "series"))
            read_text(r, &run.series);
        else if (ps_str_eq_c(r->json.text, "note"))
            read_text(r, &run.note);
        else if (ps_str_eq_c(r->json.text, "sha256"))
            read_text(r, &run.sha256);
        else if (ps_str_eq_c(r->json.text, "tags"))
            read_tags(r, &run);
        else if (ps_str_eq_c(r->json.text, "sources"))
            read_sources(r, bundle->n_runs);
        else
            r->is_valid = ps_json_in_skip(&r->json);
    }
    PS_RESERVE_ONE(bundle->runs, bundle->n_runs, bundle->cap_runs);
    bundle->runs[bundle->n_runs++] = run;
}

static void read_all(struct bundle_reader *r)
{
    r->is_valid = ps_json_in_next(&r->json) == PS_JSON_OBJECT;
    while (next_key(r)) {
        if (ps_str_eq_c(r->json.text, "format")) {
            if (expect_token(r, PS_JSON_NUMBER) && !ps_str_parse_i64(r->json.text, &r->format))
                r->format = -1;
        } else if (ps_str_eq_c(r->json.text, "runs")) {
            if (!expect_token(r, PS_JSON_ARRAY))
                continue;
            while (r->bundle->n_runs < RUNS_MAX && next_item(r, PS_JSON_OBJECT))
                read_run(r);
        } else {
            r->is_valid = ps_json_in_skip(&r->json);
        }
    }
}

/* --- Checking --- */

/* Whether the text is within the limits for labels of uploads (server/api/labels.c). */
static bool is_label(const char *text)
{
    size_t n = strlen(text);

    return n <= PS_LABEL_MAX && ps_utf8_is_valid((struct ps_str){text, n});
}

static bool is_sound(struct ps_arena *arena, struct ps_bundle_run *run)
{
    bool good = run->file[0] && is_label(run->name) && is_label(run->series) &&
                ps_note_read(arena, run->note, &run->note, PS_ERR_IGNORED) == PS_OK &&
                run->n_tags <= PS_TAGS_MAX &&
                (!run->sha256 || strspn(run->sha256, "0123456789abcdef") == 64);

    for (size_t i = 0; good && i < run->n_tags; i++)
        good = run->tags[i].key[0] && is_label(run->tags[i].key) && is_label(run->tags[i].value);
    return good;
}

static enum ps_status check_bundle(const struct bundle_reader *r, struct ps_err *err)
{
    if (r->is_valid && r->format > FORMAT)
        return ps_fail(err, PS_BAD_INPUT,
                       "the bundle has format %lld, which this version cannot read" PS_HINT
                       "add it with the perfshelf version that wrote it, or a newer one",
                       (long long)r->format);
    if (!r->is_valid || r->format != FORMAT || !r->bundle->n_runs)
        return ps_fail_at(err, PS_BAD_INPUT, ps_json_in_offset(&r->json),
                          "bundle.json is malformed");
    for (size_t i = 0; i < r->bundle->n_runs; i++)
        if (!is_sound(&r->bundle->arena, &r->bundle->runs[i]))
            return ps_fail(err, PS_BAD_INPUT, "bundle.json has invalid values for run %zu", i);
    return PS_OK;
}

static enum ps_status check_size(int fd, struct ps_err *err)
{
    struct stat about;

    if (fstat(fd, &about) != 0 || lseek(fd, 0, SEEK_SET) != 0)
        return ps_fail_errno(err, "cannot read", PS_BUNDLE_NAME);
    return about.st_size <= BUNDLE_BYTES_MAX
               ? PS_OK
               : ps_fail(err, PS_LIMIT, "bundle.json is larger than %d MiB",
                         BUNDLE_BYTES_MAX >> 20);
}

enum ps_status ps_bundle_read(int fd, struct ps_bundle **out, struct ps_err *err)
{
    struct bundle_reader r = {.bundle = ps_alloc(sizeof *r.bundle)};

    *out = NULL;
    if (check_size(fd, err) == PS_OK) {
        r.json.in = ps_stream_from_fd(fd, 0);
        read_all(&r);
        check_bundle(&r, err);
        ps_stream_free(r.json.in);
        ps_json_in_free(&r.json);
    }
    if (err->code == PS_OK)
        *out = r.bundle;
    else
        ps_bundle_free(r.bundle);
    return err->code;
}

void ps_bundle_free(struct ps_bundle *bundle)
{
    if (!bundle)
        return;
    for (size_t i = 0; i < bundle->n_runs; i++)
        free(bundle->runs[i].tags);
    free(bundle->runs);
    free(bundle->sources);
    ps_arena_free(&bundle->arena);
    free(bundle);
}

struct ps_bundle_run *ps_bundle_run(struct ps_bundle *bundle, const char *file)
{
    for (size_t i = 0; i < bundle->n_runs; i++)
        if (strcmp(bundle->runs[i].file, file) == 0)
            return &bundle->runs[i];
    return NULL;
}

const struct ps_bundle_source *ps_bundle_source(const struct ps_bundle *bundle, const char *file)
{
    for (size_t i = 0; i < bundle->n_sources; i++)
        if (strcmp(bundle->sources[i].file, file) == 0)
            return &bundle->sources[i];
    return NULL;
}
