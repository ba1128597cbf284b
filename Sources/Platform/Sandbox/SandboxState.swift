import Glibc

/// What became of one measure.
package struct SandboxState: Sendable, Equatable {
    /// The numbers go from enclaved to securityd (`enclave-protocol.md`): they never change meaning.
    package enum Level: UInt8, Sendable, CaseIterable {
        case on = 1
        /// The daemon could have it and does not.
        case off = 2
        /// The kernel, the C library or the container does not offer it.
        case impossible = 3
        /// Something was tried since the start that is not allowed: an intruder, or a library that changed.
        case refused = 4

        /// The word in reports (`wire.md`); it never changes.
        package var word: String {
            switch self {
            case .on: "on"
            case .off: "off"
            case .impossible: "impossible"
            case .refused: "refused"
            }
        }
    }

    /// A word of ``SandboxMeasure``, or `refused`.
    package let name: String
    package let level: Level
    /// How far, or why not.
    package let detail: String

    package init(_ name: String, _ level: Level, _ detail: String = "") {
        self.name = name
        self.level = level
        self.detail = detail
    }

    /// A step that failed: not offered here, where the system says that it does not know it or does not allow it, as a
    /// container may.
    static func failure(_ measure: SandboxMeasure, _ step: String, _ error: Int32) -> SandboxState {
        let isImpossible = [EPERM, ENOSYS, EINVAL, EOPNOTSUPP].contains(error)
        return SandboxState(
            measure.rawValue, isImpossible ? .impossible : .off, "\(step) failed: \(String(cString: strerror(error)))")
    }
}
