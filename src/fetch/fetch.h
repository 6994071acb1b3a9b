/* Fetch: a stage that brings instructions from the instruction cache into the warps' buffers, by way of a fetch buffer,
 * for the warp that a policy picks (policy.h): one of the SM in a cycle, or one of each scheduler. It knows neither
 * cores nor memory: `struct fetch_port` is the SM around it. Timing follows GPGPU-Sim 3.2.2 (shader.cc:
 * shader_core_ctx::fetch, decode). Written by fetch.c alone. */
#ifndef LOCKSTEP_FETCH_FETCH_H
#define LOCKSTEP_FETCH_FETCH_H

#include "base/room.h"
#include "core/sm_shared.h"
#include "fetch/policy.h"
#include "memory/cache.h"
#include "memory/packet_queue.h"

struct fetch;

/* The SM around the stage. `sm` is fetch->sm. */
struct fetch_port {
    /* The instruction cache asks for a line: fetch->queue has room for the request, whose answer names `fill`. */
    void (*request)(void *sm, uint64_t address, uint32_t bytes, uint16_t fill);
    /* The warp has ended and drained, and is retired. */
    void (*retire)(void *sm, unsigned slot);
    /* The head of the warp's buffer is a store or atomic that releases, and has its registers. */
    void (*reach_release)(void *sm, unsigned slot);
    /* See fetch_view.preferred. */
    unsigned (*preferred)(void *sm, unsigned scheduler, uint64_t warps);
    /* Of the SMs that share the instruction cache, the fetch of that one: 0 has made the cache. */
    struct fetch *(*neighbour)(void *sm, unsigned member);
};

struct fetch_setup {
    const struct sm_shared *shared;
    const struct cache_params *l1i;
    const struct fetch_policy *policy;
    const struct fetch_port *port;
    const struct packet_ring *queue; /* where the instruction cache's requests wait for the network */
    bool shares;                     /* with other SMs, of which this is number `member` */
    unsigned member;
    uint64_t code_base;
};

struct fetch_launch {
    uint32_t module_size, first_pc; /* instructions of the module; the kernel's first */
};

struct fetch_stats {
    uint64_t control_flushes, decoded_instructions, decoded_operations;
};

#define FETCH_TURNS 8

/* A fetch of one warp in each cycle: the SM has one, or each scheduler has one for its warps. */
struct fetch_turn {
    ROOM_KEPT uint64_t warps;         /* slots that it serves */
    ROOM_KEPT uint32_t slot;          /* fetch buffer: the warp, CORE_NONE: empty */
    ROOM_KEPT uint32_t count, pc;     /* the instructions in it: how many, and the first one */
    ROOM_KEPT struct fetch_view view; /* what the policy is shown; keeps `last` */
};

struct fetch {
    /* As sm_shared and fetch_setup have them. */
    struct agenda *ROOM_KEPT agenda;
    const struct sm_params *ROOM_KEPT params;
    struct warp_table *ROOM_KEPT warp;
    const struct fetch_port *ROOM_KEPT port;
    void *ROOM_KEPT sm;
    const struct packet_ring *ROOM_KEPT queue;
    ROOM_KEPT bool fills;        /* buffers that are not empty are filled up */
    ROOM_KEPT uint32_t first_pc; /* of the kernel */
    ROOM_KEPT struct fetch_stats stats;
    ROOM_KEPT uint32_t most;        /* instructions that a fetch brings */
    ROOM_KEPT uint32_t module_size; /* instructions of the module */
    ROOM_KEPT uint32_t line_bytes;  /* of the instruction cache */
    ROOM_KEPT uint32_t pc_shift;    /* an instruction has 1 << pc_shift bytes */
    ROOM_KEPT uint64_t code_base;   /* address of the module's first instruction */
    ROOM_KEPT bool came;            /* a line has come for some warp */
    ROOM_KEPT bool line_taken;      /* took a line from the instruction cache and has not asked for another since */
    ROOM_KEPT uint64_t under_way;   /* warps in a fetch buffer or waiting for the instruction cache */
    ROOM_KEPT uint64_t retiring;    /* warps finished and drained: to be retired */
    ROOM_KEPT uint64_t full;        /* where the policy fills up buffers: warps for which there is nothing to fetch */
    const uint64_t *ROOM_KEPT
        stocked; /* warps that fetch passes over: `full`, or those with an instruction in their buffer */
    struct cache *ROOM_KEPT l1i;
    const struct fetch_policy *ROOM_KEPT policy;
    ROOM_KEPT uint32_t turn_count;
    struct fetch_turn turns[FETCH_TURNS];
    ROOM_KEPT uint32_t next_pc[WARP_SLOTS]; /* next to fetch for a warp: behind what is in its buffer, if anything is */
    ROOM_KEPT uint32_t asked_pc[WARP_SLOTS]; /* for which the instruction cache was last asked */
    ROOM_KEPT bool shares; /* several SMs share the instruction cache: it knows the warps of `member` by numbers from
                              member * WARP_SLOTS on */
    ROOM_KEPT uint8_t member;
    struct {
        uint8_t head, count, slots[WARP_SLOTS];
    } shared; /* then, warps for which a line has come, in order */
};

void fetch_init(struct fetch *fetch, const struct fetch_setup *setup, struct arena *own);
/* A launch begins. The stage has something to do then: whoever begins it adds DUE_FETCH to the agenda. */
void fetch_begin(struct fetch *fetch, const struct fetch_launch *launch);
void fetch_empty_cache(struct fetch *fetch);
/* Forgets what was counted. */
void fetch_reset_stats(struct fetch *fetch);

/* One cycle: a warp is served, or one of each scheduler; fetch buffers go to their warps'. */
void fetch_step(struct fetch *fetch);
void fetch_decode(struct fetch *fetch);
/* A line of the instruction cache has come to this SM. Returns the SMs that are to be stepped for it, by their numbers
 * among those that share the cache; 0 where none do. */
uint32_t fetch_line(struct fetch *fetch, uint32_t fill);

/* Events */

/* The warp's buffer does not hold what comes next: it is emptied. */
void fetch_flush(struct fetch *fetch, unsigned slot);
/* A warp is launched into the slot. */
void fetch_launched(struct fetch *fetch, unsigned slot);
/* The warps have ended and drained: they can be retired. */
static inline void fetch_retires(struct fetch *fetch, uint64_t warps)
{
    fetch->retiring |= warps;
    agenda_add(fetch->agenda, DUE_FETCH);
}
/* The warp has not ended after all. */
void fetch_goes_on(struct fetch *fetch, unsigned slot);
/* The turn of the warp's paths may have changed: if nothing of it is in the buffer, or on its way there, that comes
 * next. */
void fetch_from(struct fetch *fetch, unsigned slot);
/* An instruction of the warp's buffer was issued. */
void fetch_has_room(struct fetch *fetch, unsigned slot);

/* Facts */

/* Warps to fetch for. */
static inline uint64_t fetch_for(const struct fetch *fetch)
{
    return fetch->warp->resident & ~fetch->warp->finished & ~*fetch->stocked & ~fetch->under_way;
}
/* fetch->came: a line has come for some warp. */
static inline bool fetch_line_came(const struct fetch *fetch)
{
    return fetch->shares ? fetch->shared.count : cache_has_ready(fetch->l1i);
}
/* True: a fetch buffer has instructions. */
static inline bool fetch_decodes(const struct fetch *fetch)
{
    bool decodes = false;
    for (unsigned t = 0; t < fetch->turn_count; t++)
        decodes |= fetch->turns[t].slot != CORE_NONE;
    return decodes;
}
/* True: fetch has a warp to serve or to retire, or an instruction line that arrived or was taken. */
static inline bool fetch_busy(const struct fetch *fetch)
{
    return fetch_for(fetch) || fetch->retiring || fetch->line_taken || fetch->came;
}

void fetch_each_set(struct fetch *fetch, void (*visit)(uint64_t *set, void *context), void *context);
struct check;
struct archive;
/* check.c: recomputes what the stage keeps although it follows from something else (base/check.h). */
void fetch_check(struct fetch *fetch, struct check *c);
/* archive.c: a warp that is resident; the fetch buffer; the instruction cache, which the first SM of those that share
 * it describes. */
void fetch_archive_warp(struct fetch *fetch, unsigned slot, struct archive *ar);
void fetch_archive(struct fetch *fetch, struct archive *ar);
void fetch_archive_cache(struct fetch *fetch, struct archive *ar);

#endif
