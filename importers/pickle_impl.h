/* SPDX-License-Identifier: MIT */
/* pickle_impl.h: what pickle*.c share. */
#ifndef PS_IMPORTERS_PICKLE_IMPL_H
#define PS_IMPORTERS_PICKLE_IMPL_H

#include "importers/pickle.h"

/* Refuses at the opcode at hand. Returns false. */
bool ps_pickle_refuse(struct ps_pickle *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The next n bytes, or a refusal when the file ends before. */
bool ps_pickle_take(struct ps_pickle *p, uint64_t n, struct ps_str *out);
bool ps_pickle_take_line(struct ps_pickle *p, struct ps_str *out); /* without its \n */

/* An unsigned number of n bytes, least first. */
bool ps_pickle_take_uint(struct ps_pickle *p, unsigned n, uint64_t *out);

bool ps_pickle_push(struct ps_pickle *p, struct ps_pk_value value);

/* The opcode is one of numbers, or of texts: reads its operand and pushes the value. */
bool ps_pickle_number(struct ps_pickle *p, unsigned char op);
bool ps_pickle_text(struct ps_pickle *p, unsigned char op);

/* "REDUCE", or NULL when no Python knows the byte. */
const char *ps_pickle_op_name(unsigned char op);

#endif
