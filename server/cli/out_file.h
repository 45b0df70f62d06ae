/* SPDX-License-Identifier: MIT */
/*
 * out_file.h: the file that -o names. Links are followed. Devices, FIFOs and the descriptors of
 * /dev/fd are written to, never replaced. A regular file appears only once it is complete, and
 * replaces another one only with
 * --force.
 */
#ifndef PS_CLI_OUT_FILE_H
#define PS_CLI_OUT_FILE_H

#include "base/buf.h"
#include "base/err.h"

struct ps_out_file {
    int fd;             /* an empty regular file: the caller writes into it */
    int to;             /* a descriptor that the bytes are copied into; -1: `path` is opened */
    char *path;         /* where its bytes go; malloc'ed */
    char *part;         /* the file behind fd, which becomes `path`; NULL: the bytes are copied */
    const char *ending; /* of a name that is made unique; NULL: the name is given */
    size_t stem;        /* bytes of `path` before that ending */
    bool replaces;
};

#define PS_OUT_FILE_INIT                                                                           \
    {                                                                                              \
        .fd = -1, .to = -1                                                                         \
    }

/* Whether -o may name this file: PS_CONFLICT where it exists and `force` is false. For commands
 * that work for long before they write. */
enum ps_status ps_out_file_check(const char *path, bool force, struct ps_err *err);

/* path "-": standard output. Close it in any case. */
enum ps_status ps_out_file_open(const char *path, bool force, struct ps_out_file *out,
                                struct ps_err *err);
/* A file in the current folder that ps_out_file_name names before it is committed: the first name
 * of STEM ENDING, STEM-2 ENDING, ... that no file has. `ending` must outlive it. */
enum ps_status ps_out_file_open_unique(const char *ending, struct ps_out_file *out,
                                       struct ps_err *err);
void ps_out_file_name(struct ps_out_file *out, const char *stem);

/* Makes what was written the file at `path`, whose name is final from then on. */
enum ps_status ps_out_file_commit(struct ps_out_file *out, struct ps_err *err);

/* Removes what was not committed. */
void ps_out_file_close(struct ps_out_file *out); /* for PS_AUTO */

#endif
