/* SPDX-License-Identifier: MIT */
#include "server/http/libmicrohttpd.h"

PS_SHARED_LIBRARY(ps_mhd, PS_MHD_FUNCTIONS, PS_MHD_FILE, "libmicrohttpd12")
