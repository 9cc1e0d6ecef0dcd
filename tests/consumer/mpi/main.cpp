// A program of one or more ranks that sorts over all of them.
#include <gpu/distributed.hpp>
#include <gpu/mpi.hpp>

#include <vector>

int main(int argument_count, char** arguments) {
  MPI_Init(&argument_count, &arguments);
  bool sorted = false;
  {
    gpu::mpi_communicator ranks{MPI_COMM_WORLD};
    std::vector<double> values{3.5, -1, static_cast<double>(ranks.rank())};
    gpu::sort(gpu::par.over(ranks), values);
    sorted = gpu::is_sorted(gpu::par.over(ranks), values);
  }
  MPI_Finalize();
  return sorted ? 0 : 1;
}
