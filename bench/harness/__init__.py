"""What bench/cpu is made of: kernels at any size, workloads, references, processes, limits, reports."""
