/* `lockstep disasm`: a PTX file as it was understood: registers allocated, branches resolved. The whole file is printed
 * as PTX that can be read again; one kernel as a listing with instruction numbers and source lines. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "ptx/ptx.h"

const char cli_disasm_usage[] =
    "usage: lockstep disasm [--kernel NAME] FILE.ptx\n"
    "\n"
    "Prints the file as PTX that reads back to the same program; with --kernel one function, by its name\n"
    "in the source or in the PTX, each instruction with its number and the source position it came from.\n";

static void print_function(const struct isa_module *module, const struct isa_function *f, struct strbuf *out)
{
    struct strbuf plain = {0};
    isa_plain_name(f->name, &plain);
    bool mangled = strcmp(strbuf_text(&plain), f->name) != 0;
    strbuf_addf(out,
                "// %s %s%s%s%s: %" PRIu32 " instructions, %" PRIu32 " registers, %" PRIu32 " bytes shared, %" PRIu32
                " bytes local\n",
                f->is_kernel ? "kernel" : "function", strbuf_text(&plain), mangled ? " (" : "", mangled ? f->name : "",
                mangled ? ")" : "", f->count, f->registers, f->shared_bytes, f->local_bytes);
    strbuf_free(&plain);
    for (uint32_t pc = f->first; pc < f->first + f->count; pc++) {
        const struct isa_instr *instr = &module->instrs[pc];
        struct strbuf text = {0};
        isa_disasm_instr(module, f, instr, &text);
        strbuf_addf(out, "%5" PRIu32 "  %-52s // ", pc, strbuf_text(&text));
        if (instr->op == ISA_OP_BRA && instr->guarded && instr->reconverge == ISA_PC_NONE)
            strbuf_addf(out, "-> %" PRIu32 ", joins at exit; ", instr->target);
        else if (instr->op == ISA_OP_BRA && instr->guarded)
            strbuf_addf(out, "-> %" PRIu32 ", joins at %" PRIu32 "; ", instr->target, instr->reconverge);
        else if (instr->op == ISA_OP_BRA)
            strbuf_addf(out, "-> %" PRIu32 "; ", instr->target);
        isa_format_pos(module, instr, out);
        strbuf_add(out, "\n");
        strbuf_free(&text);
    }
}

static int print_named(const struct isa_module *module, const char *name, struct strbuf *out, struct diag_sink *sink)
{
    struct strbuf hint = {0};
    const struct isa_function *function = isa_find_named(module, name, false, &hint);
    if (function)
        print_function(module, function, out);
    else
        diag_error(sink, DIAG_NOWHERE, hint.length ? hint.text : NULL, "there is no function '%s'", name);
    strbuf_free(&hint);
    return function ? CLI_OK : CLI_USAGE;
}

static int disasm(const struct cli_options *options, struct diag_sink *sink)
{
    struct strbuf text = {0}, out = {0};
    int code = CLI_USAGE;
    const char *path = options->rest[0];
    if (cli_check_rest(options, "disasm", 1, sink) < 0)
        return CLI_USAGE;
    if (!path) {
        diag_error(sink, DIAG_NOWHERE, "lockstep disasm --help", "lockstep disasm needs a PTX file");
        return CLI_USAGE;
    }
    struct isa_module *module =
        cli_read_file(path, &text, sink) == 0 ? ptx_load(path, strbuf_text(&text), text.length, NULL, sink) : NULL;
    if (module) {
        code = CLI_OK;
        if (options->kernel)
            code = print_named(module, options->kernel, &out, sink);
        else
            isa_disasm_module(module, &out);
        isa_module_free(module);
    }
    cli_print(&out);
    strbuf_free(&text);
    return code;
}

int cli_disasm(int argc, char **argv)
{
    struct diag_sink sink;
    struct cli_options options;
    int code = CLI_USAGE;
    diag_init(&sink);
    if (cli_parse_options(&options, argc, argv, CLI_ACCEPTS_disasm, &sink) == 0) {
        if (options.help) {
            cli_printf("%s", cli_disasm_usage);
            code = CLI_OK;
        } else {
            code = disasm(&options, &sink);
        }
    }
    cli_free_options(&options);
    return cli_finish(&sink, code);
}
