import ChatelaineModel
import ChatelaineSystem
import Crypto
import TrustProtocol

/// The verdicts on signatures, so that a signature is examined once, however many connections its program has.
///
/// A caller that asks for a verdict which is being computed waits for that answer, and gets it even if it is an error:
/// callers that waited for one another would each wait for a verifier that does not answer. A signature that counts is
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

    /// A verdict, and the seconds since 1970 for which it holds.
    typealias Entry = (verdict: SignatureVerdict, holds: ClosedRange<Int64>)

    /// A verdict that is being computed; its lock is held until there is an answer.
    private final class Flight: Sendable { let answer = AdaptiveMutex<Result<Entry, KeychainError>?>(nil) }

    private struct State {
        var entries: [Key: Entry] = [:]
        var flights: [Key: Flight] = [:]
    }

    private let verifier: any SignatureVerifying
    private let state = AdaptiveMutex(State())

    init(_ verifier: any SignatureVerifying) { self.verifier = verifier }

    /// - Parameter now: seconds since 1970.
    /// - Throws: if the verifier could not answer; that is not remembered.
    func verdict(_ key: Key, _ file: SignatureFile, now: Int64) throws(KeychainError) -> Entry {
        let (known, flight) = state.withLock { state -> (Entry?, Flight) in
            if let entry = state.entries[key], entry.holds.contains(now) { return (entry, Flight()) }
            let flight = state.flights[key] ?? Flight()
            state.flights[key] = flight
            return (nil, flight)
        }
        if let known { return known }
        // Only calls for the same verdict contend for this lock.
        let answer = flight.answer.withLock { answer in
            if let answer { return answer }
            let made = Result { () throws(KeychainError) in try verify(key, file, now) }
            answer = made
            land(key, made)
            return made
        }
        return try answer.get()
    }

    private func verify(_ key: Key, _ file: SignatureFile, _ now: Int64) throws(KeychainError) -> Entry {
        let verdict = try verifier.verify(
            SignatureQuestion(signature: file.bytes, digest: key.digest, anchor: key.anchor, now: now))
        return (verdict, Self.holds(verdict, now))
    }

    /// Remembers an answer for those who ask from now on.
    private func land(_ key: Key, _ answer: Result<Entry, KeychainError>) {
        state.withLock { state in
            state.flights[key] = nil
            guard case .success(let entry) = answer else { return }
            if state.entries.count >= Self.maximumEntries { state.entries = [:] }
            state.entries[key] = entry
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
