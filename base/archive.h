/* SPDX-License-Identifier: MIT */
/*
 * archive.h: reads the members of a tar or zip file one by one, and writes tar files.
 *
 * libarchive does both. Reading is streaming: read a member before you ask for the next one. Open
 * compressed tar files through ps_stream_decompress.
 */
#ifndef PS_BASE_ARCHIVE_H
#define PS_BASE_ARCHIVE_H

#include "base/stream.h"

#define PS_ARCHIVE_HEAD_SIZE 512 /* bytes that ps_is_archive needs to recognise a tar file */

/* Whether a file that begins with these bytes is a tar or zip file. */
bool ps_is_archive(struct ps_str head);

struct ps_archive;

/* Reads `in` and consumes it. The caller owns `in` and frees it after the archive. */
struct ps_archive *ps_archive_open(struct ps_stream *in, const struct ps_stream_limits *limits);
/* Advances to the next entry that is no folder. *name is UTF-8 and valid until the next call.
 * *bytes (`bytes` may be NULL) is the size of the file; 0 if the archive does not state it. False:
 * no more files, or an error (see ps_archive_status). */
bool ps_archive_next(struct ps_archive *archive, struct ps_str *name, uint64_t *bytes);
/* What the current entry is if it is not a regular file, such as "a symbolic link", else NULL. Its
 * stream is empty. The string is static. */
const char *ps_archive_special(const struct ps_archive *archive);
/* The bytes of the current file; the caller frees the stream before the next ps_archive_next.
 * Damage to one member fails only its stream. An exceeded limit, or damage after which no member
 * can be found, ends the archive. */
struct ps_stream *ps_archive_member(struct ps_archive *archive);
enum ps_status ps_archive_status(const struct ps_archive *archive, struct ps_err *err);
void ps_archive_free(struct ps_archive *archive); /* NULL is fine */

/* Writes a tar file to fd. Times and owners are not stored, so equal input gives equal bytes. */
struct ps_archive_writer;
struct ps_archive_writer *ps_archive_writer_new(int fd);
/* Writes a tar file compressed with zstd; fd must be a regular file. */
struct ps_archive_writer *ps_archive_writer_new_zstd(int fd);
/* Adds a file with the bytes of `in`; PS_CONFLICT if `in` does not have exactly `bytes` of them. */
enum ps_status ps_archive_writer_add(struct ps_archive_writer *writer, const char *name,
                                     uint64_t bytes, struct ps_stream *in, struct ps_err *err);
/* Completes the file and frees the writer; PS_IO unless everything was written. NULL is fine. */
enum ps_status ps_archive_writer_end(struct ps_archive_writer *writer, struct ps_err *err);

#endif
