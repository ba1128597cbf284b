import Glibc

/// The error of a wait that timed out.
package struct NeverSo: Error, CustomStringConvertible {
    package let description: String
}

/// Waits until a condition holds, at most two minutes: a test that fails says more than one that hangs.
///
/// For what another thread or process does without saying so; a `Counter` or a `Flag` says so.
///
/// - Parameter what: the condition, for the message.
package func until(
    _ what: String = "a condition", within seconds: Double = 120, every microseconds: UInt32 = 1000,
    file: StaticString = #fileID, line: UInt = #line, _ isSo: () throws -> Bool
) throws {
    let end = now() + seconds
    while try !isSo() {
        guard now() < end else { throw NeverSo(description: "\(file):\(line): \(what): not within \(seconds) s") }
        usleep(microseconds)
    }
}

private func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
