"""Runs a command on a terminal of its own: python3 on-terminal.py COMMAND ARG...

What it writes comes out of stdout, what comes in at stdin is typed. The first line tells its process id.
"""
import fcntl
import os
import pty
import select
import struct
import sys
import termios

pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 200, 0, 0))
    os.execv(sys.argv[1], sys.argv[1:])
os.write(1, f"pid {pid}\n".encode())
typed = 0
while True:
    ready, _, _ = select.select([terminal] + ([typed] if typed is not None else []), [], [])
    if terminal in ready:
        try:
            data = os.read(terminal, 65536)
        except OSError:
            break
        if not data:
            break
        os.write(1, data)
    if typed in ready:
        data = os.read(typed, 65536)
        if data:
            os.write(terminal, data)
        else:
            typed = None
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
sys.exit(status if status >= 0 else 128 - status)
