extern __device__ int counter;
extern __constant__ float scale;
__device__ int helper(int x);
__device__ int twice(int x);
__global__ void use(int *p);
void other_file(int *p);
void reshape(int n);
template <class T> __device__ T largest(T a, T b) { return a > b ? a : b; } // both files define it
inline __device__ int with_static(int x) { extern __shared__ int memory[]; memory[0] = x; return memory[0]; }
struct Shape {
    int n;
    __device__ Shape(int n) : n(n) {}
    __device__ virtual int area() const;
    __device__ virtual ~Shape();
};
