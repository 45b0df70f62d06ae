/* SPDX-License-Identifier: MIT */
#include "importers/foreign.h"

#include "importers/importer.h"

#define READS "it cannot be read yet; `perfshelf formats` lists what can, and how to record it"

struct magic {
    size_t at;
    struct ps_str bytes;
    const char *what, *hint;
};

static const char record_hint[] =
    "record one with `python -m cProfile -o out.prof app.py`; `perfshelf formats` lists other ways";
static const char inside_hint[] = "unpack it and add the profile inside";

static const struct magic magics[] = {
    {0, PS_STR("\x1f\x8b"), "gzip data inside compressed data",
     "unpack the file once and add what comes out"},
    {0, PS_STR("\x28\xb5\x2f\xfd"), "zstd data inside compressed data",
     "unpack the file once and add what comes out"},
    {0, PS_STR("BZh"), "a bzip2 file",
     "unpack it with `bunzip2` first; gzip and zstd are read as they are"},
    {0, PS_STR("\xfd\x37zXZ"), "an xz file",
     "unpack it with `unxz` first; gzip and zstd are read as they are"},
    {0, PS_STR("PK\x03\x04"), "a zip archive", inside_hint},
    {0, PS_STR("PK\x05\x06"), "an empty zip archive", inside_hint},
    {0, PS_STR("7z\xbc\xaf\x27\x1c"), "a 7-Zip archive", inside_hint},
    {257, PS_STR("ustar"), "a tar archive", inside_hint},
    {0, PS_STR("\x78\x01"), "zlib data", "unpack them first; gzip and zstd are read as they are"},
    {0, PS_STR("\x78\x9c"), "zlib data", "unpack them first; gzip and zstd are read as they are"},
    {0, PS_STR("\x78\xda"), "zlib data", "unpack them first; gzip and zstd are read as they are"},
    {0,
     PS_STR("\x7f"
            "ELF"),
     "a program or library (ELF)", record_hint},
    {0, PS_STR("MZ\x90"), "a Windows program", record_hint},
    {0, PS_STR("\xcf\xfa\xed\xfe"), "a macOS program", record_hint},
    {0, PS_STR("\xca\xfe\xba\xbe"), "a macOS program or a Java class", record_hint},
    {2, PS_STR("\r\n\0\0"), "compiled Python code (.pyc)", record_hint},
    {2, PS_STR("\r\n\x01\0"), "compiled Python code (.pyc)", record_hint},
    {0, PS_STR("\x03\xf3\r\n"), "compiled Python 2 code (.pyc)", record_hint},
    {0, PS_STR("\x89PNG"), "a PNG picture", "add the profile that the picture was made from"},
    {0, PS_STR("\xff\xd8\xff"), "a JPEG picture", "add the profile that the picture was made from"},
    {0, PS_STR("GIF8"), "a GIF picture", "add the profile that the picture was made from"},
    {0, PS_STR("%PDF"), "a PDF document", "add the profile that the document was made from"},
    {0, PS_STR("PERFILE2"), "a perf.data file of Linux perf", READS},
    {0, PS_STR("\x89HDF"), "an HDF5 file", READS},
};

/* Words of which one stands for a kind, in the order in which they are asked: all of `words` must
 * occur. */
struct kind {
    const char *words[3];
    const char *what, *hint;
};

static const struct kind databases[] = {
    {{"CUPTI_ACTIVITY_KIND_"}, "an Nsight Systems export (SQLite)", READS},
    {{"StringIds"}, "an Nsight Systems export (SQLite)", READS},
    {{""}, "an SQLite database", READS},
};

static const struct kind pickles[] = {
    {{""}, "a Python pickle, which is never loaded: it could run any code", record_hint},
};

static const struct kind pages[] = {
    {{"<svg"}, "an SVG picture", "add the profile that it was drawn from"},
    {{"memray"}, "an HTML report of memray", READS},
    {{"viztracer"}, "an HTML report of viztracer", READS},
    {{"scalene"}, "an HTML report of Scalene", READS},
    {{"pyinstrument"}, "an HTML report of pyinstrument", READS},
    {{"<html"}, "an HTML page", "add the profile itself, not a page that shows it"},
    {{"<!doctype html"}, "an HTML page", "add the profile itself, not a page that shows it"},
    {{"<!DOCTYPE html"}, "an HTML page", "add the profile itself, not a page that shows it"},
    {{"<HTML"}, "an HTML page", "add the profile itself, not a page that shows it"},
};

static const struct kind documents[] = {
    {{"\"benchmarks\"", "\"metadata\""}, "a pyperf result", READS},
    {{"\"nodes\"", "\"startTime\""}, "a V8 CPU profile", READS},
    {{"\"schema\"", "\"nodes\""},
     "a PyTorch execution trace, which holds no times to show",
     "record with torch.profiler"},
    {{"\"meta\"", "\"threads\"", "\"libs\""}, "a Firefox Profiler profile", READS},
    {{"\"device_traces\"", "\"segments\""}, "a PyTorch memory snapshot", READS},
    {{"\"nbformat\""},
     "a Jupyter notebook",
     "save the profile in it with `%prun -D out.prof` and add that"},
    {{""}, "a JSON document that is no profile", record_hint},
};

static const struct kind reports[] = {
    {{"\nevents: ", "\nfn="}, "a callgrind profile", READS},
    {{"import time", "importtime"},
     "text about import times, without one row of them",
     "record a log with `python -X importtime app.py 2> import.log`"},
};

static bool refuse(struct ps_err *err, const char *what, const char *hint)
{
    ps_fail(err, PS_UNKNOWN_KIND, "this is %s", what);
    ps_hint(err, "%s", hint);
    return true;
}

static bool holds(struct ps_str head, const struct kind *kind)
{
    for (size_t i = 0; i < 3 && kind->words[i]; i++)
        if (!ps_str_find(head, ps_str_of(kind->words[i])))
            return false;
    return true;
}

static bool refuse_kind(struct ps_str head, const struct kind *kinds, size_t n, struct ps_err *err)
{
    for (size_t i = 0; i < n; i++)
        if (holds(head, &kinds[i]))
            return refuse(err, kinds[i].what, kinds[i].hint);
    return false;
}
#define REFUSE_KIND(head, kinds, err) refuse_kind(head, kinds, sizeof kinds / sizeof *kinds, err)

static struct ps_str unblank(struct ps_str s)
{
    while (s.len && (s.at[0] == ' ' || s.at[0] == '\t' || s.at[0] == '\n' || s.at[0] == '\r'))
        s = ps_str_skip(s, 1);
    return s;
}

bool ps_foreign_certain(struct ps_str head, struct ps_err *err)
{
    struct ps_str body = unblank(head);

    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if (ps_str_starts(ps_str_skip(head, magics[i].at), magics[i].bytes))
            return refuse(err, magics[i].what, magics[i].hint);
    if (ps_str_starts(head, PS_STR("SQLite format 3")))
        return REFUSE_KIND(head, databases, err);
    if (head.len >= 2 && head.at[0] == '\x80' && head.at[1] >= 6 && head.at[1] <= 9)
        return REFUSE_KIND(head, pickles, err);
    if (body.len && body.at[0] == '<')
        return ps_flamegraph_svg.sniff(body) == PS_MATCH_NO && REFUSE_KIND(body, pages, err);
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

/* A global's module and name, a line each: how pickles of protocol 0 and 1 begin that call
 * something. */
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

bool ps_foreign_rest(struct ps_str head, struct ps_err *err)
{
    struct ps_str body = unblank(head);

    if (body.len == 0)
        return refuse(err, "a file that holds nothing but blanks", record_hint);
    if (is_json(body) && !memchr(body.at, '\0', body.len))
        return REFUSE_KIND(body, documents, err);
    if (is_text_pickle(head))
        return refuse(err, pickles[0].what, pickles[0].hint);
    if (memchr(head.at, '\0', head.len < 4096 ? head.len : 4096))
        return refuse(err, "no profile of any known kind (binary data)", record_hint);
    if (REFUSE_KIND(head, reports, err))
        return true;
    return refuse(err, "no profile of any known kind", record_hint);
}
