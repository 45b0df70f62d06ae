/* SPDX-License-Identifier: MIT */
/*
 * out_file.h: the output file of -o. Links are followed. Devices, FIFOs and descriptors of /dev/fd
 * are written to, never replaced. A regular file appears only when it is complete, and replaces
 * an existing file only with --force.
 */
#ifndef PS_CLI_OUT_FILE_H
#define PS_CLI_OUT_FILE_H

#include "base/buf.h"
#include "base/err.h"

struct ps_out_file {
    int fd;      /* regular file for the output; owned */
    int copy_fd; /* descriptor that the output is copied to; -1: `path` is opened */
    char *path;  /* final path; malloc'ed */
    /* name of the file at fd, which is renamed to `path`; NULL: the file has no name and is
     * copied */
    char *part;
    const char *ending; /* extension of a unique name; NULL: the user chose the name */
    size_t stem;        /* bytes of `path` before the extension */
    bool replaces;
};

#define PS_OUT_FILE_INIT                                                                           \
    {                                                                                              \
        .fd = -1, .copy_fd = -1                                                                    \
    }

/* Checks that -o may write this file, for commands that work for a long time before they write.
 * PS_CONFLICT: the file exists and `force` is false. */
enum ps_status ps_out_file_check(const char *path, bool force, struct ps_err *err);

/* Opens the output; path "-": standard output. Call ps_out_file_close in any case. */
enum ps_status ps_out_file_open(const char *path, bool force, struct ps_out_file *out,
                                struct ps_err *err);
/* Opens a file in the current folder. Call ps_out_file_name before the commit, which uses the first
 * of the names STEM, STEM-2, STEM-3, ..., each followed by `ending`, that does not exist. `ending`
 * must stay valid. */
enum ps_status ps_out_file_open_unique(const char *ending, struct ps_out_file *out,
                                       struct ps_err *err);
void ps_out_file_name(struct ps_out_file *out, const char *stem);

/* Completes the output: moves or copies it to `path`, which is the final path afterwards. */
enum ps_status ps_out_file_commit(struct ps_out_file *out, struct ps_err *err);

/* Deletes the output if it was not committed. */
void ps_out_file_close(struct ps_out_file *out); /* for PS_AUTO */

#endif
