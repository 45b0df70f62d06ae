/* SPDX-License-Identifier: MIT */
#include "base/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdlib.h>

#include "base/stream_kind.h"
#include "base/utf8.h"

enum { BLOCK_SIZE = 256 * 1024 };

struct ps_archive {
    struct ps_stream *in;
    struct archive *read;
    const struct ps_stream_limits *limits;
    struct ps_buf name;
    /* bytes read from the archive; decompressed bytes of its members; both so far */
    uint64_t bytes_in, bytes_out;
    size_t block_len;    /* size of the current input block, which is skipped at the next read */
    const char *special; /* of the current entry: see ps_archive_special */
    struct ps_err err;
};

/* Whether the block is a tar header by its checksum, which is all that marks the header of the V7
 * format: the sum of its bytes in octal, with spaces in place of the sum itself. */
static bool has_tar_checksum(const char *block)
{
    enum { SUM_OFFSET = 148, SUM_SIZE = 8 };
    unsigned long sum = SUM_SIZE * ' ';
    char stated[SUM_SIZE + 1] = {0}, *end;

    for (size_t i = 0; i < PS_ARCHIVE_HEAD_SIZE; i++)
        if (i < SUM_OFFSET || i >= SUM_OFFSET + SUM_SIZE)
            sum += (unsigned char)block[i];
    memcpy(stated, block + SUM_OFFSET, SUM_SIZE);
    return block[0] && strtoul(stated, &end, 8) == sum && end != stated;
}

bool ps_is_archive(struct ps_str head)
{
    if (ps_str_starts_with(head, PS_STR("PK\3\4")))
        return true;
    return head.len >= PS_ARCHIVE_HEAD_SIZE &&
           (memcmp(head.ptr + 257, "ustar", 5) == 0 || has_tar_checksum(head.ptr));
}

static la_ssize_t read_block(struct archive *read, void *user, const void **bytes)
{
    struct ps_archive *archive = user;
    struct ps_str piece;

    (void)read;
    ps_stream_skip(archive->in, archive->block_len);
    piece = ps_stream_peek(archive->in, 1);
    archive->block_len = piece.len < BLOCK_SIZE ? piece.len : BLOCK_SIZE;
    archive->bytes_in += archive->block_len;
    *bytes = piece.ptr;
    if (archive->block_len == 0 && ps_stream_status(archive->in, &archive->err) != PS_OK)
        return ARCHIVE_FATAL;
    return (la_ssize_t)archive->block_len;
}

static void fail_archive(struct ps_archive *archive, struct ps_err *err)
{
    const char *why = archive_error_string(archive->read);

    ps_fail_at(err, PS_BAD_INPUT, ps_stream_offset(archive->in),
               "the archive is damaged: %s" PS_HINT
               "create the archive again, or add its profiles one by one",
               why ? why : "the rest of it is unreadable");
}

struct ps_archive *ps_archive_open(struct ps_stream *in, const struct ps_stream_limits *limits)
{
    struct ps_archive *archive = ps_alloc(sizeof *archive);

    archive->in = in;
    archive->limits = limits;
    archive->read = archive_read_new();
    archive_read_support_format_tar(archive->read);
    archive_read_support_format_zip_streamable(archive->read);
    if (archive_read_open(archive->read, archive, NULL, read_block, NULL) != ARCHIVE_OK)
        fail_archive(archive, &archive->err);
    return archive;
}

/* The stored name. If the locale cannot represent it, libarchive returns it as UTF-8 only. */
static const char *name_of(struct archive_entry *entry)
{
    const char *name = archive_entry_pathname(entry);

    name = name ? name : archive_entry_pathname_utf8(entry);
    return name ? name : "unnamed";
}

static const char *special_of(struct archive_entry *entry)
{
    if (archive_entry_hardlink(entry) || archive_entry_hardlink_utf8(entry))
        return "a hard link";
    switch (archive_entry_filetype(entry)) {
    case AE_IFREG:
        return NULL;
    case AE_IFLNK:
        return "a symbolic link";
    case AE_IFIFO:
        return "a named pipe";
    case AE_IFSOCK:
        return "a socket";
    default:
        return "a device";
    }
}

const char *ps_archive_special(const struct ps_archive *archive)
{
    return archive->special;
}

bool ps_archive_next(struct ps_archive *archive, struct ps_str *name, uint64_t *bytes)
{
    struct archive_entry *entry;
    int code;

    if (archive->err.code != PS_OK)
        return false;
    do {
        code = archive_read_next_header(archive->read, &entry);
    } while ((code == ARCHIVE_OK || code == ARCHIVE_WARN) &&
             archive_entry_filetype(entry) == AE_IFDIR);
    if (code != ARCHIVE_OK && code != ARCHIVE_WARN) {
        if (code != ARCHIVE_EOF)
            fail_archive(archive, &archive->err);
        return false;
    }
    archive->special = special_of(entry);
    archive->name.len = 0;
    ps_utf8_repair(&archive->name, ps_str_from_c(name_of(entry)));
    *name = ps_buf_slice(&archive->name);
    if (bytes)
        *bytes = archive_entry_size(entry) > 0 ? (uint64_t)archive_entry_size(entry) : 0;
    return true;
}

static void fill_from_member(struct ps_stream *s, size_t want)
{
    struct ps_archive *archive = *(struct ps_archive **)s->state;

    while (s->window_len < want && !s->is_ended) {
        size_t room;
        char *to = ps_stream_reserve(s, want, &room);
        la_ssize_t got = archive_read_data(archive->read, to, room);

        s->err = archive->err; /* the error of the input, if any */
        if (got < 0 && s->err.code == PS_OK)
            fail_archive(archive, &s->err);
        if (got == ARCHIVE_FATAL)
            archive->err = s->err;
        if (got <= 0) {
            s->is_ended = true;
            return;
        }
        s->window_len += (size_t)got;
        archive->bytes_out += (uint64_t)got;
        if (ps_stream_check_bomb(s, archive->limits, archive->bytes_in, archive->bytes_out))
            archive->err = s->err;
    }
}

static const struct ps_stream_ops member_ops = {.fill = fill_from_member};

struct ps_stream *ps_archive_member(struct ps_archive *archive)
{
    struct ps_stream *s = ps_stream_new(&member_ops, NULL);
    struct ps_archive **own = s->state = ps_alloc(sizeof(struct ps_archive *));

    *own = archive;
    s->encoding = archive_format_name(archive->read);
    return s;
}

enum ps_status ps_archive_status(const struct ps_archive *archive, struct ps_err *err)
{
    if (archive->err.code != PS_OK)
        *err = archive->err;
    return archive->err.code;
}

void ps_archive_free(struct ps_archive *archive)
{
    if (!archive)
        return;
    archive_read_free(archive->read);
    ps_buf_free(&archive->name);
    free(archive);
}

struct ps_archive_writer {
    struct archive *tar;
    bool failed;
};

static struct ps_archive_writer *writer_new(int fd, bool zstd)
{
    struct ps_archive_writer *writer = ps_alloc(sizeof *writer);

    writer->tar = archive_write_new();
    archive_write_set_format_pax_restricted(writer->tar);
    if (zstd) {
        writer->failed = archive_write_add_filter_zstd(writer->tar) != ARCHIVE_OK;
        archive_write_set_bytes_in_last_block(writer->tar, 1);
    }
    writer->failed |= archive_write_open_fd(writer->tar, fd) != ARCHIVE_OK;
    return writer;
}

struct ps_archive_writer *ps_archive_writer_new(int fd)
{
    return writer_new(fd, false);
}

struct ps_archive_writer *ps_archive_writer_new_zstd(int fd)
{
    return writer_new(fd, true);
}

static enum ps_status write_failed(struct ps_archive_writer *writer, struct ps_err *err)
{
    const char *why = archive_error_string(writer->tar);

    writer->failed = true;
    return ps_fail(err, PS_IO, "cannot write the archive: %s", why ? why : "unknown reason");
}

/* Appends `name` without empty, "." and ".." components, because `name` may be ../x or /etc/x, and
 * the file must be unpacked inside the chosen folder. */
static void add_safe_name(struct ps_buf *out, const char *name)
{
    for (size_t len; *name; name += len) {
        len = strcspn(name, "/");
        if (len && strncmp(name, "..", len) != 0)
            ps_buf_printf(out, "%s%.*s", out->len ? "/" : "", (int)len, name);
        len += name[len] == '/';
    }
    if (!out->len)
        ps_buf_puts(out, "unnamed");
}

static bool begin_file(struct archive *tar, const char *name, uint64_t bytes)
{
    PS_AUTO(ps_buf_free) struct ps_buf inside = {0};
    struct archive_entry *entry = archive_entry_new();
    int code;

    add_safe_name(&inside, name);
    /* This function copies bytes: a name that the locale cannot represent is stored unchanged. */
    archive_entry_copy_pathname(entry, inside.ptr);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, (la_int64_t)bytes);
    code = archive_write_header(tar, entry);
    archive_entry_free(entry);
    return code >= ARCHIVE_WARN;
}

enum ps_status ps_archive_writer_add(struct ps_archive_writer *writer, const char *name,
                                     uint64_t bytes, struct ps_stream *in, struct ps_err *err)
{
    struct ps_str piece;
    uint64_t written = 0;

    if (writer->failed || !begin_file(writer->tar, name, bytes))
        return write_failed(writer, err);
    while ((piece = ps_stream_peek(in, 1)).len) {
        if (piece.len > bytes - written)
            return writer->failed = true,
                   ps_fail(err, PS_CONFLICT, "%s grew while perfshelf read it", name);
        if (archive_write_data(writer->tar, piece.ptr, piece.len) != (la_ssize_t)piece.len)
            return write_failed(writer, err);
        written += piece.len;
        ps_stream_skip(in, piece.len);
    }
    if (ps_stream_status(in, err) != PS_OK || written != bytes)
        return writer->failed = true,
               ps_fail(err, PS_CONFLICT, "%s shrank while perfshelf read it", name);
    return PS_OK;
}

enum ps_status ps_archive_writer_end(struct ps_archive_writer *writer, struct ps_err *err)
{
    enum ps_status status = PS_OK;

    if (!writer)
        return PS_OK;
    if (writer->failed || archive_write_close(writer->tar) != ARCHIVE_OK)
        status = write_failed(writer, err);
    archive_write_free(writer->tar);
    free(writer);
    return status;
}
