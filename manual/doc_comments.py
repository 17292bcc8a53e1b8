"""Turns the doc comments of src/api/ into Markdown: a page for each call."""
import re

# Files that are one page each, and its title. In all others a page begins at each call that has a desc.
WHOLE = {
    "results.h": "Results",
    "types.h": "Types, monoids, records, arguments",
    "context.h": "Context",
    "check_monoid.h": "gp_check_monoid",
    "hash.h": "gp_hash",
    "device_source.h": "gp_device_source",
    "self_test.h": "gp_self_test",
    "programs.h": "Programs as bytes",
}
LABEL = re.compile(r"([A-Z][a-z]+(?: [0a-z]+)?):(?: |$)")
CALL = re.compile(r"\b(gp_\w+)\(gp_context \*")


def chunks(text):
    """The (comment, code) pairs of a file: a comment belongs to the code that follows it without an empty line."""
    found = []
    comment = code = ""
    depth = inside = 0
    for line in text.split("\n"):
        if line.startswith(("#pragma once", "#include", "/* -----")):
            continue
        starts = not inside and not depth and line.startswith("/*")
        if starts or (not line and not depth and not inside):
            if comment or code:
                found.append((comment, code.rstrip()))
            comment = code = ""
        if starts or inside:
            comment += line + "\n"
            inside = "*/" not in line
        elif line or depth:
            code += line + "\n"
            depth += line.count("{") - line.count("}")
    return [(plain(comment), code) for comment, code in found]


def plain(comment):
    """A comment's lines without /* and */, and without the indentation that they share."""
    lines = re.sub(r"\s*\*/\s*$", "", comment).split("\n")
    return [re.sub(r"^/\* ?|^ {1,3}", "", line).rstrip() for line in lines]


def escape(text, pages):
    """Text of a comment as Markdown: names and expressions become code, names of calls links to their pages."""

    def code(match):
        word = match.group(0)
        if word.startswith("`"):
            return word
        if word.startswith('"') and not re.search(r"[*+/<>=()\[\]%?|]", word):
            return word  # words that are quoted, no expression
        if word in pages:
            return f"[`{word}`]({pages[word]})"
        if word.startswith("examples/"):
            return f"[`{word}`](../{word.split('.')[0]}.md)"
        return f"`{word}`"

    # quoted, files, elements of arrays, pointers' targets, names
    parts = re.split(
        r"(`[^`]*`|\"[^\"]*\"|examples/\w+\.cp*|(?:docs|src|kernels|tests|tunings)/[\w./]*\w"
        r"|\b\w+\[[^\]\n]*\]|(?<!\w)\*\w+|\b(?:gp|GP|CL|cl)_[\w.]*\w|\b\w*[a-zA-Z0-9]_\w+|__\w+(?: \w+ \*)?|\.\.\._\w+|\bcl[A-Z]\w+)",
        text,
    )
    for i, part in enumerate(parts):
        if i % 2:
            parts[i] = re.sub(r"(?s).+", code, part)
        else:
            parts[i] = re.sub(r"([\\*_<>\[\]|#])", r"\\\1", part)
    return "".join(parts)


def is_code(line, labelled):
    indent = len(line) - len(line.lstrip())
    return re.search(r"\S {2,}\S", line) or (indent >= 4 and not labelled)


def paragraphs(lines):
    """Lines end early where a paragraph does: the next word would have fitted."""
    found = [lines[0].strip()]
    for before, line in zip(lines, lines[1:]):
        fitted = len(before) + 1 + len(line.split()[0]) < 98
        if fitted and before.endswith(".") and not line.strip()[0].islower():
            found.append(line.strip())
        else:
            found[-1] += " " + line.strip()
    return found


def prose(lines, pages):
    """A comment as Markdown. Formulas and tables stay as they are; "Cost:" and the like begin paragraphs."""
    out, block, code = [], [], []
    label = None
    if lines and " = " in lines[0] and not lines[0].rstrip().endswith("."):
        lines = ["    " + line for line in lines[: first_empty(lines)]] + lines[first_empty(lines) :]

    def end_block():
        nonlocal label
        if block:
            text = escape("\n\n".join(paragraphs(block)), pages)
            out.append(f"**{label}:** {text}" if label else text)
        block.clear()
        label = None

    def end_code():
        if code:
            least = min(len(line) - len(line.lstrip()) for line in code if line.strip())
            kind = "c" if any(line.rstrip().endswith((";", "{")) for line in code) else "text"
            out.append(f"```{kind}\n" + "\n".join(line[least:] for line in code).rstrip() + "\n```")
        code.clear()

    for line in lines:
        match = LABEL.match(line)
        if not line.strip():
            end_block()
            if code:
                code.append("")
        elif match:
            end_code()
            end_block()
            label = match.group(1)
            block.append(line[match.end() :])
        elif is_code(line, label):
            if block and not code and not label:
                end_block()
            (block if label else code).append(line)
        else:
            end_code()
            block.append(line)
    end_code()
    end_block()
    return "\n\n".join(out) + "\n"


def first_empty(lines):
    return lines.index("") if "" in lines else len(lines)


def calls_of(code):
    return [name for name in CALL.findall(code) if not name.endswith(("_read", "_scratch_size"))]


class Page:
    def __init__(self, title, name):
        self.title, self.name, self.chunks = title, name, []
        self.calls = []  # in the title's order

    def targets(self):
        """Where each function of the page is described."""
        for _, code in self.chunks:
            functions = re.findall(r"^GP_(?:HOST_)?API [\w *]*?\b(gp_\w+)\(", code, re.M)
            heading = not self.calls and name_of(code) == functions[0] != self.title if functions else False
            for function in functions:
                yield function, f"{self.name}.md" + (f"#{function}" if heading else "")


def pages_of(name, text):
    """The pages that a file of src/api/ makes."""
    parts = chunks(text)
    functions = set(re.findall(r"\b(gp_\w+)\(", text))
    if name in WHOLE:
        page = Page(WHOLE[name], WHOLE[name].split(",")[0].lower().replace(" ", "_"))
        page.chunks = parts
        return [page]
    pages, waiting = [], []
    for chunk in parts:
        match = re.search(r"^typedef struct (gp_\w+)_desc \{", chunk[1], re.M)
        if chunk[1].startswith("typedef struct gp_stats {"):
            pages.append(Page("Statistics", "statistics"))
        if match and match.group(1) in functions:
            pages.append(Page(match.group(1), match.group(1)))
            for early in waiting:
                pages[-1].chunks.append(early)
            waiting = []
        (pages[-1].chunks if pages else waiting).append(chunk)
    for page in pages:
        if page.title != "Statistics":
            page.calls = [call for _, code in page.chunks for call in calls_of(code)]
            page.title = ", ".join(page.calls)
    return pages


def name_of(code):
    """What a chunk declares, for its heading."""
    names = re.findall(r"^GP_(?:HOST_)?API [\w *]*?\b(gp_\w+)\(", code, re.M) or re.findall(
        r"^(?:typedef (?:struct|enum|union) |\} )(gp_\w+)", code, re.M
    )
    names = list(dict.fromkeys(names or re.findall(r"^#define (\w+)\(X\)", code)))
    return names[0] if len(names) == 1 else ", ".join(names)


def page_text(page, label, example, pages):
    """The Markdown of one page."""
    out = [f"({label})=\n\n# {page.title}\n" if label else f"# {page.title}\n"]
    own = [chunk for chunk in page.chunks if re.search(rf"^typedef struct {page.name}_desc \{{", chunk[1], re.M)]
    if not page.calls:
        out += [section(chunk, page.title, pages) for chunk in page.chunks]
        return "\n".join(out + (["## Example\n\n" + example] if example else []))
    out.append(prose(own[0][0], pages))
    if example:
        out.append("## Example\n\n" + example)
    functions = [chunk for chunk in page.chunks if chunk[1].startswith(("GP_API", "GP_HOST_API"))]
    out.append("## Functions\n")
    for comment, code in functions:
        out.append(f"```c\n{code}\n```\n")
        if comment != [""]:
            out.append(prose(comment, pages))
    out.append("## Descriptor\n")
    for comment, code in page.chunks:
        if code.startswith(("GP_API", "GP_HOST_API")):
            continue
        if (comment, code) != own[0] and comment != [""]:
            out.append(prose(comment, pages))
        if code:
            out.append(f"```c\n{code}\n```\n")
    return "\n".join(out)


def section(chunk, title, pages):
    comment, code = chunk
    name = name_of(code)
    out = [f"## {name}\n"] if name not in ("", title) else []
    if comment != [""]:
        out.append(prose(comment, pages))
    if code:
        out.append(f"```c\n{code}\n```\n")
    return "\n".join(out)


def rules_text(text, pages):
    """The page of the rules that hold for every call: the comment at the head of src/api/gpuprim.h."""
    lines = plain(text[: text.index("*/") + 2])
    lines = lines[next(i for i, line in enumerate(lines) if line.startswith("RULES")) :]
    lines = lines[: next(i for i, line in enumerate(lines) if line.startswith("Licence"))]
    out, item = ["# Rules for every call\n"], []

    def end():
        if item:
            out.append("- " + escape(" ".join(item), pages))
        item.clear()

    for line in lines:
        words = line.strip()
        if re.match(r"[A-Z ]{8,}$|OPTIONS ", words):
            end()
            out.append(f"\n## {words.capitalize()}\n")
        elif words.startswith("- "):
            end()
            item.append(words[2:])
        elif re.match(r"[A-Z]\w*(?: \w)? {3,}", words):
            end()
            name, rest = re.split(r" {3,}", words, maxsplit=1)
            out.append(f"- **{name}**: " + escape(rest, pages))
        elif item:
            item.append(words)
        elif words and out[-1].startswith("- "):
            out[-1] += " " + escape(words, pages)
        elif words:
            out.append(escape(words, pages))
    end()
    return "\n".join(out) + "\n"
