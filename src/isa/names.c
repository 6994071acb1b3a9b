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

/* Behind `S_`, `S1_`, `T_` or `St`, from the letter on. */
static const char *skip_abbreviation(const char *at)
{
    const char *end = at + 1 + strspn(at + 1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    return *end == '_' ? end + 1 : at[1] ? at + 2 : NULL;
}

/* Behind a literal, `Li5E`, from the L on. */
static const char *skip_literal(const char *at)
{
    struct strbuf type = {0};
    at = isdigit((unsigned char)at[1]) ? take_source_name(at + 1, &type) : at[1] ? at + 2 : NULL;
    strbuf_free(&type);
    at = at ? strchr(at, 'E') : NULL;
    return at ? at + 1 : NULL;
}

/* Behind template arguments, from their `I` to their `E`; NULL when they are of a kind that is not known here. */
static const char *skip_arguments(const char *at)
{
    unsigned depth = 0;
    struct strbuf name = {0};
    do {
        char c = *at;
        if (isdigit((unsigned char)c)) {
            at = take_source_name(at, &name);
        } else if (c == 'L') {
            at = skip_literal(at);
        } else if (c == 'S' || c == 'T' || c == 'A') { /* A4_: an array */
            at = skip_abbreviation(at);
        } else {
            depth += strchr("INJXF", c) && c;
            depth -= c == 'E';
            at = c ? at + 1 : NULL;
        }
    } while (at && depth);
    strbuf_free(&name);
    return at;
}

/* Appends a constructor, destructor or operator, which have no names of their own. last: the name of the class. */
static void add_special(const char *at, const char *last, struct strbuf *out)
{
    size_t n = strcspn(last, ":");
    if (*at == 'C' || *at == 'D')
        strbuf_addf(out, "::%s%.*s", *at == 'D' ? "~" : "", (int)n, last);
    else if (*at && *at != 'E')
        strbuf_add(out, "::operator");
}

/* A name, or those of namespaces and classes around it too; NULL when it is another kind of name. */
static const char *take_name(const char *at, struct strbuf *out)
{
    size_t last = out->length;
    if (*at == 'L')
        at++;
    if (*at != 'N')
        return take_source_name(at, out);
    for (at += 1 + strspn(at + 1, "VKrRO"); at && *at && (isdigit((unsigned char)*at) || *at == 'L' || *at == 'I');) {
        last = *at == 'I' ? last : out->length;
        at = *at == 'I' ? skip_arguments(at) : take_source_name(*at == 'L' ? at + 1 : at, out);
    }
    if (at && out->length > last) {
        struct strbuf name = {0};
        strbuf_add(&name, out->text + last + (strncmp(out->text + last, "::", 2) == 0 ? 2 : 0));
        add_special(at, name.text, out);
        strbuf_free(&name);
    }
    return at;
}

/* The function of an unnamed one inside a function: _ZZ6kernelPiENKUlvE_clEv. */
static bool is_lambda(const char *name)
{
    return strstr(name, "ENKUl") || strstr(name, "ENUl");
}

void isa_plain_name(const char *name, struct strbuf *out)
{
    struct strbuf plain = {0};
    const char *of_file = strncmp(name, "__nv_static_", 12) == 0 ? strstr(name, "__Z") : NULL;
    if (of_file) /* a file's own kernel in relocatable code of nvcc's: before its name stands which file */
        name = of_file + 1;
    const char *at = strncmp(name, "_Z", 2) == 0 ? name + 2 : NULL, *local = at && *at == 'Z' ? strstr(at, "E") : NULL;
    if (local) { /* a variable of a function: _ZZ, the function, E, the variable; an E inside the function is not its
                    end */
        at = take_name(at + 1, &plain);
        for (; at && local && !isdigit((unsigned char)local[1]); local = strchr(local + 1, 'E'))
            ;
        at = at && local ? take_name(local + 1, &plain) : NULL;
        if (!at && plain.length && is_lambda(name)) {
            at = name;
            strbuf_add(&plain, "::operator()");
        }
    } else if (at) {
        at = take_name(at, &plain);
    }
    strbuf_add(out, at && plain.length ? plain.text : name);
    strbuf_free(&plain);
}
