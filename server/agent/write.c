/* SPDX-License-Identifier: MIT */
/*
 * write.c: the tools that add runs: add and record. They run the commands of the same names
 * (struct ps_agent.run), so an agent and a person at a terminal get the same runs and messages.
 *
 * Arguments are passed as words, never through a shell. Values are joined with their option
 * ("--name=VALUE"), and files follow "--", so a value cannot become an option.
 */
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "server/agent/tools.h"

#define TIMEOUT_S     600
#define TIMEOUT_S_MAX 86400

struct command {
    struct ps_words words; /* strings are in `arena` or in the arguments of the call */
    struct ps_arena arena;
};

static void command_free(struct command *command)
{
    ps_words_free(&command->words);
    ps_arena_free(&command->arena);
}

static void add_word(struct command *command, const char *word)
{
    ps_words_add(&command->words, word);
}

/* Adds "--option=value"; nothing if the value is NULL. */
static void add_option(struct command *command, const char *option, const char *value)
{
    if (value)
        add_word(command, ps_arena_printf(&command->arena, "%s=%s", option, value));
}

static void add_labels(struct command *command, const struct ps_tool_call *call)
{
    const cJSON *tag;

    add_option(command, "--name", ps_arg_text(call, "name"));
    add_option(command, "--series", ps_arg_text(call, "series"));
    add_option(command, "--note", ps_arg_text(call, "note"));
    cJSON_ArrayForEach(tag, ps_member(call->arguments, "tags"))
        add_option(command, "--tag", tag->valuestring);
}

static void add_texts(struct command *command, const cJSON *texts)
{
    const cJSON *text;

    cJSON_ArrayForEach(text, texts) add_word(command, text->valuestring);
}

/* --- The answer --- */

static void write_runs(struct ps_output *out, struct ps_str lines)
{
    static const struct ps_output_column columns[] = {
        {"run", "", PS_WORDS},           {"kind", "", PS_WORDS},   {"rows", "rows", PS_NUMBER},
        {"rejected", "rows", PS_NUMBER}, {"result", "", PS_WORDS}, {"name", "", PS_WORDS}};
    const char *end = lines.ptr + lines.len, *next;
    int n = 0;

    ps_output_table(out, "runs", columns, sizeof columns / sizeof *columns);
    for (const char *at = lines.ptr; at < end; at = next + 1) {
        PS_AUTO(ps_json_free) cJSON *run = NULL;

        next = memchr(at, '\n', (size_t)(end - at));
        next = next ? next : end;
        run = cJSON_ParseWithLength(at, (size_t)(next - at));
        if (!run)
            continue;
        ps_output_word(out, ps_member_text(run, "id"));
        ps_output_word(out, ps_member_text(run, "kind"));
        ps_output_value(out, ps_member_number(run, "rows"), "");
        ps_output_value(out, ps_member_number(run, "rejected"), "");
        ps_output_word(out, cJSON_IsTrue(ps_member(run, "already")) ? "was on the shelf" : "added");
        ps_output_name(out, ps_member_text(run, "name"));
        ps_output_row_end(out);
        n++;
    }
    ps_output_table_end(out, n);
}

static size_t count_lines(struct ps_str text)
{
    size_t n = text.len && text.ptr[text.len - 1] != '\n';

    for (size_t i = 0; i < text.len; i++)
        n += text.ptr[i] == '\n';
    return n;
}

/* The last lines of the messages and of the program's output. */
static void write_log(struct ps_output *out, struct ps_str log)
{
    static const struct ps_output_column columns[] = {{"line", "", PS_WORDS}};
    const size_t n = count_lines(log);
    size_t skipped = n > out->max_rows ? n - out->max_rows : 0, line = 0;

    ps_output_table(out, "end of the output", columns, 1);
    while (log.len) {
        const char *end = memchr(log.ptr, '\n', log.len);
        const size_t len = end ? (size_t)(end - log.ptr) : log.len;

        if (line++ >= skipped) {
            ps_output_line(out, (struct ps_str){log.ptr, len});
            ps_output_row_end(out);
        }
        log = ps_str_skip(log, len + (end != NULL));
    }
    ps_output_table_end(out, (double)n);
}

static enum ps_status write_answer(struct ps_tool_call *call, const char *tool,
                                   const struct ps_agent_outcome *outcome, struct ps_err *err)
{
    const struct ps_str runs = ps_buf_slice(&outcome->output);
    const bool has_failed = (outcome->status != 0 || outcome->is_stopped) && !runs.len;

    ps_output_begin(call->out, tool);
    ps_output_link(call->out, "#/");
    if (outcome->is_stopped)
        ps_output_text(call->out, "It was stopped: it took longer than timeout_s.");
    else
        ps_output_fact(call->out, "exit status", "%d", outcome->status);
    if (runs.len)
        write_runs(call->out, runs);
    else
        ps_output_text(call->out, "No run was added.");
    if (outcome->is_output_cut)
        ps_output_text(call->out, "More runs were added than are counted here; list_runs lists "
                                  "them.");
    if (outcome->log.len)
        write_log(call->out, ps_buf_slice(&outcome->log));
    if (outcome->is_log_cut)
        ps_output_text(call->out, "The beginning of the output was not kept.");
    call->explains_failure = has_failed;
    if (!has_failed)
        return PS_OK;
    if (outcome->is_stopped)
        return ps_fail(err, PS_TOO_SLOW, "%s took longer than timeout_s and added no run", tool);
    return ps_fail(err, PS_BAD_REQUEST, "%s exited with status %d and added no run", tool,
                   outcome->status);
}

static enum ps_status run(struct ps_tool_call *call, const char *tool, struct command *command,
                          struct ps_err *err)
{
    struct ps_agent_outcome outcome = {0};
    const double timeout_s = ps_arg_number(call, "timeout_s", TIMEOUT_S);

    if (timeout_s > TIMEOUT_S_MAX)
        return ps_fail(err, PS_BAD_REQUEST, "the argument timeout_s is larger than %d",
                       TIMEOUT_S_MAX);
    if (call->agent->run(call->agent->run_user,
                         &(struct ps_agent_command){ps_words_end(&command->words),
                                                    ps_arg_text(call, "folder"),
                                                    (int64_t)timeout_s * 1000},
                         &outcome, err) == PS_OK)
        write_answer(call, tool, &outcome, err);
    ps_buf_free(&outcome.output);
    ps_buf_free(&outcome.log);
    return err->code;
}

/* --- Tools --- */

enum ps_status ps_tool_add(struct ps_tool_call *call, struct ps_err *err)
{
    PS_AUTO(command_free) struct command command = {0};
    const cJSON *files = ps_member(call->arguments, "files"), *file;

    if (cJSON_GetArraySize(files) == 0)
        return ps_fail(err, PS_BAD_REQUEST, "the argument files is empty");
    cJSON_ArrayForEach(file, files)
    {
        if (strcmp(file->valuestring, "-") == 0) /* it has no standard input of its own */
            return ps_fail(err, PS_BAD_REQUEST, "the file - is not possible: name a file");
    }
    add_word(&command, "add");
    add_word(&command, "--json");
    if (cJSON_IsTrue(ps_member(call->arguments, "merge")))
        add_word(&command, "--merge");
    add_labels(&command, call);
    add_word(&command, "--");
    add_texts(&command, files);
    return run(call, "add", &command, err);
}

enum ps_status ps_tool_record(struct ps_tool_call *call, struct ps_err *err)
{
    PS_AUTO(command_free) struct command command = {0};
    const cJSON *words = ps_member(call->arguments, "command");
    const double repeat = ps_arg_number(call, "repeat", 1);

    if (cJSON_GetArraySize(words) == 0)
        return ps_fail(err, PS_BAD_REQUEST, "the argument command is empty");
    add_word(&command, "record");
    add_word(&command, "--json");
    add_labels(&command, call);
    if (repeat > 1)
        add_word(&command, ps_arena_printf(&command.arena, "--repeat=%.0f", repeat));
    add_word(&command, ps_arg_text(call, "recorder"));
    add_word(&command, "--");
    add_texts(&command, words);
    return run(call, "record", &command, err);
}
