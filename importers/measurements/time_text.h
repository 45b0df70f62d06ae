/* SPDX-License-Identifier: MIT */
/* time_text.h: parses single lines of the output of `time`. Private to time.c; the unit tests use
 * it too. */
#ifndef PS_IMPORTERS_MEASUREMENTS_TIME_TEXT_H
#define PS_IMPORTERS_MEASUREMENTS_TIME_TEXT_H

#include "importers/measurements/measure_text.h"

/* The values that programs named `time` report. From the fourth value on, the order is that of GNU
 * time. */
enum ps_time_field {
    PS_TIME_REAL,
    PS_TIME_USER,
    PS_TIME_SYS,
    PS_TIME_CPU,
    PS_TIME_RSS,
    PS_TIME_MAJOR_FAULTS,
    PS_TIME_MINOR_FAULTS,
    PS_TIME_VOLUNTARY_SWITCHES,
    PS_TIME_INVOLUNTARY_SWITCHES,
    PS_TIME_SWAPS,
    PS_TIME_INPUTS,
    PS_TIME_OUTPUTS,
    PS_TIME_MESSAGES_SENT,
    PS_TIME_MESSAGES_RECEIVED,
    PS_TIME_SIGNALS,
    PS_TIME_TEXT_SIZE,
    PS_TIME_DATA_SIZE,
    PS_TIME_STACK_SIZE,
    PS_TIME_TOTAL_SIZE,
    PS_TIME_MEAN_RSS,
    PS_TIME_PAGE_SIZE,
    PS_TIME_INSTRUCTIONS,
    PS_TIME_CYCLES,
    PS_TIME_FOOTPRINT,
    PS_TIME_EXIT_STATUS,
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
    bool has_minutes;      /* the shell writes 0m1.234s */
    bool has_byte_sizes;   /* sizes are in bytes (macOS), else in KiB */
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
bool ps_time_parse_bsd_resource(struct ps_str line, struct ps_time_report *run);

#endif
