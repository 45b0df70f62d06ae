/* SPDX-License-Identifier: MIT */
/* fuzz.h: what the fuzz targets share. Without libFuzzer, fuzz_main.c calls the target with the
 * files it is given. */
#ifndef PS_TESTS_FUZZ_H
#define PS_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

/* A property that must hold whatever the input. */
#define FUZZ_HOLDS(condition)                                                                      \
    do {                                                                                           \
        if (!(condition))                                                                          \
            abort();                                                                               \
    } while (0)

#endif
