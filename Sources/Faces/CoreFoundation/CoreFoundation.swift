// The module CoreFoundation: the names of Apple's CoreFoundation that code around the keychain uses.
//
// Data model: there are no types of our own for what Foundation has already. A CFString *is* an NSString, a
// CFDictionary an NSDictionary and so on (CFObjects.swift), so that the casts that Apple's toll-free bridging allows
// are ordinary Swift casts: `query as CFDictionary`, `kSecClass as String`, `result as? Data`.
//
// Why a module, and why this name: the toolchain has a clang module CoreFoundation with types of the same names,
// which are not NSString and the rest. A program that writes `import CoreFoundation` beside `import Security` must
// get one set of names. So this module takes the name, and Security re-exports it. The functions of the C module are
// therefore not visible; this module offers those that keychain code calls, typed as Apple's importer does
// (CFDictionary+Functions.swift …). Their pointers lead to objects, as `Unmanaged.toOpaque()` makes them, and
// collections hold nothing else. The collection owns what a Get function returns. A function given a null pointer or
// an index out of bounds does nothing, and does not crash.
//
// Lifetimes: everything is a Swift reference. CFRetain and CFRelease do not exist, as on Apple's platforms in Swift;
// `Unmanaged` carries results where an API says so.
//
// Rules: this module defines equality, hash and type identifier of any object that passes for a CFTypeRef. It knows
// nothing of the keychain, and imports only Foundation.
