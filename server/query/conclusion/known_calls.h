/* SPDX-License-Identifier: MIT */
/*
 * known_calls.h: what is known of library functions by their names: what kind of time they take,
 * and what to call instead.
 */
#ifndef PS_QUERY_KNOWN_CALLS_H
#define PS_QUERY_KNOWN_CALLS_H

#include "base/str.h"

/* What time is spent on: what decides whether it can be avoided. */
enum ps_time_class {
    PS_TIME_WORK,       /* own code, and library code of which nothing is known */
    PS_TIME_AVOIDABLE,  /* calls that are rarely needed as often as they are made */
    PS_TIME_NEEDED,     /* calls that a program makes for their result: random numbers, output */
    PS_TIME_ON_PURPOSE, /* hashes of passwords, which are slow on purpose */
    PS_TIME_SLEEP,      /* from here on: waits */
    PS_TIME_LOCK,
    PS_TIME_NETWORK,
    PS_TIME_EVENTS,
    PS_TIME_PROCESS,
    PS_TIME_DISK,
    PS_TIME_OTHER_WAIT, /* the profile does not tell what for */
    PS_N_TIME_CLASSES
};

static inline bool ps_time_waits(enum ps_time_class class)
{
    return class >= PS_TIME_SLEEP;
}

struct ps_known_call {
    enum ps_time_class class;
    bool slow_once;     /* has a faster replacement even if it is called once */
    bool is_per_item;   /* needed once for each item: only more calls than items are avoidable */
    bool is_long;       /* one call can take long, with much data */
    const char *advice; /* a sentence; NULL: none */
    int kept; /* the library keeps so many results: not all calls can be repetitions; 0: none */
};

/* What is known of the function `name` in the file `path`, which is "~" for a built-in function;
 * NULL: nothing. */
const struct ps_known_call *ps_known_call_of(struct ps_str path, struct ps_str name);

/* The parts of the name of a built-in function: owner "sqlite3.Cursor" and name "execute" of
 * "<method 'execute' of 'sqlite3.Cursor' objects>", "time" and "sleep" of "<built-in method
 * time.sleep>". The owner of others is {NULL, 0}. Slices of `name`. */
struct ps_str ps_builtin_name(struct ps_str name, struct ps_str *owner);

#endif
