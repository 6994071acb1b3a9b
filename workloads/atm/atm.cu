// Bank transfers under two nested locks: every thread carries out transfers of the list at a stride. A transfer locks
// both accounts, takes the amount from one and gives it to the other.
//
// Both locks are try-locks inside the thread's own loop, which also holds their releases, as in hashtable. Who gets the
// first lock but not the second gives the first back and starts again. The lock of the lower account is always tried
// first: of all threads that hold only a first lock, the one with the highest finds its second free or held by a thread
// that has both.
#include "../bank.h"
#include "../order.h"

// The balances are volatile and stand between two fences, for the reasons given in hashtable: an L1 cache may hold them
// from before another SM changed them. The list is constant during the launch.
__global__ void carry_out(const transfer *list, unsigned transfers, volatile int *balances, int *locks)
{
    unsigned threads = gridDim.x * blockDim.x;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < transfers; i += threads) {
        unsigned from = list[i].from, to = list[i].to;
        int amount = list[i].amount;
        int *first = &locks[min(from, to)], *second = &locks[max(from, to)];
        bool done = false;
        while (!done) {
            SPIN_LOOP();
            if (atomicCAS(first, 0, 1) == 0) {
                if (atomicCAS(second, 0, 1) == 0) {
                    __threadfence();
                    balances[from] = balances[from] - amount;
                    balances[to] = balances[to] + amount;
                    __threadfence();
                    atomicExch(second, 0);
                    done = true;
                }
                atomicExch(first, 0);
            }
        }
    }
}

// The same with locks that order by themselves.
__global__ void carry_out_acquiring(const transfer *list, unsigned transfers, int *balances, int *locks)
{
    unsigned threads = gridDim.x * blockDim.x;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < transfers; i += threads) {
        unsigned from = list[i].from, to = list[i].to;
        int amount = list[i].amount;
        int *first = &locks[min(from, to)], *second = &locks[max(from, to)];
        bool done = false;
        while (!done) {
            SPIN_LOOP();
            if (try_acquire(first)) {
                if (try_acquire(second)) {
                    balances[from] = balances[from] - amount;
                    balances[to] = balances[to] + amount;
                    release(second);
                    done = true;
                }
                release(first);
            }
        }
    }
}

int main(int argc, char **argv)
{
    option options[] = {
        {"transfers", "to carry out", 46080, 1, 1u << 28, 768, 122880},
        {"threads", "threads in all", 11520, 1, 1u << 26, 384, 23040},
        {"block", "threads of a block", 192, 1, 1024, 96, 192},
        {"accounts", "one lock each", 1000, 2, 1u << 26, 100, 1000},
        {"acquire", "1: locks order by acquire and release, not by fences", 0, 0, 1, 0, 0},
        {"seed", "of accounts and amounts", 2009, 0, UINT64_MAX, 2009, 2009},
    };
    option_read(options, argc, argv);
    unsigned transfers = (unsigned)options[0].value, threads = (unsigned)options[1].value,
             block = (unsigned)options[2].value;
    unsigned accounts = (unsigned)options[3].value, blocks = (threads + block - 1) / block;
    bool acquire = options[4].value;
    bank made = make_bank(accounts, transfers, options[5].value);

    transfer *dlist = to_device(made.transfers);
    int *balances = to_device(made.balances), *locks = to_device(std::vector<int>(accounts, 0));
    printf("atm: %u transfers by %u blocks of %u threads between %u accounts\n", transfers, blocks, block, accounts);
    if (acquire)
        carry_out_acquiring<<<blocks, block>>>(dlist, transfers, balances, locks);
    else
        carry_out<<<blocks, block>>>(dlist, transfers, balances, locks);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    uint64_t wrong = check_bank("atm", made, to_host(balances, accounts), to_host(locks, accounts), 0);
    CHECK(cudaFree(dlist));
    CHECK(cudaFree(balances));
    CHECK(cudaFree(locks));
    return verdict("atm", wrong);
}
