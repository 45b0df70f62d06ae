/* SPDX-License-Identifier: MIT */
/*
 * environment.h: what a run was recorded on and with. Importers write these facts with
 * ps_sink_ops.meta, as the file states them; recorders write them as tags. The order is that of
 * display.
 */
#ifndef PS_RECORDS_ENVIRONMENT_H
#define PS_RECORDS_ENVIRONMENT_H

/* ITEM(key, label). Keys are stable: they are in databases and in URLs. */
#define PS_ENVIRONMENT(ITEM)                                                                       \
    ITEM("host", "host")                                                                           \
    ITEM("machine", "architecture") /* x86_64, aarch64 */                                          \
    ITEM("cpu", "CPU")              /* the model as its vendor calls it */                         \
    ITEM("cores", "cores")          /* number of logical processors */                             \
    ITEM("governor", "CPU frequency governor")                                                     \
    ITEM("memory", "memory")                                                                       \
    ITEM("gpu", "GPU")                                                                             \
    ITEM("driver", "GPU driver")                                                                   \
    ITEM("system", "system") /* name of the operating system, with or without its release */       \
    ITEM("container", "container")                                                                 \
    ITEM("python", "Python")                                                                       \
    ITEM("python_build", "build of Python") /* implementation, compiler, options */                \
    ITEM("packages", "packages")            /* "numpy 2.1.0, pandas 2.2.3" */                      \
    ITEM("compiler", "compiler")                                                                   \
    ITEM("build_type", "build type") /* debug, release */                                          \
    ITEM("tool", "tool")                                                                           \
    ITEM("tool_version", "version of the tool")                                                    \
    ITEM("commit", "commit")                                                                       \
    ITEM("commit_time", "time of the commit") /* ISO 8601, or as the file states it */             \
    ITEM("branch", "branch")                                                                       \
    ITEM("dirty", "uncommitted changes")                                                           \
    ITEM("load", "load average")

#endif
