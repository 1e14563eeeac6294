// Measures ONNX's own shape inference (Debian's libonnx), with data propagation, bytes in and bytes out:
// `bench_onnx SECONDS MODEL` prints a line with tabs between
//
//   ns to the annotated model's bytes, cold  the same  bytes of memory
//
// as bench does: of the fastest of single runs; cold is the first run of the process, whose growth is the memory. The
// registry of operators is set up before. Only for comparison: nothing of the project uses this library.
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>

#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>

#include "measure.h"

namespace {

constexpr int kRunsMin = 5;

std::string read_file(const char *path)
{
        std::ifstream file(path, std::ios::binary | std::ios::ate);
        if (!file)
                throw std::runtime_error("cannot be read");
        std::string bytes(static_cast<size_t>(file.tellg()), '\0');
        file.seekg(0);
        file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        return bytes;
}

uint64_t run_once(const std::string &bytes)
{
        const uint64_t begin = work_ns();
        {
                onnx::ModelProto model;
                if (!model.ParseFromString(bytes))
                        throw std::runtime_error("no model");
                onnx::shape_inference::InferShapes(model, onnx::OpSchemaRegistry::Instance(),
                                                   onnx::ShapeInferenceOptions(false, 0, true));
                std::string out;
                model.SerializeToString(&out);
        }
        return work_ns() - begin;
}

void bench(const char *path, double seconds)
{
        const std::string bytes = read_file(path);
        onnx::OpSchemaRegistry::Instance()->GetSchema("Add", 13, "");
        const uint64_t before = memory_bytes("VmRSS"), cold = run_once(bytes), memory = memory_bytes("VmHWM") - before;
        const uint64_t begin = work_ns();
        uint64_t fastest = UINT64_MAX;

        for (int runs = 0; runs < kRunsMin || static_cast<double>(work_ns() - begin) < seconds * 1e9; runs++)
                fastest = std::min(fastest, run_once(bytes));
        std::printf("%llu\t%llu\t%llu\n", static_cast<unsigned long long>(cold),
                    static_cast<unsigned long long>(fastest), static_cast<unsigned long long>(memory));
}

} // namespace

int main(int argc, char **argv)
{
        if (argc != 3) {
                std::fprintf(stderr, "usage: bench_onnx SECONDS MODEL\n");
                return EXIT_FAILURE;
        }
        try {
                bench(argv[2], std::strtod(argv[1], nullptr));
        } catch (const std::exception &error) {
                std::fprintf(stderr, "%s: %s\n", argv[2], error.what());
                return EXIT_FAILURE;
        }
        return EXIT_SUCCESS;
}
