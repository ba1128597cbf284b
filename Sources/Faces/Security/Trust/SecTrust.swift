import ChatelaineModel
import Foundation
import Synchronization

/// An evaluation of trust: certificates, what they have to be good for, and what came of it.
///
/// Any thread may use it. What it was asked is put to securityd with the first call that needs the answer, and again after a change.
public final class SecTrust: NSObject, CFTypeIdentified, Sendable {
    /// Above every type of CoreFoundation, whose identifiers end before 256.
    public static let cfTypeID: CFTypeID = 267

    /// What a program has set, and the answer as long as it holds.
    package struct State: Sendable {
        var question: TrustQuestion
        /// Issuers and subjects of its certificates (DER); nil where those of one are not known here.
        var names: [[UInt8]]?
        /// Nil where the program has set none.
        var anchors: [SecCertificate]?
        /// Nil where the program has not said: then its anchors are the only ones, if it has set any.
        var hasOwnAnchorsOnly: Bool?
        /// Seconds since 2001.
        var date: Double?
        var exceptions: TrustExceptions?
        var keychains = ChainKeychains.none
        var verdict: TrustVerdict?
        /// The same before exceptions: what further ones are made of.
        var found: TrustVerdict?
        /// Seconds since 2001.
        var evaluated: Double?
    }

    package let state: Mutex<State>
    /// What calls have handed out that is to live as long as this; for C, whose callers release it no more than Swift's.
    package let kept: Mutex<[Int: any AnyObject & Sendable]> = Mutex([:])

    package init(_ question: TrustQuestion, names: [[UInt8]]? = nil) {
        state = Mutex(State(question: question, names: names))
    }

    /// Changes what is asked, so that the former answer counts no more.
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

/// What came of an evaluation, under the name of old for what a user has set.
public typealias SecTrustUserSetting = SecTrustResultType

/// The type identifier of ``SecTrust`` objects.
public func SecTrustGetTypeID() -> CFTypeID { SecTrust.cfTypeID }
