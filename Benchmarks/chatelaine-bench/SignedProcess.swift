import Foundation
import Glibc
import Security

/// A process of ``SignedPrograms``: `chatelaine-bench client signed 1 FIRST LAST`.
///
/// It receives the look-ups to make through a channel, descriptor 3.
enum SignedProcess {
    private static let items = 64

    /// The kind of item that a block of look-ups finds.
    enum LookUp: UInt8 {
        case first = 1
        case last
        case none
    }

    /// A started process, in its parent.
    struct Started {
        private let pid: Int32
        private let socket: Int32

        init(_ path: String, first: String, last: String) throws {
            // The environment has the daemon's home and the paths of libraries.
            let environment = ProcessInfo.processInfo.environment
            (pid, socket) = try OwnProgram.start(
                ["client", "signed", "1", first, last], of: path, environment: environment)
        }

        /// Runs a block of look-ups and returns the nanoseconds of each.
        func block(_ lookUp: LookUp) throws -> [Int64] {
            var word = lookUp.rawValue
            try withUnsafeMutableBytes(of: &word) { try Floor.transmit(socket, $0) }
            var times = [Int64](repeating: 0, count: Measurements.block)
            try times.withUnsafeMutableBytes { try Floor.receive(socket, $0) }
            return times
        }

        func end() {
            close(socket)
            try? OwnProgram.await(pid, "a signed program")
        }
    }

    static func run(first: String, last: String) throws {
        try fill(first)
        if last != first { try fill(last) }
        var word: UInt8 = 0
        while recv(3, &word, 1, 0) == 1, let lookUp = LookUp(rawValue: word) {
            let service =
                switch lookUp {
                case .first: Self.service(first)
                case .last: Self.service(last)
                case .none: "chatelaine-bench-nothing"
                }
            let queries = (0..<items).map { query(service, $0) }
            let expected = lookUp == .none ? errSecItemNotFound : errSecSuccess
            var times: [Int64] = []
            for step in 0..<Measurements.block {
                var result: CFTypeRef?
                let start = Samples.now
                let status = SecItemCopyMatching(queries[step % items], &result)
                times.append(Samples.now - start)
                try BenchError.check(status == expected, "look-up by a signed program: \(status)")
            }
            try times.withUnsafeMutableBytes { try Floor.transmit(3, $0) }
        }
    }

    private static func service(_ group: String) -> String { "chatelaine-bench-\(group)" }

    private static func fill(_ group: String) throws {
        let secret = Workload.secret.withUnsafeBytes { Data($0) }
        for index in 0..<items {
            var item: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service(group),
                kSecAttrAccount as String: Workload.account(index), kSecValueData as String: secret,
            ]
            if !group.isEmpty { item[kSecAttrAccessGroup as String] = group }
            let status = SecItemAdd(item as CFDictionary, nil)
            try BenchError.check(
                status == errSecSuccess || status == errSecDuplicateItem, "an item of \(group): \(status)")
        }
    }

    private static func query(_ service: String, _ index: Int) -> CFDictionary {
        [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
            kSecAttrAccount as String: Workload.account(index), kSecReturnData as String: true,
            kSecMatchLimit as String: kSecMatchLimitOne,
        ] as CFDictionary
    }
}
