#include <cstdio>

int sum_of(int n, const int *x);

int main()
{
    int x[100];
    for (int i = 0; i < 100; i++)
        x[i] = i;
    std::printf("sum %d\n", sum_of(100, x));
    return 0;
}
