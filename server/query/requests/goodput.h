/* SPDX-License-Identifier: MIT */
/* goodput.h: which requests of a serving run kept limits that a person sets. */
#ifndef PS_QUERY_REQUESTS_GOODPUT_H
#define PS_QUERY_REQUESTS_GOODPUT_H

#include "server/query/view.h"

/* GET runs/{run}/goodput?limits=ttft:200ms,tpot:20ms,e2el:2s */
ps_view_answer ps_view_goodput;

#endif
