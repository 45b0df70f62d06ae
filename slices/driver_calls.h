/* SPDX-License-Identifier: MIT */
/*
 * driver_calls.h: what a call of CUDA or HIP does, by its name: cudaStreamBeginCapture_v10000,
 * hipStreamEndCapture; cudaGraphLaunch, hipGraphLaunch; cudaLaunchKernelExC, cuLaunchKernel,
 * hipExtModuleLaunchKernel; cudaMemcpyAsync, hipMemsetD32Async. cudaLaunchHostFunc starts no work
 * of a device. Pure function; any thread.
 */
#ifndef PS_SLICES_DRIVER_CALLS_H
#define PS_SLICES_DRIVER_CALLS_H

#include "base/str.h"

enum ps_driver_call {
    PS_CALL_OTHER,
    PS_CALL_BEGIN_CAPTURE, /* of a graph: what is launched from here on is recorded, not run */
    PS_CALL_END_CAPTURE,
    PS_CALL_GRAPH_LAUNCH,
    PS_CALL_KERNEL_LAUNCH,
    PS_CALL_COPY,
    PS_CALL_SET,
};
enum ps_driver_call ps_driver_call_of(struct ps_str name);

#endif
