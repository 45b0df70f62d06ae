/* SPDX-License-Identifier: MIT */
/*
 * backward_links.h: which operator of the forward pass an operator of the backward pass belongs to.
 *
 * Traces have this as arrows (fwdbwd). Traces without such arrows have the numbers from which torch
 * draws them: the operators of both passes have the same "Sequence number", and those of the
 * backward pass have a "Fwd thread id" other than 0. Of several forward operators with one number,
 * the last one to start is the one that autograd recorded.
 */
#ifndef PS_QUERY_TRACE_BACKWARD_LINKS_H
#define PS_QUERY_TRACE_BACKWARD_LINKS_H

#include "server/runfile/trace.h"

struct ps_backward_link {
    int64_t backward, forward; /* slice ids */
};

struct ps_backward_links {
    struct ps_backward_link *items; /* sorted by `backward` */
    size_t n, cap;
};

/* The caller frees *out in any case. */
enum ps_status ps_backward_links_read(struct ps_db *db, struct ps_backward_links *out,
                                      struct ps_err *err);
/* Returns the forward operator of a slice; 0: none. */
int64_t ps_backward_links_find(const struct ps_backward_links *links, int64_t backward);
void ps_backward_links_free(struct ps_backward_links *links);

#endif
