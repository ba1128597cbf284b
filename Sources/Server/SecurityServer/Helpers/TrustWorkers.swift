import CChatelaine
import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import Glibc
import TrustProtocol

/// Has signatures and certificates looked at, each by a process of its own.
///
/// Whoever calls it may wait for seconds, and holds no lock and no budget meanwhile.
package final class TrustWorkers: SignatureVerifying {
    /// How long one may take; a hundredth of it is usual.
    static let seconds = 5
    /// How long a question waits for those before it, in milliseconds: for two rounds of the slowest.
    static let patience = 10_000

    private let starter: any ProcessStarting
    private let seconds: Int
    private let patience: Int
    private let monitor = Monitor()
    // SAFETY: read and written inside of `monitor`.
    nonisolated(unsafe) private var working = 0

    init(_ starter: any ProcessStarting, seconds: Int = seconds, patience: Int = patience) {
        self.starter = starter
        self.seconds = seconds
        self.patience = patience
    }

    /// ``SignatureDefect/unreadable`` where there was no answer, which says nothing of the next time.
    package func verify(_ question: SignatureQuestion) throws(KeychainError) -> SignatureVerdict {
        guard question.signature.count <= SignatureLimits.maximumFileBytes else {
            return .defect(.tooLarge, detail: "it has more than \(SignatureLimits.maximumFileBytes) bytes")
        }
        switch try ask(.signature(question)) {
        case .verdict(let verdict)? where verdict.isPossible(as: question): return verdict
        case nil: return .defect(.unreadable, detail: "trustd gave no answer within \(seconds) seconds")
        default: throw Self.confused
        }
    }

    package func examine(_ question: AnchorQuestion) throws(KeychainError) -> AnchorReport {
        guard question.file.count <= SignatureLimits.maximumAnchorBytes else {
            throw KeychainError(.param, "an anchor has at most \(SignatureLimits.maximumAnchorBytes) bytes")
        }
        switch try ask(.anchor(question)) {
        case .report(let report)? where question.team == nil || report.anchor.owner.team == question.team:
            return report
        case .unsuitable(let reason)?: throw KeychainError(.param, reason)
        case nil: throw KeychainError(.notAvailable, "trustd gave no answer within \(seconds) seconds")
        default: throw Self.confused
        }
    }

    private static var confused: KeychainError {
        KeychainError(.internalComponent, "trustd answers what it was not asked")
    }

    /// Nil where it ended or took too long.
    private func ask(_ request: TrustRequest) throws(KeychainError) -> TrustReply? {
        try takePlace()
        defer { givePlaceBack() }
        var pair: [Int32] = [-1, -1]
        guard chatelaine_unix_socketpair(&pair) == 0 else { throw KeychainError(system: errno, "a socket pair") }
        let channel = FrameChannel(descriptor: pair[0])
        let theirs = Descriptor(pair[1])
        let pid = try starter.start(channel: theirs.number)
        defer { starter.end(pid) }
        // Were it open here as well, the channel would not tell that the process is gone.
        Self.close(theirs)
        channel.setDeadline(seconds: seconds)
        do {
            try channel.send { request.encode(to: &$0) }
            return try channel.withFrame(limit: TrustWire.maximumReplyBytes) { frame, descriptors in
                guard descriptors.count == 0 else { throw FrameError.unexpected }
                return try TrustReply(frame: frame)
            }
        } catch {
            return nil
        }
    }

    private static func close(_ descriptor: consuming Descriptor) {}

    private func takePlace() throws(KeychainError) {
        let isFree = monitor.locked {
            var left = patience
            while working >= ProcessStarter.mostVerifiers, left > 0 {
                let start = MonotonicClock.coarseMilliseconds
                monitor.wait(milliseconds: left)
                left -= Int(MonotonicClock.coarseMilliseconds - start)
            }
            guard working < ProcessStarter.mostVerifiers else { return false }
            working += 1
            return true
        }
        guard isFree else { throw KeychainError(.notAvailable, "too many signatures are looked at") }
    }

    private func givePlaceBack() {
        monitor.locked { working -= 1 }
        monitor.signal()
    }
}

extension SignatureVerdict {
    /// Whether it can be the answer. Whoever took that process over can lie, and not about other teams than the one that was asked about.
    fileprivate func isPossible(as question: SignatureQuestion) -> Bool {
        switch self {
        case .claims(let claims):
            claims.owner == question.anchor?.owner
                && claims.validFrom <= question.now && question.now <= claims.validUntil
                && ([claims.identifier] + claims.keychainGroups).allSatisfy { claims.owner.team.isPrefix(of: $0) }
        case .needsAnchor: question.anchor == nil
        case .defect: true
        }
    }
}
