/* SPDX-License-Identifier: MIT */
/*
 * frame.h: what an importer in its sandbox and its parent say to each other: messages of one size
 * over a socket that keeps them apart, some with a descriptor. Both are the same program, so the
 * layout is that of a struct; a message is checked all the same, for the importer is not trusted.
 */
#ifndef PS_SANDBOX_FRAME_H
#define PS_SANDBOX_FRAME_H

#include <stddef.h>

#include "base/err.h"

enum ps_frame_type {
    PS_FRAME_BEGIN = 1, /* parent: what to do (word) within `numbers`: memory, seconds, file size;
                           with the input */
    PS_FRAME_FILE,      /* parent: a file, with its descriptor, `numbers` its size */
    PS_FRAME_GO,        /* parent: go on */
    PS_FRAME_PROGRESS,  /* importer: `numbers` done, total, records */
    PS_FRAME_SCRATCH,   /* importer: wants a temporary file; answered by FILE, or GO with err */
    PS_FRAME_MEMBER,    /* importer: a file of an archive (word), with its descriptor, or err;
                           answered by GO, or by the end */
    PS_FRAME_NEXT,      /* importer: wants the next file to merge; answered by FILE or GO */
    PS_FRAME_DONE,      /* importer: it has ended, err says how; word is the kind */
    PS_FRAME_TYPES
};

#define PS_FRAME_WORD 512

struct ps_frame {
    enum ps_frame_type type;
    uint64_t numbers[3];
    struct ps_err err;
    char word[PS_FRAME_WORD];
    int fd; /* -1: none. Of a received one the receiver's */
};

/* Sends it, waiting for room. fd stays the caller's. PS_INTERRUPTED: the other end is gone. */
enum ps_status ps_frame_send(int socket, const struct ps_frame *frame, struct ps_err *err);
/* Waits for the next. PS_INTERRUPTED: the other end is gone; PS_INTERNAL: that is no frame. fd is
 * -1 in both cases. */
enum ps_status ps_frame_receive(int socket, struct ps_frame *out, struct ps_err *err);
/* Whether these bytes are a frame, and the frame without its descriptor. */
bool ps_frame_read(const void *bytes, size_t size, struct ps_frame *out);

#endif
