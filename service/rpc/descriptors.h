/* The .proto files as protoc describes them, made by proto/gen_descriptors.py when the program is built. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define DESCRIPTOR_IMPORTS 8

struct descriptor_file {
        const char *name;
        const uint8_t *bytes; /* a google.protobuf.FileDescriptorProto */
        size_t size;
        uint8_t import[DESCRIPTOR_IMPORTS]; /* numbers of files */
        size_t n_import;
};

struct descriptor_symbol {
        const char *name; /* in full, of a message, enum, service or method */
        size_t file;
};

extern const struct descriptor_file descriptor_files[];
extern const size_t descriptor_file_count;
extern const struct descriptor_symbol descriptor_symbols[]; /* sorted by name */
extern const size_t descriptor_symbol_count;
