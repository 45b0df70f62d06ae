/* SPDX-License-Identifier: MIT */
/*
 * scalene.c: the JSON that Scalene writes: CPU, memory, copying and GPU of each line.
 *
 * Times of samples are nanoseconds since the start, MB are MiB. A program that ran too short leaves
 * `{}`. Seen: 1.3 (2021) to 1.5.54, keys up to 2.3; what later versions add (stacks, times of CPU
 * samples) is left aside and said so.
 */
#include "importers/scalene.h"

#include <math.h>
#include <stdlib.h>

#include "base/buf.h"
#include "importers/document.h"
#include "importers/line_names.h"
#include "importers/reading.h"

enum {
    LARGEST = 256 << 20, /* bytes */
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static bool is_empty_object(struct ps_str text)
{
    char found[2];
    size_t n = 0;

    for (size_t i = 0; i < text.len; i++) {
        if (is_blank(text.at[i]))
            continue;
        if (n == 2)
            return false;
        found[n++] = text.at[i];
    }
    return n == 2 && found[0] == '{' && found[1] == '}';
}

static enum ps_status refuse_empty(struct ps_err *err)
{
    ps_fail(err, PS_BAD_INPUT,
            "the Scalene profile is empty: the program ran for too short a time");
    ps_hint(err, "record a longer run, or sample more often with --cpu-sampling-rate");
    return err->code;
}

/* ------------------------------------------------------------------ the whole program */

static void tell_footprint(struct ps_sc_reader *r, const cJSON *root)
{
    ps_sc_samples(r, cJSON_GetObjectItemCaseSensitive(root, "samples"));
    for (size_t i = 0; i < r->n_samples; i++)
        r->out->ops->memory(r->out, &(struct ps_memory_sample){
                                        .t_s = r->samples[2 * i],
                                        .kind = "footprint",
                                        .mib = ps_real(r->samples[2 * i + 1]),
                                    });
}

static void tell_title(struct ps_sc_reader *r, const cJSON *root)
{
    const cJSON *program = cJSON_GetObjectItemCaseSensitive(root, "program");
    const cJSON *files = cJSON_GetObjectItemCaseSensitive(root, "files");
    const char *path = cJSON_IsString(program) ? program->valuestring
                       : files && files->child ? files->child->string
                                               : NULL;
    bool mended;

    if (path && *path)
        r->out->ops->meta(r->out, "title",
                          ps_base_name(ps_shown_text(&r->arena, ps_str_of(path), &mended)));
}

static void tell_notes(struct ps_sc_reader *r, const cJSON *root)
{
    static const char *const aside[] = {"stacks", "combined_stacks", "combined_stacks_timeline",
                                        "memory_stacks"};

    if (r->lines == 0)
        ps_sink_note(r->out, PS_NOTE_WARNING, PS_NOTE_NO_AT, 0, "the profile contains no lines");
    for (size_t i = 0; i < sizeof aside / sizeof *aside; i++) {
        const cJSON *list = cJSON_GetObjectItemCaseSensitive(root, aside[i]);

        if (cJSON_IsArray(list) && list->child)
            ps_sink_note(r->out, PS_NOTE_INFO, PS_NOTE_NO_AT, 0, "perfshelf does not read \"%s\"",
                         aside[i]);
    }
    ps_sink_count(r->out, PS_NOTE_WARNING, r->timeless,
                  "lists of memory samples skipped because they have no times");
    ps_sink_count(r->out, PS_NOTE_WARNING, r->bad_pairs,
                  "memory samples skipped because they are not a time and a size");
    ps_sink_count(r->out, PS_NOTE_WARNING, r->odd, "fields skipped because their type is wrong");
    ps_sink_count(r->out, PS_NOTE_REJECTED, r->rejected > 50 ? r->rejected - 50 : 0,
                  "more functions and lines that cannot be read");
    ps_sink_count(r->out, PS_NOTE_REPAIRED, r->repaired > 50 ? r->repaired - 50 : 0,
                  "more functions and lines with repaired text");
}

static double tell_figures(struct ps_sc_reader *r, const cJSON *root)
{
    struct ps_num elapsed = ps_sc_number(r, root, "elapsed_time_sec");
    const struct {
        const char *key;
        struct ps_num value;
    } figures[] = {
        {"elapsed_s", elapsed},
        {"files", ps_int(r->files)},
        {"lines", ps_int((int64_t)r->lines)},
        {"functions", ps_int(r->functions)},
        {"peak_mib", ps_sc_number(r, root, "max_footprint_mb")},
        {"growth_rate", ps_sc_number(r, root, "growth_rate")},
        {"alloc_samples", ps_sc_number(r, root, "alloc_samples")},
        {"gpu", ps_int(cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(root, "gpu")))},
        {"cpu_pct", ps_real(r->cpu_pct)},
    };

    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        r->out->ops->number(r->out, figures[i].key, figures[i].value);
    return ps_num_real(elapsed);
}

static bool tell_files(struct ps_sc_reader *r, const cJSON *root, size_t size)
{
    const cJSON *files = cJSON_GetObjectItemCaseSensitive(root, "files"), *file;

    if (!cJSON_IsObject(files))
        return true;
    cJSON_ArrayForEach(file, files)
    {
        ps_sc_file(r, file);
        if (!r->out->ops->progress(r->out, size, size, r->records) || !ps_sink_ok(r->out))
            return false;
    }
    return true;
}

static enum ps_status tell_all(struct ps_sc_reader *r, const cJSON *root, size_t size,
                               struct ps_err *err)
{
    struct ps_ledger ledger = {.unit = "lines and functions"};
    double elapsed;

    if (!cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(root, "files"))) {
        ps_fail(err, PS_BAD_INPUT, "the profile has no \"files\"");
        ps_hint(err, "the document was changed; add the original file that Scalene wrote");
        return err->code;
    }
    r->out->ops->meta(r->out, "tool", PS_STR("Scalene"));
    tell_title(r, root);
    if (!tell_files(r, root, size))
        return ps_fail(err, PS_CANCELLED, "the import was cancelled");
    tell_footprint(r, root);
    elapsed = tell_figures(r, root);
    tell_notes(r, root);
    ledger.read = r->records;
    ledger.repaired = r->repaired;
    ledger.rejected = r->rejected;
    ledger.stored = ledger.read - ledger.repaired - ledger.rejected;
    r->out->ops->ledger(r->out, &ledger);
    r->out->ops->headline(r->out, &(struct ps_headline){elapsed, "s", "elapsed"});
    return PS_OK;
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf bytes = {0};
    struct ps_sc_reader r = {.out = out};
    enum ps_status status = ps_read_whole(in, LARGEST, "document", &bytes, out, err);
    size_t size = bytes.len;
    cJSON *root;

    if (status != PS_OK)
        return status;
    if (size == 0 || is_empty_object(ps_buf_slice(&bytes)))
        return refuse_empty(err);
    root = ps_document_parse(&bytes, err);
    if (!root)
        return err->code;
    status = tell_all(&r, root, size, err);
    cJSON_Delete(root);
    free(r.samples);
    ps_arena_free(&r.arena);
    return status;
}

/* "elapsed_time_sec" stands in every version, behind no more than names and stacks. */
static enum ps_match sniff(struct ps_str head)
{
    struct ps_str body = head;

    while (body.len && is_blank(body.at[0]))
        body = ps_str_skip(body, 1);
    if (!ps_str_starts(body, PS_STR("{")))
        return PS_MATCH_NO;
    if (head.len < 64 && is_empty_object(head))
        return PS_MATCH_SURE;
    body = ps_str_skip(body, 1);
    while (body.len && is_blank(body.at[0]))
        body = ps_str_skip(body, 1);
    if (!ps_str_starts(body, PS_STR("\"")))
        return PS_MATCH_NO;
    return ps_str_find(body, PS_STR("\"elapsed_time_sec\"")) ||
                   ps_str_starts(body, PS_STR("\"alloc_samples\""))
               ? PS_MATCH_SURE
               : PS_MATCH_NO;
}

const struct ps_importer ps_scalene = {
    .kind = "scalene",
    .label = "Scalene profile",
    .what = "Python, native, system and GPU time, memory and copying of each line (JSON)",
    .record = "scalene run --json --outfile app.json app.py",
    .sniff = sniff,
    .load = load,
};
