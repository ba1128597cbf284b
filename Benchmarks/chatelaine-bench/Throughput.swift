/// Measures the throughput of client processes that work at the same time, on all processors.
struct Throughput {
    let workload: Workload
    let floor: FloorClient
    let store: String

    private static let readers = [4, 16, 64, 256]
    private static let writers = [1, 16]

    /// Measures the throughput, and leaves this process and the daemons on one processor as before.
    func measure(_ table: inout Table) throws {
        let pinned = Rates(
            calls: try ClientProcesses.throughput(.lookUps, count: 1, items: workload.count),
            exchanges: try BareExchanges.throughput(count: 1))
        let commits = try commits()
        try Processors.useAll(with: try Daemons.running())
        defer { try? Processors.keepToOne(with: try Daemons.running()) }
        try measureLookUps(pinned, &table)
        try measureAdds(commits, &table)
    }

    /// Calls a second, and bare exchanges a second of as many processes.
    private struct Rates {
        let calls: Double
        let exchanges: Double
    }

    /// Measures look-ups of 4 to 256 processes, and beside each number the bare exchanges of as many.
    ///
    /// The smallest number is compared with one pinned client, each larger number with the best of all. The same
    /// comparison of bare exchanges says how much of a loss is the machine's.
    private func measureLookUps(_ pinned: Rates, _ table: inout Table) throws {
        let baseline = "1 on one processor: \(Int(pinned.calls))"
        let one = try rates(of: 1)
        table.add(
            "look-ups a second, 1 process", "\(Int(one.calls))", floor: baseline,
            ratio: compared(one, with: pinned, table), target: "")
        let all = try Self.readers.map(rates)
        guard let calls = all.map(\.calls).max(), let exchanges = all.map(\.exchanges).max() else { return }
        let best = Rates(calls: calls, exchanges: exchanges)
        for (count, rates) in zip(Self.readers, all) {
            let isFirst = count == Self.readers.first
            table.add(
                "look-ups a second, \(count) processes", "\(Int(rates.calls))",
                floor: isFirst ? baseline : "the best of these: \(Int(best.calls))",
                ratio: compared(rates, with: isFirst ? pinned : best, table),
                target: isFirst ? "≥ 1.40 ×" : "≥ 0.85 ×")
        }
    }

    private func rates(of count: Int) throws -> Rates {
        Rates(
            calls: try ClientProcesses.throughput(.lookUps, count: count, items: workload.count),
            exchanges: try BareExchanges.throughput(count: count))
    }

    private func compared(_ rates: Rates, with other: Rates, _ table: Table) -> String {
        let (calls, exchanges) = (rates.calls / other.calls, rates.exchanges / other.exchanges)
        return "\(table.text(calls)); bare exchanges: \(table.text(exchanges))"
    }

    /// Measures the floor's durable commits per second, and the flushes of the disk for each commit.
    private func commits() throws -> (rate: Double, flushes: Double?) {
        let before = Disk.flushes(below: store)
        var samples = Samples()
        let count = 1_000
        for _ in 0..<count { try samples.measure { try floor.step(.add) } }
        let flushes = Disk.flushes(below: store).flatMap { after in before.map { Double(after - $0) / Double(count) } }
        // No flushes means that the folder is on no disk, or that the disk has no count.
        return (1e6 / samples.median, flushes.flatMap { $0 > 0 ? $0 : nil })
    }

    private func measureAdds(_ commits: (rate: Double, flushes: Double?), _ table: inout Table) throws {
        for count in Self.writers {
            let name = count == 1 ? "1 process" : "\(count) processes"
            let before = Disk.flushes(below: store)
            let (rate, calls) = try ClientProcesses.run(.adds, count: count, items: workload.count)
            let after = Disk.flushes(below: store)
            table.add(
                "adds a second, \(name)", "\(Int(rate))", floor: "commits, one by one: \(Int(commits.rate))",
                ratio: table.text(rate / commits.rate), target: count == 1 ? "≥ 0.80 ×" : "≥ 2.00 ×")
            guard let before, let after, let floor = commits.flushes else { continue }
            let flushes = Double(after - before) / Double(calls)
            table.add(
                "flushes of the disk for an add, \(name)", table.text(flushes), floor: "\(table.text(floor)) a commit",
                ratio: table.text(flushes / floor), target: count == 1 ? "≤ 1.10 ×" : "≤ 0.25 ×")
        }
    }
}
