/* SPDX-License-Identifier: MIT */
/*
 * environment.h: what a run was recorded on and with. Importers write these facts with
 * ps_sink_ops.meta, as the file states them; `perfshelf record` and the Python package set tags of
 * the same names.
 */
#ifndef PS_RECORDS_ENVIRONMENT_H
#define PS_RECORDS_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

/* What a difference between two groups of runs means. */
enum ps_environment_weight {
    PS_ENVIRONMENT_WARNS,    /* it may explain a difference of times */
    PS_ENVIRONMENT_RELEASES, /* it warns if the first words differ: the rest is a release */
    PS_ENVIRONMENT_NAMES, /* it may be another machine: it warns if the CPU of a run is unknown */
    PS_ENVIRONMENT_NOTES, /* worth a look, but no warning */
    PS_ENVIRONMENT_IS_COMPARED, /* a change of the program, which a comparison is about */
    PS_ENVIRONMENT_VARIES       /* differs from run to run; is shown, never compared */
};

/* FACT(name, label, group, weight, is_listed), in the order of display. Names are stable: they are
 * in databases and in URLs. Lists of tags show a tag of this name if is_listed. The values are
 * texts:
 *   cpu           the model as its vendor calls it
 *   cores         number of logical processors; in recordings of perfshelf those that the process
 *                 could use, such as "8" or, with a quota, "1.5"
 *   memory        bytes, such as "16706707456"
 *   machine       the architecture: x86_64, aarch64
 *   system        name of the operating system, with or without its release
 *   load          average number of runnable processes of the last minute, at the start
 *   python_build  implementation, compiler, name and date of the build, options
 *   build_type    debug, release
 *   runtime       the virtual machine or engine that ran the program, with its version
 *   packages      "numpy 2.1.0, pandas 2.2.3"; a tag packages.NAME has the version of one
 *   commit_time   ISO 8601, or as the file states it
 *   dirty         "yes" or "no": the checkout had changes that were not committed */
#define PS_ENVIRONMENT_FACTS(FACT)                                                                 \
    FACT("cpu", "CPU", "machine", PS_ENVIRONMENT_WARNS, false)                                     \
    FACT("cores", "Cores", "machine", PS_ENVIRONMENT_WARNS, false)                                 \
    FACT("governor", "Governor", "machine", PS_ENVIRONMENT_WARNS, false)                           \
    FACT("memory", "Memory", "machine", PS_ENVIRONMENT_WARNS, false)                               \
    FACT("gpu", "Accelerator", "machine", PS_ENVIRONMENT_WARNS, false)                             \
    FACT("driver", "Driver", "machine", PS_ENVIRONMENT_WARNS, false)                               \
    FACT("host", "Host", "machine", PS_ENVIRONMENT_NAMES, true)                                    \
    FACT("machine", "Architecture", "machine", PS_ENVIRONMENT_WARNS, false)                        \
    FACT("system", "System", "machine", PS_ENVIRONMENT_RELEASES, false)                            \
    FACT("container", "Container", "machine", PS_ENVIRONMENT_WARNS, false)                         \
    FACT("load", "Load at start", "machine", PS_ENVIRONMENT_VARIES, false)                         \
    FACT("python", "Python", "software", PS_ENVIRONMENT_WARNS, true)                               \
    FACT("python_build", "Python build", "software", PS_ENVIRONMENT_WARNS, false)                  \
    FACT("compiler", "Compiler", "software", PS_ENVIRONMENT_WARNS, false)                          \
    FACT("build_type", "Build type", "software", PS_ENVIRONMENT_WARNS, false)                      \
    FACT("runtime", "Runtime", "software", PS_ENVIRONMENT_WARNS, false)                            \
    FACT("gpu_runtime", "Runtime of the accelerator", "software", PS_ENVIRONMENT_WARNS, false)     \
    FACT("tool", "Tool", "software", PS_ENVIRONMENT_NOTES, false)                                  \
    FACT("tool_version", "Tool version", "software", PS_ENVIRONMENT_NOTES, false)                  \
    FACT("packages", "Packages", "packages", PS_ENVIRONMENT_WARNS, false)                          \
    FACT("commit", "Commit", "source", PS_ENVIRONMENT_IS_COMPARED, true)                           \
    FACT("commit_time", "Time of the commit", "source", PS_ENVIRONMENT_VARIES, false)              \
    FACT("branch", "Branch", "source", PS_ENVIRONMENT_IS_COMPARED, true)                           \
    FACT("dirty", "Uncommitted changes", "source", PS_ENVIRONMENT_IS_COMPARED, true)

/* A row of the table. Rows are compared by their pointers. */
struct ps_environment_key {
    const char *name, *label, *group;
    enum ps_environment_weight weight;
    bool is_listed;
};

/* All rows in their order; a static array. */
const struct ps_environment_key *ps_environment_keys(size_t *n);
/* Returns the row with this name, or NULL. */
const struct ps_environment_key *ps_environment_find_key(struct ps_str name);

/* The name of a package in the name of a tag, "packages.NAME"; {NULL, 0}: none. */
struct ps_str ps_environment_package_of_tag(struct ps_str tag);
/* PS_BAD_REQUEST: a word is not the name of a fact that runs are compared by, or packages.NAME.
 * list: words with commas between them. */
enum ps_status ps_environment_check_names(const char *list, struct ps_err *err);
/* Whether lists of tags leave this one out, because the environment of the run has it. */
bool ps_environment_hides_tag(struct ps_str tag);

#endif
