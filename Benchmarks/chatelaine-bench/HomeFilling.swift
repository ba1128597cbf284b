import ChatelaineIPC
import Foundation

/// Fills a large store.
///
/// Each addition is a durable commit, and a million commits take a quarter of an hour on a disk. If `BENCH_MEMORY`
/// names a folder in memory, the same daemons fill the home there, and it is copied back while no daemon runs. Only the
/// measurements need a disk.
struct HomeFilling {
    let home: String
    let workload: Workload

    func fill() throws {
        try Processors.useAll(with: try Daemons.running())
        if let memory = ProcessInfo.processInfo.environment["BENCH_MEMORY"] {
            try Daemons.running().stop()
            let place = memory + "/home"
            try copy(home, to: place)
            try fill(place)
            try copy(place, to: home)
            sync()
        } else {
            try workload.fill(from: Bench.small)
        }
        try BenchPasscode.unlockIfSet()
        try Processors.keepToOne(with: try Daemons.running())
    }

    /// Fills the home in another process, since this process uses the other home.
    private func fill(_ place: String) throws {
        var environment = ProcessInfo.processInfo.environment
        environment["CHATELAINE_HOME"] = place
        let filler = try OwnProgram.start(["fill", "\(workload.count)"], environment: environment)
        defer { close(filler.socket) }
        try OwnProgram.await(filler.pid, "filling \(place)")
    }

    /// Runs in that process.
    static func run(_ count: Int) throws {
        try BenchPasscode.unlockIfSet()
        try Workload(count: count).fill(from: Bench.small)
        try Daemons.running().stop()
    }

    private func copy(_ source: String, to destination: String) throws {
        try? FileManager.default.removeItem(atPath: destination)
        let copying = Process()
        copying.executableURL = URL(fileURLWithPath: "/bin/cp")
        copying.arguments = ["-a", source, destination]
        try copying.run()
        copying.waitUntilExit()
        try BenchError.check(copying.terminationStatus == 0, "\(source) cannot be copied to \(destination)")
    }
}
