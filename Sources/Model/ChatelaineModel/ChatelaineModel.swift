/// The vocabulary of Chatelaine: the value types that every other module uses.
///
/// - `Status/`: Apple's status codes, and ``KeychainError``, the error of calls, requests and stores. Frames, files and
///   signatures have errors of their own below it.
/// - `CBOR/`: the deterministic subset of RFC 8949 for frames, files, sealed attributes and associated data, and the
///   one way to write and read the fields of a map (``CBORMap``).
/// - `Items/`: item classes, attributes and their schema, protection classes, access control, persistent references.
/// - `AccessObjects/`: who may use an item of a file keychain, and the one function that decides it
///   (``ACLEvaluation``).
/// - `Keys/`, `Certificates/`, `Trust/`, `Signatures/`: what is known of keys and certificates, the question whether a
///   chain is trusted and its answer, and signatures of programs.
/// - `Formats/`: what files of keys and certificates contain, and messages of CMS.
/// - `KeychainItems/`, `KeychainEvents/`, `KeychainPreferences/`: items of file keychains by their references, what
///   programs are told of changes, and the search lists and default keychains.
/// - `Passwords/`: the kinds of passwords that are made.
/// - `Store/`: the names and states of keychains, and the outcomes of checks.
/// - `Query/`: a query from its dictionary to its meaning (``QueryParser``), a change to items, and the tree of a
///   result.
///
/// Rules of the Keychain that depend on the words of a query alone live in ``QueryParser`` and ``AttributeSchema``;
/// both ends of a connection apply them. Rules that depend on the caller live in the daemon.
package enum ChatelaineModel {}
