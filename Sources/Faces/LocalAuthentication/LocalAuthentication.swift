// The module LocalAuthentication: Apple's LAContext and what goes with it, nothing else.
//
// Data model: a context is a connection to the daemon, on which that and the key custodian remember what a person has shown
// (`AuthenticationSession`). Nobody is told a name for it, so none can be used elsewhere; it ends with the object.
//
// Threads: every method may be called on any thread; a call that asks a person returns at once, and replies on a thread of its own.
//
// Rules: names, numbers and behaviour are Apple's, also where a machine has nothing to do it by: a policy that needs a watch says that
// there is none. A program that knows the passcode, or a finger, has shown it through a dialog of the system's and never by this module.

@_exported import Security
