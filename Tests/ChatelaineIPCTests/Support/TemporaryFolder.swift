import Foundation

/// A folder of one test's own, short enough for a socket in it, gone afterwards.
final class TemporaryFolder: Sendable {
    let path: String

    init() {
        path = "/tmp/chatelaine-test-" + String(UInt64.random(in: 0 ... .max), radix: 36)
        mkdir(path, 0o700)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
