"""machine.py - reads figures from a kernel's machine code, for every compiler.

The code does not show which path a work-item takes, nor how often a loop iterates. The path chosen here moves the most
bytes of global memory, among such paths the most bytes of local memory, and among those it is the shortest: the path of
a full tile. Instructions with a predicate count a quarter, because they handle a tile's end. A loop is assumed to pass
once over the elements of a work-item: an iteration handles as many elements as its rarest kind of memory access has
words (bytes, if elements are bytes). A loop without memory accesses iterates once. A loop with atomic operations or
volatile loads waits for other groups, and is left out.
"""
import bisect
import collections
import sys

sys.setrecursionlimit(10000)  # Path.best: one recursive call for each block of a path

# kind: load, store (global memory), local_load, local_store, shared (atomic or volatile: seen by other groups), branch,
# call, return, exit, barrier, other. falls: the next instruction may be executed after it. sure: it has no predicate.
Instruction = collections.namedtuple("Instruction", "address name kind bytes writes reads target falls sure")

GLOBAL, LOCAL = ("load", "store"), ("local_load", "local_store")


class Flow:
    """Basic blocks: begins[b] is the index of the first instruction of block b."""

    def __init__(self, code):
        at = {instruction.address: i for i, instruction in enumerate(code)}
        jumps = [(i, at[c.target]) for i, c in enumerate(code) if c.kind == "branch" and c.target in at]
        self.callees = {c.target for c in code if c.kind == "call" and c.target in at}
        self.calls = sorted(at[target] for target in self.callees)
        ends = [i + 1 for i, c in enumerate(code) if not c.falls or c.kind == "branch"]
        self.begins = sorted({0, *ends, *self.calls, *(to for _, to in jumps)} - {len(code)})
        self.addresses = [code[i].address for i in self.begins]
        self.size = len(code)
        count = len(self.begins)
        self.next = [set() for _ in range(count)]
        for i, to in jumps:
            self.next[self.block(i)].add(self.block(to))
        for b in range(count - 1):
            if code[self.begins[b + 1] - 1].falls:
                self.next[b].add(b + 1)
        self.before = [{a for a in range(count) if b in self.next[a]} for b in range(count)]

    def block(self, i):
        return bisect.bisect_right(self.begins, i) - 1

    def at(self, address):
        """Returns the block that begins at the instruction."""
        return self.addresses.index(address)

    def reached(self, entry):
        """Returns the blocks that can be reached from a block, including itself."""
        found, todo = {entry}, [entry]
        while todo:
            new = self.next[todo.pop()] - found
            found |= new
            todo += new
        return found

    def instructions(self, blocks):
        ends = self.begins[1:] + [self.size]
        return [i for b in sorted(blocks) for i in range(self.begins[b], ends[b])]

    def dominators(self):
        """Returns, for each block, the blocks that are on every path to it, including itself."""
        roots = {0, *(self.block(i) for i in self.calls)}
        everything = set(range(len(self.begins)))
        found = [{b} if b in roots else everything for b in sorted(everything)]
        changed = True
        while changed:
            changed = False
            for b in sorted(everything - roots):
                new = {b} | (set.intersection(*(found[a] for a in self.before[b])) if self.before[b] else set())
                changed |= new != found[b]
                found[b] = new
        return found

    def loops(self):
        """Returns the blocks of each loop by the loop's head, inner loops first, and the blocks where iterations end."""
        dominators, loops, latches = self.dominators(), {}, {}
        for last, heads in enumerate(self.next):
            for head in heads & dominators[last]:
                latches.setdefault(head, set()).add(last)
                body, todo = loops.setdefault(head, {head}), [last]
                while todo:
                    b = todo.pop()
                    if b not in body:
                        body.add(b)
                        todo += self.before[b]
        return dict(sorted(loops.items(), key=lambda loop: len(loop[1]))), latches


def elements_a_turn(body, size):
    words = collections.Counter()
    for instruction in body:
        if instruction.kind in GLOBAL + LOCAL:
            words[instruction.name] += max(1, instruction.bytes // size)
    return min(words.values()) if words else None


# The value of a path: bytes of global and of local memory moved, minus its instructions, the number of barriers among
# these, and the wavefronts of local memory for a sub-group's 32 lanes without bank conflicts. The path with the
# greatest value is chosen.
NOTHING = (0.0, 0.0, 0.0, 0.0, 0.0)


def plus(a, b):
    return tuple(x + y for x, y in zip(a, b))


def times(a, factor):
    return tuple(x * factor for x in a)


def with_jumps(code):
    """Returns the code with calls that never return replaced by branches, because ptxas leaves loops in this way."""
    flow = Flow(code)

    def returns(address):
        blocks = flow.reached(flow.at(address))
        return any(code[i].kind == "return" for i in flow.instructions(blocks))

    jumps = {address for address in flow.callees if not returns(address)}
    return [i._replace(kind="branch", falls=not i.sure) if i.kind == "call" and i.target in jumps else i for i in code]


class Path:
    """The path that a work-item executes."""

    def __init__(self, code, per_item, size=4):
        self.code, self.per_item, self.size = with_jumps(code), per_item, size
        self.flow = Flow(self.code)
        self.loops, self.latches = self.flow.loops()
        self.whole, self.turning = {}, set()  # the best path through each loop, with all iterations; loops that iterate

    def own(self, block):
        """Returns the value of a block, including the functions that it calls."""
        whole = NOTHING
        for i in self.flow.instructions([block]):
            instruction = self.code[i]
            moved = instruction.bytes * (1 if instruction.sure else 0.25)
            far, near = moved * (instruction.kind in GLOBAL), moved * (instruction.kind in LOCAL)
            wavefronts = max(1, moved / 4) if near else 0
            whole = plus(whole, (far, near, -1, instruction.kind == "barrier", wavefronts))
            if instruction.kind == "call" and instruction.target is not None:
                whole = plus(whole, self.function(instruction.target))
        return whole

    def function(self, address):
        return self.through(self.flow.at(address), "return")

    def through(self, entry, kind):
        """Returns the best path from a block to an instruction of a kind."""
        region = self.flow.reached(entry)
        ends = {b for b in region if any(self.code[i].kind == kind for i in self.flow.instructions([b]))}
        return self.best(entry, region, ends) if ends else NOTHING

    def loop(self, head):
        """Returns the best path through a loop, with all iterations."""
        if head not in self.whole:
            self.whole[head] = self.turns(head, self.loops[head])
        return self.whole[head]

    def turns(self, head, body):
        turn = self.best(head, body, self.latches[head], head)
        inside = [self.code[i] for i in self.flow.instructions(body)]
        elements = elements_a_turn(inside, self.size)
        waiting = any(instruction.kind == "shared" for instruction in inside)
        inner = body & set(self.loops) - {head}
        if waiting:
            turns = 0
        elif elements is None or any(self.loop(i) and i in self.turning for i in inner):
            turns = 1  # an outer loop iterates once for all elements of its inner ones
        else:
            turns = max(1, self.per_item / elements)
        if turns > 1 or not waiting and inner & self.turning:
            self.turning.add(head)
        return times(turn, turns)

    def best(self, entry, region, ends, loop=None):
        """Returns the best path from a block to one of the ends. A loop on the path is one step, except the loop in
        question."""
        inner = {}
        for head, body in self.loops.items():  # the outermost loops within the region come last, and replace inner ones
            if head != loop and head in region and body <= region and not (loop is not None and loop in body):
                inner.update((b, head) for b in body)
        found = {}

        def step(b):
            return inner.get(b, b)

        def way(node):
            if node in found:
                return found[node]
            found[node] = None  # a back edge is not part of a path
            blocks = self.loops[node] if node in inner else {node}
            worth = self.loop(node) if node in inner else self.own(node)
            after = {step(n) for b in blocks for n in self.flow.next[b] if n in region} - {node, loop}
            ways = [w for w in map(way, after) if w]
            if blocks & ends:
                ways.append(NOTHING)
            if ways:
                found[node] = plus(worth, max(ways))
            return found[node]

        return way(step(entry)) or NOTHING

    def executed(self):
        """Returns the instructions executed, the barriers among them, and the wavefronts of local memory for a sub-group."""
        _, _, instructions, barriers, wavefronts = self.through(0, "exit")
        return -instructions, barriers, wavefronts


    def of_the_hot_loop(self):
        """Returns the instructions per element in the loop with the widest loads of global memory, or in the shortest
        such loop."""
        loops = []
        for head, body in self.loops.items():
            inside = [self.code[i] for i in self.flow.instructions(body)]
            widest = max((i.bytes for i in inside if i.kind == "load"), default=0)
            loops.append((-widest, len(inside), head, elements_a_turn(inside, self.size)))
        _, _, head, elements = min(loops)
        return -self.best(head, self.loops[head], self.latches[head], head)[2] / elements


def loads_in_flight(code):
    """Returns the most loads of global memory before the first use of one of their results."""
    most, waiting = 0, []
    for instruction in code:
        if any(instruction.reads & written for written in waiting):
            waiting = []
        if instruction.kind == "load":
            waiting.append(instruction.writes)
            most = max(most, len(waiting))
        back = instruction.kind == "branch" and (instruction.target or 0) <= instruction.address
        if back or not instruction.falls or instruction.kind == "call":
            waiting = []
    return most


def counters(code, per_item, size):
    return {
        "instructions_per_element": Path(code, per_item, size).executed()[0] / per_item,
        "loads_in_flight": loads_in_flight(code),
        "widest_load_bytes": max((i.bytes for i in code if i.kind == "load"), default=0),
    }
