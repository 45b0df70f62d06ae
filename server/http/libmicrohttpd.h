/* SPDX-License-Identifier: MIT */
/* libmicrohttpd.h: the functions of libmicrohttpd, which is loaded when it is first used
 * (base/shared_library.h). The table is empty before ps_mhd_load. */
#ifndef PS_HTTP_LIBMICROHTTPD_H
#define PS_HTTP_LIBMICROHTTPD_H

#include <microhttpd.h>

#include "base/shared_library.h"

#define PS_MHD_FUNCTIONS(F)                                                                        \
    F(MHD_add_connection)                                                                          \
    F(MHD_add_response_header)                                                                     \
    F(MHD_create_response_from_buffer)                                                             \
    F(MHD_create_response_from_callback)                                                           \
    F(MHD_destroy_response)                                                                        \
    F(MHD_get_connection_info)                                                                     \
    F(MHD_get_connection_values_n)                                                                 \
    F(MHD_lookup_connection_value)                                                                 \
    F(MHD_queue_response)                                                                          \
    F(MHD_quiesce_daemon)                                                                          \
    F(MHD_resume_connection)                                                                       \
    F(MHD_start_daemon)                                                                            \
    F(MHD_stop_daemon)                                                                             \
    F(MHD_suspend_connection)

struct ps_mhd {
    PS_MHD_FUNCTIONS(PS_SHARED_POINTER)
};
extern struct ps_mhd ps_mhd;

enum ps_status ps_mhd_load(struct ps_err *err);

#endif
