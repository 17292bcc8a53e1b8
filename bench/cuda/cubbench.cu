/* cubbench.cu - CUB, and a plain CUDA hash table, on the work that gpbench measures: one of its sub-commands.

   usage: cubbench SUB-COMMAND N      N: 16777216 or 2^24. Without a counterpart nothing is printed. */
#include "cubbench.cuh"

static size_t parse_size(const char *text)
{
    const std::string s = text;
    return s.rfind("2^", 0) == 0 ? size_t(1) << std::atoi(text + 2) : std::strtoull(text, nullptr, 10);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(size_t n);
    } commands[] = {{"reduce", bench_reduce},
                    {"scan", bench_scan},
                    {"by-key", bench_by_key},
                    {"histogram", bench_histogram},
                    {"select", bench_select},
                    {"unique", bench_unique},
                    {"rle", bench_rle},
                    {"sort", bench_sort},
                    {"segmented-sort", bench_segmented_sort},
                    {"merge", bench_merge},
                    {"transform", bench_transform},
                    {"hash", bench_hash}};
    if (argc != 3 || parse_size(argv[2]) == 0) {
        std::fprintf(stderr, "usage: cubbench SUB-COMMAND N\n");
        return 2;
    }
    for (const auto &command : commands)
        if (command.name == std::string(argv[1])) command.run(parse_size(argv[2]));
    return 0;
}
