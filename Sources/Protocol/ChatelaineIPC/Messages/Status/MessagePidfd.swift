/// Whether the kernel says with each message which process sent it.
///
/// The words are in reports (`wire.md`); they never change.
package enum MessagePidfd: String, CaseIterable, Sendable {
    case perMessage = "per-message"
    case degraded = "degraded"
}
