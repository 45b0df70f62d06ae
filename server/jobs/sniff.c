/* SPDX-License-Identifier: MIT */
#include "server/jobs/sniff.h"

#include <stdio.h>

#include "base/mem.h"
#include "server/jobs/importer_main.h"

static enum ps_status begin_process(struct ps_sniffer *sniffer, int fd, struct ps_err *err)
{
    const struct ps_sandbox_limits *limits = sniffer->limits;
    struct ps_frame frame = {.type = PS_FRAME_BEGIN,
                             .numbers = {limits->memory_bytes, limits->cpu_s, limits->file_bytes},
                             .fd = fd};
    enum ps_status status = ps_child_start(&sniffer->child, PS_IMPORTER_VERB, "", err);

    (void)snprintf(frame.word, sizeof frame.word, "%s", PS_IMPORTER_SNIFF);
    return status == PS_OK ? ps_frame_send(sniffer->child.socket, &frame, err) : status;
}

/* Sends the file to the running process, or to a new one if it has ended. */
static enum ps_status ask_process(struct ps_sniffer *sniffer, int fd, struct ps_err *err)
{
    const struct ps_frame frame = {.type = PS_FRAME_FILE, .fd = fd};

    if (sniffer->child.pid != 0 && /* after a failure a new process gets the file */
        ps_frame_send(sniffer->child.socket, &frame, PS_ERR_IGNORED) == PS_OK)
        return PS_OK;
    ps_sniffer_end(sniffer);
    return begin_process(sniffer, fd, err);
}

enum ps_status ps_sniffer_check(struct ps_sniffer *sniffer, int fd, struct ps_sniffed *out,
                                struct ps_err *err)
{
    struct ps_err own = PS_ERR_INIT, why = PS_ERR_INIT;
    struct ps_frame frame = {.fd = -1};
    enum ps_status status = ask_process(sniffer, fd, &own);

    if (status == PS_OK)
        status = ps_child_receive(&sniffer->child, sniffer->limits, sniffer->may_continue,
                                  sniffer->user, &frame, &own);
    ps_close_fd(&frame.fd);
    if (status == PS_OK && frame.type == PS_FRAME_DONE) {
        *err = frame.err;
        *out = (struct ps_sniffed){
            .rank = {(int64_t)(uint32_t)frame.numbers[0] - 1, frame.numbers[1] != 0},
            .serving = {(int)(frame.numbers[2] % 16) - 1, frame.numbers[2] >= 16}};
        return frame.err.code;
    }
    ps_fail(&own, PS_INTERNAL, "importer protocol violation");
    if (status == PS_INTERRUPTED)
        ps_child_explain(&sniffer->child, sniffer->limits, 0, &why);
    ps_child_end(&sniffer->child);
    *err = why.code != PS_OK ? why : own;
    return err->code;
}

void ps_sniffer_end(struct ps_sniffer *sniffer)
{
    ps_child_end(&sniffer->child);
}
