import ChatelaineIPC
import Foundation
import Security
import Synchronization

/// Calls of Chatelaine's own, and ways to make Apple's calls that a line of JSON cannot describe.
extension Probe {
    /// Makes any other call than the four of SecItem; nil for those four.
    static func performOther(_ command: [String: Any]) -> [String: Any]? {
        let path = command["path"] as? String ?? ""
        switch command["call"] as? String {
        case "list": return decide(.list)
        case "accept": return decide(.accept(path: path))
        case "develop": return decide(.develop(path: path))
        case "forget": return decide(.forget(path: path))
        case "status": return status()
        case "threads": return threads(command["count"] as? Int ?? 1, rounds: command["rounds"] as? Int ?? 1)
        case "mistakes": return mistakes(command["count"] as? Int ?? 1, rounds: command["rounds"] as? Int ?? 1)
        case "listen": return listen()
        case "heard": return heard(milliseconds: Int32(command["milliseconds"] as? Int ?? -1))
        case "unlisten":
            listener.withLock { $0 = nil }
            return ["status": 0]
        case "fork": return forkAndCall(dictionary(command["query"]))
        default:
            // The first family that knows the command makes the call.
            for family in families { if let answer = family(command) { return answer } }
            return nil
        }
    }

    /// The functions for other commands, one for each family.
    private static var families: [([String: Any]) -> [String: Any]?] {
        [
            performKey, performCryptoKit, performContext, performDevice, performFileItem, performTask, performTrust,
            performTrustSettings, performPreferred, performImportExport, performKeychain, performKeychainItem,
            performCallback,
            performCertificate,
        ]
    }

    // `@unchecked Sendable`: this program has one thread for it.
    private struct Listening: @unchecked Sendable { let listener: ChangeListener }
    private static let listener = Mutex<Listening?>(nil)

    private static func listen() -> [String: Any] {
        do {
            let listening = Listening(listener: try ChangeListener())
            listener.withLock { $0 = listening }
            return ["status": 0]
        } catch { return ["status": Int(error.status.rawValue), "result": error.reason] }
    }

    /// The next notification: its keychain, empty where everything may have changed, and its number; no result without
    /// one.
    private static func heard(milliseconds: Int32) -> [String: Any] {
        do {
            guard let listening = listener.withLock({ $0 }) else { return ["error": "nobody listens"] }
            guard let change = try listening.listener.next(milliseconds: milliseconds) else { return ["status": 0] }
            return ["status": 0, "result": ["keychain": change.keychain?.text ?? "", "number": Int(change.number)]]
        } catch { return ["status": Int(error.status.rawValue), "result": error.reason] }
    }

    private static func decide(_ command: ApplicationCommand) -> [String: Any] {
        do {
            let records = try KeychainClient.shared.applications(command)
            return ["status": 0, "result": records.map { ["path": $0.path, "state": "\($0.state)"] }]
        } catch { return ["status": Int(error.status.rawValue), "result": error.reason] }
    }

    private static func status() -> [String: Any] {
        do {
            var facts: [String: Any] = [:]
            for fact in try KeychainClient.shared.status().facts {
                switch fact.value {
                case .text(let text): facts[fact.name] = text
                case .number(let number): facts[fact.name] = number
                case .data, .date: break
                }
            }
            return ["status": 0, "result": facts]
        } catch { return ["status": Int(error.status.rawValue), "result": error.reason] }
    }

    /// Makes the same mistake on several threads, and returns the last status.
    private static func mistakes(_ count: Int, rounds: Int) -> [String: Any] {
        let last = Mutex<OSStatus>(0)
        DispatchQueue.concurrentPerform(iterations: count) { _ in
            let query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecMatchLimit: "many"]
            for _ in 0..<rounds {
                let status = SecItemCopyMatching(query as CFDictionary, nil)
                last.withLock { $0 = status }
            }
        }
        return ["status": Int(last.withLock { $0 })]
    }

    /// Adds, reads, changes and deletes items on several threads, each with its own; returns the first unexpected
    /// status.
    private static func threads(_ count: Int, rounds: Int) -> [String: Any] {
        let wrong = Mutex<OSStatus>(0)
        let group = DispatchGroup()
        for index in 0..<count {
            group.enter()
            Thread.detachNewThread {
                for round in 0..<rounds {
                    let status = oneLife(account: "thread \(index)", secret: "secret \(index) \(round)")
                    if status != 0 { wrong.withLock { $0 = status } }
                }
                group.leave()
            }
        }
        group.wait()
        return ["status": Int(wrong.withLock { $0 })]
    }

    private static func oneLife(account: String, secret: String) -> OSStatus {
        let base: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "threads", kSecAttrAccount: account,
        ]
        let added = SecItemAdd(base.merging([kSecValueData: Data("first".utf8)]) { $1 } as CFDictionary, nil)
        guard added == 0 else { return added }
        let change: [CFString: Any] = [kSecValueData: Data(secret.utf8)]
        let changed = SecItemUpdate(base as CFDictionary, change as CFDictionary)
        guard changed == 0 else { return changed }
        var result: CFTypeRef?
        let found = SecItemCopyMatching(base.merging([kSecReturnData: true]) { $1 } as CFDictionary, &result)
        guard found == 0 else { return found }
        guard result as? Data == Data(secret.utf8) else { return errSecDecode }
        return SecItemDelete(base as CFDictionary)
    }

    private typealias Fork = @convention(c) () -> pid_t

    /// Searches in this process, in a forked child, and in this process while the child waits; returns the statuses.
    private static func forkAndCall(_ query: [String: Any]) -> [String: Any] {
        guard let symbol = dlsym(UnsafeMutableRawPointer(bitPattern: 0), "fork") else { return ["error": "no fork"] }
        // SAFETY: that is the signature of fork(2).
        let fork = unsafeBitCast(symbol, to: Fork.self)
        var result: CFTypeRef?
        let before = SecItemCopyMatching(query as CFDictionary, &result)
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return ["error": "no pipe"] }
        let child = fork()
        if child == 0 {
            var statuses = [SecItemCopyMatching(query as CFDictionary, &result)]
            statuses.append(SecItemCopyMatching(query as CFDictionary, &result))
            _ = write(ends[1], statuses, 8)
            _exit(0)
        }
        var statuses: [Int32] = [1, 1]
        close(ends[1])
        let count = read(ends[0], &statuses, 8)
        close(ends[0])
        let after = SecItemCopyMatching(query as CFDictionary, &result)
        var exit: Int32 = 0
        waitpid(child, &exit, 0)
        guard count == 8 else { return ["status": 1, "result": [Int(before), Int(after)]] }
        return ["status": 0, "result": [before, statuses[0], statuses[1], after].map { Int($0) }]
    }
}
