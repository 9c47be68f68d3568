#define _DEFAULT_SOURCE

#include "CVarve.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

void *varve_map_memory(size_t count) {
    void *memory = mmap(
        NULL, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void varve_unmap_memory(void *address, size_t count) {
    // The range is one that was mapped: nothing can refuse it.
    (void)munmap(address, count);
}

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define VARVE_SANITIZES_THREADS 1
#endif
#endif

size_t varve_page_bytes(void) { return (size_t)sysconf(_SC_PAGESIZE); }

void varve_clear_memory(void *address, size_t count) {
    uintptr_t page = (uintptr_t)varve_page_bytes();
    uintptr_t start = (uintptr_t)address, end = start + count;
    uintptr_t first = (start + page - 1) / page * page, last = end / page * page;
    if (first >= last) {
        memset(address, 0, count);
        return;
    }
    memset(address, 0, first - start);
    memset((void *)last, 0, end - last);
#if defined(__linux__) && !defined(VARVE_SANITIZES_THREADS)
    // The next touch finds zeros.
    if (madvise((void *)first, last - first, MADV_DONTNEED) != 0) {
        memset((void *)first, 0, last - first);
    }
#else
    // Mapped anew, because advice leaves what the pages hold, and what the thread sanitizer knows of them.
    void *memory = mmap(
        (void *)first, last - first, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANON | MAP_NORESERVE | MAP_FIXED, -1, 0);
    if (memory == MAP_FAILED) memset((void *)first, 0, last - first);
#endif
}
