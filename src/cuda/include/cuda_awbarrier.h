/* Barriers in shared memory for arrivals and waits apart, as a class. */
#ifndef _CUDA_AWBARRIER_H_
#define _CUDA_AWBARRIER_H_

#include "cuda_awbarrier_primitives.h"

#if defined(__CUDA__)

namespace nvcuda
{
namespace experimental
{

class awbarrier
{
    __mbarrier_t barrier_;

  public:
    class arrival_token
    {
        friend class awbarrier;
        __mbarrier_token_t token_;

      public:
        arrival_token() = default;
        __device__ unsigned pending_count() const
        {
            return __mbarrier_token_pending_count(token_);
        }
    };
    awbarrier() = default;
    awbarrier(const awbarrier &) = delete;
    awbarrier &operator=(const awbarrier &) = delete;
    friend __device__ void init(awbarrier *barrier, unsigned count)
    {
        __mbarrier_init(&barrier->barrier_, count);
    }
    friend __device__ void inval(awbarrier *barrier)
    {
        __mbarrier_inval(&barrier->barrier_);
    }
    __device__ arrival_token arrive()
    {
        arrival_token token;
        token.token_ = __mbarrier_arrive(&barrier_);
        return token;
    }
    __device__ arrival_token arrive_and_drop()
    {
        arrival_token token;
        token.token_ = __mbarrier_arrive_and_drop(&barrier_);
        return token;
    }
    /* Tries so often. */
    __device__ bool timed_wait(arrival_token token, unsigned tries)
    {
        for (; tries > 0; tries--)
            if (__mbarrier_test_wait(&barrier_, token.token_))
                return true;
        return false;
    }
    __device__ bool timed_wait_parity(bool parity, unsigned tries)
    {
        for (; tries > 0; tries--)
            if (__mbarrier_test_wait_parity(&barrier_, parity))
                return true;
        return false;
    }
    __device__ void wait(arrival_token token)
    {
        while (!__mbarrier_test_wait(&barrier_, token.token_))
            ;
    }
    __device__ void arrive_and_wait()
    {
        wait(arrive());
    }
    static __device__ unsigned max()
    {
        return __mbarrier_maximum_count();
    }
    __device__ __mbarrier_t *lockstep_barrier()
    {
        return &barrier_;
    }
};

} // namespace experimental
} // namespace nvcuda

#endif
#endif
