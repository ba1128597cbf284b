import ChatelaineModel
import ChatelaineSystem
import Crypto
import TrustProtocol

/// The verdicts on signatures, so that a signature is examined once, however many connections its program has.
///
/// A caller that asks for a verdict which is being computed waits for that answer. A signature that counts is
/// remembered until its dates are over. A defect that the clock may change is remembered for a moment only.
final class VerdictCache: Sendable {
    /// Signatures of all programs of a user; when it is reached, the cache is emptied.
    static let maximumEntries = 1024
    /// The seconds for which a defect that depends on the clock is remembered.
    static let seconds: Int64 = 10
    /// The seconds after which an unreadable signature is tried again.
    static let secondsUntilAnotherTry: Int64 = 1

    struct Key: Hashable, Sendable {
        let digest: ExecutableDigest
        let signature: Bytes32
        /// Nil while the team is not known.
        let anchor: TeamAnchor?
    }

    private struct Entry {
        let verdict: SignatureVerdict
        let holds: ClosedRange<Int64>
    }

    private final class Flight: Sendable { let lock = AdaptiveMutex(()) }

    private struct State {
        var entries: [Key: Entry] = [:]
        var flights: [Key: Flight] = [:]
    }

    private let verifier: any SignatureVerifying
    private let state = AdaptiveMutex(State())

    init(_ verifier: any SignatureVerifying) { self.verifier = verifier }

    /// - Parameter now: seconds since 1970.
    /// - Throws: if the verifier could not answer; that is not remembered.
    func verdict(
        _ key: Key, _ file: SignatureFile, now: Int64
    ) throws(KeychainError) -> (verdict: SignatureVerdict, holds: ClosedRange<Int64>) {
        if let known = known(key, now) { return known }
        let flight = state.withLock { state in
            let flight = state.flights[key] ?? Flight()
            state.flights[key] = flight
            return flight
        }
        defer { state.withLock { $0.flights[key] = nil } }
        // Only calls for the same verdict contend for this lock.
        return try flight.lock.withLock { (_) throws(KeychainError) in
            if let known = known(key, now) { return known }
            let verdict = try verifier.verify(
                SignatureQuestion(signature: file.bytes, digest: key.digest, anchor: key.anchor, now: now))
            let entry = Entry(verdict: verdict, holds: Self.holds(verdict, now))
            state.withLock { state in
                if state.entries.count >= Self.maximumEntries { state.entries = [:] }
                state.entries[key] = entry
            }
            return (entry.verdict, entry.holds)
        }
    }

    private func known(_ key: Key, _ now: Int64) -> (SignatureVerdict, ClosedRange<Int64>)? {
        state.withLock { state in
            guard let entry = state.entries[key], entry.holds.contains(now) else { return nil }
            return (entry.verdict, entry.holds)
        }
    }

    private static func holds(_ verdict: SignatureVerdict, _ now: Int64) -> ClosedRange<Int64> {
        switch verdict {
        case .needsAnchor: always
        // Dates that end before they begin would make an invalid range.
        case .claims(let claims): claims.validFrom...max(claims.validFrom, claims.validUntil)
        case .defect(.unreadable, _): moment(now, secondsUntilAnotherTry)
        case .defect(let defect, _): defect.dependsOnTheClock ? moment(now, seconds) : always
        }
    }

    static let always = Int64.min...Int64.max

    static func moment(_ now: Int64, _ seconds: Int64) -> ClosedRange<Int64> { now...(now + seconds) }
}

extension SignatureDefect {
    /// Whether another date may lead to another verdict.
    fileprivate var dependsOnTheClock: Bool {
        switch self {
        case .notYetValid, .expired, .badChain, .outsideProfile: true
        default: false
        }
    }
}
