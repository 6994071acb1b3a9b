/* Which machine `lockstep run` takes for a program where none is named: the default one if it can run all kernels that say
 * what they need, else the smallest GPU among those that come with Lockstep that can. What a kernel needs is in the
 * program's PTX: shared memory of its own, and, where it has launch bounds (.maxntid or .reqntid), registers for a whole
 * block; and the variables of all modules take device memory. Nothing is known of dynamic shared memory and of what the
 * program allocates. The target (compute capability) of the PTX decides nothing: every machine runs PTX of all targets. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/file.h"
#include "cli/cli.h"
#include "cuda/fatbin.h"
#include "ptx/ptx.h"
#include "sm/sm.h"

#define MOST_TEXT (8u << 20) /* PTX beyond this is not looked at: it would take longer than a second */
#define MOST_FILE (UINT64_C(1) << 30)

/* GPUs, from the smallest to the largest; the other machines are for studies. */
static const char *const gpus[] = {"gtx480", "gtx1080ti"};

/* The needs of a kernel, or of all modules together. */
struct need {
    const char *kernel; /* in the module */
    uint32_t threads, registers, shared; /* threads: 0 without launch bounds */
};
struct needs {
    VEC(struct need) kernels;
    VEC(struct isa_module *) modules;
    uint64_t memory;
    uint32_t target; /* the highest */
};

static void add_kernels(struct needs *needs, const struct isa_module *module)
{
    for (uint32_t i = 0; i < module->function_count; i++) {
        const struct isa_function *f = &module->functions[i];
        const uint32_t *bound = f->max_threads[0] ? f->max_threads : f->required_threads;
        uint32_t threads = bound[0] * (bound[1] ? bound[1] : 1) * (bound[2] ? bound[2] : 1);
        if (f->is_kernel)
            vec_push(&needs->kernels, (struct need){.kernel = f->name,
                                                    .threads = threads,
                                                    .registers = threads ? f->registers : 0,
                                                    .shared = (uint32_t)f->shared_bytes});
    }
    for (uint32_t i = 0; i < module->variable_count; i++)
        if (module->variables[i].space != ISA_SPACE_SHARED)
            needs->memory += module->variables[i].bytes;
    if (module->target_sm > needs->target)
        needs->target = module->target_sm;
}

/* A module without launch bounds and with little shared memory runs on every machine: most are not parsed. */
static void add_text(struct needs *needs, const char *text, size_t length)
{
    bool may_need = strstr(text, ".maxntid") || strstr(text, ".reqntid") || strstr(text, ".shared") ||
                    strstr(text, ".global .align");
    struct isa_module *module =
        may_need && length <= MOST_TEXT ? ptx_load("program", text, length, NULL, NULL) : NULL;
    if (!module)
        return;
    add_kernels(needs, module);
    vec_push(&needs->modules, module);
}

/* Fat binaries and texts lie one behind the other. */
static void add_section(struct needs *needs, const uint8_t *data, size_t bytes)
{
    for (size_t at = 0; at < bytes;) {
        size_t size = fatbin_size(data + at, bytes - at);
        struct fatbin_ptx ptx;
        if (size && fatbin_extract(data + at, size, &ptx, NULL) == FATBIN_OK) {
            add_text(needs, ptx.text, ptx.length);
            free(ptx.text);
        }
        at += size ? size : 1;
    }
}

static void add_file(struct needs *needs, const struct strbuf *file)
{
    const uint8_t *data = (const uint8_t *)strbuf_text(file);
    Elf64_Ehdr header;
    Elf64_Shdr names, section;
    if (file->length < sizeof header || memcmp(data, ELFMAG, SELFMAG) != 0 || data[EI_CLASS] != ELFCLASS64)
        return;
    memcpy(&header, data, sizeof header);
    uint64_t all = (uint64_t)header.e_shnum * sizeof section;
    if (header.e_shentsize != sizeof section || header.e_shstrndx >= header.e_shnum || header.e_shoff > file->length ||
        all > file->length - header.e_shoff)
        return;
    memcpy(&names, data + header.e_shoff + header.e_shstrndx * sizeof names, sizeof names);
    for (unsigned i = 0; i < header.e_shnum; i++) {
        memcpy(&section, data + header.e_shoff + i * sizeof section, sizeof section);
        uint64_t name = names.sh_offset + section.sh_name, wanted = sizeof ".nv_fatbin";
        if (section.sh_type != SHT_PROGBITS || name > file->length || wanted > file->length - name ||
            memcmp(data + name, ".nv_fatbin", wanted) != 0)
            continue;
        if (section.sh_offset <= file->length && section.sh_size <= file->length - section.sh_offset)
            add_section(needs, data + section.sh_offset, section.sh_size);
    }
}

/* The machine has room for a block of the kernel: all of its shared memory and registers. */
static bool has_room(const struct machine *m, const struct need *n)
{
    uint32_t threads = n->threads ? n->threads : 1;
    return n->shared <= m->sm.shared_bytes && threads <= m->sm.threads &&
           sm_occupancy(&m->sm, threads, n->shared, n->registers, NULL);
}

/* The first thing that the machine has no room for, in words; false: it can run all. */
static bool lacks(const struct machine *m, const struct needs *needs, struct strbuf *why)
{
    if (needs->memory > (uint64_t)m->gpu.memory_mib << 20) {
        strbuf_addf(why, "the program's variables take %llu bytes", (unsigned long long)needs->memory);
        return true;
    }
    for (size_t i = 0; i < needs->kernels.count; i++) {
        const struct need *n = &needs->kernels.items[i];
        if (has_room(m, n))
            continue;
        strbuf_add(why, "kernel ");
        isa_plain_name(n->kernel, why);
        if (n->threads)
            strbuf_addf(why, " has blocks of %u threads with %u registers each and %u bytes of shared memory", n->threads,
                        n->registers, n->shared);
        else
            strbuf_addf(why, " has %u bytes of shared memory", n->shared);
        return true;
    }
    return false;
}

/* The smallest GPU that can run all, or NULL. */
static const char *smallest(const struct needs *needs)
{
    struct strbuf ignored = {0};
    const char *found = NULL;
    for (size_t i = 0; !found && i < sizeof gpus / sizeof *gpus; i++) {
        struct machine m;
        if (machine_load(&m, gpus[i], NULL) < 0)
            continue;
        found = lacks(&m, needs, &ignored) ? NULL : gpus[i];
        machine_free(&m);
    }
    strbuf_free(&ignored);
    return found;
}

const char *cli_fit_machine(const char *program, struct strbuf *why)
{
    struct strbuf file = {0}, lacking = {0};
    struct needs needs = {0};
    struct machine usual;
    const char *found = NULL;
    if (file_load(program, MOST_FILE, &file) == 0)
        add_file(&needs, &file);
    if (needs.modules.count && machine_load(&usual, CLI_DEFAULT_MACHINE, NULL) == 0) {
        if (lacks(&usual, &needs, &lacking) && (found = smallest(&needs)))
            strbuf_addf(why, "machine %s: %s, too much for %s (PTX of sm_%u)", found, strbuf_text(&lacking),
                        CLI_DEFAULT_MACHINE, needs.target);
        machine_free(&usual);
    }
    for (size_t i = 0; i < needs.modules.count; i++)
        isa_module_free(needs.modules.items[i]);
    vec_free(&needs.modules);
    vec_free(&needs.kernels);
    strbuf_free(&file);
    strbuf_free(&lacking);
    return found;
}
