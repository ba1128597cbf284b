import CChatelaine
import Glibc

/// The terminals that a process may have as its controlling one, by the numbers that the kernel has for them.
enum ControllingTerminal {
    /// Majors of linux/major.h: consoles and serial lines; pseudo-terminals.
    private static let console: UInt32 = 4
    private static let pseudo: UInt32 = 136
    /// The first serial line among the minors of ``console``.
    private static let firstSerialLine: UInt32 = 64

    /// Field 7 of `/proc/PID/stat`; nil for a process without one, and for what is no such line.
    static func number(inStatus stat: some Collection<UInt8>) -> UInt32? {
        // A signed number in the file, and an unsigned one in the kernel.
        guard let number = ProcStatus.number(7, in: stat), number != 0 else { return nil }
        return UInt32(bitPattern: number)
    }

    /// Where the device of that number lies; nil for a kind that nobody is asked on.
    static func path(of number: UInt32) -> String? {
        // As the kernel packs them for user space: the minor around the major.
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
    /// The controlling terminal of the process whose folder it is, opened to look at and nothing else.
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
    /// The path of the process's controlling terminal, where that is one of its own user's; nil where it has none.
    ///
    /// It is the kernel's word, and not the program's. In a mount namespace of its own a process may have another terminal of the same number.
    package var terminal: String? {
        guard let device = try? system.terminal(folder.number) else { return nil }
        var status = stat()
        guard fstat(device.number, &status) == 0, status.st_uid == uid else { return nil }
        return ControllingTerminal.path(of: UInt32(truncatingIfNeeded: status.st_rdev))
    }
}
