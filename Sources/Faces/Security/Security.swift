// The module Security: Apple's Keychain Services API, nothing else.
//
// Data model: programs speak in dictionaries (CFDictionary is NSDictionary, see the module CoreFoundation) whose keys
// are the kSec constants in Generated/. A call turns its dictionary into values of ChatelaineModel once, sends one
// request and shapes the answer; no type of this module is known to the daemons.
//
// File keychains, access objects and their entries are objects with functions of their own (Keychains, AccessObjects); what
// both languages share of a call is in an enum of Calls.
//
// Lifetimes: constants are immutable and live as long as the process. Nothing here owns a secret.
//
// Rules: the values of constants and status codes come from Tools/data and are never typed by hand. Foundation itself
// is not re-exported, as on Apple's platforms: a file that says Data or Date imports Foundation.

@_exported import CoreFoundation
