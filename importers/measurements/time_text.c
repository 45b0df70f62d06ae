/* SPDX-License-Identifier: MIT */
#include "importers/measurements/time_text.h"

#include <math.h>

const struct ps_timed_name ps_timed_names[PS_N_TIMED] = {
    [PS_TIMED_REAL] = {"real", "s"},
    [PS_TIMED_USER] = {"user", "s"},
    [PS_TIMED_SYS] = {"sys", "s"},
    [PS_TIMED_CPU] = {"CPU", "%"},
    [PS_TIMED_RSS] = {"max RSS", "KiB"},
    [PS_TIMED_MAJOR] = {"major faults", ""},
    [PS_TIMED_MINOR] = {"minor faults", ""},
    [PS_TIMED_VOLUNTARY] = {"voluntary switches", ""},
    [PS_TIMED_INVOLUNTARY] = {"involuntary switches", ""},
    [PS_TIMED_SWAPS] = {"swaps", ""},
    [PS_TIMED_INPUTS] = {"file system inputs", ""},
    [PS_TIMED_OUTPUTS] = {"file system outputs", ""},
    [PS_TIMED_SENT] = {"socket messages sent", ""},
    [PS_TIMED_RECEIVED] = {"socket messages received", ""},
    [PS_TIMED_SIGNALS] = {"signals", ""},
    [PS_TIMED_TEXT_SIZE] = {"average shared text size", "KiB"},
    [PS_TIMED_DATA_SIZE] = {"average unshared data size", "KiB"},
    [PS_TIMED_STACK_SIZE] = {"average stack size", "KiB"},
    [PS_TIMED_TOTAL_SIZE] = {"average total size", "KiB"},
    [PS_TIMED_MEAN_RSS] = {"average RSS", "KiB"},
    [PS_TIMED_PAGE] = {"page size", "B"},
    [PS_TIMED_INSTRUCTIONS] = {"instructions", ""},
    [PS_TIMED_CYCLES] = {"cycles", ""},
    [PS_TIMED_FOOTPRINT] = {"peak footprint", "KiB"},
    [PS_TIMED_EXIT] = {"exit status", ""},
};

struct label {
    const char *text;
    enum ps_timed what;
};

static void set(struct ps_timed_run *run, enum ps_timed what, struct ps_printed figure)
{
    run->has[what] = true;
    run->figure[what] = figure;
}

static bool at_end(struct ps_str rest)
{
    ps_printed_blanks(&rest);
    return rest.len == 0;
}

/* --- GNU time --- */

static const struct label gnu[] = {
    {"User time (seconds): ", PS_TIMED_USER},
    {"System time (seconds): ", PS_TIMED_SYS},
    {"Percent of CPU this job got: ", PS_TIMED_CPU},
    {"Elapsed (wall clock) time (h:mm:ss or m:ss): ", PS_TIMED_REAL},
    {"Average shared text size (kbytes): ", PS_TIMED_TEXT_SIZE},
    {"Average unshared data size (kbytes): ", PS_TIMED_DATA_SIZE},
    {"Average stack size (kbytes): ", PS_TIMED_STACK_SIZE},
    {"Average total size (kbytes): ", PS_TIMED_TOTAL_SIZE},
    {"Maximum resident set size (kbytes): ", PS_TIMED_RSS},
    {"Average resident set size (kbytes): ", PS_TIMED_MEAN_RSS},
    {"Major (requiring I/O) page faults: ", PS_TIMED_MAJOR},
    {"Minor (reclaiming a frame) page faults: ", PS_TIMED_MINOR},
    {"Voluntary context switches: ", PS_TIMED_VOLUNTARY},
    {"Involuntary context switches: ", PS_TIMED_INVOLUNTARY},
    {"Swaps: ", PS_TIMED_SWAPS},
    {"File system inputs: ", PS_TIMED_INPUTS},
    {"File system outputs: ", PS_TIMED_OUTPUTS},
    {"Socket messages sent: ", PS_TIMED_SENT},
    {"Socket messages received: ", PS_TIMED_RECEIVED},
    {"Signals delivered: ", PS_TIMED_SIGNALS},
    {"Page size (bytes): ", PS_TIMED_PAGE},
    {"Exit status: ", PS_TIMED_EXIT},
};

bool ps_timed_label(struct ps_str line, struct ps_timed_run *run)
{
    for (size_t i = 0; i < sizeof gnu / sizeof *gnu; i++) {
        const char *at = ps_str_find(line, ps_str_of(gnu[i].text));
        struct ps_printed figure;
        struct ps_str rest;

        if (!at || (at > line.at && at[-1] != '\t' && at[-1] != ' '))
            continue;
        rest = ps_str_skip(line, (size_t)(at - line.at) + strlen(gnu[i].text));
        if (gnu[i].what == PS_TIMED_CPU && ps_printed_word(&rest, "?%"))
            return at_end(rest);
        if (!ps_printed_clock(&rest, &figure))
            return false;
        if (gnu[i].what == PS_TIMED_CPU && !ps_printed_word(&rest, "%"))
            return false;
        if (!at_end(rest))
            return false;
        set(run, gnu[i].what, figure);
        return true;
    }
    return false;
}

bool ps_timed_command(struct ps_str line, struct ps_str *command)
{
    static const struct ps_str words = PS_STR("Command being timed: \"");
    const char *at = ps_str_find(line, words);

    if (!at)
        return false;
    *command = ps_str_skip(line, (size_t)(at - line.at) + words.len);
    while (command->len && strchr(" \t", command->at[command->len - 1]))
        command->len--;
    if (command->len && command->at[command->len - 1] == '"')
        command->len--;
    return true;
}

bool ps_timed_end(struct ps_str line, bool *signal, int64_t *code)
{
    static const struct ps_str words[] = {PS_STR("Command exited with non-zero status "),
                                          PS_STR("Command terminated by signal ")};

    for (int i = 0; i < 2; i++) {
        const char *at = ps_str_find(line, words[i]);
        struct ps_str rest;

        if (!at)
            continue;
        rest = ps_str_skip(line, (size_t)(at - line.at) + words[i].len);
        while (rest.len && strchr(" \t", rest.at[rest.len - 1]))
            rest.len--;
        *signal = i == 1;
        return ps_str_i64(rest, code);
    }
    return false;
}

/* Reads values, each followed by its label. */
static bool take_all(struct ps_str *rest, const struct label *labels, size_t n,
                     struct ps_timed_run *run)
{
    struct ps_timed_run read = *run;

    for (size_t i = 0; i < n; i++) {
        struct ps_printed figure;

        if (labels[i].what == PS_TIMED_CPU && ps_printed_word(rest, "?%CPU ("))
            continue;
        if (!ps_printed_clock(rest, &figure) || !ps_printed_word(rest, labels[i].text))
            return false;
        set(&read, labels[i].what, figure);
    }
    *run = read;
    return true;
}

/* Removes everything before the next position at which values may begin: a digit after a prefix. */
static bool next_start(struct ps_str *rest)
{
    bool inside = true;

    while (rest->len) {
        bool digit = rest->at[0] >= '0' && rest->at[0] <= '9';

        if (digit && !inside)
            return true;
        inside = digit || rest->at[0] == '.' || rest->at[0] == ',' || rest->at[0] == ':';
        *rest = ps_str_skip(*rest, 1);
    }
    return false;
}

/* Like take_all, but the values may begin anywhere in the line; they must end at its end. */
static bool take_anywhere(struct ps_str line, const struct label *labels, size_t n,
                          struct ps_timed_run *run)
{
    do {
        struct ps_str rest = line;

        if (take_all(&rest, labels, n, run))
            return at_end(rest);
    } while (next_start(&line));
    return false;
}

bool ps_timed_default(struct ps_str line, struct ps_timed_run *run)
{
    static const struct label labels[] = {
        {"user ", PS_TIMED_USER},         {"system ", PS_TIMED_SYS},
        {"elapsed ", PS_TIMED_REAL},      {"%CPU (", PS_TIMED_CPU},
        {"avgtext+", PS_TIMED_TEXT_SIZE}, {"avgdata ", PS_TIMED_DATA_SIZE},
        {"maxresident)k", PS_TIMED_RSS},
    };

    return ps_str_find(line, PS_STR("maxresident)k")) &&
           take_anywhere(line, labels, sizeof labels / sizeof *labels, run);
}

bool ps_timed_default_rest(struct ps_str line, struct ps_timed_run *run)
{
    static const struct label labels[] = {
        {"inputs+", PS_TIMED_INPUTS}, {"outputs (", PS_TIMED_OUTPUTS},
        {"major+", PS_TIMED_MAJOR},   {"minor)pagefaults ", PS_TIMED_MINOR},
        {"swaps", PS_TIMED_SWAPS},
    };

    return ps_str_find(line, PS_STR("pagefaults")) &&
           take_anywhere(line, labels, sizeof labels / sizeof *labels, run);
}

/* --- Shells --- */

/* The command may contain anything, so each number in the line is tried as the first value; the
 * values must end at the end of the line. */
bool ps_timed_zsh(struct ps_str line, struct ps_timed_run *run)
{
    static const struct label labels[] = {
        {"s user ", PS_TIMED_USER},
        {"s system ", PS_TIMED_SYS},
        {"% cpu ", PS_TIMED_CPU},
        {" total", PS_TIMED_REAL},
    };
    struct ps_str start = line;

    if (!ps_str_find(line, PS_STR("% cpu ")) || !ps_str_find(line, PS_STR("s user ")))
        return false;
    do {
        struct ps_str rest = start;
        size_t before = (size_t)(start.at - line.at);

        if (!take_all(&rest, labels, sizeof labels / sizeof *labels, run) || !at_end(rest))
            continue;
        while (before && (line.at[before - 1] == ' ' || line.at[before - 1] == '\t'))
            before--;
        run->command = (struct ps_str){line.at, before};
        return true;
    } while (next_start(&start));
    return false;
}

/* Sets *rest to what follows `word`, which begins the line or follows a prefix that a container
 * puts before it. */
static bool behind_word(struct ps_str line, const char *word, struct ps_str *rest)
{
    struct ps_str wanted = ps_str_of(word);
    const char *at;

    while ((at = ps_str_find(line, wanted))) {
        bool begins = at == line.at || at[-1] == ' ' || at[-1] == '\t';

        *rest = ps_str_skip(line, (size_t)(at - line.at) + wanted.len);
        if (begins && rest->len && strchr(" \t", rest->at[0]))
            return true;
        line = *rest;
    }
    return false;
}

/* Parses lines of fish: "Executed in  100.41 millis    fish           external", "usr time ...",
 * "sys time ...". */
static bool fish_line(struct ps_str line, int which, struct ps_timed_run *run)
{
    static const char *const words[] = {"Executed in", "usr time", "sys time"};
    static const struct {
        const char *name;
        int shift;
        double factor;
    } units[] = {
        {"micros", -6, 1}, {"millis", -3, 1}, {"secs", 0, 1}, {"mins", 0, 60}, {"hours", 0, 3600}};
    struct ps_printed figure;
    struct ps_str rest, number;

    if (!behind_word(line, words[which], &rest))
        return false;
    ps_printed_blanks(&rest);
    number = (struct ps_str){rest.at, ps_printed_len(rest)};
    rest = ps_str_skip(rest, number.len);
    ps_printed_blanks(&rest);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (!ps_printed_word(&rest, units[i].name))
            continue;
        if (!ps_printed_read(number, units[i].shift, &figure))
            return false;
        figure.value *= units[i].factor;
        figure.resolution *= units[i].factor;
        set(run, (enum ps_timed)(PS_TIMED_REAL + which), figure);
        return true;
    }
    return false;
}

bool ps_timed_shell(struct ps_str line, int which, struct ps_timed_run *run)
{
    static const char *const words[] = {"real", "user", "sys"};
    struct ps_printed figure;
    struct ps_str rest;
    bool minutes;

    if (fish_line(line, which, run))
        return true;
    if (!behind_word(line, words[which], &rest))
        return false;
    ps_printed_blanks(&rest);
    minutes = rest.len && memchr(rest.at, 'm', rest.len);
    if ((which && minutes != run->minutes) || !ps_printed_clock(&rest, &figure) || !at_end(rest))
        return false;
    run->minutes = minutes;
    set(run, (enum ps_timed)(PS_TIMED_REAL + which), figure);
    return true;
}

bool ps_timed_tcsh(struct ps_str line, struct ps_timed_run *run)
{
    static const struct label labels[] = {
        {"u ", PS_TIMED_USER},
        {"s ", PS_TIMED_SYS},
        {" ", PS_TIMED_REAL},
        {"%", PS_TIMED_CPU},
    };
    struct ps_str start = line;

    if (!ps_str_find(line, PS_STR("io ")) || !ps_str_find(line, PS_STR("pf+")))
        return false;
    do {
        struct ps_str rest = start;

        if (take_all(&rest, labels, sizeof labels / sizeof *labels, run) && rest.len &&
            strchr(" \t", rest.at[0]))
            return true;
    } while (next_start(&start));
    return false;
}

/* --- BSD and macOS --- */

static bool bsd_figures(struct ps_str rest, struct ps_timed_run *run)
{
    static const char *const words[] = {"real", "user", "sys"};
    struct ps_timed_run read = *run;

    for (int i = 0; i < 3; i++) {
        struct ps_printed figure;

        ps_printed_blanks(&rest);
        if (!ps_printed_take(&rest, &figure))
            return false;
        ps_printed_blanks(&rest);
        if (!ps_printed_word(&rest, words[i]))
            return false;
        set(&read, (enum ps_timed)(PS_TIMED_REAL + i), figure);
    }
    if (!at_end(rest))
        return false;
    *run = read;
    return true;
}

bool ps_timed_bsd(struct ps_str line, struct ps_timed_run *run)
{
    if (!ps_str_find(line, PS_STR(" sys")))
        return false;
    do {
        if (bsd_figures(line, run))
            return true;
    } while (next_start(&line));
    return false;
}

/* Detects the unit of sizes: macOS reports bytes, which are multiples of the page size; FreeBSD
 * reports KiB. */
static void tell_unit(struct ps_timed_run *run, enum ps_timed what, double value)
{
    if (what == PS_TIMED_RSS)
        run->bytes = fmod(value, 4096) == 0;
    if (what == PS_TIMED_FOOTPRINT || what == PS_TIMED_INSTRUCTIONS)
        run->bytes = true; /* only macOS reports these */
}

bool ps_timed_bsd_rest(struct ps_str line, struct ps_timed_run *run)
{
    static const struct label labels[] = {
        {"maximum resident set size", PS_TIMED_RSS},
        {"average shared memory size", PS_TIMED_TEXT_SIZE},
        {"average unshared data size", PS_TIMED_DATA_SIZE},
        {"average unshared stack size", PS_TIMED_STACK_SIZE},
        {"page reclaims", PS_TIMED_MINOR},
        {"page faults", PS_TIMED_MAJOR},
        {"swaps", PS_TIMED_SWAPS},
        {"block input operations", PS_TIMED_INPUTS},
        {"block output operations", PS_TIMED_OUTPUTS},
        {"messages sent", PS_TIMED_SENT},
        {"messages received", PS_TIMED_RECEIVED},
        {"signals received", PS_TIMED_SIGNALS},
        {"voluntary context switches", PS_TIMED_VOLUNTARY},
        {"involuntary context switches", PS_TIMED_INVOLUNTARY},
        {"instructions retired", PS_TIMED_INSTRUCTIONS},
        {"cycles elapsed", PS_TIMED_CYCLES},
        {"peak memory footprint", PS_TIMED_FOOTPRINT},
    };
    for (struct ps_str start = line; next_start(&start); start = ps_str_skip(start, 1)) {
        struct ps_str rest = start;
        struct ps_printed figure;

        if (!ps_printed_take(&rest, &figure))
            return false;
        ps_printed_blanks(&rest);
        for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
            struct ps_str behind = rest;

            if (!ps_printed_word(&behind, labels[i].text) || !at_end(behind))
                continue;
            tell_unit(run, labels[i].what, figure.value);
            set(run, labels[i].what, figure);
            return true;
        }
    }
    return false;
}
