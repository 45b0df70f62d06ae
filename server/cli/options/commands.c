/* SPDX-License-Identifier: MIT */
/* commands.c: the commands. Help texts: help/COMMAND.txt. Options: command_options.c. */
#include "server/cli/options/commands.h"

#define MANY ((size_t)-1)

const char *const ps_command_groups[PS_N_GROUPS] = {
    [PS_GROUP_ADD] = "Record and add",        [PS_GROUP_SHOW] = "Look",
    [PS_GROUP_COMPARE] = "Compare and check", [PS_GROUP_SHARE] = "Share",
    [PS_GROUP_OPERATE] = "Operate",
};

const struct ps_command_row ps_commands[PS_N_COMMANDS] = {
    [PS_COMMAND_RECORD] =
        {.name = "record", .group = PS_GROUP_ADD, .min = 1, .max = MANY, .n_own_operands = 2},
    [PS_COMMAND_ADD] = {.name = "add", .group = PS_GROUP_ADD, .min = 1, .max = MANY},
    [PS_COMMAND_OPEN] = {.name = "open", .group = PS_GROUP_SHOW, .max = MANY},
    [PS_COMMAND_DEMO] = {.name = "demo", .group = PS_GROUP_SHOW},
    [PS_COMMAND_SERVE] = {.name = "serve", .group = PS_GROUP_SHOW, .max = MANY},
    [PS_COMMAND_LIST] = {.name = "list", .group = PS_GROUP_SHOW},
    [PS_COMMAND_SHOW] = {.name = "show", .group = PS_GROUP_SHOW, .min = 1, .max = 1},
    [PS_COMMAND_EXPLORE] = {.name = "explore", .group = PS_GROUP_SHOW, .min = 2, .max = 2},
    [PS_COMMAND_SQL] = {.name = "sql", .group = PS_GROUP_SHOW, .min = 2, .max = 2},
    [PS_COMMAND_WHATIF] = {.name = "whatif", .group = PS_GROUP_SHOW, .min = 1, .max = MANY},
    [PS_COMMAND_FORMATS] = {.name = "formats", .group = PS_GROUP_SHOW},
    [PS_COMMAND_MCP] = {.name = "mcp", .group = PS_GROUP_SHOW},
    [PS_COMMAND_DIFF] = {.name = "diff", .group = PS_GROUP_COMPARE, .min = 2, .max = 2},
    [PS_COMMAND_CHECK] = {.name = "check", .group = PS_GROUP_COMPARE, .min = 1, .max = 1},
    [PS_COMMAND_TREND] = {.name = "trend", .group = PS_GROUP_COMPARE, .min = 1, .max = 1},
    [PS_COMMAND_REPORT] = {.name = "report", .group = PS_GROUP_COMPARE, .min = 2, .max = 2},
    [PS_COMMAND_BISECT] =
        {.name = "bisect", .group = PS_GROUP_COMPARE, .min = 3, .max = MANY, .n_own_operands = 3},
    [PS_COMMAND_BASELINE] = {.name = "baseline", .group = PS_GROUP_COMPARE, .max = 1},
    [PS_COMMAND_EXPORT] = {.name = "export", .group = PS_GROUP_SHARE, .max = MANY},
    [PS_COMMAND_TOKEN] = {.name = "token", .group = PS_GROUP_SHARE, .min = 1, .max = 2},
    [PS_COMMAND_COPY] = {.name = "copy", .group = PS_GROUP_SHARE},
    [PS_COMMAND_EDIT] = {.name = "edit", .group = PS_GROUP_OPERATE, .min = 1, .max = MANY},
    [PS_COMMAND_RM] = {.name = "rm", .group = PS_GROUP_OPERATE, .min = 1, .max = MANY},
    [PS_COMMAND_UNDELETE] = {.name = "undelete", .group = PS_GROUP_OPERATE, .max = MANY},
    [PS_COMMAND_PRUNE] = {.name = "prune", .group = PS_GROUP_OPERATE},
    [PS_COMMAND_RENEW] = {.name = "renew", .group = PS_GROUP_OPERATE, .max = MANY},
    [PS_COMMAND_VERIFY] = {.name = "verify", .group = PS_GROUP_OPERATE},
    [PS_COMMAND_REBUILD] = {.name = "rebuild", .group = PS_GROUP_OPERATE},
    [PS_COMMAND_BACKUP] = {.name = "backup", .group = PS_GROUP_OPERATE, .min = 1, .max = 1},
    [PS_COMMAND_CONFIG] = {.name = "config", .group = PS_GROUP_OPERATE},
};
