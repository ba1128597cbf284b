#!/usr/bin/env python3
"""Uses the keychain from Python as programs for macOS do, through ctypes; then compares every constant with its table.

    passwords.py LIBRARY TABLE-OF-CONSTANTS
"""

import ctypes
import sys
from ctypes import c_bool, c_char_p, c_double, c_int32, c_int64, c_long, c_uint32, c_ubyte, c_void_p

# One library is enough: names that it does not have are looked up in those that it needs.
security = ctypes.CDLL(sys.argv[1])
foundation = security

UTF8 = 0x08000100
INT64 = 4


def function(name, result, *arguments):
    call = getattr(security, name)
    call.restype, call.argtypes = result, arguments
    return call


CFDataCreate = function("CFDataCreate", c_void_p, c_void_p, c_char_p, c_long)
CFDataGetLength = function("CFDataGetLength", c_long, c_void_p)
CFDataGetBytePtr = function("CFDataGetBytePtr", c_void_p, c_void_p)
CFDictionaryCreate = function(
    "CFDictionaryCreate", c_void_p, c_void_p, c_void_p, c_void_p, c_long, c_void_p, c_void_p
)
CFDictionaryGetValue = function("CFDictionaryGetValue", c_void_p, c_void_p, c_void_p)
CFArrayGetCount = function("CFArrayGetCount", c_long, c_void_p)
CFArrayGetValueAtIndex = function("CFArrayGetValueAtIndex", c_void_p, c_void_p, c_long)
CFNumberCreate = function("CFNumberCreate", c_void_p, c_void_p, c_long, c_void_p)
CFNumberGetValue = function("CFNumberGetValue", c_bool, c_void_p, c_long, c_void_p)
CFStringCreateWithCString = function("CFStringCreateWithCString", c_void_p, c_void_p, c_char_p, c_uint32)
CFStringGetLength = function("CFStringGetLength", c_long, c_void_p)
CFStringGetCString = function("CFStringGetCString", c_bool, c_void_p, c_char_p, c_long, c_uint32)
CFGetTypeID = function("CFGetTypeID", c_long, c_void_p)
CFDataGetTypeID = function("CFDataGetTypeID", c_long)
CFDateGetAbsoluteTime = function("CFDateGetAbsoluteTime", c_double, c_void_p)
CFAbsoluteTimeGetCurrent = function("CFAbsoluteTimeGetCurrent", c_double)
CFRelease = function("CFRelease", None, c_void_p)
SecItemAdd = function("SecItemAdd", c_int32, c_void_p, c_void_p)
SecItemCopyMatching = function("SecItemCopyMatching", c_int32, c_void_p, c_void_p)
SecItemUpdate = function("SecItemUpdate", c_int32, c_void_p, c_void_p)
SecItemDelete = function("SecItemDelete", c_int32, c_void_p)
SecCopyErrorMessageString = function("SecCopyErrorMessageString", c_void_p, c_int32, c_void_p)
SecRandomCopyBytes = function("SecRandomCopyBytes", c_int32, c_void_p, ctypes.c_size_t, c_void_p)

SUCCESS, PARAM, DUPLICATE, NOT_FOUND, NO_SUCH_CLASS = 0, -50, -25299, -25300, -25306


def constant(name):
    return c_void_p.in_dll(security, name).value


def to_object(value):
    """An object with one reference; names of constants are given as they are."""
    if isinstance(value, bool):
        return constant("kCFBooleanTrue" if value else "kCFBooleanFalse")
    if isinstance(value, int):
        return CFNumberCreate(None, INT64, ctypes.byref(c_int64(value)))
    if isinstance(value, bytes):
        return CFDataCreate(None, value, len(value))
    if value.startswith("kSec"):
        return constant(value)
    return CFStringCreateWithCString(None, value.encode(), UTF8)


def to_text(string):
    buffer = ctypes.create_string_buffer(4 * CFStringGetLength(string) + 1)
    assert CFStringGetCString(string, buffer, len(buffer), UTF8)
    return buffer.value.decode()


def to_bytes(data):
    assert CFGetTypeID(data) == CFDataGetTypeID()
    return ctypes.string_at(CFDataGetBytePtr(data), CFDataGetLength(data))


def query(**pairs):
    """A dictionary as keyring and its like make it: with the callbacks for objects."""
    keys = [constant(name) for name in pairs]
    values = [to_object(value) for value in pairs.values()]
    dictionary = CFDictionaryCreate(
        None,
        (c_void_p * len(keys))(*keys),
        (c_void_p * len(values))(*values),
        len(keys),
        ctypes.addressof(c_ubyte.in_dll(foundation, "kCFTypeDictionaryKeyCallBacks")),
        ctypes.addressof(c_ubyte.in_dll(foundation, "kCFTypeDictionaryValueCallBacks")),
    )
    for value, object in zip(pairs.values(), values):
        if not isinstance(value, bool) and not (isinstance(value, str) and value.startswith("kSec")):
            CFRelease(object)
    return dictionary


def call(function, *queries):
    """The status of a call whose dictionaries are made for it alone."""
    status = function(*queries)
    for dictionary in queries:
        if dictionary:
            CFRelease(dictionary)
    return status


def find(**pairs):
    """Status and result; the result is the caller's to release."""
    dictionary, result = query(**pairs), c_void_p()
    status = SecItemCopyMatching(dictionary, ctypes.byref(result))
    CFRelease(dictionary)
    return status, result.value


def expect(actual, expected, what):
    assert actual == expected, f"{what}: {actual} instead of {expected}"


def check_class(name, secret, changed, **attributes):
    item = {"kSecClass": name, **attributes}
    add = lambda value: SecItemAdd(value, None)
    expect(call(add, query(**item, kSecValueData=secret)), SUCCESS, "add")
    expect(call(add, query(**item, kSecValueData=secret)), DUPLICATE, "add again")

    status, data = find(**item, kSecReturnData=True, kSecMatchLimit="kSecMatchLimitOne")
    expect((status, to_bytes(data)), (SUCCESS, secret.encode() if isinstance(secret, str) else secret), "find")
    CFRelease(data)

    expect(call(SecItemUpdate, query(**item), query(kSecValueData=changed)), SUCCESS, "update")
    status, array = find(
        **item, kSecReturnData=True, kSecReturnAttributes=True, kSecMatchLimit="kSecMatchLimitAll"
    )
    expect((status, CFArrayGetCount(array)), (SUCCESS, 1), "find all")
    row = CFArrayGetValueAtIndex(array, 0)
    expect(to_bytes(CFDictionaryGetValue(row, constant("kSecValueData"))), changed, "changed secret")
    expect(to_text(CFDictionaryGetValue(row, constant("kSecAttrAccount"))), attributes["kSecAttrAccount"], "account")
    made = CFDateGetAbsoluteTime(CFDictionaryGetValue(row, constant("kSecAttrCreationDate")))
    assert abs(CFAbsoluteTimeGetCurrent() - made) < 600
    if "kSecAttrPort" in attributes:
        port = c_int64()
        CFNumberGetValue(CFDictionaryGetValue(row, constant("kSecAttrPort")), INT64, ctypes.byref(port))
        expect(port.value, attributes["kSecAttrPort"], "port")
    CFRelease(array)

    expect(call(SecItemUpdate, query(**item), query(kSecValueData="text")), PARAM, "update with text")
    expect(call(SecItemDelete, query(**item)), SUCCESS, "delete")
    expect(find(**item, kSecReturnData=True), (NOT_FOUND, None), "find what is deleted")
    expect(call(SecItemDelete, query(**item)), NOT_FOUND, "delete again")


def check_constants(table):
    lines = open(table, encoding="utf-8").read().splitlines()[1:]
    for line in lines:
        name, value = line.split("\t")
        expect(f'"{to_text(constant(name))}"', value, name)
    return len(lines)


def main():
    check_class(
        "kSecClassGenericPassword", "text for a start", b"\x00\xff data", kSecAttrService="python", kSecAttrAccount="Grüße"
    )
    check_class(
        "kSecClassInternetPassword",
        b"data",
        b"other data",
        kSecAttrServer="example.org",
        kSecAttrAccount="ada",
        kSecAttrPort=993,
        kSecAttrProtocol="kSecAttrProtocolIMAPS",
        kSecAttrPath="/",
    )
    expect(SecItemAdd(None, None), PARAM, "no dictionary")
    expect(find(kSecClass="nonsense")[0], NO_SUCH_CLASS, "no such class")
    expect(find(kSecAttrService="python")[0], PARAM, "no class")
    message = SecCopyErrorMessageString(NOT_FOUND, None)
    assert len(to_text(message)) > 20
    CFRelease(message)
    buffer = ctypes.create_string_buffer(32)
    expect(SecRandomCopyBytes(constant("kSecRandomDefault"), 32, buffer), SUCCESS, "random bytes")
    assert buffer.raw != bytes(32)
    print(f"ctypes: passwords of both classes, {check_constants(sys.argv[2])} constants")


main()
