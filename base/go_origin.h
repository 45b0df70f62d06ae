/* SPDX-License-Identifier: MIT */
/* go_origin.h: where the code of a function of Go is from, by its name and its file. */
#ifndef PS_BASE_GO_ORIGIN_H
#define PS_BASE_GO_ORIGIN_H

#include "base/python_origin.h"

/* Whether a file is one of Go's compiler: app.go, or memmove_amd64.s of its runtime. */
bool ps_go_is_file(struct ps_str file);

/* The package of a function: "net/http" of "net/http.(*Client).Do". */
struct ps_str ps_go_package(struct ps_str function);

/* STDLIB: a package that Go ships. THIRD_PARTY: of the module cache, or of a folder vendor. OWN:
 * the others. UNKNOWN: assembly that Go does not ship, and names that are not those of Go. */
enum ps_origin ps_go_origin(struct ps_str function, struct ps_str file);

#endif
