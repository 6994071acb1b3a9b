/* Notes on instructions whose result the PTX manual leaves undefined (simt/warp.h, struct simt_unsynced): one
 * for each source line, when it first happens on the device. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "gpu/gpu_impl.h"

uint64_t gpu_line_of(const struct isa_module *code, const struct isa_instr *instr)
{
    bool in_source = instr->source_line && instr->source_file == 1 && code->file_count > 1 && code->files[1];
    const char *file = in_source ? code->files[1] : code->name ? code->name : "";
    return hash_bytes(file, strlen(file)) * 31 + (in_source ? instr->source_line : instr->line);
}

bool gpu_is_first_note(struct gpu *gpu, uint64_t line)
{
    for (size_t i = 0; i < gpu->unsynced_lines.count; i++)
        if (gpu->unsynced_lines.items[i] == line)
            return false;
    vec_push(&gpu->unsynced_lines, line);
    return true;
}

static void explain(struct gpu_run *run, const struct sm_unsynced *u)
{
    const struct isa_module *code = run->launch->module->code;
    const struct isa_instr *instr = &code->instrs[u->pc];
    struct strbuf what = {0}, at = {0}, text = {0};
    if (!gpu_is_first_note(run->gpu, gpu_line_of(code, instr)))
        return;
    simt_unsynced_describe(&u->what, &what);
    isa_format_pos(code, instr, &at);
    isa_disasm_instr(code, isa_function_at(code, u->pc), instr, &text);
    diag_note(run->sink, (struct diag_pos){code->name, instr->line, instr->column},
              "other hardware may give another result; --check sync makes this an error",
              "kernel %s: %s\n  at %s: %s\n  block (%u,%u,%u) warp %u, cycle %llu", run->name, strbuf_text(&what),
              strbuf_text(&at), strbuf_text(&text), u->block[0], u->block[1], u->block[2], u->warp,
              (unsigned long long)(u->cycle - (run->launch->mode == GPU_TIMING ? run->start_cycle : 0)));
    strbuf_free(&what);
    strbuf_free(&at);
    strbuf_free(&text);
}

void gpu_explain_unsynced(struct gpu_run *run, const struct sm_unsynced_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        explain(run, &list->items[i]);
}

static int by_time(const void *a, const void *b)
{
    const struct sm_unsynced *x = a, *y = b;
    if (x->cycle != y->cycle)
        return x->cycle < y->cycle ? -1 : 1;
    for (unsigned i = 3; i-- > 0;)
        if (x->block[i] != y->block[i])
            return x->block[i] < y->block[i] ? -1 : 1;
    if (x->warp != y->warp)
        return x->warp < y->warp ? -1 : 1;
    return x->pc < y->pc ? -1 : x->pc > y->pc;
}

void gpu_explain_unsynced_of_sms(struct gpu_run *run)
{
    struct sm_unsynced_list all = {0};
    for (unsigned i = 0; i < run->gpu->machine.gpu.sms; i++) {
        const struct sm_unsynced_list *list = sm_unsynced_of(run->gpu->sms[i]);
        for (size_t k = 0; k < list->count; k++)
            vec_push(&all, list->items[k]);
    }
    if (all.count)
        qsort(all.items, all.count, sizeof *all.items, by_time);
    gpu_explain_unsynced(run, &all);
    vec_free(&all);
}
