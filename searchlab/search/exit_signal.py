"""A signal that ends this process with an exit code that another process has chosen, while no Python code can run.

The handler is a few bytes of machine code that call `_exit` with the number on the page that the two share. Where
there is no such code for the processor, or the system forbids it, there is no handler.
"""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, Any

from searchlab.search.shared_page import EXIT_CODE

if TYPE_CHECKING:
    from searchlab.search.shared_page import SharedPage

EXIT_SIGNAL = getattr(signal, "SIGRTMAX", getattr(signal, "SIGUSR2", 0) + 1) - 1
"""The signal that ends the program with the exit code on its page."""


def install_handler(page: SharedPage) -> bool:
    """Let EXIT_SIGNAL end this process with the exit code on a page of memory; return whether that works."""
    import ctypes
    import mmap

    try:
        libc = ctypes.CDLL(None)
        code = ctypes.addressof(ctypes.c_char.from_buffer(page.memory, EXIT_CODE)).to_bytes(8, "little")
        leave = (ctypes.cast(libc._exit, ctypes.c_void_p).value or 0).to_bytes(8, "little")
        machine = os.uname().machine.lower()
        if machine in ("x86_64", "amd64"):
            # endbr64; mov rax, code; mov edi, [rax]; mov rax, _exit; jmp rax
            content = b"\xf3\x0f\x1e\xfa\x48\xb8" + code + b"\x8b\x38\x48\xb8" + leave + b"\xff\xe0"
        elif machine in ("arm64", "aarch64"):
            # ldr x1, code; ldr w0, [x1]; ldr x16, _exit; br x16
            words = (0x58000081, 0xB9400020, 0x58000090, 0xD61F0200)
            content = b"".join(word.to_bytes(4, "little") for word in words) + code + leave
        else:
            return False
        handler = mmap.mmap(-1, mmap.PAGESIZE)
        handler.write(content)
        address = ctypes.addressof(ctypes.c_char.from_buffer(handler))
        if libc.mprotect(ctypes.c_void_p(address), mmap.PAGESIZE, mmap.PROT_READ | mmap.PROT_EXEC):
            return False
        libc.signal.argtypes, libc.signal.restype = (ctypes.c_int, ctypes.c_void_p), ctypes.c_void_p
        for memory in (
            page.memory,
            handler,
        ):  # a signal may come when the interpreter has already freed everything else
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(memory))
        libc.signal(EXIT_SIGNAL, address)
        _handler.extend((handler, libc.signal, address))
    except (OSError, AttributeError, ValueError):
        return False
    return True


def handle_also(number: int) -> bool:
    """Let another signal do the same; return False if there is no handler."""
    if not _handler:
        return False
    _, set_handler, address = _handler
    signal.signal(number, signal.SIG_DFL)  # or Python would do so once more when it ends
    set_handler(number, address)
    return True


_handler: list[Any] = []
"""The memory that holds that machine code, the C function that sets a handler, and the code's address."""
