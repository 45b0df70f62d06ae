/* SPDX-License-Identifier: MIT */
/* measure_text.h: figures as terminals show them: exactly their digits, and what the last is worth.
 */
#ifndef PS_IMPORTERS_MEASUREMENTS_MEASURE_TEXT_H
#define PS_IMPORTERS_MEASUREMENTS_MEASURE_TEXT_H

#include "base/num.h"
#include "base/str.h"

struct ps_printed {
    double value;      /* the double nearest to the digits */
    double resolution; /* what 1 in the last digit is worth */
};

/* Bytes of the number that `text` begins with: "0.106", "12", "5.01e-07", with a decimal comma
 * too; 0: none. */
size_t ps_printed_len(struct ps_str text);

/* A whole number text times 10^shift: "591", -9. False: it is none, or beyond a double. */
bool ps_printed_read(struct ps_str text, int shift, struct ps_printed *out);

/* Takes a number off *rest. */
bool ps_printed_take(struct ps_str *rest, struct ps_printed *out);

/* Takes seconds off *rest that are written h:mm:ss, m:ss.ff, 0m1.234s (a blank behind the m is
 * fine) or 1.23. */
bool ps_printed_clock(struct ps_str *rest, struct ps_printed *out);

/* Takes `word` off *rest. */
bool ps_printed_word(struct ps_str *rest, const char *word);
void ps_printed_blanks(struct ps_str *rest); /* blanks and tabs, none is fine */

#endif
