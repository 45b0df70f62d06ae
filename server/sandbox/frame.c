/* SPDX-License-Identifier: MIT */
#include "server/sandbox/frame.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/utf8.h"

static void mend_text(char *text, size_t size)
{
    text[size - 1] = '\0';
    ps_utf8_show(text);
}

bool ps_frame_read(const void *bytes, size_t size, struct ps_frame *out)
{
    unsigned type, code;
    unsigned char has_at;

    if (size != sizeof *out)
        return false;
    /* looked at before they are taken for an enum or a bool */
    memcpy(&type, (const char *)bytes + offsetof(struct ps_frame, type), sizeof type);
    memcpy(&code, (const char *)bytes + offsetof(struct ps_frame, err.code), sizeof code);
    memcpy(&has_at, (const char *)bytes + offsetof(struct ps_frame, err.has_at), 1);
    if (type < PS_FRAME_BEGIN || type >= PS_FRAME_TYPES || code > PS_INTERNAL || has_at > 1)
        return false;
    memcpy(out, bytes, size);
    out->fd = -1;
    mend_text(out->err.text, sizeof out->err.text);
    mend_text(out->err.hint, sizeof out->err.hint);
    mend_text(out->word, sizeof out->word);
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
            return ps_fail(err, PS_INTERRUPTED, "the other end is gone");
        if (errno != EINTR)
            return ps_fail_errno(err, "cannot speak to", "the importer");
    }
    return PS_OK;
}

/* The first descriptor that came along; there is room for one alone, the kernel drops others. */
static int descriptor_of(struct msghdr *message)
{
    struct cmsghdr *head = CMSG_FIRSTHDR(message);
    int fd = -1;

    if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS &&
        head->cmsg_len == CMSG_LEN(sizeof(int)))
        memcpy(&fd, CMSG_DATA(head), sizeof fd);
    return fd;
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
    int fd;

    out->fd = -1;
    do
        got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    if (got <= 0)
        return ps_fail(err, PS_INTERRUPTED, "the other end is gone");
    fd = descriptor_of(&message);
    if (!ps_frame_read(room, (size_t)got, out) || (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC))) {
        ps_close_fd(&fd);
        return ps_fail(err, PS_INTERNAL, "the importer does not keep to what is agreed");
    }
    out->fd = fd;
    return PS_OK;
}
