import Glibc

/// A file descriptor with one owner, closed at the end of its life; a negative number stands for none.
struct Descriptor: ~Copyable, Sendable {
    let number: Int32

    init(adopting number: Int32) { self.number = number }

    /// Gives the number away; whoever takes it closes it.
    consuming func release() -> Int32 {
        let number = number
        discard self
        return number
    }

    deinit { if number >= 0 { _ = close(number) } }
}
