import Foundation

/// Look-ups by copies of this program, some of them signed. Each copy is a process; the copies take turns.
struct SignedPrograms {
    static let groups = 20
    private static let team = "BENCH00001"

    private let folder: String
    private let tool: String
    private let unsigned: SignedProcess.Started
    /// The programs with one group and with twenty groups.
    private let one: SignedProcess.Started
    private let many: SignedProcess.Started

    /// - Parameter home: the run's own folder, which gets the team and the copies.
    init?(home: String) throws {
        guard let tool = ProcessInfo.processInfo.environment["CHATELAINE_TOOL"] else {
            Bench.note("CHATELAINE_TOOL names no security: nothing can be signed")
            return nil
        }
        self.tool = tool
        folder = home + "/signed"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Self.run(tool, ["app", "identity", "create", "--team", Self.team, "--common-name", "Benchmark", folder])
        try Self.run(tool, ["app", "team", "add", "\(folder)/\(Self.team).pem"])
        unsigned = try Self.start("unsigned", in: folder, groups: [], signedBy: nil)
        one = try Self.start("one", in: folder, groups: [], signedBy: tool)
        let names = (1..<Self.groups).map { "\(Self.team).group-\($0)" }
        many = try Self.start("many", in: folder, groups: names, signedBy: tool)
    }

    func measure(_ table: inout Table) throws {
        defer { for process in [unsigned, one, many] { process.end() } }
        let rows: [(String, SignedProcess.Started, SignedProcess.LookUp, SignedProcess.Started, String, Double)] = [
            ("look-up by a signed program", one, .first, unsigned, "unsigned", 1.05),
            ("look-up in \(Self.groups) groups, item of the first", many, .first, one, "one group", 1.3),
            ("look-up in \(Self.groups) groups, item of the last", many, .last, one, "one group", 1.3),
            ("look-up in \(Self.groups) groups, no such item", many, .none, one, "one group", 1.3),
        ]
        for (what, process, lookUp, floor, name, target) in rows {
            let floorLookUp = lookUp == .none ? lookUp : .first
            var (times, floors) = (Samples(), Samples())
            // The first block of each warms up.
            for block in 0...(Measurements.calls / Measurements.block) {
                let (floorBlock, timesBlock) = (try floor.block(floorLookUp), try process.block(lookUp))
                guard block > 0 else { continue }
                floors.add(floorBlock)
                times.add(timesBlock)
            }
            table.add(
                what, "\(table.text(times.median)) µs", floor: "\(name): \(table.text(floors.median)) µs",
                ratio: table.text(times.median / floors.median), target: "≤ \(table.text(target)) ×")
        }
    }

    private static func start(
        _ name: String, in folder: String, groups: [String], signedBy tool: String?
    ) throws -> SignedProcess.Started {
        let path = "\(folder)/\(name)"
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.copyItem(atPath: try OwnProgram.path, toPath: path)
        if let tool {
            let entitlements = try JSONSerialization.data(withJSONObject: ["keychain-access-groups": groups])
            try entitlements.write(to: URL(fileURLWithPath: "\(path).json"))
            try run(
                tool,
                [
                    "app", "sign", path, "--identity", "\(folder)/\(team)-signer.pem", "--identifier",
                    "\(team).\(name)", "--entitlements", "\(path).json",
                ])
        }
        let last = tool == nil ? "" : "\(team).\(name)"
        return try SignedProcess.Started(path, first: groups.first ?? last, last: last)
    }

    private static func run(_ tool: String, _ words: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: tool)
        process.arguments = words
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try BenchError.check(process.terminationStatus == 0, "\(words.joined(separator: " ")) failed")
    }
}
