/* SPDX-License-Identifier: MIT */
/* imports.h: the imports of a log. */
#ifndef PS_QUERY_IMPORTS_IMPORTS_H
#define PS_QUERY_IMPORTS_IMPORTS_H

#include "server/query/view.h"

ps_view_answer ps_view_import_tree, ps_view_import;

#endif
