/* What a machine that does not go on looks like. */
#include <stdio.h>

#include "memory/slice.h"
#include "unit/memory/tester/machine.h"

static const char *agent_letter(unsigned state)
{
    return coherence_agent_words.states[state].word;
}

static void report_thread(const struct tester *t, uint32_t i)
{
    static const char *const states[] = {"runs", "waits", "orders", "flushes", "sleeps", "ended"};
    const struct tester_thread *th = &t->all[i];
    if (th->state != TESTER_ENDED)
        fprintf(stderr, "thread %u of agent %u: %s since %llu, stage %u, variable %u\n", i, th->agent,
                states[th->state], (unsigned long long)th->since, th->stage, th->variable);
}

static void report_ops(const struct tester_agent *a)
{
    for (uint32_t i = 0; i < TESTER_OPS; i++) {
        const struct tester_op *op = &a->ops[i];
        if (op->used)
            fprintf(stderr, "  op %u: thread %u, kind %u, order %u, scope %u, %llx + %u, since %llu\n", i, op->thread,
                    op->kind, op->order, op->scope, (unsigned long long)op->address, op->bytes,
                    (unsigned long long)op->since);
    }
    if (a->queued)
        fprintf(stderr, "  %u wait for the L1, first op %u\n", a->queued, a->queue[a->first]);
}

static void report_agent(const struct tester *t, uint32_t i)
{
    const struct tester_agent *a = &t->agents[i];
    const struct agent *g = a->l1.agent;
    fprintf(stderr,
            "agent %u: requests %u, answers %u, queue %u..%u of which %u wait, unsent %u, drain to %u, probes %u, "
            "locks %u\n",
            i, a->l1.requests.count, a->l1.answers.count, g->arrived, g->end, g->waiting, g->unsent, g->drain_to,
            g->probes, g->locks);
    for (uint32_t n = 0; n < g->sets * g->ways; n++) {
        const struct agent_line *line = &g->lines[n];
        if (line->state != AGENT_I)
            fprintf(stderr, "  line %llx: %s%s%s, flush %u\n", (unsigned long long)line->address,
                    agent_letter(line->state), line->queued ? ", queued" : "", line->probes.first ? ", asked" : "",
                    line->flush);
    }
    for (const struct packet *p = g->deferred.first; p; p = p->next)
        fprintf(stderr, "  aside: kind %u at %llx\n", p->kind, (unsigned long long)p->address);
    report_ops(a);
}

static void report_channels(const struct tester *t)
{
    for (uint32_t net = 0; net < MESSAGE_NETWORKS; net++)
        for (uint32_t agent = 0; agent < t->setup->agents; agent++)
            for (uint32_t slice = 0; slice < t->slices; slice++) {
                const struct tester_channel *c = &t->channels[net][agent][slice];
                if (c->count)
                    fprintf(stderr, "network %u, agent %u, slice %u: %u messages, first: kind %u at %llx\n", net, agent,
                            slice, c->count, c->messages[c->first].packet->kind,
                            (unsigned long long)c->messages[c->first].packet->address);
            }
}

static void report_slice(const struct tester *t, uint32_t slice)
{
    uint32_t each = t->setup->memory.partition.slices_per_channel;
    const struct partition *p = t->partitions[slice / each];
    const struct partition_out *out = partition_out_of(p, slice % each);
    fprintf(stderr, "slice %u: %u packets inside, %u replies\n", slice, out->inside, out->count);
}

static void report_setup(const struct tester_setup *s)
{
    const struct memory_params *p = &s->memory;
    fprintf(stderr,
            "%u agents of %u threads; L1 %u sets, %u ways, lines of %u, %u fills of %u, requests %u, store queue %u, "
            "rprio %u\n",
            s->agents, s->threads, s->l1.sets, s->l1.ways, s->l1.line_bytes, s->l1.mshr_entries, s->l1.mshr_merges,
            s->requests, s->store_queue, s->rprio);
    fprintf(stderr,
            "%u channels of %u slices; L2 %u sets, %u ways, sectors of %u, replacement %u, %u fills of %u, miss queue "
            "%u, allocate %u, through %u, replacement '%s'\n",
            p->partition.channels, p->partition.slices_per_channel, p->l2.sets, p->l2.ways, p->l2.sector_bytes,
            p->l2.replacement, p->l2.mshr_entries, p->l2.mshr_merges, p->l2.miss_queue, p->l2.write_allocate,
            p->coherence.l2_writes_through, p->coherence.replacement);
    fprintf(stderr,
            "queues: icnt_l2 %u, l2_dram %u, dram_l2 %u, l2_icnt %u; latencies: ROP %u, DRAM %u, varied by %u, held for %u\n",
            p->partition.icnt_l2_queue, p->partition.l2_dram_queue, p->partition.dram_l2_queue,
            p->partition.l2_icnt_queue, p->partition.rop_latency, p->partition.dram_latency, s->vary, s->hold);
    fprintf(stderr, "messages: %u, or %u every %uth, room %u, stall %u; %u lines, 1st %llx, 2nd %llx\n", s->delay,
            s->slow, s->rare, s->room, s->stall, s->lines, (unsigned long long)s->line[0],
            (unsigned long long)s->line[1]);
}

void tester_report(const struct tester *t)
{
    report_setup(t->setup);
    fprintf(stderr, "cycle %llu\n", (unsigned long long)t->cycle);
    for (uint32_t i = 0; i < t->threads; i++)
        report_thread(t, i);
    for (uint32_t i = 0; i < t->setup->agents; i++)
        report_agent(t, i);
    report_channels(t);
    for (uint32_t i = 0; i < t->slices; i++)
        report_slice(t, i);
}
