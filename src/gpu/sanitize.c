/* Checks of what a program does with memory (sanitize/sanitize.h): asked for, told of what the host does, and
 * explained. */
#include <string.h>

#include "gpu/gpu_impl.h"
#include "gpu/waits.h"

static const char *const names[] = {
#define GPU_CHECK(name, doc) #name,
#include "gpu/checks.def"
#undef GPU_CHECK
};
#define CHECKS (sizeof names / sizeof names[0])

int gpu_checks_parse(const char *text, unsigned *checks, struct diag_sink *sink)
{
    *checks = 0;
    for (const char *at = text;; at++) {
        size_t n = strcspn(at, ","), i = 0;
        while (i < CHECKS && (strlen(names[i]) != n || strncmp(names[i], at, n) != 0))
            i++;
        if (i == CHECKS)
            return diag_error(sink, DIAG_NOWHERE, "for example: --check race,init",
                              "--check %s: \"%.*s\" is none of sync, mem, race, init", text, (int)n, at);
        *checks |= 1u << i;
        at += n;
        if (!*at)
            return 0;
    }
}

bool gpu_checks_need_timing(unsigned checks)
{
    return checks & (GPU_CHECKS_race | GPU_CHECKS_init);
}

void gpu_sanitize(struct gpu *gpu, unsigned checks)
{
    unsigned what =
        (checks & GPU_CHECKS_race ? SANITIZE_RACES : 0) | (checks & GPU_CHECKS_init ? SANITIZE_UNWRITTEN : 0);
    gpu->bounded = checks & GPU_CHECKS_mem;
    if (!what)
        return;
    gpu->sanitize = sanitize_create(what, gpu->store.start, gpu->store.size);
    watch_join(&gpu->observers, sanitize_observer());
}

int gpu_begin_sanitize(struct gpu_run *run)
{
    const struct gpu_launch *l = run->launch;
    if (!run->gpu->sanitize)
        return 0;
    if (run->grid.forms)
        return diag_error(
            run->sink, DIAG_NOWHERE, "take another divergence model: --divergence its",
            "--check race and init know threads by their warp, and under this divergence model threads go "
            "from warp to warp");
    if (l->resume || run->gpu->checkpoint_every)
        return diag_error(run->sink, DIAG_NOWHERE, NULL,
                          "--check race and init know nothing of what was before: they go with no checkpoint");
    sanitize_begin(run->gpu->sanitize, &run->watched, &l->among, l->host_writes, l->context);
    return 0;
}

/* Texts */

/* `file.cu:12`, or the line of the PTX where nothing else is known. */
static void add_line(const struct isa_module *code, uint32_t pc, struct strbuf *out)
{
    const struct isa_instr *instr = &code->instrs[pc];
    uint32_t file, line;
    isa_user_place(code, instr, &file, &line);
    const char *name = line && file < code->file_count ? code->files[file] : code->name;
    const char *slash = name ? strrchr(name, '/') : NULL;
    strbuf_addf(out, "%s:%u", slash ? slash + 1 : name ? name : "PTX", line ? line : instr->line);
}

/* The code of the launch in which the access was. */
static const struct isa_module *code_of(const struct isa_module *present, const struct sanitize_access *a)
{
    return a->launch ? a->launch->module : present;
}

static void add_access(const struct gpu_run *run, const struct sanitize_access *a, const char *verb, struct strbuf *out)
{
    const struct isa_module *code = code_of(run->launch->module->code, a);
    const uint32_t *size = a->launch ? a->launch->block : run->launch->block;
    uint32_t thread = a->warp * run->gpu->machine.sm.warp_size + a->lane;
    strbuf_addf(out, "\n  %s by thread (%u,%u,%u) of block (%u,%u,%u) ", verb, thread % size[0],
                thread / size[0] % size[1], thread / (size[0] * size[1]), a->block[0], a->block[1], a->block[2]);
    if (a->launch)
        strbuf_addf(out, "of kernel %s, which was launched before, ", a->launch->kernel);
    strbuf_add(out, "at ");
    waits_pos(code, a->pc, out);
    strbuf_add(out, ": ");
    isa_disasm_instr(code, isa_function_at(code, a->pc), &code->instrs[a->pc], out);
}

static bool is_mbarrier(const struct isa_module *present, const struct sanitize_access *a)
{
    return isa_op_info((enum isa_op)code_of(present, a)->instrs[a->pc].op)->flags & ISA_FLAG_MBARRIER && !a->copies;
}

static const char *verb_of(const struct isa_module *code, const struct sanitize_access *a)
{
    const struct isa_instr *instr = &code_of(code, a)->instrs[a->pc];
    if (a->copies)
        return a->writes ? "written by a copy that was asked for" : "read by a copy that was asked for";
    if (is_mbarrier(code, a))
        return isa_looks_at_mbarrier(instr) ? "looked at" : "changed";
    bool atomic = isa_op_info((enum isa_op)instr->op)->flags & ISA_FLAG_ATOMIC;
    return atomic ? "changed by an atomic" : a->writes ? "written" : "read";
}

static const char *noun_of(const struct isa_module *code, const struct sanitize_access *a)
{
    bool atomic = isa_op_info((enum isa_op)code_of(code, a)->instrs[a->pc].op)->flags & ISA_FLAG_ATOMIC;
    return a->copies              ? "copy"
           : is_mbarrier(code, a) ? "operation"
           : atomic               ? "atomic"
           : a->writes            ? "write"
                                  : "read";
}

/* The lines of a finding's accesses and of its `via`, and what lies between the two. */
struct lines {
    char *first, *second, *via, *between;
};

static void add_barrier(const char *barrier, const struct lines *lines, struct strbuf *out)
{
    strbuf_addf(out, "a %s between %s would order them", barrier, lines->between);
}

/* Between blocks, and nothing was told by a fence. */
static void add_no_fence(const struct sanitize_finding *f, const struct lines *lines, struct strbuf *out)
{
    bool one = strcmp(lines->first, lines->second) == 0;
    if (f->loose)
        strbuf_addf(out, "make it one atomic (atomicAdd, atomicExch, atomicCAS) at %s%s%s", lines->first,
                    one ? "" : " and ", one ? "" : lines->second);
    else if (f->via != ISA_PC_NONE && f->via > f->first.pc)
        strbuf_addf(out, "a __threadfence() between %s and %s, by which others are told, is missing", lines->first,
                    lines->via);
    else
        strbuf_addf(out,
                    "the first block has told nobody of %s, by a fence and an atomic or volatile store behind it, so "
                    "that the second could not wait for it",
                    lines->first);
}

/* Says which wait is missing behind the first, a copy that nobody has waited for. */
static void add_wait(const struct isa_module *code, const struct sanitize_finding *f, const struct lines *lines,
                     struct strbuf *out)
{
    const struct isa_instr *instr = &code->instrs[f->first.pc];
    strbuf_addf(out, "the copy at %s goes on until it is waited for; before %s ", lines->first, lines->second);
    if (instr->op == ISA_OP_CP_ASYNC)
        strbuf_add(out, "a cp.async.wait_group, or a wait for the mbarrier at which cp.async.mbarrier.arrive arrives, is missing");
    else if (instr->mods.completion == ISA_COMPLETION_GROUP)
        strbuf_addf(out, "a cp.async.bulk.wait_group%s by the thread that asked for it is missing",
                    f->first.writes ? "" : ".read");
    else
        strbuf_add(out, "a wait for the phase of its mbarrier, to which all its bytes belong, is missing");
}

/* Says what is missing between two accesses of which one is a copy's. */
static void add_copy(const struct isa_module *code, const struct sanitize_finding *f, const struct lines *lines,
                     struct strbuf *out)
{
    switch (f->reason) {
    case SANITIZE_NO_COPY_WAIT:
        add_wait(code, f, lines, out);
        return;
    case SANITIZE_UNTOLD_COPY:
        strbuf_addf(out,
                    "the copy at %s is done, but the thread at %s does not know it: it has to wait for the phase of the "
                    "copy's mbarrier in which its last bytes counted, or be told, by a __syncthreads(), by a thread that "
                    "has waited for the copy",
                    lines->first, lines->second);
        return;
    case SANITIZE_EARLY_COPY:
        strbuf_addf(out,
                    "the copy at %s may begin before %s is over: its thread has to wait for the other first, by a "
                    "__syncthreads() or an mbarrier at which that arrives behind %s",
                    lines->second, lines->first, lines->first);
        return;
    default:
        strbuf_addf(out,
                    "a fence.proxy.async between %s and %s is missing, behind which copies in bulk see what threads have "
                    "stored",
                    lines->first, lines->second);
    }
}

/* Says how the two accesses can be ordered. */
static void add_remedy(const struct isa_module *code, const struct sanitize_finding *f, const struct lines *lines,
                       struct strbuf *out)
{
    switch (f->reason) {
    case SANITIZE_NO_COPY_WAIT:
    case SANITIZE_UNTOLD_COPY:
    case SANITIZE_EARLY_COPY:
    case SANITIZE_NO_PROXY_FENCE:
        add_copy(code, f, lines, out);
        return;
    case SANITIZE_NO_STREAM:
        strbuf_addf(out,
                    "nothing orders the two launches: give them to one stream, or let the second one's wait for an event "
                    "behind the first (cudaEventRecord, cudaStreamWaitEvent)");
        return;
    case SANITIZE_NO_DEPENDENCY:
        strbuf_addf(out,
                    "the second launch may begin before the first has ended (programmatic dependent launch); a "
                    "cudaGridDependencySynchronize() (griddepcontrol.wait) before %s would order them: "
                    "griddepcontrol.launch_dependents does not",
                    lines->second);
        return;
    case SANITIZE_NO_CLUSTER:
        add_barrier("barrier.cluster (cluster.sync())", lines, out);
        return;
    case SANITIZE_NO_SYNCWARP:
        add_barrier("__syncwarp()", lines, out);
        return;
    case SANITIZE_NO_BARRIER:
        add_barrier("__syncthreads()", lines, out);
        return;
    case SANITIZE_NARROW_ACCESS:
        strbuf_addf(
            out, "a scope is too narrow: .cta holds inside one block, and these are two; .gpu is needed at %s and %s",
            lines->first, lines->second);
        return;
    case SANITIZE_NARROW_FENCE:
        strbuf_addf(out,
                    "the fence behind %s is too narrow: __threadfence_block(), or .cta, holds inside one block; "
                    "__threadfence(), or .gpu, is needed",
                    lines->first);
        return;
    case SANITIZE_NO_ACQUIRE:
        strbuf_addf(out, "a __threadfence() between %s, which saw what was released, and %s would order them",
                    lines->via, lines->second);
        return;
    case SANITIZE_BARE_LOCK:
        strbuf_addf(out,
                    "a __threadfence() is missing between %s, which takes the lock, and %s: here this thread was the "
                    "first to have it, as the second it may not see what the other wrote",
                    lines->via, lines->first);
        return;
    case SANITIZE_BARE_UNLOCK:
        strbuf_addf(out,
                    "a __threadfence() is missing between %s and %s, which gives the lock back: here this thread was "
                    "the last to have it, a later one may not see what it did",
                    lines->second, lines->via);
        return;
    case SANITIZE_NO_FENCE:
        add_no_fence(f, lines, out);
        return;
    default:
        strbuf_addf(out,
                    "the second block has read nothing that the first wrote behind its fence: before %s it has to "
                    "wait for it, by an atomic or volatile load and a __threadfence()",
                    lines->second);
    }
}

static char *line_text(const struct isa_module *code, uint32_t pc)
{
    struct strbuf text = {0};
    if (pc != ISA_PC_NONE)
        add_line(code, pc, &text);
    else
        strbuf_add(&text, "");
    return text.text;
}

/* "FILE:12 and FILE:14"; where they are one, what is done there. */
static char *between_text(const struct isa_module *code, const struct sanitize_finding *f, const struct lines *lines)
{
    struct strbuf text = {0};
    const char *first = noun_of(code, &f->first), *second = noun_of(code, &f->second);
    if (strcmp(lines->first, lines->second) != 0)
        strbuf_addf(&text, "%s and %s", lines->first, lines->second);
    else if (strcmp(first, second) != 0)
        strbuf_addf(&text, "the %s and the %s at %s", first, second, lines->first);
    else
        strbuf_addf(&text, "one %s and the next at %s", first, lines->first);
    return text.text;
}

/* A read of what nobody has written, in the kernel's parameters. */
static bool is_in_parameters(const struct gpu_run *run, const struct sanitize_finding *f)
{
    return f->reason == SANITIZE_NEVER_WRITTEN && f->space == LOCKSTEP_GLOBAL &&
           gpu_address_of_parameters(run->gpu, f->address);
}

/* An instruction that says that it reads global memory reads no parameters; one that does not say may well. */
static bool is_legal(const struct gpu_run *run, const struct sanitize_finding *f)
{
    const struct isa_instr *instr = &run->launch->module->code->instrs[f->second.pc];
    return is_in_parameters(run, f) && (instr->op != ISA_OP_LD || instr->mods.space != ISA_SPACE_GLOBAL);
}

static void add_hint(const struct isa_module *code, const struct sanitize_finding *f, struct strbuf *out)
{
    struct lines lines = {
        .first = line_text(code_of(code, &f->first), f->first.pc), .second = line_text(code, f->second.pc), .via = line_text(code, f->via)};
    bool mixed = f->first.strong != f->second.strong;
    lines.between = between_text(code, f, &lines);
    if (f->reason == SANITIZE_NEVER_WRITTEN)
        strbuf_addf(out,
                    f->space == LOCKSTEP_LOCAL
                        ? "local memory holds nothing when a thread begins: it has to store there before %s"
                    : f->space == LOCKSTEP_SHARED
                        ? "shared memory holds nothing when a block begins: a thread has to store there before %s"
                        : "write it before %s: the host by cudaMemset or a copy, a kernel by a store",
                    lines.second);
    else
        add_remedy(code, f, &lines, out);
    mixed &= !f->first.copies && !f->second.copies && !is_mbarrier(code, &f->first) && !is_mbarrier(code, &f->second);
    if (mixed && f->reason != SANITIZE_NEVER_WRITTEN)
        strbuf_addf(out, "; or make %s strong too (atomic, volatile)", f->first.strong ? lines.second : lines.first);
    free(lines.first);
    free(lines.second);
    free(lines.via);
    free(lines.between);
}

static void add_place(const struct gpu_run *run, const struct sanitize_finding *f, struct strbuf *out)
{
    bool shared = f->space == LOCKSTEP_SHARED;
    if (f->space == LOCKSTEP_LOCAL) {
        strbuf_addf(out, "%#llx (local memory)", (unsigned long long)f->address);
        return;
    }
    bool known = shared ? gpu_add_shared_place(&run->grid, f->address, out)
                        : gpu_add_place(run->gpu, run->launch->module->code, f->address, out);
    if (!known)
        strbuf_addf(out, "%#llx", (unsigned long long)f->address);
    strbuf_add(out, shared ? " (shared memory)" : "");
}

static void explain(struct gpu_run *run, const struct sanitize_finding *f)
{
    const struct isa_module *code = run->launch->module->code;
    const struct isa_instr *instr = &code->instrs[f->second.pc];
    struct strbuf text = {0}, hint = {0}, behind = {0};
    add_place(run, f, &text);
    if (is_in_parameters(run, f)) {
        strbuf_add(&text, ", where nothing was allocated");
        if (gpu_add_behind(run->gpu, f->address, &behind))
            strbuf_addf(&text, ": %s", strbuf_text(&behind));
        strbuf_free(&behind);
    } else if (f->reason == SANITIZE_NEVER_WRITTEN) {
        strbuf_addf(&text, ": %u bytes that nobody has written", f->bytes);
    } else {
        strbuf_add(&text, f->same_value ? ": a race, in which both write the same value" : ": a race");
        add_access(run, &f->first, verb_of(code, &f->first), &text);
    }
    add_access(run, &f->second, verb_of(code, &f->second), &text);
    if (f->loose)
        strbuf_add(
            &text,
            "\n  volatile accesses: each is whole, but nothing fixes their order, and no thread waits at the word");
    strbuf_addf(&text, "\n  cycle %llu; %llu such access%s", (unsigned long long)(f->cycle - run->start_cycle),
                (unsigned long long)f->count, f->count == 1 ? "" : "es");
    if (!is_in_parameters(run, f))
        add_hint(code, f, &hint);
    struct diag_pos pos = {code->name, instr->line, instr->column};
    if (f->same_value)
        diag_note(run->sink, pos, strbuf_text(&hint), "kernel %s: %s", run->name, strbuf_text(&text));
    else
        diag_error(run->sink, pos, hint.length ? strbuf_text(&hint) : NULL, "kernel %s: %s", run->name, strbuf_text(&text));
    strbuf_free(&text);
    strbuf_free(&hint);
}

void gpu_explain_findings(struct gpu_run *run)
{
    size_t count;
    if (!run->gpu->sanitize)
        return;
    const struct sanitize_finding *findings = sanitize_end(run->gpu->sanitize, &count);
    for (size_t i = 0; i < count; i++) {
        if (is_legal(run, &findings[i]))
            continue;
        explain(run, &findings[i]);
        run->result->findings += !findings[i].same_value;
    }
}

#define LEAKS 8 /* told by name */

void gpu_explain_leaks(const struct gpu *gpu, struct diag_sink *sink)
{
    struct strbuf names_of = {0};
    uint64_t bytes = 0;
    size_t count = 0;
    for (size_t i = 0; i < gpu->labels.count; i++) {
        const struct gpu_label *label = &gpu->labels.items[i];
        if (label->freed)
            continue;
        bytes += label->bytes;
        if (count++ < LEAKS) {
            strbuf_add(&names_of, "\n  ");
            gpu_add_label(label, &names_of);
        }
    }
    if (count > LEAKS)
        strbuf_addf(&names_of, "\n  and %zu more", count - LEAKS);
    if (count)
        diag_note(sink, DIAG_NOWHERE, NULL, "%zu allocation%s never freed (%llu bytes):%s", count,
                  count == 1 ? " was" : "s were", (unsigned long long)bytes, strbuf_text(&names_of));
    strbuf_free(&names_of);
}
