#if defined(__linux__)
#define _GNU_SOURCE
#else
#define _DARWIN_C_SOURCE
#endif

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "CVarve.h"

int varve_open_unnamed(int directory) {
    int file = -1;
#ifdef O_TMPFILE
    do {
        file = openat(directory, ".", O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
    } while (file < 0 && errno == EINTR);
    if (file >= 0) return file;
#endif
    (void)directory;
    // It has a name for a moment, so it is not in the directory that was asked for.
    const char *folder = getenv("TMPDIR");
    if (folder == NULL || folder[0] == 0) folder = "/var/tmp";
    char path[1024];
    int count = snprintf(path, sizeof path, "%s/varve-XXXXXX", folder);
    if (count < 0 || (size_t)count >= sizeof path) return -1;
    file = mkstemp(path);
    if (file < 0) return -1;
    if (unlink(path) == 0 && fcntl(file, F_SETFD, FD_CLOEXEC) == 0) return file;
    (void)close(file);
    return -1;
}

void varve_close(int file) {
    // Nothing of it is to be kept, so there is nothing to lose.
    (void)close(file);
}

/// Makes a file longer by blocks that are its own: a write through a mapping cannot lack space then.
static int extend(int file, int64_t start, int64_t end) {
#if defined(__APPLE__)
    fstore_t store = {F_ALLOCATEALL, F_PEOFPOSMODE, 0, end - start, 0};
    return fcntl(file, F_PREALLOCATE, &store) == 0 && ftruncate(file, end) == 0;
#else
    return varve_reserve(file, start, end);
#endif
}

void *varve_map_file(int file, int64_t offset, size_t count) {
    if (!extend(file, offset, offset + (int64_t)count)) return NULL;
    void *memory =
        mmap(NULL, count, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)offset);
    if (memory == MAP_FAILED) return NULL;
    // Pages are touched here and there. Reading their neighbours too would evict others that are needed.
    (void)madvise(memory, count, MADV_RANDOM);
    return memory;
}

void varve_page_out(void *address, size_t count) {
    // Advice: where the system does not take it, the pages stay until it needs their memory.
    (void)madvise(address, count, MADV_DONTNEED);
}

void varve_discard(int file, int64_t offset, size_t count) {
#if defined(__linux__)
    (void)fallocate(
        file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)count);
#elif defined(__APPLE__)
    fpunchhole_t hole = {0, 0, (off_t)offset, (off_t)count};
    (void)fcntl(file, F_PUNCHHOLE, &hole);
#else
    (void)file, (void)offset, (void)count;
#endif
}
