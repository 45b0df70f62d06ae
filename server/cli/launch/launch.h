/* SPDX-License-Identifier: MIT */
/* launch.h: the Python scripts of this folder, embedded at build time. program.py is prepended to
 * each script that runs a program. */
#ifndef PS_CLI_LAUNCH_LAUNCH_H
#define PS_CLI_LAUNCH_LAUNCH_H

struct ps_launch_text {
    const char *name; /* "program", "cprofile", ... */
    const char *text;
};

/* The last entry has a NULL name. */
extern const struct ps_launch_text ps_launch_texts[];

#endif
