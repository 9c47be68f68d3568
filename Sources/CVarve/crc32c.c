#include "CVarve.h"

#include <string.h>

// Slicing by 8: one table per byte position of a 64-bit word, built once before main runs, so that
// no later call has to ask whether the tables are ready.
static uint32_t tables[8][256];

__attribute__((constructor)) static void build_tables(void) {
    const uint32_t polynomial = 0x82F63B78u; // 0x1EDC6F41 with its bits reversed
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++) {
            crc = (crc >> 1) ^ (polynomial & (0u - (crc & 1u)));
        }
        tables[0][byte] = crc;
    }
    for (uint32_t byte = 0; byte < 256; byte++) {
        for (int slice = 1; slice < 8; slice++) {
            uint32_t previous = tables[slice - 1][byte];
            tables[slice][byte] = (previous >> 8) ^ tables[0][previous & 0xFF];
        }
    }
}

static inline uint64_t load_little_endian(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, 8);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

uint32_t varve_crc32c_portable(uint32_t crc, const void *bytes, size_t count) {
    const uint8_t *next = bytes;
    crc = ~crc;
    while (count >= 8) {
        uint64_t word = load_little_endian(next) ^ crc;
        crc = tables[7][word & 0xFF] ^ tables[6][(word >> 8) & 0xFF] ^
              tables[5][(word >> 16) & 0xFF] ^ tables[4][(word >> 24) & 0xFF] ^
              tables[3][(word >> 32) & 0xFF] ^ tables[2][(word >> 40) & 0xFF] ^
              tables[1][(word >> 48) & 0xFF] ^ tables[0][word >> 56];
        next += 8;
        count -= 8;
    }
    while (count-- > 0) {
        crc = (crc >> 8) ^ tables[0][(crc ^ *next++) & 0xFF];
    }
    return ~crc;
}

#if defined(__x86_64__)
#include <nmmintrin.h>

__attribute__((target("sse4.2"))) static uint32_t accelerated(
    uint32_t crc, const uint8_t *next, size_t count) {
    uint64_t state = (uint32_t)~crc;
    while (count >= 8) {
        state = _mm_crc32_u64(state, load_little_endian(next));
        next += 8;
        count -= 8;
    }
    uint32_t narrow = (uint32_t)state;
    while (count-- > 0) {
        narrow = _mm_crc32_u8(narrow, *next++);
    }
    return ~narrow;
}

static int has_crc_instructions(void) { return __builtin_cpu_supports("sse4.2") != 0; }

#elif defined(__aarch64__)
#if defined(__linux__)
#include <sys/auxv.h>
#endif

// The builtins need no header and no compiler flag beyond the target attribute.
__attribute__((target("crc"))) static uint32_t accelerated(
    uint32_t crc, const uint8_t *next, size_t count) {
    uint32_t state = ~crc;
    while (count >= 8) {
        state = __builtin_arm_crc32cd(state, load_little_endian(next));
        next += 8;
        count -= 8;
    }
    while (count-- > 0) {
        state = __builtin_arm_crc32cb(state, *next++);
    }
    return ~state;
}

static int has_crc_instructions(void) {
#if defined(__linux__)
    return (getauxval(AT_HWCAP) & (1ul << 7)) != 0; // HWCAP_CRC32
#else
    return 1; // every 64-bit Apple processor has them
#endif
}

#else

static uint32_t accelerated(uint32_t crc, const uint8_t *next, size_t count) {
    return varve_crc32c_portable(crc, next, count);
}

static int has_crc_instructions(void) { return 0; }

#endif

// Written once, before main; only read afterwards, so every thread may look at it.
static int is_accelerated;

__attribute__((constructor)) static void choose_implementation(void) {
    is_accelerated = has_crc_instructions();
}

int varve_crc32c_is_accelerated(void) { return is_accelerated; }

uint32_t varve_crc32c(uint32_t crc, const void *bytes, size_t count) {
    return is_accelerated ? accelerated(crc, bytes, count)
                          : varve_crc32c_portable(crc, bytes, count);
}
