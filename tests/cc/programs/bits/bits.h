// One argument pair and, per function of functions.def, its value in double and in float.
#pragma once
enum function {
#define F1(name) function_##name,
#define F2(name) function_##name,
#include "functions.def"
#undef F1
#undef F2
    function_count
};

struct values {
    double wide[function_count];
    float narrow[function_count];
};

values on_host(double x, double y);
const char *function_name(int f);
