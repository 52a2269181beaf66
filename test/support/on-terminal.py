"""Runs a command on a terminal of its own: python3 on-terminal.py COMMAND ARG...

What it writes comes out of stdout, what comes in at stdin is typed. The first line tells its process id. TERMINAL_SIZE
is its columns and rows; at SIGUSR1 it gets those of TERMINAL_RESIZED. The last line tells whether it is in canonical mode,
and echoes.
"""
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios


def resize(fd, name, default):
    columns, rows = (int(each) for each in os.environ.get(name, default).split("x"))
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


pid, terminal = pty.fork()
if pid == 0:
    resize(0, "TERMINAL_SIZE", "200x40")
    os.execv(sys.argv[1], sys.argv[1:])
signal.signal(signal.SIGUSR1, lambda *_: resize(terminal, "TERMINAL_RESIZED", "200x40"))
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
flags = termios.tcgetattr(terminal)[3]
os.write(1, f"\nmodes {int(flags & termios.ICANON > 0)} {int(flags & termios.ECHO > 0)}\n".encode())
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
sys.exit(status if status >= 0 else 128 - status)
