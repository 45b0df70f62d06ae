/* SPDX-License-Identifier: MIT */
/*
 * xla_job.h: profiles of XLA of the hosts of one recording, which are one run. JAX and TensorFlow
 * write HOST.xplane.pb of all hosts into the folder plugins/profile/TIME of the log.
 */
#ifndef PS_IMPORTERS_TRACE_XLA_JOB_H
#define PS_IMPORTERS_TRACE_XLA_JOB_H

#include <stdbool.h>

#include "base/str.h"

/* The folder of the hosts in the archive of their run. */
#define PS_XLA_FOLDER "xla-run/"

/* Whether a file is a profile of XLA, as .xplane.pb or JSON. `head`: its first bytes,
 * decompressed. */
bool ps_is_xla_profile(struct ps_str head);

#endif
