import Foundation

/// Compares this keychain with other installed ones at the same work.
///
/// Each has one client that stays connected and makes the calls of the peer's own library. Building the request counts.
struct Comparison {
    static let secret = [UInt8]("correct horse battery st".utf8)

    /// Compares the programs that were started for this run: `chatelaine-bench compare gnome-keyring kwalletd5`.
    static func run(_ programs: [String]) throws {
        let items = ProcessInfo.processInfo.environment["PEER_ITEMS"].flatMap { Int($0) } ?? 1_000
        var columns = [(name: Chatelaine.name, results: try measure(Chatelaine(), items))]
        for program in programs {
            // A peer that does not start, or shows a prompt, is left out.
            do {
                let peer = try connect(program)
                columns.append((type(of: peer).name, try measure(peer, items)))
            } catch { note("\(program) is left out: \(error)") }
        }
        var table = Table(headings: ["the same work, \(items) items"] + columns.map(\.name))
        for (row, what) in ["add, on disk", "look-up with secret", "find all with secrets, whole"].enumerated() {
            table.add([what] + columns.map { "\(table.text($0.results[row])) ms" })
        }
        table.show()
    }

    private static func connect(_ program: String) throws -> any Peer {
        guard let address = ProcessInfo.processInfo.environment["DBUS_SESSION_BUS_ADDRESS"] else {
            throw BenchError("there is no bus")
        }
        let bus = try Bus(address: address)
        return program == "gnome-keyring" ? try SecretService(bus) : try KWallet(bus, program: program)
    }

    /// Measures medians in milliseconds: the last tenth of the additions, look-ups, and finding all items.
    private static func measure(_ peer: any Peer, _ items: Int) throws -> [Double] {
        note(type(of: peer).name)
        var (additions, lookUps, listings) = (Samples(), Samples(), Samples())
        for index in 0..<items {
            let account = Workload.account(index)
            if index < items * 9 / 10 {
                try peer.store(account)
            } else {
                try additions.measure { try peer.store(account) }
            }
        }
        for step in 0..<1_100 {
            let account = Workload.account(step * 7919 % items)
            let body = { try BenchError.check(try peer.find(account) == secret.count, "a secret is not found") }
            // The first hundred warm up.
            if step < 100 { try body() } else { try lookUps.measure(body) }
        }
        for _ in 0..<10 {
            try listings.measure { try BenchError.check(try peer.findAll() == items, "not all are found") }
        }
        return [additions, lookUps, listings].map { $0.median / 1000 }
    }

    private static func note(_ text: String) { FileHandle.standardError.write(Data("bench: \(text)\n".utf8)) }
}
