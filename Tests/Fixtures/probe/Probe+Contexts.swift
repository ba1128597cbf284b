import Foundation
import LocalAuthentication
import Synchronization

/// Authentication contexts. `{"call": "context"}` makes one, whose number is the result; `{"context": N}` stands for
/// it.
///
/// A call waits for an evaluation. The status is the code of its `LAError`, or 0 where a person has authenticated. With
/// `"begins": true` the call does not wait, and `{"call": "evaluations", "count": N}` waits until so many have ended.
extension Probe {
    // `@unchecked Sendable`: this program has one thread for calls, and any thread may use a context.
    private struct Contexts: @unchecked Sendable { var all: [LAContext?] = [] }
    private static let contexts = Mutex(Contexts())

    static func context(_ number: Int) -> LAContext? {
        contexts.withLock { Contexts(all: [$0.all[number]]) }.all.first ?? nil
    }

    /// Makes the call of a command; nil for any other command.
    static func performContext(_ command: [String: Any]) -> [String: Any]? {
        guard let call = command["call"] as? String else { return nil }
        if call == "context" { return make(command) }
        if call == "evaluations" { return begun.ended(command["count"] as? Int ?? 0) }
        guard let number = command["context"] as? Int else { return nil }
        if call == "drop" {
            contexts.withLock { $0.all[number] = nil }
            return ["status": 0]
        }
        guard let context = context(number) else { return ["error": "no such context"] }
        switch call {
        case "set":
            configure(context, command)
            return ["status": 0]
        case "canEvaluate": return canEvaluate(context, command)
        case "evaluate", "evaluateControl": return evaluate(context, command)
        case "credential":
            let credential = (command["password"] as? String).map { Data($0.utf8) }
            let isTaken = context.setCredential(credential, type: .applicationPassword)
            return ["status": isTaken ? 0 : 1, "result": context.isCredentialSet(.applicationPassword)]
        case "invalidate":
            context.invalidate()
            return ["status": 0]
        default: return nil
        }
    }

    private static func make(_ command: [String: Any]) -> [String: Any] {
        let context = LAContext()
        configure(context, command)
        let made = Contexts(all: [context])
        return [
            "status": 0,
            "result": contexts.withLock { contexts in
                contexts.all += made.all
                return contexts.all.count - 1
            },
        ]
    }

    private static func configure(_ context: LAContext, _ command: [String: Any]) {
        if let reason = command["reason"] as? String { context.localizedReason = reason }
        if let title = command["cancel"] as? String { context.localizedCancelTitle = title }
        if let title = command["fallback"] as? String { context.localizedFallbackTitle = title }
        if let seconds = command["reuse"] as? Double { context.touchIDAuthenticationAllowableReuseDuration = seconds }
        if let isForbidden = command["silent"] as? Bool { context.interactionNotAllowed = isForbidden }
    }

    private static func canEvaluate(_ context: LAContext, _ command: [String: Any]) -> [String: Any] {
        guard let policy = (command["policy"] as? Int).flatMap(LAPolicy.init(rawValue:)) else {
            return ["error": "no such policy"]
        }
        var error: NSError?
        let isPossible = context.canEvaluatePolicy(policy, error: &error)
        var result: [String: Any] = ["biometry": context.biometryType.rawValue]
        if let state = context.evaluatedPolicyDomainState { result["domain"] = state.base64EncodedString() }
        let whole = context.domainState
        if let state = whole.stateHash, whole.biometry.biometryType == context.biometryType {
            result["whole"] = state.base64EncodedString()
        }
        return ["status": isPossible ? 0 : error?.code ?? 1, "result": result]
    }

    /// The outcomes of evaluations for which no call waited.
    private final class Begun: Sendable {
        private let codes = Mutex<[Int]>([])
        private let isDone = DispatchSemaphore(value: 0)

        func note(_ code: Int) {
            codes.withLock { $0.append(code) }
            isDone.signal()
        }

        /// Waits for as many further ones; the result are all codes so far, sorted.
        func ended(_ count: Int) -> [String: Any] {
            for _ in 0..<count { isDone.wait() }
            return ["status": 0, "result": codes.withLock { $0.sorted() }]
        }
    }

    private static let begun = Begun()

    private static func evaluate(_ context: LAContext, _ command: [String: Any]) -> [String: Any] {
        let begins = command["begins"] as? Bool == true
        let outcome = Mutex<Int?>(nil)
        let isDone = DispatchSemaphore(value: 0)
        let reply: @Sendable (Bool, (any Error)?) -> Void = { isSatisfied, error in
            let code = (error as? LAError)?.code.rawValue ?? (error as? NSError)?.code
            let status = isSatisfied && error == nil ? 0 : code ?? 1
            if begins { return begun.note(status) }
            outcome.withLock { $0 = status }
            isDone.signal()
        }
        let reason = command["why"] as? String ?? "test"
        if let control = dictionary(["control": command["control"] ?? ""])["control"] as? SecAccessControl {
            let operation = LAAccessControlOperation(rawValue: command["operation"] as? Int ?? 1) ?? .useItem
            context.evaluateAccessControl(control, operation: operation, localizedReason: reason, reply: reply)
        } else {
            let policy = LAPolicy(rawValue: command["policy"] as? Int ?? 2) ?? .deviceOwnerAuthentication
            context.evaluatePolicy(policy, localizedReason: reason, reply: reply)
        }
        if begins { return ["status": 0] }
        if let milliseconds = command["invalidateAfter"] as? Int {
            usleep(UInt32(milliseconds) * 1000)
            context.invalidate()
        }
        isDone.wait()
        return ["status": outcome.withLock { $0 } ?? 1]
    }
}
