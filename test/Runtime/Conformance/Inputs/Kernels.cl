// The kernels of the conformance suite for OpenCL devices. For each binding its memory and the
// offset of its first byte, then the scalars.
#pragma OPENCL FP_CONTRACT OFF

// y[16 p + i] = x[16 p + i] + w[i], in groups of any divisor of 16, the parts of a program along z
kernel void
add(global uchar *b0, ulong o0, global uchar *b1, ulong o1, global uchar *b2, ulong o2) {
  global const float *x = (global const float *)(b0 + o0);
  global const float *w = (global const float *)(b1 + o1);
  global float *y = (global float *)(b2 + o2);
  size_t lane = get_group_id(2) * get_local_size(0) + get_local_id(0);
  size_t at = get_group_id(0) * 16 + lane;
  y[at] = x[at] + w[lane];
}

// y[16 p + i] = x[16 p + i] * factor
__attribute__((reqd_work_group_size(16, 1, 1))) kernel void
scale(global uchar *b0, ulong o0, global uchar *b1, ulong o1, long factor) {
  global const float *x = (global const float *)(b0 + o0);
  global float *y = (global float *)(b1 + o1);
  size_t at = get_group_id(0) * 16 + get_local_id(0);
  y[at] = x[at] * (float)factor;
}

// y[p] = p for the programs p below 70000; grids may be folded over y
__attribute__((reqd_work_group_size(1, 1, 1))) kernel void ids(global uchar *b0, ulong o0) {
  global int *y = (global int *)(b0 + o0);
  size_t p = get_group_id(0) + get_group_id(1) * get_num_groups(0);
  if (p < 70000)
    y[p] = (int)p;
}

// y[16 p + i] = x[16 p + 15 - i], through local memory
__attribute__((reqd_work_group_size(16, 1, 1))) kernel void
reverse(global uchar *b0, ulong o0, global uchar *b1, ulong o1) {
  global const float *x = (global const float *)(b0 + o0);
  global float *y = (global float *)(b1 + o1);
  local float s[16];
  size_t lane = get_local_id(0), at = get_group_id(0) * 16 + lane;
  s[lane] = x[at];
  barrier(CLK_LOCAL_MEM_FENCE);
  y[at] = s[15 - lane];
}

#define BUFFER(n) global uchar *b##n, ulong o##n
#define TERM(n) (((global const float *)(b##n + o##n))[lane] * (float)s##n)

// y[i] = sum over k < 15 of x_k[i] * s_k, plus s_15
__attribute__((reqd_work_group_size(16, 1, 1))) kernel void
many(BUFFER(0), BUFFER(1), BUFFER(2), BUFFER(3), BUFFER(4), BUFFER(5), BUFFER(6), BUFFER(7),
     BUFFER(8), BUFFER(9), BUFFER(10), BUFFER(11), BUFFER(12), BUFFER(13), BUFFER(14), BUFFER(15),
     long s0, long s1, long s2, long s3, long s4, long s5, long s6, long s7, long s8, long s9,
     long s10, long s11, long s12, long s13, long s14, long s15) {
  size_t lane = get_local_id(0);
  float sum = (float)s15;
  sum += TERM(0); sum += TERM(1); sum += TERM(2); sum += TERM(3); sum += TERM(4);
  sum += TERM(5); sum += TERM(6); sum += TERM(7); sum += TERM(8); sum += TERM(9);
  sum += TERM(10); sum += TERM(11); sum += TERM(12); sum += TERM(13); sum += TERM(14);
  ((global float *)(b15 + o15))[lane] = sum;
}

// y[at + i] = x[i] * factor for i < n; end is at + n
__attribute__((reqd_work_group_size(16, 1, 1))) kernel void
put(global uchar *b0, ulong o0, global uchar *b1, ulong o1, long n, long at, long factor, long end) {
  global const float *x = (global const float *)(b0 + o0);
  global float *y = (global float *)(b1 + o1);
  long i = (long)(get_group_id(0) * 16 + get_local_id(0));
  if (i < n)
    y[at + i] = x[i] * (float)factor;
}
