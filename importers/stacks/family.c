/* SPDX-License-Identifier: MIT */
/* family.c: detects the language of a frame from its name. */
#include "importers/stacks/stacks.h"

static bool has(struct ps_str text, const char *word)
{
    return ps_str_find(text, ps_str_of(word)) != NULL;
}

static bool ends(struct ps_str text, const char *word)
{
    size_t len = strlen(word);

    return text.len >= len && memcmp(text.at + text.len - len, word, len) == 0;
}

/* Matches "name (app.py:12)", "app.py:name:12", "app.py(12):_name", "<module>", "<frozen
 * runpy>:run:3". */
bool st_is_python(struct ps_str frame)
{
    static const char *const words[] = {
        ".py:",     ".py)",     ".py(",       ".pyx:",     "<frozen ",
        "<module>", "<lambda>", "<listcomp>", "<genexpr>", "<string>:"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (has(frame, words[i]))
            return true;
    return ends(frame, ".py") || ends(frame, ".ipynb");
}

/* Matches shared libraries, C++ names, addresses, builtins, and the annotations of FlameGraph's
 * scripts. */
static bool is_native(struct ps_str frame)
{
    static const char *const words[] = {
        ".so)",  ".so.",  ".so:",      ".dylib", ".dll",      "::",        "(anonymous namespace)",
        ".cpp:", ".cpp)", ".c:",       ".c)",    ".cc:",      ".cc)",      ".rs:",
        ".rs)",  ".h:",   "_GLOBAL__", "+0x",    "[user] 0x", "<built-in", "<method '"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (has(frame, words[i]))
            return true;
    return ps_str_starts(frame, PS_STR("0x")) || ends(frame, ".so") || ends(frame, "_[k]") ||
           ends(frame, "_[j]") || ends(frame, "_[i]");
}

int64_t st_family(struct ps_str frame)
{
    return is_native(frame) && !st_is_python(frame) ? PS_FAMILY_RUNTIME : PS_FAMILY_NONE;
}
