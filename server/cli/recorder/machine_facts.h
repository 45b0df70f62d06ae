/* SPDX-License-Identifier: MIT */
/* machine_facts.h: what this machine is, as far as the kernel says so without waiting: facts of
 * importers/records/environment.h. */
#ifndef PS_CLI_MACHINE_FACTS_H
#define PS_CLI_MACHINE_FACTS_H

#include "base/mem.h"

#define PS_LOAD_SIZE 16

/* Calls `add` with each fact that is known. The values are in the arena. */
void ps_machine_facts_read(struct ps_arena *arena,
                           void (*add)(void *user, const char *key, const char *value), void *user);
/* The load average of the last minute, such as "0.52"; "" if it is unknown. */
void ps_machine_load_read(char out[PS_LOAD_SIZE]);

#endif
