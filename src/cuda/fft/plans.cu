// Plans, and how much room they want.
#include "context.cuh"

#include <mutex>
#include <new>
#include <vector>

namespace lockstep_fft
{

// Handles are numbers: places in this list, where plans that are gone leave NULL.
struct plan_list {
    std::mutex lock;
    std::vector<plan *> plans;
};
static plan_list &all_plans()
{
    static plan_list list;
    return list;
}
plan *find_plan(cufftHandle handle)
{
    plan_list &list = all_plans();
    std::lock_guard<std::mutex> guard(list.lock);
    return handle > 0 && (size_t)handle <= list.plans.size() ? list.plans[handle - 1] : NULL;
}
static cufftResult add_plan(cufftHandle *handle)
{
    plan_list &list = all_plans();
    std::lock_guard<std::mutex> guard(list.lock);
    plan *p = new (std::nothrow) plan{};
    if (!p)
        return CUFFT_ALLOC_FAILED;
    p->automatic = true;
    list.plans.push_back(p);
    *handle = (cufftHandle)list.plans.size();
    return CUFFT_SUCCESS;
}

// What is asked for, in 64 bits. Dimensions are `rank` of 3, the last ones.
struct request {
    int rank;
    long long n[3];
    bool embedded_in, embedded_out;
    long long inembed[3], istride, idist, onembed[3], ostride, odist;
    cufftType type;
    long long batch;
};
template <class I>
static cufftResult ask(request *r, int rank, const I *n, const I *inembed, I istride, I idist, const I *onembed,
                       I ostride, I odist, cufftType type, I batch)
{
    if (rank < 1 || rank > 3 || !n || batch < 1)
        return CUFFT_INVALID_VALUE;
    *r = request{rank,  {1, 1, 1}, inembed != NULL, onembed != NULL, {1, 1, 1}, istride,
                 idist, {1, 1, 1}, ostride,         odist,           type,      batch};
    for (int i = 0; i < rank; i++) {
        const int at = 3 - rank + i;
        if (n[i] < 1)
            return CUFFT_INVALID_SIZE;
        r->n[at] = n[i];
        r->inembed[at] = inembed ? inembed[i] : 1;
        r->onembed[at] = onembed ? onembed[i] : 1;
    }
    switch (type) {
    case CUFFT_C2C:
    case CUFFT_R2C:
    case CUFFT_C2R:
    case CUFFT_Z2Z:
    case CUFFT_D2Z:
    case CUFFT_Z2D:
        return CUFFT_SUCCESS;
    default:
        return CUFFT_INVALID_TYPE;
    }
}
static cufftResult ask_plain(request *r, int rank, int nx, int ny, int nz, cufftType type, int batch)
{
    const int n[3] = {nx, ny, nz};
    return ask<int>(r, rank, n, NULL, 1, 0, NULL, 1, 0, type, batch);
}

static void set_layout(layout *l, const request &r, bool embedded, const long long *embed, long long stride,
                       long long distance)
{
    l->basic = !embedded;
    l->stride = embedded ? stride : 1;
    l->distance = embedded ? distance : 0;
    for (int i = 0; i < 3; i++)
        l->embed[i] = embedded ? embed[i] : r.n[i];
}
template <class C> static cufftResult make_axes(plan *p)
{
    long long most = 0;
    for (int i = 0; i < 3; i++) {
        LOCKSTEP_FFT_STEP(make_axis<C>(p->n[i], &p->axes[i]));
        const long long room = room_of_axis<C>(p->axes[i], elements_of(*p) / p->n[i]);
        most = room > most ? room : most;
    }
    p->work_bytes = (most + (lies_plain(*p) ? 0 : elements_of(*p))) * sizeof(C);
    return CUFFT_SUCCESS;
}
static void forget(plan *p)
{
    for (axis &a : p->axes)
        free_axis(&a);
    if (p->own_work)
        cudaFree(p->work);
}
static cufftResult fill_plan(plan *p, const request &r)
{
    p->type = r.type;
    p->batch = r.batch;
    for (int i = 0; i < 3; i++)
        p->n[i] = r.n[i];
    set_layout(&p->in, r, r.embedded_in, r.inembed, r.istride, r.idist);
    set_layout(&p->out, r, r.embedded_out, r.onembed, r.ostride, r.odist);
    return is_double(r.type) ? make_axes<double2>(p) : make_axes<float2>(p);
}
static cufftResult make_plan(cufftHandle handle, const request &r, size_t *size)
{
    plan *p = find_plan(handle);
    if (!p || p->made)
        return CUFFT_INVALID_PLAN;
    if (!size)
        return CUFFT_INVALID_VALUE;
    LOCKSTEP_FFT_STEP(fill_plan(p, r));
    *size = p->work_bytes;
    if (p->automatic && p->work_bytes) {
        LOCKSTEP_FFT_STEP(result_of(cudaMalloc(&p->work, p->work_bytes)));
        p->own_work = true;
    }
    p->made = true;
    return CUFFT_SUCCESS;
}
// A plan that is made and thrown away: sizes are those of plans.
static cufftResult size_of(const request &r, size_t *size)
{
    if (!size)
        return CUFFT_INVALID_VALUE;
    plan p = {};
    const cufftResult result = fill_plan(&p, r);
    *size = p.work_bytes;
    forget(&p);
    return result;
}
static cufftResult plan_at_once(cufftHandle *handle, const request &r)
{
    if (!handle)
        return CUFFT_INVALID_VALUE;
    size_t size;
    LOCKSTEP_FFT_STEP(add_plan(handle));
    const cufftResult result = make_plan(*handle, r, &size);
    if (result != CUFFT_SUCCESS)
        cufftDestroy(*handle);
    return result;
}

} // namespace lockstep_fft

using namespace lockstep_fft;

cufftResult cufftCreate(cufftHandle *plan)
{
    return plan ? add_plan(plan) : CUFFT_INVALID_VALUE;
}
cufftResult cufftDestroy(cufftHandle handle)
{
    plan *p = find_plan(handle);
    if (!p)
        return CUFFT_INVALID_PLAN;
    {
        std::lock_guard<std::mutex> guard(all_plans().lock);
        all_plans().plans[handle - 1] = NULL;
    }
    forget(p);
    delete p;
    return CUFFT_SUCCESS;
}

// ---- each kind of plan: made at once, made from a handle, its size
#define LOCKSTEP_FFT_KIND(kind, asked, ...)                                                                            \
    cufftResult cufftPlan##kind(cufftHandle *plan, __VA_ARGS__)                                                        \
    {                                                                                                                  \
        request r;                                                                                                     \
        LOCKSTEP_FFT_STEP(asked);                                                                                      \
        return plan_at_once(plan, r);                                                                                  \
    }                                                                                                                  \
    cufftResult cufftEstimate##kind(__VA_ARGS__, size_t *workSize)                                                     \
    {                                                                                                                  \
        request r;                                                                                                     \
        LOCKSTEP_FFT_STEP(asked);                                                                                      \
        return size_of(r, workSize);                                                                                   \
    }                                                                                                                  \
    LOCKSTEP_FFT_FROM_HANDLE(kind, asked, __VA_ARGS__)
#define LOCKSTEP_FFT_FROM_HANDLE(kind, asked, ...)                                                                     \
    cufftResult cufftMakePlan##kind(cufftHandle plan, __VA_ARGS__, size_t *workSize)                                   \
    {                                                                                                                  \
        request r;                                                                                                     \
        LOCKSTEP_FFT_STEP(asked);                                                                                      \
        return make_plan(plan, r, workSize);                                                                           \
    }                                                                                                                  \
    cufftResult cufftGetSize##kind(cufftHandle plan, __VA_ARGS__, size_t *workSize)                                    \
    {                                                                                                                  \
        request r;                                                                                                     \
        if (!find_plan(plan))                                                                                          \
            return CUFFT_INVALID_PLAN;                                                                                 \
        LOCKSTEP_FFT_STEP(asked);                                                                                      \
        return size_of(r, workSize);                                                                                   \
    }
#define LOCKSTEP_FFT_MANY ask(&r, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch)
LOCKSTEP_FFT_KIND(1d, ask_plain(&r, 1, nx, 1, 1, type, batch), int nx, cufftType type, int batch)
LOCKSTEP_FFT_KIND(2d, ask_plain(&r, 2, nx, ny, 1, type, 1), int nx, int ny, cufftType type)
LOCKSTEP_FFT_KIND(3d, ask_plain(&r, 3, nx, ny, nz, type, 1), int nx, int ny, int nz, cufftType type)
LOCKSTEP_FFT_KIND(Many, LOCKSTEP_FFT_MANY, int rank, int *n, int *inembed, int istride, int idist, int *onembed,
                  int ostride, int odist, cufftType type, int batch)
LOCKSTEP_FFT_FROM_HANDLE(Many64, LOCKSTEP_FFT_MANY, int rank, long long *n, long long *inembed, long long istride,
                         long long idist, long long *onembed, long long ostride, long long odist, cufftType type,
                         long long batch)

cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long *n, long long *inembed, long long istride,
                                long long idist, cudaDataType inputtype, long long *onembed, long long ostride,
                                long long odist, cudaDataType outputtype, long long batch, size_t *workSize,
                                cudaDataType executiontype)
{
    static const struct {
        cudaDataType in, out, by;
        cufftType type;
    } known[] = {
        {CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUFFT_C2C}, {CUDA_R_32F, CUDA_C_32F, CUDA_C_32F, CUFFT_R2C},
        {CUDA_C_32F, CUDA_R_32F, CUDA_C_32F, CUFFT_C2R}, {CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, CUFFT_Z2Z},
        {CUDA_R_64F, CUDA_C_64F, CUDA_C_64F, CUFFT_D2Z}, {CUDA_C_64F, CUDA_R_64F, CUDA_C_64F, CUFFT_Z2D},
    };
    for (const auto &k : known)
        if (k.in == inputtype && k.out == outputtype && k.by == executiontype)
            return cufftMakePlanMany64(plan, rank, n, inembed, istride, idist, onembed, ostride, odist, k.type, batch,
                                       workSize);
    return CUFFT_NOT_SUPPORTED;
}

// ---- settings
cufftResult cufftGetSize(cufftHandle handle, size_t *workSize)
{
    plan *p = find_plan(handle);
    if (!p || !p->made)
        return CUFFT_INVALID_PLAN;
    if (!workSize)
        return CUFFT_INVALID_VALUE;
    *workSize = p->work_bytes;
    return CUFFT_SUCCESS;
}
cufftResult cufftSetWorkArea(cufftHandle handle, void *workArea)
{
    plan *p = find_plan(handle);
    if (!p)
        return CUFFT_INVALID_PLAN;
    if (p->own_work)
        cudaFree(p->work);
    p->own_work = false;
    p->work = workArea;
    return CUFFT_SUCCESS;
}
cufftResult cufftSetAutoAllocation(cufftHandle handle, int autoAllocate)
{
    plan *p = find_plan(handle);
    if (!p || p->made)
        return CUFFT_INVALID_PLAN;
    p->automatic = autoAllocate != 0;
    return CUFFT_SUCCESS;
}
cufftResult cufftSetStream(cufftHandle handle, cudaStream_t stream)
{
    plan *p = find_plan(handle);
    if (!p)
        return CUFFT_INVALID_PLAN;
    p->stream = stream;
    return CUFFT_SUCCESS;
}
cufftResult cufftGetVersion(int *version)
{
    if (!version)
        return CUFFT_INVALID_VALUE;
    *version = CUFFT_VERSION;
    return CUFFT_SUCCESS;
}
cufftResult cufftGetProperty(libraryPropertyType type, int *value)
{
    static const int numbers[] = {CUFFT_VER_MAJOR, CUFFT_VER_MINOR, CUFFT_VER_PATCH};
    if (!value || type < MAJOR_VERSION || type > PATCH_LEVEL)
        return CUFFT_INVALID_VALUE;
    *value = numbers[type];
    return CUFFT_SUCCESS;
}
