/* Recomputes what an agent keeps although it follows from its lines, its store queue and its lists (base/check.h). */
#include "base/check.h"
#include "memory/agent_impl.h"

static void check_line(struct agent *a, struct check *c, struct agent_line *line, uint32_t at)
{
    const struct byte_mask all = bytes_of(line->address, a->line_bytes);
    bool filling = line->state == AGENT_F || line->state == AGENT_N || line->state == AGENT_G;
    check_holds(c, "agent.line.address", at, line->address % a->line_bytes == 0);
    check_holds(c, "agent.line.valid", at, bytes_cover(&all, &line->valid));
    check_holds(c, "agent.line.written", at, bytes_cover(&line->valid, &line->written));
    check_holds(c, "agent.line.fill", at, filling == (line->fill != AGENT_NONE));
    if (filling)
        CHECK_FACT(c, "agent.fill.line", at, a->fills[line->fill].line, at);
    if (line->state == AGENT_R)
        check_holds(c, "agent.line.whole", at, bytes_cover(&line->valid, &all));
    uint32_t aside = 0;
    for (const struct packet *p = a->deferred.first; p; p = p->next)
        aside += agent_line_of(a, p->address) == line->address;
    check_holds(c, "agent.line.early", at, line->early <= (line->state == AGENT_N && !a->locks ? aside : 0));
    if (line->queued)
        check_holds(c, "agent.line.entry", at, a->writes[line->entry % AGENT_WRITES].address == line->address);
}

static void check_lines(struct agent *a, struct check *c)
{
    uint32_t flushing = 0, probes = 0, waiting = 0;
    for (uint32_t i = 0; i < a->sets * a->ways; i++) {
        struct agent_line *line = &a->lines[i];
        if (line->state == AGENT_I)
            continue;
        check_line(a, c, line, i);
        flushing += line->state == AGENT_P || line->state == AGENT_E;
        for (const struct packet *p = line->probes.first; p; p = p->next)
            probes++;
        waiting += line->queued;
    }
    for (const struct packet *p = a->flushes.first; p; p = p->next)
        probes++;
    for (const struct packet *p = a->lock_waits.first; p; p = p->next)
        probes++;
    CHECK_FACT(c, "agent.flushing", 0, a->flushing, flushing);
    CHECK_FACT(c, "agent.probes", 0, a->probes, probes);
    CHECK_FACT(c, "agent.waiting", 0, a->waiting, waiting);
}

static void check_queue(struct agent *a, struct check *c)
{
    uint32_t unsent = a->arrived;
    while (unsent != a->end && a->writes[unsent % AGENT_WRITES].state != AGENT_WAITS)
        unsent++;
    check_holds(c, "agent.end", 0, a->end - a->arrived <= AGENT_WRITES);
    check_holds(c, "agent.unsent", 0,
                a->unsent == unsent || (unsent == a->end && a->unsent - a->arrived > AGENT_WRITES));
    if (a->arrived != a->end)
        check_holds(c, "agent.arrived", 0, a->writes[a->arrived % AGENT_WRITES].state != AGENT_ARRIVED);
}

void agent_check(struct agent *a, struct check *c)
{
    check_lines(a, c);
    check_queue(a, c);
}
