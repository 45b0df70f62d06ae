/* SPDX-License-Identifier: MIT */
/* registry.c: format detection. */
#include "base/archive.h"
#include "importers/foreign.h"
#include "importers/importer.h"
#include "importers/records/run.h"
#include "importers/text/clean.h"
#include "importers/text/text_report.h"

enum {
    HEAD = 64 * 1024,
    DEEP_HEAD = 1024 * 1024,   /* bytes to search for a log, which much other output may precede */
    LOG_HEAD = 32 * DEEP_HEAD, /* bytes to search for the tables of a log, a DEEP_HEAD at a time */
    /* bytes of a part that are searched again with the next one: a table may begin in one part and
     * continue in the next */
    OVERLAP = 64 * 1024,
};

static const struct ps_stream_limits limits = {
    .max_inflated = (uint64_t)8 << 30,
    .max_inflated_ratio = 1000,
};

#define ROW(name) &ps_##name,
static const struct ps_importer *const importers[] = {PS_FORMATS(ROW)};

const struct ps_importer *const *ps_importers(size_t *count)
{
    *count = sizeof importers / sizeof *importers;
    return importers;
}

/* `only_logs`: only formats that other output may precede. */
static const struct ps_importer *best_importer(struct ps_str head, bool only_logs)
{
    const struct ps_importer *likely = NULL;

    for (size_t i = 0; i < sizeof importers / sizeof *importers; i++) {
        enum ps_match match =
            only_logs && !importers[i]->may_share_log ? PS_MATCH_NO : importers[i]->sniff(head);

        if (match == PS_MATCH_SURE)
            return importers[i];
        if (match == PS_MATCH_LIKELY && !likely)
            likely = importers[i];
    }
    return likely;
}

/* Buffers for the start of a log in the form that the importers' sniff functions get. */
struct head_text {
    struct ps_buf plain, signs, unwrapped;
};

static void head_text_free(struct head_text *text)
{
    ps_buf_free(&text->plain);
    ps_buf_free(&text->signs);
    ps_buf_free(&text->unwrapped);
}

/* Whether `head` has no bytes that occur only in binary data. */
static bool is_text(struct ps_str head)
{
    for (size_t i = 0; i < head.len && i < 4096; i++)
        if ((unsigned char)head.ptr[i] < 7)
            return false;
    return true;
}

/* Removes escape sequences and repairs broken characters (ps_repair_signs): a log may be copied
 * from a terminal. */
static struct ps_str clean_head(struct ps_str head, struct head_text *text)
{
    bool document = head.len && (head.ptr[0] == '{' || head.ptr[0] == '[');

    if (!is_text(head) || document)
        return head;
    return ps_repair_signs(&text->signs, ps_report_without_escapes(&text->plain, head));
}

/* Searches a log part by part for a format that other output precedes; NULL: there is none. */
static const struct ps_importer *find_late_table(struct ps_stream *in, struct head_text *text)
{
    const struct ps_importer *found = NULL;

    for (size_t from = DEEP_HEAD - OVERLAP; !found && from < LOG_HEAD;
         from += DEEP_HEAD - OVERLAP) {
        struct ps_str head = ps_stream_peek(in, from + DEEP_HEAD);
        struct ps_str part = ps_str_skip(head, from);
        const char *line = part.len ? memchr(part.ptr, '\n', part.len) : NULL;

        if (head.len <= from + OVERLAP || !line || !is_text(part))
            break;
        part = ps_str_skip(part, (size_t)(line + 1 - part.ptr));
        part.len = part.len < DEEP_HEAD ? part.len : DEEP_HEAD;
        found = best_importer(clean_head(part, text), true);
    }
    return found;
}

enum ps_status ps_importer_pick(struct ps_stream *in, const struct ps_importer **out,
                                struct ps_err *err)
{
    PS_AUTO(head_text_free) struct head_text text = {0};
    struct ps_str head = ps_stream_peek(in, HEAD), looked = clean_head(head, &text);
    bool is_log = is_text(head); /* `head` becomes invalid with the next peek */

    *out = NULL;
    if (head.len == 0) {
        if (ps_stream_status(in, err) != PS_OK)
            return err->code;
        return ps_fail(err, PS_UNKNOWN_KIND,
                       "the file is empty" PS_HINT
                       "the program may have been stopped before it wrote its profile; record the "
                       "profile again");
    }
    if (!ps_is_archive(head) && ps_foreign_detect_unsupported(head, err))
        return err->code;
    *out = best_importer(looked, false);
    if (!*out && head.len >= HEAD && is_log) {
        looked = clean_head(ps_stream_peek(in, DEEP_HEAD), &text);
        *out = best_importer(looked, false);
    }
    if (!*out && is_log) /* the header of a table may be wrapped */
        *out = best_importer(ps_report_unwrap_head(&text.unwrapped, looked), false);
    if (!*out && looked.len >= DEEP_HEAD / 2 && is_log) {
        *out = find_late_table(in, &text);
        looked = clean_head(ps_stream_peek(in, HEAD), &text);
    }
    if (*out)
        return PS_OK;
    if (ps_stream_status(in, err) == PS_OK)
        ps_foreign_describe((struct ps_str){looked.ptr, looked.len < HEAD ? looked.len : HEAD},
                            err);
    return err->code;
}

/* Whether `picked` also reads all content of a log that `other` reads. */
static bool also_reads(const struct ps_importer *picked, const struct ps_importer *other)
{
    return picked == other || (picked == &ps_lightning && other == &ps_pstats_text);
}

/* Lists the labels of the other formats in a log, which `picked` does not read. */
static void list_others(struct ps_stream *in, const struct ps_importer *picked, struct ps_buf *out)
{
    PS_AUTO(head_text_free) struct head_text text = {0};
    struct ps_str head;

    if (!picked->may_share_log)
        return;
    head = clean_head(ps_stream_peek(in, DEEP_HEAD), &text);
    for (size_t i = 0; i < sizeof importers / sizeof *importers; i++)
        if (importers[i]->may_share_log && !also_reads(picked, importers[i]) &&
            importers[i]->sniff(head) != PS_MATCH_NO)
            ps_buf_printf(out, "%s%s", out->len ? ", " : "", importers[i]->label);
}

static void note_unread(struct ps_stream *in, struct ps_str others, struct ps_sink *out)
{
    uint64_t at;

    if (others.len)
        ps_sink_note(out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                     "this log also contains %.*s, which perfshelf did not read; save that part as "
                     "a separate file and add it",
                     (int)(others.len < 512 ? others.len : 512), others.ptr);
    if (ps_stream_has_wrong_length(in))
        ps_sink_note(
            out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
            "the gzip file states a wrong length; its checksum matches, so the data are complete");
    if (ps_stream_has_trailing(in, &at))
        ps_sink_note(out, PS_NOTE_WARNING, PS_NOTE_NO_OFFSET, 0,
                     "bytes after the compressed data were skipped, from byte %llu of the file",
                     (unsigned long long)at);
}

enum ps_status ps_import_stream(struct ps_stream *raw, struct ps_sink *out,
                                const struct ps_importer **picked, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf others = {0};
    struct ps_stream *in = ps_stream_to_utf8(ps_stream_decompress(raw, &limits));
    enum ps_status status = ps_importer_pick(in, picked, err);

    if (status == PS_OK) {
        list_others(in, *picked, &others);
        status = (*picked)->load(in, out, err);
    }
    if (!ps_sink_ok(out)) { /* the importer's own error only reports that the sink failed */
        *err = out->err;
        status = out->err.code;
    }
    if (status == PS_OK)
        note_unread(in, ps_buf_slice(&others), out);
    ps_stream_free(in);
    return status;
}
