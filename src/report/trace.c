/* Perfetto's format: see trace.h. All packets are of one sequence, in order of time. */
#include "report/trace.h"

#include <stdlib.h>
#include <string.h>

#include "report/proto.h"
#include "report/trace_fields.h"

/* Texts */

static uint32_t text_number(struct trace *t, struct trace_texts *texts, const char *text)
{
    size_t n = strlen(text);
    uint32_t number = strmap_get(&texts->numbers, text, n);
    if (number != STRMAP_NONE)
        return number;
    number = (uint32_t)texts->items.count;
    const char *kept = arena_strdup(&t->arena, text);
    strmap_put(&texts->numbers, kept, n, number);
    vec_push(&texts->items, kept);
    return number;
}

static void free_texts(struct trace_texts *texts)
{
    strmap_free(&texts->numbers);
    vec_free(&texts->items);
}

/* Tracks */

/* Takes the packet over. */
static void add_packet(struct strbuf *to, struct strbuf *packet)
{
    proto_add_message(to, TRACE_PACKET, packet);
    strbuf_free(packet);
}

static void add_track(struct trace *t, struct strbuf *track)
{
    struct strbuf packet = {0};
    proto_add_number(&packet, PACKET_SEQUENCE, 1);
    proto_add_number(&packet, PACKET_FLAGS, t->tracks.length ? PACKET_FLAG_NEEDED : PACKET_FLAG_CLEARED);
    proto_add_message(&packet, PACKET_TRACK, track);
    add_packet(&t->tracks, &packet);
    strbuf_free(track);
}

void trace_add_group(struct trace *t, uint64_t uuid, uint32_t number, const char *name)
{
    struct strbuf track = {0}, process = {0};
    proto_add_number(&process, PROCESS_PID, number);
    proto_add_text(&process, PROCESS_NAME, name);
    proto_add_number(&track, TRACK_UUID, uuid);
    proto_add_message(&track, TRACK_PROCESS, &process);
    add_track(t, &track);
    strbuf_free(&process);
}

void trace_add_thread(struct trace *t, uint64_t uuid, uint64_t group, uint32_t group_number, uint32_t number,
                      const char *name)
{
    struct strbuf track = {0}, thread = {0};
    proto_add_number(&thread, THREAD_PID, group_number);
    proto_add_number(&thread, THREAD_TID, number);
    proto_add_text(&thread, THREAD_NAME, name);
    proto_add_number(&track, TRACK_UUID, uuid);
    proto_add_number(&track, TRACK_PARENT, group);
    proto_add_message(&track, TRACK_THREAD, &thread);
    add_track(t, &track);
    strbuf_free(&thread);
}

void trace_add_track(struct trace *t, uint64_t uuid, uint64_t parent, const char *name)
{
    struct strbuf track = {0};
    proto_add_number(&track, TRACK_UUID, uuid);
    proto_add_number(&track, TRACK_PARENT, parent);
    proto_add_text(&track, TRACK_NAME, name);
    add_track(t, &track);
}

void trace_add_counter(struct trace *t, uint64_t uuid, uint64_t group, const char *name, const char *unit)
{
    struct strbuf track = {0}, counter = {0};
    proto_add_text(&counter, COUNTER_UNIT_NAME, unit);
    proto_add_number(&track, TRACK_UUID, uuid);
    proto_add_number(&track, TRACK_PARENT, group);
    proto_add_text(&track, TRACK_NAME, name);
    proto_add_message(&track, TRACK_COUNTER, &counter);
    add_track(t, &track);
    strbuf_free(&counter);
}

/* Events */

struct trace_event *trace_add_event(struct trace *t, uint64_t time, uint64_t track, enum trace_type type,
                                    const char *name)
{
    struct trace_event event = {.time = time, .track = track, .type = type, .order = t->events.count};
    event.name = name ? text_number(t, &t->names, name) + 1 : 0;
    vec_push(&t->events, event);
    return &t->events.items[t->events.count - 1];
}

static struct trace_note *free_note(struct trace *t, struct trace_event *event, const char *name)
{
    unsigned i = 0;
    while (i < TRACE_NOTES - 1 && event->notes[i].name)
        i++;
    event->notes[i].name = text_number(t, &t->note_names, name) + 1;
    return &event->notes[i];
}

void trace_note_text(struct trace *t, struct trace_event *event, const char *name, const char *text)
{
    free_note(t, event, name)->text = text_number(t, &t->texts, text) + 1;
}

void trace_note_number(struct trace *t, struct trace_event *event, const char *name, uint64_t value)
{
    free_note(t, event, name)->value = value;
}

/* Writing */

/* A flow goes from the earliest event to a later one, also where both have one time: it begins at instants. */
static unsigned rank_of(const struct trace_event *event)
{
    return event->type == TRACE_INSTANT && event->flow ? 0 : 1;
}

static int by_time(const void *a, const void *b)
{
    const struct trace_event *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    if (rank_of(x) != rank_of(y))
        return rank_of(x) < rank_of(y) ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* Texts come with the first packet that names them. */
static void add_new_text(struct trace_texts *texts, uint32_t number, uint32_t field, struct strbuf *interned)
{
    struct strbuf text = {0};
    for (; texts->told < number; texts->told++) {
        proto_add_number(&text, INTERNED_IID, texts->told + 1);
        proto_add_text(&text, INTERNED_TEXT, texts->items.items[texts->told]);
        proto_add_message(interned, field, &text);
    }
    strbuf_free(&text);
}

static void add_notes(struct trace *t, const struct trace_event *event, struct strbuf *message, struct strbuf *interned)
{
    struct strbuf note = {0};
    for (unsigned i = 0; i < TRACE_NOTES && event->notes[i].name; i++) {
        const struct trace_note *n = &event->notes[i];
        add_new_text(&t->note_names, n->name, INTERNED_ANNOTATION_NAMES, interned);
        proto_add_number(&note, ANNOTATION_NAME_IID, n->name);
        if (n->text) {
            add_new_text(&t->texts, n->text, INTERNED_TEXTS, interned);
            proto_add_number(&note, ANNOTATION_TEXT_IID, n->text);
        } else {
            proto_add_number(&note, ANNOTATION_UINT, n->value);
        }
        proto_add_message(message, EVENT_ANNOTATION, &note);
    }
    strbuf_free(&note);
}

static void add_event(struct trace *t, const struct trace_event *event, struct strbuf *out)
{
    static const unsigned types[] = {EVENT_BEGIN, EVENT_END, EVENT_INSTANT, EVENT_COUNTS, EVENT_COUNTS};
    struct strbuf message = {0}, interned = {0}, packet = {0};
    proto_add_number(&message, EVENT_TYPE, types[event->type]);
    proto_add_number(&message, EVENT_TRACK, event->track);
    if (event->name) {
        add_new_text(&t->names, event->name, INTERNED_EVENT_NAMES, &interned);
        proto_add_number(&message, EVENT_NAME_IID, event->name);
    }
    if (event->type == TRACE_COUNT)
        proto_add_number(&message, EVENT_COUNTER, (uint64_t)event->count);
    if (event->type == TRACE_COUNT_REAL)
        proto_add_double(&message, EVENT_DOUBLE_COUNTER, event->real);
    if (event->flow)
        proto_add_fixed64(&message, EVENT_FLOW, event->flow);
    if (event->flow_ends)
        proto_add_fixed64(&message, EVENT_FLOW_ENDS, event->flow_ends);
    add_notes(t, event, &message, &interned);
    proto_add_number(&packet, PACKET_TIMESTAMP, event->time);
    proto_add_number(&packet, PACKET_SEQUENCE, 1);
    proto_add_number(&packet, PACKET_FLAGS, PACKET_FLAG_NEEDED);
    if (interned.length)
        proto_add_message(&packet, PACKET_INTERNED, &interned);
    proto_add_message(&packet, PACKET_EVENT, &message);
    add_packet(out, &packet);
    strbuf_free(&message);
    strbuf_free(&interned);
}

void trace_write(struct trace *t, struct strbuf *out)
{
    strbuf_addn(out, strbuf_text(&t->tracks), t->tracks.length);
    if (t->events.count)
        qsort(t->events.items, t->events.count, sizeof *t->events.items, by_time);
    for (size_t i = 0; i < t->events.count; i++)
        add_event(t, &t->events.items[i], out);
    strbuf_free(&t->tracks);
    vec_free(&t->events);
    free_texts(&t->names);
    free_texts(&t->note_names);
    free_texts(&t->texts);
    arena_free(&t->arena);
}
