/* SPDX-License-Identifier: MIT */
/* lifetimes.h: the views of how long the allocations of a memory snapshot live. */
#ifndef PS_QUERY_SNAPSHOT_LIFETIMES_H
#define PS_QUERY_SNAPSHOT_LIFETIMES_H

#include "server/query/view.h"

ps_view_answer ps_view_snapshot_lifetimes;
ps_view_answer ps_view_snapshot_allocation;

#endif
