/* One state of the exploration of mbarriers, and the events that lead on from it (mbarrier_model.h).
 *
 * A wait is that of the machine: it looks at its object when it issues; the warp comes to the asynchronous unit, which
 * looks again and suspends it if the phase is not over; when a phase of the object ends, the unit looks at it once
 * more. */
#include "check/mbarrier_model.h"

#include <stdarg.h>
#include <string.h>

#include "simt/mbarrier.h"

/* An event: its kind, and the thread or message. */
enum kind { STEPS, COMES, LIMIT, DELIVERS };
#define EVENT(kind, number) ((mbarrier_event)((kind) << 8 | (number)))

static void __attribute__((format(printf, 2, 3))) fail(struct mbarrier_model *m, const char *format, ...)
{
    va_list ap;
    if (m->wrong)
        return;
    m->wrong = true;
    va_start(ap, format);
    strbuf_vaddf(&m->fault, format, ap);
    va_end(ap);
}

static void __attribute__((format(printf, 2, 3))) tell(struct mbarrier_model *m, const char *format, ...)
{
    va_list ap;
    if (!m->story)
        return;
    va_start(ap, format);
    strbuf_vaddf(m->story, format, ap);
    va_end(ap);
}

static void tell_object(struct mbarrier_model *m, unsigned object)
{
    if (!m->story)
        return;
    strbuf_addf(m->story, "; object %u: ", object);
    mbarrier_describe(m->s.object[object], m->story);
}

/* The checker's own account of a phase */

static const struct mbarrier_word *word_of(const struct mbarrier_model *m, const struct mbarrier_thread *t)
{
    return &m->program.words[t - m->s.threads][t->word];
}

/* The phase in which a thread leaves, or more than there are. */
static unsigned last_of(const struct mbarrier_model *m, unsigned thread)
{
    for (unsigned i = 0; i < m->program.counts[thread]; i++)
        if (m->program.words[thread][i].kind == MBARRIER_DROP)
            return m->program.words[thread][i].numbers[0];
    return MBARRIER_CHECK_PHASES;
}

/* Arrivals that a word makes in a phase, at once or later. */
static unsigned arrivals_of(const struct mbarrier_model *m, unsigned thread, const struct mbarrier_word *w,
                            unsigned phase)
{
    unsigned last = last_of(m, thread);
    if (w->kind == MBARRIER_DROP)
        return phase == last;
    if (w->kind > MBARRIER_DROP || w->kind == MBARRIER_EXPECT || w->kind == MBARRIER_COPY || phase >= last)
        return 0;
    return w->kind == MBARRIER_ARRIVE && w->numbers[0] ? w->numbers[0] : 1;
}

static unsigned bytes_of(const struct mbarrier_model *m, unsigned thread, const struct mbarrier_word *w, unsigned phase)
{
    bool copies = w->kind == MBARRIER_COPY && phase < last_of(m, thread);
    return copies ? w->numbers[0] + w->numbers[1] : 0u;
}

static bool has_done(const struct mbarrier_thread *t, unsigned word, unsigned phase)
{
    return t->place == MBARRIER_ENDED || t->phase > phase || (t->phase == phase && t->word > word);
}

/* The object says that its phase is over: it must be, by the programs, and the next one begins. */
static void end_phase(struct mbarrier_model *m, unsigned object)
{
    unsigned phase = m->s.phase[object], arrivals = 0, bytes = 0;
    for (unsigned t = 0; t < m->program.threads; t++)
        for (unsigned i = 0; i < m->program.counts[t]; i++) {
            const struct mbarrier_word *w = &m->program.words[t][i];
            unsigned own = arrivals_of(m, t, w, phase);
            if (w->object != object)
                continue;
            if (own && !has_done(&m->s.threads[t], i, phase))
                fail(m, "phase %u of object %u ends before thread %u has arrived", phase, object, t);
            arrivals += own;
            bytes += bytes_of(m, t, w, phase);
        }
    if (m->s.arrived[object] != arrivals || m->s.came[object] != bytes)
        fail(m, "phase %u of object %u ends with %u of %u arrivals and %u of %u bytes", phase, object,
             m->s.arrived[object], arrivals, m->s.came[object], bytes);
    m->s.phase[object]++;
    m->s.arrived[object] = m->s.came[object] = 0;
}

/* A wait has ended: the phase that it was for must be over, and no further one. */
static void go_on(struct mbarrier_model *m, struct mbarrier_thread *t)
{
    const struct mbarrier_word *w = word_of(m, t);
    unsigned next = w->kind == MBARRIER_PRIOR ? t->phase : t->phase + 1u, now = m->s.phase[w->object];
    unsigned thread = (unsigned)(t - m->s.threads);
    if (now < next)
        fail(m, "thread %u goes on before phase %u of object %u is over", thread, next - 1, w->object);
    else if (now > next)
        fail(m, "thread %u goes on when phase %u of object %u is over, and waited for phase %u", thread, now - 1,
             w->object, (unsigned)(next - 1));
    t->place = MBARRIER_RUNS;
    t->word++;
}

/* Waits */

static unsigned awaited(const struct mbarrier_model *m, const struct mbarrier_thread *t)
{
    const struct mbarrier_word *w = word_of(m, t);
    return w->kind == MBARRIER_TOKEN ? t->token[w->object] : w->kind == MBARRIER_PRIOR ? t->phase + 1u : t->phase;
}

static bool is_over(const struct mbarrier_model *m, const struct mbarrier_thread *t)
{
    return mbarrier_is_over(m->s.object[word_of(m, t)->object], awaited(m, t) & 1);
}

static void wake(struct mbarrier_model *m, unsigned object)
{
    for (unsigned i = 0; i < m->program.threads && !m->setup->deaf; i++) {
        struct mbarrier_thread *t = &m->s.threads[i];
        if (t->place != MBARRIER_PARKED || word_of(m, t)->object != object || !is_over(m, t))
            continue;
        tell(m, "; thread %u goes on", i);
        go_on(m, t);
    }
}

static void issue_wait(struct mbarrier_model *m, struct mbarrier_thread *t, unsigned thread)
{
    const struct mbarrier_word *w = word_of(m, t);
    bool over = is_over(m, t);
    tell(m, "thread %u waits for parity %u of object %u%s", thread, awaited(m, t) & 1, w->object,
         over ? ", which is over" : "");
    if (over)
        go_on(m, t);
    else
        t->place = MBARRIER_ISSUED;
}

static void come(struct mbarrier_model *m, struct mbarrier_thread *t, unsigned thread)
{
    bool over = !m->setup->hurries && is_over(m, t);
    tell(m, "thread %u %s object %u", thread, over ? "goes on past" : "is suspended at", word_of(m, t)->object);
    if (over)
        go_on(m, t);
    else
        t->place = MBARRIER_PARKED;
}

/* Operations */

static void apply(struct mbarrier_model *m, unsigned object, struct mbarrier_step step, uint64_t operand)
{
    if (step.fault) {
        struct strbuf words = {0};
        mbarrier_describe_fault((enum mbarrier_fault)step.fault, m->s.object[object], operand, &words);
        fail(m, "object %u: %s", object, strbuf_text(&words));
        strbuf_free(&words);
        return;
    }
    m->s.object[object] = step.object;
    tell_object(m, object);
    if (!step.completed)
        return;
    tell(m, "; its phase %u is over", m->s.phase[object]);
    end_phase(m, object);
    wake(m, object);
}

static void arrive(struct mbarrier_model *m, unsigned object, unsigned count, unsigned tx, bool drops)
{
    m->s.arrived[object] = (uint8_t)(m->s.arrived[object] + count);
    apply(m, object, mbarrier_arrive(m->s.object[object], count, tx, drops), count);
}

static void send(struct mbarrier_model *m, struct mbarrier_message message)
{
    unsigned at = m->s.message_count++;
    contract(at < MBARRIER_MESSAGES);
    for (; at && memcmp(&m->s.messages[at - 1], &message, sizeof message) > 0; at--)
        m->s.messages[at] = m->s.messages[at - 1];
    m->s.messages[at] = message;
}

static void send_pieces(struct mbarrier_model *m, const struct mbarrier_word *w, unsigned phase)
{
    for (unsigned i = 0; i < MBARRIER_PIECES; i++)
        if (w->numbers[i])
            send(m, (struct mbarrier_message){w->numbers[i], w->object, (uint8_t)phase});
}

static void leave(struct mbarrier_model *m, struct mbarrier_thread *t, unsigned object)
{
    t->place = MBARRIER_ENDED;
    tell(m, ", and drops out");
    arrive(m, object, 1, 0, true);
}

/* A word that is no wait. */
static void do_word(struct mbarrier_model *m, struct mbarrier_thread *t, const struct mbarrier_word *w)
{
    unsigned object = w->object, number = w->numbers[0];
    bool leaves = w->kind == MBARRIER_DROP && number == t->phase;
    t->token[object] = (uint8_t)mbarrier_parity(m->s.object[object]);
    if (!leaves)
        t->word++;
    switch (w->kind) {
    case MBARRIER_ARRIVE:
        arrive(m, object, number ? number : 1, 0, false);
        break;
    case MBARRIER_ARRIVE_TX:
        arrive(m, object, 1, number, false);
        break;
    case MBARRIER_EXPECT:
        apply(m, object, mbarrier_expect(m->s.object[object], number), number);
        break;
    case MBARRIER_COPY:
        send_pieces(m, w, t->phase);
        break;
    case MBARRIER_TAKE:
        apply(m, object, mbarrier_await_one(m->s.object[object]), 1);
        send(m, (struct mbarrier_message){.object = w->object});
        break;
    case MBARRIER_REMOTE:
    case MBARRIER_NOINC:
        send(m, (struct mbarrier_message){.object = w->object});
        break;
    default:
        if (leaves)
            leave(m, t, object);
        break;
    }
}

static void step_thread(struct mbarrier_model *m, struct mbarrier_thread *t, unsigned thread)
{
    static const char *const does[MBARRIER_WAIT] = {[MBARRIER_ARRIVE] = "arrives at",
                                                    [MBARRIER_ARRIVE_TX] = "expects bytes and arrives at",
                                                    [MBARRIER_EXPECT] = "expects bytes at",
                                                    [MBARRIER_COPY] = "begins a copy for",
                                                    [MBARRIER_REMOTE] = "sends an arrival to",
                                                    [MBARRIER_TAKE] = "adds an arrival of its copies to",
                                                    [MBARRIER_NOINC] = "will arrive, by its copies, at",
                                                    [MBARRIER_DROP] = "may drop out of"};
    const struct mbarrier_word *w = word_of(m, t);
    if (w->kind >= MBARRIER_WAIT) {
        issue_wait(m, t, thread);
        return;
    }
    tell(m, "thread %u %s object %u in turn %u", thread, does[w->kind], w->object, t->phase);
    do_word(m, t, w);
}

static void deliver(struct mbarrier_model *m, unsigned number)
{
    struct mbarrier_message message = m->s.messages[number];
    unsigned object = message.object;
    m->s.message_count--;
    memmove(&m->s.messages[number], &m->s.messages[number + 1], (m->s.message_count - number) * sizeof *m->s.messages);
    m->s.messages[m->s.message_count] = (struct mbarrier_message){0};
    if (!message.bytes) {
        tell(m, "an arrival comes to object %u", object);
        arrive(m, object, 1, 0, false);
        return;
    }
    tell(m, "%u bytes of turn %u come to object %u", message.bytes, message.phase, object);
    if (message.phase != m->s.phase[object])
        fail(m, "bytes of phase %u come to object %u in its phase %u", message.phase, object, m->s.phase[object]);
    m->s.came[object] = (uint8_t)(m->s.came[object] + message.bytes);
    apply(m, object, mbarrier_complete(m->s.object[object], message.bytes), message.bytes);
}

/* A thread that has done all its words begins the next turn, or ends. */
static void settle(struct mbarrier_model *m)
{
    for (unsigned i = 0; i < m->program.threads; i++) {
        struct mbarrier_thread *t = &m->s.threads[i];
        if (t->place == MBARRIER_RUNS && t->word == m->program.counts[i]) {
            t->word = 0;
            t->phase++;
            t->place = t->phase == m->setup->phases ? MBARRIER_ENDED : MBARRIER_RUNS;
        }
        if (t->place == MBARRIER_ENDED) {
            t->word = 0;
            memset(t->token, 0, sizeof t->token);
        }
    }
}

void mbarrier_run(struct mbarrier_model *m, mbarrier_event event)
{
    unsigned number = event & 0xff;
    struct mbarrier_thread *t = &m->s.threads[number < MBARRIER_THREADS ? number : 0];
    switch (event >> 8) {
    case STEPS:
        step_thread(m, t, number);
        break;
    case COMES:
        come(m, t, number);
        break;
    case LIMIT:
        tell(m, "thread %u has waited for long enough, and will wait again", number);
        t->place = MBARRIER_RUNS;
        break;
    default:
        deliver(m, number);
        break;
    }
    settle(m);
}

/* The whole */

void mbarrier_begin(struct mbarrier_model *m)
{
    m->s = (struct mbarrier_state){.message_count = 0};
    for (unsigned i = 0; i < MBARRIER_OBJECTS; i++)
        if (m->program.arrivals[i])
            m->s.object[i] = mbarrier_init(m->program.arrivals[i]).object;
}

unsigned mbarrier_events(const struct mbarrier_model *m, mbarrier_event *events)
{
    unsigned count = 0;
    for (unsigned i = 0; i < m->program.threads; i++) {
        enum mbarrier_place place = m->s.threads[i].place;
        if (place == MBARRIER_RUNS)
            events[count++] = EVENT(STEPS, i);
        if (place == MBARRIER_ISSUED)
            events[count++] = EVENT(COMES, i);
        if (place == MBARRIER_PARKED && m->setup->limits)
            events[count++] = EVENT(LIMIT, i);
    }
    for (unsigned i = 0; i < m->s.message_count; i++)
        if (!i || memcmp(&m->s.messages[i], &m->s.messages[i - 1], sizeof m->s.messages[i]) != 0)
            events[count++] = EVENT(DELIVERS, i);
    return count;
}

void mbarrier_check_end(struct mbarrier_model *m)
{
    /* Who missed the end of a phase is named before those whom that held up. */
    for (unsigned over = 2; over-- > 0;)
        for (unsigned i = 0; i < m->program.threads; i++) {
            const struct mbarrier_thread *t = &m->s.threads[i];
            if (t->place != MBARRIER_ENDED && is_over(m, t) == over)
                fail(m, "%s: thread %u waits for ever at object %u, in turn %u", over ? "a lost wake-up" : "deadlock",
                     i, word_of(m, t)->object, t->phase);
        }
    for (unsigned i = 0; i < MBARRIER_OBJECTS; i++) {
        uint64_t object = m->s.object[i];
        if (m->program.arrivals[i] && (mbarrier_parity(object) != (m->s.phase[i] & 1u) || mbarrier_tx(object) ||
                                       mbarrier_pending(object) != mbarrier_expected(object)))
            fail(m, "object %u is not as at the beginning of a phase when all has ended", i);
    }
}
