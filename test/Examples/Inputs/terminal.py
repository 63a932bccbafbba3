"""Runs a command on a terminal of its own and prints what it shows, a line for each time it begins one anew."""
import os
import pty
import sys

leader, follower = pty.openpty()
child = os.fork()
if child == 0:
    os.dup2(follower, 1)
    os.dup2(follower, 2)
    os.closerange(3, 64)
    os.execv(sys.argv[1], sys.argv[1:])
os.close(follower)
shown = b""
try:
    while part := os.read(leader, 4096):
        shown += part
except OSError:  # the child has closed its end
    pass
print(shown.decode().replace("\r", "\n"))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
