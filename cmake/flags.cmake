# Language, warnings and the four build types. Floating-point results are part of what the simulator promises, so
# contraction is off everywhere and no fast-math flag is ever given.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# Lines for the sanitizers' reports, and no more: the rest takes a quarter of the compiler's time.
set(lockstep_instrumented "-O1 -g1 -fno-omit-frame-pointer")
# gcc's flow analysis misjudges instrumented code; the plain builds keep this warning.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    string(APPEND lockstep_instrumented " -Wno-maybe-uninitialized")
endif()
set(lockstep_asan "-fsanitize=address,undefined -fno-sanitize-recover=all")

# Lines for profiles and debuggers; what variables hold is for the debug build, and costs every other build a seventh of its time.
set(CMAKE_C_FLAGS_RELEASE "-O2 -g1")
set(CMAKE_C_FLAGS_DEBUG "-O0 -g")
set(CMAKE_C_FLAGS_ASAN "${lockstep_instrumented} ${lockstep_asan}")
set(CMAKE_C_FLAGS_TSAN "${lockstep_instrumented} -fsanitize=thread")
# Builds for tests recompute what is kept (src/base/check.h) and hold contracts of the per-cycle path.
foreach(kind ASAN DEBUG)
    string(APPEND CMAKE_C_FLAGS_${kind} " -DLOCKSTEP_CHECKED")
endforeach()
foreach(kind EXE SHARED MODULE)
    set(CMAKE_${kind}_LINKER_FLAGS_ASAN "${lockstep_asan}")
    set(CMAKE_${kind}_LINKER_FLAGS_TSAN "-fsanitize=thread")
endforeach()

add_compile_options(-Wall -Wextra -Werror -ffp-contract=off)
# Masks are counted and searched everywhere: popcount as an instruction. Every x86-64 server of the last fifteen years has it; no
# result depends on it.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    add_compile_options(-march=x86-64-v2)
endif()
add_compile_definitions(LOCKSTEP_VERSION="${PROJECT_VERSION}")
# The build id tells a checkpoint of this very build from others.
add_link_options(-Wl,--as-needed -Wl,--build-id)

if(LOCKSTEP_FUZZ)
    if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
        message(FATAL_ERROR "LOCKSTEP_FUZZ needs clang: cmake --preset fuzz")
    endif()
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()
