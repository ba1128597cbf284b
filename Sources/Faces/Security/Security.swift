// The module Security: Apple's Keychain Services API, nothing else.
//
// Data model: programs pass dictionaries (CFDictionary is NSDictionary, see the module CoreFoundation) whose keys are
// the kSec constants in Generated/. A call converts its dictionary to values of ChatelaineModel once, sends one
// request and shapes the answer. The daemons know no type of this module.
//
// File keychains, access objects and their entries are objects with functions of their own (Keychains,
// AccessObjects). The part of a call that Swift and C share is in an enum whose name ends in Calls.
//
// Lifetimes: constants are immutable and live as long as the process. Nothing here owns a secret.
//
// Rules: the values of constants and status codes come from Tools/data and are never typed by hand. Foundation itself
// is not re-exported, as on Apple's platforms: a file that says Data or Date imports Foundation.

@_exported import CoreFoundation
