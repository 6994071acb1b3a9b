#include "unit/memory/tester/model.h"

#include <stdlib.h>
#include <string.h>

#include "isa/mod_values.h"

void model_init(struct model *m, uint32_t threads)
{
    memset(m, 0, sizeof *m);
    m->threads = threads;
    for (uint32_t t = 0; t < threads; t++)
        m->clocks[t].of[t] = 1;
}

void model_free(struct model *m)
{
    for (uint32_t i = 0; i < m->variable_count; i++)
        free(m->variables[i].records);
}

struct model_place *model_add_place(struct model *m, uint64_t address, uint32_t bytes)
{
    if (m->place_count == MODEL_PLACES)
        return NULL;
    struct model_place *place = &m->places[m->place_count++];
    *place = (struct model_place){.address = address, .bytes = bytes};
    return place;
}

void model_add_variable(struct model *m, uint64_t address, uint32_t bytes, uint32_t home, bool lock, bool fenced)
{
    struct model_variable *v = &m->variables[m->variable_count++];
    *v = (struct model_variable){
        .address = address, .bytes = bytes, .home = home, .lock = lock, .fenced = fenced, .holder = MODEL_NONE};
    model_new_record(v, NULL, 0, ISA_SCOPE_GPU, false);
}

void model_add_counter(struct model *m, uint64_t address, uint32_t bytes, uint32_t home)
{
    m->counters[m->counter_count++] = (struct model_counter){.address = address, .bytes = bytes, .home = home};
}

bool model_may_read(const struct model *m, uint32_t thread, const struct model_place *place)
{
    return m->clocks[thread].of[place->writer] >= place->written;
}

bool model_may_write(const struct model *m, uint32_t thread, const struct model_place *place)
{
    if (!model_may_read(m, thread, place))
        return false;
    for (uint32_t t = 0; t < m->threads; t++)
        if (m->clocks[thread].of[t] < place->read[t])
            return false;
    return true;
}

uint64_t model_read(struct model *m, uint32_t thread, struct model_place *place)
{
    place->read[thread] = m->clocks[thread].of[thread];
    m->handed += place->written && place->writer != thread;
    return place->value;
}

void model_write(struct model *m, uint32_t thread, struct model_place *place, uint64_t value)
{
    place->value = place->bytes < 8 ? value & ((UINT64_C(1) << 8 * place->bytes) - 1) : value;
    place->writer = thread;
    place->written = m->clocks[thread].of[thread];
    memset(place->read, 0, sizeof place->read);
}

uint32_t model_new_record(struct model_variable *v, const struct model_clock *clock, uint32_t agent, uint8_t scope,
                          bool held)
{
    if (v->count == v->room) {
        v->room = v->room ? 2 * v->room : 64;
        v->records = realloc(v->records, v->room * sizeof *v->records);
        if (!v->records)
            abort();
    }
    struct model_record *r = &v->records[v->count];
    *r = (struct model_record){.agent = agent, .scope = scope, .releases = clock != NULL, .held = held};
    if (clock)
        r->clock = *clock;
    return v->count++;
}

/* Eight bytes have the number in both halves, so that half of a value is none. */
uint64_t model_value_of(const struct model_variable *v, uint32_t number)
{
    return v->bytes == 8 ? (uint64_t)number << 32 | number : number;
}

uint32_t model_number_of(const struct model_variable *v, uint64_t value)
{
    uint32_t number = (uint32_t)value;
    return number < v->count && model_value_of(v, number) == value ? number : MODEL_NONE;
}

struct model_clock model_release(struct model *m, uint32_t thread)
{
    struct model_clock clock = m->clocks[thread];
    m->clocks[thread].of[thread]++;
    return clock;
}

void model_join(struct model_clock *to, const struct model_clock *from)
{
    for (uint32_t i = 0; i < MODEL_THREADS; i++)
        to->of[i] = from->of[i] > to->of[i] ? from->of[i] : to->of[i];
    for (uint32_t i = 0; i < MODEL_COUNTERS; i++)
        to->least[i] = from->least[i] > to->least[i] ? from->least[i] : to->least[i];
}

/* Each of the two scopes reaches the other's thread; one at remote scope reaches everybody, and is reached. */
static bool reach(const struct model_record *record, uint32_t agent, uint8_t scope)
{
    bool narrow = record->scope == ISA_SCOPE_CTA || scope == ISA_SCOPE_CTA;
    return record->agent == agent || !narrow || record->scope == ISA_SCOPE_REMOTE || scope == ISA_SCOPE_REMOTE;
}

void model_acquire(struct model *m, uint32_t thread, uint32_t agent, const struct model_record *record, uint8_t scope)
{
    if (record->releases && reach(record, agent, scope))
        model_join(&m->clocks[thread], &record->clock);
}

void model_meet(struct model *m)
{
    struct model_clock all = {{0}, {0}};
    for (uint32_t t = 0; t < m->threads; t++)
        model_join(&all, &m->clocks[t]);
    for (uint32_t t = 0; t < m->threads; t++) {
        m->clocks[t] = all;
        m->clocks[t].of[t]++;
    }
}
