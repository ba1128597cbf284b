import ChatelaineSystem
import Glibc
import Testing

/// A call that a signal interrupts is repeated, but not for ever.
struct ErrnoTests {
    /// Repeats a call until it is not interrupted, and returns the number of calls.
    private func calls(interrupted count: Int, then error: Errno? = nil) throws(Errno) -> Int {
        var calls = 0
        return try Errno.uninterrupted { () throws(Errno) in
            calls += 1
            if calls <= count { throw .interrupted }
            if let error { throw error }
            return calls
        }
    }

    @Test func aCallIsMadeUntilItIsAnswered() throws {
        for count in [0, 1, 999] { #expect(try calls(interrupted: count) == count + 1) }
    }

    @Test func anyOtherErrorIsTheAnswer() {
        #expect(throws: Errno.noSpace) { try calls(interrupted: 0, then: .noSpace) }
        #expect(throws: Errno.noSpace) { try calls(interrupted: 3, then: .noSpace) }
    }

    /// Somebody who sends signals without end cannot keep the call from ending.
    @Test func interruptionsHaveAnEnd() { #expect(throws: Errno.interrupted) { try calls(interrupted: .max) } }

    @Test func theLastErrorIsThatOfTheCall() {
        #expect(open("/nonexistent/file", O_RDONLY) < 0)
        #expect(Errno.last == .notFound && "\(Errno.notFound)" == "No such file or directory")
    }
}
