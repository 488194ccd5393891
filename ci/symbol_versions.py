#!/usr/bin/env python3
"""Makes files run on the oldest systems that the bundle and the wheel are for, and names those that cannot:
usage: ci/symbol_versions.py FILE..."""

import re
import struct
import subprocess
import sys

# What RHEL 9 has. Ubuntu 22.04 and Debian 12 have newer ones.
LIMITS = {"GLIBC": (2, 34), "GLIBCXX": (3, 4, 29)}
# GCC 12's libstdc++ has this function in a newer version, and keeps it in the one that all have.
KEPT = {"_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE": ("GLIBCXX_3.4.30", "GLIBCXX_3.4.11")}


def too_new(file):
    """The symbols that a file needs in a newer version than LIMITS, with that version."""
    table = subprocess.run(["objdump", "-T", file], capture_output=True, text=True, check=True).stdout
    found = {}
    for prefix, digits, symbol in re.findall(r"\*UND\*.*\((\w+)_([\d.]+)\) (\S+)$", table, re.MULTILINE):
        if prefix in LIMITS and tuple(map(int, digits.split("."))) > LIMITS[prefix]:
            found[symbol] = f"{prefix}_{digits}"
    return found


def hash_of(name):
    """The hash by which an ELF file names a version."""
    value = 0
    for byte in name.encode():
        value = (value << 4) + byte
        value = (value ^ (value & 0xF0000000) >> 24) & 0x0FFFFFFF
    return struct.pack("<I", value)


def rename(file, newer, older):
    """Replaces a version that a 64-bit ELF file needs in its section of needed versions and of names."""
    with open(file, "rb") as opened:
        data = bytearray(opened.read())
    headers, = struct.unpack_from("<Q", data, 40)
    size, count = struct.unpack_from("<HH", data, 58)
    sections = [struct.unpack_from("<IIQQQQI", data, headers + size * i) for i in range(count)]
    needed = next(each for each in sections if each[1] == 0x6FFFFFFE)
    for (*_, at, length, _), old, new in ((needed, hash_of(newer), hash_of(older)),
                                          (sections[needed[6]], newer.encode(), older.encode())):
        data[at:at + length] = data[at:at + length].replace(old, new)
    with open(file, "wb") as opened:
        opened.write(data)


def main(files):
    failed = False
    for file in files:
        found = too_new(file)
        for symbol in KEPT:
            if set(found.values()) == {KEPT[symbol][0]} and set(found) == {symbol}:
                rename(file, *KEPT[symbol])
                found = too_new(file)
        for symbol, version in found.items():
            newest = ", ".join(f"{name}_{'.'.join(map(str, LIMITS[name]))}" for name in LIMITS)
            print(f"{file} needs {symbol} of {version}: the newest that may be needed are {newest}",
                  file=sys.stderr)
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
