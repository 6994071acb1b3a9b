/* The state of the process: one simulated device, what the program registered, and what it created. Every entry point
 * locks the whole of it; work is executed when it is given, so that streams and events only keep books. */
#ifndef LOCKSTEP_CUDA_RUNTIME_H
#define LOCKSTEP_CUDA_RUNTIME_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/interrupt.h"
#include "base/vec.h"
#include "cuda/api.h"
#include "cuda/cubin.h"
#include "cuda/replay.h"
#include "cuda/timed.h"
#include "gpu/gpu.h"
#include "monitor/monitor.h"
#include "timeline/timeline.h"

/* A fat binary the program registered. Its PTX is parsed when one of its kernels or variables is first used. */
struct image {
    const void *wrapper;       /* as registered; NULL: the driver loaded it */
    bool by_driver;
    char *file;                /* of the driver's: its name for messages; NULL: the program's and a number */
    unsigned number;           /* of the registrations of this process, from 1 */
    char *text;                /* its PTX, once extracted */
    struct cubin figures;      /* and what machine code beside it says of its kernels, if the machine asks */
    struct gpu_module *module; /* NULL: not loaded yet */
    cudaError_t failed;        /* why it cannot be loaded; reported once */
    bool is_part;              /* of the program's device code, which is one module */
    struct image *whole;       /* then: the image that has that module, once it was asked for; this one perhaps */
    size_t part;               /* and the number of this part of it */
    bool is_early;             /* its module was loaded for managed variables alone: parts may still come */
    bool has_managed;          /* variables of `lockstep cc`'s */
    unsigned again;            /* registrations of it beyond the first, as programs with managed variables make them */
};

/* A __global__ function. The program knows it by its host stub, or by the address of this record. */
struct kernel {
    struct image *image;
    const void *host;
    const char *name;                    /* the program's string */
    const struct isa_function *function; /* NULL: not looked up since the module was loaded */
    uint64_t dynamic_shared_limit;       /* cudaFuncAttributeMaxDynamicSharedMemorySize; 0: the device's own */
    int carveout;
    bool nonportable_cluster;            /* cudaFuncAttributeNonPortableClusterSizeAllowed */
    char shown[]; /* the name as the source has it, for messages */
};

/* A __device__, __constant__ or __managed__ variable, known by its host shadow. */
struct variable {
    struct image *image;
    const void *host;
    const char *name;
    size_t bytes;
    void **managed; /* where the host keeps the address of a managed variable, else NULL */
    void *place;    /* that is here where the program asked for the address (__cudaLockstepManagedAt) */
};

/* The variable with this host shadow will be a managed one. */
struct managed_note {
    const void *host;
    void **pointer;
};

/* An allocation that is not plain device memory. */
struct special_block {
    uint64_t start, bytes;
    enum cudaMemoryType type;  /* host (pinned) or managed */
    unsigned flags;            /* as given at allocation */
    bool in_device;            /* lies in device memory, at its own address; else a plain host block */
    bool registered;           /* the program's own memory, by cudaHostRegister */
    const struct image *image; /* a managed variable's, else NULL */
    uint64_t shadow;           /* registered: device copy made for cudaHostGetDevicePointer, 0: none */
    uint8_t *agreed;           /* with it: what both had when they were last made the same */
};

struct capture;

/* The driver interface (driver.h). */
struct CUctx_st {
    unsigned flags;
    unsigned long long id; /* of the primary one, which is that of the runtime: 0 */
};
struct driver_state {
    bool initialised;
    bool runtime_used; /* the program called the runtime itself */
    struct CUctx_st primary;
    unsigned retained; /* calls that retained the primary context without their release */
    unsigned long long ids;
    VEC(struct CUctx_st *) contexts; /* that were created */
    VEC(struct virtual_range *) ranges; /* driver_virtual.c: addresses that are reserved */
    VEC(struct virtual_memory *) memories;
    unsigned long long memory_handles; /* that were given so far */
    uint64_t named_unsupported[4];   /* which rows of driver_unsupported.def were reported */
};

/* order.c: sets of launches that later ones may race with (sanitize/among.h). */
struct stream_order {
    uint64_t ends;   /* behind whose end a launch into the stream begins, */
    uint64_t begins; /* or one that may begin early */
};

struct CUstream_st {
    unsigned flags;
    int priority;
    unsigned long long id;
    struct capture *capture;   /* its calls are noted, not done; NULL: they are done */
    VEC(cudaGraphNode_t) tail; /* nodes that the next one of a capture needs */
    struct stream_order order;
};

struct CUevent_st {
    unsigned flags;
    bool recorded;
    uint64_t records, passed; /* calls that recorded it, and those before which all is done */
    cudaStream_t stream;      /* of the last one */
    double time_ns;           /* simulated time of the last record */
    struct capture *capture;  /* in which it was recorded last, or NULL; and the nodes before it */
    VEC(cudaGraphNode_t) tail;
    uint64_t order; /* launches that had ended before its last record, as struct stream_order has them */
};

/* Launches that others may race with, for --check race. */
struct launch_orders {
    uint64_t open;                          /* places in use */
    uint64_t gone;                          /* for which work of the legacy stream waits, though their streams are destroyed */
    uint64_t given[SANITIZE_PLACES], count; /* when each was taken; launches so far */
    struct stream_order legacy, per_thread; /* of the default streams */
};

/* An entry point, and the format of the reason why it refused a call. */
struct refusal {
    const char *entry, *reason;
};

#define RUNTIME_LIMITS 7

struct flight;
struct later;
struct texture_record;
struct graph_memory;

/* A texture reference, known by its host shadow. */
struct texture_reference {
    const struct textureReference *host;
    bool as_float; /* its read mode is of normalized numbers */
};

/* An allocation of a memory pool. */
struct pooled {
    uint64_t start, bytes;
    struct CUmemPoolHandle_st *pool;
};

struct runtime {
    pthread_mutex_t lock;
    /* Configuration, read once from the environment. */
    bool configured;
    cudaError_t broken; /* the configuration or the device could not be set up */
    struct machine machine;
    enum gpu_mode mode;
    struct timed timed;
    uint64_t max_cycles;
    unsigned threads;
    bool every_cycle;
    bool lenient;
    unsigned checks;              /* set of enum gpu_checks */
    double deadline;              /* of LOCKSTEP_MAX_SECONDS, in host_seconds; 0: none */
    pid_t run_by;                 /* LOCKSTEP_RUN: the process of lockstep run, 0: none */
    struct interrupt_watch watch; /* by stop_begin */
    unsigned watchers;            /* calls of stop_begin without their stop_end */
    double patience;              /* of LOCKSTEP_HOST_PATIENCE, in seconds; 0: for ever */
    bool progress, progress_told; /* LOCKSTEP_PROGRESS; and what was told of it stands on the terminal */
    VEC(char *) observers;        /* files */
    struct monitor_board *board;  /* LOCKSTEP_MONITOR, and who hangs up there what launches do; NULL: nobody watches */
    struct monitor *monitor;
    bool profile, timelines;
    uint64_t interval; /* cycles; 0: none */
    struct timeline_options timeline;
    int results;         /* file of LOCKSTEP_RESULTS, -1: nobody asked for them, or a line could not be written */
    bool results_asked;  /* results_open was called */
    bool results_failed; /* and could not open it: the runtime refuses to work */
    bool
        results_unseen; /* a launch failed before its kernel began, and the program has not asked for its error since */
    bool machine_written;
    bool exhausted; /* an allocation beyond the machine was reported */
    uint64_t kernels_written;
    /* The device; NULL until the first call that needs it and after cudaDeviceReset. */
    struct gpu *gpu;
    struct flight *flight;          /* flight.c: the kernel under way, or NULL */
    VEC(struct later *) behind;     /* queue.c: what was put off */
    double later_ns;                /* while one of these is done, its time_ns; else 0 */
    unsigned waiting;               /* threads that wait for it */
    VEC(struct capture *) captures; /* under way */
    unsigned long long next_capture;
    uint64_t written;    /* copies and fills of device memory */
    cudaStream_t stream; /* of the copy or fill that is being called; whether it may be put off */
    bool may_put_off;
    cudaError_t fault; /* a kernel's failure: every later call answers it until cudaDeviceReset */
    unsigned image_number;
    VEC(struct image *) images;
    VEC(struct kernel *) kernels;
    VEC(struct variable *) variables;
    VEC(struct managed_note) managed; /* not registered yet */
    VEC(struct special_block) specials;
    VEC(struct CUmemPoolHandle_st *) pools; /* the first is the device's own */
    struct CUmemPoolHandle_st *pool;        /* in use for allocations that name none; NULL: the first */
    VEC(struct pooled) pooled;
    VEC(struct graph_memory *) graph_memories;
    uint64_t graph_memory_high[2];
    VEC(struct cudaArray *) arrays;
    VEC(struct texture_record *) textures; /* and surfaces */
    VEC(struct texture_reference) references;
    VEC(struct CUstream_st *) streams;
    VEC(struct CUevent_st *) events;
    unsigned long long next_stream;
    struct launch_orders orders;
    size_t limits[RUNTIME_LIMITS]; /* by enum cudaLimit; 0: the default */
    unsigned device_flags;
    uint64_t named_unsupported[8]; /* which rows of unsupported.def were reported */
    const char *entry;             /* the entry point under way */
    VEC(struct refusal) refusals;  /* that were said */
    VEC(void *) destroyed;         /* streams and events: kept, so that no new one has the handle of an old one */
    struct replay replay;
    struct driver_state driver;
};

/* The name of the entry point under way: this one, or the driver's that it is called for. Notes that the program uses
 * the runtime if it does. */
const char *runtime_entry(struct runtime *rt, const char *name);
/* Locks the runtime. Nothing of it may be touched before. */
struct runtime *runtime_lock(void);
/* Unlocks it, makes a failure the thread's last error, and returns it. */
cudaError_t runtime_unlock(struct runtime *rt, cudaError_t error);
/* The device is there and unharmed; else the error every call answers. */
cudaError_t runtime_ready(struct runtime *rt);
/* The machine is known, whether or not there is a device already. */
cudaError_t runtime_configured(struct runtime *rt);
/* Gives the device and everything on it back; registered code stays. */
void runtime_reset(struct runtime *rt);
/* Prints diagnostics to standard error and adds them to the results. */
void runtime_print(struct runtime *rt, const struct strbuf *text);
/* Prints the sink's diagnostics to standard error, adds them to the results, and empties the sink. */
void runtime_report(struct runtime *rt, struct diag_sink *sink);

/* Returns error, and says, without addresses of the host, which differ from run to run, on standard error why the entry
 * point under way refuses a call: once for each reason. */
cudaError_t runtime_refuse(struct runtime *rt, cudaError_t error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Bodies of entry points: `call` is evaluated with the runtime locked as rt, and with the device up or the machine
 * known. */
#define RUNTIME_CALL(call)                                                                                             \
    struct runtime *rt = runtime_lock();                                                                               \
    cudaError_t error_ = runtime_ready(rt);                                                                            \
    rt->entry = runtime_entry(rt, __func__);                                                                           \
    return runtime_unlock(rt, error_ ? error_ : (call))
#define RUNTIME_QUERY(call)                                                                                            \
    struct runtime *rt = runtime_lock();                                                                               \
    cudaError_t error_ = runtime_configured(rt);                                                                       \
    return runtime_unlock(rt, error_ ? error_ : (call))

/* The calling thread's state. */
#define THREAD_CONFIGURATIONS 16
#define THREAD_CONTEXTS 32
struct call_configuration {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    bool cooperative; /* all blocks must be resident at once */
    dim3 cluster;     /* blocks of a cluster; x 0: the kernel's own, or none */
    bool by_graph;    /* a graph gives it, and gave another kernel before */
    bool early;       /* programmatic dependent launch: it may begin before the kernel before has ended */
};
struct thread_state {
    cudaError_t last_error;
    enum cudaStreamCaptureMode capture_mode;
    unsigned configuration_count;
    struct call_configuration configurations[THREAD_CONFIGURATIONS];
    /* Of the driver interface: the entry point under way, or NULL; last_error before it; contexts, the current one last;
     * and that the primary context is current when there is none, since the thread uses the runtime. */
    const char *driver_call;
    cudaError_t kept_error;
    unsigned context_count;
    struct CUctx_st *contexts[THREAD_CONTEXTS];
    bool uses_runtime;
};
struct thread_state *runtime_thread(void);

/* results.c: LOCKSTEP_RESULTS, one JSON object a line. Nothing happens when rt->results is -1. */
/* Opens the file that LOCKSTEP_RESULTS names, once; the other functions come after it. Says so when it cannot. */
void results_open(struct runtime *rt);
void results_close(struct runtime *rt);
void results_machine(struct runtime *rt);
/* A launch failed before its kernel began: there is no line of that kernel. */
void results_lost(struct runtime *rt, const char *kernel, cudaError_t error);
/* The program asked for its last error, and was told one. */
void results_seen(struct runtime *rt);
/* The line of the next kernel; results_line writes it. */
void results_kernel(const struct runtime *rt, const struct gpu_result *result, struct strbuf *line);
void results_line(struct runtime *rt, const struct strbuf *line);
/* Begins the lines of kernels that ran together, so many: their sums, and the figures of what their SMs share. */
void results_together(struct runtime *rt, const struct gpu_result *total, unsigned kernels);
/* The program cannot be continued from its checkpoint. */
void results_refused(struct runtime *rt);
/* It was continued. */
void results_resumed(struct runtime *rt);
/* The output of its kernels could not be written. */
void results_output_lost(struct runtime *rt);
/* A checkpoint could not be written. */
void results_checkpoint_lost(struct runtime *rt);
void results_progress(struct runtime *rt, const char *kernel, const struct gpu_progress *progress);
/* The program goes on: takes away the progress that `lockstep run` shows on the terminal. */
void results_pause(struct runtime *rt);
/* Prints the output of a kernel. It is part of the run's result, so it is printed at once, and a loss is reported
 * once. */
void results_print(struct runtime *rt, const struct strbuf *output);
void results_waits(struct runtime *rt, const char *graph);
void results_phases(struct runtime *rt, const char *rows);
void results_diagnostic(struct runtime *rt, const char *text);

/* order.c: which launches come behind which, by streams, events and waits of the host, in the order of the program's calls.
 * order_launch gives a launch its place among them. order_work: the stream gets other work; order_destroy: it goes. order_record and order_await:
 * an event is recorded, or awaited. order_synchronize: the host has waited for all before that event, for all that the
 * stream was given (event is NULL), or for everything. */
struct sanitize_among order_launch(struct runtime *rt, cudaStream_t stream, bool early);
void order_work(struct runtime *rt, cudaStream_t stream);
void order_destroy(struct runtime *rt, cudaStream_t stream);
void order_record(struct runtime *rt, cudaEvent_t event, cudaStream_t stream);
void order_await(struct runtime *rt, cudaStream_t stream, cudaEvent_t event);
void order_synchronize(struct runtime *rt, cudaStream_t stream, cudaEvent_t event);
void order_synchronize_all(struct runtime *rt);

/* flight.c; see also flight.h and queue.h. Begins a kernel in a stream, when none is under way; code: the text of its
 * module; launch->params is taken over. Returns the launch's own error: when it has ended or stands. */
cudaError_t flight_begin(struct runtime *rt, const struct gpu_launch *launch, cudaStream_t stream, const char *code);
/* Waits until nothing is under way or put off; meanwhile the runtime is unlocked now and then. What a kernel's failure
 * answers. */
cudaError_t flight_wait(struct runtime *rt);
/* True: something that is under way or put off comes before what is given to this stream now. flight_join waits for it;
 * flight_query answers cudaErrorNotReady instead. */
bool flight_before(const struct runtime *rt, cudaStream_t stream);
cudaError_t flight_join(struct runtime *rt, cudaStream_t stream);
cudaError_t flight_query(struct runtime *rt, cudaStream_t stream);
/* Puts off what the stream is to do; run is called with data, which it frees. off: it is called off, since a kernel
 * failed or the device goes. Returns cudaSuccess. */
typedef cudaError_t flight_later(struct runtime *rt, void *data, bool off);
cudaError_t flight_defer(struct runtime *rt, cudaStream_t stream, flight_later *run, void *data);
/* Ends what is under way: with the device, or with the program, which could have written what is polled until then. */
void flight_end(struct runtime *rt, bool program_ends);

/* stop.c: around every launch and every wait for one. stop_begin takes over the signals that would end the process,
 * stop_end gives them back and lets one that came take effect; between them stop_reason says why the kernel is to stop,
 * or NULL. */
void stop_begin(struct runtime *rt);
const char *stop_reason(const struct runtime *rt);
void stop_end(struct runtime *rt);

/* modules.c: from registered images to kernels and variables. */
struct image *image_add(struct runtime *rt, const void *wrapper);
void image_remove(struct runtime *rt, struct image *image);
cudaError_t image_load(struct runtime *rt, struct image *image);
/* Reads what machine code in an unwrapped fat binary says of the image's kernels, where the machine wants to know. */
void image_read_figures(const struct runtime *rt, struct image *image, const void *data);
/* As image_load; what was said of an image that cannot be loaded is appended to told, too. */
cudaError_t image_load_told(struct runtime *rt, struct image *image, struct strbuf *told);
/* Makes managed variables of those of the image that the program says are. */
void image_note_managed(struct runtime *rt, struct image *image);
/* The address of the managed variable with this host shadow, for the host to use in place; its image is loaded. NULL
 * after an error, which is told. */
void *image_place_managed(struct runtime *rt, const void *host, cudaError_t *error);
/* A part of the program's device code comes. One that was loaded early is linked again, with this part. */
void image_add_part(struct runtime *rt, struct image *image);
/* Loads an image for its managed variables' sake. */
cudaError_t image_load_early(struct runtime *rt, struct image *image);
/* The text of the image's module. */
void image_read_figures(const struct runtime *rt, struct image *image, const void *data);
const char *image_text(const struct image *image);
/* Drops what was loaded of an image, not its registration. */
void image_forget_module(struct runtime *rt, struct image *image);
/* The record func stands for, whether or not it can be loaded; NULL when there is none. */
struct kernel *kernel_lookup(const struct runtime *rt, const void *func);
/* launch.c: every launch, with the runtime not locked: finds the kernel by stub or handle and runs it. args: a pointer to
 * each argument. */
cudaError_t launch_func(const void *func, const struct call_configuration *configuration, void **args);
/* The kernel that func (a host stub or a handle) stands for, loaded: its function is set. */
cudaError_t kernel_find(struct runtime *rt, const void *func, struct kernel **kernel);
/* Device address and size of the variable whose host shadow is symbol. */
cudaError_t variable_find(struct runtime *rt, const void *symbol, uint64_t *address, uint64_t *bytes);

/* driver_module.c: forgets the images that the driver loaded: the device goes. */
void driver_forget(struct runtime *rt);

/* copy.c: fills rows of `width` bytes with elements of 1, 2 or 4. */
cudaError_t copy_fill(void *to, size_t pitch, unsigned value, unsigned element, size_t width, size_t height);
cudaError_t copy_fill_async(void *to, size_t pitch, unsigned value, unsigned element, size_t width, size_t height,
                            cudaStream_t stream);

/* memory.c */
/* Device memory: NULL for no bytes. Says so when there is none left. */
cudaError_t memory_allocate(struct runtime *rt, void **pointer, size_t bytes);
cudaError_t memory_free(struct runtime *rt, void *pointer);
const struct special_block *special_find(const struct runtime *rt, const void *pointer);
/* Makes registered host memory and its device copies the same: each gets what the other has that is new. Threads of the
 * program may write meanwhile: the device gets what they write later only with all that they wrote before. */
void registered_exchange(struct runtime *rt);
/* Memory that the host can write without a call while a kernel runs: true if there is any; true if some is at that
 * device address; a hash of all of it. */
bool memory_is_shared(const struct runtime *rt);
bool memory_host_writes(const struct runtime *rt, uint64_t address);
uint64_t memory_host_hash(const struct runtime *rt);

/* stream.c */
/* cudaErrorInvalidResourceHandle, with a word, for a stream that is none. */
cudaError_t stream_check(struct runtime *rt, cudaStream_t stream);
/* Returns true for 0 and the other two names of default streams, behind which there is no record. */
bool stream_is_default(cudaStream_t stream);
/* Returns true if work of the legacy stream waits for that of this stream, and the other way round. */
bool stream_blocks(cudaStream_t stream);
/* As stream_check, for events. */
cudaError_t event_check(struct runtime *rt, cudaEvent_t event);

/* device.c: what programs may ask of a block. */
uint32_t device_max_threads(const struct runtime *rt);
/* Bytes of shared memory that a block can have at most, if it asks for them. */
uint64_t device_shared_most(const struct runtime *rt);
uint64_t device_shared_bytes(const struct runtime *rt);

#endif
