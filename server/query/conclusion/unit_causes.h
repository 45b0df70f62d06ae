/* SPDX-License-Identifier: MIT */
/*
 * unit_causes.h: what a trace says about the functions and annotations of its program: the one that
 * causes most of the time that could be avoided, or that there is no single one.
 *
 * A unit (host_units.h) is ranked by its share times how likely its kind of time can be avoided.
 * A saving is stated only if an operator or a known call is repeated in each call of the unit.
 */
#ifndef PS_QUERY_UNIT_CAUSES_H
#define PS_QUERY_UNIT_CAUSES_H

#include "server/query/conclusion/conclusion.h"
#include "server/query/conclusion/host_units.h"

/* What the times of units are parts of. */
struct ps_unit_base {
    double wall_s;  /* of a step, or of a worker */
    double divisor; /* number of steps, or of workers */
    bool has_steps; /* the file marks steps */
    const char *operators_tab;
};

/* Sets the first claim and adds the causes. False, and nothing is concluded: the units explain too
 * little of the time. */
bool ps_conclude_units(struct ps_conclusion *c, struct ps_db *db,
                       const struct ps_host_windows *windows, struct ps_host_units *units,
                       const struct ps_unit_base *base, struct ps_err *err);

/* A unit as a subject, with its longest slice. */
struct ps_subject ps_unit_subject(struct ps_conclusion *c, struct ps_db *db,
                                  const struct ps_host_unit *unit);

#endif
