/* SPDX-License-Identifier: MIT */
#include "importers/serving/job.h"

#include "base/archive.h"
#include "base/mem.h"
#include "importers/serving/readers.h"
#include "importers/serving/trace_steps.h"

static const struct ps_stream_limits limits = {(uint64_t)8 << 30, 1000};

static bool is_torch_trace(const struct ps_importer *importer)
{
    return importer == &ps_torch_trace || importer == &ps_torch_perfetto;
}

bool ps_serving_is_part(const struct ps_importer *importer, int *role, bool *is_view)
{
    const struct sv_reader *reader = sv_reader_of(importer);

    *role = reader ? (int)reader->role : PS_SERVING_TRACE;
    *is_view = reader && reader->is_view;
    return reader || is_torch_trace(importer);
}

struct ps_str ps_serving_member_name(struct ps_str path)
{
    const struct ps_str folders[] = {PS_STR(PS_SERVING_TRACE_FOLDER), PS_STR(PS_SERVING_FOLDER)};

    for (int i = 0; i < 2; i++)
        if (ps_str_starts_with(path, folders[i]))
            return ps_str_skip(path, folders[i].len);
    return path;
}

static enum ps_status read_member(struct sv_run *run, struct ps_str name, struct ps_stream *in,
                                  struct sv_traces *traces, struct ps_err *err)
{
    const struct ps_importer *importer;
    const struct sv_reader *reader;

    if (ps_importer_pick(in, &importer, err) != PS_OK)
        return err->code;
    reader = sv_reader_of(importer);
    if (reader)
        return reader->read(run, name, in, err);
    if (!is_torch_trace(importer)) {
        ps_sink_note(run->out, PS_NOTE_INFO, PS_NOTE_NO_OFFSET, 0,
                     "%.*s is no file of a serving job and was skipped", (int)name.len, name.ptr);
        return PS_OK;
    }
    return sv_traces_add(traces, name, in, err);
}

static enum ps_status read_members(struct sv_run *run, struct ps_archive *archive,
                                   struct ps_err *err)
{
    struct sv_traces *traces = sv_traces_new(run);
    struct ps_str path;

    while (err->code == PS_OK && ps_archive_next(archive, &path, NULL)) {
        PS_AUTO(ps_free_ptr) char *copy = ps_strdup(ps_serving_member_name(path));
        struct ps_stream *in =
            ps_stream_to_utf8(ps_stream_decompress(ps_archive_member(archive), &limits));

        (void)read_member(run, ps_str_from_c(copy), in, traces, err);
        ps_stream_free(in);
    }
    if (err->code == PS_OK && ps_archive_status(archive, err) == PS_OK)
        (void)sv_traces_end(traces, err);
    sv_traces_free(traces);
    return err->code;
}

static enum ps_status load(struct ps_stream *in, struct ps_sink *out, struct ps_err *err)
{
    struct ps_archive *archive = ps_archive_open(in, &limits);
    struct sv_run *run = sv_run_new(out);

    if (read_members(run, archive, err) == PS_OK)
        (void)sv_run_write(run, err);
    sv_run_free(run);
    ps_archive_free(archive);
    return err->code;
}

static enum ps_match sniff_folder(struct ps_str head, struct ps_str folder)
{
    return ps_is_archive(head) && ps_str_starts_with(head, folder) ? PS_MATCH_SURE : PS_MATCH_NO;
}

static enum ps_match sniff(struct ps_str head)
{
    return sniff_folder(head, PS_STR(PS_SERVING_FOLDER));
}

static enum ps_match sniff_trace(struct ps_str head)
{
    return sniff_folder(head, PS_STR(PS_SERVING_TRACE_FOLDER));
}

const struct ps_importer ps_serving_job = {
    .kind = "serving",
    .label = "files of one serving job",
    .description = "results of clients and logs of engines of the same requests",
    .record_command = "aiperf profile --model MODEL --url URL --streaming --export-level records",
    .sniff = sniff,
    .load = load,
};

const struct ps_importer ps_serving_trace_job = {
    .kind = "serving-trace",
    .label = "serving job with a trace",
    .description = "results of clients and logs of engines with a PyTorch trace of the same run",
    .record_command = "perfshelf record serving --engine URL --traces DIR -- CLIENT",
    .sniff = sniff_trace,
    .load = load,
};
