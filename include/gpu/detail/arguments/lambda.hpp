// Whether host or device can call a comparator or a projection, as far as nvcc provides this information, which it does
// for lambdas. For other function objects it does not: one without __device__ is an error inside the kernel that calls
// it.
#pragma once

#include <functional>
#include <string_view>
#include <type_traits>

namespace gpu::inline v1::detail {

// An extended __device__ lambda can neither be called nor checked on the host; nvcc checks it inside the kernel.
#if defined(__CUDACC_EXTENDED_LAMBDA__)
template <class Callable>
inline constexpr bool is_device_lambda_v = __nv_is_extended_device_lambda_closure_type(Callable);
template <class Callable>
inline constexpr bool is_extended_lambda_v =
    is_device_lambda_v<Callable> || __nv_is_extended_host_device_lambda_closure_type(Callable);
#else
template <class Callable>
inline constexpr bool is_device_lambda_v = false;
template <class Callable>
inline constexpr bool is_extended_lambda_v = false;
#endif

/// The name of this function, which ends with that of T.
template <class T>
constexpr const char* name_ending_with() {
  return __PRETTY_FUNCTION__;
}

/// Whether T itself is a lambda, not a template with a lambda among its arguments. The two compilers that nvcc runs on
/// a translation unit must agree; they write "T=lambda [](int)->int]" and "T = where()::<lambda(int)>]", clang++ "T =
/// (lambda at file:1:2)]".
template <class T>
constexpr bool is_lambda() {
  const std::string_view name = detail::name_ending_with<T>();
  const std::string_view end = name.substr(0, name.size() - 1);
  if (name.find("T=lambda [") != name.npos || name.find("T = lambda [") != name.npos) return true;
  if (end.ends_with(')')) return name.rfind("(lambda at ") != name.npos;
  if (!end.ends_with('>')) return false;
  auto at = end.size();
  for (int depth = 0; at > 0; --at) {  // back to the bracket that the last one closes
    if (end[at - 1] == '>' && (at < 2 || end[at - 2] != '-')) ++depth;
    if (end[at - 1] == '<' && --depth == 0) break;
  }
  return end.substr(at).starts_with("lambda(");
}

/// Callables that only the host can call, as far as can be determined: lambdas that are not extended, function
/// pointers, and wrappers that refer to or hold another callable of any kind.
template <class Callable>
inline constexpr bool is_of_the_host_v =
    std::is_class_v<Callable> && !is_extended_lambda_v<Callable> && detail::is_lambda<Callable>();
template <class Function>
inline constexpr bool is_of_the_host_v<Function*> = true;
template <class Signature>
inline constexpr bool is_of_the_host_v<std::function<Signature>> = true;
template <class Callable>
inline constexpr bool is_of_the_host_v<std::reference_wrapper<Callable>> = true;

}  // namespace gpu::inline v1::detail
