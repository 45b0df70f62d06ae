/* SPDX-License-Identifier: MIT */
/* fuzz_import.h: imports bytes and checks what every importer promises, whatever the bytes. */
#ifndef PS_TESTS_FUZZ_IMPORT_H
#define PS_TESTS_FUZZ_IMPORT_H

#include "importers/importer.h"

void fuzz_import(const struct ps_importer *importer, struct ps_str bytes, size_t block);

#endif
