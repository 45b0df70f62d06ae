/* SPDX-License-Identifier: MIT */
/* stacks.h: what samples of stacks hold besides slices. */
#ifndef PS_RECORDS_STACKS_H
#define PS_RECORDS_STACKS_H

/* The text of the only frame of samples that a sampling profiler took without a frame. */
#define PS_NO_FRAME "(no frame)"

#endif
