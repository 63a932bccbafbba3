// The kernels of the conformance suite for CUDA devices: what Kernels.ptx is made from, with
//   clang-22 --target=nvptx64-nvidia-cuda -march=sm_70 -O2 -fno-unroll-loops -fno-vectorize
//     -ffp-contract=off -S kernels-cuda.c -o Kernels.ptx
// and .version lowered to 6.3, so that older drivers take it.
#define KERNEL __attribute__((device_kernel)) void
#define THREAD __nvvm_read_ptx_sreg_tid_x()
#define GROUP __nvvm_read_ptx_sreg_ctaid_x()
#define GLOBAL __attribute__((address_space(1)))

// y[16 p + i] = x[16 p + i] + w[i]
KERNEL add(GLOBAL const float *x, GLOBAL const float *w, GLOBAL float *y) {
  unsigned lane = THREAD, at = GROUP * 16 + lane;
  y[at] = x[at] + w[lane];
}

// y[16 p + i] = x[16 p + i] * factor
KERNEL scale(GLOBAL const float *x, GLOBAL float *y, long factor) {
  unsigned at = GROUP * 16 + THREAD;
  y[at] = x[at] * (float)factor;
}

// y[p] = p for the programs p below 70000; grids may be folded over y
KERNEL ids(GLOBAL int *y) {
  unsigned p = GROUP + __nvvm_read_ptx_sreg_ctaid_y() * __nvvm_read_ptx_sreg_nctaid_x();
  if (p < 70000)
    y[p] = (int)p;
}

static __attribute__((address_space(3))) float s[16];

// y[16 p + i] = x[16 p + 15 - i], through local memory
KERNEL reverse(GLOBAL const float *x, GLOBAL float *y) {
  unsigned lane = THREAD, at = GROUP * 16 + lane;
  s[lane] = x[at];
  __syncthreads();
  y[at] = s[15 - lane];
}

#define BUFFER(n) GLOBAL const float *b##n
#define TERM(n) (b##n[lane] * (float)s##n)

// y[i] = sum over k < 15 of x_k[i] * s_k, plus s_15
KERNEL many(BUFFER(0), BUFFER(1), BUFFER(2), BUFFER(3), BUFFER(4), BUFFER(5), BUFFER(6), BUFFER(7),
            BUFFER(8), BUFFER(9), BUFFER(10), BUFFER(11), BUFFER(12), BUFFER(13), BUFFER(14),
            GLOBAL float *y, long s0, long s1, long s2, long s3, long s4, long s5, long s6, long s7,
            long s8, long s9, long s10, long s11, long s12, long s13, long s14, long s15) {
  unsigned lane = THREAD;
  float sum = (float)s15;
  sum += TERM(0); sum += TERM(1); sum += TERM(2); sum += TERM(3); sum += TERM(4);
  sum += TERM(5); sum += TERM(6); sum += TERM(7); sum += TERM(8); sum += TERM(9);
  sum += TERM(10); sum += TERM(11); sum += TERM(12); sum += TERM(13); sum += TERM(14);
  y[lane] = sum;
}

// y[at + i] = x[i] * factor for i < n; end is at + n
KERNEL put(GLOBAL const float *x, GLOBAL float *y, long n, long at, long factor, long end) {
  long i = GROUP * 16 + THREAD;
  if (i < n)
    y[at + i] = x[i] * (float)factor;
}
