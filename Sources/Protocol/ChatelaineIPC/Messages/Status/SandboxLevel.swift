/// How far a process has a measure of its sandbox.
///
/// The words are in reports (`wire.md`); they never change.
package enum SandboxLevel: String, CaseIterable, Sendable {
    case on = "on"
    /// The system offers the measure, but the process does not have it.
    case off = "off"
    /// The kernel, the C library or the container does not offer the measure.
    case impossible = "impossible"
    /// The process tried a forbidden call since its start.
    case refused = "refused"
}
