/* Completions for bash, zsh and fish: commands, their options with what these mean, and the values that have names. All
 * of it comes from the tables of commands and options, from the help, and from the lists of what the simulator knows.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/describe.h"
#include "cli/help.h"
#include "cli/process.h"
#include "core/sched/sched.h"
#include "fetch/policy.h"
#include "memory/coherence/protocol.h"
#include "report/figures.h"

#define MADE "# Written by `lockstep docs --completion` from the tables in src/cli: edit those.\n"

/* Lists of names, each with spaces between them. */
struct names {
    struct strbuf machines, parameters, parameter_groups, schedulers, protocols, fetch, models, checks, as, modes;
    struct strbuf statistics, statistic_groups, studies, commands;
};

struct described {
    const char *word;    /* with its dashes */
    const char *value;   /* what the help calls its value, NULL when it takes none */
    const char *meaning; /* the first words of it */
    const char *choices; /* with spaces between them, or NULL */
    bool repeated;
};

struct describing {
    const struct cli_command *command;
    const struct names *names;
    struct help help, run; /* of the command; of run, which others refer to */
    VEC(struct described) options;
    struct arena arena;
};

/* Names */

static void add_name(struct strbuf *list, const char *name)
{
    strbuf_addf(list, "%s%s", list->length ? " " : "", name);
}

static int add_parameters(struct names *names, struct diag_sink *sink)
{
    struct machine machine;
    struct arena arena = {0};
    for (const char *const *name = machine_names(&arena); *name; name++)
        add_name(&names->machines, *name);
    arena_free(&arena);
    if (machine_load(&machine, CLI_DEFAULT_MACHINE, sink) < 0)
        return -1;
    for (unsigned i = 0; i < MACHINE_GROUPS; i++) {
        const struct param_group *group = &machine.groups[i];
        add_name(&names->parameter_groups, group->name);
        for (unsigned k = 0; k < group->count; k++)
            strbuf_addf(&names->parameters, "%s%s.%s=", names->parameters.length ? " " : "", group->name,
                        group->params[k].name);
    }
    machine_free(&machine);
    return 0;
}

static void add_statistics(struct names *names)
{
    struct gpu_result result;
    unsigned count;
    gpu_result_blank(&result);
    const struct gpu_stat_set *sets = gpu_result_sets(&result, &count);
    for (unsigned i = 0; i < figures_doc_count; i++)
        add_name(&names->statistics, figures_docs[i].name);
    for (unsigned i = 0; i < count; i++) {
        add_name(&names->statistic_groups, sets[i].group->name);
        for (unsigned k = 0; k < sets[i].group->count; k++)
            strbuf_addf(&names->statistics, " %s.%s", sets[i].group->name, sets[i].group->stats[k].name);
    }
    gpu_result_free(&result);
}

static void add_studies(struct names *names, struct diag_sink *sink)
{
    struct arena arena = {0};
    struct dirent **found = NULL;
    const char *home = process_home(&arena, sink);
    int count = home ? scandir(arena_printf(&arena, "%s/share/lockstep/studies", home), &found, NULL, alphasort) : -1;
    for (int i = 0; i < count; i++) {
        if (found[i]->d_name[0] != '.')
            add_name(&names->studies, found[i]->d_name);
        free(found[i]);
    }
    free(found);
    arena_free(&arena);
}

static int find_names(struct names *names, struct diag_sink *sink)
{
    *names = (struct names){0};
    for (const struct lockstep_scheduler *const *s = sched_list(); *s; s++)
        add_name(&names->schedulers, (*s)->name);
    for (const struct coherence_protocol *const *p = coherence_list(); *p; p++)
        add_name(&names->protocols, (*p)->name);
    for (const struct fetch_policy *const *f = fetch_policies(); *f; f++)
        add_name(&names->fetch, (*f)->name);
#define SIMT_MODEL(symbol) add_name(&names->models, #symbol);
#include "simt/models.def"
#undef SIMT_MODEL
#define GPU_CHECK(name, doc) add_name(&names->checks, #name);
#include "gpu/checks.def"
#undef GPU_CHECK
    for (const char *const *as = machine_as_names; *as; as++)
        add_name(&names->as, *as);
    strbuf_add(&names->modes, "timing functional");
    for (const struct cli_command *c = cli_commands; c->name; c++)
        if (c->summary)
            add_name(&names->commands, c->name);
    add_statistics(names);
    add_studies(names, sink);
    return add_parameters(names, sink);
}

static void free_names(struct names *names)
{
    struct strbuf *lists = (struct strbuf *)names;
    for (size_t i = 0; i < sizeof *names / sizeof *lists; i++)
        strbuf_free(&lists[i]);
}

/* The names that can be the value of an option, or NULL. */
static const char *choices_of(const struct names *names, const char *option)
{
    const struct {
        const char *option;
        const struct strbuf *list;
    } known[] = {
        {"machine", &names->machines},   {"set", &names->parameters}, {"sched", &names->schedulers},
        {"protocol", &names->protocols}, {"fetch", &names->fetch},    {"divergence", &names->models},
        {"check", &names->checks},       {"as", &names->as},          {"mode", &names->modes},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(option, known[i].option) == 0)
            return strbuf_text(known[i].list);
    return NULL;
}

/* The names that a command takes beside its options, or NULL: files. */
static const char *words_of(const struct names *names, const char *command)
{
    const struct {
        const char *command;
        const struct strbuf *list;
    } known[] = {
        {"machines", &names->machines},   {"params", &names->parameter_groups}, {"stats", &names->statistic_groups},
        {"protocols", &names->protocols}, {"check", &names->protocols},         {"study", &names->studies},
        {"explain", &names->statistics},  {"help", &names->commands},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(command, known[i].command) == 0)
            return strbuf_text(known[i].list);
    return NULL;
}

/* Options */

/* The meaning up to its first pause. */
static const char *first_words(struct arena *arena, const char *meaning)
{
    static const char *const pauses[] = {"; ", ". "};
    size_t length = strlen(meaning);
    for (size_t i = 0; i < sizeof pauses / sizeof *pauses; i++) {
        const char *at = strstr(meaning, pauses[i]);
        if (at && (size_t)(at - meaning) < length)
            length = (size_t)(at - meaning);
    }
    return arena_strndup(arena, meaning, length);
}

static void describe_option(struct describing *d, const char *name, const char *value, bool repeated)
{
    const struct help_part *part = help_find(&d->help, name);
    part = part ? part : help_find(&d->run, name);
    const struct described option = {name, value, first_words(&d->arena, part ? part->text : ""),
                                     value ? choices_of(d->names, name + strspn(name, "-")) : NULL, repeated};
    vec_push(&d->options, option);
}

/* The name that the help has for the value of an option. */
static const char *value_name(struct describing *d, const char *name)
{
    const struct help_part *part = help_find(&d->help, name);
    part = part ? part : help_find(&d->run, name);
    const char *at = part ? part->term : "", *word, *value;
    size_t length, value_length;
    while ((length = help_next_option(&at, &word, &value, &value_length)))
        if (value && strlen(name) == length && strncmp(word, name, length) == 0)
            return arena_strndup(&d->arena, value, value_length);
    return "VALUE";
}

/* The options that stand in the help alone: all of a command that reads its options itself, else those of one letter.
 */
static void describe_others(struct describing *d)
{
    for (size_t i = 0; i < d->help.parts.count; i++) {
        const struct help_part *part = &d->help.parts.items[i];
        const char *at = part->term, *word, *value;
        size_t length, value_length;
        while (part->kind == HELP_ENTRY && (length = help_next_option(&at, &word, &value, &value_length))) {
            bool wanted = d->command->accepted & CLI_OWN_OPTIONS ? !memchr(word, '.', length) : length == 2;
            const char *assigned = memchr(word, '=', length);
            if (wanted)
                describe_option(d, arena_strndup(&d->arena, word, assigned ? (size_t)(assigned - word) + 1 : length),
                                value && *value != '[' ? arena_strndup(&d->arena, value, value_length) : NULL, false);
        }
    }
}

static void describe(struct describing *d, const struct cli_command *command, const struct names *names)
{
    struct strbuf usage = {0}, of_run = {0};
    *d = (struct describing){.command = command, .names = names};
    cli_usage(command, &usage);
    cli_usage(cli_find_command("run"), &of_run);
    help_read(&d->help, strbuf_text(&usage));
    help_read(&d->run, strbuf_text(&of_run));
    strbuf_free(&usage);
    strbuf_free(&of_run);
    struct cli_option option;
    for (unsigned at = 0; !(command->accepted & CLI_OWN_OPTIONS) && cli_next_option(&at, command->accepted, &option);) {
        const char *name = arena_printf(&d->arena, "--%s", option.name);
        if (strcmp(name, "--help") != 0)
            describe_option(d, name, option.valued ? value_name(d, name) : NULL, option.repeated);
    }
    describe_others(d);
    describe_option(d, "--help", NULL, false);
}

static void describe_end(struct describing *d)
{
    help_free(&d->help);
    help_free(&d->run);
    vec_free(&d->options);
    arena_free(&d->arena);
}

/* Appends text for single quotes; characters that mean something else there, beside the quote, get a backslash. */
static void add_quoted(const char *text, const char *quote, const char *special, struct strbuf *out)
{
    for (; *text; text++) {
        if (*text == '\'')
            strbuf_add(out, quote);
        else
            strbuf_addf(out, "%s%c", strchr(special, *text) ? "\\" : "", *text);
    }
}

/* bash */

static void bash_list(const char *name, const struct describing *d, bool valued, struct strbuf *out)
{
    strbuf_addf(out, "        %s='", name);
    for (size_t i = 0; i < d->options.count; i++)
        if (!valued || d->options.items[i].value)
            strbuf_addf(out, "%s ", d->options.items[i].word);
    strbuf_add(out, "'\n");
}

static void bash_command(const struct describing *d, struct strbuf *out)
{
    const char *words = words_of(d->names, d->command->name);
    strbuf_addf(out, "    %s)\n", d->command->name);
    bash_list("options", d, false, out);
    bash_list("valued", d, true, out);
    if (words)
        strbuf_addf(out, "        words='%s'\n", words);
    if (d->command->accepted & CLI_TAKES_TARGET)
        strbuf_add(out, "        target=1\n");
    strbuf_add(out, "        ;;\n");
}

/* The names of values, by option: they mean the same for every command. */
static void bash_values(const struct names *names, struct strbuf *out)
{
    struct cli_option option;
    for (unsigned at = 0; cli_next_option(&at, ~0U, &option);) {
        const char *choices = option.valued ? choices_of(names, option.name) : NULL;
        if (choices)
            strbuf_addf(out, "        --%s) values='%s' ;;\n", option.name, choices);
    }
}

static const char bash_head[] = MADE "_lockstep()\n"
                                     "{\n"
                                     "    local cur=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} "
                                     "options= valued= words= values= target=0 i\n"
                                     "    COMPREPLY=()\n"
                                     "    [ \"$before\" != = ] || before=${COMP_WORDS[COMP_CWORD - 2]}\n"
                                     "    [ \"$cur\" != = ] || cur=\n"
                                     "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                                     "        COMPREPLY=($(compgen -W '%s help --help --version' -- \"$cur\"))\n"
                                     "        return\n"
                                     "    fi\n"
                                     "    case ${COMP_WORDS[1]} in\n"
                                     "    help) words='%s' ;;\n";

static const char bash_values_head[] = "    esac\n"
                                       "    # What follows a program's name is the program's own.\n"
                                       "    for ((i = target ? 2 : COMP_CWORD; i < COMP_CWORD; i++)); do\n"
                                       "        case ${COMP_WORDS[i]} in\n"
                                       "        -*)\n"
                                       "            [[ \" $valued \" = *\" ${COMP_WORDS[i]} \"* ]] || continue\n"
                                       "            [ \"${COMP_WORDS[i + 1]}\" != = ] || ((i++))\n"
                                       "            ((i++))\n"
                                       "            ;;\n"
                                       "        *.yaml | *.yml | *.json) ;;\n"
                                       "        *) return ;;\n"
                                       "        esac\n"
                                       "    done\n"
                                       "    if [[ \" $valued \" = *\" $before \"* ]]; then\n"
                                       "        case $before in\n";

static const char bash_tail[] = "        esac\n"
                                "        [ \"$before\" != --set ] || compopt -o nospace 2>/dev/null\n"
                                "        [ -z \"$values\" ] || COMPREPLY=($(compgen -P \"${cur%\"${cur##*,}\"}\" -W "
                                "\"$values\" -- \"${cur##*,}\"))\n"
                                "    elif [[ $cur = -* ]]; then\n"
                                "        COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
                                "    else\n"
                                "        COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
                                "    fi\n"
                                "}\n"
                                "complete -o default -F _lockstep lockstep\n";

static void bash(const struct names *names, struct strbuf *out)
{
    const char *commands = strbuf_text(&names->commands);
    strbuf_addf(out, bash_head, commands, commands);
    for (const struct cli_command *c = cli_commands; c->name; c++) {
        struct describing d;
        if (!c->summary)
            continue;
        describe(&d, c, names);
        bash_command(&d, out);
        describe_end(&d);
    }
    strbuf_add(out, bash_values_head);
    bash_values(names, out);
    strbuf_add(out, bash_tail);
}

/* zsh */

static void zsh_option(const struct described *option, struct strbuf *out)
{
    bool assigned = option->word[strlen(option->word) - 1] == '=', longer = strncmp(option->word, "--", 2) == 0;
    strbuf_addf(out, " \\\n            '%s%s%s[", option->repeated ? "*" : "", option->word,
                option->value && longer ? "="
                : assigned              ? "-"
                                        : "");
    add_quoted(option->meaning, "'\\''", "[]:\\", out);
    strbuf_add(out, "]");
    if (option->value) {
        strbuf_add(out, ":");
        add_quoted(option->value, "'\\''", "[]:\\", out);
        if (option->choices)
            strbuf_addf(out, ":_sequence compadd -S \"\" - %s", option->choices);
        else
            strbuf_add(out, ":_files");
    }
    strbuf_add(out, "'");
}

static void zsh_command(const struct describing *d, struct strbuf *out)
{
    const char *words = words_of(d->names, d->command->name);
    strbuf_addf(out, "    (%s)\n        _arguments -S :", d->command->name);
    for (size_t i = 0; i < d->options.count; i++)
        zsh_option(&d->options.items[i], out);
    if (words)
        strbuf_addf(out, " \\\n            '*:name:(%s)'\n        ;;\n", words);
    else
        strbuf_addf(out, " \\\n            '*:%s:_files'\n        ;;\n",
                    d->command->accepted & CLI_TAKES_TARGET ? "program" : "file");
}

static void zsh(const struct names *names, struct strbuf *out)
{
    strbuf_add(out, "#compdef lockstep\n" MADE "_lockstep() {\n    local -a commands\n    commands=(\n");
    for (const struct cli_command *c = cli_commands; c->name; c++)
        if (c->summary) {
            strbuf_addf(out, "        '%s:", c->name);
            add_quoted(c->summary, "'\\''", "", out);
            strbuf_add(out, "'\n");
        }
    strbuf_addf(out,
                "        'help:options of a command'\n    )\n"
                "    if (( CURRENT == 2 )); then\n        _describe command commands\n        return\n    fi\n"
                "    shift words\n    (( CURRENT-- ))\n    case $words[1] in\n    (help)\n"
                "        _arguments '1:command:(%s)'\n        ;;\n",
                strbuf_text(&names->commands));
    for (const struct cli_command *c = cli_commands; c->name; c++) {
        struct describing d;
        if (!c->summary)
            continue;
        describe(&d, c, names);
        zsh_command(&d, out);
        describe_end(&d);
    }
    strbuf_add(out, "    esac\n}\n_lockstep \"$@\"\n");
}

/* fish */

static void fish_text(const char *option, const char *text, struct strbuf *out)
{
    if (!*text)
        return;
    strbuf_addf(out, " %s '", option);
    add_quoted(text, "\\'", "\\", out);
    strbuf_add(out, "'");
}

static void fish_option(const struct described *option, const char *command, struct strbuf *out)
{
    const char *name = option->word + strspn(option->word, "-");
    bool longer = strncmp(option->word, "--", 2) == 0;
    strbuf_addf(out, "complete -c lockstep -n '__fish_seen_subcommand_from %s' -%c %.*s", command,
                longer              ? 'l'
                : strlen(name) == 1 ? 's'
                                    : 'o',
                (int)strcspn(name, "="), name);
    if (option->value)
        strbuf_add(out, option->choices ? " -x" : " -r -F");
    fish_text("-d", option->meaning, out);
    if (option->value && option->choices)
        fish_text("-a", option->choices, out);
    strbuf_add(out, "\n");
}

static void fish_command(const struct cli_command *command, const struct names *names, struct strbuf *out)
{
    struct describing d;
    const char *words = words_of(names, command->name);
    strbuf_addf(out, "complete -c lockstep -n __fish_use_subcommand -f -a %s", command->name);
    fish_text("-d", command->summary, out);
    strbuf_add(out, "\n");
    if (words)
        strbuf_addf(out, "complete -c lockstep -n '__fish_seen_subcommand_from %s' -f -a '%s'\n", command->name, words);
    describe(&d, command, names);
    for (size_t i = 0; i < d.options.count; i++)
        fish_option(&d.options.items[i], command->name, out);
    describe_end(&d);
}

static void fish(const struct names *names, struct strbuf *out)
{
    strbuf_addf(out,
                MADE "complete -c lockstep -n __fish_use_subcommand -f -a help -d 'options of a command'\n"
                     "complete -c lockstep -n '__fish_seen_subcommand_from help' -f -a '%s'\n",
                strbuf_text(&names->commands));
    for (const struct cli_command *c = cli_commands; c->name; c++)
        if (c->summary)
            fish_command(c, names, out);
}

static int write_completion(const char *folder, const char *name, const struct names *names,
                            void (*make)(const struct names *, struct strbuf *), struct diag_sink *sink)
{
    struct strbuf text = {0}, path = {0};
    strbuf_addf(&path, "%s/%s", folder, name);
    make(names, &text);
    int rc = file_write(path.text, strbuf_text(&text), text.length, sink);
    strbuf_free(&text);
    strbuf_free(&path);
    return rc;
}

int completion_write(const char *folder, struct diag_sink *sink)
{
    struct names names;
    int rc = find_names(&names, sink);
    if (rc == 0)
        rc = write_completion(folder, "lockstep", &names, bash, sink) |
             write_completion(folder, "_lockstep", &names, zsh, sink) |
             write_completion(folder, "lockstep.fish", &names, fish, sink);
    free_names(&names);
    return rc;
}
