#pragma once
#ifdef __cplusplus
void launch(int *data, int n);
int helper(int n);
#endif
#ifdef __cplusplus
extern "C"
#endif
    int
    c_helper(int n);
