import EnclaveProtocol

/// A look or match that `FprintClient` was asked for, and its present step.
final class FprintTask {
    enum Step {
        case queued
        case manager
        case owner
        case claim
        /// The pause before the device is claimed again.
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
    /// When the time of this step is over; for a look, that of the whole task.
    var limit: Int64
    var path = ""
    var owner = ""
    var device = ""
    var enrolment: FingerEnrolment?
    var isClaimed = false
    /// Whether a report is still to come.
    var isAwaited = true
    var retries = 0

    init(_ order: MatcherOrder, limit: Int64) {
        id = order.id
        isMatch = order.kind == .match
        self.limit = limit
    }
}
