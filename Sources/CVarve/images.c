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
} image_walk;

// A file of the same name, size and time is taken for the same: build ids are not made by every linker.
static void report_file(image_walk *walk, const char *path) {
    struct stat status;
    if (stat(path, &status) != 0) return;
    uint64_t words[3] = {
        (uint64_t)status.st_size, (uint64_t)status.st_mtim.tv_sec, (uint64_t)status.st_mtim.tv_nsec,
    };
    walk->body(walk->context, words, sizeof(words));
}

static int report_image(struct dl_phdr_info *info, size_t size, void *argument) {
    (void)size;
    image_walk *walk = argument;
    const char *name = info->dlpi_name == NULL ? "" : info->dlpi_name;
    if (walk->is_program) {
        // The first is the program, which has no name here.
        walk->is_program = 0;
        report_file(walk, "/proc/self/exe");
    } else if (strchr(name, '/') != NULL) {
        // What has no path is no file: the kernel's own.
        walk->body(walk->context, name, strlen(name));
        report_file(walk, name);
    }
    return 0;
}

void varve_for_each_image(void *context, varve_bytes_body body) {
    image_walk walk = {context, body, 1};
    dl_iterate_phdr(report_image, &walk);
}

#elif defined(__APPLE__)

// Every linker there gives an image an UUID.
static void report_uuid(const struct mach_header_64 *header, void *context, varve_bytes_body body) {
    const struct load_command *command = (const void *)(header + 1);
    for (uint32_t index = 0; index < header->ncmds; index++) {
        if (command->cmd == LC_UUID) {
            body(context, ((const struct uuid_command *)command)->uuid, 16);
            return;
        }
        command = (const void *)((const char *)command + command->cmdsize);
    }
}

void varve_for_each_image(void *context, varve_bytes_body body) {
    for (uint32_t index = 0; index < _dyld_image_count(); index++) {
        const struct mach_header *header = _dyld_get_image_header(index);
        if (header != NULL && header->magic == MH_MAGIC_64) {
            report_uuid((const struct mach_header_64 *)header, context, body);
        }
    }
}

#else

void varve_for_each_image(void *context, varve_bytes_body body) {
    (void)context;
    (void)body;
}

#endif
