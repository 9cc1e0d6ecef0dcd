// A file of 64-bit keys, sorted by several ranks in parallel: every rank reads its part of the file, takes part in the
// sort over all ranks, and writes its part of the result to the same place in another file. No rank holds more than its
// part.
//   sort_file [RANKS [INPUT OUTPUT]]                     ranks are threads
//   mpirun -n RANKS sort_file_mpi [INPUT OUTPUT]         ranks are processes, on one or several machines
// Without file arguments it sorts random keys in a temporary file. The result is checked in either case.
#include <gpu/distributed.hpp>

#if defined(SORT_FILE_MPI)
#include <gpu/mpi.hpp>
#else
#include <gpu/threads.hpp>
#endif

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <string>
#include <system_error>
#include <vector>

namespace {

using key = std::uint64_t;
namespace fs = std::filesystem;

/// This rank's part of n keys.
struct part {
  std::size_t first;
  std::size_t count;
};
part part_of(const gpu::communicator& ranks, std::size_t n) {
  const std::size_t first = n * ranks.rank() / ranks.size();
  return {first, n * (ranks.rank() + 1) / ranks.size() - first};
}

std::vector<key> read_keys(const fs::path& path, const part& mine) {
  std::vector<key> keys(mine.count);
  std::ifstream in{path, std::ios::binary};
  in.exceptions(std::ios::failbit | std::ios::badbit);
  in.seekg(static_cast<std::streamoff>(mine.first * sizeof(key)));
  in.read(reinterpret_cast<char*>(keys.data()), static_cast<std::streamsize>(keys.size() * sizeof(key)));
  return keys;
}

void write_keys(const fs::path& path, const part& mine, const std::vector<key>& keys) {
  std::fstream out{path, std::ios::binary | std::ios::in | std::ios::out};
  out.exceptions(std::ios::failbit | std::ios::badbit);
  out.seekp(static_cast<std::streamoff>(mine.first * sizeof(key)));
  out.write(reinterpret_cast<const char*>(keys.data()), static_cast<std::streamsize>(keys.size() * sizeof(key)));
}

/// A barrier: returns once all ranks have called it.
void meet(gpu::communicator& ranks) {
  const char here = 1;
  std::vector<char> all(ranks.size());
  ranks.all_gather(&here, 1, all.data());
}

/// The work of every rank. Returns whether the parts, in the order of the ranks, are sorted.
bool sort_file(gpu::communicator& ranks, const fs::path& input, const fs::path& output) {
  const std::size_t n = fs::file_size(input) / sizeof(key);
  const part mine = part_of(ranks, n);
  std::vector<key> keys = read_keys(input, mine);
  gpu::sort(gpu::par.over(ranks), keys);
  if (ranks.rank() == 0) {
    std::ofstream{output, std::ios::binary};
    fs::resize_file(output, n * sizeof(key));
  }
  meet(ranks);
  write_keys(output, mine, keys);
  return gpu::is_sorted(gpu::par.over(ranks), keys);
}

/// A temporary folder with a file of random keys in it, removed by the destructor.
struct trial {
  fs::path folder = fs::temp_directory_path() / ("gpupar_sort_file_" + std::to_string(std::random_device{}()));

  explicit trial(std::size_t count) {
    fs::create_directory(folder);
    std::mt19937_64 random{1};
    std::ofstream out{folder / "keys", std::ios::binary};
    for (std::size_t i = 0; i < count; ++i) {
      const key value = random();
      out.write(reinterpret_cast<const char*>(&value), sizeof(value));
    }
  }
  ~trial() {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
};

constexpr std::size_t trial_keys = 1 << 18;

}  // namespace

#if defined(SORT_FILE_MPI)

int main(int argument_count, char** arguments) {
  MPI_Init(&argument_count, &arguments);
  int result = 1;
  {
    gpu::mpi_communicator ranks{MPI_COMM_WORLD};
    if (argument_count > 2) {
      result = sort_file(ranks, arguments[1], arguments[2]) ? 0 : 1;
    } else {
      char folder[4096] = {};
      trial* made = ranks.rank() == 0 ? new trial{trial_keys} : nullptr;
      if (made) made->folder.string().copy(folder, sizeof(folder) - 1);
      MPI_Bcast(folder, sizeof(folder), MPI_CHAR, 0, MPI_COMM_WORLD);
      result = sort_file(ranks, fs::path{folder} / "keys", fs::path{folder} / "sorted") ? 0 : 1;
      meet(ranks);
      delete made;
    }
    if (ranks.rank() == 0) std::cout << ranks.size() << " processes: " << (result == 0 ? "sorted\n" : "not sorted\n");
  }
  MPI_Finalize();
  return result;
}

#else

int main(int argument_count, char** arguments) {
  const std::size_t count = argument_count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 4;
  if (count == 0 || argument_count == 3) {
    std::cerr << "usage: sort_file [RANKS [INPUT OUTPUT]]\n";
    return 2;
  }
  bool sorted = true;
  const auto sort = [&](const fs::path& input, const fs::path& output) {
    gpu::on_threads(count, [&](gpu::communicator& ranks) {
      const bool said = sort_file(ranks, input, output);
      if (ranks.rank() == 0) sorted = said;
    });
  };
  if (argument_count > 3) {
    sort(arguments[2], arguments[3]);
  } else {
    const trial made{trial_keys};
    sort(made.folder / "keys", made.folder / "sorted");
  }
  std::cout << count << " threads: " << (sorted ? "sorted\n" : "not sorted\n");
  return sorted ? 0 : 1;
}

#endif
