// What ranks tell each other about their calls and failures.
#include <gpu/detail/distributed/agreement.hpp>
#include <gpu/error.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace gpu::inline v1 {

rank_error::~rank_error() = default;

namespace detail {
namespace {

enum class category : std::uint32_t { gpupar, cuda, generic };

/// A failure in a form that can be sent.
struct report {
  category whose = category::gpupar;
  std::int32_t code = 0;
  char words[504] = {};
};

report make_report(category whose, int code, std::string_view words) {
  report made{whose, code};
  words.copy(made.words, sizeof(made.words) - 1);
  return made;
}

report report_of(const std::exception_ptr& failure) {
  if (!failure) return {};
  try {
    std::rethrow_exception(failure);
  } catch (const error& caught) {
    const category whose = caught.code().category() == cuda_category()    ? category::cuda
                           : caught.code().category() == error_category() ? category::gpupar
                                                                          : category::generic;
    return make_report(whose, caught.code().value(), caught.what());
  } catch (const std::bad_alloc&) {
    return make_report(category::generic, static_cast<int>(std::errc::not_enough_memory), "there is too little memory");
  } catch (const std::exception& caught) {
    return make_report(category::gpupar, static_cast<int>(errc::rank_failed), caught.what());
  } catch (...) {
    return make_report(category::gpupar, static_cast<int>(errc::rank_failed), "it threw what is no std::exception");
  }
}

std::error_code code_of(const report& failure) {
  switch (failure.whose) {
    case category::cuda:
      return {failure.code, cuda_category()};
    case category::generic:
      return {failure.code, std::generic_category()};
    case category::gpupar:
      break;
  }
  return {failure.code, error_category()};
}

/// Gathers the reports of all ranks; every rank throws that of rank `first`.
[[noreturn]] void throw_report(communicator& ranks, std::size_t first, const std::exception_ptr& failure) {
  const report mine = report_of(failure);
  std::vector<report> all(ranks.size());
  ranks.all_gather(&mine, sizeof(mine), all.data());
  const report& reported = all[first];
  const rank_error same{
      first, code_of(reported),
      "gpupar: rank " + std::to_string(first) + " of " + std::to_string(ranks.size()) + ": " + reported.words};
  if (first != ranks.rank()) throw same;
  try {
    std::rethrow_exception(failure);
  } catch (...) {
    std::throw_with_nested(same);
  }
}

/// FNV-1a.
std::uint64_t hash_of(std::string_view words) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : words) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

/// An introduction in a form that can be sent.
struct sent_introduction {
  std::uint64_t refused;
  std::uint64_t call;
  std::uint64_t before;
  std::uint64_t after;
  std::uint32_t on_host;
  std::uint32_t on_device;
};

[[noreturn]] void refuse_other_call(communicator& ranks, std::string_view words, std::size_t other) {
  const report mine = make_report(category::gpupar, 0, words);
  std::vector<report> all(ranks.size());
  ranks.all_gather(&mine, sizeof(mine), all.data());
  throw rank_error{other, make_error_code(errc::ranks_disagree),
                   "gpupar: the ranks of a communicator must make the same call: rank " + std::to_string(other) +
                       " calls " + all[other].words + ", rank 0 " + all[0].words};
}

[[noreturn]] void refuse_mixed_memory(const std::vector<sent_introduction>& all, std::uint32_t columns) {
  const auto first = [&](std::uint32_t sent_introduction::*mask) {
    std::size_t r = 0;
    while (!(all[r].*mask & columns)) ++r;
    return r;
  };
  const std::size_t on_device = first(&sent_introduction::on_device);
  throw rank_error{on_device, make_error_code(errc::ranks_disagree),
                   "gpupar: elements are in device memory on rank " + std::to_string(on_device) +
                       " and in host memory on rank " + std::to_string(first(&sent_introduction::on_host)) +
                       ": have them in memory of one kind"};
}

}  // namespace

void agree(communicator& ranks, const std::exception_ptr& failure) {
  if (ranks.size() == 1) {
    if (failure) throw_report(ranks, 0, failure);
    return;
  }
  const std::uint64_t failed = failure ? 1 : 0;
  std::vector<std::uint64_t> all(ranks.size());
  ranks.all_gather(&failed, sizeof(failed), all.data());
  const auto first = std::find(all.begin(), all.end(), std::uint64_t{1});
  if (first != all.end()) throw_report(ranks, static_cast<std::size_t>(first - all.begin()), failure);
}

part_sizes introduce(communicator& ranks, const introduction& mine) {
  const std::size_t count = ranks.size();
  const sent_introduction said{mine.refused != nullptr, hash_of(mine.words), mine.before, mine.after, mine.on_host,
                               mine.on_device};
  std::vector<sent_introduction> all(count);
  ranks.all_gather(&said, sizeof(said), all.data());
  for (std::size_t r = 0; r < count; ++r)
    if (all[r].refused) throw_report(ranks, r, mine.refused);
  for (std::size_t r = 1; r < count; ++r)
    if (all[r].call != all[0].call) refuse_other_call(ranks, mine.words, r);

  part_sizes sizes;
  std::uint32_t on_host = 0, on_device = 0;
  std::size_t have = 0, room = 0;
  for (const sent_introduction& one : all) {
    on_host |= one.on_host;
    on_device |= one.on_device;
    sizes.before.push_back(one.before);
    sizes.after.push_back(one.after);
    have += one.before;
    room += one.after;
  }
  sizes.on_device = on_device;
  if (on_host & on_device) refuse_mixed_memory(all, on_host & on_device);
  if (have != room)
    throw rank_error{0, make_error_code(errc::invalid_range),
                     "gpupar: the ranks have " + std::to_string(have) + " elements together and room for " +
                         std::to_string(room) + ": make these numbers equal"};
  return sizes;
}

}  // namespace detail
}  // namespace gpu::inline v1
