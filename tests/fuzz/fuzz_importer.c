/* SPDX-License-Identifier: MIT */
/* fuzz_importer.c: the fuzz target of one importer, FUZZ_IMPORTER, which fuzz.cmake names. */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_import.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct ps_str text = {(const char *)bytes, len};

    fuzz_import(&FUZZ_IMPORTER, text, len % 3 ? 0 : len % 64 + 1);
    return 0;
}
