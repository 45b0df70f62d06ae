/* SPDX-License-Identifier: MIT */
/* sniff.h: whether files are profiles, told by a process of its own in its sandbox, as heads of
 * files are unpacked and read like the rest of them. One process looks at many files. */
#ifndef PS_JOBS_SNIFF_H
#define PS_JOBS_SNIFF_H

#include "server/sandbox/child.h"

struct ps_sniffer {
    const struct ps_sandbox_limits *limits;
    bool (*goes_on)(void *user); /* asked often; false: stop with PS_CANCELLED */
    void *user;
    struct ps_child child; /* begins with the first question: {0, -1} */
};

/* PS_OK: an importer takes the file at fd, whose offset is anywhere afterwards. Else why none does;
 * PS_INTERNAL, PS_INTERRUPTED: what became of the process, and the next file has another. */
enum ps_status ps_sniff(struct ps_sniffer *sniffer, int fd, struct ps_err *err);
void ps_sniffer_end(struct ps_sniffer *sniffer);

#endif
