/* litmus.h - the kernels of litmus.c, behind the text of kernels/common/sort/lookback.cl.

   Groups take a ticket: even ones write, odd ones read. Nobody waits but in the ring, where the library's own
   functions wait. A word's tag is the turn in which it was written, and its payload a hash of tag and place. */
#ifndef GPUPRIM_TESTS_GPU_LITMUS_H
#define GPUPRIM_TESTS_GPU_LITMUS_H

/* Counters: what was checked, and what must not be (a word in parts, an older word after a newer one, a wrong
   value), what may be (data seen later than its flag), and waits that gave up. */
enum { LITMUS_CHECKED, LITMUS_TORN, LITMUS_BACK, LITMUS_WRONG, LITMUS_WEAK, LITMUS_GAVE_UP, LITMUS_COUNTERS };

static const char *const litmus_kernels[] = {
    "#define CHECKED 0\n#define TORN 1\n#define BACK 2\n#define WRONG 3\n#define WEAK 4\n#define GAVE_UP 5\n",
    "typedef volatile __global gpi_word *words;\n"
    "typedef volatile __global uint *counters;\n"
    "static uint hash(uint a, uint b) { return (a * 2654435761u ^ b * 2246822519u) * 3266489917u; }\n"
    "#if GPI_WIDE\n"
    "#define TAG(w) ((uint)((w) >> 32))\n"
    "static gpi_word pack(uint tag, uint k) { return (gpi_word)tag << 32 | hash(tag, k); }\n"
    "#else\n"
    "#define TAG(w) ((w) >> 16)\n"
    "static gpi_word pack(uint tag, uint k) { return tag << 16 | hash(tag, k) >> 16; }\n"
    "#endif\n"
    "static uint take(counters ticket, __local uint *shared)\n"
    "{\n"
    "    if (get_local_id(0) == 0) *shared = atomic_inc(ticket);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    return *shared;\n"
    "}\n",

    /* Coherence: loads and atomic reads of one word, mixed; it is whole, and never older than the one before. */
    "GPI_KERNEL void coherence(words w, counters ticket, uint turns, uint stride, counters n)\n"
    "{\n"
    "    __local uint shared;\n"
    "    const uint group = take(ticket, &shared), k = group / 8 * GPI_WG + get_local_id(0);\n"
    "    const bool writes = group % 8 == 0;\n"
    "    uint last = 0;\n"
    "    words p = w + (ulong)k * stride;\n"
    "    for (uint t = 1; t <= turns; t++) {\n"
    "        if (writes) gpi_word_write(p, pack(t, k));\n"
    "        const gpi_word seen = hash(t, k) & 64u ? gpi_word_load(p) : gpi_word_read(p);\n"
    "        const uint tag = TAG(seen);\n"
    "        if (tag != 0 && seen != pack(tag, k)) atomic_inc(n + TORN);\n"
    "        if (tag < last || (writes && tag != t)) atomic_inc(n + BACK);\n"
    "        last = tag;\n"
    "    }\n"
    "    atomic_add(n + CHECKED, turns);\n"
    "}\n",

    /* As scan/lookback.cl: two words are written with flag 1, then with flag 2; where both show the same flag,
       both hold its value. Flags only rise. */
    "GPI_KERNEL void states(words w, counters ticket, uint turns, uint stride, counters n)\n"
    "{\n"
    "    __local uint shared;\n"
    "    const uint group = take(ticket, &shared), item = group / 8 * GPI_WG + get_local_id(0);\n"
    "    for (uint t = 0; t < turns; t++) {\n"
    "        const uint slot = item * turns + t;\n"
    "        words p = w + (ulong)slot * stride;\n"
    "        if (group % 8 == 0) {\n"
    "            for (uint flag = 1; flag <= 2; flag++)\n"
    "                for (uint k = 0; k < 2; k++) gpi_word_write(p + k, pack(flag, 2 * slot + k));\n"
    "            continue;\n"
    "        }\n"
    "        uint flag = 0;\n"
    "        for (uint look = 0; look < 64 && flag < 2; look++) {\n"
    "            const gpi_word a = gpi_word_load(p), b = gpi_word_load(p + 1);\n"
    "            if (TAG(a) != TAG(b) || TAG(a) == 0) continue;\n"
    "            if (TAG(a) < flag) atomic_inc(n + BACK);\n"
    "            flag = TAG(a);\n"
    "            if (a != pack(flag, 2 * slot) || b != pack(flag, 2 * slot + 1)) atomic_inc(n + WRONG);\n"
    "        }\n"
    "        if (flag) atomic_inc(n + CHECKED);\n"
    "    }\n"
    "}\n",

    /* Message passing by two words, of which the second promises the first: relaxed words may break that
       promise, and the library never relies on it. */
    "GPI_KERNEL void passing(words w, counters ticket, uint turns, uint stride, counters n)\n"
    "{\n"
    "    __local uint shared;\n"
    "    const uint group = take(ticket, &shared), k = group / 8 * GPI_WG + get_local_id(0);\n"
    "    words data = w + (ulong)k * 2 * stride, flag = data + stride;\n"
    "    for (uint t = 1; t <= turns; t++) {\n"
    "        if (group % 8 == 0) {\n"
    "            gpi_word_write(data, pack(t, k));\n"
    "            gpi_word_write(flag, pack(t, k));\n"
    "        } else {\n"
    "            const gpi_word promised = gpi_word_load(flag), seen = gpi_word_load(data);\n"
    "            if (TAG(seen) && seen != pack(TAG(seen), k)) atomic_inc(n + TORN);\n"
    "            if (TAG(seen) < TAG(promised)) atomic_inc(n + WEAK);\n"
    "        }\n"
    "    }\n"
    "    atomic_add(n + CHECKED, turns);\n"
    "}\n",

    /* A load of a line: each of its words is whole. */
    "#if GPI_LINE_WORDS\n"
    "GPI_KERNEL void lines(words w, counters ticket, uint turns, uint stride, counters n)\n"
    "{\n"
    "    __local uint shared;\n"
    "    const uint group = take(ticket, &shared), k = group / 8 * GPI_WG + get_local_id(0);\n"
    "    const uint begin = k & ~(uint)(GPI_LINE_WORDS - 1);\n"
    "    for (uint t = 1; t <= turns; t++) {\n"
    "        if (group % 8 == 0) {\n"
    "            gpi_word_write(w + k, pack(t, k));\n"
    "        } else {\n"
    "            union { gpi_line line; gpi_word word[GPI_LINE_WORDS]; } seen;\n"
    "            seen.line = gpi_line_load(w + begin);\n"
    "            for (uint i = 0; i < GPI_LINE_WORDS; i++) {\n"
    "                const uint tag = TAG(seen.word[i]);\n"
    "                if (tag && seen.word[i] != pack(tag, begin + i)) atomic_inc(n + TORN);\n"
    "            }\n"
    "        }\n"
    "    }\n"
    "    atomic_add(n + CHECKED, turns);\n"
    "}\n"
    "#endif\n",

    /* Row reuse: the steps of sort/sort.cl with the library's functions, on counts 1, 2, 3, 1, ... by tile. */
    "static uint count_of(uint t, uint d) { return 1 + (t + d) % 3; }\n"
    "static uint before(uint t, uint d)\n"
    "{\n"
    "    uint sum = t / 3 * 6;\n"
    "    for (uint i = t / 3 * 3; i < t; i++) sum += count_of(i, d);\n"
    "    return sum;\n"
    "}\n"
    "GPI_KERNEL void ring(counters state, uint polls, counters n)\n"
    "{\n"
    "    __local uint shared, ready;\n"
    "    const gpi_ring r = gpi_ring_make(state, 0, 0, 32, polls);\n"
    "    const uint tile = take(r.ticket, &shared);\n"
    "    if (get_local_id(0) == 0) ready = gpi_ring_gate(r, tile);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
    "    bool alive = ready;\n"
    "    for (uint d = get_local_id(0); alive && d < GPI_BINS; d += GPI_WG)\n"
    "        gpi_ring_publish(r, tile, d, count_of(tile, d));\n"
    "    for (uint d = get_local_id(0); alive && d < GPI_BINS; d += GPI_WG) {\n"
    "        uint exclusive = 0;\n"
    "        alive = gpi_ring_look_back(r, tile, d, &exclusive);\n"
    "        if (alive && exclusive != before(tile, d)) atomic_inc(n + WRONG);\n"
    "        if (alive && !gpi_ring_conclude(r, tile, d, exclusive + count_of(tile, d))) atomic_inc(n + "
    "BACK);\n"
    "        if (alive) atomic_inc(n + CHECKED);\n"
    "    }\n"
    "    if (!alive) gpi_ring_abandon(r);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
    "    if (get_local_id(0) == 0 && (gpi_is_abandoned(state) || !gpi_ring_leave(r, tile)))\n"
    "        atomic_inc(n + GAVE_UP);\n"
    "}\n"};

#endif
