/* SPDX-License-Identifier: MIT */
/*
 * importer_main.h: the process that parses untrusted files (server/sandbox). It receives its input
 * and the part of a run, writes the rows into the part and reports the result. Only its parent
 * accesses the shelf.
 */
#ifndef PS_JOBS_IMPORTER_MAIN_H
#define PS_JOBS_IMPORTER_MAIN_H

#include "server/sandbox/sandbox.h"

/* The first argument of the process, which main checks before it parses options: `perfshelf VERB
 * PART`. */
#define PS_IMPORTER_VERB "--importer"

/* Tasks in the first frame; without one, the process loads one profile. */
#define PS_IMPORTER_ARCHIVE                                                                        \
    "archive" /* list the files of an archive; also the result if the file is one */
#define PS_IMPORTER_MERGE "merge"
#define PS_IMPORTER_SNIFF "sniff" /* report for one file after another whether it is a profile */

/* Main function of the process. Returns its exit status. */
int ps_importer_main(int argc, char **argv);

#endif
