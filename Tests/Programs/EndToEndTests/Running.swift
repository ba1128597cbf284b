import Foundation
import Synchronization
import TestSupport
import Testing

/// Threads that run while a test does something else.
final class Running: Sendable {
    private let group = DispatchGroup()
    private let errors = Mutex<[any Error]>([])

    init(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) {
        for index in 0..<count {
            group.enter()
            Thread.detachNewThread { [self] in
                do { try body(index) } catch { errors.withLock { $0.append(error) } }
                group.leave()
            }
        }
    }

    /// Runs `body` repeatedly until ``stop(within:)``.
    convenience init(repeating count: Int, _ body: @escaping @Sendable (Int) throws -> Void) {
        let flag = Flag()
        self.init(count) { index in while !flag.isRaised { try body(index) } }
        self.flag.withLock { $0 = flag }
    }

    private let flag = Mutex<Flag?>(nil)

    func stop(within seconds: Double = 60) throws {
        flag.withLock { $0 }?.raise()
        try join(within: seconds)
    }

    func join(within seconds: Double) throws {
        try #require(group.wait(timeout: .now() + seconds) == .success, "a thread does not come to its end")
        try check()
    }

    /// Throws the errors so far; a thread that has thrown does no more work.
    func check() throws {
        if let error = errors.withLock({ $0.first }) { throw error }
    }
}
