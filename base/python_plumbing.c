/* SPDX-License-Identifier: MIT */
#include "base/python_plumbing.h"
#include "base/python_path.h"

#define TIME PS_PLUMBING_TIME
#define BOTH (PS_PLUMBING_TIME | PS_PLUMBING_MEMORY)

static const struct plumbing {
    const char *function; /* NULL: each function of the file or the folder */
    const char *path;     /* a file, or a folder that ends with "/"; NULL: any file */
    unsigned views;       /* enum ps_plumbing_view */
} table[] = {
    /* what decorators return, and the dispatchers of tensor classes: their names are conventions */
    {"wrapper", NULL, BOTH},
    {"_wrapper", NULL, BOTH},
    {"wrapped", NULL, BOTH},
    {"wrapped_fn", NULL, BOTH},
    {"wrapped_func", NULL, BOTH},
    {"__torch_dispatch__", NULL, BOTH},
    {"__torch_function__", NULL, BOTH},
    /* Python */
    {NULL, "<frozen runpy>", BOTH},
    {NULL, "concurrent/futures/thread.py", BOTH},
    {NULL, "contextlib.py", BOTH},
    {NULL, "functools.py", BOTH},
    {NULL, "runpy.py", BOTH},
    {NULL, "threading.py", BOTH},
    {"inner", "typing.py", BOTH},
    /* PyTorch: files whose functions forward calls */
    {NULL, "torch/_compile.py", BOTH},
    {NULL, "torch/_jit_internal.py", BOTH},
    {NULL, "torch/_ops.py", BOTH},
    {NULL, "torch/autograd/function.py", BOTH},
    {NULL, "torch/autograd/profiler.py", BOTH},
    {NULL, "torch/distributed/c10d_logger.py", BOTH},
    {NULL, "torch/overrides.py", BOTH},
    {NULL, "torch/utils/_contextlib.py", BOTH},
    {NULL, "torch/utils/_device.py", BOTH},
    {NULL, "torch/utils/_pytree.py", BOTH},
    /* some functions of these also allocate: `convert` of to(), casts, tuning of kernels */
    {NULL, "torch/_dynamo/", TIME},
    {NULL, "torch/_functorch/", TIME},
    {NULL, "torch/_inductor/", TIME},
    {NULL, "torch/_library/", TIME},
    {NULL, "torch/amp/autocast_mode.py", TIME},
    {NULL, "torch/nn/modules/module.py", TIME},
    /* PyTorch: functions */
    {"__call__", "torch/_dynamo/", BOTH},
    {"_call_impl", "torch/nn/modules/module.py", BOTH},
    {"_compile_wrapper", "torch/_dynamo/", BOTH},
    {"_fn", "torch/", BOTH},
    {"_inner", "torch/", BOTH},
    {"_slow_forward", "torch/nn/modules/module.py", BOTH},
    {"_wrapped_call_impl", "torch/nn/modules/module.py", BOTH},
    {"decorate_autocast", "torch/", BOTH},
    {"decorate_bwd", "torch/", BOTH},
    {"decorate_context", "torch/", BOTH},
    {"decorate_fwd", "torch/", BOTH},
    {"fn", "torch/_dynamo/", BOTH},
    {"inner", "torch/", BOTH},
    {"inner_fn", "torch/", BOTH},
    {"profile_hook_step", "torch/", BOTH},
    /* other libraries */
    {"new_forward", "accelerate/", BOTH},
};

/* Whether `path` begins with `part`, a file or a folder. */
static bool begins_with(struct ps_str path, struct ps_str part)
{
    const bool is_folder = part.ptr[part.len - 1] == '/';

    if (path.len < part.len || (!is_folder && path.len > part.len))
        return false;
    for (size_t i = 0; i < part.len; i++)
        if (path.ptr[i] != part.ptr[i] && !(part.ptr[i] == '/' && ps_is_slash(path.ptr[i])))
            return false;
    return true;
}

/* Whether a name in a folder tells where a file is from: "torch/_ops.py" does, "threading.py" and
 * "torch/" may be of the program. */
static bool is_distinct(struct ps_str part)
{
    return memchr(part.ptr, '/', part.len - 1) != NULL;
}

/* Whether `path` contains `part`. is_installed: `path` is relative to a folder of installed
 * packages or of the standard library; then it must begin with `part`. */
static bool has_part(struct ps_str path, bool is_installed, struct ps_str part)
{
    if (begins_with(path, part))
        return true;
    for (size_t i = 1; !is_installed && is_distinct(part) && i < path.len; i++)
        if (ps_is_slash(path.ptr[i - 1]) && begins_with(ps_str_skip(path, i), part))
            return true;
    return false;
}

bool ps_python_is_plumbing(struct ps_str function, struct ps_str path, enum ps_plumbing_view view)
{
    const struct ps_str installed = ps_python_installed_part(path);

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct plumbing *row = &table[i];

        if (!(row->views & view) || (row->function && !ps_str_eq_c(function, row->function)))
            continue;
        if (!row->path || has_part(installed.ptr ? installed : path, installed.ptr != NULL,
                                   ps_str_from_c(row->path)))
            return true;
    }
    return false;
}
