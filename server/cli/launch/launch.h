/* SPDX-License-Identifier: MIT */
/* launch.h: the Python texts of this folder, embedded at build time. program.py stands before each
 * of those that run a program. */
#ifndef PS_CLI_LAUNCH_H
#define PS_CLI_LAUNCH_H

struct ps_launch_text {
    const char *name; /* "program", "cprofile", ... */
    const char *text;
};

/* Ends with a NULL name. */
extern const struct ps_launch_text ps_launch_texts[];

#endif
