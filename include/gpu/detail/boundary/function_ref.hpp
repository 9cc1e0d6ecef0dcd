// A non-owning reference to a callable: two words, no allocation. With it, templates in the headers pass work to the
// precompiled parts of the library.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include "../config.hpp"

namespace gpu::inline v1::detail {

template <class Signature>
class function_ref;

// The callable must outlive the reference.
template <class Result, class... Arguments>
class function_ref<Result(Arguments...)> {
 public:
  template <class Callable>
    requires(!std::is_same_v<std::remove_cvref_t<Callable>, function_ref>)
  GPUPAR_INLINE function_ref(Callable&& callable) noexcept
      : object_{const_cast<void*>(static_cast<const void*>(std::addressof(callable)))},
        call_{&called<std::remove_reference_t<Callable>>} {}

  Result operator()(Arguments... arguments) const { return call_(object_, std::forward<Arguments>(arguments)...); }

 private:
  template <class Callable>
  static Result called(void* object, Arguments... arguments) {
    return (*static_cast<Callable*>(object))(std::forward<Arguments>(arguments)...);
  }

  void* object_;
  Result (*call_)(void*, Arguments...);
};

}  // namespace gpu::inline v1::detail
