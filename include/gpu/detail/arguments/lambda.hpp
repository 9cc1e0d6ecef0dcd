// Who can call a comparator or a projection: what nvcc tells of lambdas. Of other function objects it tells nothing:
// one without __device__ is an error inside the kernel that calls it.
#pragma once

#include <functional>
#include <string_view>
#include <type_traits>

namespace gpu::inline v1::detail {

// An extended __device__ lambda cannot be called or asked about on the host; nvcc checks it inside the kernel.
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

/// This function's name, of which the end is T's.
template <class T>
constexpr const char* name_ending_with() {
  return __PRETTY_FUNCTION__;
}

/// Whether T itself is a lambda, not a template with one among its arguments. nvcc's two compilers of a unit, which
/// must answer alike, write "T=lambda [](int)->int]" and "T = where()::<lambda(int)>]", clang++ "T = (lambda at
/// file:1:2)]".
template <class T>
constexpr bool is_lambda() {
  const std::string_view name = detail::name_ending_with<T>();
  const std::string_view end = name.substr(0, name.size() - 1);
  if (name.find("T=lambda [") != name.npos || name.find("T = lambda [") != name.npos) return true;
  if (end.ends_with(')')) return name.rfind("(lambda at ") != name.npos;
  if (!end.ends_with('>')) return false;
  auto at = end.size();
  for (int depth = 0; at > 0; --at) {  // back to what the last bracket closes
    if (end[at - 1] == '>' && (at < 2 || end[at - 2] != '-')) ++depth;
    if (end[at - 1] == '<' && --depth == 0) break;
  }
  return end.substr(at).starts_with("lambda(");
}

/// What the host alone can call, as far as can be told: lambdas that are not extended, functions, and what refers to or
/// holds another callable of any kind.
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
