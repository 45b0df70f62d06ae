/* SPDX-License-Identifier: MIT */
/*
 * scrub_command.c: scrubs command lines, and names of processes, threads and ranges, which may
 * contain a command line. Keeps the program, and replaces its arguments by "(arguments N)".
 */
#include "server/share/scrub.h"

#include <strings.h>

#include "base/secret.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* --- Words --- */

static size_t word_length(struct ps_str text)
{
    size_t n = 0;

    while (n < text.len && (unsigned char)text.ptr[n] > ' ')
        n++;
    return n;
}

static bool is_sign(char c)
{
    return (unsigned char)c < 0x80 && !is_letter(c) && !is_digit(c);
}

/* Removes ASCII punctuation at both ends of the word. */
static struct ps_str trim_signs(struct ps_str word)
{
    while (word.len && is_sign(word.ptr[0]))
        word = ps_str_skip(word, 1);
    while (word.len && is_sign(word.ptr[word.len - 1]))
        word.len--;
    return word;
}

static bool is_number(struct ps_str word)
{
    bool hex = word.len > 2 && word.ptr[0] == '0' && (word.ptr[1] | 32) == 'x';

    for (size_t i = hex ? 2 : 0; i < word.len; i++)
        if (!is_digit(word.ptr[i]) && !strchr(".:/-", word.ptr[i]) &&
            !(hex && (word.ptr[i] | 32) >= 'a' && (word.ptr[i] | 32) <= 'f'))
            return false;
    return true;
}

static bool is_one_of(struct ps_str word, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (word.len == strlen(words[i]) && strncasecmp(word.ptr, words[i], word.len) == 0)
            return true;
    return false;
}

/* Removes the number from "thread-1", "worker_3". */
static struct ps_str without_number(struct ps_str word)
{
    while (word.len && (is_digit(word.ptr[word.len - 1]) || strchr("-_#.", word.ptr[word.len - 1])))
        word.len--;
    return word;
}

static bool is_interpreter(struct ps_str program)
{
    static const char *const words[] = {
        "python",   "pypy",      "bash",   "sh",      "zsh",  "java",   "perl",     "ruby",
        "torchrun", "deepspeed", "mpirun", "mpiexec", "srun", "pytest", "gunicorn", "uvicorn",
        "sudo",     "nohup",     "ssh",    "curl",    "wget", "docker", "kubectl",  "python.exe"};

    for (size_t i = program.len; i; i--)
        if (program.ptr[i - 1] == '/' || program.ptr[i - 1] == '\\') {
            program = ps_str_skip(program, i);
            break;
        }
    return is_one_of(program, words, sizeof words / sizeof *words) ||
           is_one_of(without_number(program), words, 2);
}

/* Whether profilers write this word after the first word of a label. */
static bool is_known(struct ps_str word)
{
    static const char *const words[] = {"thread",
                                        "threads",
                                        "process",
                                        "pid",
                                        "tid",
                                        "main",
                                        "mainthread",
                                        "mainprocess",
                                        "gpu",
                                        "cpu",
                                        "cuda",
                                        "stream",
                                        "streams",
                                        "default",
                                        "worker",
                                        "rank",
                                        "device",
                                        "memory",
                                        "compute",
                                        "copy",
                                        "memset",
                                        "memcpy",
                                        "kernel",
                                        "kernels",
                                        "context",
                                        "queue",
                                        "track",
                                        "lane",
                                        "all",
                                        "stacks",
                                        "samples",
                                        "others",
                                        "region",
                                        "step",
                                        "iteration",
                                        "epoch",
                                        "batch",
                                        "forward",
                                        "backward",
                                        "optimizer",
                                        "profiler",
                                        "pytorch",
                                        "torch",
                                        "nccl",
                                        "annotations",
                                        "idle",
                                        "daemon",
                                        "executor",
                                        "threadpoolexecutor",
                                        "pool",
                                        "asyncio",
                                        "loop",
                                        "event",
                                        "gc",
                                        "garbage",
                                        "collection",
                                        "collector",
                                        "arguments",
                                        "python"};

    word = without_number(trim_signs(word));
    return is_one_of(word, words, sizeof words / sizeof *words);
}

/* Whether the word begins with NAME=, like a variable before a program. */
static bool is_assignment(struct ps_str word)
{
    size_t n = 0;

    while (n < word.len &&
           (is_letter(word.ptr[n]) || word.ptr[n] == '_' || (n && is_digit(word.ptr[n]))))
        n++;
    return n && n < word.len && word.ptr[n] == '=';
}

/* Like is_assignment, for a name without lower-case letters, like an environment variable. */
static bool is_environment(struct ps_str word)
{
    if (!is_assignment(word))
        return false;
    for (size_t i = 0; word.ptr[i] != '='; i++)
        if (word.ptr[i] >= 'a' && word.ptr[i] <= 'z')
            return false;
    return true;
}

/* --- Command lines --- */

/* Returns the offset of the program, behind variables such as NAME=value. */
static size_t skip_variables(struct ps_str line)
{
    size_t at = 0;

    while (is_assignment(ps_str_skip(line, at))) {
        char quote = '\0';

        while (at < line.len && (quote || (unsigned char)line.ptr[at] > ' ')) {
            if (quote ? line.ptr[at] == quote : line.ptr[at] == '"' || line.ptr[at] == '\'')
                quote = quote ? '\0' : line.ptr[at];
            at++;
        }
        while (at < line.len && (unsigned char)line.ptr[at] <= ' ')
            at++;
    }
    return at;
}

/* Returns the length of the program at the start of the line, with quotes around it. *name: the
 * program without quotes. */
static size_t program_length(struct ps_str line, struct ps_str *name)
{
    size_t n = 0;

    if (line.len && (line.ptr[0] == '"' || line.ptr[0] == '\'')) {
        const char *end = memchr(line.ptr + 1, line.ptr[0], line.len - 1);

        n = end ? (size_t)(end - line.ptr) + 1 : line.len;
        *name = (struct ps_str){line.ptr + 1, n - 1 - (end != NULL)};
        return n;
    }
    while (n < line.len && (unsigned char)line.ptr[n] > ' ' &&
           !strchr("\"'`=()[]{}<>|;&,$*?!#%", line.ptr[n]))
        n++;
    *name = (struct ps_str){line.ptr, n};
    if (ps_str_eq_c(*name, "-c")) /* the recorded command was `python -c CODE`: CODE follows */
        return n;
    if (n && (line.ptr[0] == '-' || ps_is_token(line) || (n < line.len && line.ptr[n] == '=')))
        n = name->len = 0;
    return n;
}

void ps_scrub_arguments(struct ps_scrub *scrub, struct ps_str arguments, struct ps_buf *out)
{
    ps_buf_puts(out, "(");
    ps_scrub_append_number(&scrub->arguments, ps_str_trim(arguments), "arguments ", out);
    ps_buf_puts(out, ")");
}

static void put_program(struct ps_scrub *scrub, struct ps_str name, struct ps_buf *out)
{
    if (name.len && (memchr(name.ptr, '/', name.len) || memchr(name.ptr, '\\', name.len)))
        ps_scrub_path(scrub, name, out);
    else
        ps_scrub_words(scrub, name, out);
}

void ps_scrub_command(struct ps_scrub *scrub, struct ps_str line, struct ps_buf *out)
{
    PS_AUTO(ps_buf_free) struct ps_buf became = {0};
    size_t variables = skip_variables(line), n;
    struct ps_str rest = ps_str_skip(line, variables), name;

    n = program_length(rest, &name);
    if (!(scrub->redacted_categories & PS_REVEAL_ARGUMENTS) || (n == line.len && n == name.len)) {
        ps_scrub_message(scrub, line, out);
        return;
    }
    put_program(scrub, name, &became);
    if (n < rest.len || variables) {
        if (became.len)
            ps_buf_puts(&became, " ");
        ps_scrub_arguments(scrub, variables ? line : ps_str_skip(rest, n), &became);
    }
    ps_scrub_record_example(scrub, PS_REVEAL_ARGUMENTS, line, became.ptr);
    ps_buf_add_str(out, ps_buf_slice(&became));
}

/* Whether the text looks like a command line: an interpreter with arguments, a program with
 * options, or environment variables before a program. */
bool ps_scrub_is_command(struct ps_str text)
{
    struct ps_str program, rest;

    text = ps_str_trim(text);
    program = (struct ps_str){text.ptr, word_length(text)};
    rest = ps_str_skip(text, program.len);
    if (!ps_str_trim(rest).len || memchr(text.ptr, '\n', text.len))
        return false;
    if (is_environment(text) || is_interpreter(program))
        return !is_number(trim_signs(rest)) &&
               !(ps_str_starts_with(ps_str_trim(rest), PS_STR("(arguments ")));
    for (size_t i = 0; i < program.len; i++)
        if (is_sign(program.ptr[i]) && !strchr("_./\\:~@+-", program.ptr[i]))
            return false;
    for (size_t i = 0; i + 2 < rest.len; i++)
        if (rest.ptr[i] == ' ' && rest.ptr[i + 1] == '-' &&
            (is_letter(rest.ptr[i + 2]) ||
             (rest.ptr[i + 2] == '-' && i + 3 < rest.len && is_letter(rest.ptr[i + 3]))))
            return is_letter(program.ptr[program.len - 1]) ||
                   is_digit(program.ptr[program.len - 1]);
    return false;
}

/* --- Labels --- */

/* Returns the length of `process 12:"` at the start of the text; 0: the text does not begin so. */
static size_t process_length(struct ps_str text)
{
    size_t n = 8;

    if (text.len < 11 || strncasecmp(text.ptr, "process ", 8) != 0)
        return 0;
    while (n < text.len && is_digit(text.ptr[n]))
        n++;
    return n > 8 && ps_str_starts_with(ps_str_skip(text, n), PS_STR(":\"")) ? n + 2 : 0;
}

bool ps_scrub_is_thread(struct ps_str text)
{
    bool named = text.len > 8 && (strncasecmp(text.ptr, "process ", 8) == 0 ||
                                  strncasecmp(text.ptr, "thread ", 7) == 0);
    const char *next = named ? (const char *)memchr(text.ptr, ' ', text.len) + 1 : NULL;

    return named && next < text.ptr + text.len && (is_digit(*next) || *next == '(');
}

/* Whether the first word of a label can be kept: it is not a value, an option or a secret. */
static bool is_name(struct ps_str word)
{
    return !memchr(word.ptr, '=', word.len) && word.ptr[0] != '-' && !ps_is_token(word) &&
           !memchr(word.ptr, '\'', word.len) && !memchr(word.ptr, '"', word.len);
}

/* Whether the word is the function in "Thread-1 (worker)", Python's default name of a thread.
 * `before`: the previous word. */
static bool is_target(struct ps_str word, struct ps_str before)
{
    return ps_str_starts_with(before, PS_STR("Thread-")) && word.len > 2 && word.ptr[0] == '(' &&
           word.ptr[word.len - 1] == ')' && !memchr(word.ptr, '=', word.len);
}

/* Returns the length of the part of a label that is kept. */
static size_t kept_length(struct ps_str label)
{
    struct ps_str before = {"", 0};
    bool named = false;
    size_t at = 0, kept = 0;

    while (at < label.len) {
        struct ps_str word = {label.ptr + at, word_length(ps_str_skip(label, at))};
        bool stays = is_number(trim_signs(word)) || is_known(word) || is_target(word, before);

        if (!stays && (named || !is_name(word)))
            return kept;
        named |= trim_signs(word).len > 0;
        before = word;
        kept = at + word.len;
        for (at = kept; at < label.len && (unsigned char)label.ptr[at] <= ' '; at++)
            ;
    }
    return label.len;
}

/* Finds the settings between the braces of `[Callback]NAME{'monitor': 'loss'}.HOOK`, as PyTorch
 * Lightning names the actions of callbacks. {NULL, 0}: the label has none. */
static struct ps_str find_settings(struct ps_str label)
{
    size_t n = word_length(label);
    const char *open = n && label.ptr[0] == '[' ? memchr(label.ptr, '{', n) : NULL;
    const char *close = open ? memrchr(open, '}', label.len - (size_t)(open - label.ptr)) : NULL;
    struct ps_str settings =
        close ? (struct ps_str){open + 1, (size_t)(close - open) - 1} : (struct ps_str){NULL, 0};
    struct ps_str hook =
        close ? ps_str_skip(label, (size_t)(close - label.ptr) + 1) : (struct ps_str){NULL, 0};

    if (!ps_str_starts_with(hook, PS_STR(".")) || word_length(hook) != hook.len)
        return (struct ps_str){NULL, 0};
    return settings;
}

static bool is_redacted(struct ps_str settings)
{
    const struct ps_str word = PS_STR("arguments ");

    return ps_str_starts_with(settings, word) && is_number(ps_str_skip(settings, word.len));
}

void ps_scrub_label(struct ps_scrub *scrub, struct ps_str label, struct ps_buf *out)
{
    struct ps_str settings = find_settings(label);
    PS_AUTO(ps_buf_free) struct ps_buf became = {0};
    size_t process = process_length(label), n = kept_length(label);
    struct ps_str kept = {label.ptr, n};

    if (!(scrub->redacted_categories & PS_REVEAL_ARGUMENTS)) {
        ps_scrub_message(scrub, label, out);
    } else if (process) {
        bool closed = label.ptr[label.len - 1] == '"' && label.len > process;

        ps_buf_add(out, label.ptr, process);
        label = ps_str_skip(label, process);
        label.len -= closed;
        ps_scrub_command(scrub, label, out);
        ps_buf_puts(out, closed ? "\"" : "");
    } else if (settings.ptr && !is_redacted(settings)) {
        n = (size_t)(settings.ptr - label.ptr);
        ps_scrub_words(scrub, (struct ps_str){label.ptr, n}, &became);
        ps_scrub_append_number(&scrub->arguments, settings, "arguments ", &became);
        ps_scrub_words(scrub, ps_str_skip(label, n + settings.len), &became);
        ps_scrub_record_example(scrub, PS_REVEAL_ARGUMENTS, label, became.ptr);
        ps_buf_add_str(out, ps_buf_slice(&became));
    } else if (settings.ptr || n == label.len) {
        ps_scrub_message(scrub, label, out);
    } else {
        if (n == word_length(label))
            put_program(scrub, kept, &became);
        else
            ps_scrub_message(scrub, kept, &became);
        if (n)
            ps_buf_puts(&became, " ");
        ps_scrub_arguments(scrub, ps_str_skip(label, n), &became);
        ps_scrub_record_example(scrub, PS_REVEAL_ARGUMENTS, label, became.ptr);
        ps_buf_add_str(out, ps_buf_slice(&became));
    }
}
