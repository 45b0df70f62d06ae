/* SPDX-License-Identifier: MIT */
#include "server/cli/limits.h"

#include "server/cli/budget.h"

#define GREATEST 1e15 /* a whole number as a double, and far from the end of 64 bits */

/* A value in this unit, which may be left out. */
static enum ps_status read_one(const char *option, const char *text, const char *unit,
                               uint64_t *out, struct ps_err *err)
{
    char given[8];
    double value;

    if (!text)
        return PS_OK;
    if (ps_value_read(text, &value, given, err) != PS_OK)
        return PS_BAD_REQUEST;
    if (given[0] && !ps_value_convert(value, given, unit, &value))
        return ps_fail(err, PS_BAD_REQUEST, "%s wants a number%s%s, not %s", option,
                       unit[0] ? " or a value in " : "", unit, text);
    if (value < 1 || value > GREATEST)
        return ps_fail(err, PS_BAD_REQUEST, "%s is beyond what %s can be", text, option);
    *out = (uint64_t)value;
    return PS_OK;
}

enum ps_status ps_limits_read(const struct ps_options *options, struct ps_sandbox_limits *out,
                              struct ps_err *err)
{
    *out = (struct ps_sandbox_limits){PS_SANDBOX_MEMORY, PS_SANDBOX_CPU_S, PS_SANDBOX_FILE};
    if (read_one("--import-memory", options->import_memory, "B", &out->memory, err) != PS_OK)
        return err->code;
    return read_one("--import-cpu", options->import_cpu, "s", &out->cpu_s, err);
}

enum ps_status ps_queue_read(const struct ps_options *options, size_t *out, struct ps_err *err)
{
    uint64_t most = 10000;
    enum ps_status status = read_one("--queue", options->queue, "", &most, err);

    *out = (size_t)most;
    return status;
}

enum ps_status ps_quota_read(const struct ps_options *options, uint64_t *out, struct ps_err *err)
{
    *out = 0;
    return read_one("--quota", options->quota, "B", out, err);
}

enum ps_status ps_cache_read(const struct ps_options *options, uint64_t *out, struct ps_err *err)
{
    *out = 0;
    return read_one("--cache-size", options->cache_size, "B", out, err);
}
