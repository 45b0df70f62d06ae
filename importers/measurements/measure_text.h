/* SPDX-License-Identifier: MIT */
/*
 * measure_text.h: parses numbers as terminals print them: the nearest double, and the resolution
 * (the value of 1 in the last printed digit).
 *
 * The consume functions remove the text that they read from the start of *rest; if they return
 * false, *rest is unchanged. Only ps_printed_cell_pop allocates.
 *
 *     struct ps_str rest = PS_STR("0:01.25elapsed");
 *     struct ps_printed_number time;
 *
 *     if (ps_printed_clock_consume(&rest, &time) && ps_printed_word_consume(&rest, "elapsed"))
 *         time.value is 1.25 and time.resolution 0.01
 */
#ifndef PS_IMPORTERS_MEASUREMENTS_MEASURE_TEXT_H
#define PS_IMPORTERS_MEASUREMENTS_MEASURE_TEXT_H

#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"

struct ps_printed_number {
    double value;      /* the double nearest to the digits */
    double resolution; /* value of 1 in the last digit */
};

/* Length of the number at the start of `text`: "0.106", "12", "5.01e-07", also with a decimal
 * comma; 0: there is none. */
size_t ps_printed_number_len(struct ps_str text);

/* Parses a number that is the complete text, times 10^shift: "591", -9. False: not a number, or too
 * large for a double. */
bool ps_printed_number_parse(struct ps_str text, int shift, struct ps_printed_number *out);

/* Reads a number from the start of *rest and removes it. */
bool ps_printed_number_consume(struct ps_str *rest, struct ps_printed_number *out);

/* Reads a time written as h:mm:ss, m:ss.ff, 0m1.234s (a space after the m is allowed) or 1.23, in
 * seconds, and removes it from *rest. */
bool ps_printed_clock_consume(struct ps_str *rest, struct ps_printed_number *out);

/* Removes `word` from the start of *rest. False: *rest does not begin with it. */
bool ps_printed_word_consume(struct ps_str *rest, const char *word);
void ps_printed_skip_blanks(
    struct ps_str *rest); /* removes spaces and tabs from the start of *rest */

/* Removes a cell of a line of CSV from *rest and returns it, in the arena. In quoted cells quotes
 * are doubled. */
struct ps_str ps_printed_cell_pop(struct ps_arena *arena, struct ps_str *rest);

#endif
