/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_import.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    fuzz_import(&ps_nsys, (struct ps_str){(const char *)bytes, len}, len % 3 ? 0 : 4096);
    return 0;
}
