import EnclaveProtocol

/// A look or match that `FprintClient` was asked for, and how far it is.
final class FprintTask {
    enum Step {
        case queued
        case manager
        case owner
        case claim
        /// Until the device is asked for again.
        case pause
        case name
        case fingers
        case start
        case verify
        case stop
        case release
    }

    let id: UInt64
    let isMatch: Bool
    var step = Step.queued
    /// When this step is over; of a look, when all is.
    var limit: Int64
    var path = ""
    var owner = ""
    var device = ""
    var enrolment: FingerEnrolment?
    var isClaimed = false
    /// Whether there is a report to come.
    var isAwaited = true
    var retries = 0

    init(_ order: MatcherOrder, limit: Int64) {
        id = order.id
        isMatch = order.kind == .match
        self.limit = limit
    }
}
