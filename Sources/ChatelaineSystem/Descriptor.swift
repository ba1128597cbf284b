import Glibc

/// A file descriptor with one owner, closed at the end of its life; a negative number stands for none.
public struct Descriptor: ~Copyable, Sendable {
    public let number: Int32

    public init(_ number: Int32) { self.number = number }

    deinit { if number >= 0 { _ = close(number) } }

    /// Gives the number away; whoever takes it closes it.
    public consuming func release() -> Int32 {
        let number = number
        discard self
        return number
    }
}
