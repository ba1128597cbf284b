import ChatelaineMemory
import ChatelaineModel
import Foundation
import TestSupport
import Testing

@testable import CallerIdentity

/// A resolver with its own files.
final class Bench {
    /// Whether tests can use files and processes of other users.
    static let isRoot = getuid() == 0
    static let needsRoot: Comment = "SKIPPED: needs root, to own files and processes as other users"
    static let key = SecretBytes(Array(repeating: UInt8(7), count: 32))
    /// A user id without an account.
    static let user: uid_t = 20_001

    let records: TemporaryFolder
    let ledger: ApplicationLedger
    let digests: DigestCache
    let resolver: IdentityResolver

    init(
        system: IdentitySystemCalls = .system, reference: ReferenceNamespaces? = nil,
        sharedPaths: Set<CanonicalPath> = [], signatures: SignatureValidator? = nil,
        addedInterpreters: String = "/nonexistent",
        user: uid_t = Bench.user, homes: [String] = []
    ) throws {
        records = try TemporaryFolder(isRootOnly: false)
        ledger = try ApplicationLedger(
            folder: records.path, key: Bench.key, user: user, homes: homes, system: .system)
        digests = DigestCache()
        resolver = IdentityResolver(
            reference: try reference ?? .own(), ledger: ledger, digests: digests, sharedPaths: sharedPaths,
            signatures: signatures, addedInterpreters: addedInterpreters, system: system)
    }

    /// A signature of decisions that these tests do not check.
    static let endorsement = Endorsement(
        number: 1, signature: [UInt8](repeating: 9, count: Endorsement.signatureBytes))

    /// A digest of equal bytes.
    static func digest(_ byte: UInt8) -> ExecutableDigest {
        guard let digest = ExecutableDigest([UInt8](repeating: byte, count: ExecutableDigest.byteCount)) else {
            preconditionFailure("a digest has that many bytes")
        }
        return digest
    }

    /// The ledger as it is on disk.
    func reopened() throws -> ApplicationLedger {
        try ApplicationLedger(folder: records.path, key: Bench.key, user: Bench.user, homes: [], system: .system)
    }

    func identify(_ child: Child) throws -> Identity {
        try resolver.identify(ExecutableSnapshot(of: child.handle(resolver.system)))
    }

    /// Starts a program, waits until it runs, and identifies it.
    func identify(_ arguments: [String], uid: uid_t? = Bench.user) throws -> Identity {
        let child = try Child(arguments, uid: uid)
        try #require(child.answers())
        return try identify(child)
    }

    /// Why a running program is not identified, or nil if it is.
    func refusal(of child: Child) throws -> Unidentified.Reason? {
        do { _ = try identify(child) } catch let error as Unidentified { return error.reason }
        return nil
    }
}
