#include "cuts.hpp"

#include <gpu/detail/device/merging/cuts.cuh>

#include "keys/cuts.cuh"
#include "keys/keys.hpp"
#include "rows.cuh"

namespace gpu::inline v1::detail::device {
namespace {

template <class Bits>
void cut_keys(const context& context, const key_format& format, const std::vector<merge_input>& pieces,
              std::size_t step, std::size_t steps, std::size_t* cuts) {
  with_exact_less<Bits>(
      format, [&](auto less, auto codec) { cut_pieces<Bits>(context, pieces, step, steps, cuts, less, codec); });
}

}  // namespace

void cut_elements(const context& context, const keyed_elements& format, const std::vector<merge_input>& pieces,
                  std::size_t step, std::size_t steps, std::size_t* cuts) {
  with_bits(format.key.bytes, [&]<class Bits>(Bits) {
    if (format.plain() && !format.key.is_of_parts())
      return cut_keys<Bits>(context, format.key, pieces, step, steps, cuts);
    std::size_t n = 0;
    for (const merge_input& piece : pieces) n += piece.count;
    const scratch<scratch_array<Bits>> memory{context, n};
    std::vector<merge_input> keys;
    Bits* next = memory->data;
    key_format taken = format.key;
    for (const merge_input& piece : pieces) {
      const column elements{const_cast<void*>(piece.data), format.element_bytes};
      taken = take_keys(context, format, &elements, next, piece.count);
      keys.push_back({next, piece.count});
      next += piece.count;
    }
    cut_keys<Bits>(context, taken, keys, step, steps, cuts);
  });
}

}  // namespace gpu::inline v1::detail::device
