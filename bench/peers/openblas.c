/* Products of matrices by OpenBLAS, timed here. */
#include <cblas.h>
#include <stdint.h>
#include <time.h>

typedef struct Product {
  int64_t batch, m, n, k, transposeA, transposeB;
  const float *a, *b;
  float *c;
} Product;

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000ll + time.tv_nsec;
}

static void runOnce(const Product *p) {
  int m = (int)p->m, n = (int)p->n, k = (int)p->k;
  for (int64_t i = 0; i < p->batch; ++i) {
    const float *a = p->a + i * p->m * p->k, *b = p->b + i * p->k * p->n;
    float *c = p->c + i * p->m * p->n;
    if (m == 1 && !p->transposeB)
      cblas_sgemv(CblasRowMajor, CblasTrans, k, n, 1, b, n, a, 1, 0, c, 1);
    else
      cblas_sgemm(CblasRowMajor, p->transposeA ? CblasTrans : CblasNoTrans,
                  p->transposeB ? CblasTrans : CblasNoTrans, m, n, k, 1, a, p->transposeA ? m : k,
                  b, p->transposeB ? k : n, 0, c, n);
  }
}

void runProduct(const Product *product, int64_t count, int64_t *nanoseconds) {
  for (int64_t i = 0; i < count; ++i) {
    int64_t begin = now();
    runOnce(product);
    nanoseconds[i] = now() - begin;
  }
}

const char *describe(void) { return openblas_get_corename(); }
