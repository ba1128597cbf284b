import ChatelaineModel
import Foundation
import Synchronization

/// A trust evaluation: certificates, policies and the result.
///
/// Any thread may use it. The first call that needs the answer sends the question to securityd; after a change, the
/// next such call sends it again.
public final class SecTrust: NSObject, CFTypeIdentified, Sendable {
    /// Above every type of CoreFoundation, whose identifiers end before 256.
    public static let cfTypeID: CFTypeID = 267

    /// The settings of the program, and the answer while it is valid.
    package struct State: Sendable {
        var question: TrustQuestion
        /// Issuers and subjects of its certificates (DER); nil where one of the certificates was not read yet.
        var names: [[UInt8]]?
        /// The program's anchors; nil where it has not set any.
        var anchors: [SecCertificate]?
        /// Whether the program's anchors are the only ones. Nil where the program has not said: then they are, if it
        /// has set any.
        var hasOwnAnchorsOnly: Bool?
        /// Seconds since 2001.
        var date: Double?
        var exceptions: TrustExceptions?
        var keychains = ChainKeychains.none
        var verdict: TrustVerdict?
        /// The verdict before exceptions, from which further exceptions are made.
        var found: TrustVerdict?
        /// Seconds since 2001.
        var evaluated: Double?
    }

    package let state: Mutex<State>
    /// Objects that calls returned and that must live as long as this one, for C callers, which do not release them.
    package let kept: Mutex<[Int: any AnyObject & Sendable]> = Mutex([:])

    package init(_ question: TrustQuestion, names: [[UInt8]]? = nil) {
        state = Mutex(State(question: question, names: names))
    }

    /// Changes the question and discards the former answer.
    package func change<Answer: Sendable>(_ body: (inout State) -> Answer) -> Answer {
        state.withLock { state in
            (state.verdict, state.found) = (nil, nil)
            return body(&state)
        }
    }

    public override var description: String {
        "<SecTrust: \(state.withLock { $0.question.certificates.count }) certificates>"
    }
}

/// The result of an evaluation, under the older name for a user's setting.
public typealias SecTrustUserSetting = SecTrustResultType

/// The type identifier of ``SecTrust`` objects.
public func SecTrustGetTypeID() -> CFTypeID { SecTrust.cfTypeID }
