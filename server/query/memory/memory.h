/* SPDX-License-Identifier: MIT */
/* memory.h: memory over time. */
#ifndef PS_QUERY_MEMORY_MEMORY_H
#define PS_QUERY_MEMORY_MEMORY_H

#include "server/query/view.h"

ps_view_answer ps_view_memory_categories, ps_view_memory, ps_view_processes;

#endif
