// Shared by all headers of gpupar: the version, export macros, and the macros that let the same source serve a host
// compiler and nvcc.
#pragma once

#if __cplusplus < 202002L
#error "gpupar needs C++20: add -std=c++20 to the command line of g++, clang++ or nvcc (CMake: CXX_STANDARD 20)"
#endif

#include <cstdlib>

#define GPUPAR_VERSION_MAJOR 0
#define GPUPAR_VERSION_MINOR 1
#define GPUPAR_VERSION_PATCH 0

#if defined(__GNUC__) || defined(__clang__)
#define GPUPAR_EXPORT __attribute__((visibility("default")))
#define GPUPAR_HIDDEN __attribute__((visibility("hidden")))
#else
#define GPUPAR_EXPORT
#define GPUPAR_HIDDEN
#endif

// For functions that every comparison passes through, billions of times: programs that are being debugged are compiled
// without optimisation, where every call counts.
#if defined(__GNUC__) || defined(__clang__)
#define GPUPAR_INLINE __attribute__((always_inline))
#else
#define GPUPAR_INLINE
#endif

// GPUPAR_HOST_DEVICE: for functions that both backends call; empty outside nvcc, so that the same body serves a .cpp
// and a .cu.
// GPUPAR_ANY_CALLABLE: before a template that calls what its caller passes; keeps nvcc from warning that the callable
// may be host-only.
#if defined(__CUDACC__)
#define GPUPAR_HOST_DEVICE __host__ __device__
#define GPUPAR_ANY_CALLABLE _Pragma("nv_exec_check_disable")
#else
#define GPUPAR_HOST_DEVICE
#define GPUPAR_ANY_CALLABLE
#endif

// Exceptions. In translation units compiled without them, the library's functions abort instead of throwing, as those
// of the standard library do.
#if defined(__cpp_exceptions)
#define GPUPAR_TRY try
#define GPUPAR_CATCH(caught) catch (caught)
#define GPUPAR_THROW(...) throw __VA_ARGS__
#define GPUPAR_RETHROW throw
#else
#define GPUPAR_TRY if constexpr (true)
#define GPUPAR_CATCH(caught) if constexpr (false)
#define GPUPAR_THROW(...) std::abort()
#define GPUPAR_RETHROW (void)0
#endif

// Translation units differ in what they can compile: nvcc instantiates kernels, g++ does not. Entities whose bodies
// therefore differ live in an inline namespace of their own, so that a program may link both kinds of units without
// violating the one-definition rule. All other entities are the same in both.
#if defined(__CUDACC__)
#define GPUPAR_UNIT nvcc_unit
#else
#define GPUPAR_UNIT plain_unit
#endif
