/* SPDX-License-Identifier: MIT */
#include "slices/driver_calls.h"

static bool has(struct ps_str name, const char *word)
{
    return ps_str_find(name, ps_str_from_c(word)) != NULL;
}

enum ps_driver_call ps_driver_call_of(struct ps_str name)
{
    if (has(name, "StreamBeginCapture"))
        return PS_CALL_BEGIN_CAPTURE;
    if (has(name, "StreamEndCapture"))
        return PS_CALL_END_CAPTURE;
    if (has(name, "GraphLaunch"))
        return PS_CALL_GRAPH_LAUNCH;
    if (has(name, "Launch") && !has(name, "HostFunc"))
        return PS_CALL_KERNEL_LAUNCH;
    return has(name, "Memcpy") ? PS_CALL_COPY : has(name, "Memset") ? PS_CALL_SET : PS_CALL_OTHER;
}
