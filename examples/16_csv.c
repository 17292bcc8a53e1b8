/* 16_csv.c - the ten largest sums of a CSV file by group: 16_csv [FILE [KEY VALUE]], columns from 1 on. The same as

     awk -F, 'NR > 1 && NF { s[$KEY] += $VALUE } END { for (k in s) print s[k], k }' FILE | sort -rn | head

   for values that are whole numbers. Lines are found by a selection; from each one a map takes the hash of its key (64 bits:
   no two keys share one, in practice), another its value. Rows are grouped by hash.
   Commas in quotes are commas here; 18_json_mask.c knows what is in quotes.

   cc -std=c99 16_csv.c -lOpenCL */
#define GP_IMPLEMENTATION
#include "../gpuprim.h"

enum { LARGEST = 10 };
enum { TEXT, BEGIN, KEY, VALUE, SUM, ROW, COUNT, TOP_SUM, TOP_GROUP, TOP_BEGIN, BUFFERS };
static gp_context *gp;
static cl_mem of[BUFFERS];

static void require(bool good, const char *why)
{
    if (good) return;
    fprintf(stderr, "16_csv: %s\n", why);
    exit(1);
}
#define TRY(call) require((call) == GP_OK, gp_last_error(gp))
#define TRY_CL(call) require((call) == CL_SUCCESS, #call " failed")

/* Letters, and what reads fields: `at` is where a line or a field begins. The text ends with a newline. */
static const gp_record letter = {
    "uchar", 1,
    "uint field(__global const uchar *text, uint at, uint column)\n"
    "{\n"
    "    for (; column > 1 && text[at] != '\\n'; at++) column -= text[at] == ',';\n"
    "    return at;\n"
    "}\n"
    "ulong hash_of(__global const uchar *text, uint at)\n" /* FNV-1a */
    "{\n"
    "    ulong h = 0xcbf29ce484222325ul;\n"
    "    for (; text[at] != ',' && text[at] != '\\r' && text[at] != '\\n'; at++)\n"
    "        h = (h ^ text[at]) * 0x100000001b3ul;\n"
    "    return h;\n"
    "}\n"
    "long number_of(__global const uchar *text, uint at)\n"
    "{\n"
    "    const int minus = text[at] == '-';\n"
    "    long n = 0;\n"
    "    for (at += minus; text[at] >= '0' && text[at] <= '9'; at++) n = 10 * n + (text[at] - '0');\n"
    "    return minus ? -n : n;\n"
    "}\n"};

static cl_mem make(int which, size_t size, const void *data)
{
    TRY(gp_buffer_create(gp, size, data, &of[which]));
    return of[which];
}

static void read_back(int which, size_t bytes, void *to)
{
    TRY_CL(clEnqueueReadBuffer(gp_cl_queue(gp), of[which], CL_TRUE, 0, bytes, to, 0, NULL, NULL));
}

/* Where rows begin (element 0 is the line of names), the hashes of their keys, and their values; how many rows. */
static size_t parse(const char *text, size_t n, uint32_t key, uint32_t value)
{
    uint64_t lines;
    gp_arg args[] = {{.name = "text", .record = &letter, .buffer = make(TEXT, n, text)},
                     {.name = "column", .type = GP_U32, .value = &key}};
    const gp_select_desc begins = {.in = of[TEXT],
                                   .indices_out = make(BEGIN, n * 4, NULL),
                                   .count = n,
                                   .type = GP_U8,
                                   .predicate =
                                       "x != '\\n' && x != '\\r' && (i == 0 || text[i - 1] == '\\n')",
                                   .args = args,
                                   .arg_count = 1};
    gp_transform_desc fields = {
        .in = of[BEGIN], .in_offset = 1, .type = GP_U32, .args = args, .arg_count = 2};
    TRY(gp_select_read(gp, &begins, &lines)); /* which are not empty */
    if (lines < 2) return 0;
    fields.count = (size_t)lines - 1;
    fields.out = make(KEY, fields.count * 8, NULL);
    fields.out_type = GP_U64;
    fields.map = "hash_of(text, field(text, x, column))";
    TRY(gp_transform(gp, &fields));
    fields.out = make(VALUE, fields.count * 8, NULL);
    fields.out_type = GP_I64;
    fields.map = "number_of(text, field(text, x, column))";
    args[1].value = &value;
    TRY(gp_transform(gp, &fields));
    return fields.count;
}

/* Sums by key: the largest ones, and where a row of each begins; how many. */
static size_t group(size_t n, int64_t sums[LARGEST], uint32_t begins[LARGEST])
{
    const size_t k = n < LARGEST ? n : LARGEST;
    uint32_t groups;
    const gp_key_column key = {.in = of[KEY], .type = GP_U64};
    const gp_arg value = {.name = "value", .type = GP_I64, .buffer = of[VALUE]};
    const gp_group_result sum = {
        .op = GP_SUM, .map = "value[i]", .map_type = GP_I64, .out = make(SUM, n * 8, NULL)};
    const gp_group_by_desc by_key = {.columns = &key,
                                     .column_count = 1,
                                     .rows_out = make(ROW, n * 4, NULL),
                                     .count_out = make(COUNT, 4, NULL),
                                     .results = &sum,
                                     .result_count = 1,
                                     .args = &value,
                                     .arg_count = 1,
                                     .count = n};
    const gp_topk_desc top = {.keys = of[SUM],
                              .keys_out = make(TOP_SUM, k * 8, NULL),
                              .indices_out = make(TOP_GROUP, k * 4, NULL),
                              .count = n,
                              .count_buffer = of[COUNT],
                              .k = k,
                              .key_type = GP_I64};
    const gp_arg places[] = {{.name = "begin", .type = GP_U32, .buffer = of[BEGIN], .offset = 1},
                             {.name = "row", .type = GP_U32, .buffer = of[ROW]}};
    const gp_transform_desc lines = {.in = of[TOP_GROUP],
                                     .out = make(TOP_BEGIN, k * 4, NULL),
                                     .count = k,
                                     .count_buffer = of[COUNT], /* there may be fewer than k */
                                     .type = GP_U32,
                                     .map = "begin[row[x]]",
                                     .args = places,
                                     .arg_count = 2};
    TRY(gp_group_by(gp, &by_key));
    TRY(gp_topk(gp, &top));
    TRY(gp_transform(gp, &lines));
    read_back(COUNT, 4, &groups);
    read_back(TOP_SUM, k * 8, sums);
    read_back(TOP_BEGIN, k * 4, begins);
    return groups < k ? groups : k;
}

/* Both, of a text with a newline at its end. */
static size_t largest(const char *text, size_t n, uint32_t key, uint32_t value, int64_t sums[LARGEST],
                      uint32_t begins[LARGEST])
{
    const size_t rows = parse(text, n, key, value), groups = rows > 0 ? group(rows, sums, begins) : 0;
    for (int b = 0; b < BUFFERS; b++) {
        if (of[b]) clReleaseMemObject(of[b]);
        of[b] = NULL;
    }
    return groups;
}

/* With a newline at its end. */
static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    const long end = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    char *text = end >= 0 ? malloc((size_t)end + 1) : NULL;
    require(text != NULL, "the file cannot be read");
    *size = (size_t)end;
    rewind(file);
    require(fread(text, 1, *size, file) == *size, "the file cannot be read");
    fclose(file);
    if (*size == 0 || text[*size - 1] != '\n') text[(*size)++] = '\n';
    return text;
}

int main(int argc, char **argv)
{
    size_t n, groups, k;
    char *text = read_file(argc > 1 ? argv[1] : "examples/orders.csv", &n);
    const uint32_t key = argc > 3 ? (uint32_t)atoi(argv[2]) : 2,
                   value = argc > 3 ? (uint32_t)atoi(argv[3]) : 3;
    gp_context_desc device = {0};
    int64_t sums[LARGEST];
    uint32_t begins[LARGEST];
    require(gp_context_create(&device, &gp) == GP_OK, gp_last_error(NULL));
    groups = largest(text, n, key, value, sums, begins);
    for (k = 0; k < groups; k++) {
        const char *name = text + begins[k];
        for (uint32_t column = 1; column < key && *name != '\n'; name++) column += *name == ',';
        printf("%lld %.*s\n", (long long)sums[k], (int)strcspn(name, ",\r\n"), name);
    }
    gp_context_destroy(gp);
    free(text);
    return 0;
}
