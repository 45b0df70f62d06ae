/* SPDX-License-Identifier: MIT */
/* powers_of_ten.h: the powers of ten that fit in int64_t. */
#ifndef PS_BASE_POWERS_OF_TEN_H
#define PS_BASE_POWERS_OF_TEN_H

#include <stdint.h>

#define PS_POWERS_OF_TEN_MAX 18

static const int64_t ps_powers_of_ten[PS_POWERS_OF_TEN_MAX + 1] = {1,
                                                                   10,
                                                                   100,
                                                                   1000,
                                                                   10000,
                                                                   100000,
                                                                   1000000,
                                                                   10000000,
                                                                   100000000,
                                                                   1000000000,
                                                                   10000000000,
                                                                   100000000000,
                                                                   1000000000000,
                                                                   10000000000000,
                                                                   100000000000000,
                                                                   1000000000000000,
                                                                   10000000000000000,
                                                                   100000000000000000,
                                                                   1000000000000000000};

#endif
