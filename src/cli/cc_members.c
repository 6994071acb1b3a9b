/* Static libraries of relocatable device code. A linker takes a member of an archive for the sake of its host code; one
 * that has device functions alone would be left out, and its functions be missing when the program runs. So each object
 * with relocatable device code defines a symbol of its own (cc_name_linked), and whoever links asks for all of those
 * that the archives' indices name. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/cc_session.h"

#define HEADER 68 /* bytes: the archive's magic, and the header of its first member, which is the index */

/* The index at the beginning of an archive; empty where there is none. width: of its numbers, in bytes. */
static void read_index(const char *path, struct strbuf *index, unsigned *width)
{
    struct strbuf head = {0};
    bool is_archive = file_head(path, HEADER, &head) == 0 && head.length == HEADER &&
                      (!memcmp(head.text, "!<arch>\n", 8) || !memcmp(head.text, "!<thin>\n", 8));
    const char *name = is_archive ? head.text + 8 : "";
    *width = strncmp(name, "/SYM64/ ", 8) == 0 ? 8 : strncmp(name, "/ ", 2) == 0 ? 4 : 0;
    if (*width)
        file_head(path, HEADER + (size_t)strtoull(head.text + 56, NULL, 10), index);
    strbuf_free(&head);
}

static size_t number_at(const char *at, unsigned width)
{
    size_t n = 0;
    for (unsigned i = 0; i < width; i++)
        n = n << 8 | (unsigned char)at[i];
    return n;
}

/* Adds the names in the archive's index that members with device code define. */
static void add_of_archive(struct cc_session *s, const char *path, struct cc_args *names)
{
    struct strbuf index = {0};
    unsigned width;
    read_index(path, &index, &width);
    size_t room = width && index.length >= HEADER + width ? index.length - HEADER - width : 0;
    size_t count = room ? number_at(index.text + HEADER, width) : 0;
    if (count && count < room / width) {
        const char *end = index.text + index.length;
        for (const char *at = index.text + HEADER + width * (count + 1); at < end;
             at += strnlen(at, (size_t)(end - at)) + 1)
            if (strncmp(at, CC_MEMBER, strlen(CC_MEMBER)) == 0)
                vec_push(names, arena_strdup(&s->arena, at));
    }
    strbuf_free(&index);
}

/* The archive that -l means: in the first folder of -L that has such a library, if it is no shared one there. */
static const char *find_archive(struct cc_session *s, const char *name)
{
    const struct cc_args *link = &s->options.link;
    for (size_t i = 0; i < link->count; i++) {
        if (strncmp(link->items[i], "-L", 2) != 0)
            continue;
        bool apart = !link->items[i][2];
        if (apart && i + 1 == link->count)
            break;
        const char *folder = apart ? link->items[++i] : link->items[i] + 2;
        const char *archive = arena_printf(&s->arena, "%s/lib%s.a", folder, name);
        if (access(arena_printf(&s->arena, "%s/lib%s.so", folder, name), R_OK) == 0)
            return NULL;
        if (access(archive, R_OK) == 0)
            return archive;
    }
    return NULL;
}

void cc_find_members(struct cc_session *s, struct cc_args *names)
{
    const struct cc_args *link = &s->options.link;
    for (size_t i = 0; i < link->count; i++) {
        const char *word = link->items[i], *dot = strrchr(word, '.');
        const char *archive = strncmp(word, "-l", 2) == 0                 ? find_archive(s, word + 2)
                              : *word != '-' && dot && !strcmp(dot, ".a") ? word
                                                                          : NULL;
        if (archive)
            add_of_archive(s, archive, names);
    }
}
