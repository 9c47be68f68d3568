#include "CVarve.h"

#include <string.h>

// Words are only asked whether they are equal, so the order of their bytes does not matter.
static inline int same_word(const uint8_t *first, const uint8_t *second) {
    uint64_t one, other;
    memcpy(&one, first, 8);
    memcpy(&other, second, 8);
    return one == other;
}

size_t varve_common_prefix(const void *first, const void *second, size_t count) {
    const uint8_t *one = first;
    const uint8_t *other = second;
    size_t shared = 0;
    while (count - shared >= 8 && same_word(one + shared, other + shared)) {
        shared += 8;
    }
    while (shared < count && one[shared] == other[shared]) {
        shared++;
    }
    return shared;
}

size_t varve_common_suffix(const void *first, const void *second, size_t count) {
    const uint8_t *one = first;
    const uint8_t *other = second;
    size_t left = count;
    while (left >= 8 && same_word(one + left - 8, other + left - 8)) {
        left -= 8;
    }
    while (left > 0 && one[left - 1] == other[left - 1]) {
        left--;
    }
    return count - left;
}
