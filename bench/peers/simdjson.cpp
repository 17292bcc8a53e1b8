// simdjson.cpp - simdjson's DOM: it validates the text and makes a tape of all its values, on one thread.
// The partners of brackets are in the tape, as are strings and numbers, which the library does not look at.
#include "peer.h"

#include <simdjson.h>
#include <vector>

namespace
{

simdjson::dom::parser parser;

bool supports(const bench_work *work) { return work->primitive == BENCH_JSON_FILE; }

// The tape has one word for a bracket, a string or a name, and two for a number: what it is in the upper 8
// bits, and for an opener where the tape goes on after its closer in the lower 32 (simdjson/doc/tape.md).
bool partners(const simdjson::dom::document &document, uint32_t *out)
{
    const uint64_t *tape = document.tape.get();
    const size_t words = tape[0] & UINT32_MAX;
    std::vector<uint32_t> open;
    uint32_t count = 0;
    for (size_t i = 1; i < words; i++) {
        const char type = static_cast<char>(tape[i] >> 56);
        if (type == '{' || type == '[') open.push_back(count++);
        if (type == 'l' || type == 'u' || type == 'd') i++;
        if (type != '}' && type != ']') continue;
        if (open.empty()) return false;
        out[count] = open.back();
        out[open.back()] = count++;
        open.pop_back();
    }
    return open.empty();
}

bool run(const bench_work *work)
{
    const uint8_t *text = static_cast<const uint8_t *>(work->host_in);
    simdjson::dom::element root;
    static_assert(simdjson::SIMDJSON_PADDING <= 64, "what follows the text is its padding");
    if (parser.parse(text, work->n - 64, false).get(root) != simdjson::SUCCESS) return false;
    return !work->checked || partners(parser.doc, static_cast<uint32_t *>(work->host_out));
}

} // namespace

const bench_peer bench_peer_simdjson = {"simdjson", true, false, false, supports, run};
