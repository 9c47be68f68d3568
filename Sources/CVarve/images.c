#if defined(__linux__)
#define _GNU_SOURCE
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#elif defined(__APPLE__)
#include <mach-o/dyld.h>
#include <mach-o/loader.h>
#endif

#include "CVarve.h"

#if defined(__linux__)

typedef struct {
    void *context;
    varve_bytes_body body;
    int is_program;
    int is_complete;
} image_walk;

// Build ids are not made by every linker: a file that was not touched is taken for the same.
static void report_file(image_walk *walk, const char *path) {
    struct stat status;
    if (stat(path, &status) != 0) {
        walk->is_complete = 0;
        return;
    }
    uint64_t words[] = {
        (uint64_t)status.st_dev,         (uint64_t)status.st_ino,
        (uint64_t)status.st_size,        (uint64_t)status.st_mtim.tv_sec,
        (uint64_t)status.st_mtim.tv_nsec, (uint64_t)status.st_ctim.tv_sec,
        (uint64_t)status.st_ctim.tv_nsec,
    };
    walk->body(walk->context, words, sizeof(words));
}

// What is in memory: the file may be another one by now, or, under a loader that was called by name, the loader's.
static void report_headers(image_walk *walk, const struct dl_phdr_info *info) {
    walk->body(walk->context, info->dlpi_phdr, sizeof(*info->dlpi_phdr) * info->dlpi_phnum);
    for (int index = 0; index < info->dlpi_phnum; index++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[index];
        if (header->p_type != PT_NOTE) continue;
        walk->body(walk->context, (const void *)(info->dlpi_addr + header->p_vaddr), header->p_filesz);
    }
}

static int report_image(struct dl_phdr_info *info, size_t size, void *argument) {
    (void)size;
    image_walk *walk = argument;
    const char *name = info->dlpi_name == NULL ? "" : info->dlpi_name;
    if (walk->is_program) {
        // The first is the program, which has no name here.
        walk->is_program = 0;
        report_headers(walk, info);
        report_file(walk, "/proc/self/exe");
    } else if (strchr(name, '/') != NULL) {
        // What has no path is no file: the kernel's own.
        walk->body(walk->context, name, strlen(name));
        report_headers(walk, info);
        report_file(walk, name);
    }
    return 0;
}

int varve_for_each_image(void *context, varve_bytes_body body) {
    image_walk walk = {context, body, 1, 1};
    dl_iterate_phdr(report_image, &walk);
    return walk.is_complete;
}

#elif defined(__APPLE__)

static int report_uuid(const struct mach_header_64 *header, void *context, varve_bytes_body body) {
    const struct load_command *command = (const void *)(header + 1);
    for (uint32_t index = 0; index < header->ncmds; index++) {
        if (command->cmd == LC_UUID) {
            body(context, ((const struct uuid_command *)command)->uuid, 16);
            return 1;
        }
        command = (const void *)((const char *)command + command->cmdsize);
    }
    return 0;
}

int varve_for_each_image(void *context, varve_bytes_body body) {
    int is_complete = 1;
    for (uint32_t index = 0; index < _dyld_image_count(); index++) {
        const struct mach_header *header = _dyld_get_image_header(index);
        if (header == NULL || header->magic != MH_MAGIC_64 ||
            !report_uuid((const struct mach_header_64 *)header, context, body)) {
            is_complete = 0;
        }
    }
    return is_complete;
}

#else

int varve_for_each_image(void *context, varve_bytes_body body) {
    (void)context;
    (void)body;
    return 0;
}

#endif
