/* SPDX-License-Identifier: MIT */
/*
 * frame.h: the messages between an importer in its sandbox and its parent. They have a fixed size
 * and are sent over a SOCK_SEQPACKET socket, some with a descriptor. Both ends are the same
 * program, so the layout is that of a struct. Messages are validated all the same, since the
 * importer is not trusted.
 */
#ifndef PS_SANDBOX_FRAME_H
#define PS_SANDBOX_FRAME_H

#include <stddef.h>

#include "base/err.h"

enum ps_frame_type {
    PS_FRAME_BEGIN = 1, /* parent: the task (word), with the input; `numbers`: limits of memory,
                           seconds and file size */
    PS_FRAME_FILE,      /* parent: a file, with its descriptor; `numbers`: its size */
    PS_FRAME_CONTINUE,  /* parent: continue */
    PS_FRAME_PROGRESS,  /* importer: `numbers` done, total, records */
    PS_FRAME_SCRATCH,   /* importer: requests a temporary file; the reply is FILE, or GO with err */
    PS_FRAME_MEMBER,    /* importer: a file of an archive (word), with its descriptor, or err; the
                           reply is GO, or the parent ends it */
    PS_FRAME_NEXT,      /* importer: requests the next file to merge; the reply is FILE or GO */
    PS_FRAME_DONE,      /* importer: it has finished; err is the result, word the kind */
    PS_FRAME_TYPES
};

#define PS_FRAME_WORD_SIZE 512

struct ps_frame {
    enum ps_frame_type type;
    uint64_t numbers[3];
    struct ps_err err;
    char word[PS_FRAME_WORD_SIZE];
    int fd; /* -1: none. The receiver closes the descriptor of a received frame */
};

/* Sends a frame; waits while the socket buffer is full. The caller keeps fd. PS_INTERRUPTED: the
 * other end has closed the socket. */
enum ps_status ps_frame_send(int socket, const struct ps_frame *frame, struct ps_err *err);
/* Waits for the next frame. PS_INTERRUPTED: the other end has closed the socket; PS_INTERNAL: the
 * message is not a valid frame. fd is -1 in both cases. */
enum ps_status ps_frame_receive(int socket, struct ps_frame *out, struct ps_err *err);
/* Whether these bytes are a valid frame; copies it without its descriptor. */
bool ps_frame_parse(const void *bytes, size_t size, struct ps_frame *out);

#endif
