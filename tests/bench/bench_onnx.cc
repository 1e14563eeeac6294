// Measures ONNX's own shape inference (Debian's libonnx), with data propagation, bytes in and bytes out:
// `bench_onnx SECONDS MODEL...` prints a line a model with tabs between
//
//   model  ns from bytes to the annotated model's bytes
//
// Times are medians of single runs on one thread. Only for comparison: nothing of the project uses this library.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>

namespace {

constexpr int kRunsMin = 3;

void run_once(const std::string &bytes)
{
        onnx::ModelProto model;
        if (!model.ParseFromString(bytes))
                throw std::runtime_error("no model");
        onnx::shape_inference::InferShapes(model, onnx::OpSchemaRegistry::Instance(),
                                           onnx::ShapeInferenceOptions(false, 0, true));
        std::string out;
        model.SerializeToString(&out);
}

bool bench(const char *path, double seconds)
{
        using clock = std::chrono::steady_clock;
        std::ifstream file(path, std::ios::binary);
        std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
        std::vector<long long> taken;
        const auto begin = clock::now();

        while (taken.size() < kRunsMin || std::chrono::duration<double>(clock::now() - begin).count() < seconds) {
                const auto start = clock::now();
                try {
                        run_once(bytes);
                } catch (const std::exception &error) {
                        std::fprintf(stderr, "%s: %s\n", path, error.what());
                        return false;
                }
                taken.push_back(std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now() - start).count());
        }
        std::sort(taken.begin(), taken.end());
        std::printf("%s\t%lld\n", path, taken[taken.size() / 2]);
        return true;
}

} // namespace

int main(int argc, char **argv)
{
        bool good = argc > 2;

        for (int i = 2; i < argc; i++)
                good = bench(argv[i], std::strtod(argv[1], nullptr)) && good;
        return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
