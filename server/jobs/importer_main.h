/* SPDX-License-Identifier: MIT */
/*
 * importer_main.h: the process that reads the bytes of others (server/sandbox). It is handed its
 * input and the part of a run, writes the rows into that, and says how it went; its parent keeps
 * the shelf.
 */
#ifndef PS_JOBS_IMPORTER_MAIN_H
#define PS_JOBS_IMPORTER_MAIN_H

#include "server/sandbox/sandbox.h"

/* The verb of it, which main looks for before it reads options: `perfshelf VERB PART`. */
#define PS_IMPORTER_VERB "--importer"

/* What it is told to do in its first frame, if it is not to load one profile. */
#define PS_IMPORTER_ARCHIVE                                                                        \
    "archive" /* show the files of an archive; its last word, if it is one */
#define PS_IMPORTER_MERGE "merge"
#define PS_IMPORTER_SNIFF "sniff" /* say of one file after another whether it is a profile */

/* All of that process. Returns its exit status. */
int ps_importer_main(int argc, char **argv);

#endif
