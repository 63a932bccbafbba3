/* What the machine can do at most: products and sums in registers, and copies between memory. */
#include <immintrin.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Enough chains to hide the latency of two units: 5 cycles times 2, and some. */
enum { chains = 14 };

#define MEASURE(vector, init, step, perStep)                                                       \
  vector sums[chains];                                                                             \
  for (int c = 0; c < chains; ++c)                                                                 \
    sums[c] = init;                                                                                \
  double best = 0, end = now() + seconds;                                                          \
  do {                                                                                             \
    double begin = now();                                                                          \
    for (int i = 0; i < 20000; ++i)                                                                \
      _Pragma("GCC unroll 14") for (int c = 0; c < chains; ++c) sums[c] = step;                    \
    double rate = 20000. * chains * (perStep) / (now() - begin);                                   \
    if (rate > best)                                                                               \
      best = rate;                                                                                 \
  } while (now() < end);                                                                           \
  for (int c = 0; c < chains; ++c)                                                                 \
    __asm__ volatile("" ::"x"(sums[c]));                                                           \
  return best

/* Operations a second of one thread: a product and a sum are two. 0: the machine has no such. */
double peakF32(double seconds, int wide) {
#ifdef __AVX512F__
  if (wide) {
    __m512 x = _mm512_set1_ps(1.0001f), y = _mm512_set1_ps(0.5f);
    __asm__ volatile("" : "+x"(x), "+x"(y));
    MEASURE(__m512, y, _mm512_fmadd_ps(sums[c], x, y), 32);
  }
#endif
#ifdef __FMA__
  __m256 x = _mm256_set1_ps(1.0001f), y = _mm256_set1_ps(0.5f);
  __asm__ volatile("" : "+x"(x), "+x"(y));
  MEASURE(__m256, y, _mm256_fmadd_ps(sums[c], x, y), 16);
#endif
  return 0;
}

double peakBf16(double seconds) {
#ifdef __AVX512BF16__
  __m512bh x = (__m512bh)_mm512_set1_epi16(0x3f80), y = x;
  __asm__ volatile("" : "+x"(x), "+x"(y));
  MEASURE(__m512, _mm512_setzero_ps(), _mm512_dpbf16_ps(sums[c], x, y), 64);
#endif
  return 0;
}

double peakI8(double seconds) {
#ifdef __AVX512VNNI__
  __m512i x = _mm512_set1_epi8(1), y = x;
  __asm__ volatile("" : "+x"(x), "+x"(y));
  MEASURE(__m512i, _mm512_setzero_si512(), _mm512_dpbusd_epi32(sums[c], x, y), 128);
#endif
  return 0;
}

/* Bytes a second, read and written counted once each. `streaming`: past the cache. */
double copyRate(double seconds, char *to, const char *from, int64_t bytes, int streaming) {
  double best = 0, end = now() + seconds;
  do {
    double begin = now();
#ifdef __AVX2__
    if (streaming) {
      for (int64_t i = 0; i < bytes; i += 32)
        _mm256_stream_si256((__m256i *)(to + i), _mm256_load_si256((const __m256i *)(from + i)));
      _mm_sfence();
    } else
#endif
    {
      for (int64_t i = 0; i < bytes; i += 64)
        for (int64_t j = 0; j < 64; ++j)
          to[i + j] = from[i + j];
    }
    __asm__ volatile("" ::: "memory");
    double rate = 2. * (double)bytes / (now() - begin);
    if (rate > best)
      best = rate;
  } while (now() < end);
  return best;
}
