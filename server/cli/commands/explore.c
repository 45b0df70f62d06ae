/* SPDX-License-Identifier: MIT */
#include "server/cli/cli.h"
#include "server/cli/tool_text.h"

int ps_cli_explore(const struct ps_options *options)
{
    const struct ps_tool_argument arguments[] = {{"run", options->operands[0]},
                                                 {"name", options->operands[1]},
                                                 {"sample_type", options->sample_type}};
    return ps_cli_print_tool(options, options->operands[0], "explore", arguments, 3);
}
