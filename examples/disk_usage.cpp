// The largest files below some directories.
//   disk_usage [DIR...]     (/usr if none is given)
// Every subdirectory yields one list of files, sorted by size and, among files of the same size, newest first; a
// multiway merge combines all the lists. The standard library then does the same work, as a check and to compare times.
#include <gpu/algorithm.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace {

namespace fs = std::filesystem;
using milliseconds = std::chrono::duration<double, std::milli>;

struct file_record {
  std::uint64_t size;
  std::int64_t modified;  // ticks of the file system's clock
  std::uint32_t path;     // position in inventory::paths
};

using file_list = std::vector<file_record>;

struct inventory {
  std::vector<std::string> paths;
  std::vector<file_list> lists;
  std::size_t unreadable = 0;
};

// Symbolic links are not followed, so that nothing is counted twice.
void add_file(inventory& found, file_list& list, const fs::directory_entry& entry) {
  std::error_code failed;
  if (entry.is_symlink(failed) || !entry.is_regular_file(failed)) return;
  const auto size = entry.file_size(failed);
  const auto modified = failed ? fs::file_time_type{} : entry.last_write_time(failed);
  if (failed) {
    ++found.unreadable;
    return;
  }
  list.push_back({size, static_cast<std::int64_t>(modified.time_since_epoch().count()),
                  static_cast<std::uint32_t>(found.paths.size())});
  found.paths.push_back(entry.path().string());
}

// Adds the files of one directory to `list` and returns its subdirectories.
std::vector<fs::path> read_directory(inventory& found, file_list& list, const fs::path& directory) {
  std::vector<fs::path> below;
  std::error_code failed;
  fs::directory_iterator entries{directory, failed};
  for (; !failed && entries != fs::directory_iterator{}; entries.increment(failed)) {
    std::error_code vanished;
    if (!entries->is_symlink(vanished) && entries->is_directory(vanished))
      below.push_back(entries->path());
    else
      add_file(found, list, *entries);
  }
  if (failed) ++found.unreadable;
  return below;
}

void take_inventory(inventory& found, const fs::path& root) {
  file_list loose;
  for (const fs::path& directory : read_directory(found, loose, root)) {
    file_list list;
    std::vector<fs::path> open{directory};
    while (!open.empty()) {
      const fs::path next = std::move(open.back());
      open.pop_back();
      std::ranges::move(read_directory(found, list, next), std::back_inserter(open));
    }
    found.lists.push_back(std::move(list));
  }
  found.lists.push_back(std::move(loose));
}

struct with_gpupar {
  static void sort_by_time(file_list& files) {
    gpu::sort(gpu::par, files, std::ranges::greater{}, &file_record::modified);
  }
  static void sort_by_size(file_list& files) {
    gpu::stable_sort(gpu::par, files, std::ranges::greater{}, &file_record::size);
  }
  static void merge(const std::vector<file_list>& lists, file_list& merged) {
    gpu::multiway_merge(gpu::par, lists, merged.begin(), std::ranges::greater{}, &file_record::size);
  }
};

struct with_std {
  static void sort_by_time(file_list& files) {
    std::ranges::sort(files, std::ranges::greater{}, &file_record::modified);
  }
  static void sort_by_size(file_list& files) {
    std::ranges::stable_sort(files, std::ranges::greater{}, &file_record::size);
  }
  static void merge(const std::vector<file_list>& lists, file_list& merged) {
    auto end = merged.begin();
    for (const file_list& list : lists) {
      const auto middle = end;
      end = std::ranges::copy(list, end).out;
      std::ranges::inplace_merge(merged.begin(), middle, end, std::ranges::greater{}, &file_record::size);
    }
  }
};

struct result {
  file_list merged;
  std::array<milliseconds, 3> times;
};

template <class Library>
result sort_and_merge(std::vector<file_list> lists, std::size_t total) {
  const auto timed = [](auto&& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return milliseconds{std::chrono::steady_clock::now() - start};
  };
  result done{file_list(total), {}};
  done.times[0] = timed([&] { std::ranges::for_each(lists, Library::sort_by_time); });
  done.times[1] = timed([&] { std::ranges::for_each(lists, Library::sort_by_size); });
  done.times[2] = timed([&] { Library::merge(lists, done.merged); });
  return done;
}

bool same_order(const file_list& a, const file_list& b) {
  return std::ranges::equal(a, b,
                            [](const auto& x, const auto& y) { return x.size == y.size && x.modified == y.modified; });
}

std::string human(std::uint64_t bytes) {
  constexpr std::string_view units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(units); ++unit) value /= 1024;
  std::ostringstream text;
  text << std::fixed << std::setprecision(unit > 0 ? 1 : 0) << value << ' ' << units[unit];
  return text.str();
}

void print_largest(const inventory& found, const file_list& merged, std::size_t count) {
  for (std::size_t i = 0; i < std::min(count, merged.size()); ++i)
    std::cout << std::setw(12) << human(merged[i].size) << "  " << found.paths[merged[i].path] << '\n';
}

void print_times(inventory& found, const result& ours, const result& standard) {
  file_list& longest = *std::ranges::max_element(found.lists, {}, &file_list::size);
  const std::array plans = {
      gpu::explain(gpu::par, longest, std::ranges::greater{}, &file_record::modified),
      gpu::explain_stable_sort(gpu::par, longest, std::ranges::greater{}, &file_record::size),
  };
  constexpr std::array work = {"sort by time", "stable_sort by size", "multiway_merge"};

  std::cout << std::fixed << std::setprecision(2) << "\n  gpupar, ms     std, ms\n";
  for (std::size_t i = 0; i < work.size(); ++i) {
    std::cout << std::setw(12) << ours.times[i].count() << std::setw(12) << standard.times[i].count() << "  "
              << work[i];
    if (i < plans.size()) std::cout << " (longest list: " << plans[i] << ')';
    std::cout << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<fs::path> roots(argv + 1, argv + argc);
  if (roots.empty()) roots.emplace_back("/usr");

  inventory found;
  for (const fs::path& root : roots) take_inventory(found, root);
  const std::size_t files = found.paths.size();
  std::cout << files << " files in " << found.lists.size() << " lists, " << found.unreadable << " entries unreadable, "
            << gpu::device_count() << " devices\n\n";

  sort_and_merge<with_gpupar>(found.lists, files);  // untimed: the first use starts the device and the threads
  const result ours = sort_and_merge<with_gpupar>(found.lists, files);
  const result standard = sort_and_merge<with_std>(found.lists, files);
  print_largest(found, ours.merged, 20);
  print_times(found, ours, standard);
  if (same_order(ours.merged, standard.merged)) return EXIT_SUCCESS;
  std::cerr << "gpupar and the standard library disagree\n";
  return EXIT_FAILURE;
}
