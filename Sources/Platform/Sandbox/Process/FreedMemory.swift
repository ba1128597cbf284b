import CChatelaine
import Glibc

/// Makes the C library overwrite freed memory, in which the cryptographic library leaves copies of keys.
///
/// The C library reads the settings only at the start of a process. A process that was started without them executes
/// itself again, once. A process that starts one of our daemons passes the settings on, which saves that second start.
package enum FreedMemory {
    /// The variable and its value, as in an environment.
    package static var setting: String { "\(CHATELAINE_ALLOCATOR_VARIABLE)=\(CHATELAINE_ALLOCATOR_SETTINGS)" }

    /// Marks the second start, so that there is no third, whether or not the settings work.
    static let marker = "CHATELAINE_STARTED_AGAIN"

    /// Starts the program again with the settings, with the same arguments, descriptors and process id.
    ///
    /// Returns where freed memory is overwritten already, and where that is impossible, which the report then shows.
    /// Call it first of all, while there is one thread and no descriptor is open that must not be inherited.
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
