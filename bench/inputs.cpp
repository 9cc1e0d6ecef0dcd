// Inputs in host memory, generated and checked by all cores.
#include "inputs.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#include <memory>
#include <vector>

#include "segments.hpp"

namespace bench {
namespace {

constexpr std::size_t rounded_up(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

constexpr std::size_t grain = 1 << 14;
using indices = tbb::blocked_range<std::size_t>;

template <class Element>
class host_inputs final : public inputs {
  using key_type = key_of<Element>;

 public:
  explicit host_inputs(layout where) : where_{std::move(where)} {
    if (is_segmented(where_.asked().what)) heads_ = heads_of(where_.asked());
  }
  host_inputs(const host_inputs&) = delete;
  host_inputs& operator=(const host_inputs&) = delete;
  ~host_inputs() override { destroy(); }

  [[nodiscard]] std::size_t slots() const override { return where_.slots(); }
  [[nodiscard]] arrays at(std::size_t slot) const override { return where_.at(slot); }

  void renew(std::uint64_t round) override {
    destroy();
    round_ = round;
    filled_ = true;
    for (std::size_t slot = 0; slot < slots(); ++slot) fill(slot, where_.recipe_of(slot, round));
  }

  std::string fault_of(std::size_t slot, const outcome& result) override {
    const auto made = where_.recipe_of(slot, round_);
    const auto sorted = where_.template result_rows<Element>(slot, result, heads_.empty() ? nullptr : heads_.data());
    const auto before = tally_of([&](std::size_t i, tally& sum) { sum.hash += input_hash<Element>(made, i); });
    return fault_between(before, tally_of([&](std::size_t i, tally& sum) { sorted.add(i, sum); }));
  }

 private:
  void fill(std::size_t slot, const recipe& made) {
    const arrays to = at(slot);
    auto* const keys = static_cast<key_type*>(to.keys);
    if constexpr (std::is_same_v<key_type, std::string_view>) characters_.resize(made.n * slots());
    auto* const values = static_cast<value_of<Element>*>(to.values);
    tbb::parallel_for(indices{0, made.n, grain}, [&](const indices& part) {
      for (std::size_t i = part.begin(); i < part.end(); ++i) {
        if constexpr (std::is_same_v<key_type, std::string_view>) {
          text_characters& text = characters_[slot * made.n + i];
          text = text_at(made.position(i), i);
          keys[i] = {text.data(), text.size()};
        } else {
          std::construct_at(keys + i, made.template key<key_type>(i));
        }
        if constexpr (Element::has_values) values[i] = static_cast<value_of<Element>>(i);
      }
    });
  }

  template <class Add>
  tally tally_of(const Add& add) const {
    return tbb::parallel_reduce(
        indices{0, where_.asked().n, grain}, tally{},
        [&](const indices& part, tally sum) {
          for (std::size_t i = part.begin(); i < part.end(); ++i) add(i, sum);
          return sum;
        },
        [](const tally& left, const tally& right) {
          return tally{left.hash + right.hash, left.disordered + right.disordered};
        });
  }

  /// Destroys the keys if they own memory.
  void destroy() {
    if constexpr (!std::is_trivially_destructible_v<key_type>)
      for (std::size_t slot = 0; filled_ && slot < slots(); ++slot)
        std::destroy_n(static_cast<key_type*>(at(slot).keys), where_.asked().n);
  }

  layout where_;
  std::uint64_t round_ = 0;
  bool filled_ = false;
  std::vector<text_characters> characters_;  ///< of views
  std::vector<std::uint32_t> heads_;         ///< of segments
};

}  // namespace

layout::layout(const problem& asked, std::size_t slots, arena& memory) : asked_{asked}, slots_{slots} {
  const std::string element = asked.element();
  const std::size_t value_bytes = element_bytes(element) - key_bytes(element);
  key_stride_ = rounded_up(asked.n * key_bytes(element));
  value_stride_ = rounded_up(asked.n * value_bytes);
  const bool on_device = memory.where() == place::device;
  base_.keys = memory.reserve(0, key_stride_ * slots);
  if (value_bytes > 0) base_.values = memory.reserve(1, value_stride_ * slots);
  const bool has_target = on_device || is_merge(asked.what) || is_selection(asked.what);
  if (has_target) base_.other_keys = memory.reserve(2, key_stride_ * slots);
  if (has_target && value_bytes > 0) base_.other_values = memory.reserve(3, value_stride_ * slots);
}

arrays layout::at(std::size_t slot) const {
  const auto part = [slot](void* base, std::size_t stride) -> void* {
    return base == nullptr ? nullptr : static_cast<std::byte*>(base) + slot * stride;
  };
  return {part(base_.keys, key_stride_), part(base_.values, value_stride_), part(base_.other_keys, key_stride_),
          part(base_.other_values, value_stride_)};
}

recipe layout::recipe_of(std::size_t slot, std::uint64_t round) const {
  const std::uint64_t sequences = is_merge(asked_.what) ? asked_.ways : 0;
  return {asked_.input, asked_.n, sequences, testing::random_at(testing::seed() + round, slot), asked_.input.real};
}

std::string fault_between(const tally& input, const tally& result) {
  if (result.disordered > 0) return "wrong result: " + std::to_string(result.disordered) + " neighbours out of order";
  if (result.hash != input.hash) return "wrong result: elements lost, doubled or altered";
  return {};
}

std::unique_ptr<inputs> make_host_inputs(const problem& asked, std::size_t slots, arena& memory) {
  return with_element<std::unique_ptr<inputs>>(asked.element(), all_elements{}, [&](auto e) {
    return std::make_unique<host_inputs<decltype(e)>>(layout{asked, slots, memory});
  });
}

}  // namespace bench
