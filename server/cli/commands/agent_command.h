/* SPDX-License-Identifier: MIT */
/* agent_command.h: runs the commands of agents that may write (`mcp --allow-write`). */
#ifndef PS_CLI_AGENT_COMMAND_H
#define PS_CLI_AGENT_COMMAND_H

#include "server/agent/agent.h"
#include "server/cli/options/options.h"

/* Sets agent->run: it starts this program again, on the shelf of `options`, which must stay valid.
 * Call it before threads are started, since it changes the environment. One command runs at a time.
 * A signal that ends this process ends the command too. */
void ps_cli_allow_write(struct ps_agent *agent, const struct ps_options *options);

#endif
