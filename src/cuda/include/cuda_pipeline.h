/* Pipelines of a thread's own copies to shared memory, which are done at once. */
#ifndef _CUDA_PIPELINE_H_
#define _CUDA_PIPELINE_H_

#include "cuda_awbarrier.h"
#include "cuda_pipeline_primitives.h"

#if defined(__CUDA__)

namespace nvcuda
{
namespace experimental
{

class pipeline
{
    size_t stages_ = 0;

  public:
    pipeline() = default;
    pipeline(const pipeline &) = delete;
    pipeline &operator=(const pipeline &) = delete;
    __device__ size_t commit()
    {
        return stages_++;
    }
    __device__ void commit_and_wait()
    {
        commit();
    }
    __device__ void wait(size_t)
    {
    }
    template <unsigned Stages> __device__ void wait_prior()
    {
    }
    __device__ void arrive_on(awbarrier &barrier)
    {
        __pipeline_arrive_on(barrier.lockstep_barrier());
    }
};

template <class T> __device__ inline void memcpy_async(T &to, const T &from, pipeline &)
{
    to = from;
}
template <class T> __device__ inline void memcpy_async(T &to, const T &from, size_t bytes, pipeline &)
{
    __builtin_memcpy(&to, &from, bytes);
}

} // namespace experimental
} // namespace nvcuda

#endif
#endif
