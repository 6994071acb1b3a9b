/* A whole module as PTX that parses back to an equal one. All functions are declared first, in their order, then the
 * variables, then the bodies, so that indices come out the same. A function's frame is written as one variable,
 * `$$frame`, and one variable for each place that a call binds; `.pragma "lockstep.at N"` says where in the frame the
 * variable behind it lies. */
#include "isa/disasm.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

static unsigned element_bytes(enum isa_type type)
{
    return (isa_type_bits(type) + 7) / 8;
}

static void print_dimension(uint64_t bytes, enum isa_type type, struct strbuf *out)
{
    if (bytes != element_bytes(type))
        strbuf_addf(out, "[%" PRIu64 "]", bytes / element_bytes(type));
}

static void print_param(const struct isa_param *param, struct strbuf *out)
{
    strbuf_addf(out, ".param .align %u .%s", param->align, isa_type_info(param->type)->text);
    if (param->name)
        strbuf_addf(out, " %s", param->name);
    print_dimension(param->bytes, param->type, out);
}

static void print_params(const struct isa_param *params, uint32_t count, struct strbuf *out)
{
    strbuf_add(out, "(");
    for (uint32_t i = 0; i < count; i++) {
        strbuf_add(out, i ? ",\n    " : "");
        print_param(&params[i], out);
    }
    strbuf_add(out, ")");
}

static void print_threads(const char *directive, const uint32_t counts[3], struct strbuf *out)
{
    if (counts[0] || counts[1] || counts[2])
        strbuf_addf(out, "\n%s %u, %u, %u", directive, counts[0], counts[1], counts[2]);
}

static void print_signature(const struct isa_function *function, struct strbuf *out)
{
    strbuf_add(out, function->is_kernel    ? ".visible .entry "
                    : function->is_defined ? ".visible .func "
                                           : ".extern .func ");
    if (function->result_count) {
        print_params(function->results, function->result_count, out);
        strbuf_add(out, " ");
    }
    strbuf_add(out, function->name);
    print_params(function->params, function->param_count, out);
    print_threads(".maxntid", function->max_threads, out);
    print_threads(".reqntid", function->required_threads, out);
    print_threads(".reqnctapercluster", function->cluster, out);
    if (function->explicit_cluster)
        strbuf_add(out, " .explicitcluster");
    if (function->max_cluster)
        strbuf_addf(out, " .maxclusterrank %u", function->max_cluster);
    if (function->min_blocks)
        strbuf_addf(out, "\n.minnctapersm %u", function->min_blocks);
    if (function->max_registers)
        strbuf_addf(out, "\n.maxnreg %u", function->max_registers);
}

static void print_reloc(const struct isa_module *module, const struct isa_reloc *reloc, unsigned whole,
                        struct strbuf *out)
{
    const char *name =
        reloc->is_function ? module->functions[reloc->symbol].name : module->variables[reloc->symbol].name;
    bool is_masked = reloc->shift || reloc->bytes != whole;
    if (is_masked)
        strbuf_addf(out, "0x%" PRIX64 "(", mask_low(8 * reloc->bytes) << reloc->shift);
    strbuf_addf(out, reloc->generic ? "generic(%s)" : "%s", name);
    if (reloc->addend < 0)
        strbuf_addf(out, "-%" PRIu64, -(uint64_t)reloc->addend);
    else if (reloc->addend)
        strbuf_addf(out, "+%" PRId64, reloc->addend);
    if (is_masked)
        strbuf_add(out, ")");
}

static void print_init(const struct isa_module *module, const struct isa_variable *variable, struct strbuf *out)
{
    unsigned size = element_bytes(variable->type), whole = size < 8 ? size : 8;
    uint32_t reloc = 0;
    strbuf_add(out, " = {");
    for (uint64_t at = 0; at + size <= variable->init_bytes; at += size) {
        strbuf_add(out, at == 0 ? "" : at % (16 * size) ? ", " : ",\n    ");
        if (reloc < variable->reloc_count && variable->relocs[reloc].offset == at) {
            print_reloc(module, &variable->relocs[reloc++], whole, out);
            continue;
        }
        uint64_t bits = 0;
        memcpy(&bits, variable->init + at, whole);
        isa_disasm_constant(bits, variable->type, out);
    }
    strbuf_add(out, "}");
}

static void print_variable(const struct isa_module *module, const struct isa_variable *variable, struct strbuf *out)
{
    strbuf_addf(out, "%s.%s .align %u .%s %s", variable->is_extern || variable->is_extern_shared ? ".extern " : "",
                isa_mod_text(ISA_FIELD_SPACE, variable->space), variable->align, isa_type_info(variable->type)->text,
                variable->name);
    if (variable->is_extern_shared)
        strbuf_add(out, "[]");
    else
        print_dimension(variable->bytes, variable->type, out);
    if (variable->init)
        print_init(module, variable, out);
    strbuf_add(out, ";\n");
}

static void print_registers(const struct isa_function *function, struct strbuf *out)
{
    unsigned column = 0;
    for (uint32_t i = 0; i < function->reg_count; i++) {
        bool begins = i == 0 || function->regs[i].type != function->regs[i - 1].type || column == 12;
        if (begins)
            strbuf_addf(out, "%s    .reg .%s %s", i ? ";\n" : "", isa_type_info(function->regs[i].type)->text,
                        function->regs[i].name);
        else
            strbuf_addf(out, ", %s", function->regs[i].name);
        column = begins ? 1 : column + 1;
    }
    strbuf_add(out, function->reg_count ? ";\n" : "");
}

static int compare_slots(const void *a, const void *b)
{
    const struct isa_call_slot *x = a, *y = b;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

static size_t count_slots(const struct isa_module *module, const struct isa_function *function)
{
    size_t count = 0;
    for (uint32_t pc = function->first; pc < function->first + function->count; pc++) {
        const struct isa_call *call = module->instrs[pc].call;
        count += call ? call->result_count + call->arg_count : 0;
    }
    return count;
}

static void print_slots(const struct isa_module *module, const struct isa_function *function, struct strbuf *out)
{
    size_t count = count_slots(module, function), n = 0;
    if (!count)
        return;
    struct isa_call_slot *slots = base_malloc(count * sizeof *slots);
    for (uint32_t pc = function->first; pc < function->first + function->count; pc++) {
        const struct isa_call *call = module->instrs[pc].call;
        for (uint32_t i = 0; call && i < call->result_count; i++)
            slots[n++] = call->results[i];
        for (uint32_t i = 0; call && i < call->arg_count; i++)
            slots[n++] = call->args[i];
    }
    qsort(slots, count, sizeof *slots, compare_slots);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || compare_slots(&slots[i - 1], &slots[i]) != 0)
            strbuf_addf(out, "    .pragma \"lockstep.at %u\";\n    .param .align 1 .b8 $$call_%u_%u[%u];\n",
                        slots[i].offset, slots[i].offset, slots[i].bytes, slots[i].bytes);
    free(slots);
}

static void print_frame(const struct isa_module *module, const struct isa_function *function, struct strbuf *out)
{
    if (function->local_bytes)
        strbuf_addf(out, "    .pragma \"lockstep.at 0\";\n    .local .align 16 .b8 $$frame[%u];\n",
                    function->local_bytes);
    print_slots(module, function, out);
}

/* A byte for each instruction of the function: something jumps there. */
static uint8_t *find_labels(const struct isa_module *module, const struct isa_function *function)
{
    uint8_t *is_target = base_calloc(function->count + 1, 1);
    for (uint32_t pc = function->first; pc < function->first + function->count; pc++) {
        const struct isa_instr *instr = &module->instrs[pc];
        if (instr->target != ISA_PC_NONE)
            is_target[instr->target - function->first] = 1;
        for (uint32_t i = 0; i < instr->target_count; i++)
            is_target[instr->targets[i] - function->first] = 1;
    }
    return is_target;
}

static void print_targets(const struct isa_function *function, const struct isa_instr *instr, uint32_t index,
                          struct strbuf *out)
{
    strbuf_addf(out, "    $$T%u: .branchtargets ", index);
    for (uint32_t i = 0; i < instr->target_count; i++)
        strbuf_addf(out, "%s$$L%u", i ? ", " : "", instr->targets[i] - function->first);
    strbuf_add(out, ";\n");
}

/* `.loc` for a line, behind those for the calls that it is inlined in, from outside: so the chain has one reading. */
static void print_loc(const struct isa_module *module, uint32_t file, uint32_t line, uint32_t inlined,
                      struct strbuf *out)
{
    const struct isa_inlined *call = inlined ? &module->inlined[inlined] : NULL;
    if (call)
        print_loc(module, call->file, call->line, call->outer, out);
    strbuf_addf(out, "    .loc %u %u 0", file, line);
    if (call && call->function)
        strbuf_addf(out, ", function_name $$name%u", inlined);
    if (call)
        strbuf_addf(out, ", inlined_at %u %u 0", call->file, call->line);
    strbuf_add(out, "\n");
}

/* The names that print_loc refers to. */
static void print_inlined_names(const struct isa_module *module, struct strbuf *out)
{
    uint32_t names = 0;
    for (uint32_t i = 1; i < module->inlined_count; i++) {
        const char *name = module->inlined[i].function;
        if (!name)
            continue;
        strbuf_addf(out, "%s$$name%u:\n    .b8 ", names++ ? "" : ".section .debug_str\n{\n", i);
        for (; *name; name++)
            strbuf_addf(out, "%u,", (unsigned char)*name);
        strbuf_add(out, "0\n");
    }
    if (names)
        strbuf_add(out, "}\n");
}

static void print_body(const struct isa_module *module, const struct isa_function *function, struct strbuf *out)
{
    uint8_t *is_target = find_labels(module, function);
    uint32_t file = 0, line = 0, inlined = 0;
    strbuf_add(out, "\n{\n");
    print_registers(function, out);
    print_frame(module, function, out);
    for (uint32_t i = 0; i < function->count; i++) {
        const struct isa_instr *instr = &module->instrs[function->first + i];
        if (is_target[i])
            strbuf_addf(out, "$$L%u:\n", i);
        if (instr->source_file != file || instr->source_line != line || instr->inlined != inlined)
            print_loc(module, file = instr->source_file, line = instr->source_line, inlined = instr->inlined, out);
        if (instr->spin & ISA_SPIN_MARK)
            strbuf_add(out, "    .pragma \"lockstep.spin\";\n");
        if (instr->op == ISA_OP_BRX)
            print_targets(function, instr, i, out);
        strbuf_add(out, "    ");
        isa_disasm_instr(module, function, instr, out);
        strbuf_add(out, "\n");
    }
    strbuf_add(out, "}\n");
    free(is_target);
}

struct place {
    uint32_t first, function;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return x->function < y->function ? -1 : x->function > y->function;
}

/* Bodies in the order of their instructions, which need not be that of the declarations. */
static void print_bodies(const struct isa_module *module, struct strbuf *out)
{
    struct place *places = base_malloc((module->function_count + 1) * sizeof *places);
    uint32_t count = 0;
    for (uint32_t f = 0; f < module->function_count; f++)
        if (module->functions[f].is_defined)
            places[count++] = (struct place){module->functions[f].first, f};
    if (count)
        qsort(places, count, sizeof *places, compare_places);
    for (uint32_t i = 0; i < count; i++) {
        strbuf_add(out, "\n");
        print_signature(&module->functions[places[i].function], out);
        print_body(module, &module->functions[places[i].function], out);
    }
    free(places);
}

void isa_disasm_module(const struct isa_module *module, struct strbuf *out)
{
    strbuf_addf(out, ".version %u.%u\n", module->version_major, module->version_minor);
    if (module->target_sm)
        strbuf_addf(out, ".target sm_%u\n", module->target_sm);
    strbuf_add(out, ".address_size 64\n\n");
    for (uint32_t i = 1; i < module->file_count; i++)
        if (module->files[i])
            strbuf_addf(out, ".file %u \"%s\"\n", i, module->files[i]);
    for (uint32_t f = 0; f < module->function_count; f++) {
        print_signature(&module->functions[f], out);
        strbuf_add(out, ";\n");
    }
    for (uint32_t v = 0; v < module->variable_count; v++)
        print_variable(module, &module->variables[v], out);
    print_bodies(module, out);
    print_inlined_names(module, out);
}
