/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_import.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    fuzz_import(&ps_sampling_jsonl, (struct ps_str){(const char *)bytes, len},
                len % 3 ? 0 : len % 64 + 1);
    return 0;
}
