/* SPDX-License-Identifier: MIT */
/*
 * num.h: a number as a profile stores it. Integers remain integers and doubles remain doubles, bit
 * for bit. Integers that do not fit in 64 bits become the nearest double (the importer notes that
 * in the ledger). PS_NUM_NONE means that the file has no value.
 */
#ifndef PS_BASE_NUM_H
#define PS_BASE_NUM_H

#include <stdint.h>

enum ps_num_kind { PS_NUM_NONE = 0, PS_NUM_INT, PS_NUM_REAL };

struct ps_num {
    enum ps_num_kind kind;
    union {
        int64_t i;
        double r;
    };
};

#define PS_NO_NUM ((struct ps_num){.kind = PS_NUM_NONE})

static inline struct ps_num ps_int(int64_t value)
{
    return (struct ps_num){.kind = PS_NUM_INT, .i = value};
}

static inline struct ps_num ps_real(double value)
{
    return (struct ps_num){.kind = PS_NUM_REAL, .r = value};
}

/* Converts n to a double; PS_NUM_NONE becomes 0. */
static inline double ps_num_to_real(struct ps_num n)
{
    return n.kind == PS_NUM_INT ? (double)n.i : n.kind == PS_NUM_REAL ? n.r : 0.0;
}

#endif
