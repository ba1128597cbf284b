import Glibc

/// A file descriptor with one owner, closed at the end of its life; a negative number stands for none.
struct Descriptor: ~Copyable, Sendable {
    let number: Int32

    init(adopting number: Int32) { self.number = number }

    deinit { if number >= 0 { _ = close(number) } }
}
