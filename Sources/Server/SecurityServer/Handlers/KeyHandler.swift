import ChatelaineIPC
import ChatelaineModel

/// Carries out requests about private keys of the keychain.
enum KeyHandler {
    static let routes: [RequestRoute] = [
        .init(aside: make),
        .init(use),
        .init(makeDetached),
        .init(readDetached),
        .init(useDetached),
    ]

    /// Makes a key.
    ///
    /// A search for primes may take seconds, so this holds no turn, and the program's other requests go on.
    static func make(_ request: MakeKey, _ context: inout RequestContext) throws(KeychainError) -> FoundItem {
        try context.prepare(for: request)
        defer { context.leaveKeychain() }
        let change = try context.changeRequest(request.identifier)
        let (keychain, caller) = (try context.keychain, try context.caller)
        return try keychain.makeKey(request.pair, for: caller, change, &context.access)
    }

    static func use(_ request: UseKey, _ context: inout RequestContext) throws(KeychainError) -> KeyResult {
        let (keychain, caller) = (try context.keychain, try context.caller)
        return KeyResult(try keychain.useKey(request.use, for: caller, &context.access))
    }

    // MARK: Keys that their programs keep

    static func makeDetached(
        _ request: MakeDetachedKey, _ context: inout RequestContext
    ) throws(KeychainError) -> DetachedKeyReply {
        let (keychain, caller) = (try context.keychain, try context.caller)
        let made = try keychain.makeDetachedKey(request.item, for: caller)
        return DetachedKeyReply(bytes: made.bytes, publicBytes: made.publicBytes)
    }

    static func readDetached(
        _ request: ReadDetachedKey, _ context: inout RequestContext
    ) throws(KeychainError) -> DetachedKeyReply {
        let (keychain, caller) = (try context.keychain, try context.caller)
        let publicBytes = try keychain.publicBytes(ofDetachedKey: request.bytes, for: caller)
        return DetachedKeyReply(bytes: request.bytes, publicBytes: publicBytes)
    }

    static func useDetached(
        _ request: UseDetachedKey, _ context: inout RequestContext
    ) throws(KeychainError) -> KeyResult {
        let (keychain, caller) = (try context.keychain, try context.caller)
        return KeyResult(try keychain.useDetachedKey(request.use, for: caller, &context.access))
    }
}
