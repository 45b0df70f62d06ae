/* SPDX-License-Identifier: MIT */
/* hyperfine_text.h: what hyperfine_text*.c share. For them alone. hyperfine_text_line.c knows the
 * lines of a terminal, hyperfine_text_table.c CSV and Markdown, hyperfine_text.c the log. */
#ifndef PS_IMPORTERS_HYPERFINE_TEXT_H
#define PS_IMPORTERS_HYPERFINE_TEXT_H

#include "base/mem.h"
#include "importers/measure_text.h"

enum ps_hf_part { PS_HF_WALL, PS_HF_USER, PS_HF_SYSTEM, PS_HF_MEMORY, PS_HF_PARTS };
enum ps_hf_figure { PS_HF_MEAN, PS_HF_STDDEV, PS_HF_MEDIAN, PS_HF_MIN, PS_HF_MAX, PS_HF_FIGURES };

/* What is known of one command. Seconds and bytes; a resolution of 0: all digits are there. */
struct ps_hf_result {
    bool has[PS_HF_PARTS][PS_HF_FIGURES];
    struct ps_printed figure[PS_HF_PARTS][PS_HF_FIGURES];
    int64_t runs; /* 0: not said */
};
void ps_hf_set(struct ps_hf_result *result, enum ps_hf_part part, enum ps_hf_figure which,
               struct ps_printed value);
bool ps_hf_any(const struct ps_hf_result *result);

/* A number and its unit, "21.2 ms", "4.0 MiB", in seconds or bytes; takes them off *rest. */
bool ps_hf_take(struct ps_str *rest, struct ps_printed *out);
/* A number in `unit`; takes it off *rest. */
bool ps_hf_take_in(struct ps_str *rest, struct ps_str unit, struct ps_printed *out);
/* " ± ", " … " and blanks around; false: something else stands there, *rest stays. */
bool ps_hf_plus_minus(struct ps_str *rest);
bool ps_hf_to(struct ps_str *rest);

/* "Benchmark 2: sleep 1", "Benchmark #2: sleep 1", "Benchmark 2: sleep 1 (10 runs)". */
bool ps_hf_command(struct ps_str line, struct ps_str *command, int64_t *runs);

/* Whether the line is the first of the figures of a command. */
bool ps_hf_begins(struct ps_str line);

enum ps_hf_line { PS_HF_OTHER, PS_HF_TAKEN, PS_HF_BROKEN };
/* The figures of a line of the terminal. BROKEN: it begins like one and cannot be read. */
enum ps_hf_line ps_hf_line(struct ps_str line, struct ps_hf_result *out);

/* ------------------------------------------------------------------ tables */

enum { PS_HF_COLUMNS = 64 };
enum ps_hf_column_kind { PS_HF_IGNORED, PS_HF_COMMAND, PS_HF_VALUE, PS_HF_RANGE, PS_HF_PARAMETER };

struct ps_hf_columns {
    bool markdown;
    size_t left, n; /* bytes before the table: what a container puts before each line; columns */
    struct {
        enum ps_hf_column_kind kind;
        enum ps_hf_part part;
        enum ps_hf_figure figure;
        struct ps_str text; /* name of a parameter, unit of a Markdown column; in the arena */
    } at[PS_HF_COLUMNS];
};

/* The header of a CSV or Markdown table. */
bool ps_hf_header(struct ps_str line, struct ps_arena *arena, struct ps_hf_columns *out);

/* A row: its command and the cells of its parameters in `parameter` (PS_HF_COLUMNS of them, by
 * column; empty: none), all in the arena. OTHER: the table has ended; the rule below a header of
 * Markdown is TAKEN and has no command. */
enum ps_hf_line ps_hf_row(const struct ps_hf_columns *columns, struct ps_str line,
                          struct ps_arena *arena, struct ps_hf_result *out, struct ps_str *command,
                          struct ps_str *parameter);

#endif
