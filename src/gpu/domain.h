/* The device's domains: what one thread simulates. See domain.c. */
#ifndef LOCKSTEP_GPU_DOMAIN_H
#define LOCKSTEP_GPU_DOMAIN_H

#include "base/worker_pool.h"
#include "gpu/gpu_impl.h"
#include "sim/clock.h"

/* A block that an SM starts in the first cycle of the window. */
struct gpu_start {
    uint64_t block;
    unsigned sm;
    const uint16_t *peers; /* of a block of a cluster: the SMs of all its blocks, by rank; else NULL */
    const struct gpu_run *of; /* the launch that it is a block of */
};

#define GPU_DOMAIN_SMS 64 /* SMs of a domain at most, and L2 slices: sets of them are words */
#define GPU_BLOCK_WINDOW                                                                                               \
    2                /* cycles simulated at most before the domains meet while blocks wait for a place: that one may   \
                        come free in the first of them is known before (gpu_outlook.block_may_end) */
#define GPU_AHEAD 32 /* partitions are simulated ahead up to a multiple of so many cycles, all in one window */

/* The multiple of GPU_AHEAD behind a cycle. */
static inline uint64_t gpu_ahead_of(uint64_t cycle)
{
    return (cycle | (GPU_AHEAD - 1)) + 1;
}

/* The engine's order to all domains. */
struct gpu_window {
    struct gpu_run *run;
    uint64_t from, end; /* cycles [from, end) */
    bool draining;      /* no blocks are left to start */
    bool starting;      /* domains have blocks to start */
    uint64_t horizon;   /* nothing is simulated ahead beyond this cycle */
};
_Static_assert(sizeof(struct gpu_window) <= WORKER_POOL_ORDER_BYTES, "a window is a worker pool's order");

/* A domain's report to the engine after a window. */
struct gpu_outlook {
    uint64_t end;        /* of the window, or of the last one that followed it */
    uint64_t next;       /* the first cycle after it in which the units can act */
    uint64_t busy_until; /* while draining: something was inside at the end of the cycle before, maybe not later */
    uint64_t room;       /* SMs, by their number in the domain, that can take a block; known until draining */
    uint16_t told;       /* domains to which the networks' cores that it ticks have sent something in the window */
    bool idle;           /* nothing was inside the units after the last cycle; known while draining */
    bool faulted;        /* one of the SMs */
    bool block_may_end;  /* in the next cycle, on one of the SMs */
};
_Static_assert(sizeof(struct gpu_outlook) <= WORKER_POOL_REPORT_BYTES, "an outlook is a pool member's report");
_Static_assert(NETWORK_MAX_SIDES <= 16, "gpu_outlook.told has a bit for each domain");

/* SMs, channels and slices are numbered from 0 in a domain; sets of them are words.
 *
 * An SM is *due* when it must be stepped in the next cycle. One that is not due is *sleeping* when the cycle is known
 * in which it must be stepped next: its wake. One that is neither is stepped when the network brings it something, when
 * a block starts there, or, if it is *sending*, when the network can take its first request. So an SM that is in none
 * of these sets and gets nothing would do nothing. */
struct gpu_domain {
    _Alignas(64) struct gpu_run *run;
    unsigned number; /* its side of every network */
    unsigned first_sm, sms, first_channel, channels, first_slice, slices_per_channel, channel_shift;
    uint32_t cores; /* networks, by enum gpu_network, whose cores it ticks */
    uint64_t all_sms;
    bool always;                     /* every unit is stepped in every cycle */
    bool probing;                    /* gpu_probes */
    bool clusters;                   /* the device has networks from SM to SM */
    bool more;                       /* one of the two: there are more networks than GPU_PLAIN_NETWORKS */
    bool draining;                   /* as in gpu_window */
    struct sim_clock network;        /* after the cycles that were simulated */
    uint64_t horizon;                /* as in gpu_window */
    uint64_t due;                    /* SMs */
    uint64_t sleeping;               /* SMs */
    uint64_t wake[GPU_DOMAIN_SMS];   /* of sleeping SMs */
    uint64_t first_wake;             /* no sleeping SM's wake is before */
    uint64_t run_at[GPU_DOMAIN_SMS]; /* by channel: the next cycle in which its partition is to run, or never */
    uint64_t planned;                /* channels whose partition may be to run: others have no run_at */
    uint64_t first_run;              /* no channel's run_at is before */
    uint64_t filled; /* channels whose partition may hold a packet: one was pushed, and it was not seen idle since */
    struct partition_out *outs[GPU_DOMAIN_SMS]; /* of the slices */
    uint64_t replying;                          /* slices with replies to send */
    uint64_t reply_at[GPU_DOMAIN_SMS]; /* by slice: the cycle from which its first reply is there, or CYCLE_NEVER */
    uint64_t first_reply; /* before it no slice sends: none has a reply then, or the network has refused those */
    uint64_t idle_sms;    /* SMs without warps and packets */
    uint64_t sending;     /* SMs that are not due, with requests that the network does not take yet */
    uint64_t holding;     /* SMs with packets from the network that they have not passed on */
    uint64_t touched;     /* SMs that have done something since the last look at their room for blocks */
    uint64_t may_end;     /* SMs of which a block may end in the next cycle; known until draining */
    uint64_t taken;       /* packets that left the networks here */
    struct gpu_outlook outlook;
    struct gpu_outlook *report; /* where the engine finds it after a window */
    /* The engine writes these, in lines of their own. */
    _Alignas(64) unsigned start_count;
    struct gpu_start starts[GPU_DOMAIN_SMS];
    /* Threads write this: 1 + the beginning of the window that one of them last took the domain for. */
    _Alignas(64) _Atomic uint64_t claimed;
};

/* Divides the device into run->domains, which `threads` threads, NETWORK_MAX_SIDES at most, are to simulate: as many
 * domains as threads, or a multiple where the device has more SMs or slices than so many domains may have, or so many
 * SMs that threads may help each other, or that the host's caches do not hold what they look at in a window.
 * run->lookahead is known. */
void gpu_divide(struct gpu_run *run, unsigned threads);
/* All units are to be asked in the next cycle: what they hold was changed from outside. */
void gpu_wake_domains(struct gpu_run *run);
/* All SMs are to be stepped in the next cycle. */
void gpu_wake_sms(struct gpu_run *run);
/* The domain of an SM. */
static inline struct gpu_domain *gpu_domain_of(const struct gpu_run *run, unsigned sm)
{
    unsigned n = 0;
    while (sm >= run->domains[n].first_sm + run->domains[n].sms)
        n++;
    return &run->domains[n];
}
/* The first cycle from the outlook's end on in which something can happen, also in the networks. */
uint64_t gpu_next_cycle(const struct gpu *gpu, const struct gpu_outlook *outlook);
/* Simulates a window of a domain: at most as many ticks of the networks as their lookahead. */
void gpu_domain_run(struct gpu_domain *domain, const struct gpu_window *window);
/* Simulates the window and those that follow it, for the only domain of a device. A window *follows* when it begins
 * before `until` and the domain has nothing to report before it: no fault, no room for a block, and not that it is
 * idle. Those windows are the ones that the engine would begin: each from the first cycle in which something can happen
 * to the next multiple of `length`, a power of two. */
void gpu_domain_run_alone(struct gpu_domain *domain, const struct gpu_window *window, uint64_t length, uint64_t until);

/* States the derived facts of a domain; between two windows. */
struct check;
void gpu_domain_check(struct gpu_domain *domain, struct check *check);

#endif
