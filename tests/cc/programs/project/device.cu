// The linker takes a file of a static library for its host code's sake.
bool has_weights()
{
    return true;
}

__device__ int weight(int i)
{
    return i < 0 ? 0 : 1;
}
