import ChatelaineModel
import ChatelaineSystem
import Glibc

/// The clock for the delays between passcode tries.
///
/// Nobody can set it, and it runs while the machine sleeps.
package struct BootClock: Sendable {
    /// Random at each start of the machine, so that times of different starts are not compared; zeros if it is unknown.
    package var bootID: Bytes16
    /// Milliseconds since the machine started.
    package var now: @Sendable () -> UInt64

    package init(bootID: Bytes16, now: @escaping @Sendable () -> UInt64) {
        self.bootID = bootID
        self.now = now
    }

    /// An identifier that no start of a machine has.
    static let unknownBoot = Bytes16(repeating: 0)

    /// CLOCK_BOOTTIME, with the identifier read once at first use.
    ///
    /// A custodian in its sandbox can no longer read the identifier, and does not outlive the start of the machine.
    package static let system = BootClock(bootID: readBootID(.system)) {
        UInt64(clamping: MonotonicClock.bootMilliseconds)
    }

    /// The identifier in `sys/kernel/random/boot_id` (proc(5)): 32 hexadecimal digits with hyphens.
    static func readBootID(_ files: FileCalls) -> Bytes16 {
        let digits: [UInt8]
        do throws(Errno) {
            let file = try files.open("/proc/sys/kernel/random/boot_id", in: AT_FDCWD, .read)
            digits = try files.contents(of: file.number, limit: 64).compactMap(Hexadecimal.value)
        } catch { return unknownBoot }
        guard digits.count == 2 * Bytes16.count else { return unknownBoot }
        return Bytes16((0..<Bytes16.count).map { digits[2 * $0] << 4 | digits[2 * $0 + 1] }) ?? unknownBoot
    }
}
