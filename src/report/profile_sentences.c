/* Sentences on a profile: see profile_sentences.h. */
#include "report/profile_sentences.h"

#include <string.h>

#include "report/profile_barriers.h"
#include "report/profile_called.h"
#include "report/profile_load.h"
#include "report/profile_mbarriers.h"
#include "report/profile_parted.h"
#include "report/profile_uses.h"

#define LEAST_SHARE 0.05  /* of the kernel's cycles */
#define LEAST_PARTED 0.15 /* the same of those that are lost to lanes that have parted: some are everywhere */

#define LEAST_IDLE 0.25   /* of the SMs' cycles, for SMs without warps */
#define IDLE_FIRST 0.75   /* from there on they may come before the lines; fewer count half */
#define LEAST_TOLD 0.001  /* of the kernel's cycles, for the line that has most of such a cause */
#define LEAST_SPREAD 0.10 /* of the kernel's cycles, for a cause that is spread over lines */
#define LEAST_OF_CAUSE 0.25 /* of a cause's cycles, for a line to stand for it */

/* What a sentence is about. */
enum about {
    ABOUT_SITE,   /* a site's cycles of a cause; or (cause is PROFILE_LINES_NONE) those for which warps waited for the
                     values that it brings */
    ABOUT_SPREAD, /* the same of all sites, of which `site` has most */
    ABOUT_PARTED, /* those that are lost to lanes that have parted */
    ABOUT_ENDS,   /* warps that have ended and wait for their block */
    ABOUT_IDLE,   /* SMs without warps: cycles as if these were the kernel's */
    ABOUT_FEW     /* SMs with too few warps */
};
struct finding {
    uint64_t cycles;
    uint32_t cause;
    const struct profile_site *site;
    enum about about;
};

/* Of which sites sentences are to tell: not of what they have told already, of threads that wait for words. */
struct finder {
    const struct profile_lines *lines;
    struct profile_told told; /* instructions that take or poll those words */
    struct profile_barriers_report *barriers; /* where sentences have told of waits at barriers for who polls; or NULL */
};

static uint64_t cycles_of(const struct profile_sum *sum, uint32_t cause)
{
    return cause == PROFILE_LINES_NONE ? sum->counts[PROFILE_awaited] : sum->cycles[cause];
}

/* The sentence on a word has told of waits for the answers to its attempts and polls. */
static bool is_waiting(const struct profile_lines *p, uint32_t cause)
{
    return cause == PROFILE_LINES_NONE || !strcmp(p->causes[cause], "atomic");
}

static bool is_told_of(const struct finder *r, uint64_t pc, uint32_t cause)
{
    bool is = false;
    if (is_waiting(r->lines, cause))
        for (size_t i = 0; i < r->told.pcs.count && !is; i++)
            is = r->told.pcs.items[i] == pc;
    return is;
}

/* The instruction of the finding's site that has most of its cycles; NULL: it lies in a function that the site calls.
 */
static const struct profile_instr *main_instr(const struct finder *r, const struct finding *f)
{
    const struct profile_lines *p = r->lines;
    const struct profile_instr *best = NULL;
    for (size_t i = 0; i < p->instrs.count; i++) {
        const struct profile_instr *instr = &p->instrs.items[i];
        bool is_its =
            instr->object && instr->site == (uint32_t)(f->site - p->sites.items) && !is_told_of(r, i, f->cause);
        if (is_its && (!best || cycles_of(&instr->sum, f->cause) > cycles_of(&best->sum, f->cause)))
            best = instr;
    }
    return best;
}

/* The function of a header that the users' line of an instruction calls, or NULL. */
static const char *header_function(const struct profile_site *site, const struct profile_instr *instr)
{
    const json_t *places = instr ? json_object_get(instr->object, "places") : NULL;
    size_t user = profile_uses_user_place(places);
    if (!instr)
        return site->by;
    return user ? json_string_value(json_object_get(json_array_get(places, user - 1), "function")) : NULL;
}

static void add_place(const struct profile_lines *p, const struct profile_site *site, const struct profile_instr *instr,
                      struct strbuf *out)
{
    const struct profile_line *line = &p->lines.items[site->line], *outer = &p->lines.items[site->outer];
    const char *by = header_function(site, instr);
    struct strbuf around = {0}, from = {0}, before = {0};
    strbuf_addf(out, "%s:%u", profile_uses_base_name(line->file), line->number);
    strbuf_addf(&before, "%s:%u", profile_uses_base_name(outer->file), outer->number);
    if (outer != line)
        strbuf_addf(&around, "called from %s", strbuf_text(&before));
    profile_called_add_from(p, site->first, strbuf_text(&before), &from);
    if (from.length)
        strbuf_addf(&around, "%s%s", around.length ? ", in a function " : "", strbuf_text(&from));
    if (by || around.length)
        strbuf_addf(out, " (%s%s%s)", by ? by : "", by && around.length ? ", " : "", strbuf_text(&around));
    strbuf_free(&around);
    strbuf_free(&from);
    strbuf_free(&before);
}

/* How the accesses of an instruction lie, where that costs something; of a load whose accesses lie well, where its
 * values come from. */
static void add_accesses(const struct profile_sum *sum, bool loads, const char *before, struct strbuf *out)
{
    const uint64_t *n = sum->counts;
    double each = profile_uses_ratio(n[PROFILE_transactions], n[PROFILE_accesses]);
    if (each >= 1.5) {
        strbuf_addf(out, "%s%.1f transactions an access, its lanes ", before, each);
        if (n[PROFILE_apart] < n[PROFILE_accesses])
            strbuf_add(out, "meet at one address");
        else
            strbuf_addf(out, "lie %.0f bytes apart", profile_uses_ratio(n[PROFILE_apart], n[PROFILE_accesses]));
    } else if (n[PROFILE_passes] * 2 >= n[PROFILE_accesses] && n[PROFILE_accesses]) {
        strbuf_addf(out, "%s%.1f passes an access, its lanes meet in banks of shared memory", before,
                    1 + profile_uses_ratio(n[PROFILE_passes], n[PROFILE_accesses]));
    } else if (loads && n[PROFILE_transactions]) {
        strbuf_addf(out, "%s%.0f%% of its transactions hit the L1", before,
                    100 * profile_uses_ratio(n[PROFILE_hits], n[PROFILE_transactions]));
    } else {
        return;
    }
    if (n[PROFILE_l2_misses] * 2 >= n[PROFILE_l2_accesses] && n[PROFILE_l2_accesses])
        strbuf_addf(out, "; the L2 lacks %.0f%% of what it is asked for",
                    100 * profile_uses_ratio(n[PROFILE_l2_misses], n[PROFILE_l2_accesses]));
}

/* Who comes last to a barrier, and why. */
static void add_last(const struct profile_lines *p, const struct profile_instr *instr, struct strbuf *out)
{
    struct profile_barriers_report *barriers = profile_barriers_read(p->kernels, p->name);
    struct strbuf text = {0};
    const struct profile_barrier_total *barrier = profile_barriers_find(barriers, instr->object);
    if (barrier)
        profile_barriers_add_last(barrier, &text);
    if (text.length)
        strbuf_addf(out, "; %s", strbuf_text(&text));
    strbuf_free(&text);
    profile_barriers_done(barriers);
}

/* For which mbarrier, and what ends its phases. */
static void add_mbarrier(const struct profile_lines *p, const struct profile_instr *instr, struct strbuf *out)
{
    struct profile_mbarriers_report *mbarriers = profile_mbarriers_read(p->kernels, p->name);
    const struct profile_mbarrier_total *mbarrier = profile_mbarriers_find(mbarriers, instr->object);
    struct strbuf last = {0};
    if (mbarrier) {
        strbuf_addf(out, " %s", profile_uses_name(mbarrier->object));
        profile_mbarriers_add_last(mbarrier, &last);
    }
    if (last.length)
        strbuf_addf(out, "; %s", strbuf_text(&last));
    strbuf_free(&last);
    profile_mbarriers_done(mbarriers);
}

static bool is_barrier(const char *cause)
{
    return !strcmp(cause, "barrier") || !strcmp(cause, "cluster");
}

/* The name of an instruction's operation. */
static void add_operation(const struct profile_instr *instr, struct strbuf *out)
{
    const char *text = json_string_value(json_object_get(instr->object, "text"));
    text = text && *text == '@' ? strchr(text, ' ') : text;
    text = text ? text + strspn(text, " ") : "";
    strbuf_addn(out, text, strcspn(text, " ;"));
}

/* The name of its operation begins so. */
static bool is_op(const struct profile_instr *instr, const char *name)
{
    const char *text = json_string_value(json_object_get(instr->object, "text"));
    text = text && *text == '@' ? strchr(text, ' ') : text;
    return text && !strncmp(text + strspn(text, " "), name, strlen(name));
}

/* Where a loop's loads wait for one another: what brings the address. */
static void add_address_from(const struct profile_instr *instr, struct strbuf *out)
{
    const json_t *from = json_object_get(instr->object, "address_from");
    if (!from)
        return;
    if (profile_uses_number(from, "pc") == profile_uses_number(instr->object, "pc")) {
        strbuf_add(out, "; its address comes from its value of the round before");
        return;
    }
    strbuf_add(out, "; its address comes from what the load of ");
    profile_uses_add_place(from, false, out);
    strbuf_add(out, " brings");
}

static void add_awaited(const struct finder *r, const struct finding *f, struct strbuf *out)
{
    const struct profile_lines *p = r->lines;
    const struct profile_instr *instr = main_instr(r, f);
    const struct profile_sum *sum = instr ? &instr->sum : &f->site->sum;
    bool loads = instr && sum->counts[PROFILE_accesses];
    strbuf_addf(out, "wait for the value that %s ",
                !loads                  ? "line"
                : is_op(instr, "atom")  ? "the atomic of"
                : is_op(instr, "ld.local") ? "the load from local memory of"
                                           : "the load of");
    add_place(p, f->site, instr, out);
    strbuf_add(out, loads ? " brings" : " computes");
    if (loads)
        add_accesses(sum, true, ": ", out);
    if (loads)
        add_address_from(instr, out);
    else if (instr) {
        strbuf_add(out, ", by ");
        add_operation(instr, out);
    }
}

static void add_cause(const struct finder *r, const struct finding *f, struct strbuf *out)
{
    const struct profile_lines *p = r->lines;
    const struct profile_instr *instr = main_instr(r, f);
    strbuf_add(out, "go to ");
    add_place(p, f->site, instr, out);
    strbuf_addf(out, ": %s", profile_cause_words(p->causes[f->cause]));
    if (instr && is_barrier(p->causes[f->cause]))
        add_last(p, instr, out);
    else if (instr && !strcmp(p->causes[f->cause], "mbarrier"))
        add_mbarrier(p, instr, out);
    else if (instr)
        add_accesses(&instr->sum, false, "; ", out);
}

/* Turns of the load/store unit that accesses take, about: transactions, and accesses of shared memory with their
 * further passes. */
static uint64_t turns_of(const struct profile_sum *sum)
{
    const uint64_t *n = sum->counts;
    return (n[PROFILE_transactions] > n[PROFILE_accesses] ? n[PROFILE_transactions] : n[PROFILE_accesses]) +
           n[PROFILE_passes];
}

/* The cause is a busy load/store unit, and the site takes turns of it. */
static bool is_busy(const struct profile_lines *p, const struct finding *f)
{
    return f->site && f->cause != PROFILE_LINES_NONE && !strcmp(p->causes[f->cause], "structural_mem") &&
           turns_of(&f->site->sum);
}

/* The instruction of the finding's site that takes most turns; NULL: it lies in a function that the site calls. */
static const struct profile_instr *busiest_instr(const struct profile_lines *p, const struct finding *f)
{
    const struct profile_instr *best = NULL;
    for (size_t i = 0; i < p->instrs.count; i++) {
        const struct profile_instr *instr = &p->instrs.items[i];
        bool is_its = instr->object && instr->site == (uint32_t)(f->site - p->sites.items);
        if (is_its && (!best || turns_of(&instr->sum) > turns_of(&best->sum)))
            best = instr;
    }
    return best;
}

static void add_busy(const struct profile_lines *p, const struct finding *f, struct strbuf *out)
{
    const struct profile_instr *instr = busiest_instr(p, f);
    uint64_t turns = 0;
    for (size_t i = 0; i < p->sites.count; i++)
        turns += turns_of(&p->sites.items[i].sum);
    strbuf_addf(out, "wait for the load/store unit, %.0f%% of whose turns ",
                100 * profile_uses_ratio(turns_of(&f->site->sum), turns));
    add_place(p, f->site, instr, out);
    strbuf_add(out, " takes");
    if (instr)
        add_accesses(&instr->sum, false, ": ", out);
}

/* A cause that no line stands for: with the one that has most of it. */
static void add_spread(const struct finder *r, const struct finding *f, struct strbuf *out)
{
    const struct profile_lines *p = r->lines;
    struct finding most = *f;
    uint64_t own = cycles_of(&f->site->sum, f->cause);
    most.about = ABOUT_SITE;
    if (f->cause == PROFILE_LINES_NONE)
        strbuf_add(out, "wait for values");
    else
        strbuf_addf(out, "go to: %s", profile_cause_words(p->causes[f->cause]));
    strbuf_addf(out, ", at many of %zu lines", p->lines.count);
    if (profile_uses_ratio(own, p->sum.total) >= LEAST_TOLD) {
        strbuf_addf(out, ": no more than %.1f%% at ", 100 * profile_uses_ratio(own, p->sum.total));
        add_place(p, f->site, main_instr(r, &most), out);
    }
    if (f->cause != PROFILE_LINES_NONE && !strcmp(p->causes[f->cause], "fetch"))
        strbuf_addf(out, "; its code is %zu instructions long", p->instrs.count);
}

static void add_ends(const struct profile_lines *p, struct strbuf *out)
{
    struct profile_ends *ends = profile_ends_read(p->kernels, p->name);
    strbuf_add(out, "are of warps that have ended and wait for their block: ");
    profile_ends_add_last(ends, out);
    profile_ends_done(ends);
}

/* The sentence does not begin with a share of warp-cycles. True: it is written. */
static bool add_load(const struct profile_lines *p, const struct finding *f, struct strbuf *out)
{
    if (f->about == ABOUT_IDLE)
        profile_load_add_idle(p, out);
    else if (f->about == ABOUT_FEW)
        profile_load_add_few(p, out);
    else
        return false;
    strbuf_add(out, ".");
    return true;
}

static void add_finding(const struct finder *r, const struct finding *f, struct strbuf *out)
{
    const struct profile_lines *p = r->lines;
    if (add_load(p, f, out))
        return;
    strbuf_addf(out, "%.0f%% of warp-cycles ", 100 * profile_uses_ratio(f->cycles, p->sum.total));
    if (f->about == ABOUT_PARTED)
        profile_parted_add(p, out);
    else if (f->about == ABOUT_ENDS)
        add_ends(p, out);
    else if (f->about == ABOUT_SPREAD)
        add_spread(r, f, out);
    else if (f->cause == PROFILE_LINES_NONE)
        add_awaited(r, f, out);
    else if (is_busy(p, f))
        add_busy(p, f, out);
    else
        add_cause(r, f, out);
    strbuf_add(out, ".");
}

/* Of a site's cycles of a cause, those of instructions that sentences have told of. */
static uint64_t told_cycles(const struct finder *r, uint32_t site, uint32_t cause)
{
    uint64_t cycles = 0;
    if (r->barriers && cause != PROFILE_LINES_NONE && !strcmp(r->lines->causes[cause], "barrier"))
        for (size_t i = 0; i < r->barriers->of.count; i++) {
            const struct profile_barrier_total *barrier = &r->barriers->of.items[i];
            const struct profile_instr *instr = &r->lines->instrs.items[barrier->pc];
            cycles += instr->object && instr->site == site ? barrier->counts[PROFILE_BARRIER_polling] : 0;
        }
    if (is_waiting(r->lines, cause))
        for (size_t i = 0; i < r->told.pcs.count; i++) {
            uint64_t pc = r->told.pcs.items[i];
            const struct profile_instr *instr = pc < r->lines->instrs.count ? &r->lines->instrs.items[pc] : NULL;
            cycles += instr && instr->object && instr->site == site ? cycles_of(&instr->sum, cause) : 0;
        }
    return cycles;
}

/* The site that has most cycles of a cause. There is one. */
static struct finding find_site(const struct finder *r, uint32_t cause)
{
    const struct profile_lines *p = r->lines;
    struct finding f = {.cause = cause, .site = p->sites.items};
    for (size_t i = 0; i < p->sites.count; i++) {
        uint64_t cycles = cycles_of(&p->sites.items[i].sum, cause) - told_cycles(r, (uint32_t)i, cause);
        if (cycles > f.cycles)
            f = (struct finding){.cycles = cycles, .cause = cause, .site = &p->sites.items[i]};
    }
    return f;
}

/* The site that has most cycles of a cause; or all that have some, if it has few of them. */
static struct finding find_cause(const struct finder *r, uint32_t cause)
{
    const struct profile_lines *p = r->lines;
    struct finding f = find_site(r, cause);
    uint64_t all = 0;
    for (size_t i = 0; i < p->sites.count; i++)
        all += cycles_of(&p->sites.items[i].sum, cause) - told_cycles(r, (uint32_t)i, cause);
    if (profile_uses_ratio(f.cycles, all) >= LEAST_OF_CAUSE ||
        profile_uses_ratio(all, p->sum.total) < LEAST_SPREAD)
        return f;
    f.cycles = all;
    f.about = ABOUT_SPREAD;
    return f;
}

/* Warps wait for a busy load/store unit at whatever access they come to; who keeps it busy is the site whose accesses
 * take most turns. All waits are told with that one, if there is one. */
static struct finding find_busy(const struct finder *r, uint32_t cause)
{
    const struct profile_lines *p = r->lines;
    struct finding f = {.cycles = p->sum.cycles[cause], .cause = cause, .site = p->sites.items};
    for (size_t i = 0; i < p->sites.count; i++)
        if (turns_of(&p->sites.items[i].sum) > turns_of(&f.site->sum))
            f.site = &p->sites.items[i];
    return is_busy(p, &f) ? f : find_cause(r, cause);
}

/* Waits for values are told by where these come from; and work is no finding. */
static bool is_told(const char *cause)
{
    return strcmp(cause, "issued") && strcmp(cause, "unpicked") && strcmp(cause, "exit") &&
           strncmp(cause, "data_", 5) != 0;
}

/* Goes on to the next sentence if there is one. */
static void told(struct profile_sentences *s)
{
    s->count += s->texts[s->count].length > 0;
}

/* Of the cycles of warps that have ended those for which others of their block may be to blame: a block may go on for
 * what its last warp has asked for. */
static uint64_t cycles_of_ends(const struct profile_lines *p, uint64_t cycles)
{
    struct profile_ends *ends = profile_ends_read(p->kernels, p->name);
    const uint64_t *n = ends->as.counts;
    uint64_t most = (uint64_t)((double)n[PROFILE_BARRIER_spread] *
                               profile_uses_ratio(n[PROFILE_BARRIER_came], n[PROFILE_BARRIER_opened]));
    profile_ends_done(ends);
    return most < cycles ? most : cycles;
}

/* What is no site's: lanes that have parted, ends of blocks, and what the kernel leaves of its machine. Returns how many
 * there are. */
static unsigned find_others(const struct finder *r, struct finding *found)
{
    const struct profile_lines *p = r->lines;
    uint64_t parted = profile_parted_cycles(p);
    uint32_t exit = profile_lines_cause(p, "exit");
    double idle = profile_load_idle(p);
    unsigned count = 0;
    if (profile_uses_ratio(parted, p->sum.total) >= LEAST_PARTED)
        found[count++] = (struct finding){.cycles = parted, .about = ABOUT_PARTED};
    if (exit != PROFILE_LINES_NONE)
        found[count++] = (struct finding){.cycles = cycles_of_ends(p, p->sum.cycles[exit]), .about = ABOUT_ENDS};
    if (idle >= LEAST_IDLE)
        found[count++] = (struct finding){
            .cycles = (uint64_t)((idle < IDLE_FIRST ? idle / 2 : idle) * (double)p->sum.total), .about = ABOUT_IDLE};
    found[count++] = (struct finding){.cycles = profile_load_few(p), .about = ABOUT_FEW};
    return count;
}

#define OTHERS 4

/* Sentences on what costs most, while there is room. */
static void add_findings(struct profile_sentences *s, const struct finder *r)
{
    const struct profile_lines *lines = r->lines;
    struct finding found[PROFILE_LINES_CAUSES + 1 + OTHERS];
    unsigned count = 0;
    found[count++] = find_cause(r, PROFILE_LINES_NONE);
    for (uint32_t c = 0; c < lines->cause_count; c++)
        if (is_told(lines->causes[c]))
            found[count++] = find_busy(r, c);
    count += find_others(r, found + count);
    for (unsigned n = 0; s->count < PROFILE_SENTENCES && n < count; n++) {
        unsigned best = n;
        for (unsigned i = n + 1; i < count; i++)
            best = found[i].cycles > found[best].cycles ? i : best;
        struct finding f = found[best];
        found[best] = found[n];
        found[n] = f;
        if (profile_uses_ratio(f.cycles, lines->sum.total) < LEAST_SHARE)
            return;
        add_finding(r, &f, &s->texts[s->count]);
        told(s);
    }
}

void profile_sentences_init(struct profile_sentences *s, const struct profile_lines *lines,
                            const struct profile_words_report *words, const struct profile_polls_report *polls,
                            const struct profile_sharing_report *sharing)
{
    struct finder r = {.lines = lines};
    bool early = profile_sharing_is_early(sharing);
    *s = (struct profile_sentences){0};
    if (!lines->sum.total)
        return;
    profile_words_add_sentence(words, lines, &r.told, &s->texts[s->count]);
    told(s);
    profile_polls_add_sentence(polls, lines, &r.told, &s->texts[s->count]);
    told(s);
    if (early)
        profile_sharing_add_sentence(sharing, lines->sum.total, &s->texts[s->count]);
    told(s);
    r.barriers = r.told.polls ? profile_barriers_read(lines->kernels, lines->name) : NULL;
    add_findings(s, &r);
    vec_free(&r.told.pcs);
    if (r.barriers)
        profile_barriers_done(r.barriers);
    if (early || s->count == PROFILE_SENTENCES)
        return;
    profile_sharing_add_sentence(sharing, lines->sum.total, &s->texts[s->count]);
    told(s);
}

void profile_sentences_free(struct profile_sentences *s)
{
    for (unsigned i = 0; i < PROFILE_SENTENCES; i++)
        strbuf_free(&s->texts[i]);
}
