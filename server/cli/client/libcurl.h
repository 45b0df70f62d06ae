/* SPDX-License-Identifier: MIT */
/* libcurl.h: the functions of libcurl, which is loaded when it is first used
 * (base/shared_library.h). The table is empty before ps_curl_load. */
#ifndef PS_CLI_LIBCURL_H
#define PS_CLI_LIBCURL_H

#define CURL_DISABLE_TYPECHECK /* it replaces calls by macros, also those through the table */
#include <curl/curl.h>

#include "base/shared_library.h"

#define PS_CURL_FUNCTIONS(F)                                                                       \
    F(curl_easy_cleanup)                                                                           \
    F(curl_easy_getinfo)                                                                           \
    F(curl_easy_header)                                                                            \
    F(curl_easy_init)                                                                              \
    F(curl_easy_perform)                                                                           \
    F(curl_easy_setopt)                                                                            \
    F(curl_easy_strerror)                                                                          \
    F(curl_global_init)                                                                            \
    F(curl_slist_append)                                                                           \
    F(curl_slist_free_all)

struct ps_curl {
    PS_CURL_FUNCTIONS(PS_SHARED_POINTER)
};
extern struct ps_curl ps_curl;

enum ps_status ps_curl_load(struct ps_err *err);

#endif
