import CChatelaine
import Glibc

/// The terminals that can be a process's controlling terminal, by their device numbers.
enum ControllingTerminal {
    /// The majors of consoles and serial lines, and of pseudo-terminals (linux/major.h).
    private static let console: UInt32 = 4
    private static let pseudo: UInt32 = 136
    /// The first serial line among the minors of ``console``.
    private static let firstSerialLine: UInt32 = 64

    /// The device number in field 7 of `/proc/PID/stat`; nil for a process without a terminal, and for a malformed
    /// line.
    static func number(inStatus stat: some Collection<UInt8>) -> UInt32? {
        // The file shows the kernel's unsigned number as a signed one.
        guard let number = ProcStatus.number(7, in: stat), number != 0 else { return nil }
        return UInt32(bitPattern: number)
    }

    /// The path of the device with that number; nil for a kind of terminal on which nobody is asked.
    static func path(of number: UInt32) -> String? {
        // The kernel packs the number for user space with the minor around the major.
        let (major, minor) = (number >> 8 & 0xFFF, number & 0xFF | number >> 12 & 0xFFF00)
        return switch major {
        case pseudo: "/dev/pts/\(minor)"
        case console where minor == 0: nil
        case console where minor < firstSerialLine: "/dev/tty\(minor)"
        case console: "/dev/ttyS\(minor - firstSerialLine)"
        default: nil
        }
    }
}

extension OpenedEntry {
    /// An `O_PATH` descriptor of the controlling terminal of the process whose folder is `folder`.
    static func ofTerminal(in folder: Int32) -> OpenedEntry {
        guard let line = ProcStatus.line(in: folder) else { return OpenedEntry(error: errno) }
        guard let number = ControllingTerminal.number(inStatus: line), let path = ControllingTerminal.path(of: number)
        else { return OpenedEntry(error: ENOTTY) }
        let device = chatelaine_open_path(AT_FDCWD, path, 0)
        guard device >= 0 else { return OpenedEntry(error: errno) }
        var status = stat()
        guard fstat(device, &status) == 0, status.st_mode & S_IFMT == S_IFCHR, UInt64(status.st_rdev) == UInt64(number)
        else {
            close(device)
            return OpenedEntry(error: ENOTTY)
        }
        return OpenedEntry(descriptors: [device])
    }
}

extension ProcessHandle {
    /// The path of the process's controlling terminal if the process's user owns it; nil if there is none.
    ///
    /// The kernel reports it, not the program. A process in a mount namespace of its own may have another terminal of
    /// the same number.
    package var terminal: String? {
        guard let device = try? system.terminal(folder.number) else { return nil }
        var status = stat()
        guard fstat(device.number, &status) == 0, status.st_uid == uid else { return nil }
        return ControllingTerminal.path(of: UInt32(truncatingIfNeeded: status.st_rdev))
    }
}
