/* SPDX-License-Identifier: MIT */
#include "server/jobs/merge.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/archive.h"
#include "base/buf.h"
#include "base/file.h"
#include "importers/importer.h"
#include "importers/kinds.h"
#include "importers/serving/job.h"
#include "importers/trace/xla_job.h"

static const struct ps_stream_limits limits = {(uint64_t)8 << 30, 1000};

enum { HEAD = 64 * 1024, HEAD_INSIDE = 64 * 1024 };

enum merge_method { NOTHING, PICKLES, TRACES, XLA, SERVING };

struct ps_merge {
    int fd;
    enum merge_method method; /* set by the first file, unless it is SERVING */
    const char *folder;       /* of the files in the archive: "", or that of their importer */
    struct ps_archive_writer *tar;
};

bool ps_merge_supports(const char *kind)
{
    return ps_kind_find(kind)->merges;
}

struct ps_merge *ps_merge_new(int fd)
{
    struct ps_merge *merge = ps_alloc(sizeof *merge);

    merge->fd = fd;
    merge->folder = "";
    return merge;
}

struct ps_merge *ps_merge_new_serving(int fd, const char *folder)
{
    struct ps_merge *merge = ps_merge_new(fd);

    merge->method = SERVING;
    merge->folder = folder;
    return merge;
}

/* Returns the method for a file that is not compressed. A pickle of line_profiler starts with the
 * PROTO opcode; a trace is JSON, or of Perfetto. */
static enum merge_method plain_method_of(struct ps_str head)
{
    size_t blank = 0;

    if (head.len >= 2 && (unsigned char)head.ptr[0] == 0x80)
        return PICKLES;
    if (ps_is_xla_profile(head))
        return XLA;
    if (ps_perfetto.sniff(head) != PS_MATCH_NO)
        return TRACES;
    while (blank < head.len && strchr(" \t\r\n", head.ptr[blank]))
        blank++;
    head = ps_str_skip(head, blank);
    return head.len && (head.ptr[0] == '{' || head.ptr[0] == '[') ? TRACES : NOTHING;
}

/* Returns the method for a file that may be compressed. Only the first bytes are decompressed,
 * because the file is read once. */
static enum merge_method method_of(struct ps_str head)
{
    struct ps_stream *inside = ps_stream_decompress(ps_stream_from_memory(head, 0), &limits);
    enum merge_method way = plain_method_of(ps_stream_peek(inside, HEAD_INSIDE));

    ps_stream_free(inside);
    return way;
}

static enum ps_status check_way(struct ps_merge *merge, enum merge_method way, const char *name,
                                struct ps_err *err)
{
    if (way == NOTHING)
        return ps_fail(err, PS_BAD_REQUEST,
                       "%s is neither an .lprof file nor a trace" PS_HINT
                       "merge .lprof files, or the traces of one job (text reports are rounded and "
                       "cannot be summed)",
                       name);
    if (merge->method != NOTHING && merge->method != way)
        return ps_fail(err, PS_BAD_REQUEST, "%s is of another kind than the files before it", name);
    merge->method = way;
    if (way == XLA)
        merge->folder = PS_XLA_FOLDER;
    return PS_OK;
}

/* Adds the unmodified (possibly compressed) file. Frees `in`. */
static enum ps_status add_file(struct ps_merge *merge, struct ps_stream *in, uint64_t bytes,
                               const char *name, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    enum ps_status status;

    ps_buf_printf(&path, "%s%s", merge->folder, name);
    if (!merge->tar)
        merge->tar = ps_archive_writer_new(merge->fd);
    status = ps_archive_writer_add(merge->tar, path.ptr, bytes, in, err);
    ps_stream_free(in);
    return status;
}

/* The name of a member of an archive without the folder that the importer of the archive knows. */
static struct ps_str member_name(const struct ps_merge *merge, struct ps_str path)
{
    const struct ps_str folder = PS_STR(PS_XLA_FOLDER);

    if (merge->method == SERVING)
        return ps_serving_member_name(path);
    return ps_str_starts_with(path, folder) ? ps_str_skip(path, folder.len) : path;
}

static enum ps_status add_members(struct ps_merge *merge, struct ps_stream *in, const char *name,
                                  struct ps_err *err)
{
    bool is_xla = ps_str_starts_with(ps_stream_peek(in, HEAD), PS_STR(PS_XLA_FOLDER));
    struct ps_archive *archive = ps_archive_open(in, &limits);
    struct ps_str member;
    uint64_t bytes;

    if (merge->method != SERVING)
        check_way(merge, is_xla ? XLA : TRACES, name, err);
    while (err->code == PS_OK && ps_archive_next(archive, &member, &bytes)) {
        PS_AUTO(ps_free_ptr) char *copy = ps_strdup(member_name(merge, member));

        if (!ps_archive_special(archive))
            add_file(merge, ps_archive_member(archive), bytes, copy, err);
    }
    if (err->code == PS_OK)
        ps_archive_status(archive, err);
    ps_archive_free(archive);
    ps_stream_free(in);
    return err->code;
}

enum ps_status ps_merge_add(struct ps_merge *merge, struct ps_stream *in, uint64_t bytes,
                            const char *name, struct ps_err *err)
{
    struct ps_str head = ps_stream_peek(in, HEAD);
    enum merge_method way;

    if (ps_stream_status(in, err) == PS_OK && ps_is_archive(head))
        return add_members(merge, in, name, err);
    if (err->code == PS_OK && merge->method == SERVING)
        return add_file(merge, in, bytes, name, err);
    way = method_of(head);
    if (err->code == PS_OK && check_way(merge, way, name, err) == PS_OK && way != PICKLES)
        return add_file(merge, in, bytes, name, err);
    in = ps_stream_decompress(in, &limits);
    if (err->code == PS_OK)
        ps_stream_spool(in, merge->fd, err);
    ps_stream_free(in);
    return err->code;
}

enum ps_status ps_merge_end(struct ps_merge *merge, struct ps_err *err)
{
    enum ps_status status;

    if (!merge)
        return PS_OK;
    status = ps_archive_writer_end(merge->tar, err);
    free(merge);
    return status;
}
