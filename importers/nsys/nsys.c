/* SPDX-License-Identifier: MIT */
/* nsys.c: SQLite exports of NVIDIA Nsight Systems. */
#include "importers/nsys/nsys.h"

#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

#include "importers/importer.h"
#include "importers/trace/track.h"

#define EXPORT_AGAIN                                                                               \
    "export the report again: nsys export --type sqlite -o out.sqlite report.nsys-rep"

/* --- Recognition --- */

/* Searches for names of its tables, some of which are in the first pages. Other databases may also
 * have the last two. */
static enum ps_match sniff(struct ps_str head)
{
    static const char *const tables[] = {"StringIds",       "META_DATA_EXPORT", "ENUM_NSYS_EVENT",
                                         "TARGET_INFO_",    "NVTX_EVENTS",      "OSRT_API",
                                         "EXPORT_META_DATA"};

    if (!ps_str_starts(head, PS_SQLITE_MAGIC))
        return PS_MATCH_NO;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (ps_str_find(head, ps_str_of(tables[i])))
            return PS_MATCH_SURE;
    return PS_MATCH_NO;
}

static bool is_export(const struct ps_sqlite *db)
{
    static const char *const tables[] = {"META_DATA_EXPORT",
                                         "NVTX_EVENTS",
                                         "OSRT_API",
                                         "COMPOSITE_EVENTS",
                                         "TARGET_INFO_SESSION_START_TIME",
                                         "EXPORT_META_DATA"};

    if (ps_sqlite_has(db, "StringIds"))
        for (size_t i = 0; i < ps_sqlite_tables(db); i++)
            if (ps_str_starts(ps_str_of(ps_sqlite_table(db, i)), PS_STR("CUPTI_ACTIVITY_KIND_")))
                return true;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (ps_sqlite_has(db, tables[i]))
            return true;
    return false;
}

/* --- Reading --- */

bool ns_is_read(const char *table)
{
    static const char *const others[] = {
        "NVTX_EVENTS",      "DIAGNOSTIC_EVENT", "CUDA_GPU_MEMORY_USAGE_EVENTS",
        "GPU_METRICS",      "PROCESSES",        "ThreadNames",
        "StringIds",        "META_DATA_EXPORT", "META_DATA_CAPTURE",
        "ANALYSIS_DETAILS", "EXPORT_META_DATA",
    };

    for (const struct ns_table *t = ns_device_tables; t->name; t++)
        if (strcasecmp(t->name, table) == 0)
            return true;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcasecmp(others[i], table) == 0)
            return true;
    return strncasecmp(table, "ENUM_", 5) == 0 || strncasecmp(table, "TARGET_INFO_", 12) == 0;
}

/* Reads names before the rows that refer to them. */
static enum ps_status read_all(struct ns_reader *r)
{
    enum ps_status status = ns_names_read(r);

    if (status == PS_OK)
        status = ns_target_read(r);
    if (status == PS_OK)
        status = ns_look(r, &ns_nvtx_names);
    for (const struct ns_table *t = ns_device_tables; t->name && status == PS_OK; t++)
        status = ns_count(r, t);
    if (status == PS_OK)
        status = ns_host_read(r);
    if (status == PS_OK)
        status = ns_count(r, &ns_nvtx_table);
    if (status == PS_OK)
        status = ns_series_read(r);
    return status;
}

static void note_empty(const struct ns_reader *r)
{
    const struct tr_counts *counts = &r->trace.counts;

    if (counts->stored + counts->repaired == 0)
        ps_sink_note(
            r->out, PS_NOTE_WARNING, PS_NOTE_NO_AT, 0,
            "the export contains no supported events: nothing was traced, or the export lacks the "
            "event tables. Record again with `nsys profile --trace=cuda,nvtx,osrt`");
}

static void reader_free(struct ns_reader *r)
{
    ns_names_free(r);
    ns_args_free(&r->args);
    ps_buf_free(&r->devices);
    tr_trace_free(&r->trace);
}

static enum ps_status import(struct ps_sqlite *db, struct ps_sink *out, struct ps_err *err)
{
    static const struct tr_source source = {"NVIDIA Nsight Systems", "rows"};
    struct ns_reader r = {.db = db, .out = out, .err = err, .end_ns = INT64_MIN};
    enum ps_status status;

    r.trace.out = out;
    r.trace.err = err;
    tr_fill_begin(&r.trace, &source);
    status = read_all(&r);
    if (status == PS_OK)
        note_empty(&r);
    if (status == PS_OK)
        status = tr_fill_end(&r.trace, r.end_ns == INT64_MIN ? INT64_MIN : r.end_ns + r.shift);
    if (status == PS_OK)
        status = tr_import(&r.trace);
    reader_free(&r);
    return status;
}

/* Sets *fd to the stream's file, or to a temporary file with all of its bytes. *own: descriptor
 * that the caller closes; -1: none. */
static enum ps_status file_of(struct ps_stream *in, struct ps_sink *out, int *fd, int *own,
                              struct ps_err *err)
{
    *own = -1;
    *fd = ps_stream_file(in);
    if (*fd >= 0)
        return PS_OK;
    *own = *fd =
        out->ops->scratch ? out->ops->scratch(out) : memfd_create("perfshelf", MFD_CLOEXEC);
    if (*fd < 0)
        return ps_sink_ok(out) ? ps_fail_errno(err, "cannot make", "a temporary file")
                               : ps_fail(err, out->err.code, "%s", out->err.text);
    return ps_stream_spool(in, *fd, err);
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    PS_AUTO(ps_close_fd) int own = -1;
    struct ps_sqlite *db = NULL;
    int fd;
    enum ps_status status = file_of(in, out, &fd, &own, err);

    if (status == PS_OK)
        status = ps_sqlite_open(fd, &db, err);
    if (status == PS_OK && !is_export(db)) {
        status = ps_fail(err, PS_UNKNOWN_KIND,
                         "this SQLite database is not an export of Nsight Systems");
        ps_hint(err, EXPORT_AGAIN);
    }
    if (status == PS_OK)
        status = import(db, out, err);
    if (status == PS_BAD_INPUT)
        ps_hint(err, EXPORT_AGAIN);
    if (status == PS_LIMIT)
        ps_hint(err, "record a shorter time, or fewer kinds of events (nsys profile --trace)");
    ps_sqlite_close(db);
    return status;
}

const struct ps_importer ps_nsys = {
    .kind = "nsys",
    .label = "Nsight Systems",
    .what = "nsys export --type sqlite: CUDA, NVTX and the operating system's calls",
    .record = "nsys profile -o report python app.py && "
              "nsys export --type sqlite -o report.sqlite report.nsys-rep",
    .sniff = sniff,
    .load = load,
};
