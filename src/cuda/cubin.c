/* Machine code is an ELF file. Section .nv.info has an attribute with the number of registers for each function, and
 * .nv.info.NAME one with the limit that the assembler had to keep. Before toolkits wrote the former, the number stood in
 * the header of .text.NAME, where newer ones have something else.
 *
 * Attributes lie one behind the other: a byte for the format, one for what it is, and 16 bits that are its value or,
 * for format 4, the length of what follows. Layout known from what nvcc 12 and 13 write. */
#include "cuda/cubin.h"

#include <elf.h>
#include <string.h>

#include "base/vec.h"

#define CUDA_MACHINE 190
#define FORMAT_SIZED 4
#define STACK_BYTES 0x12 /* of everything the function can call */
#define MOST_REGISTERS 0x1b
#define REGISTERS 0x2f
#define INFO ".nv.info"
#define TEXT ".text."

struct reader {
    const uint8_t *data;
    size_t bytes;
    Elf64_Ehdr header;
    Elf64_Shdr names;
    struct cubin *cubin;
    VEC(struct ptx_assembled) found;
};

static bool is_inside(const struct reader *r, uint64_t offset, uint64_t bytes)
{
    return offset <= r->bytes && bytes <= r->bytes - offset;
}

/* Section i, if its content lies in the file. */
static bool read_section(const struct reader *r, unsigned i, Elf64_Shdr *section)
{
    if (i >= r->header.e_shnum)
        return false;
    memcpy(section, r->data + r->header.e_shoff + i * sizeof *section, sizeof *section);
    return section->sh_type == SHT_NOBITS || is_inside(r, section->sh_offset, section->sh_size);
}

/* The string at an offset of a table, or "" when it does not end in it. */
static const char *string_at(const struct reader *r, const Elf64_Shdr *table, uint64_t offset)
{
    const uint8_t *start = r->data + table->sh_offset + offset;
    bool ends = offset < table->sh_size && memchr(start, 0, (size_t)(table->sh_size - offset));
    return ends ? (const char *)start : "";
}

static const char *symbol_name(const struct reader *r, const Elf64_Shdr *symbols, uint32_t symbol)
{
    Elf64_Sym s;
    Elf64_Shdr strings;
    if (symbol >= symbols->sh_size / sizeof s || !read_section(r, symbols->sh_link, &strings) ||
        strings.sh_type != SHT_STRTAB)
        return "";
    memcpy(&s, r->data + symbols->sh_offset + symbol * sizeof s, sizeof s);
    return string_at(r, &strings, s.st_name);
}

/* The entry of that name; a new one if there is none. */
static struct ptx_assembled *entry_of(struct reader *r, const char *name)
{
    for (size_t i = 0; i < r->found.count; i++)
        if (strcmp(r->found.items[i].name, name) == 0)
            return &r->found.items[i];
    vec_push(&r->found, (struct ptx_assembled){.name = arena_strdup(&r->cubin->arena, name)});
    return &r->found.items[r->found.count - 1];
}

static void take(struct reader *r, const Elf64_Shdr *symbols, const char *owner, unsigned what, uint32_t value,
                 const uint8_t *words, unsigned bytes)
{
    uint32_t pair[2];
    if (what == MOST_REGISTERS && *owner)
        entry_of(r, owner)->most = value;
    if ((what != REGISTERS && what != STACK_BYTES) || bytes != sizeof pair)
        return;
    memcpy(pair, words, sizeof pair);
    const char *name = symbol_name(r, symbols, pair[0]);
    if (*name && what == REGISTERS)
        entry_of(r, name)->registers = pair[1];
    else if (*name)
        entry_of(r, name)->stack_bytes = pair[1];
}

/* Reads the attributes of a section, which speaks of `owner`, or, "", of functions that it names by their symbols. */
static void read_info(struct reader *r, const Elf64_Shdr *info, const char *owner)
{
    Elf64_Shdr symbols;
    if (!read_section(r, info->sh_link, &symbols) || symbols.sh_type != SHT_SYMTAB)
        return;
    const uint8_t *at = r->data + info->sh_offset, *end = at + info->sh_size;
    while (end - at >= 4) {
        uint16_t value;
        memcpy(&value, at + 2, sizeof value);
        unsigned bytes = at[0] == FORMAT_SIZED ? value : 0;
        if (bytes > (size_t)(end - at) - 4)
            return;
        take(r, &symbols, owner, at[1], value, at + 4, bytes);
        at += 4 + bytes;
    }
}

static void read_all(struct reader *r)
{
    Elf64_Shdr section;
    for (unsigned i = 0; i < r->header.e_shnum; i++) {
        if (!read_section(r, i, &section) || section.sh_type == SHT_NOBITS)
            continue;
        const char *name = string_at(r, &r->names, section.sh_name);
        if (strcmp(name, INFO) == 0)
            read_info(r, &section, "");
        else if (strncmp(name, INFO ".", strlen(INFO ".")) == 0)
            read_info(r, &section, name + strlen(INFO "."));
    }
    for (unsigned i = 0; i < r->header.e_shnum; i++) {
        if (!read_section(r, i, &section) || section.sh_type != SHT_PROGBITS)
            continue;
        const char *name = string_at(r, &r->names, section.sh_name);
        if (strncmp(name, TEXT, strlen(TEXT)) != 0 || !(section.sh_info >> 24))
            continue;
        struct ptx_assembled *entry = entry_of(r, name + strlen(TEXT));
        entry->registers = entry->registers ? entry->registers : section.sh_info >> 24;
    }
}

void cubin_read(const void *data, size_t bytes, struct cubin *cubin)
{
    struct reader r = {.data = data, .bytes = bytes, .cubin = cubin};
    *cubin = (struct cubin){0};
    if (bytes < sizeof r.header || memcmp(data, ELFMAG, SELFMAG) != 0)
        return;
    memcpy(&r.header, data, sizeof r.header);
    if (r.header.e_ident[EI_CLASS] != ELFCLASS64 || r.header.e_machine != CUDA_MACHINE ||
        r.header.e_shentsize != sizeof r.names ||
        !is_inside(&r, r.header.e_shoff, (uint64_t)r.header.e_shnum * sizeof r.names) ||
        !read_section(&r, r.header.e_shstrndx, &r.names) || r.names.sh_type != SHT_STRTAB)
        return;
    arena_init(&cubin->arena);
    read_all(&r);
    cubin->kernels = ARENA_NEW(&cubin->arena, struct ptx_assembled, r.found.count + 1);
    for (size_t i = 0; i < r.found.count; i++)
        if (r.found.items[i].registers)
            cubin->kernels[cubin->count++] = r.found.items[i];
    vec_free(&r.found);
}

void cubin_free(struct cubin *cubin)
{
    arena_free(&cubin->arena);
    *cubin = (struct cubin){0};
}
