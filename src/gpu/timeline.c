/* The timeline of a launch: asked for, and written as lines of JSON (docs/timeline.md). The first line is about the
 * launch; the others are about one SM each: a life with its phases, what it issued when, waits at barriers, locks.
 * Their cycles are those of the launch. */
#include "gpu/timeline.h"

#include <inttypes.h>
#include <stdlib.h>

#include "gpu/gpu_impl.h"
#include "gpu/result_json.h"
#include "profile/sm.h"
#include "profile/words_sm.h"
#include "timeline/sm.h"

void gpu_timeline(struct gpu *gpu, const struct timeline_options *options)
{
    if (!gpu->profiles)
        profile_join(&gpu->observers);
    watch_join(&gpu->observers, timeline_observer());
    gpu->timelines = true;
    gpu->timeline = *options;
}

struct lock {
    uint64_t address;
    uint32_t space;
};

/* One launch on its way to text. */
struct writer {
    const struct gpu_run *run;
    const void **timelines, **profiles; /* states, by SM */
    uint32_t sms;
    uint64_t start;
    bool *used;              /* instructions, by pc, that lines name */
    VEC(struct lock) locks;  /* that lines name */
    VEC(struct lock) wanted; /* that they may name as unfinished */
    VEC(uint32_t) mbarriers; /* that lines name: where they lie */
    struct strbuf lines;     /* but for the first one */
    uint64_t phases_lost, lives_lost, waits_lost, sections_lost;
};

/* Lives */

static void add_life(struct writer *w, uint32_t sm, const struct timeline_life *life)
{
    strbuf_addf(&w->lines,
                "{\"sm\":%u,\"slot\":%u,\"block\":[%u,%u,%u],\"warp\":%u,\"life\":[%" PRIu64 ",%" PRIu64
                "],\"at\":%" PRIu64 ",\"cut\":%s,\"phases\":[",
                sm, life->slot, life->block[0], life->block[1], life->block[2], life->warp, life->from - w->start,
                (life->until ? life->until : w->run->gpu->cycle) - w->start, life->at - w->start,
                life->cut ? "true" : "false");
}

/* The phases of all lives stand in the order in which they ended: `next` leads from each to the next one of its life.
 */
static void add_lives(struct writer *w, uint32_t sm, const struct timeline_sm *s)
{
    uint32_t *first = base_malloc((s->life_count + 1) * sizeof *first);
    uint32_t *next = base_malloc((s->phase_count + 1) * sizeof *next);
    for (uint32_t i = 0; i < s->life_count; i++)
        first[i] = TIMELINE_NONE;
    for (uint32_t i = s->phase_count; i-- > 0;) {
        next[i] = first[s->phases[i].life];
        first[s->phases[i].life] = i;
    }
    for (uint32_t i = 0; i < s->life_count; i++) {
        add_life(w, sm, &s->lives[i]);
        for (uint32_t n = first[i]; n != TIMELINE_NONE; n = next[n]) {
            const struct timeline_phase *phase = &s->phases[n];
            strbuf_addf(&w->lines, "%s%u,%u,%u,%u", n == first[i] ? "" : ",", phase->cycles, phase->cause, phase->pc,
                        phase->own);
            w->used[phase->pc] = true;
        }
        strbuf_add(&w->lines, "]}\n");
    }
    free(first);
    free(next);
}

static void add_issues(struct writer *w, uint32_t sm, const struct timeline_sm *s)
{
    uint32_t count = TIMELINE_BINS;
    while (count && !s->issues[count - 1])
        count--;
    strbuf_addf(&w->lines, "{\"sm\":%u,\"bin\":%" PRIu64 ",\"issues\":[", sm, s->bin);
    for (uint32_t i = 0; i < count; i++)
        strbuf_addf(&w->lines, "%s%u", i ? "," : "", s->issues[i]);
    strbuf_add(&w->lines, "]}\n");
}

/* The number of an mbarrier by where it lies; they are numbered as waits name them. */
static size_t number_of_mbarrier(struct writer *w, uint32_t address)
{
    size_t i = 0;
    while (i < w->mbarriers.count && w->mbarriers.items[i] != address)
        i++;
    if (i == w->mbarriers.count)
        vec_push(&w->mbarriers, address);
    return i;
}

/* The waits at barriers, or for mbarriers. */
static void add_waits(struct writer *w, uint32_t sm, const struct timeline_sm *s, bool mbarriers)
{
    uint32_t shown = 0;
    for (uint32_t i = 0; i < s->wait_count; i++) {
        const struct timeline_wait *wait = &s->waits[i];
        if (!wait->mbarrier == mbarriers)
            continue;
        if (!shown++)
            strbuf_addf(&w->lines, "{\"sm\":%u,\"%s\":[", sm, mbarriers ? "mbarriers" : "barriers");
        strbuf_addf(&w->lines, "%s%u,%" PRIu64 ",%" PRIu64 ",%u", shown > 1 ? "," : "", wait->slot,
                    wait->came - w->start, wait->opened - w->start, wait->pc);
        if (mbarriers)
            strbuf_addf(&w->lines, ",%zu", number_of_mbarrier(w, wait->mbarrier - 1));
        w->used[wait->pc] = true;
    }
    if (shown)
        strbuf_add(&w->lines, "]}\n");
}

/* Locks */

static int by_place(const void *a, const void *b)
{
    const struct lock *x = a, *y = b;
    if (x->space != y->space)
        return x->space < y->space ? -1 : 1;
    return (x->address > y->address) - (x->address < y->address);
}

static bool is_shown(const struct timeline_sm *s, const struct profile_section *section)
{
    return s->wanted && section->given >= s->from && section->since < s->until;
}

/* The words that are locks, or for which threads have waited. Those that threads take and never give back are many in
 * some programs. */
static void find_wanted(struct writer *w)
{
    const struct profile_word_list *words = &w->run->result->profile->words;
    for (uint32_t i = 0; i < words->count; i++) {
        const struct profile_word *word = &words->of[i].word;
        if (word->counts[PROFILE_WORD_waiters] || word->counts[PROFILE_WORD_given])
            vec_push(&w->wanted, (struct lock){word->address, word->space});
    }
    if (w->wanted.count)
        qsort(w->wanted.items, w->wanted.count, sizeof *w->wanted.items, by_place);
}

static bool is_shown_unfinished(const struct writer *w, uint32_t sm, const struct profile_unfinished *unfinished)
{
    const struct timeline_sm *s = w->timelines[sm];
    const struct lock key = {unfinished->address, unfinished->space};
    return s->wanted && unfinished->until >= s->from && unfinished->from < s->until && w->wanted.count &&
           bsearch(&key, w->wanted.items, w->wanted.count, sizeof key, by_place);
}

/* The locks that the timeline names, each once, by address. */
static void find_locks(struct writer *w)
{
    size_t kept = 0;
    for (uint32_t sm = 0; sm < w->sms; sm++) {
        const struct profile_words *words = profile_words_of(w->profiles[sm]);
        for (uint32_t i = 0; i < words->section_count; i++)
            if (is_shown(w->timelines[sm], &words->sections[i]))
                vec_push(&w->locks, (struct lock){words->sections[i].address, words->sections[i].space});
        for (uint32_t i = 0; i < words->unfinished_count; i++)
            if (is_shown_unfinished(w, sm, &words->unfinished[i]))
                vec_push(&w->locks, (struct lock){words->unfinished[i].address, words->unfinished[i].space});
    }
    if (w->locks.count)
        qsort(w->locks.items, w->locks.count, sizeof *w->locks.items, by_place);
    for (size_t i = 0; i < w->locks.count; i++)
        if (!i || by_place(&w->locks.items[i], &w->locks.items[kept - 1]))
            w->locks.items[kept++] = w->locks.items[i];
    w->locks.count = kept;
}

static size_t number_of_lock(const struct writer *w, uint64_t address, uint32_t space)
{
    const struct lock key = {address, space};
    const struct lock *lock = bsearch(&key, w->locks.items, w->locks.count, sizeof key, by_place);
    return (size_t)(lock - w->locks.items);
}

static void add_sections(struct writer *w, uint32_t sm, const struct timeline_sm *s)
{
    const struct profile_words *words = profile_words_of(w->profiles[sm]);
    uint32_t shown = 0;
    for (uint32_t i = 0; i < words->section_count; i++) {
        const struct profile_section *section = &words->sections[i];
        if (!is_shown(s, section))
            continue;
        if (!shown++)
            strbuf_addf(&w->lines, "{\"sm\":%u,\"locks\":[", sm);
        strbuf_addf(&w->lines, "%s%zu,%u,%u,%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%u,%u", shown > 1 ? "," : "",
                    number_of_lock(w, section->address, section->space), section->block, section->warp, section->lane,
                    section->since - w->start, section->taken - w->start, section->given - w->start, section->taken_at,
                    section->given_at);
        w->used[section->taken_at] = w->used[section->given_at] = true;
    }
    if (shown)
        strbuf_add(&w->lines, "]}\n");
}

static void add_unfinished(struct writer *w, uint32_t sm)
{
    const struct profile_words *words = profile_words_of(w->profiles[sm]);
    uint32_t shown = 0;
    for (uint32_t i = 0; i < words->unfinished_count; i++) {
        const struct profile_unfinished *u = &words->unfinished[i];
        if (!is_shown_unfinished(w, sm, u))
            continue;
        if (!shown++)
            strbuf_addf(&w->lines, "{\"sm\":%u,\"unfinished\":[", sm);
        strbuf_addf(&w->lines, "%s%zu,%u,%u,%u,%" PRIu64 ",%" PRIu64, shown > 1 ? "," : "",
                    number_of_lock(w, u->address, u->space), u->warp, u->lane, u->held, u->from - w->start,
                    u->until - w->start);
    }
    if (shown)
        strbuf_add(&w->lines, "]}\n");
}

/* The first line */

static json_t *number(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static json_t *causes_json(const struct lockstep_observed *observed)
{
    json_t *causes = json_array();
    for (uint32_t c = 0; c < observed->cause_count; c++)
        json_array_append_new(causes, json_string(observed->causes[c]));
    return causes;
}

static json_t *instructions_json(const struct writer *w)
{
    const struct isa_module *module = gpu_module_code(w->run->launch->module);
    json_t *instructions = json_array();
    for (uint32_t pc = 0; pc < module->instr_count; pc++)
        if (w->used[pc])
            json_array_append_new(instructions, gpu_instruction_json(module, pc));
    return instructions;
}

static json_t *locks_json(const struct writer *w)
{
    json_t *locks = json_array();
    for (size_t i = 0; i < w->locks.count; i++) {
        const struct lock *lock = &w->locks.items[i];
        char *name = gpu_word_name(w->run, lock->space, lock->address);
        json_t *object = json_object();
        json_object_set_new(object, "name", json_string(name));
        json_object_set_new(object, "space", json_string(lock->space == LOCKSTEP_SHARED ? "shared" : "global"));
        json_object_set_new(object, "address", number(lock->address));
        json_array_append_new(locks, object);
        free(name);
    }
    return locks;
}

static json_t *mbarriers_json(const struct writer *w)
{
    json_t *mbarriers = json_array();
    for (size_t i = 0; i < w->mbarriers.count; i++) {
        char *name = gpu_word_name(w->run, LOCKSTEP_SHARED, w->mbarriers.items[i]);
        json_t *object = json_object();
        json_object_set_new(object, "name", json_string(name));
        json_object_set_new(object, "address", number(w->mbarriers.items[i]));
        json_array_append_new(mbarriers, object);
        free(name);
    }
    return mbarriers;
}

static json_t *lost_json(const struct writer *w)
{
    json_t *lost = json_object();
    json_object_set_new(lost, "phases", number(w->phases_lost));
    json_object_set_new(lost, "lives", number(w->lives_lost));
    json_object_set_new(lost, "barriers", number(w->waits_lost));
    json_object_set_new(lost, "locks", number(w->sections_lost));
    return lost;
}

static json_t *sms_json(const struct writer *w)
{
    json_t *sms = json_array();
    for (uint32_t sm = 0; sm < w->sms; sm++)
        if (((const struct timeline_sm *)w->timelines[sm])->wanted)
            json_array_append_new(sms, json_integer(sm));
    return sms;
}

static json_t *launch_json(const struct writer *w, enum gpu_status status)
{
    const struct gpu *gpu = w->run->gpu;
    const struct gpu_launch *l = w->run->launch;
    const struct lockstep_observed *observed = &w->run->watched.observed;
    const struct timeline_options *options = &gpu->timeline;
    json_t *launch = json_object();
    json_object_set_new(launch, "launch", number(observed->launch));
    json_object_set_new(launch, "name", json_string(l->kernel->name));
    json_object_set_new(launch, "grid",
                        json_pack("[I,I,I]", (json_int_t)l->grid[0], (json_int_t)l->grid[1], (json_int_t)l->grid[2]));
    json_object_set_new(
        launch, "block",
        json_pack("[I,I,I]", (json_int_t)l->block[0], (json_int_t)l->block[1], (json_int_t)l->block[2]));
    json_object_set_new(launch, "status", json_string(gpu_status_name(status)));
    json_object_set_new(launch, "machine", json_string(gpu->machine.name ? gpu->machine.name : ""));
    json_object_set_new(launch, "start", number(w->start));
    json_object_set_new(launch, "cycles", number(w->run->end_cycle - w->start));
    json_object_set_new(launch, "warps", number(observed->warps));
    json_object_set_new(launch, "lanes", number(observed->lanes));
    json_object_set_new(launch, "sms", sms_json(w));
    json_object_set_new(
        launch, "window",
        json_pack("[I,o]", (json_int_t)options->from, options->until ? number(options->until) : json_null()));
    json_object_set_new(launch, "resolution", number(options->resolution));
    json_object_set_new(launch, "lost", lost_json(w));
    json_object_set_new(launch, "causes", causes_json(observed));
    json_object_set_new(launch, "locks", locks_json(w));
    json_object_set_new(launch, "mbarriers", mbarriers_json(w));
    json_object_set_new(launch, "instructions", instructions_json(w));
    json_object_set_new(launch, "profile", gpu_profile_json(w->run->result->profile));
    return launch;
}

static void add_sm(struct writer *w, uint32_t sm)
{
    const struct timeline_sm *s = w->timelines[sm];
    if (!s->wanted)
        return;
    w->phases_lost += s->phases_lost;
    w->lives_lost += s->lives_lost;
    w->waits_lost += s->waits_lost;
    w->sections_lost += profile_words_of(w->profiles[sm])->unlogged;
    add_lives(w, sm, s);
    add_issues(w, sm, s);
    add_waits(w, sm, s, false);
    add_waits(w, sm, s, true);
    add_sections(w, sm, s);
    add_unfinished(w, sm);
}

void gpu_gather_timeline(struct gpu_run *run, enum gpu_status status)
{
    const struct watch_launch *watched = &run->watched;
    struct writer w = {.run = run, .sms = watched->observed.sms, .start = run->start_cycle};
    w.timelines = base_calloc(w.sms, sizeof *w.timelines);
    w.profiles = base_calloc(w.sms, sizeof *w.profiles);
    w.used = base_calloc(watched->observed.instructions + 1, sizeof *w.used);
    watch_launch_states(watched, timeline_observer(), w.timelines);
    watch_launch_states(watched, profile_observer(), w.profiles);
    find_wanted(&w);
    find_locks(&w);
    for (uint32_t sm = 0; sm < w.sms; sm++)
        add_sm(&w, sm);
    json_t *launch = launch_json(&w, status);
    char *first = json_dumps(launch, JSON_COMPACT);
    struct strbuf text = {0};
    strbuf_addf(&text, "%s\n", first ? first : "{}");
    strbuf_addn(&text, strbuf_text(&w.lines), w.lines.length);
    run->result->timeline = text.text; /* the result's now */
    free(first);
    json_decref(launch);
    strbuf_free(&w.lines);
    vec_free(&w.locks);
    vec_free(&w.mbarriers);
    vec_free(&w.wanted);
    free(w.timelines);
    free(w.profiles);
    free(w.used);
}
