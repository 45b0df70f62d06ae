/* SPDX-License-Identifier: MIT */
/* marshal_impl.h: what marshal.c knows of texts and numbers; for marshal*.c alone. */
#ifndef PS_IMPORTERS_MARSHAL_IMPL_H
#define PS_IMPORTERS_MARSHAL_IMPL_H

#include "importers/marshal.h"

/* What must be done to show a text that stood under this code. */
enum ps_mtext ps_marshal_text_kind(struct ps_str text, char type);

/* An integer of n digits of 15 bits, least first, or the nearest double beyond 64 bits; false when
 * none is near. */
bool ps_marshal_long(const unsigned char *digits, uint32_t n, bool negative, struct ps_mval *out);

/* A double as repr() writes it; at most 255 bytes. */
bool ps_marshal_text_real(struct ps_str text, double *out);

#endif
