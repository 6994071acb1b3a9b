"""Lockstep from Python: numpy arrays go in, statistics come out. python3 locks.py [MACHINE]"""
import ctypes as c
import json
import sys

import numpy as np

lockstep = c.CDLL("liblockstep.so.1")
u32, u64, p, text = c.c_uint32, c.c_uint64, c.c_void_p, c.c_char_p


def structure(name, *members):  # as in lockstep/device.h, with the size at the beginning
    return type(name, (c.Structure,), {"_fields_": [("size", c.c_size_t), *members],
                                       "__init__": lambda s, **k: c.Structure.__init__(s, c.sizeof(s), **k)})


class Argument(c.Structure):
    _fields_ = [("value", p), ("bytes", c.c_size_t)]


Setup = structure("Setup", ("machine", text), ("text", text), ("set", p), ("scheduler", p), ("user", p))
Launch = structure("Launch", ("module", p), ("kernel", text), ("grid", u32 * 3), ("block", u32 * 3), ("shared", u64),
                   ("count", u32), ("flags", u32), ("arguments", c.POINTER(Argument)), ("max_cycles", u64),
                   ("threads", u32), ("registers", u32))
lockstep.lockstep_message.restype = text
device, module, result = p(), p(), text()


def call(name, *arguments):
    if getattr(lockstep, "lockstep_" + name)(device, *arguments):
        sys.exit(lockstep.lockstep_message(device).decode())


def to_device(array):
    address = u64()
    call("allocate", u64(array.nbytes), c.byref(address))
    call("write", address, array.ctypes.data_as(p), u64(array.nbytes))
    return address


if lockstep.lockstep_create(c.byref(device), c.byref(Setup(machine=sys.argv[1].encode() if sys.argv[1:] else None))):
    sys.exit(lockstep.lockstep_message(device).decode())
ptx = open("locks.ptx", "rb").read()
call("load", text(b"locks.ptx"), ptx, c.c_size_t(len(ptx)), u32(0), c.byref(module))
sums = np.zeros(8, np.uint32)
values = [to_device(np.zeros(8, np.uint32)), to_device(sums), u32(2)]
arguments = (Argument * 3)(*[Argument(c.cast(c.pointer(v), p), c.sizeof(v)) for v in values])
call("launch", c.byref(Launch(module=module, kernel=b"add_under_locks", grid=(8, 1, 1), block=(64, 1, 1), count=3,
                              arguments=arguments)))
call("run", None, None)
call("read", sums.ctypes.data_as(p), values[1], u64(sums.nbytes))
call("result_json", c.byref(result))
kernel = json.loads(result.value)
statistics = {f"{group}.{name}": value for group, members in kernel.items() if isinstance(members, dict)
              for name, value in members.items() if group != "host"}
print("sums", sums, "cycles", kernel["cycles"])
try:
    import pandas
    print(pandas.DataFrame({"value": statistics}).to_string())
except ImportError:
    print("\n".join(f"{name} {value}" for name, value in statistics.items()))
