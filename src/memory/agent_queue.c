/* The store queue of an agent (agent.h): entries by sequence number, in a ring. */
#include "memory/agent_impl.h"

#include <string.h>

static struct agent_write *entry_of(const struct agent *a, uint32_t number)
{
    return &a->writes[number % AGENT_WRITES];
}

static bool has_room(const struct agent *a)
{
    return a->end - a->arrived < AGENT_WRITES;
}

bool agent_can_queue(struct agent *a, const struct agent_line *line)
{
    if (line && line->queued)
        return true;
    if (a->waiting < a->queue_lines && has_room(a))
        return true;
    if ((int32_t)(a->drain_to - a->unsent) <= 0 && a->unsent != a->end)
        a->drain_to = a->unsent + 1;
    return false;
}

static uint32_t append(struct agent *a, uint64_t address, enum agent_write_state state)
{
    contract(has_room(a));
    *entry_of(a, a->end) = (struct agent_write){address, (uint8_t)state};
    return a->end++;
}

/* The first entry that waits, or the end. */
static void pass_sent(struct agent *a)
{
    while (a->unsent != a->end && entry_of(a, a->unsent)->state != AGENT_WAITS)
        a->unsent++;
}

void agent_queue_line(struct agent *a, struct agent_line *line, bool sent)
{
    if (!line->queued) {
        line->queued = true;
        line->entry = append(a, line->address, AGENT_WAITS);
        a->waiting++;
    }
    if (sent)
        entry_of(a, line->entry)->state = AGENT_SENT;
    pass_sent(a);
}

uint32_t agent_queue_sent(struct agent *a, uint64_t address)
{
    uint32_t entry = append(a, address, AGENT_SENT);
    pass_sent(a);
    return entry;
}

void agent_write_out(struct agent *a, struct agent_line *line)
{
    if (!bytes_any(&line->written))
        return;
    contract(line->queued && entry_of(a, line->entry)->state == AGENT_WAITS);
    struct packet *p = agent_request(a, line, PACKET_WRITE);
    write_of(p)->entry = (uint16_t)(line->entry % AGENT_WRITES);
    if (!line->own)
        bytes_to_packet(&line->written, p);
    memcpy(packet_data(p), agent_data(a, line), PACKET_LINE_BYTES);
    entry_of(a, line->entry)->state = AGENT_SENT;
    line->queued = false;
    bytes_clear(&line->written);
    a->waiting--;
    a->stats.writes_sent++;
    pass_sent(a);
}

void agent_arrive(struct agent *a, uint32_t entry)
{
    entry_of(a, entry)->state = AGENT_ARRIVED;
    while (a->arrived != a->end && entry_of(a, a->arrived)->state == AGENT_ARRIVED)
        a->arrived++;
}

void agent_unqueue(struct agent *a, struct agent_line *line)
{
    if (!line->queued)
        return;
    line->queued = false;
    a->waiting--;
    agent_arrive(a, line->entry);
}

uint32_t agent_flush(struct agent *a, enum agent_cause cause)
{
    uint64_t *counts[] = {&a->stats.flushes_order, &a->stats.flushes_remote, &a->stats.flushes_registration};
    if (cause != AGENT_BY_KERNEL) /* agent_publish counts those: one a kernel */
        ++*counts[cause];
    a->drain_to = a->end;
    return a->end;
}
