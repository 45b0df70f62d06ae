/* SPDX-License-Identifier: MIT */
/* stack_tree.h: the views of stacks. Their parameters select stacks (stack_samples.h), transform
 * them (stack_transforms.h) and say what is one frame (stack_frames.h). */
#ifndef PS_QUERY_FUNCTIONS_STACK_TREE_H
#define PS_QUERY_FUNCTIONS_STACK_TREE_H

#include "server/query/functions/stack_samples.h"

/* Computes the functions of the stacks as the table ps_temp_functions. group=1 makes C++ static
 * initialisers one row. */
ps_make_rows ps_make_stack_functions;

ps_view_answer ps_view_stack_flame;
ps_view_answer ps_view_stack_threads;
ps_view_answer ps_view_sandwich;
ps_view_answer ps_view_sample_types;

#endif
