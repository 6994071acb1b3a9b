// Conditional nodes: the program compiles, and every call says that there are none.
#include <cstdio>
#include <cstring>

__global__ void condition(cudaGraphConditionalHandle handle, int *left)
{
    cudaGraphSetConditional(handle, --*left > 0);
}

int main()
{
    cudaGraph_t graph;
    cudaGraphNode_t node;
    cudaGraphConditionalHandle handle = 0;
    if (cudaGraphCreate(&graph, 0))
        return 1;
    std::printf("%s\n", cudaGetErrorName(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault)));
    cudaGraphNodeParams params = {cudaGraphNodeTypeConditional};
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.handle = handle;
    params.conditional.type = cudaGraphCondTypeWhile;
    params.conditional.size = 1;
    std::printf("%s\n", cudaGetErrorName(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params)));
    return 0;
}
