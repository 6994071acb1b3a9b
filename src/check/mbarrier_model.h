/* The model that the explorer of mbarriers (mbarrier.h) walks through: threads, objects, and messages on their way to objects.
 * Private to the room. */
#ifndef LOCKSTEP_CHECK_MBARRIER_MODEL_H
#define LOCKSTEP_CHECK_MBARRIER_MODEL_H

#include "check/mbarrier.h"

#define MBARRIER_THREADS 4
#define MBARRIER_OBJECTS 2
#define MBARRIER_WORDS 8 /* of a thread */
#define MBARRIER_PIECES 2
#define MBARRIER_MESSAGES 12 /* on their way */

enum mbarrier_word_kind {
    MBARRIER_ARRIVE,
    MBARRIER_ARRIVE_TX,
    MBARRIER_EXPECT,
    MBARRIER_COPY,
    MBARRIER_REMOTE,
    MBARRIER_TAKE,
    MBARRIER_NOINC,
    MBARRIER_DROP,
    MBARRIER_WAIT,
    MBARRIER_TOKEN,
    MBARRIER_PRIOR,
    MBARRIER_WORD_KINDS
};

struct mbarrier_word {
    uint8_t kind, object;
    uint8_t numbers[MBARRIER_PIECES]; /* 0: none */
};

struct mbarrier_program {
    struct mbarrier_word words[MBARRIER_THREADS][MBARRIER_WORDS];
    uint8_t counts[MBARRIER_THREADS]; /* words of a thread */
    uint8_t threads;
    uint32_t arrivals[MBARRIER_OBJECTS]; /* of a phase, in the beginning; 0: there is no such object */
};

enum mbarrier_place { MBARRIER_RUNS, MBARRIER_ISSUED, MBARRIER_PARKED, MBARRIER_ENDED };

/* Bytes alone, so that equal states are equal bytes. */
struct mbarrier_thread {
    uint8_t word, phase;
    uint8_t place;                   /* ISSUED: its wait has looked once, and comes to the asynchronous unit */
    uint8_t token[MBARRIER_OBJECTS]; /* parity of the state that its last arrival returned */
};

/* An arrival or a piece of a copy that comes at some time. */
struct mbarrier_message {
    uint8_t bytes; /* 0: an arrival */
    uint8_t object, phase;
};

struct mbarrier_state {
    uint64_t object[MBARRIER_OBJECTS];
    /* What the checker knows besides, from the programs alone: */
    uint8_t phase[MBARRIER_OBJECTS];                           /* the current one */
    uint8_t arrived[MBARRIER_OBJECTS], came[MBARRIER_OBJECTS]; /* arrivals and bytes of it */
    uint8_t message_count;
    uint8_t unused[1];
    struct mbarrier_thread threads[MBARRIER_THREADS];
    struct mbarrier_message messages[MBARRIER_MESSAGES]; /* in order, for none is before another */
};

struct mbarrier_model {
    const struct mbarrier_setup *setup;
    struct mbarrier_program program;
    struct mbarrier_state s;
    bool wrong;
    struct strbuf fault;
    struct strbuf *story; /* what events do is told here, or NULL */
};

typedef uint16_t mbarrier_event;
#define MBARRIER_EVENTS (3 * MBARRIER_THREADS + MBARRIER_MESSAGES)

int mbarrier_read_program(const char *name, struct mbarrier_program *program, struct diag_sink *sink);
void mbarrier_begin(struct mbarrier_model *m);
/* The events that can happen. Returns how many. */
unsigned mbarrier_events(const struct mbarrier_model *m, mbarrier_event *events);
void mbarrier_run(struct mbarrier_model *m, mbarrier_event event);
/* Nothing can happen: notes the fault if that must not be. */
void mbarrier_check_end(struct mbarrier_model *m);

#endif
