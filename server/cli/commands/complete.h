/* SPDX-License-Identifier: MIT */
/*
 * complete.h: candidates for the completion of a command line. The completion scripts of the shells
 * are in packaging/completions/. Failures print nothing, because a person is typing.
 *
 * zsh and fish split and unquote the command line, and quote what they insert. They call
 * `perfshelf --complete WORD...` with the words behind "perfshelf" up to the cursor; the last word
 * is completed and may be empty. Each line of the answer is "WORD\tDESCRIPTION".
 *
 * bash does neither, so its script calls `perfshelf --complete-bash BREAKS LINE` with
 * $COMP_WORDBREAKS and the command line up to the cursor. Each line of the answer is what bash
 * inserts, quoted (bash_line.h).
 *
 * The lines "\tfiles" and "\tfolders" ask the shell to complete paths.
 */
#ifndef PS_CLI_COMPLETE_H
#define PS_CLI_COMPLETE_H

#define PS_COMPLETE_VERB      "--complete"
#define PS_COMPLETE_BASH_VERB "--complete-bash"
#define PS_COMPLETE_FILES     "\tfiles\n"
#define PS_COMPLETE_FOLDERS   "\tfolders\n"

/* Print the candidates for a command line with one of these verbs. Return the exit status. */
int ps_cli_complete(int argc, char **argv);
int ps_cli_complete_bash(int argc, char **argv);

#endif
