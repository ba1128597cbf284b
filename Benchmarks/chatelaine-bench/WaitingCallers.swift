import ChatelaineIPC
import ChatelaineModel
import Foundation
import Security

/// Callers that wait for one person at one terminal: several programs, since each may have eight questions.
final class WaitingCallers {
    static let count = 50
    private static let perProgram = 8
    private static let service = "chatelaine-bench-waiting"
    private static let pinentry = "/usr/bin/pinentry"
    /// Seconds until all of them wait.
    private static let patience = 60

    private let folder: String
    private let master: Int32
    private let device: Int32
    private let terminal: String
    private var leader: Int32 = -1

    /// nil where no dialog can be shown.
    init?(home: String) throws {
        guard access(Self.pinentry, X_OK) == 0 else { return nil }
        folder = home + "/waiting"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var ends: (master: Int32, device: Int32) = (-1, -1)
        // Room for "/dev/pts/" and any number.
        var name = [CChar](repeating: 0, count: 64)
        guard openpty(&ends.master, &ends.device, &name, nil, nil) == 0 else {
            throw BenchError("there is no pseudo-terminal")
        }
        (master, device) = ends
        for end in [master, device] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        terminal = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        close(device)
        close(master)
    }

    /// Returns when all of them wait.
    func start() throws {
        let environment = ProcessInfo.processInfo.environment
        let started = try OwnProgram.start(["waiters", terminal, folder], environment: environment)
        close(started.socket)
        leader = started.pid
        for _ in 0..<(Self.patience * 100) {
            if case .number(let waiting)? = try KeychainClient.shared.status()["requests.waiting"],
                waiting == Self.count
            {
                return
            }
            usleep(10_000)
        }
        throw BenchError("not all callers wait for a person")
    }

    /// Takes the dialog back, as a lock does, and returns when all of them have ended.
    func end() throws {
        try BenchPasscode.lock()
        try OwnProgram.await(leader, "a caller that waits")
        try BenchPasscode.unlock()
    }

    // MARK: In processes of their own

    /// The leader of a session with that terminal, which starts the programs in it.
    static func lead(terminal: String, folder: String) throws {
        try BenchError.check(setsid() > 0, "no session of its own")
        // The first one that the leader opens becomes the session's.
        try BenchError.check(open(terminal, O_RDWR) >= 0, "\(terminal) cannot be opened")
        let environment = ProcessInfo.processInfo.environment
        var programs: [Int32] = []
        for first in stride(from: 0, to: count, by: perProgram) {
            let path = "\(folder)/program-\(first)"
            try? FileManager.default.removeItem(atPath: path)
            try FileManager.default.copyItem(atPath: try OwnProgram.path, toPath: path)
            let started = try OwnProgram.start(
                ["wait", "\(min(perProgram, count - first))"], of: path, environment: environment)
            close(started.socket)
            programs.append(started.pid)
        }
        for program in programs { try OwnProgram.await(program, "a program that waits") }
    }

    /// One program: so many calls at once for an item of its own that asks for its owner.
    static func wait(_ calls: Int) throws {
        try Workload.addGuarded(item)
        let answered = LockedCount()
        let group = DispatchGroup()
        for _ in 0..<calls {
            group.enter()
            // A queue would have as many of them wait as there are processors.
            Thread.detachNewThread {
                let query = item.merging([kSecReturnData as String: true]) { $1 }
                // Without a place for it nothing is read, and nobody asked.
                var result: CFTypeRef?
                if SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess { answered.increment() }
                group.leave()
            }
        }
        group.wait()
        try BenchError.check(answered.value == 0, "nobody typed anything, and an item was given out")
    }

    private static var item: [String: Any] {
        [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
            kSecAttrAccount as String: "account",
        ]
    }
}
