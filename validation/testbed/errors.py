# SPDX-License-Identifier: Apache-2.0
"""What ends the program: one line, and an exit code as everywhere in collcast."""


class InputError(Exception):
    """Asked for what cannot be."""
    code = 2


class SubstrateError(Exception):
    """The machine or a library failed."""
    code = 3
