/* SPDX-License-Identifier: MIT */
/*
 * op_model.h: how many floating-point operations one call of an operator needs, and how many bytes
 * it has to move at least, from the shapes and types that torch records (record_shapes=True).
 *
 * An operation is an addition or a multiplication: a matrix product of M×K and K×N has 2·M·N·K. The
 * bytes are those of all inputs read and all outputs written once. Caches make the real traffic
 * smaller, and tiles that do not fit make it larger. The formulas are those of TraceLens (AMD),
 * except where its formula is wrong:
 * - it counts no bias of a convolution, whose operator has nine inputs
 * - it moves two bytes an element in attention, whatever the type is
 * - it adds the gradient of the bias of a convolution without its element size
 *
 * Numbers are double, because shapes come from files and may have any product: exact up to 2^53.
 * Pure functions; any thread.
 */
#ifndef PS_SLICES_OP_MODEL_H
#define PS_SLICES_OP_MODEL_H

#include "slices/serving.h"

#include <stddef.h>

#define PS_OP_INPUTS_MAX 32 /* further inputs are not read */
#define PS_OP_DIMS_MAX   8  /* a tensor with more has no model */

/* The type of the numbers that decides the peak of a device. */
enum ps_number_type {
    PS_NUMBER_UNKNOWN,
    PS_NUMBER_FP64,
    PS_NUMBER_FP32,
    PS_NUMBER_FP16,
    PS_NUMBER_BF16,
    PS_NUMBER_FP8,
    PS_NUMBER_FP4,
    PS_NUMBER_INT8,
    PS_N_NUMBER_TYPES
};
const char *ps_number_type_name(enum ps_number_type type); /* "bf16" */

struct ps_op_input {
    bool is_tensor; /* has dims; a scalar, an optional without value and a list of tensors has none
                     */
    size_t n_dims;
    double dims[PS_OP_DIMS_MAX];
    double element_bytes; /* 0: unknown */
    enum ps_number_type type;
    struct ps_str value; /* of a scalar, if torch recorded it; else empty */
};

struct ps_op_call {
    struct ps_str name;
    struct ps_op_input inputs[PS_OP_INPUTS_MAX];
    size_t n;
};

/* Reads the JSON of "Input Dims", "Input type" and "Concrete Inputs" (may be empty). The texts must
 * live as long as the call. False: there are no dims, or they have another form. */
bool ps_op_call_parse(struct ps_str name, struct ps_str dims, struct ps_str types,
                      struct ps_str values, struct ps_op_call *out);

struct ps_op_cost {
    double flops;
    double bytes;             /* NaN: the type of a tensor is unknown */
    bool is_matrix;           /* runs on the matrix units of a device; else on its vector units */
    enum ps_number_type type; /* of the first input */
};

/* Whether operators of this name have a model, whatever their shapes are. */
bool ps_op_has_model(struct ps_str name);
/* Whether the cost depends on the lengths of the requests of a serving step: attention whose keys
 * and values lie in pages of a cache. ps_op_model has no cost for it. */
bool ps_op_is_paged_attention(struct ps_str name);
/* The cost of such a call in a step whose name states the sums of its tokens. False: it does not.
 */
bool ps_op_paged_attention(const struct ps_op_call *call, const struct ps_serving_step *step,
                           struct ps_op_cost *out);
/* The cost of a call. False: the operator has no model, or the shapes are not those of the
 * operator. */
bool ps_op_model(const struct ps_op_call *call, struct ps_op_cost *out);

#endif
