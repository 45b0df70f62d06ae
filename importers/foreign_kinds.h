/* SPDX-License-Identifier: MIT */
/* foreign_kinds.h: names of unsupported formats and hints. Private to foreign.c. */
#ifndef PS_IMPORTERS_FOREIGN_KINDS_H
#define PS_IMPORTERS_FOREIGN_KINDS_H

#include "base/str.h"

/* A format detected by bytes at a fixed offset. */
struct ps_foreign_magic {
    size_t at;
    struct ps_str bytes;
    const char *what, *hint;
};

/* A format detected by strings: all of them must occur, in any order; "" always matches. */
struct ps_foreign_kind {
    const char *words[3];
    const char *what, *hint; /* "a pprof profile"; the command that produces a supported format */
};

/* The entries of a list are tried in order; the last entry has no `what`. */
extern const struct ps_foreign_magic ps_foreign_magics[];
extern const struct ps_foreign_kind ps_foreign_databases[], /* SQLite */
    /* ps_foreign_pickles: any pickle that ps_foreign_known_pickles does not match */
    ps_foreign_notebooks[], ps_foreign_pickles[], ps_foreign_known_pickles[], ps_foreign_pages[],
    ps_foreign_documents[], ps_foreign_reports[];
extern const struct ps_foreign_kind ps_foreign_pprof, ps_foreign_xplane, ps_foreign_perfetto,
    ps_foreign_otlp, ps_foreign_pyroscope, ps_foreign_svg;

extern const char ps_foreign_record_hint[];

#endif
