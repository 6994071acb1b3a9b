/* Inside `lockstep cc`: what a word of its command line means for clang and the linker (cc_words.c). */
#ifndef LOCKSTEP_CLI_CC_WORDS_H
#define LOCKSTEP_CLI_CC_WORDS_H

#include "cli/cc.h"

/* Sets the architecture, by a name as sm_75. Returns 0, or -1 with a diagnostic. */
int cc_set_arch(struct cc_options *options, const char *name, struct arena *arena, struct diag_sink *diags);
/* As that, for the value of -gencode, `arch=compute_75,code=sm_75`: of several the highest counts. */
int cc_set_gencode(struct cc_options *options, const char *value, struct arena *arena, struct diag_sink *diags);
void cc_push_pair(struct cc_args *args, const char *option, const char *value);
/* A library to link with, by its name without `lib`. */
void cc_add_library(struct cc_options *options, const char *name, struct arena *arena);
/* True when the word is an option that goes on to clang or the linker as it is. */
bool cc_pass_on(struct cc_options *options, const char *arg, struct arena *arena);
/* As that, for an option with its value behind it: then *i is the value's. */
bool cc_pass_pair(struct cc_options *options, int argc, char **argv, int *i, struct arena *arena);
/* The words of -Xcompiler, by commas and blanks: also those that concern device code, or the linker. */
void cc_add_host_words(struct cc_options *options, const char *list, struct arena *arena);
/* True when the words are nvcc's kinds of -Werror. Only those that clang warns of change anything. */
bool cc_take_kind_of_error(struct cc_options *options, const char *list);

#endif
