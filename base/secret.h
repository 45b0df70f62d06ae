/* SPDX-License-Identifier: MIT */
/* secret.h: recognises probable secrets, which are masked before profiles are shown or shared. */
#ifndef PS_BASE_SECRET_H
#define PS_BASE_SECRET_H

#include "base/str.h"

/* Whether a key or an option of this name probably has a secret as its value: "api_key",
 * "GITHUB_TOKEN". */
bool ps_is_secret_name(struct ps_str key);
/* Whether the string has the form of a known kind of token: "ghp_...". */
bool ps_is_token(struct ps_str text);

#endif
