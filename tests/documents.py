#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The documents are whole: links and anchors lead somewhere, and every verb, option, platform and column head is explained.

Usage: documents.py COLLCAST SOURCE_DIR
Whether the outputs that they show are those of the program is tests/golden/documents.py's to say.
"""
import json
import pathlib
import re
import subprocess
import sys

collcast, root = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
ANSWERING = {"predict", "replay", "train", "job", "compare", "sweep", "plan", "tune", "gap", "synthesize"}  # by tables of rows
FIELDS = {"replay/formats", "platforms/description"}  # whose sources name fields of files, not columns


def name(path):
    return path.relative_to(root).as_posix()


# What is built or hidden is left out.
FILES = [p for top in sorted(root.iterdir()) if not top.name.startswith((".", "build"))
         for p in ([top] if top.is_file() else sorted(top.rglob("*"))) if p.is_file() and "__pycache__" not in p.parts]


def files(*suffixes):
    return (p for p in FILES if p.suffix in suffixes)


def lines(path, code=True):
    """(number, line); without `code`, lines of fenced blocks are blank."""
    fenced = False
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        mark = line.lstrip().startswith("```")
        yield number, line if code or not (fenced or mark) else ""
        fenced ^= mark


def anchors(page):
    """The anchors of a page's headings, as GitHub makes them."""
    seen, fenced = {}, False
    for _, line in lines(page):
        fenced ^= line.lstrip().startswith("```")
        if heading := not fenced and re.match(r"#+ +(.*)", line):
            text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading[1]).strip().lower()
            slug = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
            seen[slug] = seen.get(slug, -1) + 1
            yield slug + (f"-{seen[slug]}" if seen[slug] else "")
        yield from re.findall(r'<a (?:id|name)="([^"]+)"', line)


def dead_links():
    known = {}
    for page in files(".md"):
        for number, line in lines(page, code=False):
            for link in re.findall(r"\]\(<?([^)\s>]+)", line) + re.findall(r"^\[[^]]+\]: *(\S+)", line):
                target, _, anchor = link.partition("#")
                if re.match(r"[a-z+]+:", link):
                    continue
                there = (page.parent / target).resolve() if target else page
                if not there.exists():
                    yield f"{name(page)}:{number}: there is no {target}"
                elif anchor and there.suffix == ".md" and anchor not in known.setdefault(there, set(anchors(there))):
                    yield f"{name(page)}:{number}: {name(there)} has no #{anchor}"


def dead_mentions():
    """Documents that sources, helps and scripts name."""
    for path in files(".cpp", ".hpp", ".c", ".cu", ".def", ".py", ".txt", ".cmake", ".json", ".ipynb", ".sh", ""):
        if b"docs/" not in path.read_bytes():
            continue
        for number, line in lines(path):
            for page in re.findall(r"\bdocs/[\w/.-]+\.(?:md|json|svg)\b", line):
                if not (root / page).exists():
                    yield f"{name(path)}:{number}: there is no {page}"


def printed(*arguments):
    return subprocess.run([collcast, *arguments], capture_output=True, text=True, check=True).stdout


def declared(option):
    """Where the program declares an option."""
    for path in sorted((root / "cli").glob("*.cpp")):
        for number, line in lines(path):
            if re.search(rf'[",]{option}["{{]', line):
                return f"{name(path)}:{number}"
    return "cli"


def options_unsaid(verbs, documents):
    text = "\n".join(page.read_text() for page in documents)
    of = {}
    for verb in verbs:
        for option in re.findall(r"^  (?:-\w, *)?(--[a-z][\w-]*)", printed(verb, "--help"), re.MULTILINE):
            of.setdefault(option, []).append(verb)
    for option, has in of.items():
        if not re.search(rf"(?<![\w-]){option}(?![\w-])", text):
            yield f"{declared(option)}: no document mentions {option} of {', '.join(has)}"


def verbs_unsaid(verbs):
    index = root / "docs/index.md"
    linked = {(index.parent / link).resolve() for _, line in lines(index) for link in re.findall(r"\]\(([^)#\s]+\.md)", line)}
    text = "\n".join(page.read_text() for page in linked)
    for verb in verbs:
        if not re.search(rf"\bcollcast {verb}\b|`{verb}[` ]", text):
            yield f"docs/index.md:1: no document that it links says what `collcast {verb}` does"


def platforms_unsaid():
    page = root / "docs/platforms.md"
    table = page.read_text().partition("| platform | machine |")[2].partition("\n\n")[0]
    rows = set(re.findall(r"`([\w.-]+)`", "".join(line.split(" | ")[0] for line in table.splitlines())))
    listed = {platform["platform"] for platform in json.loads(printed("platforms", "--format", "json"))}
    head = next((number for number, line in lines(page) if line == "| platform | machine |"), 1)
    for platform in sorted(listed - rows):
        yield f"{name(page)}:{head}: the table lacks `{platform}`"
    for platform in sorted(rows - listed):
        yield f"{name(page)}:{head}: `collcast platforms` lacks `{platform}`"


def heads_of_code():
    """(place, head) of the columns that sources name: text_of("head", "key"), {"head", [](const Json&...)}, and lists of them."""
    patterns = (r'\b(?:text|number|count)_of\(([^;(){}]*?"[^;{}]*?), *\n? *(?:"\w+"|\w+)\s*[,)]',
                r'\{\s*("[^"]+"|[^",;{}]*\? *"[^"]+" *: *"[^"]+"),\s*\[[^\]]*\]\(const (?:report::)?Json',
                r'[({]("[a-z ]+"), "\w+_s"[)}]', r'\{"\w+", ("[a-z ]+"), (?:true|false), &')
    for path in files(".cpp"):
        if path.relative_to(root).parts[0] in ("tests", "bench") or name(path.parent) in FIELDS:
            continue
        code = path.read_text()
        for match in (m for pattern in patterns for m in re.finditer(pattern, code)):
            for head in re.findall(r'"([^"]+)"', match[1]):
                yield f"{name(path)}:{code.count(chr(10), 0, match.start()) + 1}", head


def heads_shown(documents):
    """(place, head) of the tables in outputs that documents show: a line of three cells or more that begins a paragraph."""
    for page in documents:
        command, before = "", ""
        for number, line in lines(page):
            if line.startswith("```"):
                command = ""
            if match := re.match(r"\$ .*\bcollcast (\w+)", line):
                command = match[1]
            cells = re.split(r" {2,}", line.strip())
            if command in ANSWERING and not before.strip() and len(cells) > 2:
                yield from ((f"{name(page)}:{number}", cell) for cell in cells)
            before = line


def heads_unsaid(documents):
    words, page = {}, root / "docs/glossary.md"
    text = page.read_text()
    for number, line in lines(page):
        if (row := re.match(r"\| (.+?) \| ", line)) and row[1] != "word":
            for word in {w.strip().lower() for w in re.split(r"[,()]", row[1]) if w.strip()}:  # as `collcast explain` takes them
                if words.setdefault(word, number) != number:
                    yield f"{name(page)}:{number}: '{word}' stands in line {words[word]}, too, so `collcast explain` does not print it"
    told = set()
    for place, head in [*heads_of_code(), *heads_shown(documents)]:
        is_setting = re.search(r"[=.]|\w_\w", head)  # of a sweep: `network.bandwidth_GBps`, `compute_scale`
        is_said = "(" in head and head in text or head.lower() in words
        if not is_setting and not is_said and head not in told:
            told.add(head)
            yield f"{place}: docs/glossary.md does not explain the column '{head}'"


def counts_unlike():
    """What training-accuracy.md says of how many steps are near is what the generated page counted."""
    page, counted = root / "docs/training-accuracy.md", root / "docs/generated/steps.md"
    known = re.findall(r"within 20 % or 5 ms: (\d+ of \d+) steps", counted.read_text())
    text = " ".join(page.read_text().split())
    said = re.findall(r"within 20 % or 5 ms in (\d+ of (?:the )?\d+) steps|(\d+ of \d+) steps are within 20 % or 5 ms", text)
    said = [(a or b).replace("the ", "") for a, b in said]
    if said != known:
        yield f"{name(page)}: says {', '.join(said)} of steps, {name(counted)} {', '.join(known)}"


# README's table of accuracy: words of a row, and where its figures stand in docs/generated/: in accuracy.md the study, the column
# and the tables whose least and largest factor (or error, in the column of means) each figure is; in other pages a sentence.
ABCI, P4D, RTX = "NCCL on ABCI V, ", "NCCL on AWS p4d, ", "NCCL on 8 nodes of 4 RTX 2080 Ti, "
ACCURACY = [
    ("1 to 16 nodes of ABCI's V100", ABCI + "from", "64 KiB and more", ["allreduce.*"]),
    ("the same on 8 and 16 nodes", ABCI + "software", "64 KiB and more", ["allreduce, 32.*", "allreduce, 64.*"]),
    ("4 to 32 of those V100", ABCI + "from", "64 KiB and more", ["broadcast.*"]),
    ("four of ABCI's A100", "NCCL on one node of ABCI A, ", "64 KiB and more", ["allreduce.*", "broadcast.*"]),
    ("DGX-2", "NCCL on DGX-2, ", "all", ["allreduce, 16 ranks", ".*algo=.*"]),
    ("nodes of 8 H100", "NCCL on nodes of eight H100, ", "64 KiB and more", ["allreduce.*"]),
    ("RTX 2080 Ti: as", RTX, "all", ["allreduce, 32 ranks", ".*algo=ring"]),
    ("AWS p4d, from", P4D, "64 KiB and more", ["allreduce.*"]),
    ("Open MPI allreduce and broadcast", "Host MPI on ABCI V, ", "all, mean", ["(allreduce|broadcast).*"]),
    ("Summit, 376", "Point to point on Summit", "all, mean", ["all"]),
]
PLAYED = [
    ("150 collectives", [("testbed-results", r"([\d.]+) to ([\d.]+) % in the mean, ([\d.]+) % at worst")]),
    ("`tune` chose from", [("testbed-tuned", r"off by ([\d.]+) % in the mean .* ([\d.]+) % at worst"),
                           ("testbed-synthesized", r"([\d.]+) % in the mean, -([\d.]+) % at worst")]),
    ("with MPICH", [("testbed-tuned-mpich", r"off by ([\d.]+) % in the mean .* ([\d.]+) % at worst")]),
]


def rows(text):
    """The rows of a page's tables as lists of cells."""
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]


def figures_unlike():
    """What README says of accuracy is what the generated pages say."""
    readme, pages = root / "README.md", root / "docs/generated"
    sections = re.split(r"^## ", (pages / "accuracy.md").read_text(), flags=re.MULTILINE)

    def said(words):
        cells = next((row for row in rows(readme.read_text()) if words in row[0]), [""])
        return re.findall(r"\d+(?:\.\d+)?", cells[-1])

    def of_study(study, column, tables):
        head, *all_tables = rows(next(s for s in sections if s.startswith(study)))
        at = head.index(column)
        for table in tables:
            errors = [float(row[at].split()[0]) for row in all_tables if len(row) == len(head) and re.fullmatch(table, row[0])]
            yield from sorted({1 + e / 100 if column != "all, mean" else e for e in (min(errors), max(errors))})

    def of_pages(sentences):
        for page, sentence in sentences:
            yield from map(float, re.search(sentence, (pages / f"{page}.md").read_text()).groups())

    for words, known in [*((w, of_study(*where)) for w, *where in ACCURACY), *((w, of_pages(where)) for w, where in PLAYED)]:
        figures, known = said(words), list(known)
        if len(figures) != len(known) or any(f"{k:.{len(f.partition('.')[2])}f}" != f for f, k in zip(figures, known)):
            yield f"README.md: '{words}': says {', '.join(figures)}, docs/generated has {', '.join(f'{k:.3g}' for k in known)}"
    intervals = rows(next(s for s in sections if s.startswith("Intervals")))

    def last(study):  # of `all`: the tables that nothing was fitted to
        return [row for row in intervals if row[0].startswith(study)][-1]

    everywhere, p4d, rtx = (f"{float(last(study)[4].split()[0]):.0f} %" for study in ("all", P4D, RTX))
    sentence = (f"Of the {int(last('all')[3]):,} points of tables that nothing was fitted to, the intervals hold {everywhere} "
                f"({p4d} on AWS p4d, {rtx} on the RTX 2080 Ti).")
    if sentence not in " ".join(readme.read_text().split()):
        yield f"README.md: docs/generated/accuracy.md has: {sentence}"


documents = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
verbs = re.findall(r"^  ([a-z]+) ", printed("--help").partition("Subcommands:")[2], re.MULTILINE)
errors = [*dead_links(), *dead_mentions(), *options_unsaid(verbs, documents), *platforms_unsaid(), *heads_unsaid(documents),
          *verbs_unsaid(verbs), *counts_unlike(), *figures_unlike()]
if not verbs:
    errors.append("collcast --help lists no verbs")
print("\n".join(errors) or f"{len(documents)} documents explain {len(verbs)} verbs, and their links lead somewhere")
sys.exit(bool(errors))
