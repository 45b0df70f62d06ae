/* SPDX-License-Identifier: MIT */
/* secret.h: what looks like a secret, to be masked where profiles are passed around. */
#ifndef PS_BASE_SECRET_H
#define PS_BASE_SECRET_H

#include "base/str.h"

/* Whether a key or an option of this name holds one: "api_key", "GITHUB_TOKEN". */
bool ps_names_secret(struct ps_str key);
/* Whether a text has the form of a known kind of token: "ghp_...". */
bool ps_is_token(struct ps_str text);

#endif
