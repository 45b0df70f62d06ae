/* SPDX-License-Identifier: MIT */
#include "server/sandbox/frame.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/utf8.h"

static void repair_text(char *text, size_t size)
{
    text[size - 1] = '\0';
    ps_utf8_make_printable(text);
}

bool ps_frame_parse(const void *bytes, size_t size, struct ps_frame *out)
{
    unsigned type, code;
    unsigned char has_at;

    if (size != sizeof *out)
        return false;
    /* check these values as integers, before they are used as an enum and a bool */
    memcpy(&type, (const char *)bytes + offsetof(struct ps_frame, type), sizeof type);
    memcpy(&code, (const char *)bytes + offsetof(struct ps_frame, err.code), sizeof code);
    memcpy(&has_at, (const char *)bytes + offsetof(struct ps_frame, err.has_offset), 1);
    if (type < PS_FRAME_BEGIN || type >= PS_N_FRAME_TYPES || code > PS_INTERNAL || has_at > 1)
        return false;
    memcpy(out, bytes, size);
    out->fd = -1;
    repair_text(out->err.text, sizeof out->err.text);
    repair_text(out->err.hint, sizeof out->err.hint);
    repair_text(out->word, sizeof out->word);
    return true;
}

enum ps_status ps_frame_send(int socket, const struct ps_frame *frame, struct ps_err *err)
{
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec bytes = {(void *)(uintptr_t)frame, sizeof *frame};
    struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1};

    if (frame->fd >= 0) {
        struct cmsghdr *head;

        message.msg_control = control;
        message.msg_controllen = sizeof control;
        head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(head), &frame->fd, sizeof(int));
    }
    while (sendmsg(socket, &message, MSG_NOSIGNAL) < 0) {
        if (errno == EPIPE || errno == ECONNRESET)
            return ps_fail(err, PS_INTERRUPTED, "the other process ended");
        if (errno == EAGAIN)
            return ps_fail(err, PS_INTERNAL,
                           "importer protocol violation: it does not read its messages");
        if (errno != EINTR)
            return ps_fail_errno(err, "cannot communicate with", "the importer");
    }
    return PS_OK;
}

/* Takes ownership of the descriptors of a message. The control buffer is for one descriptor, but
 * the kernel delivers a second one if it fits into the padding. *fd: the first descriptor, or -1.
 * False: there were more, which are closed. */
static bool take_descriptors(struct msghdr *message, int *fd)
{
    size_t n = 0;

    *fd = -1;
    for (struct cmsghdr *head = CMSG_FIRSTHDR(message); head; head = CMSG_NXTHDR(message, head)) {
        if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS)
            continue;
        for (size_t at = 0; CMSG_LEN(at + sizeof(int)) <= head->cmsg_len; at += sizeof(int)) {
            int one;

            memcpy(&one, CMSG_DATA(head) + at, sizeof one);
            if (n++ == 0)
                *fd = one;
            else
                ps_close_fd(&one);
        }
    }
    return n <= 1;
}

enum ps_status ps_frame_receive(int socket, struct ps_frame *out, struct ps_err *err)
{
    _Alignas(struct ps_frame) char room[sizeof(struct ps_frame)];
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec bytes = {room, sizeof room};
    struct msghdr message = {.msg_iov = &bytes,
                             .msg_iovlen = 1,
                             .msg_control = control,
                             .msg_controllen = sizeof control};
    ssize_t got;
    bool alone;
    int fd;

    out->fd = -1;
    do
        got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return ps_fail(err, PS_INTERRUPTED, "the other process ended");
    alone = take_descriptors(&message, &fd);
    if (got == 0 && fd < 0 && alone)
        return ps_fail(err, PS_INTERRUPTED, "the other process ended");
    if (!alone || !ps_frame_parse(room, (size_t)got, out) ||
        (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC))) {
        ps_close_fd(&fd);
        return ps_fail(err, PS_INTERNAL, "importer protocol violation");
    }
    out->fd = fd;
    return PS_OK;
}
