/* A profile as JSON: see result_json.h. */
#include "gpu/result_json.h"

#include <stdlib.h>

#include "gpu/profile_graph_json.h"
#include "profile/chains.h"
#include "profile/profile.h"

#define MOST_PLACES 64 /* of an instruction */

static json_t *place_json(const struct isa_module *module, uint32_t file, uint32_t line, const char *function)
{
    json_t *place = json_object();
    struct strbuf name = {0};
    json_object_set_new(place, "file", json_string(module->files[file]));
    json_object_set_new(place, "line", json_integer(line));
    if (function)
        isa_plain_name(function, &name);
    json_object_set_new(place, "function", function ? json_string(strbuf_text(&name)) : json_null());
    strbuf_free(&name);
    return place;
}

static bool is_place(const struct isa_module *module, uint32_t file, uint32_t line)
{
    return file && file < module->file_count && module->files[file] && line;
}

/* Lines of the sources, from the instruction's own outwards over the calls in whose place its code stands. */
static json_t *places_json(const struct isa_module *module, uint32_t pc)
{
    const struct isa_instr *instr = &module->instrs[pc];
    uint32_t file = instr->source_file, line = instr->source_line, inlined = instr->inlined;
    json_t *places = json_array();
    for (unsigned n = 0; is_place(module, file, line) && n < MOST_PLACES; n++) {
        const struct isa_inlined *call = inlined ? &module->inlined[inlined] : NULL;
        const char *function = call ? call->function : isa_function_at(module, pc)->name;
        json_array_append_new(places, place_json(module, file, line, function));
        if (!call)
            break;
        file = call->file;
        line = call->line;
        inlined = call->outer;
    }
    return places;
}

static void set_counted(json_t *object, const char *name, uint64_t value)
{
    if (value)
        json_object_set_new(object, name, json_integer((json_int_t)value));
}

/* All of a table's counts, under their names. */
static void set_counts(json_t *object, const char *(*name)(unsigned), const uint64_t *counts, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        json_object_set_new(object, name(i), json_integer((json_int_t)counts[i]));
}

json_t *gpu_instruction_json(const struct isa_module *module, uint32_t pc)
{
    struct strbuf text = {0};
    json_t *object = json_object();
    isa_disasm_instr(module, isa_function_at(module, pc), &module->instrs[pc], &text);
    json_object_set_new(object, "pc", json_integer(pc));
    json_object_set_new(object, "text", json_string(strbuf_text(&text)));
    json_object_set_new(object, "ptx_file", json_string(module->name ? module->name : ""));
    json_object_set_new(object, "ptx_line", json_integer(module->instrs[pc].line));
    json_object_set_new(object, "places", places_json(module, pc));
    strbuf_free(&text);
    return object;
}

/* Adds what is counted of an instruction or of a context. */
static void set_row(json_t *object, const struct profile *profile, const uint64_t *row)
{
    json_t *counts = json_object(), *cycles = json_object();
    for (unsigned i = 0; i < PROFILE_COUNTS; i++)
        set_counted(counts, profile_count_name((enum profile_count)i), row[i]);
    for (unsigned c = 0; c < profile->causes; c++)
        set_counted(cycles, profile->cause_names[c], row[PROFILE_COUNTS + c]);
    json_object_set_new(object, "counts", counts);
    json_object_set_new(object, "cycles", cycles);
}

#define LEAST_AWAITED 100 /* of a kernel's warp-cycles, one in so many: for the search for what a load's address is from */

/* total: warp-cycles of the kernel. */
static json_t *instruction_json(const struct profile *profile, uint32_t pc, uint64_t total)
{
    const uint64_t *row = profile_row(profile, pc);
    json_t *object = gpu_instruction_json(profile->module, pc);
    set_row(object, profile, row);
    uint32_t from = ISA_PC_NONE;
    if (row[PROFILE_awaited] > total / LEAST_AWAITED)
        from = profile_address_from(profile->module, pc);
    if (from != ISA_PC_NONE)
        json_object_set_new(object, "address_from", gpu_use_json(profile->module, from));
    return object;
}

static bool has_counts(const struct profile *profile, uint32_t pc)
{
    const uint64_t *row = profile_row(profile, pc);
    for (unsigned i = 0; i < PROFILE_COUNTS + profile->causes; i++)
        if (row[i])
            return true;
    return false;
}

json_t *gpu_use_json(const struct isa_module *module, uint32_t pc)
{
    json_t *use = json_object();
    json_object_set_new(use, "pc", json_integer(pc));
    json_object_set_new(use, "ptx_line", json_integer(module->instrs[pc].line));
    json_object_set_new(use, "places", places_json(module, pc));
    return use;
}

/* A context, with the call that leads into it. */
static json_t *call_json(const struct profile *profile, const struct profile_call *call)
{
    const struct profile_context *context = &call->context;
    const struct isa_function *callee = isa_function_at(profile->module, context->entry);
    struct strbuf name = {0};
    json_t *object = gpu_use_json(profile->module, context->call);
    isa_plain_name(callee->name, &name);
    json_object_set_new(object, "outer", json_integer(context->outer));
    json_object_set_new(object, "function", json_string(strbuf_text(&name)));
    json_object_set_new(object, "first", json_integer(callee->first));
    json_object_set_new(object, "count", json_integer(callee->count));
    set_row(object, profile, call->counts);
    strbuf_free(&name);
    return object;
}

static json_t *calls_json(const struct profile *profile)
{
    json_t *calls = json_array();
    for (uint32_t i = 0; i < profile->calls.count; i++)
        json_array_append_new(calls, call_json(profile, &profile->calls.of[i]));
    return calls;
}

/* Instructions of a word. pcs: `most` at most, pc + 1, 0 ends. */
static json_t *uses_json(const struct isa_module *module, const uint32_t *pcs, unsigned most)
{
    json_t *uses = json_array();
    for (unsigned i = 0; i < most && pcs[i]; i++)
        json_array_append_new(uses, gpu_use_json(module, pcs[i] - 1));
    return uses;
}

/* The instructions that take a word, with what is known of each. */
static json_t *takes_json(const struct isa_module *module, const struct profile_word *word)
{
    json_t *takes = uses_json(module, word->takes, PROFILE_WORD_PCS);
    for (size_t i = 0; i < json_array_size(takes); i++)
        set_counts(json_array_get(takes, i), profile_take_name, word->by_take[i], PROFILE_TAKE_COUNTS);
    return takes;
}

/* An object that says which word it is about. */
static json_t *place_of_word_json(const char *name, uint32_t space, uint64_t address)
{
    json_t *object = json_object();
    json_object_set_new(object, "name", json_string(name));
    json_object_set_new(object, "space", json_string(space == LOCKSTEP_SHARED ? "shared" : "global"));
    json_object_set_new(object, "address", json_integer((json_int_t)address));
    return object;
}

/* The word of that number. */
static json_t *word_json(const struct profile *profile, uint32_t number)
{
    const struct isa_module *module = profile->module;
    const struct profile_word_sum *sum = &profile->words.of[number];
    const struct profile_word *word = &sum->word;
    json_t *object = place_of_word_json(sum->name, word->space, word->address);
    set_counts(object, profile_word_name, word->counts, PROFILE_WORD_COUNTS);
    json_object_set_new(object, "handed", json_integer((json_int_t)sum->handed));
    json_object_set_new(object, "handovers", json_integer((json_int_t)sum->handovers));
    json_object_set_new(object, "most_waited", json_integer(sum->most_waited));
    json_object_set_new(object, "takes", takes_json(module, word));
    json_object_set_new(object, "gives", uses_json(module, word->gives, PROFILE_WORD_PCS));
    json_object_set_new(object, "looked_at", uses_json(module, sum->looked_at, PROFILE_WORD_PCS));
    if (!word->counts[PROFILE_WORD_given])
        json_object_set_new(object, "written_at", uses_json(module, sum->written_at, PROFILE_WORD_PCS));
    return object;
}

static json_t *words_json(const struct profile *profile)
{
    json_t *words = json_array();
    for (uint32_t i = 0; i < profile->words.count && i < PROFILE_SHOWN; i++)
        json_array_append_new(words, word_json(profile, i));
    gpu_graphs_json(profile, words);
    return words;
}

#define MOST_DIDS 16 /* of a barrier: lines at which warps were before they came, with a cause each */

/* Two instructions of one line, in the place of one call. */
static bool same_line(const struct isa_module *module, uint32_t a, uint32_t b)
{
    const struct isa_instr *x = &module->instrs[a], *y = &module->instrs[b];
    return x->source_line && x->source_file == y->source_file && x->source_line == y->source_line &&
           x->inlined == y->inlined;
}

static int by_excess(const void *a, const void *b)
{
    const struct profile_last_did *x = a, *y = b;
    int64_t of_x = (int64_t)(x->last - x->first), of_y = (int64_t)(y->last - y->first);
    return of_x != of_y ? (of_x < of_y ? 1 : -1) : x->at < y->at ? -1 : x->at > y->at;
}

/* Instructions of one line and cause are one, the first: a loop that was unrolled has many. Returns how many there are;
 * to: as many as before. */
static uint32_t add_up_lines(const struct profile *profile, const struct profile_last_did *of, uint32_t count,
                             struct profile_last_did *to)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t n = 0;
        while (n < kept && (profile_did_cause(profile, to[n].at) != profile_did_cause(profile, of[i].at) ||
                            !same_line(profile->module, profile_did_pc(profile, to[n].at),
                                       profile_did_pc(profile, of[i].at))))
            n++;
        if (n == kept) {
            to[kept++] = of[i];
            continue;
        }
        to[n].last += of[i].last;
        to[n].first += of[i].first;
    }
    if (kept)
        qsort(to, kept, sizeof *to, by_excess);
    return kept;
}

/* The lines and causes to which the warps that came last gave their time, beside those that came first. */
static json_t *dids_json(const struct profile *profile, const struct profile_last_did *of, uint32_t all)
{
    json_t *dids = json_array();
    struct profile_last_did *lines = base_malloc((all + 1) * sizeof *lines);
    uint32_t count = add_up_lines(profile, of, all, lines);
    for (uint32_t i = 0; i < count && i < MOST_DIDS; i++) {
        const struct profile_last_did *did = &lines[i];
        json_t *object = gpu_use_json(profile->module, profile_did_pc(profile, did->at));
        json_object_set_new(object, "cause", json_string(profile->cause_names[profile_did_cause(profile, did->at)]));
        json_object_set_new(object, "last", json_integer((json_int_t)did->last));
        json_object_set_new(object, "first", json_integer((json_int_t)did->first));
        json_array_append_new(dids, object);
    }
    free(lines);
    return dids;
}

static json_t *last_warps_json(const struct profile_last_sum *sum)
{
    json_t *warps = json_array();
    for (unsigned i = 0; i < PROFILE_LAST_WARPS; i++) {
        if (!sum->times[i])
            continue;
        json_t *warp = json_object();
        json_object_set_new(warp, "warp", json_integer(i));
        json_object_set_new(warp, "times", json_integer((json_int_t)sum->times[i]));
        json_object_set_new(warp, "cycles", json_integer((json_int_t)sum->cycles[i]));
        json_array_append_new(warps, warp);
    }
    return warps;
}

static json_t *last_block_json(const struct profile_last_block *of)
{
    json_t *block = json_object();
    json_object_set_new(block, "block", gpu_block_json(of->block));
    json_object_set_new(block, "times", json_integer((json_int_t)of->opened));
    json_object_set_new(block, "cycles", json_integer((json_int_t)of->cycles));
    return block;
}

/* Who comes last to the barrier, and what that warp did before. */
static void set_lasts(json_t *object, const struct profile *profile, uint32_t pc)
{
    const struct profile_last_sum none = {0}, *found = profile_lasts_find(&profile->lasts, pc);
    const struct profile_last_sum *sum = found ? found : &none;
    json_object_set_new(object, "last_warps", last_warps_json(sum));
    json_object_set_new(object, "last_again", json_integer((json_int_t)sum->again));
    json_object_set_new(object, "last_block", sum->worst.opened ? last_block_json(&sum->worst) : json_null());
    json_object_set_new(object, "last_did", dids_json(profile, sum->dids, sum->did_count));
}

#define MOST_LAST 16 /* of a barrier of several blocks: warps that come last */

/* Who comes last of all blocks, and what its block did before. */
static void set_meeting(json_t *object, const struct profile *profile, const struct profile_meeting *meeting)
{
    json_t *lasts = json_array();
    for (uint32_t i = 0; i < meeting->last_count && i < MOST_LAST; i++) {
        const struct profile_meeting_last *last = &meeting->lasts[i];
        json_t *is = json_object();
        json_object_set_new(is, "block", gpu_block_json(last->block));
        json_object_set_new(is, "warp", json_integer(last->warp));
        json_object_set_new(is, "sm", json_integer(last->sm));
        json_object_set_new(is, "rank", json_integer(last->rank));
        json_object_set_new(is, "times", json_integer((json_int_t)last->times));
        json_object_set_new(is, "cycles", json_integer((json_int_t)last->cycles));
        json_array_append_new(lasts, is);
    }
    json_object_set_new(object, "phases", json_integer((json_int_t)meeting->phases));
    json_object_set_new(object, "late", json_integer((json_int_t)meeting->spread));
    json_object_set_new(object, "last_blocks", lasts);
    json_object_set_new(object, "last_did", dids_json(profile, meeting->dids, meeting->did_count));
}

static json_t *poll_json(const struct profile *profile, const struct profile_poll_sum *sum)
{
    const struct isa_module *module = profile->module;
    const struct profile_poll *poll = &sum->poll;
    json_t *object = place_of_word_json(sum->name, poll->space, poll->address);
    set_counts(object, profile_poll_name, poll->counts, PROFILE_POLL_COUNTS);
    json_object_set_new(object, "handed", json_integer((json_int_t)sum->handed));
    json_object_set_new(object, "handovers", json_integer((json_int_t)sum->handovers));
    json_object_set_new(object, "most_waited", json_integer((json_int_t)sum->most_waited));
    json_object_set_new(object, "polled_at", uses_json(module, poll->polled_at, PROFILE_POLL_PCS));
    json_object_set_new(object, "written_at", uses_json(module, sum->written_at, PROFILE_POLL_PCS));
    if (sum->ended.phases)
        set_meeting(object, profile, &sum->ended);
    return object;
}

static json_t *polls_json(const struct profile *profile)
{
    json_t *polls = json_array();
    for (uint32_t i = 0; i < profile->polls.count && i < PROFILE_SHOWN; i++)
        json_array_append_new(polls, poll_json(profile, &profile->polls.of[i]));
    return polls;
}

/* The sums over words that are not listed, an object for each variable. */
static json_t *rests_json(const struct profile_rests *rests, const char *(*name)(unsigned), unsigned count)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < rests->count; i++) {
        json_t *object = json_pack("{s:s,s:i}", "name", rests->of[i].name, "words", (int)rests->of[i].words);
        set_counts(object, name, rests->of[i].counts, count);
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *barrier_json(const struct profile *profile, uint32_t pc)
{
    const uint64_t *row = profile_barrier_row(profile, pc);
    json_t *object = gpu_use_json(profile->module, pc);
    set_counts(object, profile_barrier_name, row, PROFILE_BARRIER_COUNTS);
    set_lasts(object, profile, pc);
    if (profile->meetings && profile->meetings[pc].phases)
        set_meeting(object, profile, &profile->meetings[pc]);
    return object;
}

/* The ends of blocks, at which warps wait for the last one, as a barrier. */
static json_t *ends_json(const struct profile *profile)
{
    const struct profile_last_ends *ends = &profile->lasts.ends;
    json_t *object = json_pack("{s:I,s:I,s:I,s:I}", "opened", (json_int_t)ends->blocks, "came",
                               (json_int_t)ends->warps, "spread", (json_int_t)ends->spread, "cycles",
                               (json_int_t)ends->cycles);
    json_object_set_new(object, "longest", ends->longest.opened ? last_block_json(&ends->longest) : json_null());
    set_lasts(object, profile, PROFILE_LAST_END);
    return object;
}

static json_t *barriers_json(const struct profile *profile)
{
    json_t *barriers = json_array();
    for (uint32_t pc = 0; pc < profile->instructions; pc++)
        if (profile_barrier_row(profile, pc)[PROFILE_BARRIER_came])
            json_array_append_new(barriers, barrier_json(profile, pc));
    return barriers;
}

/* Which warp of the block ends phases, where, and what it did before. */
static void set_last_arrivals(json_t *object, const struct profile *profile, const struct profile_mbarrier *m)
{
    struct profile_last_did dids[PROFILE_MBARRIER_DIDS];
    json_t *warps = json_array();
    uint32_t count = 0;
    for (unsigned i = 0; i < PROFILE_LAST_WARPS; i++)
        if (m->last_times[i])
            json_array_append_new(warps, json_pack("{s:i,s:I}", "warp", (int)i, "times", (json_int_t)m->last_times[i]));
    for (unsigned i = 0; i < PROFILE_MBARRIER_DIDS; i++)
        if (m->did[i].cycles)
            dids[count++] = (struct profile_last_did){.at = m->did[i].at, .last = m->did[i].cycles};
    json_object_set_new(object, "last_warps", warps);
    json_object_set_new(object, "last_at", gpu_use_json(profile->module, m->last_at - 1));
    json_object_set_new(object, "last_cycles", json_integer((json_int_t)m->did_cycles));
    json_object_set_new(object, "last_did", dids_json(profile, dids, count));
}

static json_t *mbarrier_json(const struct profile *profile, const struct profile_mbarrier_sum *sum)
{
    json_t *object = json_object();
    json_object_set_new(object, "name", json_string(sum->name));
    json_object_set_new(object, "address", json_integer((json_int_t)sum->mbarrier.address));
    for (unsigned i = 0; i < PROFILE_MBARRIER_COUNTS; i++)
        json_object_set_new(object, profile_mbarrier_name((enum profile_mbarrier_count)i),
                            json_integer((json_int_t)sum->mbarrier.counts[i]));
    for (unsigned use = 0; use < PROFILE_MBARRIER_USES; use++)
        json_object_set_new(object, profile_mbarrier_use_name((enum profile_mbarrier_use)use),
                            uses_json(profile->module, sum->mbarrier.pcs[use], PROFILE_MBARRIER_PCS));
    if (sum->mbarrier.last_at)
        set_last_arrivals(object, profile, &sum->mbarrier);
    return object;
}

static json_t *mbarriers_json(const struct profile *profile)
{
    json_t *mbarriers = json_array();
    for (uint32_t i = 0; i < profile->mbarriers.count; i++)
        json_array_append_new(mbarriers, mbarrier_json(profile, &profile->mbarriers.of[i]));
    return mbarriers;
}

static json_t *sms_json(const struct profile *profile)
{
    json_t *sms = json_array();
    for (uint32_t sm = 0; sm < profile->sms; sm++) {
        const uint64_t *row = profile_sm_row(profile, sm);
        json_t *object = json_object(), *cycles = json_object();
        for (unsigned c = 0; c < profile->causes; c++)
            set_counted(cycles, profile->cause_names[c], row[c]);
        json_object_set_new(object, "sm", json_integer(sm));
        json_object_set_new(object, "warp_cycles", cycles);
        json_array_append_new(sms, object);
    }
    return sms;
}

json_t *gpu_profile_json(const struct profile *profile)
{
    json_t *object = json_object(), *instructions = json_array();
    uint64_t total = 0;
    for (size_t i = 0; i < (size_t)profile->sms * profile->causes; i++)
        total += profile->sm_cycles[i];
    for (uint32_t pc = 0; pc < profile->instructions; pc++)
        if (has_counts(profile, pc))
            json_array_append_new(instructions, instruction_json(profile, pc, total));
    json_object_set_new(object, "instructions", instructions);
    json_object_set_new(object, "calls", calls_json(profile));
    json_object_set_new(object, "calls_joined", json_integer((json_int_t)profile->calls.joined));
    json_object_set_new(object, "sms", sms_json(profile));
    json_object_set_new(object, "barriers", barriers_json(profile));
    json_object_set_new(object, "ends", ends_json(profile));
    json_object_set_new(object, "mbarriers", mbarriers_json(profile));
    json_object_set_new(object, "mbarriers_unlisted", json_integer((json_int_t)profile->mbarriers.unlisted));
    json_object_set_new(object, "words", words_json(profile));
    json_object_set_new(object, "words_rest", rests_json(&profile->word_rests, profile_word_name, PROFILE_WORD_COUNTS));
    json_object_set_new(object, "words_unlisted", json_integer((json_int_t)profile->words.unlisted));
    json_object_set_new(object, "sections_unlogged", json_integer((json_int_t)profile->words.unlogged));
    gpu_orders_json(profile, object);
    json_object_set_new(object, "polls", polls_json(profile));
    json_object_set_new(object, "polls_rest", rests_json(&profile->poll_rests, profile_poll_name, PROFILE_POLL_COUNTS));
    json_object_set_new(object, "shared_lines", gpu_shared_json(profile));
    json_object_set_new(object, "polls_unlisted", json_integer((json_int_t)profile->polls.unlisted));
    json_object_set_new(object, "polls_unlogged", json_integer((json_int_t)profile->polls.unlogged));
    return object;
}
