"""Turns the doc comments of src/api/, host/api/ and gpuprim_mpi.h into Markdown, a page for each call, for manual/write.py."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Files that are one page each, and its title. In all others a page begins at each call that has a desc.
WHOLE = {
    "results.h": "Results",
    "types.h": "Types, monoids, records, arguments",
    "context.h": "Context",
    "hash.h": "gp_hash",
    "programs.h": "Programs as bytes",
    "gpuprim_mpi.h": "gp_mpi",
}
FILE = re.compile(r"(?:docs|examples|host|kernels|manual|src|tests|tunings)/[\w./-]*\w")
LABEL = re.compile(r"([A-Z][a-z]+(?: [0a-z]+)?):(?: |$)")
API = re.compile(r"GP_(?:HOST_|MPI_)?API ")
CALL = re.compile(r"\b(gp_\w+)\((?:gp_context|gp_mpi) \*")


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
    return expanded([(plain(comment), code) for comment, code in found])


def expanded(found):
    """An enum has the members that a list of X(name, value, ...) before it makes, and the list's comment."""
    chunks, rows, about = [], [], []
    for comment, code in found:
        if code.startswith("#define ") and "(X)" in code:
            rows = re.findall(r"X\((\w+), (-?\d+), (.+)\) *\\?$", code, re.M)
            about = re.sub(r"^X\([^)]*\)[.\n]*\s*", "", "\n".join(comment)).split("\n")
            continue
        if rows and "_ENUM(" in code:
            members = "".join(f"    {name} = {value},{note_of(rest)}\n" for name, value, rest in rows)
            code = re.sub(r"#define \w+_ENUM.*\n.*\n#undef .*\n.*_FORCE_INT.*\n", lambda _: members, code)
            comment, rows = about if comment == [""] else about + comment, []
        chunks.append((comment, code))
    return chunks


def note_of(rest):
    """What a list's entry says after name and value, unless it is a private name: a text, or a type and its bytes."""
    match = re.fullmatch(r'"([^"]*)"(?:, (\d+))?', rest)
    text, size = match.groups()
    if text.startswith("GPI_"):
        return ""
    return f" /* {text}, {8 * int(size)} bits */" if size else f" /* {text} */"


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
        target = pages.get(word) or pages.get(word.split(".")[0])
        if target:
            return f"[`{word}`]({target})"
        if FILE.fullmatch(word) and (ROOT / word).is_file():
            return f"[`{word}`](../../{word})"
        return f"`{word}`"

    # quoted, files, elements of arrays, pointers' targets, names
    parts = re.split(
        rf"(`[^`]*`|\"[^\"]*\"|{FILE.pattern}"
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
    if lines and " = " in lines[0] and not lines[first_empty(lines) - 1].endswith("."):
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
        """Where each name that the page declares is described."""
        for _, code in self.chunks:
            names = re.findall(r"^GP_(?:HOST_|MPI_)?API [\w *]*?\b(gp_\w+)\(", code, re.M)
            names += re.findall(r"^(?:typedef (?:struct|enum|union) |\} )(gp_\w+)", code, re.M)
            heading = not self.calls and name_of(code) == names[0] != self.title if names else False
            for name in dict.fromkeys(names):
                yield name, f"{self.name}.md" + (f"#{name}" if heading else "")


def pages_of(name, text):
    """The pages that a file of src/api/ makes."""
    parts = chunks(text)
    functions = set(re.findall(r"\b(gp_\w+)\(", text))
    if name in WHOLE:
        page = Page(WHOLE[name], WHOLE[name].split(",")[0].lower().replace(" ", "_"))
        page.chunks = parts
        return [page] + mpi_pages(page)
    pages, waiting = [], []
    for chunk in parts:
        match = re.search(r"^typedef struct (gp_\w+)_desc \{", chunk[1], re.M)
        if chunk[1].startswith("typedef struct gp_stats {"):
            pages.append(Page("Statistics", "statistics"))
        if match and functions & {match.group(1), match.group(1) + "_add"}:
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


def mpi_pages(page):
    """A page for each call of gpuprim_mpi.h that has a desc, taken out of the page of the rest."""
    pages, kept = [], []
    for chunk in page.chunks:
        match = re.search(r"\b(gp_mpi_\w+)\(gp_mpi \*all, const gp_\w+_desc \*|^typedef struct (gp_mpi_\w+)_desc", chunk[1])
        name = match and (match.group(1) or match.group(2))
        if name and (not pages or pages[-1].name != name):
            pages.append(Page(name, name))
            pages[-1].calls = [name]
        (pages[-1].chunks if name else kept).append(chunk)
    page.chunks = kept
    return pages


def name_of(code):
    """What a chunk declares, for its heading."""
    names = re.findall(r"^GP_(?:HOST_|MPI_)?API [\w *]*?\b(gp_\w+)\(", code, re.M) or re.findall(
        r"^(?:typedef (?:struct|enum|union) |\} )(gp_\w+)", code, re.M
    )
    names = list(dict.fromkeys(names or re.findall(r"^#define (\w+)\(X\)", code)))
    return names[0] if len(names) == 1 else ", ".join(names)


def page_text(page, example, pages):
    """The Markdown of one page: what the call does, an example, its descriptor, then the rules in detail."""
    own = re.compile(rf"^typedef struct {page.name}(_desc)? (?:\{{|{page.name};)|\b{page.name}\(.*const (?!{page.name})", re.M)
    comment, code = next((chunk for chunk in page.chunks if own.search(chunk[1])), ([""], ""))
    summary, details = cut(comment)
    out = [f"# {page.title}\n"]
    if summary:
        out.append(prose(summary, pages))
    programs = [line for line in details if line.startswith("Example: ")]
    details = [line for line in details if line not in programs]
    if example or programs:
        out.append("## Example\n")
    if example:
        out.append(f"```c\n{example}\n```\n")
    out += [f"Programs: {escape(line[9:], pages)}\n" for line in programs]
    if page.calls:
        rest = call_sections(page, code, details, pages)
    else:
        rest = [f"## Details\n\n{prose(details, pages)}"] if details else []
        rest += [section(chunk, [""] if chunk[1] == code else chunk[0], page, pages) for chunk in page.chunks]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(out + rest))


def cut(comment):
    """What the call does, and the lines with labels."""
    at = next((i for i, line in enumerate(comment) if LABEL.match(line)), len(comment))
    return comment[:at] if comment != [""] else [], comment[at:]


def call_sections(page, own, details, pages):
    out = ["## Descriptor\n"]
    if API.match(own):  # gpuprim_mpi.h's calls take the device's descs
        desc = re.search(r"gp_\w+_desc", own).group()
        out.append(f"That of the device's call: [`{desc}`]({pages[desc]}).\n")
    for comment, code in sorted(page.chunks, key=lambda chunk: chunk[1] != own):
        if API.match(code):
            continue
        if code != own and comment != [""]:
            out.append(prose(comment, pages))
        if code:
            out.append(f"```c\n{code}\n```\n")
        if code == own:
            out += types_of(code, pages)
    if details:
        rules = "The [rules for every call](rules.md) apply, too."
        if page.name.startswith("gp_host_"):
            rules = "The rules of [arrays in host memory](../host-arrays.md) apply, too."
        if page.name.startswith("gp_mpi_"):
            rules = "The rules of [arrays across MPI ranks](../mpi.md) apply, too."
        out.append(f"## Details\n\n{rules}\n\n" + prose(details, pages))
    out.append("## Functions\n")
    for comment, code in page.chunks:
        if API.match(code):
            out.append(f"```c\n{declaration(code)}\n```\n")
            if comment != [""] and code != own:
                out.append(prose(comment, pages))
    return out


def declaration(code):
    """Without GP_API, which says how it is exported."""
    width = len(API.match(code).group())
    return "\n".join(line[width if API.match(line) or line[0] == " " else 0 :] for line in code.split("\n"))


def types_of(code, pages):
    """A line with links to the types of the fields."""
    names = dict.fromkeys(re.findall(r"^ +(?:const )?(gp_\w+) ", code, re.M))
    links = [f"[`{name}`]({pages[name]})" for name in names if name in pages]
    return [f"Types of its fields: {', '.join(links)}.\n"] if links else []


def section(chunk, comment, page, pages):
    code = chunk[1]
    name = name_of(code)
    out = [f"## {name}\n"] if name not in ("", page.title) else []
    if comment not in ([""], []):
        out.append(prose(comment, pages))
    if code:
        out.append(f"```c\n{declaration(code) if API.match(code) else code}\n```\n")
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
    return "\n".join(line.rstrip() for line in out) + "\n"
