/* Warnings of stray accesses that were let pass (sm/strays.h): one for each line, when it first happens on the device,
 * and the sums at the end. */
#include <stdlib.h>
#include <string.h>

#include "base/archive.h"
#include "gpu/gpu_impl.h"

void gpu_let_pass(struct gpu *gpu, bool are_findings)
{
    gpu->lenient = true;
    gpu->strays_are_findings = are_findings;
}

/* The line's counter; a new one has no name yet. */
static struct gpu_stray_line *line_for(struct gpu *gpu, uint64_t line)
{
    for (size_t i = 0; i < gpu->strays.count; i++)
        if (gpu->strays.items[i].line == line)
            return &gpu->strays.items[i];
    vec_push(&gpu->strays, (struct gpu_stray_line){.line = line});
    return &gpu->strays.items[gpu->strays.count - 1];
}

static void warn(struct gpu_run *run, const struct sm_stray *s, uint64_t count, const char *at)
{
    const struct isa_module *code = run->launch->module->code;
    const struct isa_instr *instr = &code->instrs[s->pc];
    const uint32_t *size = run->launch->block;
    struct simt_fault fault = {
        .kind = SIMT_FAULT_BOUNDS, .lane = s->lane, .space = s->space, .address = s->address, .pc = s->pc};
    struct strbuf what = {0}, text = {0};
    simt_fault_describe(&fault, &what);
    gpu_add_fault_place(run, &fault, &what);
    isa_disasm_instr(code, isa_function_at(code, s->pc), instr, &text);
    diag_warning(run->sink, (struct diag_pos){code->name, instr->line, instr->column}, NULL,
                 "kernel %s: %s\n  at %s: %s\n  block (%u,%u,%u) thread (%u,%u,%u), cycle %llu; let pass (--lenient): "
                 "%llu of this line in this launch",
                 run->name, strbuf_text(&what), at, strbuf_text(&text), s->block[0], s->block[1], s->block[2],
                 s->thread % size[0], s->thread / size[0] % size[1], s->thread / (size[0] * size[1]),
                 (unsigned long long)(s->cycle - (run->launch->mode == GPU_TIMING ? run->start_cycle : 0)),
                 (unsigned long long)count);
    strbuf_free(&what);
    strbuf_free(&text);
}

/* Accesses of the list by instructions of this line, which is that of its item `first` and of none before. */
static uint64_t count_line(const struct isa_module *code, const struct sm_stray_list *list, size_t first, uint64_t line)
{
    uint64_t count = 0;
    for (size_t i = first; i < list->count; i++)
        if (list->items[i].why == SM_STRAY_OUTSIDE && gpu_line_of(code, &code->instrs[list->items[i].pc]) == line)
            count += list->items[i].count;
    return count;
}

void gpu_explain_strays(struct gpu_run *run, const struct sm_stray_list *list)
{
    const struct isa_module *code = run->launch->module->code;
    for (size_t i = 0; i < list->count; i++) {
        const struct isa_instr *instr = &code->instrs[list->items[i].pc];
        if (list->items[i].why != SM_STRAY_OUTSIDE) {
            gpu_explain_bounds(run, &list->items[i]);
            continue;
        }
        struct gpu_stray_line *line = line_for(run->gpu, gpu_line_of(code, instr));
        if (!line->at) {
            struct strbuf at = {0};
            isa_format_pos(code, instr, &at);
            line->at = at.text;
            warn(run, &list->items[i], count_line(code, list, i, line->line), line->at);
        }
        line->count += list->items[i].count;
        run->result->findings += run->gpu->strays_are_findings;
    }
}

static int by_time(const void *a, const void *b)
{
    const struct sm_stray *x = a, *y = b;
    if (x->cycle != y->cycle)
        return x->cycle < y->cycle ? -1 : 1;
    for (unsigned i = 3; i-- > 0;)
        if (x->block[i] != y->block[i])
            return x->block[i] < y->block[i] ? -1 : 1;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return x->pc < y->pc ? -1 : x->pc > y->pc;
}

/* Items of the same instruction and reason, from several SMs, become one: the first. */
static void merge(struct sm_stray_list *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        size_t k = 0;
        while (k < kept && (list->items[k].pc != list->items[i].pc || list->items[k].why != list->items[i].why))
            k++;
        if (k < kept)
            list->items[k].count += list->items[i].count;
        else
            list->items[kept++] = list->items[i];
    }
    list->count = kept;
}

void gpu_explain_strays_of_sms(struct gpu_run *run)
{
    struct sm_stray_list all = {0};
    for (unsigned i = 0; i < run->gpu->machine.gpu.sms; i++) {
        const struct sm_stray_list *list = sm_strays_of(run->gpu->sms[i]);
        for (size_t k = 0; k < list->count; k++)
            vec_push(&all, list->items[k]);
    }
    if (all.count)
        qsort(all.items, all.count, sizeof *all.items, by_time);
    merge(&all);
    gpu_explain_strays(run, &all);
    vec_free(&all);
}

void gpu_explain_let_pass(const struct gpu *gpu, struct diag_sink *sink)
{
    uint64_t count = 0;
    struct strbuf lines = {0};
    for (size_t i = 0; i < gpu->strays.count; i++) {
        const struct gpu_stray_line *line = &gpu->strays.items[i];
        count += line->count;
        strbuf_addf(&lines, "%s %s (%llu)", i ? "," : "", line->at, (unsigned long long)line->count);
    }
    if (count)
        diag_note(sink, DIAG_NOWHERE, NULL, "%llu access%s outside of allocations let pass (--lenient), by line:%s",
                  (unsigned long long)count, count == 1 ? "" : "es", lines.text);
    strbuf_free(&lines);
}

/* Checkpoints */

#define MOST_LINES (1u << 20)

void gpu_archive_strays(struct gpu *gpu, struct archive *ar)
{
    uint32_t count = (uint32_t)gpu->strays.count;
    archive_u32_to(ar, &count, MOST_LINES);
    for (size_t i = 0; archive_loading(ar) && i < gpu->strays.count; i++)
        free(gpu->strays.items[i].at);
    if (archive_loading(ar))
        gpu->strays.count = 0;
    for (uint32_t i = 0; i < count && !archive_failed(ar); i++) {
        struct strbuf at = {0};
        if (archive_loading(ar))
            vec_push(&gpu->strays, (struct gpu_stray_line){0});
        struct gpu_stray_line *line = &gpu->strays.items[i];
        strbuf_add(&at, line->at ? line->at : "");
        ARCHIVE(ar, line->line);
        archive_text(ar, &at);
        ARCHIVE(ar, line->count);
        free(line->at);
        line->at = at.text;
    }
}
