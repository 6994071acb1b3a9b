// Variables that are templates, or in headers: each file of a program has its own, relocatable device code one for all.
template <class T, int N> __managed__ T places[N];
template <class T> __device__ T on_device = 4;
template <class T> __constant__ T fixed = 6;
