/* Names as a program's source has them, from mangled ones (Itanium C++ ABI, "External Names"), as far as that is needed
 * for kernels, device functions and variables: without their parameters. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "isa/program.h"

/* One <length><text> of a mangled name; NULL when there is none. */
static const char *take_source_name(const char *at, struct strbuf *out)
{
    char *end;
    if (!isdigit((unsigned char)*at))
        return NULL;
    unsigned long n = strtoul(at, &end, 10);
    if (n == 0 || n > strlen(end))
        return NULL;
    if (strncmp(end, "_GLOBAL__N_", 11) == 0 || strncmp(end, "_INTERNAL_", 10) == 0)
        return end + n; /* an unnamed namespace */
    strbuf_addf(out, "%s%.*s", out->length ? "::" : "", (int)n, end);
    return end + n;
}

/* A name, or those of namespaces and classes around it too; NULL when it is another kind of name. */
static const char *take_name(const char *at, struct strbuf *out)
{
    if (*at == 'L')
        at++;
    if (*at != 'N')
        return take_source_name(at, out);
    for (at++; at && *at && (isdigit((unsigned char)*at) || *at == 'L');)
        at = take_source_name(*at == 'L' ? at + 1 : at, out);
    return at;
}

void isa_plain_name(const char *name, struct strbuf *out)
{
    struct strbuf plain = {0};
    const char *at = strncmp(name, "_Z", 2) == 0 ? name + 2 : NULL, *local = at && *at == 'Z' ? strstr(at, "E") : NULL;
    if (local) { /* a variable of a function: _ZZ, the function, E, the variable; an E inside the function is not its
                    end */
        at = take_name(at + 1, &plain);
        for (; at && local && !isdigit((unsigned char)local[1]); local = strchr(local + 1, 'E'))
            ;
        at = at && local ? take_name(local + 1, &plain) : NULL;
    } else if (at) {
        at = take_name(at, &plain);
    }
    strbuf_add(out, at && plain.length ? plain.text : name);
    strbuf_free(&plain);
}
