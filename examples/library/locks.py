"""Lockstep from Python: numpy arrays go in, statistics come out.  python3 locks.py [MACHINE]"""
import ctypes as c, json, sys
import numpy as np

u32, u64, size, pointer, text = c.c_uint32, c.c_uint64, c.c_size_t, c.c_void_p, c.c_char_p
class Argument(c.Structure):  # these three as in lockstep/device.h
    _fields_ = [("value", pointer), ("bytes", size)]
class Setup(c.Structure):
    _fields_ = [("size", size), ("machine", text), ("text", text), ("set", pointer), ("scheduler", pointer), ("user", pointer)]
class Launch(c.Structure):
    _fields_ = [("size", size), ("module", pointer), ("kernel", text), ("grid", u32 * 3), ("block", u32 * 3), ("shared", u64), ("count", u32),
                ("flags", u32), ("arguments", c.POINTER(Argument)), ("max_cycles", u64), ("threads", u32), ("registers", u32)]

library, device, module, result = c.CDLL("liblockstep.so.1"), pointer(), pointer(), text()
library.lockstep_message.restype = text
def call(name, *arguments):
    if getattr(library, "lockstep_" + name)(*arguments):
        sys.exit(library.lockstep_message(device).decode())
def to_device(array):
    address = u64()
    call("allocate", device, u64(array.nbytes), c.byref(address))
    call("write", device, address, array.ctypes.data_as(pointer), u64(array.nbytes))
    return address

call("create", c.byref(device), c.byref(Setup(c.sizeof(Setup), *(name.encode() for name in sys.argv[1:2]))))
ptx, sums = open("locks.ptx", "rb").read(), np.zeros(8, np.uint32)
call("load", device, b"locks.ptx", ptx, size(len(ptx)), 0, c.byref(module))
values = [to_device(np.zeros(8, np.uint32)), to_device(sums), u32(2)]
arguments = (Argument * 3)(*[Argument(c.addressof(value), c.sizeof(value)) for value in values])
call("launch", device, c.byref(Launch(c.sizeof(Launch), module, b"add_under_locks", (8, 1, 1), (64, 1, 1), 0, 3, 0, arguments)))
call("run", device, None, None)
call("read", device, sums.ctypes.data_as(pointer), values[1], u64(sums.nbytes))
call("result_json", device, c.byref(result))
kernel = json.loads(result.value)
statistics = {f"{group}.{name}": value for group, members in kernel.items() if isinstance(members, dict) and group != "host"
              for name, value in members.items()}
print("sums", sums, "cycles", kernel["cycles"])
try:
    import pandas
    print(pandas.DataFrame({"value": statistics}).to_string())
except ImportError:
    print("\n".join(f"{name} {value}" for name, value in statistics.items()))
