// The module LocalAuthentication: Apple's LAContext and what goes with it, nothing else.
//
// Data model: a context is a connection to securityd. On that connection, securityd and the key custodian remember
// what a person has shown (`AuthenticationSession`). A context has no name that another process could use, and it
// ends with its object.
//
// Threads: every method may be called on any thread. A call that asks a person returns at once, and replies on a
// thread of its own.
//
// Rules: names, numbers and behaviour are Apple's, even where a machine lacks the device: a policy that needs a watch
// fails because there is none. A person gives the passcode or a finger to the system's dialog, never to this module.

// As Apple's framework does, it brings Foundation along.
@_exported import Foundation
@_exported import Security
