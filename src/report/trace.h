/* A trace of Perfetto as it is made: tracks, and events on them. Events may be added in any order, but for those of one
 * track, which come in order of time; trace_write puts all in order. */
#ifndef LOCKSTEP_REPORT_TRACE_H
#define LOCKSTEP_REPORT_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "base/strmap.h"
#include "base/vec.h"

/* Texts that packets name by number, each kept once. */
struct trace_texts {
    struct strmap numbers;
    VEC(const char *) items;
    size_t told; /* of them, those that packets have brought so far */
};

#define TRACE_NOTES 4 /* of an event */
struct trace_note {
    uint32_t name; /* number + 1; 0: none */
    uint32_t text; /* number + 1; 0: `value` is meant */
    uint64_t value;
};

enum trace_type { TRACE_BEGIN, TRACE_END, TRACE_INSTANT, TRACE_COUNT, TRACE_COUNT_REAL };

struct trace_event {
    uint64_t time, track;
    enum trace_type type;
    uint32_t name;            /* number of its text + 1; 0: none */
    uint64_t flow, flow_ends; /* ids; 0: none */
    int64_t count;
    double real;
    struct trace_note notes[TRACE_NOTES];
    size_t order;
};

struct trace {
    struct strbuf tracks; /* packets that describe them */
    VEC(struct trace_event) events;
    struct trace_texts names, note_names, texts;
    struct arena arena;
};

/* uuid: any number but 0. Groups (processes) have threads (their number counts those of the group), threads and groups
 * have tracks below them, and groups have counters. */
void trace_add_group(struct trace *t, uint64_t uuid, uint32_t number, const char *name);
void trace_add_thread(struct trace *t, uint64_t uuid, uint64_t group, uint32_t group_number, uint32_t number,
                      const char *name);
void trace_add_track(struct trace *t, uint64_t uuid, uint64_t parent, const char *name);
void trace_add_counter(struct trace *t, uint64_t uuid, uint64_t group, const char *name, const char *unit);

/* The returned event stays until the next one is added. name: NULL: none. */
struct trace_event *trace_add_event(struct trace *t, uint64_t time, uint64_t track, enum trace_type type,
                                    const char *name);
void trace_note_text(struct trace *t, struct trace_event *event, const char *name, const char *text);
void trace_note_number(struct trace *t, struct trace_event *event, const char *name, uint64_t value);

/* Appends the trace, and frees it. */
void trace_write(struct trace *t, struct strbuf *out);

#endif
