import ChatelaineMemory
import Enclave
import EnclaveProtocol
import FileKeychains
import Foundation
import ItemStore
import Security

/// Measures file keychains beside the data protection keychain, or beside the bare hash of a password.
struct FileKeychainStore {
    private static let usual = 100
    private static let searched = 10
    private static let unlocks = 20
    private static let changes = 1_000
    private static let listed = 10_000

    let workload: Workload
    let floor: FloorClient
    /// The number of items in the largest keychain.
    let large: Int

    func measure(_ table: inout Table) throws {
        Bench.note("file keychains")
        let keychain = try KeychainWorkload("bench")
        try keychain.fill(0..<Self.usual)
        try measureLookUps(keychain, &table)
        try measureSearches(keychain, &table)
        try measureOpening(keychain, &table)
        try measureAdditions(keychain, &table)
    }

    private func measureLookUps(_ keychain: KeychainWorkload, _ table: inout Table) throws {
        let medians = try Measurements.compare(workload.copySecret) { keychain.copySecret($0 % Self.usual) }
        table.add(
            "look-up with secret, file keychain", "\(table.text(medians.call)) µs",
            floor: "data protection keychain: \(table.text(medians.floor)) µs",
            ratio: table.text(medians.call / medians.floor), target: "≤ 1.30 ×")
    }

    /// Measures a search for an item in the last of several keychains.
    private func measureSearches(_ keychain: KeychainWorkload, _ table: inout Table) throws {
        let others = try (1..<Self.searched).map { try KeychainWorkload("bench-\($0)") }
        for (number, other) in others.enumerated() {
            let start = (number + 1) * Self.usual
            try other.fill(start..<(start + Self.usual))
        }
        let all = others.map(\.keychain) + [keychain.keychain]
        let medians = try Measurements.compare(
            { KeychainWorkload.copyAttributes("\($0 % Self.usual)", in: [keychain.keychain]) },
            { KeychainWorkload.copyAttributes("\($0 % Self.usual)", in: all) })
        table.add(
            "find by attributes, \(Self.searched) keychains", "\(table.text(medians.call)) µs",
            floor: "1 keychain: \(table.text(medians.floor)) µs",
            ratio: table.text(medians.call / medians.floor), target: "≤ 3.00 ×")
        for other in others { try KeychainWorkload.delete(other.keychain) }
    }

    private func measureOpening(_ keychain: KeychainWorkload, _ table: inout Table) throws {
        let price = try Self.price(of: keychain.keychain)
        let (password, salt) = (SecretBytes(KeychainWorkload.password), [UInt8](repeating: 1, count: 16))
        var (hashes, unlocks, locks, uses) = (Samples(), Samples(), Samples(), Samples())
        for step in 0..<Self.unlocks {
            try locks.measure { try KeychainWorkload.lock(keychain.keychain) }
            try hashes.measure { _ = try PasswordHash.argon2id.derive(password, salt, price) }
            try unlocks.measure { try KeychainWorkload.unlock(keychain.keychain) }
            // Gives the log a change that has to be written to the file.
            try keychain.add("between \(step)")()
            try uses.measure { try KeychainWorkload.useOnce("bench-build-\(step)") }
        }
        let hash = hashes.median
        table.add(
            "unlock, file keychain", "\(table.text(unlocks.median / 1000)) ms",
            floor: "Argon2id: \(table.text(hash / 1000)) ms", ratio: table.text(unlocks.median / hash),
            target: "≤ 1.30 ×")
        table.add("lock, file keychain", "\(table.text(locks.median / 1000)) ms", target: "≤ 5 ms")
        table.add(
            "create, lock, unlock, add, delete, file keychain", "\(table.text(uses.median / 1000)) ms",
            floor: "2 × Argon2id: \(table.text(2 * hash / 1000)) ms",
            ratio: "+ \(table.text((uses.median - 2 * hash) / 1000)) ms", target: "≤ + 50 ms")
    }

    private func measureAdditions(_ keychain: KeychainWorkload, _ table: inout Table) throws {
        let medians = try Measurements.pair(calls: Self.changes, { try floor.step(.add) }) {
            keychain.add("added \($0)")
        }
        table.add("add, SecItemAdd, file keychain", medians.call, floor: medians.floor, atMost: 1.5)
        if let tool = ProcessInfo.processInfo.environment["CHATELAINE_TOOL"] { try measureDump(tool, &table) }
        guard large > Self.usual else { return }
        Bench.note("storing \(large) items in a file keychain")
        let beside = try KeychainWorkload("bench-large")
        try beside.fill(0..<large)
        let sizes = try Measurements.compare(
            calls: Self.changes, { keychain.add("again \($0)") }, { beside.add("again \($0)") })
        table.add(
            "add, beside \(large) items, file keychain", "\(table.text(sizes.call)) µs",
            floor: "few items: \(table.text(sizes.floor)) µs", ratio: table.text(sizes.call / sizes.floor),
            target: "≤ 1.30 ×")
    }

    private func measureDump(_ tool: String, _ table: inout Table) throws {
        let keychain = try KeychainWorkload("bench-listed")
        try keychain.fill(0..<Self.listed)
        var samples = Samples()
        for _ in 0..<5 {
            try samples.measure {
                let dump = Process()
                dump.executableURL = URL(fileURLWithPath: tool)
                dump.arguments = ["dump-keychain", keychain.name]
                dump.standardOutput = FileHandle.nullDevice
                try dump.run()
                dump.waitUntilExit()
                try BenchError.check(dump.terminationStatus == 0, "\(tool) cannot dump a keychain")
            }
        }
        table.add(
            "security dump-keychain, \(Self.listed) items", "\(table.text(samples.median / 1000)) ms",
            target: "≤ 1000 ms")
        try KeychainWorkload.delete(keychain.keychain)
    }

    /// Reads the parameters of the hash of a keychain's password from its file.
    private static func price(of keychain: SecKeychain) throws -> PasswordHash.Parameters {
        var length = UInt32(PATH_MAX)
        var path = [CChar](repeating: 0, count: Int(length))
        try BenchError.check(SecKeychainGetPath(keychain, &length, &path) == 0, "the path of a keychain")
        let text = String(decoding: path.prefix(Int(length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let properties = try UnverifiedItems(text, hasLog: false).properties()
        guard let bytes = properties.header else { throw BenchError("\(text) has no header") }
        let parameters = try KeychainHeader(decoding: bytes, path: text).terms.parameters
        return PasswordHash.Parameters(memory: parameters.memory, passes: parameters.passes)
    }
}
