// The kernels of the conformance suite for AMD's devices.
#define KERNEL(threads)                                                                            \
  __attribute__((device_kernel, amdgpu_flat_work_group_size(threads, threads))) void
#define THREAD __builtin_amdgcn_workitem_id_x()
#define GROUP __builtin_amdgcn_workgroup_id_x()
#define GLOBAL __attribute__((address_space(1)))

// y[16 p + i] = x[16 p + i] + w[i]
KERNEL(16) add(GLOBAL const float *x, GLOBAL const float *w, GLOBAL float *y) {
  unsigned lane = THREAD, at = GROUP * 16 + lane;
  y[at] = x[at] + w[lane];
}

// y[16 p + i] = x[16 p + i] * factor
KERNEL(16) scale(GLOBAL const float *x, GLOBAL float *y, long factor) {
  unsigned at = GROUP * 16 + THREAD;
  y[at] = x[at] * (float)factor;
}

// y[p] = p for the programs p below 70000
KERNEL(1) ids(GLOBAL int *y) {
  unsigned p = GROUP;
  if (p < 70000)
    y[p] = (int)p;
}

static __attribute__((address_space(3), loader_uninitialized)) float s[16];

// y[16 p + i] = x[16 p + 15 - i], through local memory
KERNEL(16) reverse(GLOBAL const float *x, GLOBAL float *y) {
  unsigned lane = THREAD, at = GROUP * 16 + lane;
  s[lane] = x[at];
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  y[at] = s[15 - lane];
}

#define BUFFER(n) GLOBAL const float *b##n
#define TERM(n) (b##n[lane] * (float)s##n)

// y[i] = sum over k < 15 of x_k[i] * s_k, plus s_15
KERNEL(16)
many(BUFFER(0), BUFFER(1), BUFFER(2), BUFFER(3), BUFFER(4), BUFFER(5), BUFFER(6), BUFFER(7),
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
KERNEL(16) put(GLOBAL const float *x, GLOBAL float *y, long n, long at, long factor, long end) {
  long i = GROUP * 16 + THREAD;
  if (i < n)
    y[at + i] = x[i] * (float)factor;
}
