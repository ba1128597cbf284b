import CChatelaine
import Glibc

/// Has the C library overwrite memory as it is freed: the cryptographic library leaves copies of keys there.
///
/// The settings are read at the start of a process only, so one that was started without them executes itself again, once.
/// Whoever starts a daemon of ours passes them on, and spares it that.
package enum FreedMemory {
    /// The variable and its value, as they stand in an environment.
    package static var setting: String { "\(CHATELAINE_ALLOCATOR_VARIABLE)=\(CHATELAINE_ALLOCATOR_SETTINGS)" }

    /// Says to the second start that it is one: whatever comes of the settings there, there is no third.
    static let marker = "CHATELAINE_STARTED_AGAIN"

    /// Starts the program again under the settings, with the same arguments, descriptors and process id; returns where freed
    /// memory is overwritten already, and where that cannot be had, which the report then shows.
    ///
    /// Call it first of all, while there is one thread and nothing is open that is not to be inherited.
    package static func startAgainIfNeeded() {
        let isSecondStart = getenv(marker) != nil
        unsetenv(marker)
        guard !isSecondStart, chatelaine_freed_memory_is_overwritten() == 0 else { return }
        guard setenv(CHATELAINE_ALLOCATOR_VARIABLE, CHATELAINE_ALLOCATOR_SETTINGS, 1) == 0,
            setenv(marker, "1", 1) == 0
        else { return }
        _ = chatelaine_execute_again(CommandLine.unsafeArgv)
        unsetenv(marker)
    }
}
