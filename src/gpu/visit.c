/* What visitors of a launch see: everything is read, and nothing changed. */
#include "gpu/visit.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/visit_impl.h"
#include "gpu/waits.h"

#define MOST_GROUPS 64

void gpu_visit_numbers(const struct gpu_visit *visit, struct gpu_visit_numbers *numbers)
{
    const struct gpu_run *run = visit->run;
    const struct gpu *gpu = run->gpu;
    *numbers = (struct gpu_visit_numbers){
        .progress = {.cycle = gpu->cycle - run->start_cycle,
                     .blocks = run->blocks,
                     .seconds = host_seconds() - run->start.seconds},
        .launch = run->grid.launch_number,
        .device_cycle = gpu->cycle,
    };
    for (unsigned i = 0; i < gpu->machine.gpu.sms; i++) {
        numbers->progress.warp_instructions += sm_issued(gpu->sms[i]);
        numbers->progress.blocks_done += sm_blocks_ended(gpu->sms[i]);
        numbers->thread_instructions += sm_threads_issued(gpu->sms[i]);
    }
}

const char *gpu_visit_kernel(const struct gpu_visit *visit)
{
    return visit->run->name;
}

const struct gpu_launch *gpu_visit_launch(const struct gpu_visit *visit)
{
    return visit->run->launch;
}

static json_t *causes_json(const struct warp_causes *causes)
{
    const uint64_t *counts = &causes->issued;
    json_t *object = json_object();
    for (unsigned i = 0; i < WARP_CAUSE_COUNT; i++)
        json_object_set_new(object, warp_cause_names[i], json_integer((json_int_t)counts[i]));
    return object;
}

json_t *gpu_visit_causes(const struct gpu_visit *visit)
{
    const struct gpu *gpu = visit->run->gpu;
    struct warp_causes sum = {0};
    for (unsigned i = 0; i < gpu->machine.gpu.sms; i++) {
        struct warp_causes causes = sm_causes_at(gpu->sms[i], gpu->cycle);
        for (unsigned k = 0; k < WARP_CAUSE_COUNT; k++)
            (&sum.issued)[k] += (&causes.issued)[k];
    }
    return causes_json(&sum);
}

json_t *gpu_result_causes(const struct gpu_result *result)
{
    return causes_json(&result->counters->warps);
}

void gpu_result_numbers(const struct gpu_result *result, struct gpu_visit_numbers *numbers)
{
    *numbers = (struct gpu_visit_numbers){
        .progress = {.cycle = result->cycles,
                     .warp_instructions = gpu_result_warp_instructions(result),
                     .blocks_done = result->counters->sm.blocks,
                     .seconds = result->host.seconds},
        .thread_instructions = gpu_result_thread_instructions(result),
    };
}

/* Warps that stand at the same place for the same cause. */
struct group {
    const struct waits_warp *first;
    uint32_t warps;
};

static uint32_t place_of(const struct waits_warp *node)
{
    return node->kind == WAITS_LOCK ? node->state.last_sync_pc : node->state.pc;
}

static bool belongs(const struct group *group, const struct waits_warp *node)
{
    const struct sm_warp_state *a = &group->first->state, *b = &node->state;
    return place_of(group->first) == place_of(node) && a->cause == b->cause && group->first->kind == node->kind &&
           (node->kind != WAITS_BARRIER || a->barrier == b->barrier);
}

static int by_size(const void *a, const void *b)
{
    const struct group *x = a, *y = b;
    if (x->warps != y->warps)
        return x->warps > y->warps ? -1 : 1;
    return x->first < y->first ? -1 : 1;
}

/* The groups, by size; *count receives how many. */
static struct group *find_groups(const struct waits *w, uint32_t *count)
{
    struct group *groups = ARENA_NEW(w->arena, struct group, w->warp_count + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->warp_count; i++) {
        uint32_t k = 0;
        while (k < n && !belongs(&groups[k], &w->warps[i]))
            k++;
        if (k == n)
            groups[n++] = (struct group){.first = &w->warps[i]};
        groups[k].warps++;
    }
    qsort(groups, n, sizeof *groups, by_size);
    *count = n;
    return groups;
}

/* Text of the program's own: it may hold any bytes, and JSON wants UTF-8. */
static void set_text(json_t *object, const char *name, struct strbuf *text)
{
    json_t *value = json_string(strbuf_text(text));
    for (size_t i = 0; !value && i < text->length; i++)
        if ((unsigned char)text->text[i] >= 0x80)
            text->text[i] = '?';
    json_object_set_new(object, name, value ? value : json_string(strbuf_text(text)));
    strbuf_free(text);
}

/* How many locks or flags the lanes of a group want. */
static uint32_t count_locks(const struct waits *w, const struct group *group)
{
    bool *met = ARENA_NEW(w->arena, bool, w->lock_count + 1);
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->warp_count; i++)
        for (uint32_t k = 0; belongs(group, &w->warps[i]) && k < w->warps[i].claim_count; k++) {
            count += !met[w->warps[i].claims[k].lock];
            met[w->warps[i].claims[k].lock] = true;
        }
    return count;
}

/* What the warps of a group wait for, as far as it is more than the cause says: the first lock of the first warp, and
 * how many others. */
static void add_wish(const struct gpu_run *run, const struct waits *w, const struct group *group, struct strbuf *out)
{
    const struct waits_warp *node = group->first;
    if (node->kind == WAITS_BARRIER)
        waits_add_barrier(&node->state, out);
    if (node->kind != WAITS_LOCK)
        return;
    const struct waits_lock *lock = &w->locks[node->claims[0].lock];
    waits_add_place(w, lock, &run->grid, out);
    if (lock->holder == HOLDER_FREE)
        strbuf_add(out, "; free now");
    else if (lock->holder != HOLDER_UNKNOWN)
        strbuf_addf(out, "; held by block (%u,%u,%u) warp %u lane %u", lock->taken.block[0], lock->taken.block[1],
                    lock->taken.block[2], lock->taken.warp, lock->taken.lane);
    uint32_t others = count_locks(w, group) - 1;
    if (others)
        strbuf_addf(out, "; and %u other addresses", others);
}

static json_t *group_json(const struct gpu_run *run, const struct waits *w, const struct group *group)
{
    const struct sm_warp_state *s = &group->first->state;
    struct strbuf where = {0}, what = {0}, example = {0};
    json_t *object = json_object();
    waits_pos(run->launch->module->code, place_of(group->first), &where);
    add_wish(run, w, group, &what);
    strbuf_addf(&example, "SM %u block (%u,%u,%u) warp %u", group->first->sm, s->block[0], s->block[1], s->block[2],
                s->index);
    json_object_set_new(object, "warps", json_integer(group->warps));
    json_object_set_new(object, "cause", json_string(warp_cause_names[s->cause]));
    json_object_set_new(object, "kind", json_string(waits_words(group->first->kind)->label));
    set_text(object, "where", &where);
    set_text(object, "what", &what);
    set_text(object, "example", &example);
    return object;
}

json_t *gpu_visit_waits(const struct gpu_visit *visit)
{
    struct gpu_run *run = visit->run;
    const struct waits_source source = waits_of_sms(run->gpu);
    struct arena arena = {0};
    struct strbuf text = {0};
    struct waits w;
    uint32_t count;
    json_t *object = json_object(), *list = json_array();
    waits_find(&w, run->gpu, &source, &arena);
    waits_find_writers(&w, gpu_watch_noted_since(visit->watch, run->gpu));
    waits_count_blocks(&w, run->blocks, run->next_block);
    const struct group *groups = find_groups(&w, &count);
    for (uint32_t i = 0; i < count && i < MOST_GROUPS; i++)
        json_array_append_new(list, group_json(run, &w, &groups[i]));
    json_object_set_new(object, "unfinished", json_integer(w.warp_count));
    json_object_set_new(object, "groups", list);
    json_object_set_new(object, "more", json_integer(count > MOST_GROUPS ? count - MOST_GROUPS : 0));
    gpu_describe_waits(run, &w, &text);
    set_text(object, "report", &text);
    arena_free(&arena);
    return object;
}

void gpu_visit_checkpoint(struct gpu_visit *visit)
{
    gpu_checkpoint(visit->run, visit->watch);
}
