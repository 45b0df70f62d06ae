/* SPDX-License-Identifier: MIT */
/* sniff.h: checks whether files are profiles. The check runs in a sandboxed process, because it
 * decompresses and parses the start of each file, as an import does. One process checks many
 * files. */
#ifndef PS_JOBS_SNIFF_H
#define PS_JOBS_SNIFF_H

#include "server/jobs/members.h"
#include "server/jobs/serving_files.h"
#include "server/sandbox/child.h"

struct ps_sniffer {
    const struct ps_sandbox_limits *limits;
    bool (*may_continue)(void *user); /* called often; false: stop with PS_CANCELLED */
    void *user;
    struct ps_child child; /* initially {.socket = -1}; started by the first ps_sniffer_check */
};

/* What the start of a file says of it. */
struct ps_sniffed {
    struct ps_job_rank rank; /* of a trace */
    struct ps_serving_file_facts serving;
};

/* PS_OK: an importer accepts the file at fd, whose offset is changed; *out is set.
 * Otherwise the reason why none does. PS_INTERNAL, PS_INTERRUPTED: the process failed; the next
 * file gets a new one. */
enum ps_status ps_sniffer_check(struct ps_sniffer *sniffer, int fd, struct ps_sniffed *out,
                                struct ps_err *err);
void ps_sniffer_end(struct ps_sniffer *sniffer);

#endif
