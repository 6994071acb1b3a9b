/* The directories of slices. Owners are asked about what concerns their lines, and what waits for their answers waits
 * aside, so that nothing holds up the written bytes that an owner sends before it gives a line back. A plain store is
 * shown to the owner before memory takes it, also while the line is asked back, and owners look at once: so it never
 * waits for a line to be given back, for which an owner may wait for other stores. */
#include "memory/coherence/protocol.h"

enum {
#define DIRECTORY_ACTION(name, word, from, to, doc) name = DIRECTORY_DO_##name,
#include "memory/coherence/directory_actions.def"
#undef DIRECTORY_ACTION
    NOTHING = 0
};
#define ROW(state, event, next, ...)                                                                                   \
    {                                                                                                                  \
        DIRECTORY_##state, DIRECTORY_##event##_EVENT, DIRECTORY_##next, COHERENCE_DO(__VA_ARGS__)                      \
    }

/* Of lines that nobody registers. */
#define FREE_ROWS ROW(N, FETCH, N, GO), ROW(N, STORE, N, GO), ROW(N, RELAXED, N, GO), ROW(N, AT_HOME, N, GO)

static const struct coherence_row rows[] = {
    FREE_ROWS,
    ROW(N, CLEARED, N, GO),
    ROW(N, REGISTER, R, GO, OWN),

    ROW(R, FETCH, Q, PARK, ASK),
    ROW(R, FETCH_OWN, R, GO),
    ROW(R, STORE, Q, PARK, ASK),
    ROW(R, STORE_OWN, R, GO),
    ROW(R, CLEARED, R, GO),
    ROW(R, RELAXED, B, PARK, RECALL),
    ROW(R, AT_HOME, B, PARK, RECALL),
    ROW(R, REGISTER, B, PARK, RECALL),
    ROW(R, PUTM, N, MERGE, DISOWN, ANSWER),
    ROW(R, EVICT, X, RECALL),

    ROW(Q, FETCH, Q, PARK),
    ROW(Q, FETCH_OWN, Q, GO),
    ROW(Q, STORE, Q, PARK),
    ROW(Q, STORE_OWN, Q, GO),
    ROW(Q, RELAXED, Q, PARK),
    ROW(Q, AT_HOME, Q, PARK),
    ROW(Q, REGISTER, Q, PARK),
    ROW(Q, FORWARDED, R, MERGE, CLEAR, WAKE),
    ROW(Q, PUTM, N, MERGE, DISOWN, ANSWER, WAKE),
    ROW(Q, EVICT, Q, NOTHING),

    ROW(B, FETCH, B, PARK),
    ROW(B, FETCH_OWN, B, GO),
    ROW(B, STORE, B, PARK, ASK),
    ROW(B, STORE_OWN, B, GO),
    ROW(B, CLEARED, B, GO),
    ROW(B, FORWARDED, B, CLEAR_STORE),
    ROW(B, RELAXED, B, PARK),
    ROW(B, AT_HOME, B, PARK),
    ROW(B, REGISTER, B, PARK),
    ROW(B, RETURNED, N, MERGE, DISOWN, WAKE),
    ROW(B, PUTM, N, MERGE, DISOWN, ANSWER, WAKE),
    ROW(B, EVICT, B, NOTHING),

    ROW(X, FETCH, X, PARK),
    ROW(X, FETCH_OWN, X, GO),
    ROW(X, STORE, X, PARK, ASK),
    ROW(X, STORE_OWN, X, GO),
    ROW(X, CLEARED, X, GO),
    ROW(X, FORWARDED, X, CLEAR_STORE),
    ROW(X, RELAXED, X, PARK),
    ROW(X, AT_HOME, X, PARK),
    ROW(X, REGISTER, X, PARK),
    ROW(X, RETURNED, N, MERGE, DISOWN, WAKE),
    ROW(X, PUTM, N, MERGE, DISOWN, ANSWER, WAKE),
    ROW(X, EVICT, X, NOTHING),
};
/* Of lines that L1s share, or one registers (msi.c). Plain stores and atomic accesses of L1s do not come here: whoever
 * writes a line has registered it. Who reads the line of an owner has it given back. Copies in bulk, which pass L1s by
 * and keep nothing, read and write in the L2: the owner of a line gives it back first, even the L1 of their own SM, and
 * of a line that they write no L1 may have a copy. */
#define WAITING_ROWS(state)                                                                                            \
    ROW(state, FETCH, state, PARK), ROW(state, FETCH_OWN, state, GO), ROW(state, REGISTER, state, PARK),               \
        ROW(state, READ, state, PARK), ROW(state, WRITE, state, PARK),                                                 \
        ROW(state, RETURNED, N, MERGE, DISOWN, WAKE), ROW(state, PUTM, N, MERGE, DISOWN, ANSWER, WAKE),                \
        ROW(state, EVICT, state, NOTHING)

static const struct coherence_row shared_rows[] = {
    ROW(N, FETCH, S, GO, SHARE),
    ROW(N, REGISTER, R, GO, OWN),
    ROW(N, READ, N, GO),
    ROW(N, WRITE, N, GO),

    ROW(S, FETCH, S, GO, SHARE),
    ROW(S, READ, S, GO),
    ROW(S, WRITE, C, PARK, INVALIDATE),
    ROW(S, REGISTER, C, PARK, INVALIDATE),
    ROW(S, REGISTER_ALONE, R, GO, OWN),
    ROW(S, EVICT, C, INVALIDATE),

    ROW(C, FETCH, C, PARK),
    ROW(C, REGISTER, C, PARK),
    ROW(C, READ, C, PARK),
    ROW(C, WRITE, C, PARK),
    ROW(C, DROPPED, C, COLLECT),
    ROW(C, ALL_DROPPED, N, COLLECT, DISOWN, WAKE),
    ROW(C, EVICT, C, NOTHING),

    ROW(R, FETCH, B, PARK, RECALL),
    ROW(R, FETCH_OWN, R, GO),
    ROW(R, REGISTER, B, PARK, RECALL),
    ROW(R, READ, B, PARK, RECALL),
    ROW(R, WRITE, B, PARK, RECALL),
    ROW(R, PUTM, N, MERGE, DISOWN, ANSWER),
    ROW(R, EVICT, X, RECALL),

    WAITING_ROWS(B),
    WAITING_ROWS(X),
};
/* Of lines that L1s have copies of for a time (lease.c). A read that an L1 keeps gets a lease, as long as nobody waits
 * for the last one to end. Who writes waits for that, and so does who wants the line's place in the L2; and behind them
 * all who come to the line meanwhile, so that their order stays and no new lease holds them up. */
static const struct coherence_row leased_rows[] = {
    ROW(N, FETCH, L, GO, LEASE),
    ROW(N, READ, N, GO),
    ROW(N, WRITE, N, GO),

    ROW(L, FETCH, L, GO, LEASE),
    ROW(L, READ, L, GO),
    ROW(L, WRITE, T, PARK),
    ROW(L, WRITE_ALONE, N, GO, DISOWN),
    ROW(L, EVICT, T, NOTHING),
    ROW(L, TIME_PASSED, N, DISOWN),

    ROW(T, FETCH, T, PARK),
    ROW(T, READ, T, PARK),
    ROW(T, WRITE, T, PARK),
    ROW(T, EVICT, T, NOTHING),
    ROW(T, TIME_PASSED, N, DISOWN, WAKE),
};
static const struct coherence_row free_rows[] = {FREE_ROWS};

const struct coherence_table coherence_directory = {rows, sizeof rows / sizeof rows[0]};
const struct coherence_table coherence_sharers = {shared_rows, sizeof shared_rows / sizeof shared_rows[0]};
const struct coherence_table coherence_leased = {leased_rows, sizeof leased_rows / sizeof leased_rows[0]};
const struct coherence_table coherence_no_directory = {free_rows, sizeof free_rows / sizeof free_rows[0]};
