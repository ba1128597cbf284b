import Glibc

/// A file descriptor with one owner, closed at the end of its life; a negative number stands for none.
package struct Descriptor: ~Copyable, Sendable {
    package let number: Int32

    package init(_ number: Int32) { self.number = number }

    deinit { if number >= 0 { _ = close(number) } }

    /// Gives up ownership of the number; the caller closes the descriptor.
    package consuming func release() -> Int32 {
        let number = number
        discard self
        return number
    }
}
