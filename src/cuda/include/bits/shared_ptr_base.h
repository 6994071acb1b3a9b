/* The C++ library's header of this name writes __attribute__((__noinline__)), where clang 14 needs __noinline__ as a
 * macro in programs (host_defines.h): it is not one while that header is read. */
#pragma GCC system_header
#pragma push_macro("__noinline__")
#undef __noinline__
#include_next <bits/shared_ptr_base.h>
#pragma pop_macro("__noinline__")
