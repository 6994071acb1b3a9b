/* An mbarrier object: what each operation does to its 64 bits, without memory, time or threads. PTX ISA, "Parallel
 * Synchronization and Communication Instructions: mbarrier". Programs take the bits for opaque; they are
 *
 *     0..19   pending arrivals of the current phase
 *    20..39   expected arrivals: what the next phase begins with
 *    40..60   tx-count, two's complement: bytes that are expected and have not come, or, below 0, that came unexpected
 *    62       initialised: what is invalid, or was never an object, has it clear (unless the memory says otherwise)
 *    63       parity of the current phase; the first has 0
 *
 * A phase is *over* when nothing is pending and the tx-count is 0: the operation that brings this about begins the next
 * phase. The state that an arrival returns is the object as it was before. */
#ifndef LOCKSTEP_SIMT_MBARRIER_H
#define LOCKSTEP_SIMT_MBARRIER_H

#include <stdbool.h>
#include <stdint.h>

#define MBARRIER_BYTES 8
#define MBARRIER_MOST_ARRIVALS ((UINT32_C(1) << 20) - 1) /* of count and of |tx-count| */

/* What is wrong with an operation: the object is as before then. */
enum mbarrier_fault {
    MBARRIER_FINE,
    MBARRIER_UNINITIALISED, /* there is no object at the address */
    MBARRIER_COUNT,         /* a count of 0, or one above MBARRIER_MOST_ARRIVALS */
    MBARRIER_TOO_MANY,      /* more arrivals than are pending, or dropped than are expected */
    MBARRIER_TX,            /* the tx-count would leave its range */
    MBARRIER_PARTED,        /* bytes of a copy end the phase, and others of the same copy are still to come */
    MBARRIER_COMPLETES,     /* an arrival that must not end the phase (.noComplete) would */
};

struct mbarrier_step {
    uint64_t object;
    bool completed; /* the phase is over, and the next has begun */
    uint8_t fault;  /* enum mbarrier_fault */
};

static inline uint32_t mbarrier_pending(uint64_t object)
{
    return (uint32_t)(object & MBARRIER_MOST_ARRIVALS);
}
static inline uint32_t mbarrier_expected(uint64_t object)
{
    return (uint32_t)(object >> 20 & MBARRIER_MOST_ARRIVALS);
}
static inline int32_t mbarrier_tx(uint64_t object)
{
    return (int32_t)((int64_t)(object << 3) >> 43);
}
static inline bool mbarrier_initialised(uint64_t object)
{
    return object >> 62 & 1;
}
static inline unsigned mbarrier_parity(uint64_t object)
{
    return (unsigned)(object >> 63);
}
/* Of the current phase and the one before: the one of that parity is over. */
static inline bool mbarrier_is_over(uint64_t object, unsigned parity)
{
    return mbarrier_parity(object) != (parity & 1);
}

/* mbarrier.init: an object whose phases take so many arrivals. */
struct mbarrier_step mbarrier_init(uint64_t count);
/* mbarrier.inval: no object any more. What is invalid already stays so. */
struct mbarrier_step mbarrier_inval(uint64_t object);
/* mbarrier.test_wait, try_wait: they look at an object, and leave it as it is. */
struct mbarrier_step mbarrier_look(uint64_t object);
/* mbarrier.expect_tx: so many bytes more are to come in this phase. */
struct mbarrier_step mbarrier_expect(uint64_t object, uint64_t tx);
/* mbarrier.complete_tx, or an asynchronous copy: so many bytes came. */
struct mbarrier_step mbarrier_complete(uint64_t object, uint64_t tx);
/* mbarrier.arrive, arrive_drop: `count` arrivals at once, behind an expectation of tx bytes; drops: phases behind this
 * one expect as many fewer. */
struct mbarrier_step mbarrier_arrive(uint64_t object, uint64_t count, uint64_t tx, bool drops);
/* cp.async.mbarrier.arrive without .noinc: one arrival more is pending in this phase. */
struct mbarrier_step mbarrier_await_one(uint64_t object);

/* The fault in words: "arrives 3 times where 2 arrivals are pending". */
struct strbuf;
void mbarrier_describe_fault(enum mbarrier_fault fault, uint64_t object, uint64_t operand, struct strbuf *out);
/* The object in words: "phase 1, 2 of 8 arrivals and 512 bytes are missing"; parity stands for the phase. */
void mbarrier_describe(uint64_t object, struct strbuf *out);

#endif
