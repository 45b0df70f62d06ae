/* SPDX-License-Identifier: MIT */
/*
 * err.h: how a failure is told.
 *
 * Every call that can fail returns enum ps_status and fills a struct ps_err that the caller owns.
 * The first failure wins: a later ps_fail on a filled error changes nothing, so clean-up code may
 * fail quietly. Bad input, our own bugs (assert) and the world's failures (I/O, full disk) never
 * share a code.
 */
#ifndef PS_BASE_ERR_H
#define PS_BASE_ERR_H

#include <stdbool.h>
#include <stdint.h>

enum ps_status {
    PS_OK = 0,
    PS_BAD_INPUT,    /* the kind of a file is known, its content is damaged */
    PS_UNKNOWN_KIND, /* no importer knows these bytes, or they are known but cannot be read */
    PS_LIMIT,        /* a limit on size, depth, names or rows was reached */
    PS_CANCELLED,    /* somebody asked to stop */
    PS_INTERRUPTED,  /* the process ended before it was done */
    PS_NOT_FOUND,    /* no such run, job, file, row */
    PS_CONFLICT,     /* the state of things forbids it; also a prefix that fits several runs */
    PS_BAD_REQUEST,  /* a parameter or an option is wrong */
    PS_FORBIDDEN,    /* who asks may not */
    PS_IO,           /* the operating system said no */
    PS_FULL,         /* the disk is full */
    PS_TOO_SLOW,     /* it took longer than it may, and was stopped */
    PS_UNAVAILABLE,  /* not at present: the store is away, a queue is full; worth asking again */
    PS_INTERNAL,     /* our fault, for instance SQL that does not prepare */
};

struct ps_err {
    enum ps_status code;
    bool has_at;
    uint64_t at;    /* byte offset in the (decompressed) input, when has_at */
    char text[400]; /* what is wrong, one line, no full stop */
    char hint[240]; /* what to do; empty when there is nothing to say */
};

#define PS_ERR_INIT                                                                                \
    {                                                                                              \
        PS_OK, false, 0, "", ""                                                                    \
    }

/* Fills err with code and text, unless it is filled already; PS_FULL brings its hint along. What
 * cannot be shown in one line is shown as question marks. err may be NULL. Returns code. */
enum ps_status ps_fail(struct ps_err *err, enum ps_status code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The same, with the byte offset at which the input is wrong. */
enum ps_status ps_fail_at(struct ps_err *err, enum ps_status code, uint64_t at, const char *fmt,
                          ...) __attribute__((format(printf, 4, 5)));

/* PS_IO or PS_FULL (ENOSPC, EDQUOT) with strerror(errno) appended to "what". */
enum ps_status ps_fail_errno(struct ps_err *err, const char *what, const char *path);

/* PS_UNAVAILABLE: the memory for `what`, which grows with a file, could not be allocated. */
enum ps_status ps_fail_memory(struct ps_err *err, const char *what);

/* Hands a failure on, with all that it says, unless err is filled already. Returns its code. */
enum ps_status ps_fail_as(struct ps_err *err, const struct ps_err *failure);

/* Says what to do about the failure in err; the first hint wins. */
void ps_hint(struct ps_err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* "what is wrong at byte N; what to do" into out (always terminated). Returns out. */
char *ps_err_line(const struct ps_err *err, char *out, unsigned long size);

/* The word the API and the import log use: "bad_input", "unknown_kind", ... */
const char *ps_status_word(enum ps_status code);

#endif
