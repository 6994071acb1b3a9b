/* The state of a device, shared by the files of room gpu and by nobody else. */
#ifndef LOCKSTEP_GPU_GPU_IMPL_H
#define LOCKSTEP_GPU_GPU_IMPL_H

#include "base/bits.h"
#include "base/interrupt.h"
#include "base/vec.h"
#include "energy/energy.h"
#include "gpu/gpu.h"
#include "gpu/intervals.h"
#include "memory/coherence/protocol.h"
#include "memory/store.h"
#include "profile/profile.h"
#include "core/sched/sched.h"
#include "sanitize/sanitize.h"
#include "simt/lanes.h"
#include "sm/sm.h"
#include "sm/unsynced.h"
#include "timeline/timeline.h"
#include "watch/watch.h"

struct gpu_module {
    struct isa_module *code;
    struct simt_code *simt;
    struct arena arena;
    bool grid_barrier; /* one of its instructions waits for the grid */
    bool cluster_barrier; /* or for the cluster */
    bool mbarriers;       /* or at mbarriers */
    bool takes_locks;  /* or asks for a lock or a semaphore */
    const struct isa_base *bases; /* of what it accesses; NULL: nobody has asked yet */
    struct gpu_module *next;
};

/* Constant memory: [start, end), stores to it fault. */
struct gpu_range {
    uint64_t start, end;
};

/* names.c: an allocation by gpu_malloc, for messages. */
struct gpu_label {
    uint64_t start, bytes;
    uint32_t number;
    bool freed;
    const char *how;  /* "cudaMalloc", or "" */
    const char *name; /* of its own, or NULL */
};

#define WORKSPACE_BYTES 256u /* of the grid workspace: launch.c, write_workspace */

/* networks.def: requests are those of the SMs, replies those of the L2 slices. */
enum gpu_network {
#define GPU_NETWORK(symbol, name, way, when) GPU_##symbol,
#include "gpu/networks.def"
#undef GPU_NETWORK
    GPU_NETWORKS
};
enum gpu_network_way { GPU_TO_MEMORY, GPU_FROM_MEMORY, GPU_BETWEEN_SMS };
enum gpu_network_when { GPU_WHEN_ALL, GPU_WHEN_PROBES, GPU_WHEN_CLUSTERS };
/* Those that every device has: the first ones. */
enum {
    GPU_PLAIN_NETWORKS = 0
#define GPU_NETWORK(symbol, name, way, when) +(GPU_WHEN_##when == GPU_WHEN_ALL)
#include "gpu/networks.def"
#undef GPU_NETWORK
};
static inline enum gpu_network_way gpu_network_way(enum gpu_network n)
{
    static const uint8_t ways[] = {
#define GPU_NETWORK(symbol, name, way, when) GPU_##way,
#include "gpu/networks.def"
#undef GPU_NETWORK
    };
    return (enum gpu_network_way)ways[n];
}

/* A line of a program, or of its PTX, whose accesses missed their allocations (sm/strays.h). */
struct gpu_stray_line {
    uint64_t line;  /* gpu_line_of */
    char *at;       /* as messages name it; heap */
    uint64_t count; /* accesses of lanes */
};

struct gpu {
    struct machine machine;                   /* a copy: its groups are not used */
    const struct fetch_policy *fetch;         /* the one that machine.sm.fetch names */
    const struct simt_divergence *divergence; /* the one that machine.sm.divergence names */
    struct sched scheduler;                   /* the one that machine.sm.scheduler names */
    struct watch_observers observers;
    struct sanitize *sanitize; /* sanitize_observer is; or NULL */
    bool profiles;             /* the user asks for a profile: profile_observer is one of them */
    bool timelines;            /* timeline_observer is one of them, and profile_observer too */
    struct timeline_options timeline;
    uint64_t interval; /* cycles; 0: none are asked for */
    struct store store;
    struct gpu_module *modules;
    VEC(struct gpu_range) constants;
    VEC(struct gpu_label) labels;
    uint32_t allocations; /* by gpu_malloc so far */
    struct arena arena;
    struct sm **sms;
    struct partition **partitions;
    struct packet_list *casts; /* partition_open_casts; NULL: slices answer one SM */
    struct network *networks[GPU_NETWORKS]; /* NULL: the device does not have it */
    unsigned network_count;                 /* that it has, GPU_PLAIN_NETWORKS at least: */
    uint8_t network_at[GPU_NETWORKS];       /* which they are, in their order: gpu_network_at */
    struct worker_pool *workers;            /* the threads of the last launch that had several, or NULL */
    uint64_t launches;
    /* Device addresses of parameter blocks, and their sizes: of the launches that run at one time, by number; 0: none
     * yet. A launch that is alone has number 0. */
    uint64_t params[GPU_TOGETHER], params_bytes[GPU_TOGETHER];
    uint64_t workspace; /* device address of the grid workspace; 0 until the first cooperative launch */
    uint64_t heap, heap_bytes;
    struct store heap_blocks; /* allocations inside the heap; no memory of its own */
    struct strbuf output;
    VEC(uint64_t) unsynced_lines; /* gpu_is_first_note: hashes of the lines whose unsynced instructions were reported, and of names of kernels */
    bool lenient, strays_are_findings; /* gpu_let_pass */
    bool bounded;                      /* --check mem: launches look where their accesses lie (bounds.c) */
    VEC(struct gpu_stray_line) strays; /* lines with stray accesses, in the order in which they were reported */
    struct simt_services services;
    struct gpu_run *standing; /* the launch that stands or is held, else NULL */
    struct gpu_run *run;      /* the launch that takes a checkpoint, else NULL */
    struct gpu_watch *watch;  /* of that launch */
    uint64_t ticked;          /* between launches: the ticks of the networks that are done */
    uint64_t given;           /* the cycle in which the last launch that the host gave began */
    uint64_t cycle;           /* core cycles since creation; apart from what the threads of a launch read */
    uint64_t checkpoint_every, checkpoint_next;
    void (*take_checkpoint)(void *context);
    void *checkpoint_context;
};

/* Messages to and from memory are sent through networks by their numbers in memory/message_networks.def, which are those of enum
 * gpu_network. */
_Static_assert((int)GPU_CLUSTER_REQUESTS == MESSAGE_NETWORKS && (int)GPU_REPLIES == MESSAGE_REPLIES &&
                   (int)GPU_PROBES == MESSAGE_PROBES && (int)GPU_ACKNOWLEDGEMENTS == MESSAGE_ACKNOWLEDGEMENTS,
               "networks of the device and of messages have the same numbers");

/* True: the device's protocol probes, so that it has the networks for that. */
static inline bool gpu_probes(const struct gpu *gpu)
{
    return gpu->networks[GPU_PROBES] != NULL;
}
/* One of the networks that the device has. */
static inline struct network *gpu_network_at(const struct gpu *gpu, unsigned i)
{
    return gpu->networks[gpu->network_at[i]];
}
/* Groups of SMs that share an instruction cache; the last one may be smaller. */
static inline unsigned gpu_sm_groups(const struct gpu *gpu)
{
    const struct machine *m = &gpu->machine;
    return (m->gpu.sms + m->sm.l1i_sharers - 1) / m->sm.l1i_sharers;
}

/* polls.c: words that warps poll, in a hash table by address; bytes 0: no word. */
#define GPU_POLL_PLACES 8192u
struct gpu_poll {
    uint64_t address, value; /* value: when the launch began to listen, as one number that differs where it does */
    uint8_t bytes;
};
struct gpu_polls {
    uint32_t count;
    struct gpu_poll words[GPU_POLL_PLACES];
};

/* The SMs of a cluster's blocks, by rank. */
struct gpu_peers {
    uint16_t sm[LANE_CLUSTER_BLOCKS];
};

/* company.c: the launches that run at one time. */
struct gpu_company;

/* Everything one launch needs besides the device. Of launches that run at one time, the first one's has what they share
 * (course, domains, rest, the dispatcher) and the company. */
struct gpu_run {
    struct gpu *gpu;
    struct gpu_company *company; /* of the first of several launches; NULL: the launch is alone */
    struct gpu_launch own;   /* a copy, which launch is */
    struct gpu_polls *polls; /* of a launch that stands, or came to look as if; NULL until then */
    struct course *course;   /* engine.c: where it goes on */
    struct frun *functional; /* functional.c: likewise */
    const char *why_alone;   /* why nobody will write what a launch that hangs polls, or NULL */
    const struct gpu_launch *launch;
    const char *name; /* of the kernel, as the source has it */
    struct gpu_result *result;
    struct diag_sink *sink;
    struct simt_grid grid;
    struct sm_kernel kernel;
    struct sm_bounds bounds; /* where gpu.bounded */
    struct watch_launch watched;
    struct gpu_intervals *intervals; /* or NULL */
    struct arena arena;
    struct gpu_domain *domains; /* the device, divided among threads: domains t, t + threads, ... are of thread t */
    struct gpu_rest *rest;      /* which of them rest */
    unsigned domain_count, threads;
    unsigned lookahead; /* of the networks, in ticks: domains are never further apart */
    uint64_t blocks, next_block, start_cycle;
    uint64_t end_cycle; /* known when it has ended */
    uint64_t gap_cycles; /* from the end of the launch before to start_cycle */
    struct gpu_peers *peers; /* of the clusters that start in this cycle; NULL until some do */
    bool calls_device;                   /* a kernel that runs calls the device's functions (printf, malloc) */
    unsigned dispatch_from, last_served; /* block dispatch goes round over the SMs */
    uint64_t credit, credit_at; /* of the dispatcher, in blocks times gpu.dispatch_cycles, in that cycle (may_start) */
    uint64_t next_look;         /* the dispatcher looks in this cycle, and at each multiple of gpu.dispatch_interval */
    uint64_t checks, next_check;         /* gpu_check_window: units checked so far, and the window of the next one */
    struct host_use start; /* of the launch, or of a time before it that counts what a checkpoint had behind it */
};

/* The groups of statistics by number: GPU_SET_sm. */
enum gpu_set {
#define COUNTERS(member, type, description) GPU_SET_##member,
#define CACHE(member, doc) GPU_SET_##member,
#include "gpu/counters.def"
    GPU_SETS
};

struct gpu_counters {
#define COUNTERS(member, type, description) type member;
#define CACHE(member, doc) struct cache_stats member;
#include "gpu/counters.def"
    struct coherence_counts transitions[COHERENCE_SIDES];
    bool keeps_written, queues_locks;         /* L1s keep what they have written; slices keep requests for locks */
    struct stat_group cache_groups[GPU_SETS]; /* of the caches' sets */
    struct gpu_stat_set sets[GPU_SETS];
    struct gpu_stat_set shown[GPU_SETS]; /* of these, those that have something on the machine */
    unsigned shown_count;
};

/* units.c: the coherence protocol of a machine. */
const struct coherence_protocol *gpu_protocol(const struct machine *m);
/* memory.c */
bool gpu_address_read_only(const void *gpu, uint64_t address);
uint8_t *gpu_host_address(void *gpu, uint64_t address);
void gpu_services_init(struct gpu *gpu);
/* units.c: makes the SMs, partitions and networks; starts and ends their part of a launch. */
void gpu_build_units(struct gpu *gpu);
/* The setup of SM `index`, between these networks, and those of probes that the device has. */
struct sm_setup gpu_sm_setup(const struct gpu *gpu, unsigned index, struct network *requests, struct network *replies);
void gpu_destroy_units(struct gpu *gpu);
/* engine.c: the first cycle from now on in which a launch may begin: the last launch ended in a cycle from which on some
 * ticks of the networks were done already, and those in which credits were under way are not to be done again. */
uint64_t gpu_free_cycle(const struct gpu *gpu);
/* engine.c: runs the launch cycle by cycle, to its end or until it stands. going: how one that stands is to go on; one
 * that begins goes on. */
enum gpu_status gpu_run_timing(struct gpu_run *run, enum gpu_going going);
/* functional.c: runs it without time. */
enum gpu_status gpu_run_functional(struct gpu_run *run, enum gpu_going going);
/* polls.c: forgets all words; adds those that the warp polls; those that all warps of the SMs poll. */
void gpu_polls_begin(struct gpu_run *run);
void gpu_polls_add(struct gpu_run *run, const struct simt_warp *warp);
void gpu_polls_find(struct gpu_run *run);
/* Returns true if the host can write one of these words without a call. */
bool gpu_polls_host(const struct gpu_run *run);
/* engine.c: the launch's observers get their states (-1 with a diagnostic), and their findings are gathered. */
int gpu_begin_observers(struct gpu_run *run);
void gpu_gather_findings(struct gpu_run *run, enum gpu_status status);
/* engine.c: an SM, which is idle, begins with a kernel in the present cycle. params: where the kernel's parameters lie. */
void gpu_begin_sm(struct gpu *gpu, unsigned sm, const struct sm_kernel *kernel, uint64_t params);
/* launch.c: checks a launch and makes what it needs, without beginning it; params: the number of its parameter block among
 * those of the launches that run at one time. NULL: it cannot be launched, result->status and sink say why. */
struct gpu_run *gpu_run_new(struct gpu *gpu, const struct gpu_launch *launch, struct gpu_result *result,
                            struct diag_sink *sink, unsigned params);
void gpu_run_free(struct gpu_run *run);
/* launch.c: runs what gpu_run_new has made, whose begin is known, until it ends, stands or is held. */
enum gpu_status gpu_proceed(struct gpu_run *run, enum gpu_going going);
/* launch.c: the cycle in which a launch may begin that the host or a graph gives now, behind all that the device has done.
 * No time passes before the first that the device has. */
void gpu_come_to_begin(struct gpu *gpu, const struct gpu_launch *launch, bool first);
/* The cycles between a launch and those that it comes after. */
static inline uint64_t gpu_gap_before(const struct gpu *gpu, const struct gpu_launch *l)
{
    const struct gpu_params *p = &gpu->machine.gpu;
    return l->early ? p->early_gap_cycles : l->by_graph ? p->graph_gap_cycles : p->launch_gap_cycles;
}
/* The cycles from the end of a launch's last block to that of the launch. written: it has written memory. */
static inline uint64_t gpu_ending(const struct gpu *gpu, bool written)
{
    const struct gpu_params *p = &gpu->machine.gpu;
    return p->launch_end_cycles + (written ? p->launch_written_cycles : 0);
}
/* result.c */
/* The launch, or launches, took the device's cycles from start to end. */
void gpu_set_time(const struct gpu *gpu, struct gpu_result *result, uint64_t start, uint64_t end);
struct gpu_counters *gpu_counters_new(void);
void gpu_collect(struct gpu *gpu, struct gpu_counters *counters);
/* Adds the statistics of an SM; of all that SMs share; of the SMs' groups, those of another launch. */
void gpu_collect_sm(const struct gpu *gpu, unsigned sm, struct gpu_counters *counters);
void gpu_collect_shared(const struct gpu *gpu, struct gpu_counters *counters);
void gpu_add_sm_counters(struct gpu_counters *counters, const struct gpu_counters *more);
/* Leaves out of what is shown the groups of what SMs share. */
void gpu_show_sms_alone(struct gpu_counters *counters);
/* Computes the energy of a result that has its counters and cycles. */
void gpu_add_energy(const struct machine *machine, struct gpu_result *result);
void gpu_reset_counters(struct gpu *gpu);
/* warp_hash.c: everything of a warp that decides what it does, but for memory that others have written: where its lanes
 * stand, their registers and local memory; `written`: a hash of what it wrote; and the time for one that looks at it.
 */
struct gpu_control;
uint64_t gpu_warp_hash(const struct simt_warp *warp, const struct gpu_control *control, uint64_t written, uint64_t now);
/* profile.c: the profile of a launch that has ended and whose memory is as it left it. */
void gpu_gather_profile(struct gpu_run *run);
/* sanitize.c: the launch, whose observers have their states, is checked from now on (-1 with a diagnostic); what was
 * found is told in the sink. */
int gpu_begin_sanitize(struct gpu_run *run);
void gpu_explain_findings(struct gpu_run *run);
/* The name of a word: enum lockstep_space, and its address there. To be freed. */
char *gpu_word_name(const struct gpu_run *run, uint32_t space, uint64_t address);
/* names.c: appends what lies at an address of device memory, or in the shared memory of the grid's blocks, as `name`,
 * `name+offset`; false: nothing does. */
bool gpu_add_place(const struct gpu *gpu, const struct isa_module *code, uint64_t address, struct strbuf *out);
bool gpu_add_shared_place(const struct simt_grid *grid, uint64_t address, struct strbuf *out);
/* Appends the allocation that was at the address before it was freed and Lockstep took the place for itself (a kernel's
 * parameters); false: there was none, or the program has allocated there anew. */
bool gpu_add_former(const struct gpu *gpu, uint64_t address, struct strbuf *out);
/* True: kernels' parameters lie there, which no allocation of the program has. */
bool gpu_address_of_parameters(const struct gpu *gpu, uint64_t address);
/* Appends how far behind the program's nearest allocation an address is: "0 bytes behind the end of allocation #2
 * (cudaMalloc, 256 bytes)". False: there is none near. */
bool gpu_add_behind(const struct gpu *gpu, uint64_t address, struct strbuf *out);
/* Appends by what an address at which nothing lies may be known; false: by nothing. */
bool gpu_add_nearest(const struct gpu *gpu, const struct isa_module *code, uint64_t address, struct strbuf *out);
/* Appends the allocation by what a message calls it. */
void gpu_add_label(const struct gpu_label *label, struct strbuf *out);
bool gpu_add_nearest_shared(const struct simt_grid *grid, uint64_t address, struct strbuf *out);
void gpu_note_allocation(struct gpu *gpu, uint64_t start, uint64_t bytes);
void gpu_note_release(struct gpu *gpu, uint64_t start);
/* watch.c */
#define GPU_WATCH_STATES 32768u
struct gpu_watch_state {
    uint64_t hash;   /* of a warp, with its number; 0: none */
    uint64_t cycle;  /* of the look that first found it so; before the last progress: no longer true */
    uint64_t memory; /* number of writes that had changed memory, + 1, when it was last found so; 0: that was of late */
};
struct gpu_watched_warp {
    uint64_t issued;        /* instructions issued when it was last noted */
    uint64_t window_issued; /* and when the present window began */
    uint64_t window_sync_ops;
    uint64_t turn; /* cycle of the last look that found it had issued something since the one before; 0: none has */
    uint64_t met,
        met_old;       /* cycles of the last looks at which it was in a state it had been in; long before; 0: none */
    uint64_t round_at; /* it was twice the same with this `memory`; 0: never */
    uint32_t vain;     /* how often it had asked for locks in vain when their holders were first seen to have ended */
};
struct gpu_watch {
    uint64_t next;                  /* cycle of the next look */
    uint64_t end;                   /* cycle at which the launch is stuck if nothing was done until then */
    uint64_t issued, worked;        /* warp instructions; threads ended and work done, when something was last done */
    uint64_t visible;               /* cycle of the look that last found something visible done, outside warps */
    uint64_t changes, quiet_since;  /* writes that changed memory, at the last look; since when there was none */
    uint32_t windows;               /* of gpu.watch_cycles that have passed since without work */
    struct gpu_watched_warp *warps; /* by SM and slot; the caller provides them, zeroed */
    uint32_t asking;                /* `vain` is 0 in the warps behind the first `asking` */
    uint32_t noted;                 /* and everything else in those behind the first `noted` */
    const struct simt_grid *grid;   /* of the launch */
    struct gpu_run *run;            /* the launch, when it is open; else NULL */
    bool listens;                   /* the launch does (gpu_launch.listens) */
    struct arena *arena;            /* for what follows, which is made when it is first needed */
    struct gpu_control *control;
    const struct gpu_company *company; /* its kernels have controls of their own; NULL: the launch is alone */
    struct gpu_watch_state *states; /* in pairs, by hash */
};
/* state.c: between two windows of the engine. gpu_checkpoint takes one, gpu_resume loads launch->resume: -1 when it
 * does not fit, the units are then in pieces. */
void gpu_checkpoint(struct gpu_run *run, struct gpu_watch *watch);
int gpu_resume(struct gpu_run *run, struct gpu_watch *watch);
/* locks.c: whether warps wait for locks that nobody will ever give back, and how often each was seen to: at once, for
 * lock instructions tell who holds what. */
bool gpu_locks_stuck(struct gpu_watch *watch, const struct gpu *gpu);
void gpu_watch_start(struct gpu_watch *watch, struct gpu *gpu);
/* Since when SMs have noted every write of a launch that does no work (sm_find_writer); CYCLE_NEVER: they have not. */
uint64_t gpu_watch_noted_since(const struct gpu_watch *watch, const struct gpu *gpu);
/* Makes what is made when it is first needed. */
void gpu_watch_prepare(struct gpu_watch *watch);
/* The verdict on a launch, to be asked for at watch->next. A launch is stuck without progress: for gpu.watch_cycles, or
 * twice as many warp instructions, when every warp comes back to states it was in while memory stays as it is; for
 * gpu.watch_cycles when warps do that or get no turn, and wait for each other in a way that nothing ends (waits.h); for
 * eight times as long when they change memory; for 64 times when some warps change themselves, if all that they ask for
 * is held. It is idle after gpu.idle_cycles without progress, whatever its warps do. */
enum gpu_watch_verdict {
    GPU_WATCH_WELL,
    GPU_WATCH_STUCK,
    GPU_WATCH_LOCKED, /* stuck by locks that nobody gives back, or that are waited for in circles */
    GPU_WATCH_HOST,   /* warps only poll what the host can write without a call */
    GPU_WATCH_IDLE,
};
enum gpu_watch_verdict gpu_watch_ask(struct gpu_watch *watch, struct gpu *gpu);
/* explain.c, explain_fault.c: explain in the sink who waits for whom; what a thread did wrong. */
enum gpu_hang {
    GPU_HANG_STILL, /* nothing is under way */
    GPU_HANG_STUCK, /* the watch saw that nothing will come of what is */
    GPU_HANG_IDLE,  /* it saw nothing come of it for gpu.idle_cycles */
};
/* Every cycle of every scheduler and of every resident warp has one cause in what was collected: -1 with a diagnostic
 * when not. sm_cycles: cycles of all SMs that were the launch's, together; whole: no fault ended the last cycle before all
 * schedulers had looked. */
int gpu_check_accounts(struct gpu_run *run, uint64_t sm_cycles, bool whole);
/* phases.c: the rows of gpu_launch.phases that an SM has for this launch. */
void gpu_add_phases(const struct gpu_run *run, unsigned sm, struct strbuf *out);
struct waits_source;
/* since: from when on all writes were noted, or CYCLE_NEVER. */
void gpu_explain_hang(struct gpu_run *run, enum gpu_hang how, const struct waits_source *source, uint64_t since);
/* The same words of a launch that runs on: which warps stand where, and what they wait for. */
struct waits;
void gpu_describe_waits(const struct gpu_run *run, const struct waits *w, struct strbuf *out);
/* memory_hang.c: true if what is in the memory system can never go on; and a report of that. */
bool gpu_memory_hangs(const struct gpu_run *run);
void gpu_explain_memory_hang(struct gpu_run *run);
void gpu_explain_fault(struct gpu_run *run, const struct sm_fault *fault);
/* Appends the variable or allocation at the address of a fault, or the nearest one. */
void gpu_add_fault_place(const struct gpu_run *run, const struct simt_fault *fault, struct strbuf *out);
/* The line a note is about: that of the source, if it lies in the file that was compiled. A line of a header stands for
 * every place that calls its function, so that there, and where the source is not known, the PTX line counts. */
uint64_t gpu_line_of(const struct isa_module *code, const struct isa_instr *instr);
/* True if no note is known by this number yet, such as a line's; remembers it. */
bool gpu_is_first_note(struct gpu *gpu, uint64_t line);
/* unsynced.c: reports in the sink, as notes, the instructions of the list whose source lines have not been reported. */
void gpu_explain_unsynced(struct gpu_run *run, const struct sm_unsynced_list *list);
/* As gpu_explain_unsynced, for the lists of all SMs, in order of time. */
void gpu_explain_unsynced_of_sms(struct gpu_run *run);
/* bounds.c: under --check mem, has the launch look where its accesses lie; and reports one that it has found, of the list
 * of strays, in the sink as an error, and counts it as a finding. */
void gpu_begin_bounds(struct gpu_run *run);
void gpu_explain_bounds(struct gpu_run *run, const struct sm_stray *stray);
/* strays.c: reports stray accesses in the sink, as warnings, once for each line, and counts them; of all SMs, in order
 * of time; describes what was counted. */
void gpu_explain_strays(struct gpu_run *run, const struct sm_stray_list *list);
void gpu_explain_strays_of_sms(struct gpu_run *run);
void gpu_archive_strays(struct gpu *gpu, struct archive *ar);
/* launch.c */
int gpu_report_progress(struct gpu_run *run, uint64_t warp_instructions, uint64_t blocks_done);
void gpu_block_index(const struct gpu_run *run, uint64_t number, uint32_t index[3]);

#endif
