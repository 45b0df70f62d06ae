/* SPDX-License-Identifier: MIT */
/*
 * importers.c: the importers of traces: PyTorch's profiler, Chrome Trace Event JSON of other tools,
 * and archives of the traces of one job. The first two importers read the same format; they differ
 * only in the kind of the run.
 *
 * Tested with torch 1.8 to 2.15, viztracer, py-spy, and samples of Perfetto and speedscope.
 */
#include "base/archive.h"
#include "importers/importer.h"
#include "importers/records/run.h"
#include "importers/trace/graphs.h"
#include "importers/trace/import.h"
#include "importers/trace/job.h"
#include "importers/trace/members.h"
#include "importers/trace/perfetto_read.h"
#include "importers/trace/xla_job.h"
#include "importers/trace/xplane.h"

#include <stdlib.h>

enum { MEMBER_HEAD = 64 * 1024 };

static const struct ps_stream_limits member_limits = {(uint64_t)8 << 30, 1000};

static struct ps_str skip_blanks(struct ps_str s)
{
    while (s.len && (unsigned char)s.ptr[0] <= ' ')
        s = ps_str_skip(s, 1);
    return s;
}

static bool contains_word(struct ps_str head, const char *word)
{
    return ps_str_find(head, ps_str_from_c(word)) != NULL;
}

/* Whether another tool wrote the JSON, whose files may also contain objects that resemble
 * events. */
static bool is_foreign(struct ps_str head)
{
    return contains_word(head, "speedscope.app/file-format-schema") ||
           (contains_word(head, "\"profiles\"") && contains_word(head, "\"shared\"")) ||
           (contains_word(head, "\"nbformat\"") && contains_word(head, "\"cells\""));
}

/* Whether s begins with an object that has a phase, or with the start of an object whose first key
 * is a key of events. */
static bool begins_event(struct ps_str s)
{
    static const char *const keys[] = {"\"name\"", "\"cat\"", "\"pid\"", "\"tid\"", "\"ts\""};

    s = skip_blanks(s);
    s.len = s.len < 4096 ? s.len : 4096;
    if (s.len == 0 || s.ptr[0] != '{')
        return false;
    if (contains_word(s, "\"ph\""))
        return true;
    s = skip_blanks(ps_str_skip(s, 1));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (ps_str_starts_with(s, ps_str_from_c(keys[i])))
            return s.len < 4000 && !memchr(s.ptr, '}', s.len);
    return false;
}

/* Whether the file is only `[]`, which torch 1.13 writes if no event was recorded. */
static bool is_empty_list(struct ps_str head)
{
    struct ps_str rest = skip_blanks(head);

    if (rest.len == 0 || rest.ptr[0] != '[')
        return false;
    rest = skip_blanks(ps_str_skip(rest, 1));
    return rest.len && rest.ptr[0] == ']' && skip_blanks(ps_str_skip(rest, 1)).len == 0;
}

static bool is_trace(struct ps_str head)
{
    struct ps_str body = skip_blanks(head), inner;

    if (body.len == 0 || is_foreign(head))
        return false;
    inner = skip_blanks(ps_str_skip(body, 1));
    if (body.ptr[0] == '[')
        return is_empty_list(head) || begins_event(inner);
    return body.ptr[0] == '{' && (contains_word(head, "\"traceEvents\"") ||
                                  (begins_event(body) && contains_word(head, "\"ph\"")) ||
                                  (contains_word(head, "\"schemaVersion\"") &&
                                   contains_word(head, "\"deviceProperties\"")));
}

/* Whether the file has a key or category that only PyTorch writes. */
static bool is_torch(struct ps_str head)
{
    static const char *const marks[] = {
        "\"schemaVersion\"",    "\"deviceProperties\"",  "\"cpu_op\"",
        "\"user_annotation\"",  "\"python_function\"",   "\"cuda_runtime\"",
        "\"gpu_memcpy\"",       "\"cuda_driver\"",       "\"mtia_runtime\"",
        "\"xpu_runtime\"",      "\"cat\": \"Operator\"", "\"cat\": \"kernel\"",
        "\"cat\": \"Runtime\"",
    };

    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (contains_word(head, marks[i]))
            return true;
    return skip_blanks(head).ptr[0] == '[' && contains_word(head, "\"CPU functions\"");
}

static enum ps_match sniff_torch(struct ps_str head)
{
    return is_trace(head) && is_torch(head) ? PS_MATCH_SURE : PS_MATCH_NO;
}

/* Whether the process that an event names is a plane of XLA's profiler: "/host:CPU", or a device
 * such as "/device:GPU:0". Its writer puts the names of all processes before the first slice. */
static bool names_plane(struct ps_str event)
{
    const char *device = ps_str_find(event, PS_STR("\"/device:"));
    struct ps_str type;
    size_t n = 0;

    if (contains_word(event, "\"/host:CPU\""))
        return true;
    if (!device)
        return false;
    type = ps_str_skip(event, (size_t)(device - event.ptr) + sizeof "\"/device:" - 1);
    while (n < type.len && type.ptr[n] >= 'A' && type.ptr[n] <= 'Z')
        n++;
    return n > 0 && n + 1 < type.len && type.ptr[n] == ':' && type.ptr[n + 1] >= '0' &&
           type.ptr[n + 1] <= '9';
}

/* The object around a position of JSON, without the braces at its ends. */
static struct ps_str object_around(struct ps_str json, const char *at)
{
    const char *begin = at, *end = at;
    size_t depth = 0;

    while (begin > json.ptr && !(begin[-1] == '{' && depth == 0)) {
        begin--;
        depth += *begin == '}';
        depth -= *begin == '{';
    }
    for (depth = 0; end < json.ptr + json.len && !(*end == '}' && depth == 0); end++) {
        depth += *end == '{';
        depth -= *end == '}';
    }
    return (struct ps_str){begin, (size_t)(end - begin)};
}

/* Whether XLA's profiler wrote the trace. */
static bool is_xla(struct ps_str head)
{
    const struct ps_str word = PS_STR("\"process_name\"");
    struct ps_str rest = head;
    const char *at;

    while ((at = ps_str_find(rest, word)) != NULL) {
        if (names_plane(object_around(head, at)))
            return true;
        rest = ps_str_skip(rest, (size_t)(at - rest.ptr) + word.len);
    }
    return false;
}

static enum ps_match sniff_xla(struct ps_str head)
{
    return is_trace(head) && is_xla(head) ? PS_MATCH_SURE : PS_MATCH_NO;
}

bool ps_is_xla_profile(struct ps_str head)
{
    return tr_is_xplane(head) || (is_trace(head) && is_xla(head));
}

static enum ps_match sniff_generic(struct ps_str head)
{
    return is_trace(head) ? PS_MATCH_LIKELY : PS_MATCH_NO;
}

static enum ps_match sniff_perfetto(struct ps_str head)
{
    return pf_is_torch_trace(head) ? PS_MATCH_SURE : PS_MATCH_NO;
}

static enum ps_match sniff_xla_job(struct ps_str head)
{
    return ps_is_archive(head) && ps_str_starts_with(head, PS_STR(PS_XLA_FOLDER)) ? PS_MATCH_SURE
                                                                                  : PS_MATCH_NO;
}

static enum ps_match sniff_job(struct ps_str head)
{
    return ps_is_archive(head) ? PS_MATCH_SURE : PS_MATCH_NO;
}

/* Imports a trace that is a run of its own. */
static enum ps_status import_single(struct tr_trace *trace)
{
    struct tr_graphs *graphs = NULL;
    enum ps_status status;

    if (tr_graphs_has_captures(trace) && tr_graphs_has_launches(trace)) {
        graphs = tr_graphs_new();
        tr_graphs_read(graphs, trace);
        tr_graphs_match(graphs);
    }
    status = tr_import_trace(trace);
    tr_graphs_free(graphs);
    return status;
}

static enum ps_status load_trace(struct ps_stream *in, struct ps_sink *out, bool is_of_xla,
                                 struct ps_err *err)
{
    struct ps_err failure = PS_ERR_INIT;
    struct tr_trace trace = {.out = out, .err = &failure, .is_xla = is_of_xla};
    enum ps_status status;

    if (is_empty_list(ps_stream_peek(in, MEMBER_HEAD)))
        return ps_fail(err, PS_BAD_INPUT,
                       "the trace contains no events: nothing was profiled" PS_HINT
                       "run the code while the profiler is active, and record again");
    status = tr_trace_read(in, &trace);
    if (status == PS_OK)
        status = import_single(&trace);
    tr_trace_free(&trace);
    return ps_fail_copy_hint(err, &failure,
                             status == PS_LIMIT ? "record fewer steps, or shorten the file" : "");
}

static enum ps_status load_perfetto(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    struct ps_err failure = PS_ERR_INIT;
    struct tr_trace trace = {.out = out, .err = &failure};
    enum ps_status status = pf_trace_read(in, &trace, true);

    if (status == PS_OK)
        status = import_single(&trace);
    tr_trace_free(&trace);
    return ps_fail_copy_hint(err, &failure, status == PS_LIMIT ? "record fewer steps" : "");
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    return load_trace(in, out, false, err);
}

static enum ps_status load_xla(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    return load_trace(in, out, true, err);
}

/* Traces of a job that wait until all files are read, because the work that one replays may have
 * been captured in another. */
#define WAITING_MAX 32u

struct members {
    struct ps_sink *out;
    struct tr_job *job;
    unsigned files, traces;
    struct waiting {
        struct tr_trace trace;
        char *name;
    } * waiting[WAITING_MAX];
    size_t n_waiting;
};

static enum ps_status import_member(struct tr_job *job, struct tr_trace *trace, struct ps_str name)
{
    enum ps_status status;

    trace->out = tr_job_begin_file(job, name);
    tr_job_set_trace(job, trace);
    status = tr_import_trace(trace);
    if (status == PS_OK)
        tr_job_end_file(job);
    return status;
}

static void free_member(struct waiting *member)
{
    if (!member)
        return;
    tr_trace_free(&member->trace);
    free(member->name);
    free(member);
}

/* Imports a trace of a job that was read, or keeps it until all files are read. */
static enum ps_status import_or_keep(struct members *members, struct waiting *member)
{
    enum ps_status status;

    if (members->n_waiting < WAITING_MAX &&
        (tr_graphs_has_captures(&member->trace) || tr_graphs_has_launches(&member->trace))) {
        members->waiting[members->n_waiting++] = member;
        return PS_OK;
    }
    if (members->n_waiting == WAITING_MAX && tr_graphs_has_launches(&member->trace))
        ps_sink_note(member->trace.out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
                     "its graphs were not matched with captures: only those of the first %u files "
                     "with graphs are",
                     WAITING_MAX);
    status = import_member(members->job, &member->trace, ps_str_from_c(member->name));
    free_member(member);
    return status;
}

/* Reads a trace of JSON or of XLA. */
static enum ps_status read_trace(struct ps_stream *in, struct tr_trace *trace)
{
    struct ps_str head = ps_stream_peek(in, MEMBER_HEAD);

    if (tr_is_xplane(head))
        return tr_xplane_read(in, trace);
    if (pf_is_trace(head))
        return pf_trace_read(in, trace, pf_is_torch_trace(head));
    trace->is_xla = is_xla(head);
    return tr_trace_read(in, trace);
}

static bool is_any_trace(struct ps_str head)
{
    return is_trace(head) || tr_is_xplane(head) || pf_is_trace(head);
}

/* Imports one file of a job, or keeps it until all files are read. */
static enum ps_status load_member(struct members *members, struct ps_stream *in, struct ps_str name,
                                  struct ps_err *err)
{
    struct waiting *member = ps_alloc(sizeof *member);

    member->name = ps_strdup(name);
    member->trace.out = tr_job_read_file(members->job, name);
    member->trace.err = err;
    if (read_trace(in, &member->trace) == PS_OK)
        return import_or_keep(members, member);
    free_member(member);
    return err->code;
}

/* Imports the trace as the capture of another one. */
static enum ps_status import_capture(struct members *members, struct waiting *member,
                                     const struct tr_trace *user)
{
    struct ps_str name = PS_STR("");
    enum ps_status status;

    for (size_t i = 0; i < members->n_waiting; i++)
        if (&members->waiting[i]->trace == user)
            name = ps_str_from_c(members->waiting[i]->name);
    member->trace.out =
        tr_job_begin_capture(members->job, ps_str_from_c(member->name), &member->trace, name, user);
    status = tr_import_trace(&member->trace);
    if (status == PS_OK)
        tr_job_end_file(members->job);
    return status;
}

/* Work refers to the operators of its capture, so captures are imported first. Those without
 * launches of their own are no workers of the job. */
enum place { PLACE_CAPTURE, PLACE_CAPTURE_AND_WORKER, PLACE_WORKER, N_PLACES };

static enum place place_of(const struct tr_graphs *graphs, const struct tr_trace *trace)
{
    if (!tr_graphs_user_of(graphs, trace))
        return PLACE_WORKER;
    return tr_graphs_has_launches(trace) ? PLACE_CAPTURE_AND_WORKER : PLACE_CAPTURE;
}

/* Imports the traces that waited. */
static enum ps_status import_waiting(struct members *members)
{
    struct tr_graphs *graphs = tr_graphs_new();
    enum ps_status status = PS_OK;

    for (size_t i = 0; i < members->n_waiting; i++)
        tr_graphs_read(graphs, &members->waiting[i]->trace);
    tr_graphs_match(graphs);
    for (int place = 0; place < N_PLACES; place++) {
        for (size_t i = 0; i < members->n_waiting && status == PS_OK; i++) {
            struct waiting *member = members->waiting[i];

            if ((int)place_of(graphs, &member->trace) != place)
                continue;
            status =
                place == PLACE_CAPTURE
                    ? import_capture(members, member, tr_graphs_user_of(graphs, &member->trace))
                    : import_member(members->job, &member->trace, ps_str_from_c(member->name));
        }
    }
    tr_graphs_free(graphs);
    return status;
}

static void free_waiting(struct members *members)
{
    for (size_t i = 0; i < members->n_waiting; i++)
        free_member(members->waiting[i]);
}

static enum ps_status load_members(struct ps_archive *archive, struct members *members,
                                   struct ps_err *err)
{
    enum ps_status status = PS_OK;
    struct ps_str name;

    while (status == PS_OK && ps_archive_next(archive, &name, NULL)) {
        struct ps_stream *in =
            ps_stream_to_utf8(ps_stream_decompress(ps_archive_member(archive), &member_limits));

        members->files++;
        if (is_any_trace(ps_stream_peek(in, MEMBER_HEAD))) {
            if (++members->traces > TR_WORKERS_MAX)
                status = ps_fail(err, PS_LIMIT, "the archive contains more than %u traces",
                                 TR_WORKERS_MAX);
            if (status == PS_OK)
                status = load_member(members, in, name, err);
        } else {
            ps_sink_note(members->out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
                         "%.*s is not a trace and was skipped", (int)name.len, name.ptr);
        }
        ps_stream_free(in);
    }
    if (status == PS_OK)
        status = ps_archive_status(archive, err);
    if (status == PS_OK)
        status = import_waiting(members);
    free_waiting(members);
    return status;
}

/* Fails with PS_UNKNOWN_KIND because an archive with fewer than two traces is not a job. */
static enum ps_status refuse_contents(const struct members *members, struct ps_err *err)
{
    if (members->files == 1)
        return ps_fail(err, PS_UNKNOWN_KIND,
                       "this archive contains only one file" PS_HINT
                       "unpack the archive and add that file");
    return ps_fail(err, PS_UNKNOWN_KIND,
                   "this archive contains %s instead of the traces of one job" PS_HINT
                   "unpack the archive and add the %s in it",
                   members->traces ? "one trace" : "other files",
                   members->traces ? "trace" : "profiles");
}

static enum ps_status load_job(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    struct ps_archive *archive = ps_archive_open(in, &member_limits);
    struct members members = {.out = out, .job = tr_job_new(out)};
    enum ps_status status = load_members(archive, &members, err);

    if (status == PS_OK && members.traces < 2)
        status = refuse_contents(&members, err);
    if (status == PS_OK)
        tr_job_write(members.job);
    tr_job_free(members.job);
    ps_archive_free(archive);
    return status;
}

struct tr_members {
    struct members of_job;
    struct waiting *first; /* until there is a second one */
};

struct tr_members *tr_members_new(struct ps_sink *out)
{
    struct tr_members *members = ps_alloc(sizeof *members);

    members->of_job = (struct members){.out = out, .job = tr_job_new(out)};
    return members;
}

enum ps_status tr_members_add(struct tr_members *members, struct ps_stream *in, struct ps_str name,
                              struct ps_err *err)
{
    struct waiting *first = members->first;

    if (++members->of_job.traces > TR_WORKERS_MAX)
        return ps_fail(err, PS_LIMIT, "the run has more than %u traces", TR_WORKERS_MAX);
    if (members->of_job.traces == 1) {
        members->first = first = ps_alloc(sizeof *first);
        first->name = ps_strdup(name);
        first->trace.out = members->of_job.out;
        first->trace.err = err;
        return read_trace(in, &first->trace);
    }
    members->first = NULL;
    if (first && import_or_keep(&members->of_job, first) != PS_OK)
        return err->code;
    return load_member(&members->of_job, in, name, err);
}

enum ps_status tr_members_end(struct tr_members *members, struct ps_err *err)
{
    if (members->first)
        return import_single(&members->first->trace);
    if (members->of_job.traces > 1 && import_waiting(&members->of_job) == PS_OK)
        tr_job_write(members->of_job.job);
    return err->code;
}

void tr_members_free(struct tr_members *members)
{
    if (!members)
        return;
    free_waiting(&members->of_job);
    free_member(members->first);
    tr_job_free(members->of_job.job);
    free(members);
}

const struct ps_importer ps_torch_trace = {
    .kind = "torch-trace",
    .label = "PyTorch trace",
    .description = "torch.profiler: export_chrome_trace, tensorboard_trace_handler",
    .record_command = "p.export_chrome_trace(\"trace.json\")",
    .sniff = sniff_torch,
    .load = load,
};

const struct ps_importer ps_torch_perfetto = {
    .kind = "torch-trace",
    .label = "PyTorch trace for Perfetto",
    .description = "torch.profiler of torch 2.15 and later: export_chrome_trace(\"trace.pftrace\")",
    .record_command = "p.export_chrome_trace(\"trace.pftrace\")",
    .sniff = sniff_perfetto,
    .load = load_perfetto,
};

const struct ps_importer ps_xla_json = {
    .kind = "xla-trace",
    .label = "XLA trace as JSON",
    .description = "trace.json.gz that jax.profiler and TensorFlow write beside xplane.pb",
    .record_command = "jax.profiler.trace(\"log\")",
    .sniff = sniff_xla,
    .load = load_xla,
};

const struct ps_importer ps_trace_generic = {
    .kind = "trace",
    .label = "Chrome trace",
    .description =
        "Chrome Trace Event JSON: viztracer, py-spy --format chrometrace and many others",
    .record_command = "viztracer -o trace.json app.py",
    .sniff = sniff_generic,
    .load = load,
};

const struct ps_importer ps_xla_job = {
    .kind = "xla-trace",
    .label = "XLA profiles of several hosts",
    .description = "folder, tar or zip of the *.xplane.pb of one recording",
    .record_command = "jax.profiler.trace(\"log\")",
    .sniff = sniff_xla_job,
    .load = load_job,
};

const struct ps_importer ps_trace_job = {
    .kind = "torch-trace",
    .label = "PyTorch traces of one job",
    .description = "tar or zip of the traces of a job's workers (ranks) and spans",
    .record_command = "tensorboard_trace_handler(\"log\")",
    .sniff = sniff_job,
    .load = load_job,
};
