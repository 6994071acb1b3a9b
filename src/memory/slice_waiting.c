/* Lists the accesses that wait in a slice, for the report of a deadlock inside the memory system. */
#include <inttypes.h>

#include "base/strbuf.h"
#include "memory/slice.h"

#define TOLD 4u /* lines of a slice */

uint32_t slice_waiting(const struct slice *s)
{
    return s->out.inside - (s->locks ? s->locks->kept : 0);
}

/* The packet at the head, which the tags have refused. */
static void describe_head(const struct slice *s, struct strbuf *out)
{
    const struct packet *p = s->first;
    const struct cache_params *l2 = &s->params->l2;
    uint64_t at = p->local + s->accepted;
    uint32_t set = cache_set_of(at & ~(uint64_t)(l2->line_bytes - 1), mask_first(l2->line_bytes), l2->sets - 1,
                                l2->set_index);
    strbuf_addf(out, "; at the head, refused by set %u of the L2, a ", set);
    packet_print(p, out);
}

/* A line about which its owner was asked, or which is registered, shared or leased. */
static void describe_entry(const struct slice *s, const struct directory_entry *entry, struct strbuf *out)
{
    uint32_t parked = 0;
    for (const struct packet *p = entry->parked.first; p; p = p->next)
        parked++;
    const struct coherence_word *state = coherence_state_word(&coherence_directory_words, entry->state);
    strbuf_addf(out, "\n    line 0x%" PRIx64 ", ", entry->address);
    if (directory_is_owned(entry))
        strbuf_addf(out, "registered by SM %u", entry->owner);
    else if (s->leases)
        strbuf_addf(out, "leased until cycle %" PRIu64, s->leases->of[entry - s->directory->entries].end);
    else
        strbuf_addf(out, "shared, %u copies still to be dropped", entry->unanswered);
    strbuf_addf(out, ": %s; %u accesses wait behind it", state->doc, parked);
    if (entry->parked.first) {
        strbuf_add(out, ", the first a ");
        packet_print(entry->parked.first, out);
    }
}

void slice_describe_waiting(const struct slice *s, struct strbuf *out)
{
    const struct directory *d = s->directory;
    uint32_t told = 0;
    strbuf_addf(out, "%u packets", slice_waiting(s));
    if (s->first)
        describe_head(s, out);
    if (d && d->remote.packet)
        strbuf_addf(out, "; an access at remote scope by SM %u waits for the answers of %u L1s", d->remote.packet->sm,
                    d->remote.unanswered);
    for (uint32_t i = 0; d && i < d->used && told < TOLD; i++)
        if (d->entries[i].parked.first) {
            describe_entry(s, &d->entries[i], out);
            told++;
        }
    for (uint32_t i = 0; d && i < d->used && told < TOLD; i++)
        if (d->entries[i].state != DIRECTORY_N && !d->entries[i].parked.first) {
            describe_entry(s, &d->entries[i], out);
            told++;
        }
}
