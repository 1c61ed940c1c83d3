/* What the loader asks a library of kernels (src/softdock/native/library.py). Compiled for the lowest processor of
   the architecture, so that it can be called on any. */

const char softdock_source_digest[] = SOFTDOCK_SOURCE_DIGEST;

/* Returns the x86-64 level of this processor: 3 with AVX2 and FMA, 4 with AVX-512 as well, else 2;
   0 on other architectures. */
int softdock_cpu_level(void) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (!(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi")
          && __builtin_cpu_supports("bmi2")))
        return 2;
    if (!(__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
          && __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq")
          && __builtin_cpu_supports("avx512vl")))
        return 3;
    return 4;
#else
    return 0;
#endif
}
