/* SPDX-License-Identifier: MIT */
/* port_owner.h: who listens on a port of this machine, for messages. */
#ifndef PS_CLI_PORT_OWNER_H
#define PS_CLI_PORT_OWNER_H

#include "base/buf.h"

/* The port of an address "HOST:PORT"; 0: it has none. */
unsigned ps_port_of(const char *address);

/* Appends who listens at `address`, "HOST:PORT": "python3 (process 4711)", "a program of the user
 * root", or "another program" if /proc does not say. If it is a server of this user, the shelf that
 * it serves follows. */
void ps_port_owner_describe(const char *address, struct ps_buf *out);

#endif
