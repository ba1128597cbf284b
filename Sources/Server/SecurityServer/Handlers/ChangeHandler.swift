import ChatelaineIPC
import ChatelaineModel
import Glibc

/// Carries out subscriptions to notifications of changes.
enum ChangeHandler {
    static let routes: [RequestRoute] = [.init(subscribe), .init(subscribeToKeychainEvents)]

    static func subscribe(
        _ request: SubscribeToChanges, _ context: inout RequestContext
    ) throws(KeychainError) -> NoReply {
        let (changes, slot, caller) = (context.services.changes, context.slot, try context.caller)
        // A connection that the process has just ended is gone within milliseconds.
        for _ in 1..<SessionLimits.admissionAttempts where changes.hasConnection(of: slot) {
            usleep(SessionLimits.admissionPause)
        }
        try changes.subscribe(slot, caller)
        return NoReply()
    }

    static func subscribeToKeychainEvents(
        _ request: SubscribeToKeychainEvents, _ context: inout RequestContext
    ) throws(KeychainError) -> NoReply {
        let (events, slot) = (context.services.keychainEvents, context.slot)
        for _ in 1..<SessionLimits.admissionAttempts where events.hasConnection(of: slot) {
            usleep(SessionLimits.admissionPause)
        }
        try events.subscribe(slot)
        return NoReply()
    }
}
