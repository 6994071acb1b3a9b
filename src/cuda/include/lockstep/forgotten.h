/* Headers that NVIDIA's own bring along, for programs that use it and do not include it: thrust and CUB the containers and
 * the iterators, cooperative_groups.h the atomics. `lockstep cc` includes this before a source that clang refused for
 * want of such a name; others are compiled without it, which is quicker. */
#ifndef LOCKSTEP_FORGOTTEN_H
#define LOCKSTEP_FORGOTTEN_H

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#if __has_include(<cuda/atomic>)
#include <cuda/atomic>
#endif
#if __has_include(<thrust/iterator/constant_iterator.h>)
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#endif

#endif
