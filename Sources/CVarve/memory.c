#define _DEFAULT_SOURCE

#include "CVarve.h"

#include <sys/mman.h>

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
