/* SPDX-License-Identifier: MIT */
#include "importers/foreign.h"

#include "importers/foreign_kinds.h"
#include "importers/importer.h"

static bool refuse(struct ps_err *err, const char *what, const char *hint)
{
    ps_fail(err, PS_UNKNOWN_KIND, "this is %s", what);
    ps_hint(err, "%s", hint);
    return true;
}

static bool holds(struct ps_str head, const struct ps_foreign_kind *kind)
{
    for (size_t i = 0; i < 3 && kind->words[i]; i++)
        if (!ps_str_find(head, ps_str_of(kind->words[i])))
            return false;
    return true;
}

static bool refuse_kind(struct ps_str head, const struct ps_foreign_kind *kinds, struct ps_err *err)
{
    for (; kinds->what; kinds++)
        if (holds(head, kinds))
            return refuse(err, kinds->what, kinds->hint);
    return false;
}

static struct ps_str first(struct ps_str head, size_t most)
{
    return (struct ps_str){head.at, head.len < most ? head.len : most};
}

static struct ps_str unblank(struct ps_str s)
{
    while (s.len && (s.at[0] == ' ' || s.at[0] == '\t' || s.at[0] == '\n' || s.at[0] == '\r'))
        s = ps_str_skip(s, 1);
    return s;
}

/* Whether the markup is an SVG picture, not an HTML page that contains one. */
static bool is_svg(struct ps_str body)
{
    static const char *const pages[] = {"<html", "<HTML", "<!doctype html", "<!DOCTYPE html",
                                        "<!DOCTYPE HTML"};
    const char *svg = ps_str_find(body, PS_STR("<svg"));
    struct ps_str before = {body.at, svg ? (size_t)(svg - body.at) : 0};

    for (size_t i = 0; svg && i < sizeof pages / sizeof *pages; i++)
        if (ps_str_find(before, ps_str_of(pages[i])))
            return false;
    return svg;
}

/* Whether the application id of the SQLite header is that of a run file. */
static bool is_run_file(struct ps_str head)
{
    return ps_str_starts(ps_str_skip(head, 68), PS_STR("pshf"));
}

bool ps_foreign_certain(struct ps_str head, struct ps_err *err)
{
    struct ps_str body = unblank(head);

    for (const struct ps_foreign_magic *magic = ps_foreign_magics; magic->what; magic++)
        if (ps_str_starts(ps_str_skip(head, magic->at), magic->bytes))
            return refuse(err, magic->what, magic->hint);
    if (ps_str_starts(head, PS_STR("SQLite format 3")))
        return is_run_file(head)
                   ? refuse(
                         err, "a run file from a perfshelf data folder",
                         "add the original profile instead: the run's page offers it as a download")
                   : ps_nsys.sniff(head) == PS_MATCH_NO &&
                         refuse_kind(head, ps_foreign_databases, err);
    if (head.len >= 2 && head.at[0] == '\x80' && head.at[1] >= 2 && head.at[1] <= 9)
        return refuse_kind(first(head, 4096), ps_foreign_known_pickles, err) ||
               (head.at[1] >= 6 && refuse_kind(head, ps_foreign_pickles, err));
    /* strings of a JSON file may hold printed reports, which cannot be read there */
    if (body.len && body.at[0] == '{')
        return refuse_kind(first(body, 4096), ps_foreign_notebooks, err);
    if (body.len && body.at[0] == '<')
        return is_svg(body) ? ps_flamegraph_svg.sniff(body) == PS_MATCH_NO &&
                                  refuse(err, ps_foreign_svg.what, ps_foreign_svg.hint)
                            : refuse_kind(body, ps_foreign_pages, err);
    return false;
}

static bool is_json(struct ps_str body)
{
    char next;

    if (body.len == 0 || (body.at[0] != '{' && body.at[0] != '['))
        return false;
    body = unblank(ps_str_skip(body, 1));
    next = body.len ? body.at[0] : '"';
    return strchr("\"{[]}-tfn", next) || (next >= '0' && next <= '9');
}

/* Whether the file begins like a pickle of protocol 0 or 1 that calls something: the module and
 * name of a global, one line each. */
static bool is_text_pickle(struct ps_str head)
{
    size_t lines = 0;

    if (head.len < 4 || (head.at[0] != 'c' && !ps_str_starts(head, PS_STR("(lp")) &&
                         !ps_str_starts(head, PS_STR("(dp"))))
        return false;
    for (size_t i = 1; i < head.len && i < 200; i++) {
        char c = head.at[i];

        if (c == '\n' && ++lines == 2)
            return i + 1 < head.len && strchr("pq(RV", head.at[i + 1]);
        if (c != '\n' && c != '_' && c != '.' && !(c >= '0' && c <= '9') &&
            !((c | 32) >= 'a' && (c | 32) <= 'z'))
            return head.at[0] == '(' && lines == 1;
    }
    return false;
}

static bool take_varint(struct ps_str *rest, uint64_t *out)
{
    *out = 0;
    for (unsigned shift = 0; rest->len && shift < 64; shift += 7) {
        unsigned char byte = (unsigned char)rest->at[0];

        *rest = ps_str_skip(*rest, 1);
        *out |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

/* A field of a protobuf message; `bytes` is truncated at the end of `head`. */
struct field {
    uint64_t number;
    bool has_bytes;
    struct ps_str bytes;
};

static bool take_field(struct ps_str *rest, struct field *out)
{
    uint64_t tag, value;

    if (!take_varint(rest, &tag) || !take_varint(rest, &value))
        return false;
    *out = (struct field){.number = tag >> 3, .has_bytes = (tag & 7) == 2};
    if (!out->has_bytes)
        return (tag & 7) == 0 && out->number > 0;
    out->bytes = (struct ps_str){rest->at, value < rest->len ? (size_t)value : rest->len};
    *rest = ps_str_skip(*rest, value < rest->len ? (size_t)value : rest->len);
    return out->number > 0;
}

/* Whether the message is a ValueType of pprof: fields 1 and 2, both small numbers. */
static bool is_value_type(struct ps_str bytes)
{
    struct field field;
    bool any = false;

    while (bytes.len && take_field(&bytes, &field)) {
        if (field.has_bytes || field.number > 2)
            return false;
        any = true;
    }
    return any && bytes.len == 0;
}

/* Whether `head` consists of fields of pprof's Profile message, with a ValueType as field 1. */
static bool is_pprof(struct ps_str head)
{
    static const bool has_bytes[15] = {[1] = true, [2] = true, [3] = true,  [4] = true,
                                       [5] = true, [6] = true, [11] = true, [13] = true};
    struct field field;
    bool types = false;
    int fields = 0;

    while (head.len && fields < 64 && take_field(&head, &field)) {
        if (field.number > 14 ||
            (field.has_bytes != has_bytes[field.number] && field.number != 13) ||
            (field.number == 1 && !is_value_type(field.bytes)))
            return false;
        types |= field.number == 1;
        fields++;
    }
    return types && fields > 1;
}

/* Recognised by content: XLA's planes have names like "/host:CPU", OpenTelemetry's first message
 * has resource attributes, Perfetto traces are a sequence of packets, and the body of a push to
 * Pyroscope has labels. */
static bool refuse_protobuf(struct ps_str head, struct ps_err *err)
{
    struct ps_str all = first(head, 65536), begin = first(head, 1024), rest = head;
    struct field field;

    if (is_pprof(all))
        return refuse(err, ps_foreign_pprof.what, ps_foreign_pprof.hint);
    if (!take_field(&rest, &field) || field.number != 1 || !field.has_bytes)
        return false;
    if (ps_str_find(all, PS_STR("/host:")) || ps_str_find(all, PS_STR("/device:")) ||
        ps_str_find(all, PS_STR("Task Environment")))
        return refuse(err, ps_foreign_xplane.what, ps_foreign_xplane.hint);
    if (ps_str_find(begin, PS_STR("service.name")) || ps_str_find(begin, PS_STR("telemetry.sdk")) ||
        ps_str_find(begin, PS_STR("host.name")) || ps_str_find(begin, PS_STR("process.pid")))
        return refuse(err, ps_foreign_otlp.what, ps_foreign_otlp.hint);
    if (ps_str_find(begin, PS_STR("__name__")) && ps_str_find(begin, PS_STR("service_name")))
        return refuse(err, ps_foreign_pyroscope.what, ps_foreign_pyroscope.hint);
    if (rest.len && rest.at[0] == '\n')
        return refuse(err, ps_foreign_perfetto.what, ps_foreign_perfetto.hint);
    return false;
}

/* Whether there are bytes that do not occur in text. */
static bool is_binary(struct ps_str head)
{
    for (size_t i = 0; i < head.len && i < 4096; i++)
        if ((unsigned char)head.at[i] < 8)
            return true;
    return false;
}

/* Whether the file is heaptrack's: "v 10500 3", then "X ./app". */
static bool is_heaptrack(struct ps_str head)
{
    const char *end = head.len ? memchr(head.at, '\n', head.len) : NULL;
    struct ps_str second = ps_str_skip(head, end ? (size_t)(end - head.at) + 1 : head.len);

    return ps_str_starts(head, PS_STR("v ")) && ps_str_starts(second, PS_STR("X "));
}

static bool has_decimal(struct ps_str text)
{
    for (size_t i = 1; i + 1 < text.len; i++)
        if ((text.at[i] == '.' || text.at[i] == ',') && text.at[i - 1] >= '0' &&
            text.at[i - 1] <= '9' && text.at[i + 1] >= '0' && text.at[i + 1] <= '9')
            return true;
    return false;
}

/* Whether the text has times in a user-defined format: TIMEFORMAT, `time -f`. */
static bool is_own_time(struct ps_str head)
{
    static const char *const words[3][3] = {
        {"real", "elapsed", "wall"}, {"user", "usr", "utime"}, {"sys", "system", "stime"}};
    int found = 0;

    if (head.len > 2048 || !has_decimal(head))
        return false;
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 3; k++)
            if (ps_str_find(head, ps_str_of(words[i][k]))) {
                found++;
                break;
            }
    return found == 3;
}

static bool is_python_line(struct ps_str line)
{
    bool block = line.len && ps_str_find(line, PS_STR(":"));

    return (block &&
            (ps_str_starts(line, PS_STR("def ")) || ps_str_starts(line, PS_STR("class ")) ||
             ps_str_starts(line, PS_STR("async def ")) ||
             ps_str_starts(line, PS_STR("if __name__ ")))) ||
           ps_str_starts(line, PS_STR("import ")) ||
           (ps_str_starts(line, PS_STR("from ")) && ps_str_find(line, PS_STR(" import ")));
}

/* Whether the text is Python source: it begins with an import or definition, a comment or a
 * docstring, and has at least one import or definition. */
static bool is_python(struct ps_str head)
{
    struct ps_str body = unblank(head);

    if (!body.len || (!strchr("#@'\"r", body.at[0]) && !is_python_line(first(body, 200))))
        return false;
    while (head.len) {
        const char *end = memchr(head.at, '\n', head.len);
        struct ps_str line = {head.at, end ? (size_t)(end - head.at) : head.len};

        head = ps_str_skip(head, line.len + 1);
        if (is_python_line(line))
            return true;
    }
    return false;
}

static bool refuse_text(struct ps_str head, struct ps_err *err)
{
    if (ps_str_starts(head, PS_STR("version https://git-lfs.github.com/spec/")))
        return refuse(err, "a Git LFS pointer: the file itself was not downloaded",
                      "fetch it with `git lfs pull`, then add it");
    if (is_heaptrack(head))
        return refuse(err, "a recording of heaptrack",
                      "fold its stacks with `heaptrack_print -F stacks.txt heaptrack.app.gz`");
    if (refuse_kind(head, ps_foreign_reports, err))
        return true;
    if (is_own_time(head))
        return refuse(err, "the output of `time` in a custom format (TIMEFORMAT, `time -f`)",
                      "measure again with `/usr/bin/time -v -o time.txt app`");
    if (is_python(head))
        return refuse(err, "Python source code, not a profile", ps_foreign_record_hint);
    return false;
}

bool ps_foreign_rest(struct ps_str head, struct ps_err *err)
{
    struct ps_str body = unblank(head);

    if (body.len == 0)
        return refuse(err, "a file that contains only white space", ps_foreign_record_hint);
    if (is_json(body) && !memchr(body.at, '\0', body.len))
        return refuse_kind(body, ps_foreign_documents, err);
    if (is_text_pickle(head))
        return refuse_kind(head, ps_foreign_pickles, err);
    if (is_binary(head))
        return refuse_protobuf(head, err) ||
               refuse(err, "not a supported profile (binary data)", ps_foreign_record_hint);
    return refuse_text(head, err) || refuse(err, "not a supported profile", ps_foreign_record_hint);
}
