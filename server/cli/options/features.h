/* SPDX-License-Identifier: MIT */
/* features.h: the parts that a build may lack. The modules that need them fail with a message; the
 * help, the man pages and the completion leave out the options that need them. */
#ifndef PS_CLI_FEATURES_H
#define PS_CLI_FEATURES_H

#include "base/buf.h"

enum ps_feature {
    PS_FEATURE_NONE = 0,   /* part of every build */
    PS_FEATURE_POSTGRESQL, /* shelves in PostgreSQL */
    PS_FEATURE_SERVER,     /* requests to a server (libcurl) */
    PS_FEATURE_OFFLINE,    /* HTML pages that need no server; a server may make them too */
};
#define PS_N_FEATURES (PS_FEATURE_OFFLINE + 1)

bool ps_feature_is_built(enum ps_feature feature);
/* Appends "Features: ..." and, if a feature is missing, "Not built: ...". */
void ps_features_describe(struct ps_buf *out);

#endif
