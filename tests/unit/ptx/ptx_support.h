/* What the tests of the PTX room share: loading texts and files, and comparing modules. */
#ifndef LOCKSTEP_TESTS_PTX_SUPPORT_H
#define LOCKSTEP_TESTS_PTX_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ptx/ptx.h"

static inline char *support_read(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("cannot open %s", path);
    fseek(file, 0, SEEK_END);
    *length = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*length + 1);
    if (fread(text, 1, *length, file) != *length)
        fail_msg("cannot read %s", path);
    text[*length] = 0;
    fclose(file);
    return text;
}

/* Loads a text that must be right; fails the test with the diagnostics otherwise. */
static inline struct isa_module *support_load(const char *name, const char *text)
{
    struct diag_sink sink;
    diag_init(&sink);
    struct isa_module *module = ptx_load(name, text, strlen(text), NULL, &sink);
    if (!module) {
        struct strbuf out = {0};
        diag_format_all(&sink, &out);
        fail_msg("%s", strbuf_text(&out));
    }
    diag_free(&sink);
    return module;
}

#define SUPPORT_HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"

/* A kernel `k(.u64 p, .u32 n)` with registers of all widths around the statements. */
static inline char *support_kernel(const char *statements)
{
    static const char head[] = SUPPORT_HEAD
        ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n"
        ".reg .pred %p<5>; .reg .b16 %h<5>; .reg .b32 %r<9>; .reg .f32 %f<5>; .reg .b64 %rd<9>; .reg .f64 %d<5>;\n";
    char *text = malloc(sizeof head + strlen(statements) + 8);
    sprintf(text, "%s%s\n}\n", head, statements);
    return text;
}

static inline struct isa_module *support_load_kernel(const char *statements)
{
    char *text = support_kernel(statements);
    struct isa_module *module = support_load("kernel.ptx", text);
    free(text);
    return module;
}

/* Loads a text that must be refused; the formatted diagnostics, which the caller frees. */
static inline char *support_refuse(const char *text, size_t length)
{
    struct diag_sink sink;
    diag_init(&sink);
    struct isa_module *module = ptx_load("bad.ptx", text, length, NULL, &sink);
    struct strbuf out = {0};
    diag_format_all(&sink, &out);
    if (module)
        fail_msg("accepted: %s", text);
    char *copy = strdup(strbuf_text(&out));
    strbuf_free(&out);
    diag_free(&sink);
    return copy;
}

static inline char *support_refuse_kernel(const char *statements)
{
    char *text = support_kernel(statements);
    char *out = support_refuse(text, strlen(text));
    free(text);
    return out;
}

#define SUPPORT_SAME(field)                                                                                            \
    do {                                                                                                               \
        if (a->field != b->field)                                                                                      \
            fail_msg("%s: %s differs: %lld, %lld", where, #field, (long long)a->field, (long long)b->field);           \
    } while (0)

static inline void support_same_text(const char *where, const char *what, const char *a, const char *b)
{
    if ((!a) != (!b) || (a && strcmp(a, b)))
        fail_msg("%s: %s differs: %s, %s", where, what, a ? a : "(none)", b ? b : "(none)");
}

static inline void support_same_operand(const char *where, const struct isa_operand *a, const struct isa_operand *b)
{
    SUPPORT_SAME(kind);
    SUPPORT_SAME(bits);
    SUPPORT_SAME(negate);
    SUPPORT_SAME(reg);
    SUPPORT_SAME(row);
    SUPPORT_SAME(value);
}

static inline void support_same_slots(const char *where, const struct isa_call_slot *a, const struct isa_call_slot *b,
                                      uint32_t count)
{
    for (; count; count--, a++, b++) {
        SUPPORT_SAME(offset);
        SUPPORT_SAME(bytes);
    }
}

static inline void support_same_call(const char *where, const struct isa_call *a, const struct isa_call *b)
{
    SUPPORT_SAME(callee);
    SUPPORT_SAME(result_count);
    SUPPORT_SAME(arg_count);
    support_same_operand(where, &a->target, &b->target);
    support_same_slots(where, a->results, b->results, a->result_count);
    support_same_slots(where, a->args, b->args, a->arg_count);
}

/* Chains of inlined calls, wherever they stand in the modules' arrays. */
static inline void support_same_inlined(const char *where, const struct isa_module *m, uint32_t i,
                                        const struct isa_module *n, uint32_t k)
{
    for (; i && k; i = m->inlined[i].outer, k = n->inlined[k].outer) {
        const struct isa_inlined *a = &m->inlined[i], *b = &n->inlined[k];
        support_same_text(where, "inlined function", a->function, b->function);
        SUPPORT_SAME(file);
        SUPPORT_SAME(line);
    }
    if (i || k)
        fail_msg("%s: only one is inlined", where);
}

static inline void support_same_instr(const char *where, const struct isa_instr *a, const struct isa_instr *b)
{
    SUPPORT_SAME(op);
    SUPPORT_SAME(type);
    SUPPORT_SAME(stype);
    if (memcmp(&a->mods, &b->mods, sizeof a->mods))
        fail_msg("%s: modifiers differ", where);
    SUPPORT_SAME(unit);
    SUPPORT_SAME(latency);
    SUPPORT_SAME(dst_count);
    SUPPORT_SAME(src_count);
    SUPPORT_SAME(guarded);
    SUPPORT_SAME(guard_negate);
    SUPPORT_SAME(guard);
    SUPPORT_SAME(guard_reg);
    SUPPORT_SAME(target);
    SUPPORT_SAME(reconverge);
    SUPPORT_SAME(target_count);
    SUPPORT_SAME(read_count);
    SUPPORT_SAME(write_count);
    SUPPORT_SAME(source_file);
    SUPPORT_SAME(source_line);
    support_same_text(where, "text", a->text, b->text);
    for (unsigned i = 0; i < a->dst_count; i++)
        support_same_operand(where, &a->dst[i], &b->dst[i]);
    for (unsigned i = 0; i < a->src_count; i++)
        support_same_operand(where, &a->src[i], &b->src[i]);
    for (unsigned i = 0; i < a->target_count; i++)
        SUPPORT_SAME(targets[i]);
    for (unsigned i = 0; i < a->read_count; i++)
        SUPPORT_SAME(reads[i]);
    for (unsigned i = 0; i < a->write_count; i++)
        SUPPORT_SAME(writes[i]);
    if (!a->call != !b->call)
        fail_msg("%s: only one is a call", where);
    if (a->call)
        support_same_call(where, a->call, b->call);
}

static inline void support_same_params(const char *where, const struct isa_param *a, const struct isa_param *b,
                                       uint32_t count)
{
    for (; count; count--, a++, b++) {
        support_same_text(where, "parameter name", a->name, b->name);
        SUPPORT_SAME(type);
        SUPPORT_SAME(offset);
        SUPPORT_SAME(bytes);
        SUPPORT_SAME(align);
    }
}

static inline void support_same_regs(const char *where, const struct isa_reg *a, const struct isa_reg *b,
                                     uint32_t count)
{
    for (; count; count--, a++, b++) {
        support_same_text(where, "register name", a->name, b->name);
        SUPPORT_SAME(type);
        SUPPORT_SAME(number);
        SUPPORT_SAME(bank_id);
        SUPPORT_SAME(row);
    }
}

static inline void support_same_function(const char *where, const struct isa_function *a, const struct isa_function *b)
{
    support_same_text(where, "function name", a->name, b->name);
    SUPPORT_SAME(is_kernel);
    SUPPORT_SAME(is_defined);
    SUPPORT_SAME(intrinsic);
    SUPPORT_SAME(first);
    SUPPORT_SAME(count);
    SUPPORT_SAME(reg_count);
    SUPPORT_SAME(row_count);
    SUPPORT_SAME(pred_count);
    SUPPORT_SAME(number_count);
    SUPPORT_SAME(param_count);
    SUPPORT_SAME(result_count);
    SUPPORT_SAME(param_bytes);
    SUPPORT_SAME(local_bytes);
    SUPPORT_SAME(shared_bytes);
    SUPPORT_SAME(shared_align);
    SUPPORT_SAME(registers);
    SUPPORT_SAME(min_blocks);
    SUPPORT_SAME(max_registers);
    SUPPORT_SAME(outside);
    for (unsigned i = 0; i < 3; i++) {
        SUPPORT_SAME(max_threads[i]);
        SUPPORT_SAME(required_threads[i]);
    }
    support_same_regs(where, a->regs, b->regs, a->reg_count);
    support_same_params(where, a->params, b->params, a->param_count);
    support_same_params(where, a->results, b->results, a->result_count);
}

static inline void support_same_variable(const char *where, const struct isa_variable *a, const struct isa_variable *b)
{
    support_same_text(where, "variable name", a->name, b->name);
    SUPPORT_SAME(space);
    SUPPORT_SAME(type);
    SUPPORT_SAME(align);
    SUPPORT_SAME(bytes);
    SUPPORT_SAME(is_extern);
    SUPPORT_SAME(is_extern_shared);
    SUPPORT_SAME(init_bytes);
    SUPPORT_SAME(reloc_count);
    SUPPORT_SAME(address);
    if (a->init_bytes && memcmp(a->init, b->init, a->init_bytes))
        fail_msg("%s: initialisers differ", where);
    for (uint32_t i = 0; i < a->reloc_count; i++) {
        SUPPORT_SAME(relocs[i].offset);
        SUPPORT_SAME(relocs[i].bytes);
        SUPPORT_SAME(relocs[i].shift);
        SUPPORT_SAME(relocs[i].is_function);
        SUPPORT_SAME(relocs[i].symbol);
        SUPPORT_SAME(relocs[i].addend);
        SUPPORT_SAME(relocs[i].generic);
    }
}

/* Everything but names of files of the text itself and positions in it. */
static inline void support_same_module(const struct isa_module *a, const struct isa_module *b)
{
    char where[400];
    snprintf(where, sizeof where, "%s", a->name);
    SUPPORT_SAME(version_major);
    SUPPORT_SAME(version_minor);
    SUPPORT_SAME(target_sm);
    SUPPORT_SAME(instr_count);
    SUPPORT_SAME(function_count);
    SUPPORT_SAME(variable_count);
    SUPPORT_SAME(file_count);
    for (uint32_t i = 0; i < a->file_count; i++)
        support_same_text(where, "file", a->files[i], b->files[i]);
    for (uint32_t i = 0; i < a->variable_count; i++)
        support_same_variable(where, &a->variables[i], &b->variables[i]);
    for (uint32_t i = 0; i < a->function_count; i++)
        support_same_function(where, &a->functions[i], &b->functions[i]);
    for (uint32_t i = 0; i < a->instr_count; i++) {
        snprintf(where, sizeof where, "%.300s:%u:%u", a->name, a->instrs[i].line, a->instrs[i].column);
        support_same_instr(where, &a->instrs[i], &b->instrs[i]);
        support_same_inlined(where, a, a->instrs[i].inlined, b, b->instrs[i].inlined);
    }
}

#endif
