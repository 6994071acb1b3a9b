/* Recomputes what a directory keeps although it follows from its entries and lists (base/check.h). */
#include "base/check.h"
#include "memory/directory.h"

static uint32_t count(const struct packet_list *list)
{
    uint32_t n = 0;
    for (const struct packet *p = list->first; p; p = p->next)
        n++;
    return n;
}

/* Sharers are in S alone, and there are some; answers of those that were asked are waited for in C alone. */
static void check_sharers(struct directory *d, struct check *c, uint32_t i)
{
    const struct directory_entry *entry = &d->entries[i];
    uint64_t any = 0;
    for (uint32_t word = 0; word < d->share_words; word++)
        any |= directory_sharers(d, entry)[word];
    check_holds(c, "directory.entry.sharers", i, (any != 0) == (entry->state == DIRECTORY_S));
    check_holds(c, "directory.entry.several", i, !entry->several || entry->state >= DIRECTORY_L);
    check_holds(c, "directory.entry.unanswered", i, (entry->unanswered != 0) == (entry->state == DIRECTORY_C));
}

void directory_check(struct directory *d, struct check *c)
{
    uint32_t kept = count(&d->woken) + count(&d->remotes), live = 0, displaced = 0;
    for (uint32_t bucket = 0; bucket <= d->hash_mask; bucket++)
        for (uint32_t i = d->hash[bucket]; i != DIRECTORY_NONE && live <= d->used; i = d->entries[i].next, live++) {
            const struct directory_entry *entry = &d->entries[i];
            kept += count(&entry->parked);
            for (const struct packet *p = entry->parked.first; p; p = p->next)
                displaced += (p->local & ~(uint64_t)(d->line_bytes - 1)) != entry->line;
            check_holds(c, "directory.entry.state", i, entry->state != DIRECTORY_N);
            check_holds(c, "directory.entry.line", i, directory_find(d, entry->line) == entry);
            check_holds(c, "directory.entry.owner", i, entry->owner < d->sms);
            check_sharers(d, c, i);
        }
    CHECK_FACT(c, "directory.displaced", 0, d->displaced, displaced);
    /* One at remote scope whose access is at the tags, or among the woken, is counted there. */
    check_holds(c, "directory.kept", 0, d->kept == kept || (d->remote.packet && d->kept == kept + 1));
}
