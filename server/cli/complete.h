/* SPDX-License-Identifier: MIT */
/*
 * complete.h: candidates for the completion of a command line. The completion scripts of the shells
 * (packaging/completions/) call `perfshelf --complete WORD...`, with the words behind "perfshelf"
 * up to the cursor; the last word is completed and may be empty.
 *
 * Each line of the answer is "WORD\tDESCRIPTION". The line ":files" or ":folders" asks the shell to
 * complete paths. Failures print nothing, because a person is typing.
 */
#ifndef PS_CLI_COMPLETE_H
#define PS_CLI_COMPLETE_H

#define PS_COMPLETE_VERB "--complete"

/* Prints the candidates for argv[2] to argv[argc - 1]. Returns the exit status. */
int ps_cli_complete(int argc, char **argv);

#endif
