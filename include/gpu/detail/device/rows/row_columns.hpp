// The columns of rows, one after the other.
#pragma once

#include <cstddef>
#include <vector>

#include "../../boundary/request.hpp"
#include "../../config.hpp"

namespace gpu::inline v1::detail::device {

/// The elements and the value columns behind them.
inline std::vector<column> row_columns(const column& elements, const column* values, std::size_t value_columns) {
  std::vector<column> all{elements};
  all.insert(all.end(), values, values + value_columns);
  return all;
}

/// All columns of a request to sort.
template <class Request>
std::vector<column> all_columns(const Request& request) {
  const column elements{request.elements.data, request.elements.element_bytes};
  return device::row_columns(elements, request.values, request.value_columns);
}

}  // namespace gpu::inline v1::detail::device
