import Glibc
import Synchronization

@testable import Enclave

/// The real calls, of which the n-th fails.
final class FaultyFiles: Sendable {
    enum Fault: Sendable, Hashable {
        /// The call does nothing and fails.
        case instead(Int32)
        /// The call is made and reports a failure all the same.
        case afterwards(Int32)
        /// A write takes one byte only; other calls are not affected.
        case short
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
            return $0 == target
        }
    }

    private func pass<Answer: SignedInteger>(isClose: Bool = false, _ call: () -> Answer) -> Answer {
        guard strikes() else { return call() }
        switch fault {
        case .short: return call()
        case .afterwards(let code):
            _ = call()
            return Answer(-code)
        case .instead(let code):
            // A descriptor is gone whatever close says.
            if isClose { _ = call() }
            return Answer(-code)
        }
    }

    var calls: FileCalls {
        let real = FileCalls.system
        return FileCalls(
            open: { folder, name, flags, mode in
                guard self.strikes() else { return real.open(folder, name, flags, mode) }
                switch self.fault {
                case .short: return real.open(folder, name, flags, mode)
                case .instead(let code): return -code
                case .afterwards(let code):
                    let file = real.open(folder, name, flags, mode)
                    if file >= 0 { _ = real.close(file) }
                    return -code
                }
            },
            makeFolder: { folder, name, mode in self.pass { real.makeFolder(folder, name, mode) } },
            status: { file, status in self.pass { real.status(file, &status) } },
            lock: { folder in self.pass { real.lock(folder) } },
            read: { file, buffer in self.pass { real.read(file, buffer) } },
            write: { file, bytes in
                if self.fault == .short, self.strikes() {
                    return real.write(file, UnsafeRawBufferPointer(rebasing: bytes.prefix(1)))
                }
                return self.fault == .short ? real.write(file, bytes) : self.pass { real.write(file, bytes) }
            },
            sync: { file in self.pass { real.sync(file) } },
            rename: { folder, old, new in self.pass { real.rename(folder, old, new) } },
            remove: { folder, name in self.pass { real.remove(folder, name) } },
            close: { file in self.pass(isClose: true) { real.close(file) } })
    }
}
