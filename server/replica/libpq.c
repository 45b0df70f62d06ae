/* SPDX-License-Identifier: MIT */
#include "server/replica/libpq.h"

PS_SHARED_LIBRARY(ps_pq, PS_PQ_FUNCTIONS, PS_PQ_FILE, "libpq5")
