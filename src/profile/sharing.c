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
    struct profile_piece *pair = s->pieces[profile_piece_pair(address)];
    for (unsigned i = 0; i < 2; i++)
        if (pair[i].heat && pair[i].address == address)
            return &pair[i];
    struct profile_piece *place = pair[0].heat <= pair[1].heat ? &pair[0] : &pair[1];
    if (place->heat && --place->heat)
        return NULL;
    *place = (struct profile_piece){.address = address};
    return place;
}

/* Lanes have accessed one word of a piece. */
static inline void count(struct profile_piece *piece, unsigned word, uint32_t lanes, bool writes, uint32_t pc)
{
    piece->heat += lanes;
    (writes ? piece->writes : piece->reads)[word] += lanes;
    if (!piece->at[word])
        piece->at[word] = pc + 1;
}

/* Lanes beside each other mostly access one piece. */
static void count_lanes(struct profile_sharing *s, const struct lockstep_access_event *e, bool writes)
{
    struct profile_piece *piece = NULL;
    uint64_t at = 1; /* no piece's address */
    for (uint64_t rest = e->mask; rest; rest &= rest - 1) {
        uint64_t address = e->address[mask_first(rest)], base = address & ~(uint64_t)(PROFILE_PIECE - 1);
        if (base != at) {
            piece = piece_at(s, base);
            at = base;
        }
        if (piece)
            count(piece, address % PROFILE_PIECE / 4, 1, writes, e->pc);
    }
}

#define ROW 32 /* lanes */

/* Bytes from one lane to the next, if that is as many in all of a warp's lanes: 0 or 4; else UINT64_MAX. */
static uint64_t step_of_row(const struct lockstep_access_event *e)
{
    const uint64_t *address = e->address;
    if (e->mask != mask_low(ROW))
        return UINT64_MAX;
    uint64_t step = address[1] - address[0], differ = 0;
    if (step != 0 && step != 4)
        return UINT64_MAX;
    for (unsigned lane = 0; lane < ROW; lane++)
        differ |= address[lane] ^ (address[0] + lane * step);
    return differ ? UINT64_MAX : step;
}

/* Consecutive words, from that address on. As count_lanes for the lanes that access them, one each: those of one piece
 * at once. */
static void count_row(struct profile_sharing *s, uint64_t address, bool writes, uint32_t pc)
{
    for (unsigned lane = 0, lanes; lane < ROW; lane += lanes, address += lanes * 4) {
        unsigned word = address % PROFILE_PIECE / 4;
        lanes = PROFILE_PIECE_WORDS - word < ROW - lane ? PROFILE_PIECE_WORDS - word : ROW - lane;
        struct profile_piece *piece = piece_at(s, address & ~(uint64_t)(PROFILE_PIECE - 1));
        for (unsigned i = word; piece && i < word + lanes; i++)
            count(piece, i, 1, writes, pc);
    }
}

/* Most warps access consecutive words, or one. */
void profile_sharing_accessed(struct profile_sharing *s, const struct lockstep_access_event *e)
{
    bool writes = e->instruction_class != LOCKSTEP_LOAD;
    uint64_t step = step_of_row(e), address = e->address[mask_first(e->mask)];
    struct profile_piece *piece;
    if (step == 4)
        count_row(s, address, writes, e->pc);
    else if (step)
        count_lanes(s, e, writes);
    else if ((piece = piece_at(s, address & ~(uint64_t)(PROFILE_PIECE - 1))))
        count(piece, address % PROFILE_PIECE / 4, ROW, writes, e->pc);
}
