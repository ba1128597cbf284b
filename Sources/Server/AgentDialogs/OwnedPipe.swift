import ChatelaineMemory
import Glibc

/// The writing end of the pipe that leads to enclaved.
final class OwnedPipe {
    /// The descriptor; -1 where there is none, or it is closed.
    private var number: Int32

    /// Takes the descriptor over; -1 for none.
    init(_ number: Int32) { self.number = number }

    deinit { shut() }

    /// Writes the typed secret, and closes the end; false where there is none or nobody reads.
    func pass(on typed: SecretBytes) -> Bool {
        guard number >= 0 else { return false }
        // A pipe takes so few bytes at once, or none of them.
        let count = typed.withUnsafeBytes { write(number, $0.baseAddress, $0.count) }
        shut()
        return count == typed.count
    }

    private func shut() {
        if number >= 0 { close(number) }
        number = -1
    }
}
