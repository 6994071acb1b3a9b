/* Generated programs: each is one row of every dimension of generate.def, by its number. All have threads that hand
 * data to each other through a guard, so that no data is raced for, and differ in who these are, at which scopes, by
 * which accesses, of which sizes, and in who else uses the same lines meanwhile.
 *
 * A compare-and-swap whose comparison always fails writes nothing. So it may meet the accesses of others, at whatever
 * scope, and what it reads is not looked at where it is of a bystander: nobody may see that it was there. */
#include <stdlib.h>
#include <string.h>

#include "check/model.h"
#include "isa/mod_values.h"

enum dimension { WHO, GUARD, TAKE, GIVE, ACCESS, SIZE, DATA, NEAR, BESIDES, DIMENSIONS };

static const struct row {
    uint8_t dimension;
    const char *word, *doc;
} rows[] = {
#define GENERATE(dimension, row, doc) {dimension, #row, doc},
#include "check/generate.def"
#undef GENERATE
};
#define ROWS (sizeof rows / sizeof *rows)

enum {
#define GENERATE(dimension, row, doc) dimension##_##row,
#include "check/generate.def"
#undef GENERATE
};

static const struct model_layout layouts[] = {
    {2, 8, {{0, 4}, {4, 4}}},          {4, 8, {{0, 4}, {4, 1}, {5, 1}, {6, 2}}}, {2, 16, {{0, 8}, {8, 8}}},
    {3, 8, {{0, 4}, {4, 2}, {6, 2}}},  {3, 32, {{0, 8}, {8, 8}, {16, 16}}},      {3, 16, {{0, 8}, {8, 4}, {12, 4}}},
    {3, 16, {{0, 4}, {4, 4}, {8, 8}}},
};

/* A program in the making: a row of each dimension, by its number in `rows`, and the places that are in use. */
struct making {
    const struct checker_setup *setup;
    struct model_program *p;
    unsigned chosen[DIMENSIONS];
    uint32_t used, pairs; /* pairs: set of first places of two that are accessed together */
    bool fits;
};

static bool is(const struct making *m, enum dimension dimension, unsigned row)
{
    return m->chosen[dimension] == row;
}

/* The numbers of all combinations are passed through in an order in which all rows come soon. */
static void choose(struct making *m, uint64_t number)
{
    unsigned first[DIMENSIONS], count[DIMENSIONS] = {0};
    uint64_t total = 1;
    for (unsigned i = ROWS; i-- > 0;) {
        first[rows[i].dimension] = i;
        count[rows[i].dimension]++;
    }
    for (unsigned d = 0; d < DIMENSIONS; d++)
        total *= count[d];
    uint64_t at = number % total * UINT64_C(0x9E3779B1) % total; /* a prime: each is met once */
    for (unsigned d = 0; d < DIMENSIONS; d++) {
        m->chosen[d] = first[d] + (unsigned)(at % count[d]);
        at /= count[d];
    }
}

/* Places */

static uint32_t last_line(const struct making *m)
{
    return m->setup->lines - 1;
}

static bool is_free(const struct making *m, unsigned place)
{
    return place % MODEL_WORDS < m->p->layout.words && !(m->used >> place & 1);
}

/* Takes a free word of a line, of so many bytes; MODEL_NONE, and the program does not fit, if there is none. */
static uint8_t take_place(struct making *m, uint32_t line, unsigned least, unsigned most)
{
    for (unsigned word = 0; word < m->p->layout.words; word++) {
        unsigned place = line * MODEL_WORDS + word, bytes = m->p->layout.word[word].bytes;
        if (!is_free(m, place) || bytes < least || bytes > most)
            continue;
        m->used |= 1u << place;
        return (uint8_t)place;
    }
    m->fits = false;
    return MODEL_NONE;
}

static uint32_t bit_of(uint8_t place)
{
    return place == MODEL_NONE ? 0 : 1u << place;
}

/* A second word behind the first, if an access of both is aligned. */
static uint32_t take_next(struct making *m, uint8_t place)
{
    const struct model_word *word = m->p->layout.word + place % MODEL_WORDS;
    bool is_there = place != MODEL_NONE && place % MODEL_WORDS + 1 < m->p->layout.words && is_free(m, place + 1u);
    unsigned bytes = is_there ? word[0].bytes + word[1].bytes : 0;
    if (!bytes || bytes & (bytes - 1) || word->at % bytes || bytes > 16) {
        m->fits = false;
        return 0;
    }
    m->used |= 2u << place;
    m->pairs |= 1u << place;
    return 2u << place;
}

/* Exchanges have 4 or 8 bytes, compare-and-swaps 2 as well. */
static uint32_t take_data(struct making *m, uint32_t line)
{
    bool exchanged = is(m, ACCESS, ACCESS_exchanges) || is(m, ACCESS, ACCESS_block_exchanges);
    bool fails = is(m, ACCESS, ACCESS_fails) || is(m, ACCESS, ACCESS_block_fails) ||
                 is(m, BESIDES, BESIDES_fails_data) || is(m, BESIDES, BESIDES_block_fails_data);
    uint8_t place = take_place(m, line, exchanged ? 4 : fails ? 2 : 1, exchanged || fails ? 8 : 16);
    return bit_of(place) | (is(m, ACCESS, ACCESS_pairs) ? take_next(m, place) : 0);
}

/* Guards */

static uint32_t manners(const struct making *m)
{
    static const uint8_t takes[] = {TAKE_RMW, TAKE_LOAD, TAKE_RMW_FENCE, TAKE_LOAD_FENCE};
    static const uint8_t gives[] = {GIVE_STORE, GIVE_RMW, GIVE_FENCE_STORE, GIVE_FENCE_RMW};
    static const uint32_t data[] = {
        0, MANNER(DATA_PAIRS), MANNER(DATA_ATOMIC), MANNER(DATA_BLOCK), MANNER(DATA_FAILS), MANNER(DATA_BLOCK_FAILS)};
    return MANNER(takes[m->chosen[TAKE] - TAKE_rmw]) | MANNER(gives[m->chosen[GIVE] - GIVE_store]) |
           data[m->chosen[ACCESS] - ACCESS_plain];
}

static void lay_out_guards(struct making *m)
{
    struct model_program *p = m->p;
    uint32_t last = last_line(m), data = 0;
    p->guard_count = 1;
    p->guards[0] = (struct model_guard){.place = take_place(m, 0, 4, 8), .turns = is(m, GUARD, GUARD_flag)};
    if (is(m, GUARD, GUARD_ticket))
        p->guards[0].tickets = 1u + take_place(m, last, 4, 4);
    if (is(m, WHO, WHO_relay)) {
        p->relay = true;
        /* Apart from data that lies alone: to fetch that must not hold up who looks at the guard. */
        uint32_t line = is(m, DATA, DATA_away) ? 0 : last;
        p->guards[p->guard_count++] = (struct model_guard){.place = take_place(m, line, 4, 8)};
        p->guards[0].scope = ISA_SCOPE_GPU;
        p->guards[1].scope = ISA_SCOPE_CTA;
    }
    if (!is(m, DATA, DATA_away))
        data |= take_data(m, 0);
    if (!is(m, DATA, DATA_beside) && last)
        data |= take_data(m, last);
    m->fits &= is(m, DATA, DATA_beside) || last;
    for (uint32_t g = 0; g < p->guard_count; g++)
        p->guards[g].data = data;
    p->pairs = m->pairs;
}

/* Threads */

static void add_thread(struct making *m, uint32_t cache, uint8_t scope, bool guarded)
{
    struct model_program *p = m->p;
    p->roles[p->threads] = (struct model_role){.cache = (uint8_t)cache,
                                               .turn = (uint8_t)p->threads,
                                               .scope = scope,
                                               .manners = guarded ? manners(m) : 0,
                                               .guards = guarded};
    p->threads++;
}

static void add_threads(struct making *m)
{
    bool one_each = is(m, WHO, WHO_apart) || is(m, WHO, WHO_system), relay = is(m, WHO, WHO_relay);
    bool near = is(m, WHO, WHO_same) || is(m, WHO, WHO_remote), alone = is(m, WHO, WHO_same);
    uint8_t wide = is(m, WHO, WHO_system)   ? ISA_SCOPE_SYS
                   : is(m, WHO, WHO_remote) ? ISA_SCOPE_REMOTE
                   : relay                  ? 0
                                            : ISA_SCOPE_GPU;
    for (unsigned i = 0; i < (one_each ? 1u : 2u); i++)
        add_thread(m, 0, near ? ISA_SCOPE_CTA : wide, true);
    for (uint32_t cache = 1; cache < m->setup->caches; cache++)
        add_thread(m, cache, alone ? 0 : wide, !alone);
    for (unsigned i = 0; i < m->p->threads && relay; i++) {
        m->p->roles[i].guards = i == 1 ? 2 : 1; /* the second one waits for the first, which takes from all */
        m->p->roles[i].gives = i == 0 ? 3 : 1;
    }
}

static struct model_role *last_role(const struct making *m)
{
    return &m->p->roles[m->p->threads - 1];
}

static void add_near(struct making *m)
{
    bool far = is(m, NEAR, NEAR_far_guard) || is(m, NEAR, NEAR_far_data);
    bool guard = is(m, NEAR, NEAR_far_guard) || is(m, NEAR, NEAR_near_guard);
    uint32_t line = guard || is(m, DATA, DATA_beside) ? 0 : last_line(m);
    if (is(m, NEAR, NEAR_none))
        return;
    struct model_role *role = far ? last_role(m) : &m->p->roles[0];
    role->own = bit_of(take_place(m, line, 1, 16));
    m->fits &= guard || !is(m, DATA, DATA_beside); /* else it is the guard's line, too */
}

static void add_fails(struct making *m, uint32_t places, uint8_t scope)
{
    last_role(m)->fails = places;
    last_role(m)->fail_scope = scope;
}

static void add_besides(struct making *m)
{
    struct model_role *roles = m->p->roles;
    bool block = is(m, BESIDES, BESIDES_block_counts);
    uint8_t scope = is(m, BESIDES, BESIDES_fails_data) ? ISA_SCOPE_GPU : ISA_SCOPE_CTA;
    if (is(m, BESIDES, BESIDES_fails_data) || is(m, BESIDES, BESIDES_block_fails_data))
        add_fails(m, m->p->guards[0].data, scope);
    if (is(m, BESIDES, BESIDES_block_fails_guard))
        add_fails(m, bit_of(m->p->guards[0].place), scope);
    if (is(m, BESIDES, BESIDES_fences) || is(m, BESIDES, BESIDES_block_fences)) {
        roles[0].manners |= MANNER(FENCE_ALONE);
        roles[0].fence_scope = is(m, BESIDES, BESIDES_fences) ? ISA_SCOPE_GPU : ISA_SCOPE_CTA;
    }
    if (!block && !is(m, BESIDES, BESIDES_counts))
        return;
    uint32_t counters = bit_of(take_place(m, last_line(m), 4, 4));
    for (unsigned i = 0; i < m->p->threads; i++)
        if (block ? roles[i].cache == 0 : i == 0 || i + 1 == m->p->threads) {
            roles[i].counters = counters;
            roles[i].manners |= block ? MANNER(COUNT_BLOCK) : MANNER(COUNT_RELAXED);
        }
}

/* Combinations that are none. */
static bool makes_sense(const struct making *m)
{
    bool loads = is(m, TAKE, TAKE_load) || is(m, TAKE, TAKE_load_fence);
    bool fences = is(m, TAKE, TAKE_rmw_fence) || is(m, TAKE, TAKE_load_fence) || is(m, GIVE, GIVE_fence_store) ||
                  is(m, GIVE, GIVE_fence_exch);
    if (is(m, WHO, WHO_relay) && !is(m, GUARD, GUARD_lock))
        return false;
    if (is(m, WHO, WHO_remote) && (fences || !model_promotes(m->setup->protocol)))
        return false; /* no fence has remote scope */
    return !(loads && is(m, GUARD, GUARD_lock));
}

bool model_generate(const struct checker_setup *setup, uint64_t number, struct model_program *program)
{
    struct making m = {.setup = setup, .p = program, .fits = true};
    choose(&m, number);
    *program = (struct model_program){.patient = true, .layout = layouts[m.chosen[SIZE] - SIZE_s4_4]};
    if (!makes_sense(&m) || setup->sets * program->layout.bytes > 64)
        return false;
    lay_out_guards(&m);
    add_threads(&m);
    add_near(&m);
    add_besides(&m);
    return m.fits;
}

void checker_describe(const char *program, struct strbuf *text)
{
    struct making m = {0};
    uint64_t number;
    if (!model_is_generated(program, &number))
        return;
    choose(&m, number);
    for (unsigned d = 0; d < DIMENSIONS; d++) {
        const char *word = d == SIZE ? rows[m.chosen[d]].doc : rows[m.chosen[d]].word;
        bool nothing = is(&m, NEAR, NEAR_none) && d == NEAR;
        if (!nothing && !(d == BESIDES && is(&m, BESIDES, BESIDES_nothing)))
            strbuf_addf(text, " %s", word);
    }
}
