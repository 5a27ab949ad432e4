"""A program that answers the lines of a game, in the way that its first argument names."""

import os
import signal
import subprocess
import sys
import time


def answer(text):
    """Write a line, and flush it."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def misbehave(way, moves):
    """Answer a board as no program should."""
    if way == "dies":
        raise ValueError("no idea\x1b[31m")
    if way == "is-killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if way == "hangs":
        child = subprocess.Popen(["sleep", "1000"])
        with open(sys.argv[2], "w") as pids:
            pids.write(f"{os.getpid()} {child.pid}")
        time.sleep(1000)
    if way == "closes":
        sys.stdout.close()
        os.close(1)
        time.sleep(1000)
    while way == "floods":
        sys.stdout.write("move up\n")
    while way == "never-ends-the-line":
        sys.stdout.write("x" * 10_000)
    while way == "floods-errors":
        sys.stderr.write("so much to say\n")
    says = {
        "empty": "",
        "garbage": "\x1b[31mgarbage",
        "bytes": "\udcff",
        "illegal": "move sideways",
        "no-move": "move",
        "two-lines": f"move\t{moves[0]}\nmove\t{moves[0]}",
        "error": "error\tno such\tboard",
        "some-values": f"move\t{moves[0]}\tup=1",
        "no-number": f"move\t{moves[0]}\t" + "\t".join(f"{move}=much" for move in moves),
        "nan": f"move\t{moves[0]}\t" + "\t".join(f"{move}=nan" for move in moves),
    }
    if way == "part":
        sys.stdout.write("move u")
        sys.stdout.flush()
    elif way in says:
        sys.stdout.reconfigure(errors="surrogateescape")
        answer(says[way])
    elif way == "late-line":
        answer(f"move\t{moves[0]}")
        time.sleep(0.05)
        answer("thinking")


def main():
    """Answer each line."""
    way = sys.argv[1]
    boards = 0
    for line in sys.stdin:
        word, *fields = line.rstrip("\n").split("\t")
        if way == "says" and word != "quit":
            with open(sys.argv[2], "a") as heard:
                heard.write(line)
        if word == "hello":
            answer({"version-2": "hello 2 bot", "no-hello": "hi"}.get(way, "hello 1 bot of tests"))
        elif word == "new":
            answer("ready")
        elif word == "board":
            boards += 1
            if boards > 3 and way not in ("plays", "says", "values", "last", "stays"):
                misbehave(way, fields[1:])
            elif way == "values":
                answer("\t".join(("move", fields[-1], *(f"{m}={len(m)}.5" for m in reversed(fields[1:])))))
            elif way == "last":
                answer(f"move {fields[-1]} ")
            else:
                answer(f"move\t{fields[1]}")
        elif word == "quit" and way != "stays":
            if way == "says":
                with open(sys.argv[2], "a") as heard:
                    heard.write(line)
            return
    while way == "stays":
        time.sleep(1000)


if __name__ == "__main__":
    main()
