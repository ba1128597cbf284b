import ChatelaineSystem
import Glibc
import Synchronization
import SystemCalls

/// The real file calls, of which the n-th fails.
final class FaultyFiles: Sendable {
    enum Fault: Sendable, Hashable {
        /// The call does nothing and fails.
        case instead(Int32)
        /// The call is made, but reports a failure.
        case afterwards(Int32)
        /// A write takes only one byte. Other calls are not affected.
        case short
        /// That call and all that follow do nothing and fail, as if the process had been killed before it.
        case killed
    }

    private let fault: Fault
    private let target: Int
    private let count = Mutex(0)

    init(_ fault: Fault, atCall target: Int) {
        self.fault = fault
        self.target = target
    }

    /// Whether the n-th call was reached.
    var hasStruck: Bool { count.withLock { $0 >= target } }

    private func strikes() -> Bool {
        count.withLock {
            $0 += 1
            return fault == .killed ? $0 >= target : $0 == target
        }
    }

    private func pass<Answer>(
        isClose: Bool = false, _ call: () throws(Errno) -> Answer, undo: (Answer) -> Void = { _ in }
    ) throws(Errno) -> Answer {
        guard strikes() else { return try call() }
        switch fault {
        case .short: return try call()
        case .afterwards(let code):
            if let answer = try? call() { undo(answer) }
            throw Errno(code)
        case .killed:
            if isClose { _ = try? call() }
            throw Errno(EIO)
        case .instead(let code):
            // A failed close still releases the descriptor.
            if isClose { _ = try? call() }
            throw Errno(code)
        }
    }

    var calls: FileCalls {
        let real = FileCalls.system
        var calls = real
        calls.openat = { folder, path, mode throws(Errno) in
            try self.pass({ () throws(Errno) in try real.openat(folder, path, mode) }, undo: { close($0) })
        }
        calls.mkdirat = { folder, path throws(Errno) in
            try self.pass { () throws(Errno) in try real.mkdirat(folder, path) }
        }
        calls.fstat = { file throws(Errno) in try self.pass { () throws(Errno) in try real.fstat(file) } }
        calls.flock = { file throws(Errno) in try self.pass { () throws(Errno) in try real.flock(file) } }
        calls.pread = { file, buffer, offset throws(Errno) in
            try self.pass { () throws(Errno) in try real.pread(file, buffer, offset) }
        }
        calls.write = { file, bytes throws(Errno) in
            if self.fault == .short, self.strikes() {
                return try real.write(file, UnsafeRawBufferPointer(rebasing: bytes.prefix(1)))
            }
            guard self.fault != .short else { return try real.write(file, bytes) }
            return try self.pass { () throws(Errno) in try real.write(file, bytes) }
        }
        calls.fsync = { file throws(Errno) in try self.pass { () throws(Errno) in try real.fsync(file) } }
        calls.renameat = { folder, old, new throws(Errno) in
            try self.pass { () throws(Errno) in try real.renameat(folder, old, new) }
        }
        calls.unlinkat = { folder, path throws(Errno) in
            try self.pass { () throws(Errno) in try real.unlinkat(folder, path) }
        }
        calls.close = { file throws(Errno) in
            try self.pass(isClose: true) { () throws(Errno) in try real.close(file) }
        }
        return calls
    }
}
