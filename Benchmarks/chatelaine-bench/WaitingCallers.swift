import ChatelaineIPC
import ChatelaineModel
import Foundation
import Security

/// Callers that wait for one person at one terminal, in several programs: each may have eight open prompts.
final class WaitingCallers {
    static let count = 50
    private static let perProgram = 8
    private static let service = "chatelaine-bench-waiting"
    private static let pinentry = "/usr/bin/pinentry"
    /// The time limit, in seconds, for all callers to start waiting.
    private static let patience = 60

    private let folder: String
    private let master: Int32
    private let device: Int32
    private let terminal: String
    private var leader: Int32 = -1

    /// Makes the terminal; nil where no dialog can be shown.
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

    /// Starts the callers, and returns when all of them wait.
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

    /// Locks the keychain, which withdraws the dialog, and returns when all callers have ended.
    func end() throws {
        try BenchPasscode.lock()
        try OwnProgram.await(leader, "a caller that waits")
        try BenchPasscode.unlock()
    }

    // MARK: In processes of their own

    /// Runs in the leader of a session with the terminal; starts the programs in that session.
    static func lead(terminal: String, folder: String) throws {
        try BenchError.check(setsid() > 0, "no session of its own")
        // The first terminal that the leader opens becomes that of the session.
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

    /// Runs in one program: makes `calls` concurrent calls for its own item, which requires user presence.
    static func wait(_ calls: Int) throws {
        try Workload.addGuarded(item)
        let answered = LockedCount()
        let group = DispatchGroup()
        for _ in 0..<calls {
            group.enter()
            // A dispatch queue would run only as many calls at once as there are processors.
            Thread.detachNewThread {
                let query = item.merging([kSecReturnData as String: true]) { $1 }
                // Without a place for the result, the call would read nothing and show no prompt.
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
