/* SPDX-License-Identifier: MIT */
/*
 * err.h: status codes and error messages.
 *
 * Every function that can fail returns enum ps_status and fills a struct ps_err that the caller
 * owns. The pointer to it is never NULL; a caller that ignores failures passes PS_ERR_IGNORED. The
 * first error wins: ps_fail on a filled error changes nothing, so clean-up code may fail without
 * hiding the cause. Invalid input, internal bugs (assert) and system errors (I/O, full disk) never
 * share a code.
 */
#ifndef PS_BASE_ERR_H
#define PS_BASE_ERR_H

#include <stdbool.h>
#include <stdint.h>

enum ps_status {
    PS_OK = 0,
    PS_BAD_INPUT,    /* the kind of the file is known, but its content is damaged */
    PS_UNKNOWN_KIND, /* no importer recognises the bytes, or the format is recognised but not
                        supported */
    PS_LIMIT,        /* a limit on size, depth, names or rows was reached */
    PS_CANCELLED,    /* the user or the client cancelled the work */
    PS_INTERRUPTED,  /* the process ended before the work was complete */
    PS_NOT_FOUND,    /* the run, job, file or row does not exist */
    /* the operation is not possible in the current state, or several runs have the id prefix */
    PS_CONFLICT,
    PS_BAD_REQUEST, /* a parameter or an option is wrong */
    PS_FORBIDDEN,   /* the user has no permission */
    PS_IO,          /* a system call failed */
    PS_FULL,        /* the disk is full */
    PS_TOO_SLOW,    /* the work was stopped because it took longer than allowed */
    /* temporary failure: the store is unreachable or a queue is full; retrying may help */
    PS_UNAVAILABLE,
    PS_INTERNAL, /* a bug in perfshelf, for instance an SQL statement that SQLite cannot prepare */
};

struct ps_err {
    enum ps_status code;
    bool has_offset;
    uint64_t offset; /* byte offset in the (decompressed) input, if has_offset */
    char text[400];  /* the failure in one line, without a full stop */
    char hint[240];  /* an action that the user can take; may be empty */
};

#define PS_ERR_INIT                                                                                \
    {                                                                                              \
        PS_OK, false, 0, "", ""                                                                    \
    }

/* A new struct ps_err * that nobody reads, valid in the block of the call. A comment at the call
 * says why its failure may be ignored, unless the call only asks a question. */
#define PS_ERR_IGNORED (&(struct ps_err)PS_ERR_INIT)

/* In a format of ps_fail and ps_fail_at: ends the message and begins the hint. So a hint always
 * belongs to its own failure. An empty hint counts as none. A hint after a message of 8 KiB or more
 * is left out.
 *
 *     return ps_fail(err, PS_NOT_FOUND, "no run %s" PS_HINT "`perfshelf list` shows the runs", id);
 */
#define PS_HINT "\n"

/* Fills err with code, message and hint, unless it is filled already. PS_FULL has a hint of its own
 * if the format has none. Bytes that cannot be shown in one line become question marks. Returns
 * err->code, the first failure's. May be called in a signal handler of a child process. */
enum ps_status ps_fail(struct ps_err *err, enum ps_status code, const char *fmt, ...)
    __attribute__((nonnull(1), format(printf, 3, 4)));

/* Like ps_fail, with the byte offset `at` at which the input is invalid. */
enum ps_status ps_fail_at(struct ps_err *err, enum ps_status code, uint64_t at, const char *fmt,
                          ...) __attribute__((nonnull(1), format(printf, 4, 5)));

/* PS_IO, or PS_FULL (ENOSPC, EDQUOT): "`what` `path`: strerror(errno)". */
enum ps_status ps_fail_errno(struct ps_err *err, const char *what, const char *path)
    __attribute__((nonnull(1)));

/* PS_UNAVAILABLE: memory for `what` could not be allocated. For allocations whose size depends on
 * the input. */
enum ps_status ps_fail_memory(struct ps_err *err, const char *what) __attribute__((nonnull(1)));

/* Copies `failure`, whose code may be PS_OK, to err unless err is filled already. Returns
 * err->code. */
enum ps_status ps_fail_copy(struct ps_err *err, const struct ps_err *failure)
    __attribute__((nonnull));

/* Like ps_fail_copy, for a caller that knows a hint: it is used if `failure` has none. */
enum ps_status ps_fail_copy_hint(struct ps_err *err, const struct ps_err *failure, const char *hint)
    __attribute__((nonnull));

/* Writes "message at byte N; hint" to out (always NUL-terminated). Returns out. */
char *ps_err_format(const struct ps_err *err, char *out, unsigned long size);

/* The name of the code in the API and the import log: "bad_input", "unknown_kind", ... */
const char *ps_status_name(enum ps_status code);

#endif
