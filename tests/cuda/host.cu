// Kernels that wait for the host: ./host CASE MILLISECONDS. Each prints what came of it and, but for the cases that fail, the simulated time
// that it took, which must not depend on the milliseconds.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

static void check(cudaError_t error, int line)
{
    if (error)
        printf("line %d: %s\n", line, cudaGetErrorName(error));
}
#define CHECK(call) check(call, __LINE__)

struct mail {
    int data[8];
    int flag;
};

__device__ volatile int word;

__global__ void serve(volatile int *request, volatile int *reply)
{
    while (*request == 0) {
    }
    __threadfence_system();
    *reply = *request * 2;
}

// Answers `rounds` requests, one after the other.
__global__ void serve_many(volatile mail *in, volatile int *out, int rounds)
{
    for (int i = 1; i <= rounds; i++) {
        while (in->flag != i) {
        }
        int sum = 0;
        for (int k = 0; k < 8; k++)
            sum += in->data[k];
        out[1] = sum;
        __threadfence_system();
        out[0] = i;
    }
}

// The word that is polled changes from iteration to iteration.
__global__ void scan(volatile int *boxes, int count, int *found)
{
    int i = 0;
    while (boxes[i] == 0)
        i = (i + 1) % count;
    *found = i;
}

__global__ void wait_word(int *reply)
{
    while (word == 0) {
    }
    *reply = word + 1;
}

__global__ void add(int *to, int n) { *to += n; }

static void sleep_ms(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }
static void set(int *word, int value) { __atomic_store_n(word, value, __ATOMIC_RELEASE); }

static int *q, *p;
static mail *box;

// Another thread writes later.
static void by_thread(int ms)
{
    std::thread t([=] { sleep_ms(ms), set(q, 21); });
    serve<<<1, 32>>>(q, p);
    CHECK(cudaDeviceSynchronize());
    t.join();
    printf("%d", p[0]);
}

// The thread that launched it does.
static void by_launcher(int ms)
{
    serve<<<2, 1>>>(q, p);
    sleep_ms(ms);
    set(q, 21);
    CHECK(cudaDeviceSynchronize());
    printf("%d", p[0]);
}

// A later copy in another stream does, to a variable that no host pointer reaches.
static void by_stream(int ms)
{
    cudaStream_t a, b;
    int *value;
    CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    CHECK(cudaMallocHost(&value, 4));
    *value = 7;
    wait_word<<<1, 1, 0, a>>>(p);
    sleep_ms(ms);
    CHECK(cudaMemcpyToSymbolAsync(word, value, 4, 0, cudaMemcpyHostToDevice, b));
    CHECK(cudaStreamSynchronize(a));
    printf("%d", p[0]);
}

// Work behind it in its stream is put off, whatever the host does meanwhile.
static void behind(int ms)
{
    int *device, *copy, plain = 5;
    cudaEvent_t done;
    CHECK(cudaMalloc(&device, 4));
    CHECK(cudaMallocHost(&copy, 4));
    CHECK(cudaEventCreate(&done));
    *copy = 0;
    serve<<<1, 1>>>(q, device);
    add<<<1, 1>>>(device, 1);
    CHECK(cudaMemcpyAsync(copy, device, 4, cudaMemcpyDeviceToHost, 0));
    CHECK(cudaMemcpyAsync(p, &plain, 4, cudaMemcpyHostToDevice, 0));
    plain = 6;
    CHECK(cudaEventRecord(done));
    printf("%s ", cudaGetErrorName(cudaEventQuery(done)));
    printf("%d %d ", *copy, p[0]);
    sleep_ms(ms);
    set(q, 21);
    CHECK(cudaEventSynchronize(done));
    printf("%d %d", *copy, p[0]);
}

static void by_query(int ms)
{
    serve<<<1, 1>>>(q, p);
    sleep_ms(ms);
    printf("%s ", cudaGetErrorName(cudaStreamQuery(0)));
    set(q, 4);
    while (cudaStreamQuery(0) == cudaErrorNotReady) {
    }
    printf("%d", p[0]);
}

// A conversation, each request written word by word before its flag.
static void talk(int ms)
{
    const int rounds = 3;
    std::thread t([=] {
        for (int i = 1; i <= rounds; i++) {
            for (int k = 0; k < 8; k++) {
                box->data[k] = i;
                sleep_ms(ms / 32);
            }
            set(&box->flag, i);
            while (__atomic_load_n(&p[0], __ATOMIC_ACQUIRE) != i)
                sleep_ms(1);
            sleep_ms(ms / 4);
        }
    });
    serve_many<<<1, 1>>>(box, p, rounds);
    CHECK(cudaDeviceSynchronize());
    t.join();
    printf("%d %d", p[0], p[1]);
}

static void mailboxes(int ms)
{
    int *boxes;
    CHECK(cudaMallocManaged(&boxes, 4000));
    memset(boxes, 0, 4000);
    scan<<<1, 1>>>(boxes, 1000, p);
    sleep_ms(ms);
    set(&boxes[700], 1);
    CHECK(cudaDeviceSynchronize());
    printf("%d", p[0]);
}

static void registered(int ms)
{
    static int mine[2];
    int *device;
    CHECK(cudaHostRegister(mine, sizeof mine, cudaHostRegisterMapped));
    CHECK(cudaHostGetDevicePointer(&device, mine, 0));
    serve<<<1, 1>>>(device, device + 1);
    sleep_ms(ms);
    set(&mine[0], 21);
    CHECK(cudaDeviceSynchronize());
    printf("%d", mine[1]);
}

// A thread writes other words of the block while the kernel writes its own: each side's stay.
static void beside(int ms)
{
    static int mine[64];
    int *device;
    CHECK(cudaHostRegister(mine, sizeof mine, cudaHostRegisterMapped));
    CHECK(cudaHostGetDevicePointer(&device, mine, 0));
    std::thread t([=] {
        for (int i = 2; i < 64; i++) {
            set(&mine[i], i);
            sleep_ms(ms / 60);
        }
        set(&mine[0], 21);
    });
    serve<<<1, 1>>>(device, device + 1);
    CHECK(cudaDeviceSynchronize());
    t.join();
    CHECK(cudaDeviceSynchronize());
    int sum = 0;
    for (int i = 2; i < 64; i++)
        sum += mine[i];
    printf("%d %d", mine[1], sum);
}

// Nobody writes.
static void never(int)
{
    serve<<<1, 1>>>(q, p);
    printf("%s", cudaGetErrorName(cudaDeviceSynchronize()));
}

// A thread that could write never does.
static void sleeper(int ms)
{
    std::thread t([=] { sleep_ms(ms); });
    serve<<<1, 1>>>(q, p);
    printf("%s", cudaGetErrorName(cudaDeviceSynchronize()));
    t.join();
}

// The program ends without waiting for it.
static void leave(int)
{
    serve<<<1, 1>>>(q, p);
    printf("left");
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(int);
    } cases[] = {{"thread", by_thread}, {"launcher", by_launcher}, {"stream", by_stream},   {"behind", behind},
                 {"query", by_query},   {"talk", talk},            {"boxes", mailboxes}, {"registered", registered}, {"beside", beside},
                 {"never", never},      {"sleeper", sleeper},      {"leave", leave}};
    cudaEvent_t start, end;
    float ms = 0;
    CHECK(cudaHostAlloc(&q, 64, cudaHostAllocMapped));
    CHECK(cudaHostAlloc(&p, 64, cudaHostAllocMapped));
    CHECK(cudaMallocManaged(&box, sizeof *box));
    memset(box, 0, sizeof *box);
    q[0] = p[0] = 0;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventRecord(start));
    for (auto &c : cases)
        if (argc > 2 && strcmp(argv[1], c.name) == 0)
            c.run(atoi(argv[2]));
    if (strcmp(argv[1], "leave") != 0 && cudaEventRecord(end) == cudaSuccess) {
        CHECK(cudaEventElapsedTime(&ms, start, end));
        printf(" in %.3f us", ms * 1000);
    }
    printf("\n");
}
