/* SPDX-License-Identifier: MIT */
/* foreign_kinds.h: the names of what is not read and the words for what to do instead. For
 * foreign.c alone. */
#ifndef PS_IMPORTERS_FOREIGN_KINDS_H
#define PS_IMPORTERS_FOREIGN_KINDS_H

#include "base/str.h"

/* What bytes at one place tell. */
struct ps_foreign_magic {
    size_t at;
    struct ps_str bytes;
    const char *what, *hint;
};

/* What words tell: all of them must occur, in any order; "" always does. */
struct ps_foreign_kind {
    const char *words[3];
    const char *what, *hint; /* "a pprof profile"; the command that makes what can be read of it */
};

/* Each list is asked in its order and ended by a row without `what`. */
extern const struct ps_foreign_magic ps_foreign_magics[];
extern const struct ps_foreign_kind ps_foreign_databases[], /* SQLite */
    ps_foreign_notebooks[], ps_foreign_pickles[], /* the last for all that the rest does not name */
    ps_foreign_known_pickles[], ps_foreign_pages[], ps_foreign_documents[], ps_foreign_reports[];
extern const struct ps_foreign_kind ps_foreign_pprof, ps_foreign_xplane, ps_foreign_perfetto,
    ps_foreign_otlp, ps_foreign_pyroscope, ps_foreign_svg;

extern const char ps_foreign_record_hint[];

#endif
