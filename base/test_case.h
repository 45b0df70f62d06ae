/* SPDX-License-Identifier: MIT */
/* test_case.h: the numbers among the parameters in the name of a pytest test: 300 in
 * "test_codec[crc-300]". pytest joins parameters with "-". */
#ifndef PS_BASE_TEST_CASE_H
#define PS_BASE_TEST_CASE_H

#include "base/str.h"

/* Finds the next number: a parameter such as "300", "1e6", "0.5" or "n=300". Names such as "sha256"
 * are none. `from` begins at 0 and is moved behind it. Returns false if there are no more. *number:
 * its digits, a part of `name`; *value: finite, 0 or more. */
bool ps_test_case_next_number(struct ps_str name, size_t *from, struct ps_str *number,
                              double *value);

/* The same for the words of a command: "500" and "4" in "sort.py 500 --threads=4". */
bool ps_command_next_number(struct ps_str command, size_t *from, struct ps_str *number,
                            double *value);

#endif
