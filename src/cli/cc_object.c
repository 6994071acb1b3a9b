/* Repairs an object of host code, as clang writes it.
 *
 * Host code has a variable that stands for an instance of a `__device__` variable template (or for an inline variable).
 * It is the file's own, as the device code of each file is its own program; but clang leaves it in a group of sections,
 * of which a linker keeps that of one file alone, and other files' references then lead nowhere. So groups that are
 * named after a local variable are made ordinary ones here: each file keeps its own. */
#include <elf.h>
#include <string.h>

#include "base/file.h"
#include "cli/cc.h"

struct object {
    char *bytes;
    size_t length;
    const Elf64_Ehdr *header;
    const Elf64_Shdr *sections;
};

static bool is_inside(const struct object *object, uint64_t offset, uint64_t bytes)
{
    return offset <= object->length && bytes <= object->length - offset;
}

static bool read_object(struct object *object)
{
    object->header = (const Elf64_Ehdr *)(const void *)object->bytes;
    if (object->length < sizeof *object->header || memcmp(object->bytes, ELFMAG, SELFMAG) != 0 ||
        object->header->e_ident[EI_CLASS] != ELFCLASS64 ||
        !is_inside(object, object->header->e_shoff, object->header->e_shnum * sizeof *object->sections))
        return false;
    object->sections = (const Elf64_Shdr *)(const void *)(object->bytes + object->header->e_shoff);
    return true;
}

/* True when the symbol that the group is named after is a variable of this file alone. */
static bool is_own(const struct object *object, const Elf64_Shdr *group)
{
    if (group->sh_link >= object->header->e_shnum)
        return false;
    const Elf64_Shdr *table = &object->sections[group->sh_link];
    if (group->sh_info >= table->sh_size / sizeof(Elf64_Sym) || !is_inside(object, table->sh_offset, table->sh_size))
        return false;
    const Elf64_Sym *symbol = (const Elf64_Sym *)(const void *)(object->bytes + table->sh_offset) + group->sh_info;
    return ELF64_ST_BIND(symbol->st_info) == STB_LOCAL && ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT;
}

int cc_repair_object(const char *path, struct diag_sink *diags)
{
    struct strbuf text = {0};
    bool changed = false;
    int rc = file_read(path, FILE_NO_BOUND, &text, diags);
    struct object object = {.bytes = text.text, .length = text.length};
    for (unsigned i = 0; rc == 0 && read_object(&object) && i < object.header->e_shnum; i++) {
        const Elf64_Shdr *group = &object.sections[i];
        uint32_t flags;
        if (group->sh_type != SHT_GROUP || group->sh_size < sizeof flags ||
            !is_inside(&object, group->sh_offset, group->sh_size) || !is_own(&object, group))
            continue;
        memcpy(&flags, object.bytes + group->sh_offset, sizeof flags);
        changed |= (flags & GRP_COMDAT) != 0;
        flags &= ~(uint32_t)GRP_COMDAT;
        memcpy(object.bytes + group->sh_offset, &flags, sizeof flags);
    }
    if (rc == 0 && changed)
        rc = file_write(path, object.bytes, object.length, diags);
    strbuf_free(&text);
    return rc;
}
