#ifndef CVARVE_H
#define CVARVE_H

#include <stddef.h>
#include <stdint.h>

/// CRC32C (Castagnoli) of `count` bytes, continuing from `crc`, the checksum of the bytes before
/// them (0 for none): crc32c(crc32c(0, a), b) is the checksum of a followed by b.
/// Uses the processor's CRC instructions where it has them.
uint32_t varve_crc32c(uint32_t crc, const void *bytes, size_t count);

/// The same value without special instructions: what other processors run, and what tests compare
/// with.
uint32_t varve_crc32c_portable(uint32_t crc, const void *bytes, size_t count);

/// 1 when `varve_crc32c` runs on the processor's CRC instructions.
int varve_crc32c_is_accelerated(void);

/// How many bytes two stretches of `count` bytes share at their beginning.
size_t varve_common_prefix(const void *first, const void *second, size_t count);

/// How many bytes two stretches of `count` bytes share at their end.
size_t varve_common_suffix(const void *first, const void *second, size_t count);

/// Extends a file by blocks from `start` to `end` that read as zeros. 1 where that was done, 0 where the
/// system has no such call, which Swift does not import, or refuses.
int varve_reserve(int file, int64_t start, int64_t end);

/// Asks the system to read a part of a file that is wanted soon, and does not wait for it. A hint: nothing happens where the
/// system has no such call.
void varve_read_ahead(int file, int64_t offset, size_t count);

/// Where a file may hold something else than zeros, at or behind an offset: the end of the hole that is there. -1 where
/// nothing but a hole follows; the offset itself where the system does not know. Moves the descriptor's position.
int64_t varve_content_start(int file, int64_t offset);

/// Lets an empty file share the blocks of another one until either is changed. 1 where that was done, 0 where the
/// file system has no such thing, the two are on different ones, or this system knows the call by names alone.
int varve_clone(int file, int source);

/// Gives a file another name, in another directory of the same file system, and replaces nothing: where the name is
/// taken, that is EEXIST. 0, or -1 with `errno`, also where the system or the file system has no such call.
int varve_rename_to_new(int directory, const char *name, int new_directory, const char *new_name);

/// Which file a name leads to: the device and the number of its inode there.
typedef struct {
    uint64_t device;
    uint64_t inode;
} varve_identity;

/// Finds the file that has a name in a directory, a symbolic link as it is. 0, or -1 with `errno`.
///
/// Asks Linux for no times: since 6.13 a look at a file's times makes the next write take a new one, which the next
/// sync waits for. It made a synced commit half as long again.
int varve_identity_of(int directory, const char *name, varve_identity *identity);

/// Lets this thread run where no other one wants the processor, as far as the system knows of such a thing.
/// For as long as it lives: without a privilege, none comes back. 1 where that was done.
int varve_enter_background(void);

/// How many bytes of the calling thread's stack are free; SIZE_MAX where the system does not tell.
size_t varve_stack_left(void);

/// What the calling thread is releasing: how many values inside one another, and what waits until they are gone.
typedef struct {
    int depth;
    void *waiting;
} varve_release;

/// The calling thread's own, which begins with zeros.
varve_release *varve_release_of_thread(void);

/// Advises the system to back memory, aligned to 2 MiB, by huge pages. A hint: nothing happens on systems without
/// them.
void varve_advise_huge_pages(void *address, size_t count);

/// Memory of zeros that takes none of the machine's before it is touched; NULL where there are no addresses left.
void *varve_map_memory(size_t count);

/// Releases what `varve_map_memory` returned for as many bytes.
void varve_unmap_memory(void *address, size_t count);

/// The length of the system's pages.
size_t varve_page_bytes(void);

/// Makes a part of what `varve_map_memory` returned zeros again, and releases the system's pages that lie in it.
void varve_clear_memory(void *address, size_t count);

typedef void (*varve_bytes_body)(void *context, const void *bytes, size_t count);

/// Calls `body` with what says which files the process's code was loaded from: the program, then each library. Some
/// calls for each. 0 where that is not all, because the system does not tell.
int varve_for_each_image(void *context, varve_bytes_body body);

/// Asks the processor for the line of memory at an address, and does not wait for it. A hint: any
/// address will do, and nothing is read.
static inline void varve_prefetch(const void *address) { __builtin_prefetch(address); }

/// Lets some hundred cycles pass on behalf of a thread that waits awake.
static inline void varve_pause(void) {
    for (int round = 0; round < 16; round++) {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
        __asm__ __volatile__("yield");
#else
        __asm__ __volatile__("");
#endif
    }
}

/// Opens a new file without a name, which goes with its descriptor: on the file system of a directory where that is possible, else
/// where temporary files are. -1 where there is no room for one.
int varve_open_unnamed(int directory);

/// Closes a file of `varve_open_unnamed`.
void varve_close(int file);

/// Makes a file of `varve_open_unnamed` longer by `count` bytes of zeros behind `offset`, and maps them: memory that the system
/// can write to the file when it needs other memory. NULL where there is no space, or there are no addresses left.
void *varve_map_file(int file, int64_t offset, size_t count);

/// Takes memory of `varve_map_file` from the process until the next touch. What it holds stays.
void varve_page_out(void *address, size_t count);

/// Releases the space of a part of a file, which nothing is mapped to any more. A hint.
void varve_discard(int file, int64_t offset, size_t count);

#endif
