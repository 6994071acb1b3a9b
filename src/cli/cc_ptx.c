/* Repairs the PTX that LLVM writes, line by line.
 *
 * With line tables on, LLVM leaves a label at every change of source position, meant for debug sections that are not
 * emitted. They are left out. The chains of inlined calls, which it leaves out, are put back (cc_places.c).
 *
 * LLVM 14 expands a rotate of 64 bits by a variable amount into two shifts and a sum, in a scope of its own:
 *
 *     shl.b64 %lhs, %rd3, %r1;  sub.u32 %amt2, 64, %r1;  shr.b64 %rhs, %rd3, %amt2;  add.u64 %rd4, %lhs, %rhs;
 *
 * A rotate's amount counts modulo 64, but a PTX shift by 64 or more gives 0: the amount is not masked, and the
 * instruction selector has removed the program's own mask as redundant. It forms rotates from shifts and masks by
 * itself, so nothing that happens to the IR before can prevent this; the mask is put in here. Later versions of LLVM
 * mask the amount (`and.b32 %amt2, %r1, 63`), and then nothing is changed.
 *
 * LLVM selects bfe.u64 for `x >> S & mask` of a signed x also where the mask takes in copies of the sign, as in
 * `(unsigned)(x >> 40)`; bfe.u64 gives zeros there. Only a signed shift can lead to a field that ends beyond bit 63:
 * behind an unsigned one such a mask changes nothing and is removed before. The field is written as shift and mask. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "cli/cc.h"

bool cc_is_position_label(const char *line)
{
    static const char *const stems[] = {"Ltmp",    "Lfunc_begin",    "Lfunc_end",
                                        "$L__tmp", "$L__func_begin", "$L__func_end"};
    for (unsigned i = 0; i < sizeof stems / sizeof stems[0]; i++) {
        size_t n = strlen(stems[i]);
        if (strncmp(line, stems[i], n) == 0) {
            const char *p = line + n + strspn(line + n, "0123456789");
            return p > line + n && p[0] == ':' && p[1] == '\0';
        }
    }
    return false;
}

/* The rest of line when it begins with `head`, else NULL. */
static const char *after(const char *line, const char *head)
{
    size_t n = strlen(head);
    return strncmp(line, head, n) == 0 ? line + n : NULL;
}

static bool mask_rotate(const char *line, struct strbuf *to)
{
    static const char *const heads[] = {"\tshl.b64 \t%lhs, ", "\tshr.b64 \t%lhs, ", "\tsub.u32 \t%amt2, 64, "};
    for (unsigned i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        const char *operands = after(line, heads[i]);
        if (!operands)
            continue;
        const char *comma = strrchr(operands, ','), *amount = comma ? comma + 2 : operands;
        size_t n = strcspn(amount, ";");
        if (*amount != '%' || (n == 5 && strncmp(amount, "%amt2", n) == 0))
            return false; /* a constant, or masked already */
        if (comma)
            strbuf_addf(to, "\tand.b32 \t%%amt2, %.*s, 63;\n", (int)n, amount);
        strbuf_addn(to, line, (size_t)(amount - line));
        strbuf_add(to, "%amt2;");
        return true;
    }
    return false;
}

/* `bfe.u64 %rd1, %rd2, START, LENGTH;` */
static bool extend_field(const char *line, struct strbuf *to)
{
    char destination[32], source[32];
    unsigned start, length;
    if (sscanf(line, "\tbfe.u64 \t%31[^,], %31[^,], %u, %u;", destination, source, &start, &length) != 4 ||
        start >= 64 || length >= 64 || start + length <= 64)
        return false;
    strbuf_addf(to, "\tshr.s64 \t%s, %s, %u;\n\tand.b64 \t%s, %s, 0x%llx;", destination, source, start, destination,
                destination, (1ULL << length) - 1);
    return true;
}

bool cc_repair_line(const char *line, struct strbuf *to)
{
    return mask_rotate(line, to) || extend_field(line, to);
}

static void note_files(struct cc_places *places, const char *text)
{
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        cc_note_files(places, line);
    }
}

/* The kernel whose declaration is being copied. */
struct declared {
    const struct cc_bounds *bounds;
    const struct cc_cluster *cluster; /* NULL: it has none */
    bool is_limited;                  /* it is a kernel, and has had no launch bounds so far */
};

/* Adds to a kernel's declaration, before its body. */
static void add_bounds(struct declared *d, const char *line, struct strbuf *out)
{
    const char *name = strstr(line, ".entry ");
    if (name) {
        name += strlen(".entry ");
        d->cluster = cc_cluster_of(d->bounds->clusters, name, strcspn(name, "( \t"));
        d->is_limited = d->bounds->max_registers != 0;
    }
    if (after(line, ".maxntid") || after(line, ".minnctapersm") || after(line, ".maxnreg"))
        d->is_limited = false;
    if (line[0] != '{')
        return;
    if (d->is_limited)
        strbuf_addf(out, ".maxnreg %u\n", d->bounds->max_registers);
    if (d->cluster)
        strbuf_addf(out, ".reqnctapercluster %u, %u, %u\n", d->cluster->sizes[0], d->cluster->sizes[1],
                    d->cluster->sizes[2]);
    d->is_limited = false;
    d->cluster = NULL;
}

/* Appends the lines of the text, repaired, without such labels. */
static void copy_lines(char *text, struct cc_places *places, const struct cc_bounds *bounds, struct strbuf *out)
{
    struct declared declared = {.bounds = bounds};
    note_files(places, text);
    for (char *line = text; *line;) {
        size_t n = strcspn(line, "\n");
        bool newline = line[n] == '\n', is_label;
        line[n] = '\0';
        is_label = cc_is_position_label(line);
        add_bounds(&declared, line, out);
        if (!is_label && !cc_restore_loc(places, line, out) && !cc_repair_line(line, out))
            strbuf_add(out, line);
        if (!is_label && newline)
            strbuf_add(out, "\n");
        line += n + newline;
    }
    cc_add_places(places, out);
}

int cc_repair_ptx(const char *from, const char *to, struct cc_places *places, const struct cc_bounds *bounds,
                  struct diag_sink *diags)
{
    struct strbuf text = {0}, out = {0};
    int result = file_read(from, FILE_NO_BOUND, &text, diags);
    if (result == 0 && text.length)
        copy_lines(text.text, places, bounds, &out);
    if (result == 0)
        result = file_write(to, strbuf_text(&out), out.length, diags);
    strbuf_free(&text);
    strbuf_free(&out);
    return result;
}
