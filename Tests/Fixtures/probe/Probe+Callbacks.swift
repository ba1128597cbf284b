import Foundation
import Security
import Synchronization

/// `SecKeychainAddCallback` and `SecKeychainRemoveCallback`, with run loops of the main thread and of other threads.
///
/// `name` is the function.
extension Probe {
    // `@unchecked Sendable`: one thread passes it to another as a whole.
    private struct Heard: @unchecked Sendable { var all: [[String: Any]] = [] }
    private static let heard = Mutex(Heard())
    private static let threads = Mutex<[LoopThread]>([])

    private static func function(named name: String) -> SecKeychainCallback? {
        switch name {
        case "first": hearFirst
        case "second": hearSecond
        case "deleting": hearAndDelete
        case "removing": hearAndRemove
        default: nil
        }
    }

    /// Makes the call of a command; nil for any other command.
    static func performCallback(_ command: [String: Any]) -> [String: Any]? {
        guard command["call"] as? String == "SecKeychainCallback" else { return nil }
        let name = command["name"] as? String ?? "first"
        guard let function = function(named: name) else { return ["error": "no such function"] }
        switch command["function"] as? String {
        case "Add": return ["status": Int(add(function, command["mask"] as? Int))]
        case "Remove": return ["status": Int(SecKeychainRemoveCallback(function))]
        case "AddOnThread":
            let thread = LoopThread()
            let status = thread.register(function)
            threads.withLock { $0.append(thread) }
            return ["status": Int(status)]
        case "EndThreads":
            let all = threads.withLock { threads in
                defer { threads = [] }
                return threads
            }
            for thread in all { thread.end() }
            return ["status": 0]
        case "Run": return ["status": 0, "result": run(until: command["count"] as? Int ?? 0)]
        case "RunUntil": return ["status": 0, "result": run(untilEvent: command["event"] as? Int ?? 0)]
        case "Heard": return ["status": 0, "result": taken()]
        default: return ["error": "no such call"]
        }
    }

    fileprivate static func add(_ function: @escaping SecKeychainCallback, _ mask: Int?) -> OSStatus {
        let events = mask.map { SecKeychainEventMask(rawValue: UInt32($0)) } ?? .everyEventMask
        return SecKeychainAddCallback(function, events, nil)
    }

    /// The time limit in seconds, after which a test fails for missing events instead of waiting for ever.
    private static let patience = 60.0

    /// Runs the loop of the main thread until `count` events came, on this or other threads.
    private static func run(until count: Int) -> [[String: Any]] {
        let end = Date(timeIntervalSinceNow: patience)
        repeat {
            _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: count == 0 ? 0.3 : 0.05))
        } while heard.withLock { $0.all.count } < count && Date() < end
        return taken()
    }

    private static func run(untilEvent event: Int) -> [[String: Any]] {
        let end = Date(timeIntervalSinceNow: patience)
        while !heard.withLock({ $0.all.contains { $0["event"] as? Int == event } }), Date() < end {
            _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.05))
        }
        return taken()
    }

    private static func taken() -> [[String: Any]] {
        heard.withLock { heard in
            defer { heard.all = [] }
            return heard.all
        }
    }

    fileprivate static func note(_ name: String, _ event: SecKeychainEvent, _ info: SecKeychainCallbackInfo) {
        var told: [String: Any] = [
            "name": name, "event": Int(event.rawValue), "pid": Int(info.pid), "version": Int(info.version),
            "main": Thread.isMainThread,
        ]
        if !isNull(info.keychain), let path = path(info.keychain.takeUnretainedValue()) { told["keychain"] = path }
        told["item"] = !isNull(info.item)
        if name == "deleting", event == .addEvent {
            let item = info.item.takeUnretainedValue()
            var (length, bytes): (UInt32, UnsafeMutableRawPointer?) = (0, nil)
            told["read"] = Int(SecKeychainItemCopyContent(item, nil, nil, &length, &bytes))
            if let bytes { told["secret"] = String(decoding: Data(bytes: bytes, count: Int(length)), as: UTF8.self) }
            SecKeychainItemFreeContent(nil, bytes)
            told["deleted"] = Int(SecKeychainItemDelete(item))
        }
        if name == "removing" { told["removed"] = Int(SecKeychainRemoveCallback(hearAndRemove)) }
        let entry = Heard(all: [told])
        heard.withLock { $0.all += entry.all }
    }

    private static func isNull<Object>(_ object: Unmanaged<Object>) -> Bool {
        UInt(bitPattern: object.toOpaque()) == 0
    }

    private static func path(_ keychain: SecKeychain) -> String? {
        var length: UInt32 = 4096
        var bytes = [CChar](repeating: 0, count: Int(length))
        guard SecKeychainGetPath(keychain, &length, &bytes) == errSecSuccess else { return nil }
        return String(decoding: bytes.prefix(Int(length)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

/// A thread with a run loop that runs until it is ended.
private final class LoopThread: Sendable {
    private let isEnding = Atomic(false)
    private let isEnded = DispatchSemaphore(value: 0)

    func register(_ function: @escaping SecKeychainCallback) -> OSStatus {
        // `@unchecked Sendable`: functions that capture nothing.
        struct Function: @unchecked Sendable { let call: SecKeychainCallback }
        final class Place: Sendable { let status = Mutex<OSStatus>(1) }
        let (place, ready, function) = (Place(), DispatchSemaphore(value: 0), Function(call: function))
        Thread.detachNewThread { [self] in
            place.status.withLock { $0 = Probe.add(function.call, nil) }
            ready.signal()
            while !isEnding.load(ordering: .acquiring) {
                _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.05))
            }
            isEnded.signal()
        }
        ready.wait()
        return place.status.withLock { $0 }
    }

    func end() {
        isEnding.store(true, ordering: .releasing)
        isEnded.wait()
    }
}

private typealias Info = UnsafeMutablePointer<SecKeychainCallbackInfo>

private func hearFirst(_ event: SecKeychainEvent, _ info: Info, _ context: UnsafeMutableRawPointer?) -> OSStatus {
    Probe.note("first", event, info.pointee)
    return errSecSuccess
}

private func hearSecond(_ event: SecKeychainEvent, _ info: Info, _ context: UnsafeMutableRawPointer?) -> OSStatus {
    Probe.note("second", event, info.pointee)
    return errSecSuccess
}

private func hearAndDelete(_ event: SecKeychainEvent, _ info: Info, _ context: UnsafeMutableRawPointer?) -> OSStatus {
    Probe.note("deleting", event, info.pointee)
    return errSecSuccess
}

private func hearAndRemove(_ event: SecKeychainEvent, _ info: Info, _ context: UnsafeMutableRawPointer?) -> OSStatus {
    Probe.note("removing", event, info.pointee)
    return errSecSuccess
}
