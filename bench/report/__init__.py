"""What bench/run and bench/compare share: results of gpupar_bench as records, and the tables and plots made of them."""
