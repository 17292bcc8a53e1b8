"""A tour of gpuprim in Python: one step after the other, each with what it prints.

    pip install gpuprim            # and matplotlib, for the plots
    python tutorial.py             # writes tutorial.png
"""

import time

import numpy as np

import gpuprim

try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
except ImportError:
    plt = None

# 1. A context is a device and a queue. GPUPRIM_DEVICE=gpu in the environment, or Context("gpu"), chooses one.
ctx = gpuprim.Context()
print("device:", ctx.device.name)

# 2. Calls take NumPy arrays, which are copied to the device, and return arrays there. get() brings them back.
sales = np.array([3, 1, 4, 1, 5], np.uint32)
print("running totals:", ctx.scan(sales).get())
print("sum of squares:", ctx.reduce(sales, map="x * x"))

# 3. Calls compose on the device. How many numbers are left after a selection is known there only, until you ask.
x = ctx.random(1_000_000, np.float32, kind="normal", seed=42)
large = ctx.select(x, "x > limit", args={"limit": 2.0})
ordered = ctx.sort(ctx.transform(large, "x * x"))
print(large)
print(len(large), "in fact; the least square:", ordered[0])

# 4. What changes from call to call belongs in args: the program is built once.
built = ctx.stats()["programs_built"]
counts = [ctx.reduce(x, map="x > limit", args={"limit": t}, dtype=np.uint64) for t in np.linspace(-3, 3, 61)]
print("programs built for 61 thresholds:", ctx.stats()["programs_built"] - built)

# 5. Histograms, and where each bin begins.
bins = ctx.histogram(x, 80, (-4, 4))
print("of a million numbers between -0.1 and 0:", bins[39])

# 6. Columns of a table: group by, and join.
rng = np.random.default_rng(1)
customer = rng.integers(0, 5, 1000).astype(np.uint32)
price = rng.integers(1, 100, 1000).astype(np.int32)
who, total, number, mean = ctx.group_by(customer, price, ["sum", "count", "mean"])
for row in zip(who.get(), total.get(), number.get(), mean.get()):
    print("customer %d: %6d for %d orders, %.1f each" % row)
ids, age = np.array([4, 2, 0], np.uint32), np.array([41, 22, 30], np.int16)
orders, rows = ctx.join(customer, ids)
print("spent by those whose age is known:", ctx.reduce(ctx.gather(price, orders)))
print("their mean age, by order:", ctx.reduce(ctx.gather(age, rows)) / len(rows))

# 7. Records are structured dtypes. Expressions see their fields.
particle = np.zeros(10000, [("position", "f4", 3), ("mass", "f4"), ("id", "u4")])
particle["mass"], particle["id"] = rng.random(10000), np.arange(10000)
heavy = ctx.sort_records(ctx.select(particle, "x.mass > 0.999f"), ["-mass"])
print("heaviest:", heavy.get()["id"][:5])

# 8. A hash table counts words, or anything that has 32 or 64 bits.
table = ctx.hash_table(np.uint32, np.uint32)
table.insert_or_apply(customer)
print("orders by customer:", dict(zip(*(part.get().tolist() for part in table.items(sort=True)))))

# 9. Brackets, at any depth.
print("partners:", ctx.brackets("f(a[0], (b))").match.get().astype(np.int32))

# 10. Your own operation: an associative function in OpenCL C. Here x -> a x + b, one after the other.
affine = np.dtype([("a", "f4"), ("b", "f4")])
then = gpuprim.Monoid(
    affine,
    "affine",
    "typedef struct { float a, b; } affine;"
    "affine then(affine p, affine q) { affine r = {p.a * q.a, q.a * p.b + q.b}; return r; }",
    "then",
    (1, 0),
)
steps = np.zeros(200, affine)
steps["a"], steps["b"] = 0.95, 1
path = ctx.scan(steps, then).get()["b"]
print("x = 0.95 x + 1 tends to 20:", path[-1])

# 11. How long is a sort? The first call builds its program; warmup moves that to where you want it.
sizes, times, host_times = [2**k for k in range(10, 23, 2)], [], []
ctx.warmup(ctx.sort, np.zeros(1, np.uint32))
for n in sizes:
    keys = ctx.random(n, np.uint32, seed=n)
    host = keys.get()
    ctx.sort(keys)
    ctx.finish()
    begin = time.perf_counter()
    ctx.sort(keys)
    ctx.finish()
    middle = time.perf_counter()
    np.sort(host)
    times.append(middle - begin)
    host_times.append(time.perf_counter() - middle)
print("sort of %d keys: %.1f ms, NumPy %.1f ms" % (sizes[-1], 1e3 * times[-1], 1e3 * host_times[-1]))

if plt:
    figure, axes = plt.subplots(2, 2, figsize=(10, 7))
    axes[0, 0].bar(np.linspace(-3.95, 3.95, 80), bins.get(), 0.1)
    axes[0, 0].set_title("ctx.histogram of normal numbers")
    axes[0, 1].plot(np.linspace(-3, 3, 61), counts)
    axes[0, 1].set_title("ctx.reduce: how many are above x")
    axes[1, 0].plot(path)
    axes[1, 0].set_title("ctx.scan with a Monoid")
    axes[1, 1].loglog(sizes, times, "o-", label="gpuprim")
    axes[1, 1].loglog(sizes, host_times, "o-", label="NumPy")
    axes[1, 1].set_title("seconds to sort n keys")
    axes[1, 1].legend()
    figure.tight_layout()
    figure.savefig("tutorial.png")
    print("wrote tutorial.png")

ctx.close()
