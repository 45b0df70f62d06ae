/* SPDX-License-Identifier: MIT */
/*
 * frame.h: the messages (frames) between an importer in its sandbox and its parent. They have a
 * fixed size and are sent over a SOCK_SEQPACKET socket, some with a descriptor. Both processes run
 * the same program, so a message is the bytes of a struct. The receiver validates them, since the
 * importer is not trusted.
 */
#ifndef PS_SANDBOX_FRAME_H
#define PS_SANDBOX_FRAME_H

#include <stddef.h>

#include "base/err.h"

enum ps_frame_type {
    /* From the parent: the task (`word`) and the descriptor of its file. `numbers`: the members of
     * struct ps_sandbox_limits. */
    PS_FRAME_BEGIN = 1,
    /* From the parent: the descriptor of a file, or -1. Replies to PS_FRAME_SCRATCH (-1: see err)
     * and to PS_FRAME_NEXT (-1: there is no file). For PS_FRAME_NEXT, `word` is the name of the
     * file and `numbers` are its bytes and whether it is compressed. */
    PS_FRAME_FILE,
    PS_FRAME_CONTINUE, /* from the parent: reply to PS_FRAME_MEMBER */
    PS_FRAME_PROGRESS, /* from the importer; `numbers`: done and total bytes, records */
    PS_FRAME_SCRATCH,  /* from the importer: requests a temporary file */
    /* From the importer: a file of an archive, its name (`word`) and descriptor, or err. The parent
     * replies, or kills the importer. */
    PS_FRAME_MEMBER,
    PS_FRAME_NEXT, /* from the importer: requests the next file to merge */
    /* from the importer: it has finished; err: the result; `word`: the kind. Of a recognised file
     * `numbers` are the rank + 1, and whether a trace is so old that its rank is not in it. */
    PS_FRAME_DONE,
    PS_N_FRAME_TYPES
};

#define PS_FRAME_WORD_SIZE 512

struct ps_frame {
    enum ps_frame_type type;
    uint64_t numbers[3];
    struct ps_err err;
    char word[PS_FRAME_WORD_SIZE];
    int fd; /* -1: none. The receiver owns the descriptor of a received frame */
};

/* Sends a frame; waits while the socket buffer is full. The caller still owns frame->fd.
 * PS_INTERRUPTED: the other process has closed the socket. PS_INTERNAL: the buffer is full, and
 * the socket is non-blocking, as that of the parent. */
enum ps_status ps_frame_send(int socket, const struct ps_frame *frame, struct ps_err *err);
/* Waits for the next frame. PS_INTERRUPTED: the other process has closed the socket. PS_INTERNAL:
 * the message is not a valid frame. out->fd is -1 in both cases. */
enum ps_status ps_frame_receive(int socket, struct ps_frame *out, struct ps_err *err);
/* Whether these bytes are a valid frame. If so, copies it to *out, with fd -1 and printable
 * strings. */
bool ps_frame_parse(const void *bytes, size_t size, struct ps_frame *out);

#endif
