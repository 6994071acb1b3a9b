// Transforms. Arrays that are real, or that do not lie plainly, go through a complex one in the plan's work area.
#include "context.cuh"

using namespace lockstep_fft;

// An array as a plan describes it; `width` is what it has of the last dimension: half of it and one, where the array is
// that of a real one's transform.
struct shape {
    long long n[3], width;
    layout lies;
    __device__ long long place(long long batch, long long x, long long y, long long z) const
    {
        return batch * lies.distance + ((x * lies.embed[1] + y) * lies.embed[2] + z) * lies.stride;
    }
};
// Elements of the last dimension that a basic layout has room for. In place, real rows are padded to their transforms'.
static shape shape_of(const plan &p, const layout &lies, bool real, bool in_place)
{
    shape s = {{p.n[0], p.n[1], p.n[2]}, p.n[2], lies};
    const long long half = p.n[2] / 2 + 1;
    if (is_real(p.type) && !real)
        s.width = half;
    if (lies.basic) {
        s.lies.embed[2] = real && in_place ? 2 * half : s.width;
        s.lies.distance = p.n[0] * p.n[1] * s.lies.embed[2];
    }
    return s;
}

// from is T (real) or C. What a half leaves out are conjugates of what it has.
template <class C, class T> struct spread {
    const T *from;
    C *to;
    shape s;
    __device__ static C as_complex(C v)
    {
        return v;
    }
    __device__ static C as_complex(decltype(C().x) v)
    {
        return C{v, 0};
    }
    __device__ void operator()(long long e) const
    {
        long long z = e % s.n[2], y = e / s.n[2] % s.n[1], x = e / (s.n[2] * s.n[1]) % s.n[0];
        const long long batch = e / (s.n[2] * s.n[1] * s.n[0]);
        const bool mirrored = z >= s.width;
        if (mirrored) {
            x = x ? s.n[0] - x : 0;
            y = y ? s.n[1] - y : 0;
            z = s.n[2] - z;
        }
        to[e] = conjugate_if(as_complex(from[s.place(batch, x, y, z)]), mirrored);
    }
};
template <class C, class T> struct collect {
    const C *from;
    T *to;
    shape s;
    __device__ static void put(C *to, C v)
    {
        *to = v;
    }
    __device__ static void put(decltype(C().x) *to, C v)
    {
        *to = v.x;
    }
    __device__ void operator()(long long e) const
    {
        const long long z = e % s.n[2], y = e / s.n[2] % s.n[1], x = e / (s.n[2] * s.n[1]) % s.n[0];
        if (z < s.width)
            put(&to[s.place(e / (s.n[2] * s.n[1] * s.n[0]), x, y, z)], from[e]);
    }
};
// Along the last axis first. A dimension of one element is its own transform.
template <class C> static cufftResult run_axes(const plan &p, const C *from, C *to, C *room, bool inverse)
{
    long long step = 1;
    for (int i = 2; i >= 0; i--) {
        if (p.n[i] > 1 || (i == 2 && from != to)) {
            LOCKSTEP_FFT_STEP(run_axis(p.axes[i], p.stream, from, to, room, elements_of(p) / p.n[i], step, inverse));
            from = to;
        }
        step *= p.n[i];
    }
    return CUFFT_SUCCESS;
}

template <class C, class In, class Out>
static cufftResult execute(cufftHandle handle, cufftType type, In *in, Out *out, int direction)
{
    const plan *p = find_plan(handle);
    if (!p || !p->made)
        return CUFFT_INVALID_PLAN;
    if (p->type != type)
        return CUFFT_INVALID_TYPE;
    if (!in || !out || (direction != CUFFT_FORWARD && direction != CUFFT_INVERSE))
        return CUFFT_INVALID_VALUE;
    if (p->work_bytes && !p->work)
        return CUFFT_NO_WORKSPACE;
    const bool inverse = direction == CUFFT_INVERSE, in_place = (void *)in == (void *)out;
    if (lies_plain(*p))
        return run_axes<C>(*p, (const C *)in, (C *)out, (C *)p->work, inverse);
    C *const here = (C *)p->work;
    const shape before = shape_of(*p, p->in, is_real(type) && !to_real(type), in_place);
    const shape after = shape_of(*p, p->out, to_real(type), in_place);
    LOCKSTEP_FFT_STEP(run_for_each(p->stream, elements_of(*p), spread<C, In>{in, here, before}));
    LOCKSTEP_FFT_STEP(run_axes<C>(*p, here, here, here + elements_of(*p), inverse));
    return run_for_each(p->stream, elements_of(*p), collect<C, Out>{here, out, after});
}

cufftResult cufftExecC2C(cufftHandle plan, cufftComplex *idata, cufftComplex *odata, int direction)
{
    return execute<float2>(plan, CUFFT_C2C, idata, odata, direction);
}
cufftResult cufftExecR2C(cufftHandle plan, cufftReal *idata, cufftComplex *odata)
{
    return execute<float2>(plan, CUFFT_R2C, idata, odata, CUFFT_FORWARD);
}
cufftResult cufftExecC2R(cufftHandle plan, cufftComplex *idata, cufftReal *odata)
{
    return execute<float2>(plan, CUFFT_C2R, idata, odata, CUFFT_INVERSE);
}
cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex *idata, cufftDoubleComplex *odata, int direction)
{
    return execute<double2>(plan, CUFFT_Z2Z, idata, odata, direction);
}
cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal *idata, cufftDoubleComplex *odata)
{
    return execute<double2>(plan, CUFFT_D2Z, idata, odata, CUFFT_FORWARD);
}
cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex *idata, cufftDoubleReal *odata)
{
    return execute<double2>(plan, CUFFT_Z2D, idata, odata, CUFFT_INVERSE);
}
cufftResult cufftXtExec(cufftHandle handle, void *input, void *output, int direction)
{
    const plan *p = find_plan(handle);
    if (!p || !p->made)
        return CUFFT_INVALID_PLAN;
    switch (p->type) {
    case CUFFT_C2C:
        return cufftExecC2C(handle, (float2 *)input, (float2 *)output, direction);
    case CUFFT_R2C:
        return cufftExecR2C(handle, (float *)input, (float2 *)output);
    case CUFFT_C2R:
        return cufftExecC2R(handle, (float2 *)input, (float *)output);
    case CUFFT_Z2Z:
        return cufftExecZ2Z(handle, (double2 *)input, (double2 *)output, direction);
    case CUFFT_D2Z:
        return cufftExecD2Z(handle, (double *)input, (double2 *)output);
    default:
        return cufftExecZ2D(handle, (double2 *)input, (double *)output);
    }
}
