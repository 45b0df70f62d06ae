/* SPDX-License-Identifier: MIT */
/*
 * archive.h: what lies in a tar or zip file, member by member, and tar files made of several.
 *
 * libarchive reads and writes them. Reading is streaming: a member's bytes must be taken before the
 * next is asked for. Compressed tar files come through ps_stream_unpack first.
 */
#ifndef PS_BASE_ARCHIVE_H
#define PS_BASE_ARCHIVE_H

#include "base/stream.h"

#define PS_ARCHIVE_HEAD 512 /* bytes that ps_archive_is needs */

/* Whether bytes begin a tar or zip file. */
bool ps_archive_is(struct ps_str head);

struct ps_archive;

/* Reads `in`, which stays the caller's and is consumed. Free it after the archive. */
struct ps_archive *ps_archive_open(struct ps_stream *in, const struct ps_stream_limits *limits);
/* The next regular file. name is valid UTF-8 and lives until the next call; bytes (may be NULL) is
 * its size, 0 when the archive does not say. False: no more, or ps_archive_status says why. */
bool ps_archive_next(struct ps_archive *archive, struct ps_str *name, uint64_t *bytes);
/* Its bytes. Free it before the next member is asked for. A member that alone is damaged fails
 * alone; a limit that is reached, or damage that hides what follows, ends the archive. */
struct ps_stream *ps_archive_member(struct ps_archive *archive);
enum ps_status ps_archive_status(const struct ps_archive *archive, struct ps_err *err);
void ps_archive_free(struct ps_archive *archive); /* NULL is fine */

/* A tar file written to fd, without times and owners: the same files give the same bytes. */
struct ps_archive_writer;
struct ps_archive_writer *ps_archive_writer_new(int fd);
/* The same, compressed with zstd; fd must be a file. */
struct ps_archive_writer *ps_archive_writer_zstd(int fd);
/* Adds a file: all that `in` holds, which must be `bytes` long. */
enum ps_status ps_archive_add(struct ps_archive_writer *writer, const char *name, uint64_t bytes,
                              struct ps_stream *in, struct ps_err *err);
/* Ends the file, with failure unless everything was written; frees the writer. NULL is fine. */
enum ps_status ps_archive_writer_end(struct ps_archive_writer *writer, struct ps_err *err);

#endif
