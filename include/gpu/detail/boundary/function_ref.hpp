// A non-owning reference to a callable: two words, no allocation. How templates in the headers hand work to
// the precompiled parts of the library.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace gpu::inline v1::detail {

template <class Signature>
class function_ref;

// The callable must outlive the reference.
template <class Result, class... Arguments>
class function_ref<Result(Arguments...)> {
 public:
  template <class Callable>
    requires(!std::is_same_v<std::remove_cvref_t<Callable>, function_ref> &&
             std::is_invocable_r_v<Result, Callable&, Arguments...>)
  function_ref(Callable&& callable) noexcept
      : object_{const_cast<void*>(static_cast<const void*>(std::addressof(callable)))},
        call_{[](void* object, Arguments... arguments) -> Result {
          return (*static_cast<std::remove_reference_t<Callable>*>(object))(std::forward<Arguments>(arguments)...);
        }} {}

  Result operator()(Arguments... arguments) const { return call_(object_, std::forward<Arguments>(arguments)...); }

 private:
  void* object_;
  Result (*call_)(void*, Arguments...);
};

}  // namespace gpu::inline v1::detail
