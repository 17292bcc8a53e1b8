"""machine.py - what can be read from a kernel's machine code, whoever made it.

How often a loop turns is not in the code. It is taken to pass once over the elements of a work-item: a turn takes as many of
them as its rarest kind of memory access has words. A loop without any turns once. A loop with atomic operations or volatile
loads waits for other groups, and is left out. Everything else counts once, both sides of a branch alike: counted is what
there is to execute, not what is.
"""
import bisect
import collections

# kind: load, store (global memory), local_load, local_store, shared (atomic or volatile: seen by other groups), branch,
# call, return, other. falls: the next instruction may be executed after it.
Instruction = collections.namedtuple("Instruction", "address name kind bytes writes reads target falls")


class Flow:
    """Basic blocks: begins[b] is the index of the first instruction of block b."""

    def __init__(self, code):
        at = {instruction.address: i for i, instruction in enumerate(code)}
        jumps = [(i, at[c.target]) for i, c in enumerate(code) if c.kind == "branch" and c.target in at]
        self.calls = sorted({at[c.target] for c in code if c.kind == "call" and c.target in at})
        ends = [i + 1 for i, c in enumerate(code) if not c.falls or c.kind == "branch"]
        self.begins = sorted({0, *ends, *self.calls, *(to for _, to in jumps)} - {len(code)})
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

    def instructions(self, blocks):
        ends = self.begins[1:] + [self.size]
        return [i for b in sorted(blocks) for i in range(self.begins[b], ends[b])]

    def dominators(self):
        """For each block those through which every way to it leads, itself included."""
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
        """The blocks of each loop, inner ones first."""
        dominators, loops = self.dominators(), {}
        for last, heads in enumerate(self.next):
            for head in heads & dominators[last]:
                body, todo = loops.setdefault(head, {head}), [last]
                while todo:
                    b = todo.pop()
                    if b not in body:
                        body.add(b)
                        todo += self.before[b]
        return sorted(loops.values(), key=len)


def elements_a_turn(body):
    words = collections.Counter()
    for instruction in body:
        if instruction.kind in ("load", "store", "local_load", "local_store"):
            words[instruction.name] += max(1, instruction.bytes // 4)
    return min(words.values()) if words else None


def weights(code, per_item):
    """How often a work-item executes each instruction."""
    weight, flow = [1.0] * len(code), Flow(code)
    for loop in flow.loops():
        inside = flow.instructions(loop)
        body = [code[i] for i in inside]
        elements = elements_a_turn(body)
        if any(instruction.kind == "shared" for instruction in body):
            turns = 0
        elif elements is None or max(weight[i] for i in inside) > 1:
            turns = 1  # an outer loop turns once for all elements of its inner ones
        else:
            turns = max(1, per_item / elements)
        for i in inside:
            weight[i] *= turns
    # A function as often as it is called: to the next one, or the end. (Some calls are jumps: none of theirs returns.)
    for start, end in zip(flow.calls, flow.calls[1:] + [len(code)]):
        if any(code[i].kind == "return" for i in range(start, end)):
            calls = sum(weight[i] for i, c in enumerate(code) if c.kind == "call" and c.target == code[start].address)
            for i in range(start, end):
                weight[i] *= calls
    return weight


def loads_in_flight(code):
    """The most loads of global memory that come before the first use of one of their results."""
    most, waiting = 0, []
    for instruction in code:
        if any(instruction.reads & written for written in waiting):
            waiting = []
        if instruction.kind == "load":
            waiting.append(instruction.writes)
            most = max(most, len(waiting))
        back = instruction.kind == "branch" and (instruction.target or 0) <= instruction.address
        if back or instruction.kind in ("call", "return"):
            waiting = []
    return most


def counters(code, per_item):
    return {
        "instructions_per_element": sum(weights(code, per_item)) / per_item,
        "loads_in_flight": loads_in_flight(code),
        "widest_load_bytes": max((i.bytes for i in code if i.kind == "load"), default=0),
    }
