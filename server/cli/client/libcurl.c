/* SPDX-License-Identifier: MIT */
#include "server/cli/client/libcurl.h"

PS_SHARED_LIBRARY(ps_curl, PS_CURL_FUNCTIONS, PS_CURL_FILE, "libcurl3-gnutls")
