/* SPDX-License-Identifier: MIT */
/*
 * speedscope.c: speedscope's own format, which py-spy, pyinstrument, austin, Tachyon and others
 * write.
 *
 *     {"$schema": "https://www.speedscope.app/file-format-schema.json",
 *      "shared": {"frames": [{"name": "f", "file": "a.py", "line": 3}, ...]},
 *      "profiles": [{"type": "sampled", "unit": "seconds", "samples": [[0, 1], ...],
 *                    "weights": [0.01, ...]},
 *                   {"type": "evented", "events": [{"type": "O", "frame": 0, "at": 0}, ...]}]}
 *
 * Each profile is a track. Frames may stand behind the profiles: stacks are pushed by the numbers
 * of the file and renamed at the end.
 */
#include <stdlib.h>

#include "importers/clean.h"
#include "importers/reading.h"
#include "importers/stacks/speedscope.h"
#include "slices/spans.h"

enum { TOLD = 20 };

/* ------------------------------------------------------------------ frames */

/* "name (file:line)", as py-spy writes frames elsewhere. */
static uint32_t frame_id(struct sp_reader *r, struct ps_str name, struct ps_str file,
                         struct ps_str line)
{
    r->text.len = 0;
    if (!name.len)
        name = PS_STR("(no name)");
    ps_clean_text(&r->text, name);
    if (file.len) {
        ps_buf_puts(&r->text, " (");
        ps_clean_text(&r->text, file);
        if (line.len && !ps_str_is(line, "0")) {
            ps_buf_puts(&r->text, ":");
            ps_clean_text(&r->text, line);
        }
        ps_buf_puts(&r->text, ")");
    }
    return st_frame(&r->stacks, ps_buf_slice(&r->text));
}

static bool keep_text(struct ps_json_in *json, struct ps_buf *out)
{
    enum ps_json_token token = ps_json_in_next(json);

    out->len = 0;
    if (token == PS_JSON_STRING || token == PS_JSON_NUMBER)
        ps_buf_str(out, json->text);
    return ps_json_in_rest(json, token);
}

/* A frame's object, whose beginning was taken. */
static bool read_frame(struct sp_reader *r)
{
    enum ps_json_token token;
    bool good = true;

    r->name.len = r->file.len = r->line.len = 0;
    while (good && (token = ps_json_in_next(&r->json)) == PS_JSON_KEY) {
        if (ps_str_is(r->json.text, "name"))
            good = keep_text(&r->json, &r->name);
        else if (ps_str_is(r->json.text, "file"))
            good = keep_text(&r->json, &r->file);
        else if (ps_str_is(r->json.text, "line"))
            good = keep_text(&r->json, &r->line);
        else
            good = ps_json_in_skip(&r->json);
    }
    if (!good || token != PS_JSON_OBJECT_END)
        return false;
    PS_PUSH_ROOM(r->frames, r->n_frames, r->cap_frames);
    r->frames[r->n_frames++] =
        frame_id(r, ps_buf_slice(&r->name), ps_buf_slice(&r->file), ps_buf_slice(&r->line));
    return true;
}

static bool read_frames(struct sp_reader *r)
{
    enum ps_json_token token = ps_json_in_next(&r->json);

    if (token != PS_JSON_ARRAY)
        return ps_json_in_rest(&r->json, token);
    while ((token = ps_json_in_next(&r->json)) != PS_JSON_ARRAY_END) {
        if (token == PS_JSON_OBJECT ? !read_frame(r) : !ps_json_in_rest(&r->json, token))
            return false;
    }
    return true;
}

static bool read_shared(struct sp_reader *r)
{
    enum ps_json_token token = ps_json_in_next(&r->json);
    bool good = true;

    if (token != PS_JSON_OBJECT)
        return ps_json_in_rest(&r->json, token);
    while (good && (token = ps_json_in_next(&r->json)) == PS_JSON_KEY)
        good = ps_str_is(r->json.text, "frames") ? read_frames(r) : ps_json_in_skip(&r->json);
    return good && token == PS_JSON_OBJECT_END;
}

/* ------------------------------------------------------------------ the document */

static bool read_profiles(struct sp_reader *r)
{
    enum ps_json_token token = ps_json_in_next(&r->json);

    if (token != PS_JSON_ARRAY)
        return ps_json_in_rest(&r->json, token);
    while ((token = ps_json_in_next(&r->json)) != PS_JSON_ARRAY_END) {
        if (token == PS_JSON_OBJECT ? !sp_profile_read(r) : !ps_json_in_rest(&r->json, token))
            return false;
        if (r->err->code != PS_OK ||
            ps_reading_goes_on(r->json.in, r->out, r->read, r->err) != PS_OK)
            return false;
    }
    return true;
}

static bool read_document(struct sp_reader *r)
{
    enum ps_json_token token = ps_json_in_next(&r->json);
    bool good = true;

    if (token != PS_JSON_OBJECT)
        return false;
    while (good && (token = ps_json_in_next(&r->json)) == PS_JSON_KEY) {
        if (ps_str_is(r->json.text, "shared"))
            good = read_shared(r);
        else if (ps_str_is(r->json.text, "profiles"))
            good = read_profiles(r);
        else if (ps_str_is(r->json.text, "exporter"))
            good = keep_text(&r->json, &r->exporter);
        else if (ps_str_is(r->json.text, "name"))
            good = keep_text(&r->json, &r->title);
        else
            good = ps_json_in_skip(&r->json);
    }
    return good && token == PS_JSON_OBJECT_END;
}

void sp_note(struct sp_reader *r, enum ps_severity severity, const char *what)
{
    if (r->told++ < TOLD)
        ps_sink_note(r->out, severity, ps_json_in_at(&r->json), 0, "%s", what);
}

/* ------------------------------------------------------------------ the whole */

static void tell_text(struct sp_reader *r, const char *key, struct ps_str text)
{
    r->text.len = 0;
    ps_clean_text(&r->text, text);
    if (text.len)
        r->out->ops->meta(r->out, key, ps_buf_slice(&r->text));
}

/* "py-spy@0.4.1". */
static void tell_tool(struct sp_reader *r)
{
    struct ps_str tool = ps_buf_slice(&r->exporter);
    const char *at = tool.len ? memchr(tool.at, '@', tool.len) : NULL;
    size_t name = at ? (size_t)(at - tool.at) : tool.len;

    tell_text(r, "tool", (struct ps_str){tool.at, name});
    tell_text(r, "tool_version", ps_str_skip(tool, at ? name + 1 : name));
    tell_text(r, "title", ps_buf_slice(&r->title));
}

static void tell_all(struct sp_reader *r)
{
    uint64_t unknown;
    struct ps_ledger ledger = {.unit = "samples",
                               .read = r->read,
                               .stored = r->read - r->repaired - r->rejected - r->other,
                               .repaired = r->repaired,
                               .rejected = r->rejected,
                               .other = r->other};

    unknown = st_rename(&r->stacks, r->frames, r->n_frames);
    if (unknown)
        ps_sink_note(r->out, PS_NOTE_WARNING, PS_NOTE_NO_AT, 0,
                     "frame numbers that are missing from the frame list: %llu",
                     (unsigned long long)unknown);
    if (r->told > TOLD)
        ps_sink_note(r->out, PS_NOTE_WARNING, PS_NOTE_NO_AT, 0, "more notes like these: %llu",
                     (unsigned long long)(r->told - TOLD));
    tell_tool(r);
    st_give(&r->stacks);
    r->out->ops->ledger(r->out, &ledger);
}

/* What could be read of a document that ends early or is damaged is shown. */
static enum ps_status judge(struct sp_reader *r, bool whole)
{
    struct ps_err *err = r->err;

    if (err->code != PS_OK)
        return err->code;
    if (ps_stream_status(r->json.in, err) != PS_OK && !ps_stream_cut(r->json.in))
        return err->code;
    *err = (struct ps_err)PS_ERR_INIT;
    if (r->stacks.samples == 0) {
        if (!whole)
            return r->json.fault ? ps_json_in_fail(&r->json, err)
                                 : ps_fail_at(err, PS_BAD_INPUT, ps_json_in_at(&r->json),
                                              "the file is truncated before its first sample");
        ps_fail(err, PS_BAD_INPUT, "the profile contains no samples");
        ps_hint(err, "the program may have ended before the first sample; record a longer run");
        return PS_BAD_INPUT;
    }
    if (!r->n_frames)
        return ps_fail_at(err, PS_BAD_INPUT, ps_json_in_at(&r->json),
                          "the file contains no frame list; it may be truncated");
    if (!whole)
        ps_sink_note(r->out, PS_NOTE_WARNING, ps_json_in_at(&r->json), 0,
                     "%s; perfshelf imported the part before",
                     r->json.fault ? r->json.fault : "the file is truncated");
    return PS_OK;
}

static void reader_free(struct sp_reader *r)
{
    st_free(&r->stacks);
    ps_json_in_free(&r->json);
    sp_profile_free(&r->profile);
    free(r->frames);
    ps_buf_free(&r->text);
    ps_buf_free(&r->name);
    ps_buf_free(&r->file);
    ps_buf_free(&r->line);
    ps_buf_free(&r->exporter);
    ps_buf_free(&r->title);
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    struct sp_reader r = {.json = {.in = in}, .out = out, .stacks = {.out = out}, .err = err};
    enum ps_status status = judge(&r, read_document(&r));

    if (status == PS_OK)
        tell_all(&r);
    reader_free(&r);
    return status;
}

static enum ps_match sniff(struct ps_str head)
{
    while (head.len && strchr(" \t\r\n", head.at[0]) && head.at[0])
        head = ps_str_skip(head, 1);
    if (!head.len || head.at[0] != '{')
        return PS_MATCH_NO;
    if (ps_str_find(head, PS_STR("speedscope.app/file-format-schema")))
        return PS_MATCH_SURE;
    return ps_str_find(head, PS_STR("\"profiles\"")) && (ps_str_find(head, PS_STR("\"sampled\"")) ||
                                                         ps_str_find(head, PS_STR("\"evented\"")))
               ? PS_MATCH_LIKELY
               : PS_MATCH_NO;
}

const struct ps_importer ps_speedscope = {
    .kind = "speedscope",
    .label = "speedscope profile",
    .what = "sampled and evented profiles of py-spy, pyinstrument, austin and others",
    .record = "py-spy record --format speedscope -o profile.json -- python app.py",
    .sniff = sniff,
    .load = load,
};
