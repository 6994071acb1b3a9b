// Bank transfers under two nested locks, in the two ways in which a program can take them: with atomics and flags, or
// with lock instructions. Every thread carries out transfers of the list at a stride. A transfer locks both accounts,
// the lower one first, takes the amount from one and gives it to the other.
//
// Unlike atm, a thread keeps its first lock until it has the second. Nobody waits in a circle: of all threads that hold
// a first lock, the one with the highest waits for a lock whose holder has both. But lanes of one warp may wait for
// each other, and then it matters how they wait.
#include "../bank.h"
#include "../locks.h"

// Each lane goes round one loop until it is through, and knows by a flag that it has its first lock already. So a lane
// that has both locks gives them back before the others of its warp try again.
static __device__ void pay_by_atomics(const transfer &t, int *balances, unsigned *first, unsigned *second)
{
    bool has_first = false, done = false;
    while (!done) {
        SPIN_LOOP();
        if (has_first || try_word(first)) {
            has_first = true;
            if (try_word(second)) {
                balances[t.from] -= t.amount;
                balances[t.to] += t.amount;
                free_word(second);
                free_word(first);
                done = true;
            }
        }
    }
}

static __device__ void pay_by_lock(const transfer &t, int *balances, unsigned *first, unsigned *second)
{
    lockstep_lock(first);
    lockstep_lock(second);
    balances[t.from] -= t.amount;
    balances[t.to] += t.amount;
    lockstep_unlock(second);
    lockstep_unlock(first);
}

template <int FORM> __global__ void carry_out(const transfer *list, unsigned transfers, int *balances, unsigned *locks)
{
    unsigned threads = gridDim.x * blockDim.x;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < transfers; i += threads) {
        transfer t = list[i];
        unsigned *first = &locks[min(t.from, t.to)], *second = &locks[max(t.from, t.to)];
        if (FORM == SYNC_LOCK)
            pay_by_lock(t, balances, first, second);
        else
            pay_by_atomics(t, balances, first, second);
    }
}

int main(int argc, char **argv)
{
    option options[] = {
        {"sync", "atomics or lock: how accounts are locked", SYNC_ATOMICS, SYNC_ATOMICS, SYNC_LOCK, SYNC_ATOMICS, 0,
         sync_words},
        {"transfers", "to carry out", 23040, 1, 1u << 28, 768, 122880},
        {"threads", "threads in all", 11520, 1, 1u << 26, 384, 23040},
        {"block", "threads of a block", 192, 1, 1024, 96, 192},
        {"accounts", "one lock each", 10000, 2, 1u << 26, 100, 122880},
        {"seed", "of accounts and amounts", 2009, 0, UINT64_MAX, 2009, 2009},
    };
    option_read(options, argc, argv);
    bool lock = options[0].value == SYNC_LOCK;
    unsigned transfers = (unsigned)options[1].value, threads = (unsigned)options[2].value,
             block = (unsigned)options[3].value;
    unsigned accounts = (unsigned)options[4].value, blocks = (threads + block - 1) / block;
    bank made = make_bank(accounts, transfers, options[5].value);

    transfer *list = to_device(made.transfers);
    int *balances = to_device(made.balances);
    unsigned *locks = to_device(free_locks(accounts));
    printf("interac: %u transfers by %u blocks of %u threads between %u accounts\n", transfers, blocks, block,
           accounts);
    (lock ? carry_out<SYNC_LOCK> : carry_out<SYNC_ATOMICS>)<<<blocks, block>>>(list, transfers, balances, locks);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    uint64_t wrong =
        check_bank("interac", made, to_host(balances, accounts), to_host(locks, accounts), LOCKSTEP_LOCK_FREE);
    CHECK(cudaFree(list));
    CHECK(cudaFree(balances));
    CHECK(cudaFree(locks));
    return verdict("interac", wrong);
}
