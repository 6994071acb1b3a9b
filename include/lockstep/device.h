/* Lockstep as a library: simulated GPUs in a program of your own. One header, liblockstep.so, no global state: as many
 * devices as you like, each for itself.
 *
 *     cc mine.c $(pkg-config --cflags --libs liblockstep)
 *
 * A device is made from a machine (lockstep_create). PTX text becomes a module (lockstep_load); device memory is given
 * out, written and read; lockstep_launch begins a kernel, which then stands at its first cycle, and lockstep_run or
 * lockstep_step have it go on, to its end or as far as is asked. Meanwhile, and when it has ended, statistics, warps,
 * registers and memory can be read. A warp scheduler of your own (lockstep/scheduler.h) and observers
 * (lockstep/observer.h) are structures of functions that you hand over. Cycles and statistics are those of `lockstep
 * run`, to the bit, however the launch is cut into steps.
 *
 * Errors: a function returns LOCKSTEP_OK or another enum lockstep_code, and lockstep_message says in words what was
 * wrong, where, and what to do. Nothing is printed, and the process is never ended, but where the host has no memory or
 * threads left (abort).
 *
 * Versions: structures that pass through this interface begin with their size, `.size = sizeof(struct ...)`; what a
 * later library adds stands at their ends and means nothing where it is zero. So a program keeps working with later
 * libraries of the same LOCKSTEP_DEVICE_VERSION, which is also the number of liblockstep.so.
 *
 * Threads: one device is used by one thread at a time, different devices by different threads at once; lockstep_halt
 * may be called at any time from anywhere. Texts and pointers that functions give out stay until the next call with the
 * same device, if nothing else is said.
 *
 * examples/library/ has programs, docs/library.md says the rest. */
#ifndef LOCKSTEP_DEVICE_H
#define LOCKSTEP_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include <lockstep/observer.h>
#include <lockstep/scheduler.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef LOCKSTEP_API
#define LOCKSTEP_API
#endif

/* Of this interface: changes when a program that was built for the version before would not work. */
#define LOCKSTEP_DEVICE_VERSION 1

/* That of the library. */
LOCKSTEP_API uint32_t lockstep_version(void);
/* The release of Lockstep, "0.1.0". */
LOCKSTEP_API const char *lockstep_release(void);

enum lockstep_code {
    LOCKSTEP_OK,
    LOCKSTEP_ERROR_INVALID,   /* an argument, a machine, PTX or a launch that cannot be; nothing has changed */
    LOCKSTEP_ERROR_ABSENT,    /* there is none of that name or number */
    LOCKSTEP_ERROR_EXHAUSTED, /* device memory is */
    LOCKSTEP_ERROR_STATE,     /* a launch is under way, or, where one is needed, none is */
    LOCKSTEP_ERROR_VERSION,   /* a structure is of a version that the library does not know */
    /* How a launch ended, other than well. Its statistics are partial. */
    LOCKSTEP_ERROR_FAULT,   /* the program did something illegal */
    LOCKSTEP_ERROR_HANG,    /* no progress is possible, or none was made */
    LOCKSTEP_ERROR_LIMIT,   /* max_cycles reached */
    LOCKSTEP_ERROR_STOPPED, /* lockstep_cancel, or lockstep_launch_setup.progress */
};
/* "ok", "invalid" ...; "unknown" for a number that is none of them. Stays. */
LOCKSTEP_API const char *lockstep_code_name(int code);

struct lockstep_device; /* a device */
struct lockstep_module; /* a module of it */

/* Devices */

struct lockstep_device_setup {
    size_t size;
    const char *machine;    /* one that comes with Lockstep, or a YAML file; NULL: "gtx480" */
    const char *text;       /* the text of a YAML file, in its place; `machine` is what messages call it then */
    const char *const *set; /* "group.parameter=value", NULL-terminated, as --set takes them; NULL: none */
    /* A warp scheduler of your own, or NULL. It is the machine's, as sm.scheduler=NAME by its name says, with options
     * and a spin control behind that (sm.scheduler=NAME:OPTION=VALUE+CONTROL) if `set` says so. It and what it points
     * to stay until the device is destroyed. */
    const struct lockstep_scheduler *scheduler;
    void *scheduler_user; /* lockstep_scheduler_setup.user */
};

/* Makes a device. *device receives it in any case, for lockstep_message; after an error it takes only that and
 * lockstep_destroy. setup NULL: of zeros. */
LOCKSTEP_API int lockstep_create(struct lockstep_device **device, const struct lockstep_device_setup *setup);
/* A launch under way ends. device may be NULL. */
LOCKSTEP_API void lockstep_destroy(struct lockstep_device *device);

/* All that the last call said, as the command line prints it: "file:line:column: error: message", the line, and what to
 * do. Empty when it said nothing. A call that went well may have notes and warnings. */
LOCKSTEP_API const char *lockstep_message(struct lockstep_device *device);

enum lockstep_severity { LOCKSTEP_IS_ERROR, LOCKSTEP_IS_WARNING, LOCKSTEP_IS_NOTE };
struct lockstep_diagnostic {
    size_t size;
    uint32_t severity;     /* enum lockstep_severity */
    const char *file;      /* or NULL */
    uint32_t line, column; /* from 1; 0: not known */
    const char *message;
    const char *hint;        /* what to do, or NULL */
    const char *source_line; /* the line, or NULL */
};
/* One by one: diagnostic `index` of the last call of another function than these two. */
LOCKSTEP_API int lockstep_diagnostic(struct lockstep_device *device, uint32_t index,
                                     struct lockstep_diagnostic *diagnostic);

struct lockstep_device_facts {
    size_t size;
    uint32_t sms, warps, lanes;         /* of the device; warp slots of an SM; threads of a warp */
    uint32_t core_mhz;                  /* simulated clock */
    uint64_t cycle;                     /* of the device: of all launches so far */
    uint64_t launches;                  /* so far */
    uint64_t memory_free, memory_bytes; /* of device memory */
};
LOCKSTEP_API int lockstep_facts(struct lockstep_device *device, struct lockstep_device_facts *facts);
/* *value receives the value of "group.parameter" as `lockstep params` would print it. */
LOCKSTEP_API int lockstep_parameter(struct lockstep_device *device, const char *name, const char **value);

/* Modules */

enum lockstep_load_flag {
    /* Each register of the PTX has a place of its own, so that lockstep_register finds its last value at any time.
     * Costs the host memory; results are the same. */
    LOCKSTEP_KEEP_REGISTERS = 1,
};
/* Loads PTX text, which need not end with a NUL. name: its file's, for messages. flags: set of enum lockstep_load_flag.
 */
LOCKSTEP_API int lockstep_load(struct lockstep_device *device, const char *name, const char *text, size_t length,
                               uint32_t flags, struct lockstep_module **module);
/* Not while a launch is under way. Modules that are left end with their device. */
LOCKSTEP_API int lockstep_unload(struct lockstep_device *device, struct lockstep_module *module);
/* Device address and size of a variable (__device__, __constant__) of the module. */
LOCKSTEP_API int lockstep_variable(struct lockstep_device *device, const struct lockstep_module *module,
                                   const char *name, uint64_t *address, uint64_t *bytes);

struct lockstep_kernel_facts {
    size_t size;
    const char *name;         /* stays until the module is unloaded */
    uint32_t first, count;    /* its instructions in the module: pc first to first + count - 1 */
    uint32_t parameters;      /* how many it has */
    uint32_t parameter_bytes; /* of all of them together, as the PTX lays them out */
    uint32_t registers;       /* of a thread */
    uint64_t shared, local;   /* bytes: of a block; of a thread */
};
/* Kernel `index` of the module, from 0; and the one of that name, which is that of the PTX or, where one kernel alone
 * has it, the one that its source has. */
LOCKSTEP_API int lockstep_kernel(struct lockstep_device *device, const struct lockstep_module *module, uint32_t index,
                                 struct lockstep_kernel_facts *facts);
LOCKSTEP_API int lockstep_find_kernel(struct lockstep_device *device, const struct lockstep_module *module,
                                      const char *name, struct lockstep_kernel_facts *facts);

struct lockstep_kernel_parameter {
    size_t size;
    const char *name; /* stays until the module is unloaded */
    uint32_t offset;  /* in the kernel's parameters, in bytes */
    uint32_t bytes;
};
/* Parameter `index` of a kernel, from 0; ABSENT behind the last one. */
LOCKSTEP_API int lockstep_kernel_parameter(struct lockstep_device *device, const struct lockstep_module *module,
                                           const char *kernel, uint32_t index,
                                           struct lockstep_kernel_parameter *parameter);

/* *blocks receives how many blocks of so many threads, with so many bytes of dynamic shared memory, fit on one SM at
 * once: 0, when not even one does. */
LOCKSTEP_API int lockstep_occupancy(struct lockstep_device *device, const struct lockstep_module *module,
                                    const char *kernel, uint32_t threads, uint64_t shared, uint32_t *blocks);

struct lockstep_instruction {
    size_t size;
    const char *text;      /* as PTX */
    const char *place;     /* "file.ptx:41:5 (kernel.cu:12)" */
    uint32_t line, column; /* in the PTX */
    const char *source;    /* file of the source that the PTX was made of, or NULL */
    uint32_t source_line;  /* 0: not known */
};
/* The instruction at a pc of the module. ABSENT behind the last one. */
LOCKSTEP_API int lockstep_instruction(struct lockstep_device *device, const struct lockstep_module *module, uint32_t pc,
                                      struct lockstep_instruction *instruction);

/* Device memory. Addresses are those that kernels see. All of it must lie inside one allocation or variable. While a
 * launch is held, reads give what the L2 has, or an L1 that has registered what it wrote; what is written is in the L2.
 */

LOCKSTEP_API int lockstep_allocate(struct lockstep_device *device, uint64_t bytes, uint64_t *address);
LOCKSTEP_API int lockstep_free(struct lockstep_device *device, uint64_t address);
/* Names an allocation in messages and reports; NULL: no more. */
LOCKSTEP_API int lockstep_label(struct lockstep_device *device, uint64_t address, const char *name);
LOCKSTEP_API int lockstep_write(struct lockstep_device *device, uint64_t address, const void *from, uint64_t bytes);
LOCKSTEP_API int lockstep_read(struct lockstep_device *device, void *to, uint64_t address, uint64_t bytes);
LOCKSTEP_API int lockstep_fill(struct lockstep_device *device, uint64_t address, uint8_t value, uint64_t bytes);
LOCKSTEP_API int lockstep_copy(struct lockstep_device *device, uint64_t to, uint64_t from, uint64_t bytes);

/* Launches */

/* The value of a kernel's parameter. LOCKSTEP_ARGUMENT(x) is that of a variable x. */
struct lockstep_argument {
    const void *value;
    size_t bytes; /* must be those of the parameter */
};
#define LOCKSTEP_ARGUMENT(x)                                                                                           \
    {                                                                                                                  \
        &(x), sizeof(x)                                                                                                \
    }

enum lockstep_launch_flag {
    LOCKSTEP_COOPERATIVE = 1, /* all blocks must be on the device at once, and may wait for each other */
    LOCKSTEP_NO_SKIP = 2,     /* cycles in which nothing happens are simulated one by one: the same results, later */
    LOCKSTEP_CHECK_SYNC = 4,  /* exchanges between lanes whose result PTX leaves undefined are faults */
    /* Results alone, quickly: there are no cycles and no events. It is never held: lockstep_launch returns when it has
     * ended, with the code of its end. */
    LOCKSTEP_FUNCTIONAL = 8,
    LOCKSTEP_NOTE_PHASES = 16, /* for lockstep_phases */
};
/* Of a launch, so far. */
struct lockstep_progress {
    size_t size;
    uint64_t cycle; /* of the launch */
    uint64_t warp_instructions;
    uint64_t blocks_done, blocks;
    double seconds; /* of the host, since it began */
};
struct lockstep_launch_setup {
    size_t size;
    const struct lockstep_module *module;
    const char *kernel;
    uint32_t grid[3], block[3]; /* blocks, threads; 0 counts as 1 */
    uint64_t shared;            /* bytes of dynamic shared memory */
    uint32_t argument_count;    /* as many as the kernel has parameters */
    uint32_t flags;             /* set of enum lockstep_launch_flag */
    const struct lockstep_argument *arguments;
    uint64_t max_cycles; /* the launch ends with LOCKSTEP_ERROR_LIMIT; 0: never */
    uint32_t threads;    /* of the host that simulate it; 0 is 1. Results do not depend on it */
    uint32_t registers;  /* of a thread, for occupancy; 0: the kernel's own */
    /* Called about five times a second of the host while the launch is simulated; NULL: never. Returns NULL, or why the
     * launch is to stop, in words that stay: it ends with LOCKSTEP_ERROR_STOPPED. It calls no function of the device.
     */
    const char *(*progress)(void *user, const struct lockstep_progress *now);
    void *user; /* for progress */
    uint32_t cluster[3]; /* blocks of a cluster, up to 16 together, where the machine has clusters; 0: the kernel's own */
};
/* Begins a launch: it is held in its first cycle. INVALID where it cannot begin. */
LOCKSTEP_API int lockstep_launch(struct lockstep_device *device, const struct lockstep_launch_setup *setup);

/* Besides its end, what lockstep_run goes until. */
enum lockstep_until_flag {
    LOCKSTEP_UNTIL_BREAK = 1, /* the end of a cycle in which some warp issued an instruction with a breakpoint */
    LOCKSTEP_UNTIL_HALT = 2,  /* the end of the cycle in which an observer called lockstep_halt */
};
struct lockstep_until {
    size_t size;
    uint64_t cycle; /* of the launch: when so many have passed; 0: none */
    uint32_t flags; /* set of enum lockstep_until_flag */
};
enum lockstep_why { LOCKSTEP_WHY_END, LOCKSTEP_WHY_CYCLE, LOCKSTEP_WHY_BREAK, LOCKSTEP_WHY_HALT };
struct lockstep_stop {
    size_t size;
    uint32_t why;   /* enum lockstep_why */
    uint64_t cycle; /* of the launch: how many have passed */
    /* With LOCKSTEP_WHY_BREAK, of the first SM by number that came to a breakpoint in the last one of them: */
    uint32_t sm, warp, pc;
    uint64_t mask; /* lanes that executed it */
};
/* Lets the launch go on. until NULL: to its end; stop may be NULL. LOCKSTEP_OK when it is held, or has ended well. */
LOCKSTEP_API int lockstep_run(struct lockstep_device *device, const struct lockstep_until *until,
                              struct lockstep_stop *stop);
/* As lockstep_run, for so many cycles, or to its end. */
LOCKSTEP_API int lockstep_step(struct lockstep_device *device, uint64_t cycles, struct lockstep_stop *stop);
/* A launch that is held ends where it is; its statistics so far are its result. Caches are empty then. */
LOCKSTEP_API int lockstep_cancel(struct lockstep_device *device);

/* Holds the launch under way. From an observer's function, under LOCKSTEP_UNTIL_HALT: at the end of the present cycle,
 * on every number of threads. Otherwise, as from another thread or a signal handler: some thousand cycles later. When
 * no launch goes on, the next lockstep_run returns at once. */
LOCKSTEP_API void lockstep_halt(struct lockstep_device *device);

/* Sets a breakpoint at a pc of whatever module is launched, or takes it away. The first one of a device must be set
 * while no launch is under way. */
LOCKSTEP_API int lockstep_break(struct lockstep_device *device, uint32_t pc);
LOCKSTEP_API int lockstep_unbreak(struct lockstep_device *device, uint32_t pc);

/* Tells the observer of all launches from now on; not while one is under way. user: lockstep_observed.user, which
 * state_bytes, begin and report are given; a function that needs it finds it where begin has put it into the SM's
 * state. It and the observer stay until the device is destroyed. What report writes is in lockstep_output. */
LOCKSTEP_API int lockstep_observe(struct lockstep_device *device, const struct lockstep_observer *observer, void *user);

/* All that kernels printed and observers reported since the last call. */
LOCKSTEP_API int lockstep_output(struct lockstep_device *device, const char **text, size_t *length);

/* Results: of the launch that is held, so far, or else of the last one. */

struct lockstep_outcome {
    size_t size;
    int32_t code;           /* enum lockstep_code: how it ended; LOCKSTEP_OK while it is held */
    uint32_t held;          /* 1: it is held */
    uint64_t launch;        /* counts those of the device, from 0 */
    const char *kernel;     /* its name */
    uint64_t cycles;        /* of the launch */
    double time_ns;         /* the same, in simulated time */
    uint32_t registers;     /* of a thread */
    uint32_t blocks_per_sm; /* that fit */
    const char *limited_by; /* why not more */
    uint64_t findings;      /* kinds of errors that lockstep_check is about; lockstep_message of its end says which */
};
LOCKSTEP_API int lockstep_outcome(struct lockstep_device *device, struct lockstep_outcome *outcome);

enum lockstep_statistic_kind { LOCKSTEP_COUNTER, LOCKSTEP_MAXIMUM, LOCKSTEP_DISTINCT };
struct lockstep_statistic {
    size_t size;
    const char *group, *name, *unit, *doc; /* "l1d", "misses"; these stay */
    uint32_t kind;                         /* enum lockstep_statistic_kind: how those of several launches add up */
    uint32_t measured;                     /* 0: this launch did not measure it, and value is 0 */
    uint64_t value;
};
/* Statistic `index`, from 0, in the order of docs/statistics.md; ABSENT behind the last one. And the one with this
 * name: "l1d.misses". */
LOCKSTEP_API int lockstep_statistic(struct lockstep_device *device, uint32_t index,
                                    struct lockstep_statistic *statistic);
LOCKSTEP_API int lockstep_find_statistic(struct lockstep_device *device, const char *name,
                                         struct lockstep_statistic *statistic);
/* *text receives all of the result: what `lockstep run --stats` writes of a kernel, as JSON. */
LOCKSTEP_API int lockstep_result_json(struct lockstep_device *device, const char **text);

/* More results. lockstep_profile, lockstep_interval, lockstep_check and lockstep_timeline are about all launches from
 * now on that are not LOCKSTEP_FUNCTIONAL, and not to be called while one is under way. But for LOCKSTEP_LET_PASS, no
 * other result changes by them. A launch has them once it has ended. */

/* Adds `profile` to lockstep_result_json: where warps spent their cycles, by instruction; until the launch's
 * module is unloaded. */
LOCKSTEP_API int lockstep_profile(struct lockstep_device *device);
/* Adds `intervals` to it: statistics by intervals of so many cycles. 0: no more. */
LOCKSTEP_API int lockstep_interval(struct lockstep_device *device, uint64_t cycles);

enum lockstep_check_flag {
    LOCKSTEP_CHECK_RACE = 1, /* conflicting accesses that nothing orders, by the PTX memory model */
    LOCKSTEP_CHECK_INIT = 2, /* reads of memory that nobody has written */
    /* Accesses just outside of allocations pass: loads read zeros, stores change nothing, each line is told once. */
    LOCKSTEP_LET_PASS = 4,
    LOCKSTEP_COUNT_PASSED = 8, /* these are findings */
    /* Accesses that lie in another allocation or variable than the one from which their address is computed, or in memory
     * that is no program's: parameters, heap, workspace. */
    LOCKSTEP_CHECK_MEM = 16,
};
/* Looks for errors of kernels, by a set of enum lockstep_check_flag. To be called once. With the first two, launches
 * are simulated by one thread. */
LOCKSTEP_API int lockstep_check(struct lockstep_device *device, uint32_t flags);

struct lockstep_timeline_setup {
    size_t size;
    /* As the options of `lockstep run` have them; NULL: as without the option. */
    const char *window;     /* cycles of each launch: "1000:2000", "1000:" */
    const char *sms;        /* "0,3-5" */
    const char *resolution; /* cycles */
};
/* Keeps time-lines. setup NULL: of zeros. To be called once. */
LOCKSTEP_API int lockstep_timeline(struct lockstep_device *device, const struct lockstep_timeline_setup *setup);
/* *text receives that of the last launch, as lines of JSON (docs/timeline.md). ABSENT where there is none. */
LOCKSTEP_API int lockstep_timeline_lines(struct lockstep_device *device, const char **text, size_t *length);

/* *text receives when each warp of the last launch began, reached and left each phase of its block: CSV, with a line of
 * names. ABSENT without LOCKSTEP_NOTE_PHASES. */
LOCKSTEP_API int lockstep_phases(struct lockstep_device *device, const char **text, size_t *length);
/* *text receives who waited for whom when the last launch ended with LOCKSTEP_ERROR_HANG, as a graph for Graphviz.
 * ABSENT where nobody did. */
LOCKSTEP_API int lockstep_hang_report(struct lockstep_device *device, const char **text, size_t *length);

/* Warps of the launch that is held. */

struct lockstep_warp {
    size_t size;
    uint32_t finished;   /* 1: all its threads have ended; its block has others */
    uint32_t block[3];   /* index of its block in the grid */
    uint32_t in_block;   /* its number in the block */
    uint32_t pc;         /* next instruction of the lanes that have the turn */
    uint64_t turn, live; /* lanes: those that have the turn; those that have not ended */
    const char *cause;   /* where its cycles go: a statistic of group `warps`. Stays */
};
/* The warp in a slot of an SM; ABSENT where there is none. */
LOCKSTEP_API int lockstep_warp(struct lockstep_device *device, uint32_t sm, uint32_t slot, struct lockstep_warp *warp);
/* Where one lane stands. ABSENT when it has ended. */
LOCKSTEP_API int lockstep_lane_pc(struct lockstep_device *device, uint32_t sm, uint32_t slot, uint32_t lane,
                                  uint32_t *pc);
/* The value of a register ("%r1", "%p2": 0 or 1) of the function that a lane is in. Of modules that were loaded with
 * LOCKSTEP_KEEP_REGISTERS. */
LOCKSTEP_API int lockstep_register(struct lockstep_device *device, uint32_t sm, uint32_t slot, uint32_t lane,
                                   const char *name, uint64_t *value);
/* Bytes of the shared memory of a warp's block. */
LOCKSTEP_API int lockstep_read_shared(struct lockstep_device *device, uint32_t sm, uint32_t slot, void *to,
                                      uint64_t offset, uint64_t bytes);

#ifdef __cplusplus
}
#endif

#endif
