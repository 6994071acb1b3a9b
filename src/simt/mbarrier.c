/* The operations of an mbarrier object: see mbarrier.h. */
#include "simt/mbarrier.h"

#include "base/strbuf.h"

#define INITIALISED (UINT64_C(1) << 62)
#define PHASE (UINT64_C(1) << 63)

static uint64_t with(uint64_t object, uint32_t pending, uint32_t expected, int32_t tx)
{
    return (object & (INITIALISED | PHASE)) | pending | (uint64_t)expected << 20 |
           ((uint64_t)(uint32_t)tx & ((UINT32_C(1) << 21) - 1)) << 40;
}

static struct mbarrier_step refused(uint64_t object, enum mbarrier_fault fault)
{
    return (struct mbarrier_step){.object = object, .fault = (uint8_t)fault};
}

/* Ends the phase if nothing is missing. */
static struct mbarrier_step settle(uint64_t object)
{
    if (mbarrier_pending(object) || mbarrier_tx(object))
        return (struct mbarrier_step){.object = object};
    uint32_t expected = mbarrier_expected(object);
    return (struct mbarrier_step){.object = with(object, expected, expected, 0) ^ PHASE, .completed = true};
}

struct mbarrier_step mbarrier_init(uint64_t count)
{
    if (count == 0 || count > MBARRIER_MOST_ARRIVALS)
        return refused(0, MBARRIER_COUNT);
    return (struct mbarrier_step){.object = with(INITIALISED, (uint32_t)count, (uint32_t)count, 0)};
}

struct mbarrier_step mbarrier_look(uint64_t object)
{
    return refused(object, mbarrier_initialised(object) ? MBARRIER_FINE : MBARRIER_UNINITIALISED);
}

struct mbarrier_step mbarrier_inval(uint64_t object)
{
    bool is_invalid = object == 0; /* already: libcu++'s own tests end two barriers in one place, and cards let them */
    return mbarrier_initialised(object) || is_invalid ? (struct mbarrier_step){0} : refused(object, MBARRIER_UNINITIALISED);
}

/* The object with its tx-count moved by `by`; an operation may settle it only when it has done all it does. */
static struct mbarrier_step add_tx(uint64_t object, int64_t by)
{
    int64_t tx = mbarrier_tx(object) + by, most = MBARRIER_MOST_ARRIVALS;
    if (!mbarrier_initialised(object))
        return refused(object, MBARRIER_UNINITIALISED);
    if (tx > most || tx < -most)
        return refused(object, MBARRIER_TX);
    return (struct mbarrier_step){.object =
                                      with(object, mbarrier_pending(object), mbarrier_expected(object), (int32_t)tx)};
}

struct mbarrier_step mbarrier_expect(uint64_t object, uint64_t tx)
{
    return tx > MBARRIER_MOST_ARRIVALS ? refused(object, MBARRIER_TX) : add_tx(object, (int64_t)tx);
}

struct mbarrier_step mbarrier_complete(uint64_t object, uint64_t tx)
{
    if (tx > MBARRIER_MOST_ARRIVALS)
        return refused(object, MBARRIER_TX);
    struct mbarrier_step step = add_tx(object, -(int64_t)tx);
    return step.fault ? step : settle(step.object);
}

struct mbarrier_step mbarrier_arrive(uint64_t object, uint64_t count, uint64_t tx, bool drops)
{
    struct mbarrier_step step = mbarrier_expect(object, tx);
    if (step.fault)
        return step;
    if (count == 0 || count > MBARRIER_MOST_ARRIVALS)
        return refused(object, MBARRIER_COUNT);
    uint32_t pending = mbarrier_pending(object), expected = mbarrier_expected(object), n = (uint32_t)count;
    if (n > pending || (drops && n > expected))
        return refused(object, MBARRIER_TOO_MANY);
    return settle(with(step.object, pending - n, drops ? expected - n : expected, mbarrier_tx(step.object)));
}

struct mbarrier_step mbarrier_await_one(uint64_t object)
{
    uint32_t pending = mbarrier_pending(object);
    if (!mbarrier_initialised(object))
        return refused(object, MBARRIER_UNINITIALISED);
    if (pending == MBARRIER_MOST_ARRIVALS)
        return refused(object, MBARRIER_COUNT);
    return (struct mbarrier_step){
        .object = with(object, pending + 1, mbarrier_expected(object), mbarrier_tx(object))};
}

void mbarrier_describe_fault(enum mbarrier_fault fault, uint64_t object, uint64_t operand, struct strbuf *out)
{
    switch (fault) {
    case MBARRIER_UNINITIALISED:
        strbuf_addf(out, "there is no mbarrier object: it was not initialised, or is invalid again");
        break;
    case MBARRIER_COUNT:
        strbuf_addf(out, "an mbarrier takes from 1 to %u arrivals, not %llu", MBARRIER_MOST_ARRIVALS,
                    (unsigned long long)operand);
        break;
    case MBARRIER_TOO_MANY:
        strbuf_addf(out, "%llu arrive at an mbarrier where %u of %u arrivals are pending", (unsigned long long)operand,
                    mbarrier_pending(object), mbarrier_expected(object));
        break;
    case MBARRIER_TX:
        strbuf_addf(out, "the tx-count of an mbarrier, %d, would leave its range with %llu bytes more",
                    mbarrier_tx(object), (unsigned long long)operand);
        break;
    case MBARRIER_PARTED:
        strbuf_add(out, "an mbarrier's phase ends while bytes of a copy are still to come: expect_tx announces fewer than the "
                        "copies bring");
        break;
    case MBARRIER_COMPLETES:
        strbuf_addf(out, "an arrival with .noComplete would end the mbarrier's phase");
        break;
    default:
        break;
    }
}

void mbarrier_describe(uint64_t object, struct strbuf *out)
{
    if (!mbarrier_initialised(object)) {
        strbuf_addf(out, "not initialised");
        return;
    }
    int32_t tx = mbarrier_tx(object);
    strbuf_addf(out, "phase of parity %u, %u of %u arrivals missing", mbarrier_parity(object), mbarrier_pending(object),
                mbarrier_expected(object));
    if (tx > 0)
        strbuf_addf(out, ", %d bytes missing", tx);
    else if (tx < 0)
        strbuf_addf(out, ", %d bytes came that nobody expects", -tx);
}
