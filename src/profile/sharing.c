/* Accesses to words of global memory: see sharing.h. An SM cannot keep all that it accesses. Lines in which threads
 * wait are accessed over and over; so of two pieces of memory in a pair of places the one that was accessed less makes
 * room for others, when as many of them have wanted its place as it was accessed. */
#include "profile/sharing.h"

#include "base/bits.h"
#include "profile/sharing_sm.h"

size_t profile_sharing_bytes(void)
{
    return sizeof(struct profile_sharing);
}

/* The piece at that address, which takes a place if it has none; NULL: those are others' still. */
static struct profile_piece *piece_at(struct profile_sharing *s, uint64_t address)
{
    struct profile_piece *pair = s->pieces[hash_place(address / PROFILE_PIECE) % PROFILE_PIECES];
    for (unsigned i = 0; i < 2; i++)
        if (pair[i].heat && pair[i].address == address)
            return &pair[i];
    struct profile_piece *place = pair[0].heat <= pair[1].heat ? &pair[0] : &pair[1];
    if (place->heat && --place->heat)
        return NULL;
    *place = (struct profile_piece){.address = address};
    return place;
}

static void count(struct profile_piece *piece, uint64_t address, bool writes, uint32_t pc)
{
    unsigned word = address % PROFILE_PIECE / 4;
    piece->heat++;
    piece->reads[word] += !writes;
    piece->writes[word] += writes;
    if (!piece->at[word])
        piece->at[word] = pc + 1;
}

/* Lanes beside each other mostly access one piece. */
void profile_sharing_access(struct profile_sharing *s, const struct lockstep_access_event *e)
{
    struct profile_piece *piece = NULL;
    uint64_t at = 1; /* no piece's address */
    if (e->space != LOCKSTEP_GLOBAL)
        return;
    for (uint64_t rest = e->mask; rest; rest &= rest - 1) {
        uint64_t address = e->address[mask_first(rest)], base = address & ~(uint64_t)(PROFILE_PIECE - 1);
        if (base != at) {
            piece = piece_at(s, base);
            at = base;
        }
        if (piece)
            count(piece, address, e->instruction_class != LOCKSTEP_LOAD, e->pc);
    }
}
