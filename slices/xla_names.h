/* SPDX-License-Identifier: MIT */
/* xla_names.h: the names of XLA's operators, and the arguments that describe an operator. */
#ifndef PS_SLICES_XLA_NAMES_H
#define PS_SLICES_XLA_NAMES_H

#include "base/str.h"
#include "slices/slices.h"

/* Arguments of an operator: its name in the program, the program, its category, and the place in
 * the program of the user that it was compiled from. */
#define PS_XLA_OPERATOR "hlo_op"
#define PS_XLA_PROGRAM  "hlo_module"
#define PS_XLA_CATEGORY "hlo_category"
#define PS_XLA_SCOPE    "tf_op"
#define PS_N_XLA_TEXTS  4
extern const char *const ps_xla_texts[PS_N_XLA_TEXTS]; /* all of these, in this order */

/* The name of an operator without the number that makes it unique: "sort" of "sort.5". */
struct ps_str ps_xla_stem(struct ps_str name);

/* The family of an operator or a kernel, from its name alone; PS_FAMILY_NONE: the name does not say
 * it, as that of a fusion. */
enum ps_family ps_xla_family(struct ps_str name);

#endif
