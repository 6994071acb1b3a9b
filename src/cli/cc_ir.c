/* Repairs what clang writes: the LLVM IR of device code, before it is optimized, and the assembly of host code that
 * goes with relocatable device code.
 *
 * A __device__ or __constant__ variable in an unnamed namespace, or of an unnamed type, has internal linkage. The host
 * can set it all the same (cudaMemcpyToSymbol), but clang 14 marks only `static` ones as known outside, so that the
 * optimizer takes the others for constants and removes them. They are given the linkage of the `static` ones here. */
#include <string.h>

#include "base/file.h"
#include "cli/cc.h"

/* Variables inside functions (_ZZ) have no names for the host; shared memory (address space 3) is the kernels' own, and
 * what is `constant` instead of `global` nobody sets. */
static const char *hidden_variable(const char *line, const char **space)
{
    const char *linkage = strstr(line, " = internal addrspace(");
    if (line[0] != '@' || !linkage || memchr(line, '"', (size_t)(linkage - line)) || strncmp(line, "@_ZZ", 4) == 0)
        return NULL;
    *space = linkage + strlen(" = internal ");
    bool device = strncmp(*space, "addrspace(1) global ", 20) == 0 || strncmp(*space, "addrspace(4) global ", 20) == 0;
    return device ? linkage : NULL;
}

bool cc_repair_ir_line(const char *line, struct strbuf *to)
{
    const char *space, *linkage = hidden_variable(line, &space);
    if (!linkage)
        return false;
    strbuf_addn(to, line, (size_t)(linkage - line));
    strbuf_addf(to, " = dso_local %.12s externally_initialized%s", space, space + 12);
    return true;
}

int cc_repair_ir(const char *path, struct diag_sink *diags)
{
    struct strbuf text = {0}, out = {0};
    int result = file_read(path, FILE_NO_BOUND, &text, diags);
    bool changed = false;
    for (char *line = text.text; result == 0 && line && *line;) {
        size_t n = strcspn(line, "\n");
        bool newline = line[n] == '\n';
        line[n] = '\0';
        bool repaired = cc_repair_ir_line(line, &out);
        if (!repaired)
            strbuf_add(&out, line);
        changed |= repaired;
        strbuf_add(&out, "\n");
        line += n + newline;
    }
    if (result == 0 && changed)
        result = file_write(path, strbuf_text(&out), out.length, diags);
    strbuf_free(&text);
    strbuf_free(&out);
    return result;
}

/* The length of clang's number, of hexadecimal digits and `_`, behind a name that another file may have too; else 0. */
static size_t added_number(const char *at)
{
    static const char *const marks[] = {"__static__", "__intern__"};
    for (unsigned i = 0; i < sizeof marks / sizeof *marks; i++)
        if (strncmp(at, marks[i], strlen(marks[i])) == 0) {
            const size_t n = strlen(marks[i]), digits = strspn(at + n, "0123456789abcdef_");
            return digits && at[n + digits] == '"' ? n + digits : 0;
        }
    return 0;
}

/* A symbol that no other file has, for cc_members.c: weak, since a file may be linked twice. */
static void define_member(const struct strbuf *number, struct strbuf *out)
{
    strbuf_addf(out, "\t.weak\t" CC_MEMBER "%s\n\t.section\t.rodata\n" CC_MEMBER "%s:\n\t.byte\t0\n", number->text,
                number->text);
}

/* Managed variables of any file are loaded with the device code of all (lockstep/managed.h): each is registered before
 * constructors of the program's own. */
static void register_early(struct strbuf *out)
{
    strbuf_add(out, "\t.section\t.init_array.102,\"aw\",@init_array\n\t.p2align\t3\n\t.quad\t__cuda_module_ctor\n");
}

/* clang calls __cudaRegisterLinkedBinary with the number of the file, which a device linker would define. */
int cc_name_linked(const char *path, struct diag_sink *diags)
{
    static const char call[] = "__cudaRegisterLinkedBinary";
    struct strbuf text = {0}, out = {0}, number = {0};
    int result = file_read(path, FILE_NO_BOUND, &text, diags);
    /* To the end of the file, not of the string: clang 14 writes bytes of 0 among the names of debugging information. */
    for (const char *at = strbuf_text(&text), *end = at + text.length; result == 0 && at < end;) {
        if (strncmp(at, call, strlen(call)) == 0) {
            strbuf_add(&out, "__cudaLockstepLinked");
            at += strlen(call);
            const size_t n = strspn(at, "0123456789abcdefABCDEF_nv");
            if (!number.length)
                strbuf_addn(&number, at, n);
            at += n;
        } else if (*at == '_' && added_number(at)) {
            at += added_number(at);
        } else {
            strbuf_addn(&out, at++, 1);
        }
    }
    if (number.length) {
        define_member(&number, &out);
        register_early(&out);
    }
    if (result == 0)
        result = file_write(path, strbuf_text(&out), out.length, diags);
    strbuf_free(&text);
    strbuf_free(&out);
    strbuf_free(&number);
    return result;
}
