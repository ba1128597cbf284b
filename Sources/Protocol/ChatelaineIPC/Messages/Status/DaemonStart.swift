/// How securityd came to run.
///
/// The words are in reports (`wire.md`); they never change.
package enum DaemonStart: String, CaseIterable, Sendable {
    /// A client started it.
    case autostart = "autostart"
    case systemd = "systemd"
    case manual = "manual"
}
