/* __cluster_dims__ for clang, which has no such attribute: host_defines.h makes it an annotation, which clang leaves in
 * the IR as a table of functions, words and numbers:
 *
 *     @.str = ... c"lockstep.cluster\00" ...            @.args = ... { i32, i32 } { i32 2, i32 1 } ...
 *     @llvm.global.annotations = ... { ptr @KERNEL, ptr @.str, ptr @FILE, i32 LINE, ptr @.args }, ...
 *
 * The numbers become the kernel's `.reqnctapercluster` in the PTX. The table is taken out of the IR: to llc it is a use
 * of each function, for which it writes a declaration as well. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/cc.h"

#define TABLE "@llvm.global.annotations = "

/* The line that defines @NAME, or NULL. */
static const char *definition(const char *ir, const char *name, size_t length)
{
    for (const char *line = ir; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (*line == '@' && strncmp(line + 1, name, length) == 0 && strncmp(line + 1 + length, " = ", 3) == 0)
            return line;
    }
    return NULL;
}

static bool is_mark(const char *ir, const char *name, size_t length)
{
    const char *line = definition(ir, name, length), *at = line ? strstr(line, "c\"" CC_CLUSTER_MARK "\\00\"") : NULL;
    return at && at < line + strcspn(line, "\n");
}

/* The numbers of `... { i32, i32 } { i32 2, i32 1 }, ...`; those that are not there stay. */
static void read_sizes(const char *ir, const char *name, size_t length, unsigned sizes[3])
{
    const char *line = definition(ir, name, length), *at = line ? strstr(line, "} {") : NULL;
    const char *end = line ? line + strcspn(line, "\n") : NULL;
    unsigned bits, count = 0;
    int n = 0;
    while (at && at < end && count < 3) {
        at += strcspn(at, "i\n");
        if (sscanf(at, "i%u %u%n", &bits, &sizes[count], &n) != 2)
            break;
        at += n;
        count++;
    }
    if (!count)
        sizes[0] = 0; /* a zero is written in another way; that it is one the PTX's reader says */
}

/* Reads the table: of each entry the names of function, word, file and numbers, in this order. */
static void read_table(struct cc_clusters *clusters, const char *ir, const char *table)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.$-";
    const char *end = table + strcspn(table, "\n"), *kernel = NULL;
    size_t kernel_length = 0;
    unsigned until_numbers = 0;
    for (const char *at = table + 1; (at = memchr(at, '@', (size_t)(end - at))) != NULL;) {
        const size_t length = strspn(++at, letters);
        if (until_numbers && --until_numbers == 0) {
            struct cc_cluster cluster = {arena_printf(&clusters->arena, "%.*s", (int)kernel_length, kernel), {1, 1, 1}};
            read_sizes(ir, at, length, cluster.sizes);
            vec_push(clusters, cluster);
        } else if (kernel && is_mark(ir, at, length)) {
            until_numbers = 2;
        } else if (!until_numbers) {
            kernel = at;
            kernel_length = length;
        }
    }
}

int cc_take_clusters(struct cc_clusters *clusters, const char *path, struct diag_sink *diags)
{
    struct strbuf ir = {0}, out = {0};
    int rc = file_read(path, FILE_NO_BOUND, &ir, diags);
    const char *found = rc ? NULL : strstr(strbuf_text(&ir), "\n" TABLE);
    if (found) {
        read_table(clusters, ir.text, found + 1);
        strbuf_addn(&out, ir.text, (size_t)(found - ir.text));
        strbuf_add(&out, found + 1 + strcspn(found + 1, "\n"));
        rc = file_write(path, out.text, out.length, diags);
    }
    strbuf_free(&ir);
    strbuf_free(&out);
    return rc;
}

const struct cc_cluster *cc_cluster_of(const struct cc_clusters *clusters, const char *name, size_t length)
{
    for (size_t i = 0; i < clusters->count; i++)
        if (strncmp(clusters->items[i].kernel, name, length) == 0 && !clusters->items[i].kernel[length])
            return &clusters->items[i];
    return NULL;
}

void cc_clusters_free(struct cc_clusters *clusters)
{
    vec_free(clusters);
    arena_free(&clusters->arena);
}
