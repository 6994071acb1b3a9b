/* The programs of programs.def: for each, the accesses that its threads make, in program order. */
#include "check/model.h"

#include <stdlib.h>
#include <string.h>

#include "base/strmap.h"

const struct checker_program_name checker_programs[] = {
#define CHECK_PROGRAM(name, protocols, together, doc) {#name, protocols, doc, together},
#include "check/programs.def"
#undef CHECK_PROGRAM
    {NULL, NULL, NULL, 0},
};

bool checker_suits(const struct coherence_protocol *protocol, const struct checker_program_name *program)
{
    size_t length = strlen(protocol->name);
    for (const char *at = program->protocols; at && *at; at += strcspn(at, " "), at += *at == ' ')
        if (strcspn(at, " ") == length && strncmp(at, protocol->name, length) == 0)
            return true;
    return !program->protocols;
}

bool model_promotes(const struct coherence_protocol *protocol)
{
    const struct checker_program_name *p = checker_programs;
    while (strcmp(p->name, "steal") != 0)
        p++;
    return checker_suits(protocol, p);
}

bool checker_generates(const struct checker_setup *setup, uint64_t number)
{
    struct model_program program;
    return model_generate(setup, number, &program);
}

uint32_t checker_usually(const struct checker_setup *setup)
{
    for (const struct checker_program_name *p = checker_programs; p->name; p++)
        if (strcmp(p->name, setup->program) == 0)
            return setup->caches > 2 && setup->lines > 1 ? p->together : 0;
    return 0;
}

static const struct model_layout two_words = {2, 8, {{0, 4}, {4, 4}}};

static uint8_t place_of(uint32_t line, uint32_t word)
{
    return (uint8_t)(line * MODEL_WORDS + word);
}
static uint32_t place_bit(uint32_t line, uint32_t word)
{
    return 1u << place_of(line, word);
}

/* A thread in each L1, alike. */
static void one_each(const struct checker_setup *s, struct model_program *p, uint32_t manners, uint32_t guards)
{
    p->threads = s->caches;
    p->caches_alike = true;
    for (uint8_t i = 0; i < s->caches; i++)
        p->roles[i] = (struct model_role){.cache = i, .turn = i, .manners = manners, .guards = guards};
}

/* A guard in line 0, of the words beside it in every line. */
static void one_guard(const struct checker_setup *s, struct model_program *p, bool turns)
{
    p->guard_count = 1;
    p->guards[0] = (struct model_guard){.place = place_of(0, 0), .turns = turns};
    for (uint32_t line = 0; line < s->lines; line++)
        p->guards[0].data |= place_bit(line, 1);
}

static void lock(const struct checker_setup *s, struct model_program *p)
{
    one_each(s, p, MANNER(TAKE_RMW) | MANNER(GIVE_STORE) | MANNER(GIVE_RMW), 1);
    one_guard(s, p, false);
}

static void locks(const struct checker_setup *s, struct model_program *p)
{
    one_each(s, p, MANNER(TAKE_RMW) | MANNER(GIVE_STORE), (1u << s->lines) - 1);
    p->guard_count = s->lines;
    p->lines_alike = true;
    for (uint32_t line = 0; line < s->lines; line++)
        p->guards[line] = (struct model_guard){.place = place_of(line, 0), .data = place_bit(line, 1)};
}

static void turn(const struct checker_setup *s, struct model_program *p)
{
    one_each(s, p, MANNER(TAKE_LOAD) | MANNER(TAKE_RMW) | MANNER(GIVE_STORE) | MANNER(GIVE_RMW), 1);
    one_guard(s, p, true);
}

static void both(const struct checker_setup *s, struct model_program *p)
{
    one_each(s, p, MANNER(TAKE_LOAD) | MANNER(GIVE_STORE) | MANNER(DATA_ATOMIC), 1);
    one_guard(s, p, true);
}

static void fence(const struct checker_setup *s, struct model_program *p)
{
    one_each(s, p, MANNER(TAKE_LOAD_FENCE) | MANNER(GIVE_FENCE_STORE), 1);
    one_guard(s, p, true);
}

/* The word beside the counter of a line is the own of the thread of that number. */
static void count(const struct checker_setup *s, struct model_program *p)
{
    one_each(s, p, MANNER(COUNT_RELAXED) | MANNER(COUNT_ORDERED), 0);
    p->caches_alike = false;
    for (uint32_t i = 0; i < p->threads; i++) {
        for (uint32_t line = 0; line < s->lines; line++)
            p->roles[i].counters |= place_bit(line, 0);
        p->roles[i].own = i < s->lines ? place_bit(i, 1) : 0;
    }
}

/* A guard in a line for the two threads of each L1 that has a line of its number; the others count beside it. */
static void block(const struct checker_setup *s, struct model_program *p)
{
    const uint32_t manners =
        MANNER(TAKE_LOAD_BLOCK) | MANNER(TAKE_RMW_BLOCK) | MANNER(GIVE_STORE_BLOCK) | MANNER(GIVE_RMW_BLOCK);
    for (uint8_t i = 0; i < 2; i++)
        p->roles[p->threads++] = (struct model_role){.turn = i, .manners = manners, .guards = 1};
    for (uint8_t cache = 1; cache < s->caches; cache++)
        p->roles[p->threads++] = (struct model_role){.cache = cache,
                                                     .manners = MANNER(COUNT_RELAXED) | MANNER(COUNT_ORDERED),
                                                     .counters = place_bit(s->lines - 1, 1)};
    p->guard_count = 1;
    p->guards[0] = (struct model_guard){.place = place_of(0, 0), .turns = true};
    for (uint32_t line = 0; line < s->lines; line++)
        p->guards[0].data |= line + 1 < s->lines ? place_bit(line, 1) : line ? place_bit(line, 0) : 0;
}

static void steal(const struct checker_setup *s, struct model_program *p)
{
    const uint32_t near = MANNER(TAKE_RMW_BLOCK) | MANNER(GIVE_STORE_BLOCK);
    const uint32_t far = MANNER(TAKE_RMW_REMOTE) | MANNER(GIVE_STORE_REMOTE) | MANNER(GIVE_RMW_REMOTE);
    for (uint8_t i = 0; i < 2; i++)
        p->roles[p->threads++] = (struct model_role){.manners = near, .guards = 1};
    for (uint8_t cache = 1; cache < s->caches; cache++)
        p->roles[p->threads++] = (struct model_role){.cache = cache, .manners = far, .guards = 1};
    one_guard(s, p, false);
}

/* steal, and a third thread of L1 0 has the word beside the lock, which keeps the lock's line under way. */
static void steal_own(const struct checker_setup *s, struct model_program *p)
{
    steal(s, p);
    p->guards[0].data &= ~place_bit(0, 1);
    p->roles[p->threads++] = (struct model_role){.own = place_bit(0, 1)};
}

/* Each L1 has a thread that counts in all lines; the first also one that has the word beside a counter, and fences. */
static void mix(const struct checker_setup *s, struct model_program *p)
{
    for (uint8_t cache = 0; cache < s->caches; cache++) {
        struct model_role *role = &p->roles[p->threads++];
        *role = (struct model_role){.cache = cache, .manners = MANNER(COUNT_RELAXED) | MANNER(COUNT_REMOTE)};
        for (uint32_t line = 0; line < s->lines; line++)
            role->counters |= place_bit(line, 0);
    }
    p->roles[p->threads++] =
        (struct model_role){.manners = MANNER(COUNT_RELAXED) | MANNER(COUNT_ORDERED) | MANNER(FENCE_ALONE),
                            .counters = place_bit(0, 0),
                            .own = place_bit(0, 1)};
}

/* False sharing: two locks lie in line 0, and what they guard in the last line. The threads of L1 0 take one each. */
static void pair(const struct checker_setup *s, struct model_program *p)
{
    const uint32_t manners = MANNER(TAKE_RMW) | MANNER(GIVE_STORE);
    uint32_t last = s->lines - 1;
    p->guard_count = last ? 2 : 1;
    for (uint32_t g = 0; g < p->guard_count; g++)
        p->guards[g] = (struct model_guard){.place = place_of(0, g), .data = place_bit(last, last ? g : 1)};
    for (uint8_t i = 0; i < p->guard_count; i++)
        p->roles[p->threads++] = (struct model_role){.manners = manners, .guards = 1u << i};
    for (uint8_t cache = 1; cache < s->caches; cache++)
        p->roles[p->threads++] =
            (struct model_role){.cache = cache, .manners = manners, .guards = 1u << (p->guard_count - 1)};
}

/* The block's counter lies in line 0, beside a word of L1 1's; the others' in the last line, beside a word of the
 * block's. */
static void near(const struct checker_setup *s, struct model_program *p)
{
    uint32_t last = s->lines - 1;
    for (uint8_t i = 0; i < 2; i++)
        p->roles[p->threads++] = (struct model_role){.manners = MANNER(COUNT_BLOCK) | (i ? MANNER(FENCE_ALONE) : 0),
                                                     .counters = place_bit(0, 0),
                                                     .own = last && !i ? place_bit(last, 1) : 0};
    for (uint8_t cache = 1; cache < s->caches; cache++)
        p->roles[p->threads++] = (struct model_role){.cache = cache,
                                                     .manners = MANNER(COUNT_RELAXED) | MANNER(COUNT_ORDERED),
                                                     .counters = last ? place_bit(last, 0) : 0,
                                                     .own = cache == 1 ? place_bit(0, 1) : 0};
}

/* A thread in each L1 takes the lock; in the first, another one has the word beside the last data, and a third fences.
 */
static void inner(const struct checker_setup *s, struct model_program *p)
{
    one_each(s, p, MANNER(TAKE_RMW) | MANNER(GIVE_STORE) | MANNER(DATA_BLOCK), 1);
    one_guard(s, p, false);
    p->caches_alike = false;
    p->roles[p->threads++] = (struct model_role){.own = s->lines > 1 ? place_bit(s->lines - 1, 0) : 0};
    p->roles[p->threads++] = (struct model_role){.manners = MANNER(FENCE_ALONE)};
}

/* Two kernels: each thread counts in a word beside another's own, and has one beside another's counter; in the second
 * kernel these are the next thread's. */
static void kernels(const struct checker_setup *s, struct model_program *p)
{
    one_each(s, p, MANNER(COUNT_BLOCK) | MANNER(COUNT_RELAXED), 0);
    p->caches_alike = false;
    p->kernels = 2;
    for (uint32_t i = 0; i < p->threads; i++) {
        uint32_t line = i % s->lines, word = i / s->lines % p->layout.words;
        p->roles[i].counters = i < s->lines * p->layout.words ? place_bit(line, word) : 0;
    }
    uint32_t taken = 0;
    for (uint32_t i = 0; i < p->threads; i++)
        taken |= p->roles[i].counters;
    for (uint32_t i = 0, place = s->lines * MODEL_WORDS; i < p->threads && place-- > 0;)
        if (place % MODEL_WORDS < p->layout.words && !(taken >> place & 1))
            p->roles[i++].own = 1u << place;
}

/* Places whose value is a number. */
static void find_numbers(struct model_program *p)
{
    for (uint32_t g = 0; g < p->guard_count; g++) {
        p->numbers |= 1u << p->guards[g].place;
        p->numbers |= p->guards[g].tickets ? 1u << (p->guards[g].tickets - 1) : 0;
    }
    for (uint32_t t = 0; t < p->threads; t++)
        p->numbers |= p->roles[t].counters;
}

bool model_is_generated(const char *name, uint64_t *number)
{
    char *end;
    if (name[0] != 'g' || name[1] < '0' || name[1] > '9')
        return false;
    *number = strtoull(name + 1, &end, 10);
    return *end == '\0';
}

int model_program_of(const struct checker_setup *setup, struct model_program *program, struct diag_sink *sink)
{
    static void (*const makers[])(const struct checker_setup *s, struct model_program *p) = {
#define CHECK_PROGRAM(name, protocols, together, doc) name,
#include "check/programs.def"
#undef CHECK_PROGRAM
    };
    uint64_t number;
    if (model_is_generated(setup->program, &number)) {
        if (model_generate(setup, number, program)) {
            find_numbers(program);
            return 0;
        }
        return diag_error(sink, DIAG_NOWHERE, "--generated N takes the next N that there are",
                          "there is no generated program %s for %s in this configuration", setup->program,
                          setup->protocol->name);
    }
    const char *names[sizeof makers / sizeof *makers + 1] = {NULL};
    *program = (struct model_program){.layout = two_words};
    for (unsigned i = 0; checker_programs[i].name; i++) {
        names[i] = checker_programs[i].name;
        if (strcmp(setup->program, names[i]) == 0) {
            makers[i](setup, program);
            find_numbers(program);
            return 0;
        }
    }
    const char *near = str_nearest(setup->program, names);
    return diag_error(sink, DIAG_NOWHERE, near ? near : "lockstep check --help lists the programs",
                      "there is no program named %s", setup->program);
}
