# SPDX-License-Identifier: Apache-2.0
"""documented.py PAGE SOURCE: the page shows what stands between "// begin" and "// end" in the source."""
import pathlib
import sys
import textwrap

page, source = (pathlib.Path(path).read_text() for path in sys.argv[1:3])
example = textwrap.dedent(source.split("// begin\n")[1].rsplit("// end", 1)[0].rstrip(" ")).strip()
if f"```cpp\n{example}\n```" not in page:
    sys.exit(f"{sys.argv[1]} does not show:\n{example}")
