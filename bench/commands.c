/* commands.c - the sub-commands of gpbench: what they run, and what --help says of them. */
#include "commands.h"

static void run_all(bench *b)
{
    for (const bench_command *c = bench_commands; c->run != run_all; c++)
        if (c->run != bench_hash_published && c->run != bench_host && c->run != bench_tune &&
            c->run != bench_tree)
            c->run(b);
}

const bench_command bench_commands[] = {
    {"stream", bench_stream, "copy, scale, add, triad and read: what memory gives",
     "Loops over 32-bit words that read, copy, scale, add and do a triad, in several forms: OpenCL serial "
     "and\n"
     "local, plain C on all threads, memcpy and clEnqueueCopyBuffer. The fastest form is the limit of the "
     "others.",
     "stream --n 2^26"},
    {"launch", bench_launch_cost, "calls with 1000 elements, against an empty kernel",
     "One call of each kind with 1000 elements and a finish: what a call costs where the work costs nothing. "
     "The\n"
     "bar is two launches of an empty kernel and 20 %.",
     "launch --repeats 501"},
    {"reduce", bench_reduce, "gp_reduce, against the fastest loop that reads",
     "gp_reduce: sums, for narrow integers also with a result of the input's type; sum, minimum, maximum "
     "and\n"
     "argmax in one read; compensated sums of floats; records of four. The limit is the fastest loop that "
     "reads.",
     "reduce --n 2^24 --type f32 --op max"},
    {"ladder", bench_ladder, "the textbook's steps of a reduction, against gp_reduce",
     "Six kernels that sum up floats, each with one idea more than the one before (bench/README.md), "
     "gp_reduce,\n"
     "and the fastest loop that reads.",
     "ladder --repeats 5"},
    {"scan", bench_scan, "gp_scan, against the fastest copy with ordinary stores",
     "gp_scan with the device's strategy, with each one forced, and exclusive. The limit is the fastest copy "
     "with\n"
     "ordinary stores.",
     "scan --n 2^24 --type u32"},
    {"dot", bench_dot, "a reduction of x * y, against the fastest loop that reads two streams",
     "gp_reduce of x * y over two arrays of floats. The limit is the fastest loop that reads two streams.",
     "dot --n 2^26"},
    {"segmented", bench_segmented, "a scan in segments, against a loop that reads two streams and writes one",
     "gp_scan in segments of 30 elements on average, given by keys of u32 and by flags of u8. The limit is "
     "the\n"
     "fastest loop that reads two streams and writes one.",
     "segmented --n 2^22 --no-peers"},
    {"affine", bench_affine, "a monoid of 8 bytes scanned and reduced, against a copy and a read",
     "gp_scan and gp_reduce of affine maps of 8 bytes: a monoid that does not commute. The limits are the "
     "fastest\n"
     "copy and the fastest read.",
     "affine --n 2^24"},
    {"select", bench_select, "gp_select and gp_partition by how many are kept, against the fastest copy",
     "gp_select (by a predicate, by flags, with indices, in several passes) and gp_partition (apart, one "
     "behind the\n"
     "other) of u32, of which 0, 1, 50, 99 and 100 % are kept. The limit is the fastest copy.",
     "select --n 2^24 --peers pack"},
    {"unique", bench_unique, "gp_unique by the length of runs, against the fastest copy",
     "gp_unique of u32 in runs of 1, 3, 16, 1000 and n. The limit is the fastest copy.", "unique --n 2^24"},
    {"rle", bench_rle, "gp_run_length_encode by the length of runs, against the fastest copy",
     "gp_run_length_encode of u32 in runs of 1, 3, 16, 1000 and n. The limit is the fastest copy.",
     "rle --n 2^24"},
    {"rle-decode", bench_rle_decode, "gp_run_length_decode by the length of runs, against filling the output",
     "gp_run_length_decode of u32 from runs of 1, 3, 16 and 1000 on average, and of 0 to 2. The limit is the "
     "fastest\n"
     "way to fill the output.",
     "rle-decode --n 2^24"},
    {"by-key", bench_by_key, "gp_reduce_by_key and gp_segmented_reduce, by the length of runs",
     "Sums of u32 by gp_reduce_by_key and gp_segmented_reduce, in runs of 1, 3, 16, 1000 and n. The limit is "
     "the\n"
     "fastest loop that reads two streams.",
     "by-key --n 2^24"},
    {"group-by", bench_group_by, "sums by key, keys anywhere: by gp_hash, and by a sort",
     "The sum of each key's values, for 64, 2^10 and 2^20 different keys, and for 2^20 by Zipf's law: a "
     "table is\n"
     "cleared, gp_hash_insert_or_apply sums up, gp_hash_retrieve gives keys and sums; or gp_sort, then\n"
     "gp_reduce_by_key. Peers: DuckDB and Polars. The limit is the fastest loop that reads two streams.",
     "group-by --n 2^24 --peers duckdb"},
    {"join", bench_join, "rows of a table joined with rows of another one: gp_hash, then gp_gather",
     "A column of a table with 2^10 rows, and with 2^20, for each row of another table that has one of its "
     "keys:\n"
     "gp_hash_insert, gp_hash_find, gp_gather; or gp_hash with the column itself as values. The hash table "
     "is made\n"
     "anew each time. Peers: DuckDB and Polars.",
     "join --n 2^24"},
    {"sort", bench_sort, "gp_sort: onesweep, classic and others, by size and entropy",
     "gp_sort of u32, f32 and u64, of pairs, of keys of several entropies: onesweep, classic, strictly "
     "ordered and\n"
     "chained; gp_sort_records of 16 bytes by a float. There is no limit, but many peers.",
     "sort --n 2^22 --type u32 --peers tbb"},
    {"merge", bench_merge, "gp_merge of two sorted halves, keys and pairs, against the fastest copy",
     "gp_merge of the input's two halves, sorted: u32, f32, u64, f64, and pairs. The limit is the fastest "
     "copy.",
     "merge --n 2^24 --type u32"},
    {"search", bench_search, "gp_search of as many needles as keys, against a copy of the needles",
     "gp_search of as many needles as there are keys, shuffled and in order, u32. The limit is the fastest "
     "copy of\n"
     "the needles.",
     "search --n 2^22"},
    {"topk", bench_topk, "gp_topk: k = 1, 10, 1000, 100000",
     "gp_topk with k = 1, 10, 1000 and 100000, against a whole gp_argsort, a partial sort and a selection. "
     "The limit\n"
     "is the fastest loop that reads.",
     "topk --n 2^24"},
    {"topk-rows", bench_topk_rows, "gp_segmented_topk of the rows of a matrix",
     "gp_segmented_topk of rows of 5000 keys with k = 10 and 1000, of 50000 with k = 16, of 100 with k = 10, "
     "of 32 with k = 4; "
     "f32.\nThe limit is the fastest loop that reads.",
     "topk-rows"},
    {"nth-element", bench_nth_element, "gp_nth_element: the median, and nine quantiles",
     "gp_nth_element of f32: the median and nine quantiles of keys that are uniform in [0, 1), normal, "
     "integers below 256, all "
     "equal,\nand of random bits. The limit is the fastest loop that reads.",
     "nth-element --n 2^24"},
    {"histogram", bench_histogram, "gp_histogram: 256 bins of u8, 256 and 2^20 of u32",
     "gp_histogram: 256 bins of u8, 256 and 2^20 bins of u32, of random and of constant samples. The limit "
     "is the\n"
     "fastest loop that reads.",
     "histogram --n 2^24"},
    {"segmented-sort", bench_segmented_sort, "gp_segmented_sort, against std::sort of each segment",
     "gp_segmented_sort of u32: one segment, segments of 1000 and of 16 keys, and lengths by Zipf's law. "
     "gp_segmented_argsort of f32: rows of 32, 4096 and 2^20. "
     "There is no\n"
     "limit; peers sort segment by segment.",
     "segmented-sort --n 2^22"},
    {"strings", bench_sort_strings, "gp_sort_strings: random strings, words and paths",
     "gp_sort_strings of random strings, of words that come again, and of paths with long common beginnings. "
     "There\n"
     "is no limit; the peer is std::stable_sort.",
     "strings --n 2^20"},
    {"brackets", bench_brackets, "gp_brackets of nests of several shapes; sizes of tiles; and what tree does",
     "gp_brackets of a random walk, a shallow nest, a real file, a deep nest, a comb, a sawtooth and a flat "
     "one:\n"
     "partners of three kinds of brackets and of one, parents, depths; tiles of several sizes. Then what "
     "tree does.\n"
     "There is no limit; the peers are stacks in C.",
     "brackets --n 2^22 --repeats 3"},
    {"tree", bench_tree, "gp_tree of the same nests, index alone and all outputs, against loops in C",
     "gp_tree of the parents in the nests of brackets: the index alone, and with numbers of children and "
     "ends.\n"
     "There is no limit; the peers are loops in C.",
     "tree --n 2^22"},
    {"json", bench_json, "which brackets of a JSON file close which, strings aside, beside simdjson",
     "bench/gpu_cost.json over and over: two scans tell which bytes are in strings (or one of an automaton), "
     "then\n"
     "gp_brackets pairs the brackets outside. The peer, simdjson, does more and less: it validates the text "
     "and\n"
     "parses strings and numbers, too, on one core, and does not keep where in the text a bracket is.",
     "json --n 2^24"},
    {"hash", bench_hash, "gp_hash by load, size, width and sort of keys; and filled up",
     "gp_hash: insert, find (hits and misses), erase and count, by load and size of the table; pairs of 64 "
     "bits,\n"
     "keys by Zipf's law, 64 different keys; then a table filled in 31 batches, beside published rates. --n "
     "is the\n"
     "number of slots. There is no limit; the peers are tables on the host.",
     "hash --n 2^20 --load .5"},
    {"transform", bench_transform, "gp_transform x * 3 + 1, against the fastest copy",
     "gp_transform x * 3 + 1 of u32, also on records of four. The limit is the fastest copy.",
     "transform --n 2^24"},
    {"fill", bench_fill, "gp_fill, against clEnqueueFillBuffer",
     "gp_fill of u32, against clEnqueueFillBuffer and loops.", "fill --n 2^24"},
    {"random", bench_random, "gp_random of words, against Philox on the host",
     "gp_random of u32, against Philox on the host.", "random --n 2^24"},
    {"gather", bench_gather, "gp_gather by random indices, against a copy of the indices",
     "gp_gather by shuffled indices, u32. The limit is the fastest copy of the indices.", "gather --n 2^24"},
    {"columns", bench_columns,
     "gp_segmented_reduce of the columns of matrices, against the fastest loop that reads",
     "gp_segmented_reduce of the columns of a square matrix, of 32 and of 4 columns, and of 32 rows; f32 "
     "sums. The\n"
     "limit is the fastest loop that reads.",
     "columns --n 2^24"},
    {"rows", bench_rows, "gp_segmented_reduce and gp_segmented_scan of rows, gp_segmented_scan of columns",
     "Sums and scans of rows of 32, 100, 1000 and n / 16 elements, and scans of the columns of matrices of\n"
     "three shapes; f32. The limit is the fastest loop that reads, or the fastest copy. Beside them are\n"
     "gp_reduce and gp_scan of all elements.",
     "rows --n 2^24"},
    {"transpose", bench_transpose, "gp_transpose of matrices of three shapes, against the fastest copy",
     "gp_transpose of a square matrix, one of 16 rows and one of 8 columns; u32. The limit is the fastest "
     "copy.",
     "transpose --n 2^24"},
    {"stencil", bench_stencil, "gp_stencil of 3 x 3 weights, against the fastest copy",
     "gp_stencil with 3 x 3 weights on a square picture of f32. The limit is the fastest copy.",
     "stencil --n 2^24"},
    {"host", bench_host, "arrays in host memory within a budget of device memory: gpuprim_host.h",
     "gp_host_reduce, scan, sort, select, histogram, group_by and brackets of arrays in host memory, in "
     "chunks "
     "within\n"
     "--budget bytes of device memory. The limit is the device's call on data that is there already, piece "
     "by "
     "piece,\n"
     "each as large as fits into the budget; peers are what they are elsewhere. A line tells how much memory "
     "a "
     "call\n"
     "takes beside the arrays (Linux; the memory of a GPU is not in it).",
     "host --n 2^28 --call sort --budget 64M --no-peers"},
    {"hash-published", bench_hash_published,
     "2^27 slots filled up, 2^26 inserts, 2^25 deletes: published figures",
     "A table filled up as in hash, but of 2^27 slots, or fewer where memory is short; and 2^26 inserts with "
     "2^25\n"
     "deletes, from the device and from the host, beside published times. Takes 3 GiB, and what peers need.",
     "hash-published --no-peers"},
    {"tune", bench_tune, "looks for faster rows of the tuning table, and writes those to a file",
     "Looks for rows of the tuning table that are faster on this device than the table's own, for --seconds, "
     "and\n"
     "writes them to --out; GPUPRIM_TUNING takes that file (bench/README.md).",
     "tune --seconds 600 --out my.tuning"},
    {"all", run_all, "all of these but host, hash-published and tune",
     "All sub-commands but host, hash-published and tune. On a CPU the slower peers take most of the time: "
     "--no-peers\n"
     "leaves them out.",
     "all --no-peers --results today.jsonl"},
    {NULL, NULL, NULL, NULL, NULL}};
