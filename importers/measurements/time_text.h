/* SPDX-License-Identifier: MIT */
/* time_text.h: parses single lines of the output of `time`. Private to time.c; the unit tests use
 * it too. */
#ifndef PS_IMPORTERS_MEASUREMENTS_TIME_TEXT_H
#define PS_IMPORTERS_MEASUREMENTS_TIME_TEXT_H

#include "importers/measurements/measure_text.h"

/* The values that programs named `time` report. From the fourth value on, the order is that of GNU
 * time. */
enum ps_time_field {
    PS_TIMED_REAL,
    PS_TIMED_USER,
    PS_TIMED_SYS,
    PS_TIMED_CPU,
    PS_TIMED_RSS,
    PS_TIMED_MAJOR,
    PS_TIMED_MINOR,
    PS_TIMED_VOLUNTARY,
    PS_TIMED_INVOLUNTARY,
    PS_TIMED_SWAPS,
    PS_TIMED_INPUTS,
    PS_TIMED_OUTPUTS,
    PS_TIMED_SENT,
    PS_TIMED_RECEIVED,
    PS_TIMED_SIGNALS,
    PS_TIMED_TEXT_SIZE,
    PS_TIMED_DATA_SIZE,
    PS_TIMED_STACK_SIZE,
    PS_TIMED_TOTAL_SIZE,
    PS_TIMED_MEAN_RSS,
    PS_TIMED_PAGE,
    PS_TIMED_INSTRUCTIONS,
    PS_TIMED_CYCLES,
    PS_TIMED_FOOTPRINT,
    PS_TIMED_EXIT,
    PS_N_TIME_FIELDS
};

struct ps_time_field_name {
    /* the unit of GNU time and the shells; macOS prints bytes where this is "KiB" */
    const char *name, *unit;
};
extern const struct ps_time_field_name ps_time_field_names[PS_N_TIME_FIELDS];

struct ps_time_report {
    bool has_field[PS_N_TIME_FIELDS];
    struct ps_printed_number values[PS_N_TIME_FIELDS];
    bool minutes;          /* the shell writes 0m1.234s */
    bool bytes;            /* sizes are in bytes (macOS), else in KiB */
    struct ps_str command; /* from the current line; {NULL, 0}: unknown */
};

/* Each function parses one line; the values may begin anywhere in it. If it returns false, *run is
 * unchanged. */

/* Parses "\tLabel: value" of GNU time -v. */
bool ps_time_parse_label(struct ps_str line, struct ps_time_report *run);
/* Parses `Command being timed: "..."`. */
bool ps_time_parse_command(struct ps_str line, struct ps_str *command);
/* Parses "Command exited with non-zero status 1" and "Command terminated by signal 9". */
bool ps_time_parse_end(struct ps_str line, bool *signal, int64_t *code);
/* Parses a line of zsh, with the command: "sleep 1  0.00s user 0.00s system 0% cpu 1.002 total". */
bool ps_time_parse_zsh(struct ps_str line, struct ps_time_report *run);
/* Parses a line of tcsh: "0.003u 0.001s 0:00.10 0.0%\t0+0k 0+0io 0pf+0w". */
bool ps_time_parse_tcsh(struct ps_str line, struct ps_time_report *run);
/* Parses line `which` (0 to 2) of a shell's report: "real 0.10", "real\t0m0.106s", fish's "Executed
 * in 100.41 millis". */
bool ps_time_parse_shell(struct ps_str line, int which, struct ps_time_report *run);
/* Parse lines of BSD time: "0.10 real  0.00 user  0.00 sys", and of its option -l: "1234  maximum
 * resident set size". */
bool ps_time_parse_bsd(struct ps_str line, struct ps_time_report *run);
bool ps_time_parse_bsd_rest(struct ps_str line, struct ps_time_report *run);

#endif
