/* A launch as a stream of numbers and texts: see timeline_code.h. A number has seven bits in each byte, the lowest
 * first, and the eighth bit while there are more; a text is its length and its bytes. Behind the launch's tables come
 * its SMs, each a piece of its own, so that one that has no room is left out whole.
 *
 *   launch: name, cycles, from, until, causes {words, name, colour}, locks {name}, mbarriers {name}, places {text},
 *           instructions {place, text}, phases of all SMs, SMs {number, lives, barriers, sections, unfinished}
 *   life: slot, block x, y, z, warp, cut, from, length, phases' begin behind from, phases {cycles, cause, instruction,
 *         cycles at other causes}
 *   barrier: slot, came, length, instruction, number of the mbarrier + 1 or 0
 *   section: slot, lane, lock, began to wait, wait, held, instructions that took and gave
 *   unfinished: slot, lane, lock, held, from, length */
#include "report/timeline_code.h"

#include <string.h>

#include "base/strmap.h"
#include "profile/profile.h"

#define NONE UINT32_MAX

static void number(struct strbuf *out, uint64_t value)
{
    char bytes[10];
    size_t n = 0;
    for (; value >= 128; value >>= 7)
        bytes[n++] = (char)((value & 127) | 128);
    bytes[n++] = (char)value;
    strbuf_addn(out, bytes, n);
}

static void text(struct strbuf *out, const char *s)
{
    size_t length = strlen(s);
    number(out, length);
    strbuf_addn(out, s, length);
}

/* How many of a list there are, then these. */
static void list(struct strbuf *out, size_t count, const struct strbuf *items)
{
    number(out, count);
    strbuf_addn(out, strbuf_text(items), items->length);
}

/* Tables of the launch */

static unsigned colour_of(const struct timeline_code *code, const char *cause, unsigned *more)
{
    for (unsigned i = 0; i < code->order_count; i++)
        if (!strcmp(code->order[i], cause))
            return i;
    return code->order_count + (*more)++;
}

static void add_causes(struct timeline_code *code)
{
    unsigned more = 0;
    number(&code->bytes, code->launch->causes);
    for (uint32_t i = 0; i < code->launch->causes; i++) {
        const char *name = timeline_read_cause(code->launch, i);
        text(&code->bytes, profile_cause_words(name));
        text(&code->bytes, name);
        number(&code->bytes, colour_of(code, name, &more));
    }
}

static void add_locks(struct timeline_code *code)
{
    number(&code->bytes, code->launch->locks);
    for (uint32_t i = 0; i < code->launch->locks; i++)
        text(&code->bytes, timeline_read_lock(code->launch, i));
    number(&code->bytes, code->launch->mbarriers);
    for (uint32_t i = 0; i < code->launch->mbarriers; i++)
        text(&code->bytes, timeline_read_mbarrier(code->launch, i));
}

/* Instructions that the file names; numbers: theirs in the code, by pc. */
static void add_instructions(struct timeline_code *code, uint32_t *numbers)
{
    const struct timeline_read_launch *l = code->launch;
    struct strbuf places = {0}, instrs = {0};
    struct strmap known = {0};
    uint32_t place_count = 0, count = 0;
    for (size_t pc = 0; pc < l->instructions.count; pc++) {
        if (!l->instructions.items[pc])
            continue;
        struct strbuf place = {0};
        timeline_read_add_place(l, (uint32_t)pc, &place);
        uint32_t at = strmap_get(&known, strbuf_text(&place), place.length);
        if (at == STRMAP_NONE) {
            at = place_count++;
            strmap_put(&known, strbuf_text(&place), place.length, at);
            text(&places, strbuf_text(&place));
        }
        number(&instrs, at);
        text(&instrs, timeline_read_text(l, (uint32_t)pc));
        numbers[pc] = count++;
        strbuf_free(&place);
    }
    list(&code->bytes, place_count, &places);
    list(&code->bytes, count, &instrs);
    strbuf_free(&places);
    strbuf_free(&instrs);
    strmap_free(&known);
}

/* What an SM did */

/* The cycles that are wanted. */
static uint64_t from_of(const struct timeline_code *code)
{
    return code->part->from < code->launch->cycles ? code->part->from : code->launch->cycles;
}

static uint64_t until_of(const struct timeline_code *code)
{
    uint64_t until = code->part->until;
    return until && until < code->launch->cycles ? until : code->launch->cycles;
}

/* What is over as soon as it begins counts as well. */
static bool is_wanted(const struct timeline_code *code, uint64_t from, uint64_t until)
{
    return from < until_of(code) && (until > from_of(code) || from == from_of(code));
}

static size_t add_phases(const struct timeline_code *code, const struct timeline_read_life *life,
                         const uint32_t *numbers, struct strbuf *out)
{
    struct strbuf phases = {0};
    size_t count = 0;
    uint64_t at = life->at, first = life->at;
    for (size_t i = life->first; i < life->first + life->count; i++) {
        const struct timeline_read_phase *phase = &code->launch->phases.items[i];
        at += phase->cycles;
        if (at <= from_of(code) || at - phase->cycles >= until_of(code))
            continue;
        if (!count++)
            first = at - phase->cycles;
        number(&phases, phase->cycles);
        number(&phases, phase->cause);
        number(&phases, numbers[phase->pc]);
        number(&phases, phase->cycles - phase->own);
    }
    number(out, first - life->from);
    list(out, count, &phases);
    strbuf_free(&phases);
    return count;
}

static size_t add_lives(const struct timeline_code *code, uint32_t sm, const uint32_t *numbers, struct strbuf *out)
{
    const struct timeline_read_launch *l = code->launch;
    struct strbuf lives = {0};
    size_t count = 0, phases = 0;
    for (size_t i = 0; i < l->lives.count; i++) {
        const struct timeline_read_life *life = &l->lives.items[i];
        if (life->sm != sm || !is_wanted(code, life->from, life->until))
            continue;
        count++;
        number(&lives, life->slot);
        for (unsigned k = 0; k < 3; k++)
            number(&lives, life->block[k]);
        number(&lives, life->warp);
        number(&lives, life->cut);
        number(&lives, life->from);
        number(&lives, life->until - life->from);
        phases += add_phases(code, life, numbers, &lives);
    }
    list(out, count, &lives);
    strbuf_free(&lives);
    return phases;
}

static void add_barriers(const struct timeline_code *code, uint32_t sm, const uint32_t *numbers, struct strbuf *out)
{
    struct strbuf waits = {0};
    size_t count = 0;
    for (size_t i = 0; i < code->launch->waits.count; i++) {
        const struct timeline_read_wait *wait = &code->launch->waits.items[i];
        if (wait->sm != sm || !is_wanted(code, wait->came, wait->opened))
            continue;
        count++;
        number(&waits, wait->slot);
        number(&waits, wait->came);
        number(&waits, wait->opened - wait->came);
        number(&waits, numbers[wait->pc]);
        number(&waits, wait->mbarrier);
    }
    list(out, count, &waits);
    strbuf_free(&waits);
}

static void add_sections(const struct timeline_code *code, uint32_t sm, const uint32_t *numbers, struct strbuf *out)
{
    struct strbuf sections = {0};
    size_t count = 0;
    for (size_t i = 0; i < code->launch->sections.count; i++) {
        const struct timeline_read_section *s = &code->launch->sections.items[i];
        if (s->sm != sm || !is_wanted(code, s->since, s->given))
            continue;
        count++;
        number(&sections, s->slot);
        number(&sections, s->lane);
        number(&sections, s->lock);
        number(&sections, s->since);
        number(&sections, s->taken - s->since);
        number(&sections, s->given - s->taken);
        number(&sections, numbers[s->taken_at]);
        number(&sections, numbers[s->given_at]);
    }
    list(out, count, &sections);
    strbuf_free(&sections);
}

static void add_unfinished(const struct timeline_code *code, uint32_t sm, struct strbuf *out)
{
    struct strbuf unfinished = {0};
    size_t count = 0;
    for (size_t i = 0; i < code->launch->unfinished.count; i++) {
        const struct timeline_read_unfinished *u = &code->launch->unfinished.items[i];
        if (u->sm != sm || !is_wanted(code, u->from, u->until))
            continue;
        count++;
        number(&unfinished, u->slot);
        number(&unfinished, u->lane);
        number(&unfinished, u->lock);
        number(&unfinished, u->held);
        number(&unfinished, u->from);
        number(&unfinished, u->until - u->from);
    }
    list(out, count, &unfinished);
    strbuf_free(&unfinished);
}

static bool has_lives(const struct timeline_code *code, uint32_t sm)
{
    for (size_t i = 0; i < code->launch->lives.count; i++) {
        const struct timeline_read_life *life = &code->launch->lives.items[i];
        if (life->sm == sm && is_wanted(code, life->from, life->until))
            return true;
    }
    return false;
}

static void add_sms(struct timeline_code *code, size_t room, const uint32_t *numbers)
{
    struct strbuf sms = {0}, one = {0};
    bool full = false;
    size_t i;
    const json_t *item;
    json_array_foreach(json_object_get(code->launch->object, "sms"), i, item)
    {
        uint32_t sm = (uint32_t)json_integer_value(item);
        if (!timeline_wants(code->part, sm) || !has_lives(code, sm))
            continue;
        one.length = 0;
        number(&one, sm);
        size_t phases = add_lives(code, sm, numbers, &one);
        add_barriers(code, sm, numbers, &one);
        add_sections(code, sm, numbers, &one);
        add_unfinished(code, sm, &one);
        code->sms_wanted++;
        /* Behind one that has no room none is taken, so that it is the first SMs that are shown. */
        full |= code->bytes.length + sms.length + one.length > room;
        if (!full) {
            strbuf_addn(&sms, one.text, one.length);
            code->last_sm = sm;
            code->phases += phases;
            code->sms++;
        }
    }
    number(&code->bytes, code->phases);
    list(&code->bytes, code->sms, &sms);
    strbuf_free(&sms);
    strbuf_free(&one);
}

void timeline_code_launch(struct timeline_code *code, size_t room)
{
    const struct timeline_read_launch *l = code->launch;
    struct arena arena = {0};
    uint32_t *numbers = ARENA_NEW(&arena, uint32_t, l->instructions.count + 1);
    const char *name = json_string_value(json_object_get(l->object, "name"));
    text(&code->bytes, name ? name : "");
    number(&code->bytes, l->cycles);
    number(&code->bytes, from_of(code));
    number(&code->bytes, until_of(code));
    add_causes(code);
    add_locks(code);
    add_instructions(code, numbers);
    add_sms(code, room, numbers);
    arena_free(&arena);
}

void timeline_code_free(struct timeline_code *code)
{
    strbuf_free(&code->bytes);
}

void timeline_code_text(struct strbuf *out, const struct strbuf *bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *at = (const unsigned char *)strbuf_text(bytes);
    for (size_t i = 0; i < bytes->length; i += 3) {
        size_t left = bytes->length - i;
        uint32_t three = (uint32_t)at[i] << 16 | (left > 1 ? (uint32_t)at[i + 1] << 8 : 0) | (left > 2 ? at[i + 2] : 0);
        char four[4] = {digits[three >> 18], digits[three >> 12 & 63], left > 1 ? digits[three >> 6 & 63] : '=',
                        left > 2 ? digits[three & 63] : '='};
        strbuf_addn(out, four, 4);
    }
}
