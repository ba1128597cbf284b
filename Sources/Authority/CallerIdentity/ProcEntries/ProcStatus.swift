import CChatelaine
import Glibc

/// The line `/proc/PID/stat`, in which the kernel reports the parent, the terminal and other facts of a process.
enum ProcStatus {
    /// The longest line that is read, in bytes.
    private static let longest = 4096

    /// The line, or nil if it cannot be read, with the reason in `errno`.
    static func line(in folder: Int32) -> [UInt8]? {
        let file = openat(folder, "stat", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: longest)
        // SAFETY: the call writes at most as many bytes as there are.
        let count = read(file, &bytes, bytes.count)
        let error = errno
        close(file)
        errno = error
        return count >= 0 ? Array(bytes.prefix(count)) : nil
    }

    /// A numeric field, counted as in proc(5), from 4 on; nil in a malformed line.
    static func number(_ field: Int, in line: some Collection<UInt8>) -> Int32? {
        let bytes = Array(line)
        // Field 2 is the name, which may contain blanks and brackets, so fields are counted from the last bracket on.
        guard let bracket = bytes.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = bytes[(bracket + 1)...].split(separator: UInt8(ascii: " "))
        guard field > 3, fields.count > field - 3 else { return nil }
        return Int32(String(decoding: fields[field - 3], as: UTF8.self))
    }
}

extension OpenedEntry {
    /// An `O_PATH` descriptor of the executable of the parent of the process whose folder is `folder`.
    static func ofParent(of folder: Int32) -> OpenedEntry {
        func parent() -> Int32? { ProcStatus.line(in: folder).flatMap { ProcStatus.number(4, in: $0) } }
        // A parent in another namespace has the number 0 here.
        guard let pid = parent(), pid > 0 else { return OpenedEntry(error: ESRCH) }
        let program = OpenedEntry(opened: chatelaine_open_path(folder, "../\(pid)/exe", 1))
        // While it is still the parent, its number cannot belong to another process.
        guard parent() == pid else {
            for number in program.descriptors { close(number) }
            return OpenedEntry(error: ESRCH)
        }
        return program
    }
}

extension ProcessHandle {
    /// The path of the program that the process's parent runs; nil if it cannot be seen.
    ///
    /// It informs people and proves nothing: a program can be started by any parent that it started before.
    package var parentProgram: String? {
        guard let program = try? system.parent(folder.number),
            let path = try? system.files.link(at: "/proc/self/fd/\(program.number)", in: AT_FDCWD)
        else { return nil }
        return String(decoding: path, as: UTF8.self)
    }
}
