/* What the loader asks a library of kernels (src/softdock/native/library.py). Compiled for the lowest processor of
   the architecture, so that it can be called on any; it uses no functions of a compiler's own library, because the
   linkers that can be used do not share one. */

#if defined(__x86_64__)
#include <cpuid.h>

static int has_all(unsigned int word, unsigned int bits) {
    return (word & bits) == bits;
}
#endif

const char softdock_source_digest[] = SOFTDOCK_SOURCE_DIGEST;

/* Returns the x86-64 level of this processor as the operating system lets it be used: 3 with AVX2, FMA and what else
   belongs to that level, 4 with AVX-512 as well, else 2; 0 on other architectures. */
int softdock_cpu_level(void) {
#if defined(__x86_64__)
    const unsigned int fma = 1u << 12, movbe = 1u << 22, osxsave = 1u << 27, avx = 1u << 28, f16c = 1u << 29;
    const unsigned int bmi1 = 1u << 3, avx2 = 1u << 5, bmi2 = 1u << 8, lzcnt = 1u << 5;
    const unsigned int avx512 = 1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31; /* F, DQ, CD, BW, VL */
    unsigned int eax, ebx, basic, extended, edx, saved, unused;
    if (!__get_cpuid(1, &eax, &ebx, &basic, &edx) || !has_all(basic, fma | movbe | osxsave | avx | f16c))
        return 2;
    __asm__("xgetbv" : "=a"(saved), "=d"(edx) : "c"(0));
    if (!has_all(saved, 0x06)) /* registers that the operating system saves: SSE, AVX */
        return 2;
    if (!__get_cpuid(0x80000001, &eax, &ebx, &extended, &edx) || !has_all(extended, lzcnt))
        return 2;
    if (!__get_cpuid_count(7, 0, &eax, &ebx, &unused, &edx) || !has_all(ebx, bmi1 | avx2 | bmi2))
        return 2;
    return has_all(ebx, avx512) && has_all(saved, 0xe6) ? 4 : 3; /* 0xe6: the registers of AVX-512 as well */
#else
    return 0;
#endif
}
