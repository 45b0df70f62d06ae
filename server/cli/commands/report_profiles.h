/* SPDX-License-Identifier: MIT */
/* report_profiles.h: finds profiles that were recorded beside measured runs, of which a report
 * quotes the cause. */
#ifndef PS_CLI_REPORT_PROFILES_H
#define PS_CLI_REPORT_PROFILES_H

#include "server/cli/client/client.h"

/*
 * Finds a profile for each group of a response of GET compare. Both are of one kind and of one
 * command, unless the groups ran different commands. A profile belongs to a group if it shares a
 * commit, command or series that the other group lacks, and has no other commit, no other command
 * and no other uncommitted changes. Of several, the newest is chosen. Returns whether there is such
 * a pair.
 */
bool ps_report_find_profiles(struct ps_client *client, const cJSON *compared, char base[PS_ID_SIZE],
                             char now[PS_ID_SIZE], struct ps_err *err);

#endif
